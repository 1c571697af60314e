#include "driver/loop/pilot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "driver/checks/checks.hpp"
#include "driver/loop/first_runs.hpp"
#include "driver/trial/samples.hpp"
#include "driver/trial/unread_metric.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {
namespace {

using Mark = PilotLine::Mark;

const judge::Series* series_of(const judge::Curve& curve, const std::string& metric) {
  const auto found = curve.series.find(metric);
  return found == curve.series.end() || found->second.empty() ? nullptr : &found->second;
}

/// What the runs of one side showed by themselves.
void tell_runs(const Run& run, const char* side, const FinishedTrial& trial, Pilot& result) {
  const auto say = [&](Mark mark, const std::string& what) {
    result.lines.push_back({mark, fmt::format("{}: {}", side, what)});
  };
  const std::string& metric = run.experiment.metrics.front().name;
  const AttemptOutcome& shown = plain_attempt(trial.attempts);
  const judge::Series* series = series_of(shown.curve, metric);
  const bool breaks_to_be_explained = run.must_only_run() && trial.judgement.verdict == strategies::Verdict::fail;
  if (!can_be_judged(shown)) {
    const std::string text = shown.errors.empty() ? shown.text : shown.errors.front();
    if (breaks_to_be_explained) return say(Mark::ok, "it breaks, which a search is to explain: " + text);
    return say(Mark::error, text);
  }
  if (!series) {
    const std::string advice = how_to_read(run.experiment.metrics, *trial.plan.side->settings, shown);
    return say(Mark::error, fmt::format("it ended well, but logged no {}{}{}", metric, advice.empty() ? "" : "; ", advice));
  }
  say(Mark::ok, fmt::format("{} points in {}, the last is step {}: {} {:g}", series->size(),
                            reports::duration_text(shown.duration_s), series->back().step, metric, series->back().value));
  for (const std::string& said : shown.said_of_log) say(Mark::ok, said);
  if (breaks_to_be_explained)
    say(Mark::warning, fmt::format("so it does not run, which a search is to explain: {}", trial.judgement.text));
  for (const std::string& note : shown.notes) say(Mark::warning, note);
  for (const AttemptOutcome& attempt : trial.attempts)
    if (!can_be_judged(attempt) && !attempt.perturbed)
      say(Mark::warning, fmt::format("a run of it broke: {}", attempt.text));
  if (const auto& perturb = trial.plan.side->settings->perturb)
    for (const OddPerturbation& odd : odd_perturbations(trial.attempts, *perturb, side, metric))
      result.lines.push_back({Mark::warning, odd.text});
}

/// What the patterns of `checks` find. Whether that tells of the batch or of the learning rate; also where nobody asked.
bool compare_logs(const configs::Experiment& experiment, const Facts& trusted, const Facts& seen, Pilot& result) {
  const auto differences = differing_logs(experiment, trusted, seen);
  for (const std::string& difference : differences) result.lines.push_back({Mark::error, "checks." + difference});
  result.unequal = !differences.empty();
  for (const std::string& line : one_sided_logs(experiment, trusted, seen))
    result.lines.push_back({Mark::warning, "checks." + line});
  std::vector<std::string> nowhere;
  for (const configs::Check& check : experiment.checks) {
    if (check.patterns.empty()) continue;
    if (!trusted.contains(check.name) && !seen.contains(check.name)) nowhere.push_back(check.name);
    else if (differences.empty() && is_compared(check, trusted, seen))
      result.lines.push_back({Mark::ok, fmt::format("checks.{}: the logs agree", check.name)});
  }
  if (!nowhere.empty())
    result.lines.push_back({Mark::ok, fmt::format("checks: neither log says anything of {}", fmt::join(nowhere, ", "))});
  const auto tells = [&](const configs::Check& check) {
    const bool meant = check.name.find("batch") != std::string::npos || check.name == "learning_rate";
    return meant && is_compared(check, trusted, seen);
  };
  return std::ranges::none_of(experiment.checks, &configs::Check::standard) || std::ranges::any_of(experiment.checks, tells);
}

/// Where both sides print it with their values.
void compare_learning_rates(const judge::Curve& trusted, const judge::Curve& seen, Pilot& result) {
  constexpr double kPrinted = 2e-3;  // what three printed digits hide
  const judge::Series *there = series_of(trusted, "learning_rate"), *here = series_of(seen, "learning_rate");
  if (!there || !here) return;
  std::map<std::int64_t, double> wanted;
  for (const judge::Point& point : *there) wanted[point.step] = point.value;
  std::size_t compared = 0;
  for (const judge::Point& point : *here) {
    const auto at = wanted.find(point.step);
    if (at == wanted.end()) continue;
    ++compared;
    if (std::abs(point.value - at->second) <= kPrinted * std::abs(at->second)) continue;
    result.lines.push_back({Mark::warning, fmt::format("checks: the learning rate is {:g} at step {} of the reference, and "
                                                       "{:g} of the subject",
                                                       at->second, point.step, point.value)});
    return;
  }
  if (compared > 0)
    result.lines.push_back({Mark::ok, fmt::format("checks: the learning rates agree at {} steps", compared)});
}

/// Two trainings that begin alike see the same data and the same initial parameters, whatever their logs say.
void compare_first_step(const configs::Experiment& experiment, const judge::Curve& trusted, const judge::Curve& seen,
                        Pilot& result) {
  const std::string& metric = experiment.metrics.front().name;
  const judge::Series *there = series_of(trusted, metric), *here = series_of(seen, metric);
  if (!there || !here) return;
  const judge::Point &a = there->front(), &b = here->front();
  const double apart = std::abs(b.value - a.value) / std::max(std::abs(a.value), 1e-30);
  const bool alike = a.step == b.step && apart <= experiment.accept.target;
  result.lines.push_back(
      {alike ? Mark::ok : Mark::warning,
       fmt::format("checks: neither log says anything of batch and learning rate, so the first {0} is compared: {1:g} at "
                   "step {2}, {3:g} at step {4} of the subject, {5:.2g} % apart{6}",
                   metric, a.value, a.step, b.value, b.step, 100 * apart,
                   alike ? "" : ": other data, another batch, other initial parameters, or a fault in the first step")});
}

void compare_sides(const Run& run, const judge::Curve& trusted, const FinishedTrial& as_is, Pilot& result) {
  const AttemptOutcome& shown = plain_attempt(as_is.attempts);
  const bool logs_tell = compare_logs(run.experiment, logged_reference_facts(run.experiment, run.state.reference_attempt),
                                      facts_in_logs(run.experiment, run.experiment.subject, shown.folder), result);
  compare_learning_rates(trusted, shown.curve, result);
  if (!logs_tell) compare_first_step(run.experiment, trusted, shown.curve, result);
}

void run_sides(Run& run, Pilot& result) {
  std::vector<judge::Curve> trusted;
  if (!run.must_only_run()) {
    const auto reference = run_reference(run);
    if (reference) tell_runs(run, "reference", *reference, result);
    trusted = seat_jury(run, reference);
  }
  const FinishedTrial as_is = std::move(run.run_all(plan_as_is(run)).front());
  tell_runs(run, "subject", as_is, result);
  const std::vector<judge::Curve> seen = whole_curves(as_is.attempts);
  if (run.must_only_run() || seen.empty()) return;
  const auto findings = pilot_findings(run.experiment, *run.state.jury, seen, as_is.judgement);
  result.lines.insert(result.lines.end(), findings.begin(), findings.end());
  compare_sides(run, trusted.front(), as_is, result);
}

}  // namespace

Pilot run_pilot(Run& run) {
  Pilot result;
  try {
    run_sides(run, result);
    run.journal.append(session_record(run.now_s(), "", std::nullopt));
  } catch (const Infrastructure& error) {
    run.stop_all(error.what());
    run.journal.append(session_record(run.now_s(), error.what(), error.trial()));
    result.lines.push_back({Mark::error, error.what()});
  }
  run.write_final_reports();
  return result;
}

}  // namespace bisectd::driver
