// How long to wait, again and again, for a world in which nothing starts or runs any more.
#pragma once

#include <algorithm>
#include <chrono>

namespace bisectd::driver::launch {

class Pauses {
 public:
  bool any() const { return last_.count() > 0; }
  /// So much was waited that it will not come back by itself.
  bool enough() const { return all_ >= std::chrono::hours{6}; }
  /// The next one, longer every time.
  std::chrono::seconds next() {
    last_ = std::clamp<std::chrono::seconds>(2 * last_, std::chrono::seconds{1}, std::chrono::minutes{10});
    all_ += last_;
    return last_;
  }

 private:
  std::chrono::seconds last_{0}, all_{0};
};

}  // namespace bisectd::driver::launch
