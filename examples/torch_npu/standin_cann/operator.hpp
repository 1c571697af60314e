// How an operator of libopapi.so is written down: `aclnnXGetWorkspaceSize` keeps what is to be computed, `aclnnX` computes
// it, rounds it as this make of device does, and spoils it if the fault file says so.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "arguments.hpp"
#include "rounding.hpp"

#define STANDIN_API extern "C" __attribute__((visibility("default")))

namespace standin_cann {

using standin::Rounds;

struct Operator {
  Operator(const char* name, Rounds rounds);  // into the table of all

  const char* name;
  Rounds rounds;
  mutable std::atomic<long> calls = 0;
};

at::Tensor in_hf32(const at::Tensor& factor,
                   std::int8_t cube_math_type);                      // as the Cube unit reads a factor where HF32 is allowed
at::Tensor unpacked(const at::Tensor& mask, at::IntArrayRef sizes);  // of dropout, a bit for each number: 1 keeps it

}  // namespace standin_cann

struct aclOpExecutor {
  const standin_cann::Operator& of;
  std::function<void()> compute;

  int run();
};

#define STANDIN_UNPACK(...) __VA_ARGS__

// OP(number, Relu, (T x, T out), out << at::relu(*x)): how its numbers round, its name without aclnn, its parameters in
// CANN's order.
#define OP(rounds, name, parameters, ...) STANDIN_OP(rounds, name, parameters, ([=] { __VA_ARGS__; }))

// With a text among the parameters, which does not outlive the first call.
#define OP_WITH_TEXT(rounds, name, parameters, given, ...) \
  STANDIN_OP(rounds, name, parameters, ([=, text = std::string(given)] { __VA_ARGS__; }))

#define STANDIN_OP(rounds, name, parameters, work)                                                                          \
  static const standin_cann::Operator operator_##name("aclnn" #name, standin_cann::Rounds::rounds);                         \
  STANDIN_API int aclnn##name(void*, std::uint64_t, aclOpExecutor* executor, void*) { return executor->run(); }             \
  STANDIN_API int aclnn##name##GetWorkspaceSize(STANDIN_UNPACK parameters, std::uint64_t* size, aclOpExecutor** executor) { \
    return *size = 0, *executor = new aclOpExecutor{operator_##name, work}, 0;                                              \
  }
