#include "driver/loop/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "driver/log/log.hpp"
#include "driver/loop/conclusion.hpp"
#include "driver/loop/controls.hpp"
#include "driver/loop/descent.hpp"
#include "driver/loop/doubts.hpp"
#include "driver/loop/findings.hpp"
#include "driver/loop/first_runs.hpp"
#include "driver/loop/ladders.hpp"
#include "driver/loop/other_fixes.hpp"
#include "driver/loop/run.hpp"
#include "driver/loop/search_phase.hpp"
#include "driver/record/costs.hpp"
#include "driver/record/history.hpp"
#include "driver/trial/attempt_files.hpp"
#include "driver/trial/samples.hpp"
#include "reports/lookup.hpp"
#include "reports/progress.hpp"
#include "reports/result_lines.hpp"

namespace bisectd::driver {

namespace {

/// Warns of those of the subject as it is, unless breaking is what is searched, and of those with the culprit set
/// neutralised.
void warn_of_broken_runs(Run& run) {
  const strategies::Answer& answer = run.state.answer;
  const auto told = [&](const char* whose, auto is_meant) {
    std::size_t runs = 0, breaks = 0;
    std::string last;
    for (const PastTrial& trial : run.state.history.trials) {
      if (!trial.judgement || !is_meant(trial)) continue;
      for (const Attempt& attempt : trial.attempts) {
        if (!attempt.ending || attempt.ending == Ending::lost || attempt.ending == Ending::interrupted) continue;
        ++runs;
        if (!broke(attempt.ending)) continue;
        ++breaks;
        last = attempt.text;
      }
    }
    if (breaks > 0) run.warn(fmt::format("{} of {} runs of {} broke and were made again: {}", breaks, runs, whose, last));
  };
  if (!run.must_only_run())
    told("the subject as it is",
         [](const PastTrial& trial) { return trial.neutralised.none() && is(trial.role, reports::kEvidence); });
  if (answer.state != strategies::State::proved) return;
  const strategies::SuspectSet fix = run.state.catalogue.set_of(answer.culprit_set);
  told("the subject with the culprit set neutralised",
       [&](const PastTrial& trial) { return trial.neutralised == fix && is(trial.role, reports::kEvidence); });
}

/// Runs the whole workaround once if that tells what pruning it wins back and no trial did it, and describes what is left
/// of it. To be called when the conclusion is drawn. Throws Interrupted.
void weigh_workaround(Run& run) {
  const reports::Pruned pruned = pruned_by(run.state.history, *run.state.conclusion);
  if (pruned.over.empty() || !pruned.needed_step_time_s || pruned.in_use_step_time_s) return;
  const strategies::Neutralised all(strategies::SuspectSet(run.state.catalogue.size()).set());
  TrialPlan plan = run.plan_for(Role::other_fix, all, "the whole workaround in use: how fast is it?");
  const auto is_whole = [&](const PastTrial& trial) {
    return trial.role == Role::other_fix && trial.neutralised == plan.neutralised && trial.judgement;
  };
  if (std::ranges::any_of(run.state.history.trials, is_whole)) return;  // without a step time: it broke
  run.run_all(std::move(plan));
}

/// The runs before the search alone may take hours, and their curves are worth a look. A resumed run has reports already.
void show_first_runs(Run& run) {
  if (!run.is_resumed()) run.write_reports();
}

/// The second search, among the parts of what was proved guilty, if the experiment asks for one. Its answer counts only if
/// it is proved; null: it is not.
std::unique_ptr<SearchPhase> search_parts(Run& run, const FinishedTrial& as_is) {
  const std::optional<reports::Descent>& journaled = run.state.history.descent;
  std::optional<reports::Descent> descent = journaled;
  if (!descent) descent = descent_after(run.experiment, run.state.catalogue, run.state.answer);
  if (!descent || run.state.answer.state != strategies::State::proved) return nullptr;
  const auto note = [&](std::string stayed) {
    if (journaled && journaled->stayed == stayed) return;
    descent->stayed = std::move(stayed);
    run.journal.append(descent_record(*descent));
  };
  if (!journaled) descent->first_trial = run.trials.next_number();
  run.state.before_descent = run.state.answer;
  if (descent->suspects.empty()) return note(why_no_parts(run.state.catalogue, descent->opened)), nullptr;
  if (!journaled) note("");
  log::info(reports::descent_line(run.frame()));
  auto parts = std::make_unique<SearchPhase>(run, as_is, 2, descent->suspects);
  if (parts->goes_on()) note("");  // its budget was spent, and there is more now
  parts->search();
  const bool proved = run.state.answer.state == strategies::State::proved;
  note(proved ? "" : run.state.catalogue.with_labels(why_it_stayed(run.state.answer)));
  if (proved) return parts;
  run.state.answer = *run.state.before_descent;
  return nullptr;
}

/// Whether the fix holds for longer than a trial. What it shows is told and changes no answer: nothing of that length was
/// compared with it.
void soak_fix(Run& run) {
  if (!run.experiment.soak || run.state.answer.state != strategies::State::proved) return;
  TrialPlan plan =
      run.plan_for(Role::soak, strategies::Neutralised(run.state.catalogue.set_of(run.state.answer.culprit_set)),
                   fmt::format("does the fix hold to step {}?", run.experiment.soak->value));
  if (!run.state.history.finished && !run.was_begun(plan) && (run.trials_spent() || run.hours_spent()))
    return run.warn(fmt::format("the fix was not run to step {} (soak): the budget is spent", run.experiment.soak->value));
  try {
    run.run_all(std::move(plan));
  } catch (const Infrastructure& error) {  // the answer does not rest on it
    run.warn(fmt::format("the fix was not run to step {} (soak): {}", run.experiment.soak->value, error.what()));
  }
}

void find_answer(Run& run) {
  if (!run.must_only_run()) {
    if (!check_sides(run)) return;
    seat_jury(run, run_reference(run));
    show_first_runs(run);
  }
  const auto as_is = run.must_only_run() ? measure_running(run) : measure_subject(run);
  if (!as_is) return;
  show_first_runs(run);
  climb_ladders(run);
  log::info(reports::phase_line(run.frame(), Role::search));
  SearchPhase first(run, *as_is, 1, first_scope(run.experiment, run.state.catalogue));
  first.search();
  const std::unique_ptr<SearchPhase> parts = search_parts(run, *as_is);
  if (run.state.history.finished && run.state.history.conclusion->answer.state == strategies::State::proved)
    run.state.answer = run.state.history.conclusion->answer;
  compare_fixes(run, parts ? *parts : first);
  control_watching(run);
  control_answer(run);
  control_outside(run);
  soak_fix(run);
  doubt_answer(run);
  const Base base{run.sides.subject.environment, run.state.rungs, run.sides.subject.inherited};
  const std::filesystem::path files = run.directory.workaround_files();
  run.state.conclusion =
      conclude(run.state.answer, run.experiment, run.state.catalogue, base, without_effect(run), files, run.state.exact);
  if (run.state.answer.state == strategies::State::outside_suspects)
    run.state.conclusion->advice.insert(0, doubt_of_everything(run.record(), run.experiment));
  const bool proved = run.state.answer.state == strategies::State::proved;
  if (!proved && !reports::passing_fix(run.state.answer)) return;
  if (proved && run.state.jury) describe_fix(run.experiment, run.directory, run.state, run.state.jury->first());
  const neutralise::Recipe fix = recipe_of_fix(run.state.answer, run.experiment, run.state.catalogue, base, files);
  if (fix.files.empty()) return;
  std::filesystem::create_directories(files);
  write_recipe_files(files, fix);
}

/// The end of the run, as the journal keeps it.
void journal_conclusion(Run& run) {
  Conclusion& conclusion = *run.state.conclusion;
  conclusion.warnings.insert(conclusion.warnings.begin(), run.state.warnings.begin(), run.state.warnings.end());
  conclusion.agreed_checks = run.state.agreed_checks;
  run.journal.append(finished_record(conclusion, run.now_s()));
  run.state.concluded = true;
}

}  // namespace

reports::Record run_loop(Run& run) {
  try {
    find_answer(run);
    if (!run.state.history.finished && run.state.conclusion) warn_of_broken_runs(run);
    if (run.state.history.prune) weigh_workaround(run);
    if (!run.state.history.finished) journal_conclusion(run);
  } catch (const Infrastructure& error) {
    run.stop_all(error.what());
    run.journal.append(session_record(run.now_s(), error.what(), error.trial()));
  } catch (...) {
    run.write_final_reports();
    throw;
  }
  return run.write_final_reports();
}

TriedByHand run_one_trial(Run& run, const std::vector<configs::MemberLabel>& off) {
  if (!run.must_only_run()) seat_jury(run, run_reference(run));
  run.state.catalogue = neutralise::make_catalogue(run.experiment, {}, {});
  run.journal.append(catalogue_record(run.state.catalogue, false));  // for their names: no search follows
  strategies::Neutralised neutralised{strategies::SuspectSet(run.state.catalogue.size())};
  for (const configs::MemberLabel& member : off) {
    const bool ladder = run.experiment.families.at(member.family).kind == configs::FamilyKind::ladder;
    if (const auto id = run.state.catalogue.find(member.family, ladder ? member.family : member.name)) neutralised.set(*id);
  }
  const Role role = neutralised.none() ? Role::as_is : Role::by_hand;
  run.start_or_go_on(run.plan_for(role, neutralised, "named by a person"));
  const FinishedTrial finished = std::move(run.wait().front());
  TriedByHand tried{.frame = run.frame(), .trial = shown_trial(run.state.history.trials.back(), run.state)};
  for (std::string& note : notes_without_effect(run, finished)) tried.trial.notes.push_back(std::move(note));
  return tried;
}

}  // namespace bisectd::driver
