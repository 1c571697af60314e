// Stands in for CANN's collectives (libhccl.so), between processes of one machine: each rank has a slot in shared memory,
// and all meet before they read the others' and before they write their own again.
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <third_party/hccl/inc/hccl/hccl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#define STANDIN_API extern "C" __attribute__((visibility("default")))

namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kMostRanks = 64;
constexpr std::size_t kSlot = 1 << 20;
constexpr auto kConnect = 120s;  // HCCL_CONNECT_TIMEOUT of CANN

struct Shared {  // all zeros where it is new
  std::atomic<std::uint32_t> attached, arrived, meetings, last;
  std::atomic<pid_t> processes[kMostRanks];
};

struct Communicator {
  Shared* shared;
  std::uint32_t ranks, rank;

  std::size_t size() const { return sizeof(Shared) + ranks * kSlot; }
  char* slot(std::uint32_t of) const { return reinterpret_cast<char*>(shared + 1) + of * kSlot; }

  bool all_live() const {
    return std::all_of(shared->processes, shared->processes + ranks, [](pid_t process) { return kill(process, 0) == 0; });
  }

  // False if one of the others is gone.
  bool meet() {
    const std::uint32_t meeting = shared->meetings;
    if (++shared->arrived == ranks) {
      shared->last = rank;
      shared->arrived = 0;
      ++shared->meetings;
      return true;
    }
    for (int tries = 1; shared->meetings == meeting; ++tries) {
      if (tries % 1000 == 0 && !all_live()) return false;
      tries < 100 ? std::this_thread::yield() : std::this_thread::sleep_for(50us);
    }
    return true;
  }

  template <class Put, class Take>
  HcclResult exchange(std::size_t bytes, Put put, Take take) {
    for (std::size_t at = 0; at < bytes; at += kSlot) {
      const std::size_t part = std::min(kSlot, bytes - at);
      put(at, part);
      if (!meet()) return HCCL_E_REMOTE;
      take(at, part);
      if (!meet()) return HCCL_E_REMOTE;
    }
    return HCCL_SUCCESS;
  }

  // Where it is not said to be deterministic, sums begin with the rank that came last, which is chance.
  std::uint32_t first() const {
    const char* set = std::getenv("HCCL_DETERMINISTIC");
    const std::string mode = set ? set : "";
    return mode == "true" || mode == "TRUE" || mode == "True" || mode == "strict" ? 0 : shared->last.load();
  }

  template <class Number>
  void reduce(char* to, std::size_t bytes, HcclReduceOp op) const {
    const std::uint32_t from = first();
    auto* result = reinterpret_cast<Number*>(to);
    for (std::size_t i = 0; i < bytes / sizeof(Number); ++i) {
      const auto of = [&](std::uint32_t other) { return reinterpret_cast<const Number*>(slot((from + other) % ranks))[i]; };
      Number value = of(0);
      for (std::uint32_t other = 1; other < ranks; ++other) {
        const Number next = of(other);
        if (op == HCCL_REDUCE_SUM) value = static_cast<Number>(value + next);
        if (op == HCCL_REDUCE_PROD) value = static_cast<Number>(value * next);
        if (op == HCCL_REDUCE_MAX) value = std::max(value, next);
        if (op == HCCL_REDUCE_MIN) value = std::min(value, next);
      }
      result[i] = value;
    }
  }

  using Reducer = void (Communicator::*)(char*, std::size_t, HcclReduceOp) const;
};

std::size_t size_of(HcclDataType type) {
  switch (type) {
    case HCCL_DATA_TYPE_INT8:
    case HCCL_DATA_TYPE_UINT8: return 1;
    case HCCL_DATA_TYPE_INT16:
    case HCCL_DATA_TYPE_UINT16:
    case HCCL_DATA_TYPE_FP16:
    case HCCL_DATA_TYPE_BFP16: return 2;
    case HCCL_DATA_TYPE_INT32:
    case HCCL_DATA_TYPE_UINT32:
    case HCCL_DATA_TYPE_FP32: return 4;
    case HCCL_DATA_TYPE_INT64:
    case HCCL_DATA_TYPE_UINT64:
    case HCCL_DATA_TYPE_FP64: return 8;
    default: return 0;
  }
}

Communicator::Reducer reducer_of(HcclDataType type) {
  switch (type) {
    case HCCL_DATA_TYPE_INT8: return &Communicator::reduce<std::int8_t>;
    case HCCL_DATA_TYPE_INT16: return &Communicator::reduce<std::int16_t>;
    case HCCL_DATA_TYPE_INT32: return &Communicator::reduce<std::int32_t>;
    case HCCL_DATA_TYPE_INT64: return &Communicator::reduce<std::int64_t>;
    case HCCL_DATA_TYPE_FP16: return &Communicator::reduce<c10::Half>;
    case HCCL_DATA_TYPE_BFP16: return &Communicator::reduce<c10::BFloat16>;
    case HCCL_DATA_TYPE_FP32: return &Communicator::reduce<float>;
    default: return nullptr;
  }
}

Communicator& of(HcclComm comm) { return *static_cast<Communicator*>(comm); }

