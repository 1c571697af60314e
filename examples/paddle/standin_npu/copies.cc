#include "copies.hpp"

#include <cstring>

#include "paddle/phi/common/memory_utils.h"

namespace standin {
namespace {

// The table of functions that Paddle copies by is a private member. What a template is instantiated for explicitly is not
// asked for access.
using Table = std::unique_ptr<phi::MemoryInterface>;
Table& table_of(phi::MemoryUtils& utils);
template <Table phi::MemoryUtils::*Member>
struct Opened {
  friend Table& table_of(phi::MemoryUtils& utils) { return utils.*Member; }
};
template struct Opened<&phi::MemoryUtils::memory_method_>;

decltype(phi::MemoryInterface::copy) paddles_copy;
decltype(phi::MemoryInterface::copy_with_stream) paddles_copy_with_stream;

// Its memory is the host's.
bool is_on_device(const phi::Place& place) { return place.GetType() == phi::AllocationType::CUSTOM; }

void copy(phi::Place to_place, void* to, phi::Place from_place, const void* from, std::size_t bytes) {
  if (!is_on_device(to_place) && !is_on_device(from_place)) return paddles_copy(to_place, to, from_place, from, bytes);
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void copy_with_stream(phi::Place to_place, void* to, phi::Place from_place, const void* from, std::size_t bytes,
                      void* stream) {
  if (!is_on_device(to_place) && !is_on_device(from_place))
    return paddles_copy_with_stream(to_place, to, from_place, from, bytes, stream);
  if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

void copy_without_threads() {
  const Table& table = table_of(phi::MemoryUtils::Instance());
  if (!table || !table->copy || !table->copy_with_stream) return;
  paddles_copy = table->copy;
  paddles_copy_with_stream = table->copy_with_stream;
  table->copy = copy;
  table->copy_with_stream = copy_with_stream;
}

}  // namespace standin
