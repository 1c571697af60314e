#include "driver/loop/first_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "configs/printable.hpp"
#include "driver/baseline/recorded_curve.hpp"
#include "driver/judge/length.hpp"
#include "driver/judge/preflight.hpp"
#include "driver/judge/reference.hpp"
#include "driver/judge/running.hpp"
#include "driver/log/log.hpp"
#include "driver/loop/conclusion.hpp"
#include "driver/loop/contrast_ends.hpp"
#include "driver/loop/controls.hpp"
#include "driver/loop/doubts.hpp"
#include "driver/loop/discovery.hpp"
#include "driver/loop/problem.hpp"
#include "driver/read/logged_values.hpp"
#include "driver/record/record_curves.hpp"
#include "driver/trial/attempt_files.hpp"
#include "driver/trial/unread_metric.hpp"

namespace bisectd::driver {
namespace {

using strategies::Verdict;

/// Runs of a subject that need only run, all to their end, before there is "nothing to find": one that breaks in half of its
/// runs is missed once in 32 times, one that breaks in 30 % of them once in 6.
constexpr int kRunsThatShowNothing = 5;

/// Trials of the subject as it is that must break, of up to two runs each, before what breaks it is searched. After one
/// trial 7 of 15 proofs were wrong where two suspects each broke 70 % of the runs (made-up searches; 5 of 44 with one
/// suspect).
constexpr int kTrialsThatBreak = 3;

/// A NaN, or a loss scale that ends lower than it began, whatever the verdict rests on.
bool overflows(const judge::Judgement& judgement, const judge::Curve& curve) {
  const auto scale = curve.series.find(judge::kLossScale);
  const bool fell =
      scale != curve.series.end() && !scale->second.empty() && scale->second.back().value < scale->second.front().value;
  return fell || judgement.reason == "overflow" || judgement.reason.ends_with("nan");
}

/// Has the framework name the first operator with an inf or a nan; said, and no evidence: where it shows is not what caused
/// it.
void find_first_overflow(Run& run) {
  const auto& check = run.experiment.overflow_check;
  if (!check) return;
  for (const FinishedTrial& finished :
       run.run_all(run.plan_for(Role::overflow_check, {}, "which operator gives the first inf or nan"))) {
    const std::vector<std::string> first =
        read::logged_values(log_files(run.experiment.subject, finished.attempts.back().folder), check->first.value, 1);
    const std::string where = fmt::format("the framework's own check (trial {})", finished.plan.number);
    const AttemptOutcome& last = finished.attempts.back();
    if (first.empty())
      run.warn(fmt::format("the subject overflows, and {} {}names no operator (see {})", where,
                           broke(last.ending) ? "broke and " : "", run.directory.relative(last.folder)));
    else
      run.warn(fmt::format("{} is the first operator with an inf or a nan, by {}; what it was given may be the cause",
                           configs::printable(first.front()), where));
  }
}

void warn_of_smoothing(Run& run, const judge::Curve& curve) {
  for (const auto& [metric, smoothing] : curve.smoothing)
    if (smoothing.window.value_or(1) > 1)
      run.warn(fmt::format("{}: {}, here {}; spikes and single NaNs vanish in that: set it to 1", metric, smoothing.text,
                           *smoothing.window));
}

/// What stands in the way of a verdict, if anything; lesser findings become warnings. What fails in spite of the noise can
/// be searched in spite of it: repeats cost trials, and the budget says how many.
std::optional<std::string> why_undecidable(Run& run, Verdict subject) {
  std::optional<std::string> first_error;
  for (const judge::Finding& finding : run.state.jury->findings()) {
    std::string text = finding.text;
    for (const std::string& option : finding.options) text += "; " + option;
    const bool stops = finding.error && !(finding.code == "too-noisy" && subject == Verdict::fail);
    stops ? log::error("error: " + text) : log::warning("warning: " + text);
    run.state.warnings.push_back(text);
    if (stops && !first_error) first_error = text;
  }
  return first_error;
}

void require_all_metrics(const Run& run, const AttemptOutcome& attempt) {
  for (const auto& [metric, step] : run.state.jury->last_steps())
    if (!attempt.curve.series.contains(metric))
      throw Infrastructure(fmt::format("the reference logs \"{}\", the subject does not (see {}): the metric's format or "
                                       "pattern must fit both",
                                       metric, attempt.folder.string()),
                           attempt.trial);
}

/// A short command of the user's that must succeed before anything is trained.
auto before_the_night(auto ask) {
  try {
    return ask();
  } catch (const std::runtime_error& error) {
    throw Infrastructure(error.what());
  }
}

}  // namespace

Facts logged_reference_facts(const configs::Experiment& experiment, const std::filesystem::path& attempt) {
  if (!experiment.reference.is_recorded()) return facts_in_logs(experiment, experiment.reference, attempt);
  RecordedReference recorded = recorded_reference(experiment);
  if (!recorded.from_logs) return std::move(recorded.facts);
  const std::vector<std::filesystem::path> files{experiment.reference.curves.front().value};
  return facts_in_files(experiment, files, 0);
}

bool check_sides(Run& run) {
  const configs::Experiment& experiment = run.experiment;
  const Facts recorded = experiment.reference.is_recorded() ? recorded_reference(experiment).facts : Facts{};
  std::vector<std::string> differences = run.state.history.differing_commands.value_or(std::vector<std::string>{});
  const bool any =
      std::ranges::any_of(experiment.checks, [](const configs::Check& check) { return !check.command.empty(); });
  if (any && !run.state.history.differing_commands) {
    differences = before_the_night([&] {
      const auto facts = [&](const LaunchSide& side, SideName name) {
        return facts_of_commands(experiment, side, name, run.launcher, run.directory.folder() / "checks",
                                 run.state.history.run_tag + "/checks");
      };
      const Facts reference =
          experiment.reference.is_recorded() ? recorded : facts(run.sides.reference, SideName::reference);
      return differing_commands(experiment, reference, facts(run.sides.subject, SideName::subject));
    });
    run.journal.append(checks_record(differences));
  }
  if (!differences.empty()) run.state.conclusion = conclude_unequal(differences);
  return differences.empty();
}

std::optional<FinishedTrial> run_reference(Run& run) {
  if (run.experiment.reference.is_recorded()) return std::nullopt;
  FinishedTrial finished = std::move(run.run_all(run.plan_for(Role::reference, {}, "the trusted side")).front());
  const AttemptOutcome& whole = plain_attempt(finished.attempts);
  if (!can_be_judged(whole))
    throw Infrastructure(fmt::format("the reference gave no curve: {} (see {})", finished.judgement.text,
                                     run.directory.relative(finished.attempts.back().folder)),
                         finished.plan.number);
  run.state.reference_attempt = whole.folder;
  return finished;
}

std::vector<judge::Curve> seat_jury(Run& run, const std::optional<FinishedTrial>& finished) {
  const configs::Experiment& experiment = run.experiment;
  std::vector<judge::Curve> curves;
  if (finished) {
    curves = whole_curves(finished->attempts);
  } else {
    RecordedReference recorded = recorded_reference(experiment);
    curves = std::move(recorded.curves);
    if (!recorded.doubt.empty()) run.warn(recorded.doubt);
  }
  const auto refuse = [&](judge::Problem problem) {
    if (finished && problem.code == judge::kNoCurve)
      if (std::string advice = how_to_read(experiment.metrics, experiment.reference, finished->attempts.front());
          !advice.empty())
        problem.hint = std::move(advice);
    throw finished ? Infrastructure(judge::unusable_text(problem), finished->plan.number)
                   : Infrastructure(judge::unusable_text(problem));
  };
  if (const auto problem = judge::too_short(curves, experiment.metrics.front().name, experiment.steps)) refuse(*problem);
  auto jury = judge::Jury::seat(experiment.accept, judge::judged_metrics(experiment.metrics), curves);
  if (!jury) refuse(jury.error());
  run.state.jury = std::move(*jury);
  describe_reference(run.state.comparison, run.state.jury->first());
  return curves;
}

TrialPlan plan_as_is(const Run& run) {
  return run.plan_for(Role::as_is, {},
                      run.must_only_run() ? "nothing neutralised: this must break" : "nothing neutralised: this must fail");
}

namespace {

/// The subject with nothing neutralised, and beside it the run that shows which members it uses.
struct FirstRuns {
  std::optional<FinishedTrial> subject, discovery;
  neutralise::Discovered named;  ///< by the framework
};

FirstRuns run_subject(Run& run) {
  FirstRuns runs;
  if (!run.state.history.catalogue) runs.named = query(run);  // before anything long: it may fail
  std::vector<TrialPlan> plans{plan_as_is(run)};
  if (!families_seen_in_a_run(run.experiment).empty()) plans.push_back(plan_discovery(run));
  for (FinishedTrial& finished : run.run_all(std::move(plans)))
    (finished.plan.role == Role::as_is ? runs.subject : runs.discovery) = std::move(finished);
  return runs;
}

[[noreturn]] void refuse_to_go_on(Run& run, const FinishedTrial& subject) {
  const AttemptOutcome& broken = last_broken(subject.attempts);
  std::string text = fmt::format("the subject as it is gives no verdict: {} (see {})", subject.judgement.text,
                                 run.directory.relative(broken.folder));
  if (!run.must_only_run() && broke(broken.ending))
    text += fmt::format(". To search for what breaks it, write `accept: {{goal: runs}}` and `steps: {}`, and run with --new",
                        run.experiment.steps.value_or(run.state.jury->first().last_step()));
  if (subject.judgement.reason == "truncated" && !run.must_only_run())
    text += fmt::format(
        "; the subject ends before its reference does: let both sides train and log as many steps, or write "
        "`steps: {}`, and run with --new",
        *broken.last_step);
  if (subject.judgement.reason == judge::kNoCurve)
    if (const std::string advice = how_to_read(run.experiment.metrics, run.experiment.subject, broken); !advice.empty())
      text += "; " + advice;
  throw Infrastructure(text, subject.plan.number);
}

/// No search is needed, or none can be made.
std::nullopt_t end_with(Run& run, Conclusion conclusion) {
  run.state.conclusion = std::move(conclusion);
  return std::nullopt;
}

/// Runs the subject as it is some times more. Empty if it always came to its end, else how often it broke. Throws
/// Interrupted, Infrastructure.
std::string how_often_it_breaks(Run& run, const FinishedTrial& first) {
  const auto failed = [](const FinishedTrial& trial) {
    return trial.judgement.verdict == Verdict::fail ||
           std::ranges::any_of(trial.attempts, [](const AttemptOutcome& attempt) { return broke(attempt.ending); });
  };
  if (failed(first)) return "in one of its first runs";
  std::vector<TrialPlan> plans;
  for (int more = 2; more <= kRunsThatShowNothing; ++more)
    plans.push_back(run.plan_for(Role::as_is, {}, fmt::format("it ran to its end: does it always? (run {})", more)));
  const std::vector<FinishedTrial> finished = run.run_all(std::move(plans));
  const auto breaks = std::ranges::count_if(finished, failed);
  return breaks == 0 ? "" : fmt::format("in {} of {} runs", breaks, kRunsThatShowNothing);
}

/// Runs the subject as it is, which broke, some times more: a set that comes to its end clears what is active in it, so that
/// a search is worth nothing where the subject only breaks most of the time. Empty if it always broke. Throws as above.
std::string how_often_it_ends(Run& run) {
  std::vector<TrialPlan> plans;
  for (int more = 2; more <= kTrialsThatBreak; ++more)
    plans.push_back(run.plan_for(Role::as_is, {}, fmt::format("it broke: does it always? (trial {})", more)));
  const auto ended = [](const FinishedTrial& trial) {  // also after a run that broke
    return trial.judgement.verdict == Verdict::pass || trial.judgement.verdict == Verdict::inconclusive;
  };
  const std::vector<FinishedTrial> finished = run.run_all(std::move(plans));
  const auto ends = std::ranges::count_if(finished, ended);
  return ends == 0 ? "" : fmt::format("in {} of {} trials", kTrialsThatBreak - ends, kTrialsThatBreak);
}

}  // namespace

std::optional<FinishedTrial> measure_running(Run& run) {
  FirstRuns runs = run_subject(run);
  const judge::Judgement& judgement = runs.subject->judgement;
  if (judgement.verdict == Verdict::unresolved) refuse_to_go_on(run, *runs.subject);
  if (judgement.verdict == Verdict::pass) {
    if (const std::string sometimes = how_often_it_breaks(run, *runs.subject); !sometimes.empty())
      return end_with(run, conclude_breaking_sometimes(sometimes));
    if (run.state.history.prune) list_suspects(run, std::move(runs.named), std::move(runs.discovery));
    return end_with(run, conclude_aligned(run.experiment));
  }
  if (const std::string sometimes = how_often_it_ends(run); !sometimes.empty())
    return end_with(run, conclude_breaking_sometimes(sometimes));
  if (overflows(judgement, runs.subject->attempts.back().curve)) find_first_overflow(run);
  list_suspects(run, std::move(runs.named), std::move(runs.discovery));
  run.state.as_is_names = runs.subject->attempts.back().names;
  return std::move(runs.subject);
}

std::optional<FinishedTrial> measure_subject(Run& run) {
  auto [subject, discovery, named] = run_subject(run);
  const judge::Judgement& judgement = subject->judgement;
  const AttemptOutcome& last = plain_attempt(subject->attempts);
  if (judgement.verdict == Verdict::unresolved) refuse_to_go_on(run, *subject);
  const std::vector<judge::Curve> repeats = whole_curves(subject->attempts);
  if (repeats.empty())  // of a resumed run: the logs are not any more what they were when they were judged
    throw Infrastructure(fmt::format("the subject as it is left no curve that can be read: {} (see {})",
                                     last.errors.empty() ? last.text : last.errors.front(), last.folder.string()),
                         subject->plan.number);
  require_all_metrics(run, last);
  if (const auto differing = differing_devices(run, *subject)) return end_with(run, conclude_devices_differ(*differing));
  run.state.jury->learn_identical(identical_repeats(repeats));
  run.state.jury->learn_subject(repeats, judge::AlreadyLearnt::yes);
  run.state.jury->set_signature_steps(static_cast<std::size_t>(run.experiment.search.signature_steps));
  describe_subject(run.state.comparison, run.experiment.metrics.front().name, run.state.jury->first(), last.curve,
                   SubjectCurve::as_is);
  const Facts trusted = logged_reference_facts(run.experiment, run.state.reference_attempt);
  const Facts seen = facts_in_logs(run.experiment, run.experiment.subject, last.folder);
  if (const auto differences = differing_logs(run.experiment, trusted, seen); !differences.empty())
    return end_with(run, conclude_unequal(differences));
  for (const std::string& line : one_sided_logs(run.experiment, trusted, seen)) run.warn("checks." + line);
  for (const configs::Check& check : run.experiment.checks)
    if (is_compared(check, trusted, seen)) run.state.agreed_checks.push_back(check.name);
  warn_of_smoothing(run, last.curve);
  for (const judge::Panel& panel : run.state.jury->panels())
    if (const auto behind = judge::uncovered(panel.whole(), last.curve)) {
      if (behind->not_finite) return end_with(run, conclude_undecidable(behind->text));
      run.warn(behind->text);
    }
  if (const auto why = why_undecidable(run, judgement.verdict)) return end_with(run, conclude_undecidable(*why));
  if (judgement.verdict == Verdict::pass) {
    if (run.state.history.prune)
      list_suspects(run, std::move(named), std::move(discovery));  // they are what is no longer needed
    return end_with(run, conclude_aligned(run.experiment));
  }
  if (judgement.verdict == Verdict::fail)
    if (const auto how = mended_by_watching(run, discovery))
      return end_with(run, conclude_mended_by_watching(*how, run.experiment));
  if (judgement.verdict == Verdict::fail && judgement.reason == "level")
    run.state.jury->compare_with_failing(last.curve, judgement.p_bad);
  if (overflows(judgement, last.curve)) find_first_overflow(run);
  list_suspects(run, std::move(named), std::move(discovery));
  run.state.as_is_names = last.names;
  if (judgement.verdict == Verdict::inconclusive) {
    if (judgement.reason == "misnumbered") return end_with(run, conclude_hidden(judgement, run.experiment, ""));
    if (const std::string why = search_between_ends(run, *subject); !why.empty())
      return end_with(run, conclude_hidden(judgement, run.experiment, why));
    subject->judgement = run.state.jury->judge(std::span(repeats).first(1));
    run.state.exact = false;  // a place between the ends is measured, and may be undecided
  }
  return std::move(subject);
}

}  // namespace bisectd::driver
