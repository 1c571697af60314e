// How often is a verdict wrong, when nobody knows? A Beta posterior over that chance, from how many verdicts the rest
// of the evidence contradicts.
#pragma once

#include <cmath>

namespace bisectd::strategies {

/// Verdicts of which some are (believed to be) wrong.
struct Flips {
  double wrong = 0, of = 0;
};

/// Beta(1, 24): one verdict in 25 before any is seen. The conjugate posterior after `wrong` of `of` is Beta(1 + wrong,
/// 24 + of - wrong); its mean is used. Erring high costs a few repeats, erring low a wrong culprit: so no trust is
/// gained without evidence, and a run of right verdicts halves the belief only after 25 of them.
class FlipEstimate {
 public:
  void observe(const Flips& all_so_far) { flips_ = all_so_far; }

  double mean() const { return std::fmin(kMost, (kWrong + flips_.wrong) / (kWrong + kRight + flips_.of)); }
  /// Whether `flip` is too far from the mean to be used on: weighing again has its price.
  bool moved_from(double flip) const { return std::fabs(mean() - flip) > kStep * flip; }

 private:
  static constexpr double kWrong = 1, kRight = 24;
  static constexpr double kMost = 0.25;  // beyond it no search makes sense
  static constexpr double kStep = 0.05;

  Flips flips_;
};

}  // namespace bisectd::strategies
