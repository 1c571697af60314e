#include "driver/loop/contrast_ends.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "driver/loop/problem.hpp"

namespace bisectd::driver {
namespace {

using strategies::Neutralised;
using strategies::Verdict;

constexpr int kRepeats = 2;  ///< of an end, in other arithmetic: with one, of 213 nights with nothing planted one went on
constexpr int kMostRepeats = 4;  ///< where suspects are moved: one that is guilty takes its repeat to the other end

TrialPlan plan_end(Run& run, const Neutralised& set, std::string reason, int attempts) {
  TrialPlan plan = run.plan_for(Role::end, set, std::move(reason));
  plan.attempts = plan.max_attempts = attempts;
  return plan;
}

/// The end itself with one suspect moved to the other side, `count` times; the suspects lie evenly among all that can be.
std::vector<TrialPlan> with_one_moved(Run& run, const Neutralised& end, const Neutralised& widest, int first, int count) {
  const std::vector<strategies::SuspectId> members = strategies::members_of(widest);
  std::vector<TrialPlan> plans;
  for (int i = first; i < first + count; ++i) {
    Neutralised set = end;
    const strategies::SuspectId one = members[(2 * static_cast<std::size_t>(i) + 1) * members.size() / (2 * kMostRepeats)];
    set.flip(one);
    plans.push_back(plan_end(
        run, set,
        fmt::format("an end once more, with {} moved", run.state.catalogue.labels(run.state.catalogue.set_of({one}), 1)),
        1));
  }
  return plans;
}

std::vector<judge::Curve> curves_of(Run& run, std::vector<TrialPlan> plans) {
  std::vector<judge::Curve> curves;
  for (const FinishedTrial& finished : run.run_all(std::move(plans)))
    for (judge::Curve& curve : whole_curves(finished.attempts)) curves.push_back(std::move(curve));
  return curves;
}

}  // namespace

std::string search_between_ends(Run& run, const FinishedTrial& as_is) {
  const Neutralised widest = most_neutralised(run.experiment, run.state.catalogue);
  const Neutralised nothing{strategies::SuspectSet(run.state.catalogue.size())};
  if (widest.none()) return "there is no suspect";
  const bool perturbed = run.experiment.subject.perturb && run.experiment.subject.perturb->switches.empty();
  const int runs = perturbed ? 1 + kRepeats : 1;
  std::vector<judge::Curve> everything =
      curves_of(run, {plan_end(run, widest, "everything neutralised: the other end", runs)});
  std::vector<judge::Curve> subject = whole_curves(as_is.attempts);
  if (everything.empty()) return "the run with everything neutralised gave no curve";
  const configs::Metric& metric = run.experiment.metrics.front();
  const auto contrast =
      judge::Contrast::between(run.experiment.accept, {.name = metric.name, .higher_is_better = metric.higher_is_better},
                               subject.front(), everything.front());
  if (!contrast) return "the run with everything neutralised does not clearly differ from the subject as it is";

  const auto lie_at = [&](std::span<const judge::Curve> curves, Verdict side) {
    return std::ranges::count_if(curves, [&](const judge::Curve& curve) { return contrast->side(curve) == side; });
  };
  const std::string does_not_hold =
      "runs of it, or with everything neutralised, are as far apart in another arithmetic: rounding may explain the "
      "difference";
  if (perturbed) {
    if (std::ssize(subject) <= kRepeats)
      subject = curves_of(run, {plan_end(run, nothing, "the subject as it is once more", runs)});
    const auto held = [&](const std::vector<judge::Curve>& curves, Verdict side) {
      return std::ssize(curves) > kRepeats && lie_at(curves, side) == std::ssize(curves);
    };
    if (!held(subject, Verdict::fail) || !held(everything, Verdict::pass)) return does_not_hold;
  } else {
    std::vector<judge::Curve> as_it_is, neutralised;
    for (int tried = 0; tried < kMostRepeats; tried += kRepeats) {
      for (judge::Curve& curve : curves_of(run, with_one_moved(run, nothing, widest, tried, kRepeats)))
        as_it_is.push_back(std::move(curve));
      for (judge::Curve& curve : curves_of(run, with_one_moved(run, widest, widest, tried, kRepeats)))
        neutralised.push_back(std::move(curve));
      const bool at_once =
          tried == 0 && lie_at(as_it_is, Verdict::fail) == kRepeats && lie_at(neutralised, Verdict::pass) == kRepeats;
      if (at_once) break;
    }
    const auto wanted = [](const std::vector<judge::Curve>& curves) {
      return std::max<std::ptrdiff_t>(kRepeats, std::ssize(curves) - 1);
    };
    if (lie_at(as_it_is, Verdict::fail) < wanted(as_it_is) || lie_at(neutralised, Verdict::pass) < wanted(neutralised))
      return does_not_hold;
  }
  run.state.jury->judge_by(*contrast);
  run.warn(
      fmt::format("the reference does not decide about the subject as it is ({}), so trials are judged by whether they look "
                  "like it or like the run with everything neutralised, which ends {:.2g} % {}: what is found moves the "
                  "run from the one to the other; which of them is right the reference does not say",
                  as_is.judgement.text, 100 * std::abs(contrast->apart()), contrast->apart() > 0 ? "lower" : "higher"));
  return {};
}

}  // namespace bisectd::driver
