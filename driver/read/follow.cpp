#include "driver/read/follow.hpp"

#include <fmt/format.h>

#include <utility>

namespace bisectd::driver::read {

bool Follower::read_new(const TakeBlock& take) {
  return tail_.read_new(
      [&](std::string_view bytes) { assembler_.feed(bytes, take); },
      [&](std::string_view what) {
        clipped_before_ += std::exchange(assembler_, {}).clipped();
        notes_.push_back(fmt::format("{} {} and is read from its start again", tail_.path().filename().string(), what));
      });
}

void Follower::finish(const TakeBlock& take) {
  tail_.reopen();
  while (read_new(take)) {
  }
  assembler_.finish(take);
}

}  // namespace bisectd::driver::read
