// Owner of a file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace bisectd::driver::keep {

class Descriptor {
 public:
  /// Owns `number`; a negative one is none.
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }
  /// From now on somebody else closes it.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace bisectd::driver::keep
