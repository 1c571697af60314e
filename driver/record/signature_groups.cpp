#include "driver/record/signature_groups.hpp"

#include <algorithm>
#include <cmath>

namespace bisectd::driver {
namespace {

/// Two signatures are alike if they differ by no more than this, in healthy spreads, and this share of the greater one. On
/// real Paddle (quickstart) trials with the same causes differ by less than 1 healthy spread, trials with different ones by
/// 350.
constexpr double kSpreads = 5, kShare = 0.02;

double size_of(const std::vector<double>& steps) {
  double squares = 0;
  for (const double step : steps) squares += step * step;
  return std::sqrt(squares / static_cast<double>(steps.size()));
}

bool alike(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  std::vector<double> apart(a.size());
  std::ranges::transform(a, b, apart.begin(), std::minus{});
  return size_of(apart) <= kSpreads + kShare * std::max(size_of(a), size_of(b));
}

bool is_active(const std::vector<std::size_t>& cause, const reports::Trial& trial) {
  return std::ranges::none_of(cause,
                              [&](std::size_t member) { return std::ranges::binary_search(trial.neutralised, member); });
}

/// Whether a cause may be active because the trial has a ladder, which counts as neutralised, at another value.
bool may_be_active(const reports::Record& record, const std::vector<std::size_t>& cause, const reports::Trial& trial) {
  const auto is_tried = [&](std::size_t member) {
    return member < record.suspects.size() && trial.value.starts_with(record.suspects[member].family + "=");
  };
  return !trial.value.empty() && std::ranges::any_of(cause, is_tried);
}

/// Which causes were active in all trials of a group, and which only in some.
void tell_causes(const reports::Record& record, const std::vector<const reports::Trial*>& trials,
                 reports::SignatureGroup& group) {
  for (std::size_t number = 0; number < record.answer.causes.size(); ++number) {
    const auto& cause = record.answer.causes[number];
    const auto open = std::ranges::count_if(trials, [&](const auto* trial) { return may_be_active(record, cause, *trial); });
    const auto active = std::ranges::count_if(
        trials, [&](const auto* trial) { return !may_be_active(record, cause, *trial) && is_active(cause, *trial); });
    if (active == std::ssize(trials)) group.causes.push_back(number);
    else if (active + open > 0) group.causes_of_some.push_back(number);
  }
}

}  // namespace

void describe_signature_groups(reports::Record& record) {
  std::vector<reports::SignatureGroup>& groups = record.signature_groups;
  groups.clear();
  std::vector<std::vector<const reports::Trial*>> trials;  // of each group
  for (const reports::Trial& trial : record.trials) {
    const std::vector<double>& steps = trial.signature;
    if (steps.empty() || std::ranges::any_of(steps, [](double step) { return !std::isfinite(step); })) continue;
    auto group = std::ranges::find_if(groups, [&](const reports::SignatureGroup& each) { return alike(each.steps, steps); });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {.steps = steps, .size = size_of(steps)});
      trials.emplace_back();
    }
    group->trials.push_back(trial.number);
    trials[static_cast<std::size_t>(group - groups.begin())].push_back(&trial);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) tell_causes(record, trials[i], groups[i]);
  std::ranges::stable_sort(groups, {}, &reports::SignatureGroup::size);
}

}  // namespace bisectd::driver
