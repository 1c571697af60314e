#include "driver/loop/trials_left.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bisectd::driver {
namespace {

using strategies::Answer;
using strategies::Verdict;

std::string why_more(const Answer& before, const Answer& now, const std::vector<const PastTrial*>& told) {
  for (const PastTrial* trial : told) {
    const Verdict verdict = trial->judgement->verdict;
    if (verdict == Verdict::unresolved) return fmt::format("trial {} gave no verdict", trial->number);
    if (trial->role == Role::signature) continue;  // only its first steps were wanted
    if (verdict == Verdict::inconclusive) return fmt::format("noise hides the verdict of trial {}", trial->number);
    const auto is_contradicted = [&](const strategies::Claim& claim) {
      return trial->neutralised == claim.neutralised && verdict != claim.expected;
    };
    if (std::ranges::any_of(before.certificate, is_contradicted))
      return fmt::format("trial {} tried the likeliest answer, and it is not right", trial->number);
  }
  if (now.culprit_set.size() > before.culprit_set.size())
    return before.culprit_set.empty() ? "a first answer is likely, and has to be proved" : "one more culprit is likely";
  return fmt::format("trial {} ruled out less than expected", told.back()->number);
}

}  // namespace

void TrialsLeft::begin(const Answer& answer, std::size_t judged) {
  *this = {};
  if (!(answer.trials_left_high > 0)) return;
  low_ = static_cast<double>(judged) + std::ceil(answer.trials_left_low);
  high_ = static_cast<double>(judged) + std::ceil(answer.trials_left_high);
  middle_ = std::ceil((low_ + high_) / 2);
}

void TrialsLeft::revise(const Answer& before, const Answer& now, std::size_t judged,
                        const std::vector<const PastTrial*>& told) {
  const TrialsLeft shown = *this;
  begin(now, judged);
  if (high_ == 0 || told.empty()) return;
  if (before.state == strategies::State::proved) why_more_ = "the proof did not hold";
  if (shown.high_ == 0) return;
  const double ended = static_cast<double>(judged);
  if (middle_ > shown.high_ || shown.middle_ <= ended) {
    why_more_ = driver::why_more(before, now, told);
    return;
  }
  middle_ = std::min(middle_, shown.middle_);
  low_ = std::max(std::min(low_, shown.low_), ended + 1);
  high_ = std::min({high_, shown.high_, 2 * middle_ - low_});
  middle_ = std::ceil((low_ + high_) / 2);
}

void TrialsLeft::count_down(Answer& answer, std::size_t judged) const {
  if (!(answer.trials_left_high > 0) || high_ == 0) return;
  answer.trials_left_low = std::max(0.0, low_ - static_cast<double>(judged));
  answer.trials_left_high = std::max(0.0, high_ - static_cast<double>(judged));
}

}  // namespace bisectd::driver
