#include "driver/loop/loop.hpp"

#include <nlohmann/json.hpp>

#include "driver/loop/both_ends.hpp"
#include "driver/loop/conclusion.hpp"
#include "driver/loop/hunt.hpp"
#include "driver/loop/ladders.hpp"
#include "driver/loop/other_fixes.hpp"
#include "driver/loop/problem.hpp"
#include "driver/loop/pruning.hpp"
#include "driver/record/costs.hpp"
#include "driver/record/record_curves.hpp"
#include "driver/record/record_keeping.hpp"
#include "driver/trial/attempt_files.hpp"
#include "reports/lookup.hpp"

namespace bisectd::driver {
namespace {

void cannot_go_on(Night& night, const Infrastructure& error) {
  night.record.outcome = reports::Outcome::infrastructure;
  night.record.advice = error.what();
}

/// The curve of the fix is read again: it may have been judged by an earlier bisectd, or long before it was known to be
/// the fix.
void show_fix(Night& night) {
  const reports::Trial* fix = reports::fix_trial(night.record);
  if (!night.jury || night.record.answer.state != strategies::State::proved || !fix || fix->attempts.empty()) return;
  const auto folder = night.directory.folder() / fix->attempts.back().folder;
  describe_subject(night.record, night.jury->first(),
                   logged_curve(night.experiment.subject, folder, night.experiment.metrics, fix->attempts.back().perturbed), Shown::fix);
}

/// The runs before the search alone may take hours, and their curves are worth a look. A resumed run has reports already,
/// of more than it has gone through again by then.
void show_first_runs(Night& night) {
  if (night.past.trials.empty()) night.write_reports(false);
}

/// What the fix costs in speed, and whether another one costs less.
void compare_fixes(Night& night, Hunt& hunt, bool exact) {
  reports::Record& record = night.record;
  const auto problem = problem_of(night.experiment, night.catalogue, night.sides.subject.pool->size(), exact);
  const auto describe = [&] {
    const auto others = other_fixes(record.answer, problem);
    describe_costs(record, others);
    return others;
  };
  while (true) {
    const auto others = describe();
    if (record.answer.state != strategies::State::proved || hunt.budget_spent()) return;
    const auto tried = try_other_fixes(night, others);
    describe();
    if (!hunt.hear(tried)) break;
  }
  if (night.experiment.search.fix != configs::FixChoice::fastest || night.past.finished) return;
  if (const auto fix = faster_fix(record)) hunt.prefer(*fix);
  describe();
}

void find_answer(Night& night) {
  if (!night.must_only_run()) {
    if (!check_sides(night)) return;
    measure_reference(night);
    show_first_runs(night);
  }
  const auto as_is = night.must_only_run() ? measure_running(night) : measure_subject(night);
  if (!as_is) return;
  show_first_runs(night);
  climb_ladders(night);
  Hunt hunt(night, *as_is);
  hunt.run();
  compare_fixes(night, hunt, as_is->exact);
  show_fix(night);
  const std::filesystem::path files = night.directory.workaround_files();
  const neutralise::Recipe fix = conclude(night.record, night.experiment, night.catalogue,
                                          {night.sides.subject.environment, night.rungs}, hunt.without_effect(), files);
  if (fix.files.empty()) return;
  std::filesystem::create_directories(files);
  write_recipe_files(files, fix);
}

/// Without a run with nothing neutralised beside it, only a missing trace shows.
void note_without_effect(Night& night, const FinishedTrial& finished) {
  const AttemptOutcome& attempt = finished.attempts.back();
  const strategies::SuspectSet& off = finished.plan.neutralised;
  SeenNames nothing;
  nothing.in_log.resize(attempt.names.in_log.size());
  nothing.in_files.resize(attempt.names.in_files.size());
  const auto silent = (off & night.watch.shows_effect(night.catalogue)) -
                      night.watch.shown_off(night.catalogue, off, nothing, {attempt.names, can_be_judged(attempt)});
  if (silent.any() && can_be_judged(attempt))
    trial_of(night.record, finished.plan.number)
        .notes.push_back("no trace that this is off: " + night.catalogue.labels(silent, silent.count()));
}

}  // namespace

const reports::Record& run_loop(Night& night) {
  try {
    find_answer(night);
    if (night.past.prune) weigh_workaround(night);
    if (!night.past.finished) {
      // From here on the run's time stands still, as it will when it is shown again.
      night.past.elapsed_s = night.record.elapsed_s = night.now_s();
      night.journal.append(finished_record(night.record));
      night.past.finished = true;
    }
  } catch (const Infrastructure& error) {
    cannot_go_on(night, error);
    night.journal.append(session_record(night.now_s(), error.what(), error.trial()));
  } catch (...) {
    night.write_reports(true);
    throw;
  }
  night.write_reports(true);
  return night.record;
}

const reports::Record& run_one_trial(Night& night, const std::vector<configs::MemberLabel>& off) {
  try {
    if (!night.must_only_run()) measure_reference(night);
    night.catalogue = neutralise::make_catalogue(night.experiment, {}, {});
    for (const neutralise::Member& member : night.catalogue.members())
      night.record.suspects.push_back({member.family, member.name});
    strategies::SuspectSet neutralised(night.catalogue.size());
    for (const configs::MemberLabel& member : off) {
      const bool ladder = night.experiment.families.at(member.family).kind == configs::FamilyKind::ladder;
      if (const auto id = night.catalogue.find(member.family, ladder ? member.family : member.name)) neutralised.set(*id);
    }
    const Role role = neutralised.none() ? Role::as_is : Role::by_hand;
    night.start_or_go_on(night.plan_for(role, neutralised, "named by a person"));
    for (const FinishedTrial& finished : night.wait_for_all()) note_without_effect(night, finished);
  } catch (const Infrastructure& error) {
    cannot_go_on(night, error);
  }
  return night.record;
}

}  // namespace bisectd::driver
