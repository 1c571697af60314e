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

}  // namespace

void describe_signature_groups(reports::Record& record) {
  std::vector<reports::SignatureGroup>& groups = record.signature_groups;
  groups.clear();
  for (const reports::Trial& trial : record.trials) {
    const std::vector<double>& steps = trial.signature;
    if (steps.empty() || std::ranges::any_of(steps, [](double step) { return !std::isfinite(step); })) continue;
    auto group = std::ranges::find_if(groups, [&](const reports::SignatureGroup& each) { return alike(each.steps, steps); });
    const bool fresh = group == groups.end();
    if (fresh) group = groups.insert(groups.end(), {.steps = steps, .size = size_of(steps)});
    std::vector<std::size_t> active;
    for (std::size_t cause = 0; cause < record.answer.causes.size(); ++cause)
      if (is_active(record.answer.causes[cause], trial)) active.push_back(cause);
    if (!fresh) {
      std::vector<std::size_t> both;
      std::ranges::set_intersection(group->causes, active, std::back_inserter(both));
      active = std::move(both);
    }
    group->causes = std::move(active);
    group->trials.push_back(trial.number);
  }
  std::ranges::stable_sort(groups, {}, &reports::SignatureGroup::size);
}

}  // namespace bisectd::driver
