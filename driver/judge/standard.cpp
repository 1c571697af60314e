#include "driver/judge/standard.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <vector>

#include "driver/judge/attempt.hpp"

namespace bisectd::driver::judge {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct StepError {
  double absolute = 0, relative = 0;
};

StepError error_of(double candidate, double reference) {
  const double size = std::abs(candidate - reference);
  if (!std::isfinite(size)) return {kInfinite, kInfinite};  // a NaN would hide among the others
  return {size, size == 0 ? 0 : reference == 0 ? kInfinite : size / std::abs(reference)};
}

/// A part of a standard, asked of one error: the figures of the sentence, and whether it holds.
struct Clause {
  std::string text;
  bool holds = true;
};

Clause clause(std::string_view what, const StepError& error, const configs::Tolerance& limit) {
  const bool both = limit.absolute > 0;
  const std::string figures = both ? fmt::format("{:.3g} or {:.3g} % (at most {:g} or {:g} %)", error.absolute,
                                                 100 * error.relative, limit.absolute, 100 * limit.relative)
                                   : fmt::format("{:.3g} % (at most {:g} %)", 100 * error.relative, 100 * limit.relative);
  return {fmt::format("{} {}", what, figures),
          error.relative <= limit.relative || (both && error.absolute <= limit.absolute)};
}

std::string name_of(const configs::Standard& standard) { return fmt::format("the standard of {}", standard.whose); }

}  // namespace

ByStandard by_standard(const configs::Standard& standard, std::span<const double> reference,
                       std::span<const double> candidate) {
  std::vector<StepError> errors;
  StepError mean, largest;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const StepError& error = errors.emplace_back(error_of(candidate[i], reference[i]));
    mean.absolute += error.absolute / static_cast<double>(reference.size());
    mean.relative += error.relative / static_cast<double>(reference.size());
    if (error.relative > largest.relative) largest = error;
  }
  std::vector<Clause> clauses;
  if (standard.first) clauses.push_back(clause("first value off by", errors.front(), *standard.first));
  if (standard.mean) clauses.push_back(clause("mean error", mean, *standard.mean));
  if (standard.each) clauses.push_back(clause("largest error of a step", largest, *standard.each));
  const bool met = std::ranges::all_of(clauses, &Clause::holds);
  std::vector<std::string> texts;
  for (Clause& one : clauses) texts.push_back(std::move(one.text));
  return {met, fmt::format("{} is {}met: {}", name_of(standard), met ? "" : "not ", fmt::join(texts, ", "))};
}

std::optional<ByStandard> by_standard(const Reference& reference, const Curve& candidate) {
  if (!reference.accept.standard) return std::nullopt;
  const configs::Standard& standard = *reference.accept.standard;
  const auto silent = [&](const std::string& why) {
    return ByStandard{std::nullopt, fmt::format("{} says nothing: {}", name_of(standard), why)};
  };
  if (reference.metric.higher_is_better)
    return silent(fmt::format("it is of losses, and {} is a score", reference.metric.name));
  const Attempt attempt = attempt_of(reference, candidate);
  const Match matched = match(attempt.difference.track, reference.steps);
  // A NaN is no small error, however the run went on.
  const bool finite = std::ranges::all_of(matched.values, [](double value) { return std::isfinite(value); });
  if (finite && !attempt.trouble.empty()) return silent(attempt.trouble_text);
  std::vector<double> expected;
  for (const std::size_t place : matched.at) expected.push_back(reference.mean[place]);
  return by_standard(standard, expected, matched.values);
}

}  // namespace bisectd::driver::judge
