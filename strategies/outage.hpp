// Do runs break because of what is neutralised in them, or does nothing run any more? A set that is known to run is asked
// in between, and tells the two apart.
#pragma once

#include <algorithm>
#include <cstddef>

namespace bisectd::strategies {

class Outage {
 public:
  /// Takes in one trial: whether it was the set known to run, and whether it came to its end. True if an outage ended
  /// with it: what broke since the last trial that ran shows nothing.
  bool tell(bool known_to_run, bool ran) {
    const bool was_on = on_;
    if (ran) {
      on_ = false;
      due_ = known_to_run && !was_on ? kPatience * std::max(due_, broken_) : kSuspicious;
      if (!known_to_run || was_on) broken_ = 0;
      return was_on;
    }
    on_ = on_ || (known_to_run && broken_ >= due_);
    if (!known_to_run) ++broken_;
    return false;
  }

  /// So many trials broke in a row that the set known to run should be asked.
  bool check_due() const { return on_ || broken_ >= due_; }
  /// It broke as well.
  bool on() const { return on_; }

 private:
  static constexpr std::size_t kSuspicious = 8;  // one chance in 10^8 where a tenth of the sets breaks
  static constexpr std::size_t kPatience = 4;    // that often as many must break once it is known that something runs

  std::size_t broken_ = 0;  // in a row
  std::size_t due_ = kSuspicious;
  bool on_ = false;
};

}  // namespace bisectd::strategies
