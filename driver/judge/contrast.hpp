// Where the reference does not decide, a run is held against the subject's own two ends: as it is, and with everything
// neutralised. Which of two known levels on one device a run looks like takes three errors to tell, where "is it beyond the
// target somewhere, on a device of which nothing is known" takes eight (design "wobble", section 7).
#pragma once

#include <optional>
#include <span>

#include "driver/judge/verdict.hpp"

namespace bisectd::driver::judge {

class Contrast {
 public:
  /// The window in which the ends differ most surely; nothing where they do not differ by three errors and half a target,
  /// or cannot be compared.
  static std::optional<Contrast> between(const configs::Acceptance& accept, const MetricRule& metric, const Curve& as_is,
                                         const Curve& everything);

  /// Where a run lies: 0 as everything neutralised, 1 as it is; empty where it has no value in the window.
  std::optional<double> place(const Curve& run) const;
  /// Whether a run looks like an end: pass like everything neutralised, fail like the subject as it is, else inconclusive.
  strategies::Verdict side(const Curve& run) const;
  /// Of the mean place of a trial's attempts; `delta` and its error are those of the place, in units of what sets the ends
  /// apart.
  Judgement judge(std::span<const Curve> attempts) const;

  const Steps& window() const { return window_; }
  double apart() const { return apart_; }  ///< the subject as it is to everything neutralised, a fraction with its sign

 private:
  explicit Contrast(Reference everything) : everything_(std::move(everything)) {}

  Reference everything_;
  Steps window_;
  double apart_ = 0, error_ = 0;
};

}  // namespace bisectd::driver::judge
