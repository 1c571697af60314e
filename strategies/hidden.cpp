#include "strategies/hidden.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bisectd::strategies {

Hidden hidden_in(const EvidenceLog& log, const LogEntry& entry, std::optional<double> as_is) {
  Hidden hidden{.neutralised = neutralised_beside(entry.active), .trials = entry.told(), .difference = {}, .as_is = as_is};
  double sum = 0, count = 0;
  for (const Told& told : log.told()) {
    const Size size = told.evidence.judged_size();
    if (!told.measured() || !size.delta || &log.entries()[*told.entry] != &entry) continue;
    const double error = size.standard_error.value_or(0.0);
    sum += *size.delta;
    count += 1;
    hidden.error = count == 1 ? error : std::min(hidden.error, error);
  }
  if (count > 0) hidden.difference = sum / count;
  return hidden;
}

std::optional<double> Hidden::deciding_target() const {
  constexpr double kFarOff = 4;  // targets
  if (!difference || !as_is || !std::isfinite(could_hide()) || could_hide() <= 0) return std::nullopt;
  const double digit = std::pow(10.0, std::floor(std::log10(could_hide())) - 1);
  const double target = std::ceil(could_hide() / digit * (1 - 1e-12)) * digit;
  return std::abs(*as_is) >= kFarOff * target ? std::optional(target) : std::nullopt;
}

std::string list_of(const std::vector<SuspectId>& ids, const char* between) {
  std::string text;
  for (SuspectId id : ids) text += fmt::format("{}#{}", text.empty() ? "" : between, id);
  return text;
}

std::string with_neutralised(const Neutralised& off) {
  constexpr std::size_t kNamed = 4;
  const Active on = active_beside(off);
  return off.none()              ? "with nothing neutralised"
         : off.all()             ? "with everything neutralised"
         : off.count() <= kNamed ? fmt::format("with {} neutralised", list_of(members_of(off), " and "))
         : on.count() <= kNamed  ? fmt::format("with everything but {} neutralised", list_of(members_of(on), " and "))
                                 : fmt::format("with {} of {} neutralised", off.count(), off.size());
}

std::string text_of(const Hidden& hidden) {
  const std::string what = with_neutralised(hidden.neutralised);
  const std::string trials = fmt::format("{} trial{}", hidden.trials, hidden.trials == 1 ? "" : "s");
  if (!hidden.difference) return fmt::format("The noise hides whether it passes {}, after {}.", what, trials);
  return fmt::format(
      "The noise hides whether it passes {}: after {} the difference there is {:+.2g} %, with a standard error of {:.2g} % "
      "in each, and one of up to {:.2g} % could hide in that.",
      what, trials, 100 * *hidden.difference, 100 * hidden.error, 100 * hidden.could_hide());
}

}  // namespace bisectd::strategies
