#include "driver/loop/loop.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/log/log.hpp"
#include "driver/loop/both_ends.hpp"
#include "driver/loop/conclusion.hpp"
#include "driver/loop/search_phase.hpp"
#include "driver/loop/ladders.hpp"
#include "driver/loop/other_fixes.hpp"
#include "driver/loop/problem.hpp"
#include "driver/loop/pruning.hpp"
#include "driver/record/costs.hpp"
#include "driver/record/record_curves.hpp"
#include "driver/record/record_keeping.hpp"
#include "driver/trial/attempt_files.hpp"
#include "reports/lookup.hpp"
#include "reports/progress.hpp"

namespace bisectd::driver {
namespace {

void cannot_go_on(Run& run, const Infrastructure& error) {
  run.record.outcome = reports::Outcome::infrastructure;
  run.record.advice = error.what();
}

/// The curve of the fix is read again: it may have been judged by an earlier bisectd, or long before it was known to be
/// the fix.
void show_fix(Run& run) {
  const reports::Trial* fix = reports::fix_trial(run.record);
  if (!run.state.jury || run.state.answer.state != strategies::State::proved || !fix || fix->attempts.empty()) return;
  const auto folder = run.directory.folder() / fix->attempts.back().folder;
  describe_subject(run.record, run.state.jury->first(),
                   logged_curve(run.experiment.subject, folder, run.experiment.metrics, fix->attempts.back().perturbed),
                   SubjectCurve::fix);
}

/// The runs before the search alone may take hours, and their curves are worth a look. A resumed run has reports already,
/// of more than it has gone through again by then.
void show_first_runs(Run& run) {
  if (run.state.past.trials.empty()) run.write_reports(false);
}

/// What the fix costs in speed, and whether another one costs less.
void compare_fixes(Run& run, SearchPhase& search, bool exact) {
  reports::Record& record = run.record;
  const auto problem = problem_of(run.experiment, run.state.catalogue, run.sides.subject.pool->size(), exact);
  const auto describe = [&] {
    const auto others = other_fixes(run.state.answer, problem);
    describe_costs(record, others);
    return others;
  };
  while (true) {
    const auto others = describe();
    if (run.state.answer.state != strategies::State::proved || search.budget_spent()) return;
    const auto tried = try_other_fixes(run, others);
    describe();
    if (!search.hear(tried)) break;
  }
  if (run.state.past.finished) return;
  const bool fastest = run.experiment.search.fix == configs::FixChoice::fastest;
  const auto better = fastest ? faster_fix(record) : fix_within_step_time(record);
  if (!better) return;
  search.prefer(*better);
  describe();
}

/// Whether the fix holds for longer than a trial. What it shows is told and changes no answer: nothing of that length was
/// compared with it.
void soak_fix(Run& run, const SearchPhase& search) {
  if (!run.experiment.soak || run.state.answer.state != strategies::State::proved) return;
  TrialPlan plan = run.plan_for(Role::soak, run.state.catalogue.set_of(run.state.answer.culprit_set),
                                fmt::format("does the fix hold to step {}?", run.experiment.soak->value));
  const bool begun = run.was_begun(plan);
  if (run.state.past.finished && !begun) return;
  if (!begun && search.budget_spent())
    return run.warn(fmt::format("the fix was not run to step {} (soak): the budget is spent", run.experiment.soak->value));
  log::info(reports::phase_line(run.record, name_of(Role::soak)));
  run.start_or_go_on(std::move(plan));
  try {
    run.wait_for_all();
  } catch (const Infrastructure& error) {  // the answer does not rest on it
    run.warn(fmt::format("the fix was not run to step {} (soak): {}", run.experiment.soak->value, error.what()));
  }
}

void find_answer(Run& run) {
  if (!run.must_only_run()) {
    if (!check_sides(run)) return;
    measure_reference(run);
    show_first_runs(run);
  }
  const auto as_is = run.must_only_run() ? measure_running(run) : measure_subject(run);
  if (!as_is) return;
  show_first_runs(run);
  climb_ladders(run);
  SearchPhase search(run, *as_is);
  search.run();
  compare_fixes(run, search, as_is->exact);
  soak_fix(run, search);
  show_fix(run);
  const std::filesystem::path files = run.directory.workaround_files();
  const neutralise::Recipe fix = conclude(run.record, run.experiment, run.state.catalogue,
                                          {run.sides.subject.environment, run.state.rungs}, search.without_effect(), files);
  if (fix.files.empty()) return;
  std::filesystem::create_directories(files);
  write_recipe_files(files, fix);
}

/// Without a run with nothing neutralised beside it, only a missing trace shows.
void note_without_effect(Run& run, const FinishedTrial& finished) {
  const AttemptOutcome& attempt = finished.attempts.back();
  const strategies::SuspectSet& off = finished.plan.neutralised;
  SeenNames nothing;
  nothing.in_log.resize(attempt.names.in_log.size());
  nothing.in_files.resize(attempt.names.in_files.size());
  const auto silent = (off & run.input.watch.shows_effect(run.state.catalogue)) -
                      run.input.watch.shown_off(run.state.catalogue, off, nothing, {attempt.names, can_be_judged(attempt)});
  if (silent.any() && can_be_judged(attempt))
    trial_of(run.record, finished.plan.number)
        .notes.push_back("no trace that this is off: " + run.state.catalogue.labels(silent, silent.count()));
}

}  // namespace

const reports::Record& run_loop(Run& run) {
  try {
    find_answer(run);
    if (run.state.past.prune) weigh_workaround(run);
    if (run.state.past.finished) {
      run.record.warnings = run.state.past.conclusion->warnings;  // some tell of what is not tried again
    } else {
      // From here on the run's time stands still, as it will when it is shown again.
      run.state.past.elapsed_s = run.record.elapsed_s = run.now_s();
      run.journal.append(finished_record(run.record));
      run.state.past.finished = run.state.concluded = true;
    }
  } catch (const Infrastructure& error) {
    cannot_go_on(run, error);
    run.journal.append(session_record(run.now_s(), error.what(), error.trial()));
  } catch (...) {
    run.write_reports(true);
    throw;
  }
  run.write_reports(true);
  return run.record;
}

const reports::Record& run_one_trial(Run& run, const std::vector<configs::MemberLabel>& off) {
  try {
    if (!run.must_only_run()) measure_reference(run);
    run.state.catalogue = neutralise::make_catalogue(run.experiment, {}, {});
    for (const neutralise::Member& member : run.state.catalogue.members())
      run.record.suspects.push_back({member.family, member.name});
    strategies::SuspectSet neutralised(run.state.catalogue.size());
    for (const configs::MemberLabel& member : off) {
      const bool ladder = run.experiment.families.at(member.family).kind == configs::FamilyKind::ladder;
      if (const auto id = run.state.catalogue.find(member.family, ladder ? member.family : member.name))
        neutralised.set(*id);
    }
    const Role role = neutralised.none() ? Role::as_is : Role::by_hand;
    run.start_or_go_on(run.plan_for(role, neutralised, "named by a person"));
    for (const FinishedTrial& finished : run.wait_for_all()) note_without_effect(run, finished);
  } catch (const Infrastructure& error) {
    cannot_go_on(run, error);
  }
  return run.record;
}

}  // namespace bisectd::driver