HcclResult connect(const char* name, std::uint32_t ranks, std::uint32_t rank, HcclComm* comm) {
  if (ranks > kMostRanks || rank >= ranks) return HCCL_E_PARA;
  Communicator made{nullptr, ranks, rank};
  const int file = shm_open(name, O_CREAT | O_RDWR, 0600);
  if (file < 0 || ftruncate(file, static_cast<off_t>(made.size())) != 0) return HCCL_E_SYSCALL;
  void* memory = mmap(nullptr, made.size(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return HCCL_E_MEMORY;
  made.shared = static_cast<Shared*>(memory);
  made.shared->processes[rank] = getpid();
  ++made.shared->attached;
  for (const auto began = std::chrono::steady_clock::now(); made.shared->attached < ranks; std::this_thread::sleep_for(1ms))
    if (std::chrono::steady_clock::now() - began > kConnect) return shm_unlink(name), HCCL_E_TIMEOUT;
  if (rank == 0) shm_unlink(name);
  *comm = new Communicator(made);
  return HCCL_SUCCESS;
}

}  // namespace

STANDIN_API HcclResult HcclGetRootInfo(HcclRootInfo* root) {
  static std::atomic<int> made;
  std::snprintf(root->internal, sizeof root->internal, "/standin-hccl-%d-%d", static_cast<int>(getpid()), ++made);
  return HCCL_SUCCESS;
}
STANDIN_API HcclResult HcclCommInitRootInfo(uint32_t ranks, const HcclRootInfo* root, uint32_t rank, HcclComm* comm) {
  return connect(root->internal, ranks, rank, comm);
}
STANDIN_API HcclResult HcclCommInitRootInfoConfig(uint32_t ranks, const HcclRootInfo* root, uint32_t rank,
                                                  const HcclCommConfig*, HcclComm* comm) {
  return connect(root->internal, ranks, rank, comm);
}
STANDIN_API HcclResult HcclCommDestroy(HcclComm comm) {
  munmap(of(comm).shared, of(comm).size());
  return delete &of(comm), HCCL_SUCCESS;
}
STANDIN_API HcclResult HcclGetCommName(HcclComm, char* name) { return std::strcpy(name, "standin"), HCCL_SUCCESS; }
STANDIN_API HcclResult HcclGetRankSize(HcclComm comm, uint32_t* ranks) { return *ranks = of(comm).ranks, HCCL_SUCCESS; }
STANDIN_API HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) { return *rank = of(comm).rank, HCCL_SUCCESS; }
STANDIN_API HcclResult HcclGetCommAsyncError(HcclComm, HcclResult* error) { return *error = HCCL_SUCCESS, HCCL_SUCCESS; }
STANDIN_API uint32_t HcclGetCommConfigCapability() { return HCCL_COMM_CONFIG_RESERVED; }
STANDIN_API const char* HcclGetErrorString(HcclResult) { return "a collective of the stand-in CANN failed"; }
STANDIN_API HcclResult HcclSetConfig(HcclConfig, HcclConfigValue) { return HCCL_SUCCESS; }
STANDIN_API HcclResult HcclGroupStart() { return HCCL_SUCCESS; }
STANDIN_API HcclResult HcclGroupEnd() { return HCCL_SUCCESS; }

STANDIN_API HcclResult HcclAllReduce(void* send, void* receive, uint64_t count, HcclDataType type, HcclReduceOp op,
                                     HcclComm comm, aclrtStream) {
  Communicator& us = of(comm);
  const auto reduce = reducer_of(type);
  if (!reduce) return HCCL_E_NOT_SUPPORT;
  return us.exchange(
      count * size_of(type),
      [&](std::size_t at, std::size_t part) { std::memcpy(us.slot(us.rank), static_cast<char*>(send) + at, part); },
      [&](std::size_t at, std::size_t part) { (us.*reduce)(static_cast<char*>(receive) + at, part, op); });
}
STANDIN_API HcclResult HcclReduceScatter(void* send, void* receive, uint64_t count, HcclDataType type, HcclReduceOp op,
                                         HcclComm comm, aclrtStream) {
  Communicator& us = of(comm);
  const auto reduce = reducer_of(type);
  if (!reduce) return HCCL_E_NOT_SUPPORT;
  const std::size_t bytes = count * size_of(type);
  HcclResult result = HCCL_SUCCESS;
  for (std::uint32_t rank = 0; rank < us.ranks && result == HCCL_SUCCESS; ++rank)
    result = us.exchange(
        bytes,
        [&](std::size_t at, std::size_t part) {
          std::memcpy(us.slot(us.rank), static_cast<char*>(send) + rank * bytes + at, part);
        },
        [&](std::size_t at, std::size_t part) {
          if (rank == us.rank) (us.*reduce)(static_cast<char*>(receive) + at, part, op);
        });
  return result;
}
STANDIN_API HcclResult HcclAllGather(void* send, void* receive, uint64_t count, HcclDataType type, HcclComm comm,
                                     aclrtStream) {
  Communicator& us = of(comm);
  const std::size_t bytes = count * size_of(type);
  return us.exchange(
      bytes, [&](std::size_t at, std::size_t part) { std::memcpy(us.slot(us.rank), static_cast<char*>(send) + at, part); },
      [&](std::size_t at, std::size_t part) {
        for (std::uint32_t rank = 0; rank < us.ranks; ++rank)
          std::memcpy(static_cast<char*>(receive) + rank * bytes + at, us.slot(rank), part);
      });
}
STANDIN_API HcclResult HcclBroadcast(void* buffer, uint64_t count, HcclDataType type, uint32_t root, HcclComm comm,
                                     aclrtStream) {
  Communicator& us = of(comm);
  char* data = static_cast<char*>(buffer);
  return us.exchange(
      count * size_of(type),
      [&](std::size_t at, std::size_t part) {
        if (us.rank == root) std::memcpy(us.slot(root), data + at, part);
      },
      [&](std::size_t at, std::size_t part) {
        if (us.rank != root) std::memcpy(data + at, us.slot(root), part);
      });
}
