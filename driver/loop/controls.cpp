#include "driver/loop/controls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "driver/log/log.hpp"
#include "driver/loop/conclusion.hpp"
#include "driver/loop/doubts.hpp"
#include "driver/loop/problem.hpp"
#include "driver/trial/samples.hpp"
#include "reports/progress.hpp"
#include "reports/words.hpp"
#include "strategies/hidden.hpp"

namespace bisectd::driver {
namespace {

using strategies::Answer;
using strategies::Claim;
using strategies::Hindrance;
using strategies::Neutralised;
using strategies::Verdict;

constexpr int kTries = 3;      ///< of one control: the majority of three, where a verdict may be wrong
constexpr double kLeans = 10;  ///< odds from which controls without a clear verdict speak against the answer

/// What came of one control.
struct Tried {
  Control control;
  int needed = 1;  ///< so many times it must be borne out
  int borne_out = 0, contradicted = 0, tries = 0;
  std::size_t contradicting = 0;  ///< number of the last trial that contradicts it
  std::size_t last_trial = 0;
  double odds_of_fail = 1;  ///< by the tries that noise left inconclusive
  int broken = 0;           ///< of the tries: gave no verdict
  bool is_running = false, is_of_earlier_session = false;
  bool gave_up = false;  ///< broke in this session; a resume tries it again

  bool is_contradicted(bool exact) const { return contradicted > (exact ? 0 : kTries / 2); }
  bool is_borne_out() const { return borne_out >= needed && borne_out > contradicted; }
  bool leans_away() const { return control.expected == Verdict::pass ? odds_of_fail > kLeans : odds_of_fail < 1 / kLeans; }
  bool is_open(bool exact) const {
    return !is_borne_out() && !is_contradicted(exact) && !gave_up && tries - broken < kTries;
  }
};

/// In ids; the shorter way round.
std::string set_text(const Neutralised& neutralised) {
  if (neutralised.none()) return "nothing neutralised";
  const std::vector<strategies::SuspectId> members = strategies::members_of(neutralised);
  if (2 * members.size() <= neutralised.size()) return strategies::list_of(members, " and ") + " neutralised";
  const auto active = strategies::members_of(strategies::active_beside(neutralised));
  if (active.empty()) return "everything neutralised";
  return fmt::format("everything but {} neutralised", strategies::list_of(active, " and "));
}

/// What makes suspects guilty "only together", as far as trials of the fix do not show it: each runs with all but a few
/// neutralised, and one wrong verdict there names an innocent partner.
bool names_partner(const Claim& claim, const Neutralised& fix) {
  if (claim.subject.size() < 2) return false;
  return claim.kind == Claim::Kind::cause_fails ||
         (claim.kind == Claim::Kind::cause_minimal && !fix.test(claim.subject.back()));
}

double began_s(const PastTrial& trial) { return trial.attempts.empty() ? 0 : trial.attempts.front().started_s; }

/// "with nothing neutralised it failed in trial 2 and passed in trial 14, 3 h 10 min later"
std::string contradiction_text(const Tried& tried, const History& history) {
  const bool must_pass = tried.control.expected == Verdict::pass;
  const char *due = must_pass ? "passed" : "failed", *seen = must_pass ? "failed" : "passed";
  const PastTrial* before = nullptr;
  for (const PastTrial& trial : history.trials)
    if (trial.judgement && is(trial.role, reports::kEvidence) && trial.judgement->verdict == tried.control.expected &&
        trial.neutralised == tried.control.neutralised)
      before = &trial;
  const std::string set = set_text(tried.control.neutralised);
  if (!before) return fmt::format("with {} it should have {} and {} in trial {}", set, due, seen, tried.contradicting);
  const double later_s = began_s(history.numbered(tried.contradicting)) - began_s(*before);
  return fmt::format("with {} it {} in trial {} and {} in trial {}, {} later", set, due, before->number, seen,
                     tried.contradicting, reports::duration_text(later_s));
}

/// Repeats of a control are told apart by it.
std::string reason_of(const Tried& tried) {
  return fmt::format("what the answer rests on once more, at the end: it must {}{}",
                     reports::verdict_word(tried.control.expected),
                     tried.tries == 0 ? "" : fmt::format(" (time {})", tried.tries + 1));
}

/// `must_only_run`: a run that broke and one that came to its end contradict whatever is expected of their set.
void take_in(std::vector<Tried>& all, const FinishedTrial& finished, bool must_only_run) {
  const auto tried = std::ranges::find(all, finished.plan.neutralised,
                                       [](const Tried& one) -> const Neutralised& { return one.control.neutralised; });
  tried->is_running = false;
  tried->last_trial = finished.plan.number;
  const Verdict verdict = finished.judgement.verdict;
  if (verdict == Verdict::unresolved) {
    ++tried->broken;
    tried->gave_up = !tried->is_of_earlier_session;
  } else if (verdict == tried->control.expected) {
    ++tried->borne_out;
  } else if (strategies::decided(verdict) || must_only_run) {
    ++tried->contradicted;
    tried->contradicting = finished.plan.number;
  } else {
    const double p_bad = std::clamp(finished.judgement.p_bad, 0.01, 0.99);
    tried->odds_of_fail *= p_bad / (1 - p_bad);
  }
}

bool is_too_noisy(const RunState& state) {
  return state.jury && std::ranges::count(state.jury->findings(), "too-noisy", &judge::Finding::code) > 0;
}

void judge_answer(Run& run, const std::vector<Tried>& all) {
  std::string changes;
  for (const Tried& tried : all)
    if (tried.contradicted > 0 && !tried.is_borne_out())
      changes += (changes.empty() ? "" : "; ") + contradiction_text(tried, run.state.history);
  if (!changes.empty()) {
    const bool noise = is_too_noisy(run.state);
    return take_back(
        run.state.answer, noise ? Hindrance::noise : Hindrance::change,
        fmt::format("Tried once more at the end of the run, this does not hold: {}. {} changed during the run, or what "
                    "makes the subject fail comes and goes, or a suspect does harm only while others are neutralised.",
                    changes,
                    noise ? "Runs of one and the same training differ by too much for this target, which may be all; "
                            "or something"
                          : "Something"));
  }
  const auto labelled = [&](const Tried& tried) {
    return run.state.catalogue.with_labels(set_text(tried.control.neutralised));
  };
  for (const Tried& tried : all)
    if (tried.gave_up)
      throw Infrastructure(
          fmt::format("all is proved but for the last look: tried once more at the end of the run with {}, "
                      "trial {} gave no verdict",
                      labelled(tried), tried.last_trial));
  for (const Tried& tried : all) {
    if (tried.is_borne_out()) continue;
    if (tried.tries == 0)
      return take_back(run.state.answer, Hindrance::control,
                       fmt::format("It was not tried once more at the end of the run with {}: no device was free.",
                                   set_text(tried.control.neutralised)));
    if (tried.leans_away())
      return take_back(
          run.state.answer, Hindrance::noise,
          fmt::format(
              "Tried once more at the end of the run with {}, noise hides the verdict (trial {}), but it leans to {}.",
              set_text(tried.control.neutralised), tried.last_trial,
              tried.control.expected == Verdict::pass ? "fail" : "pass"));
    run.warn(fmt::format("the control at the end of the run with {} stayed inconclusive (trial {})", labelled(tried),
                         tried.last_trial));
  }
}

/// Runs the subject as it is while it is looked at as in the discovery run of these families; in words, if that mends it.
std::optional<std::string> passes_watched(Run& run, const std::set<std::string>& families) {
  TrialPlan plan = run.plan_for(Role::watched, Neutralised(run.state.catalogue.set_of({})),
                                "the subject as it is, but looked at as while suspects are neutralised: it must fail");
  for (const std::string& name : families)
    for (const auto& [variable, value] : run.experiment.families.at(name).discover->environment)
      plan.recipe.templates[variable] = family_variable(run.sides.subject, variable, value);
  const std::vector<FinishedTrial> all = run.run_all(std::move(plan));
  if (all.empty()) return std::nullopt;
  const FinishedTrial& finished = all.back();
  const std::string watched = fmt::format("{}", fmt::join(families, " and "));
  if (finished.judgement.verdict == Verdict::pass)
    return fmt::format(
        "The fault goes as soon as {} are watched, with none of them neutralised (trial {}), so it is in none of "
        "them, but in what watching switches off or slows down: the compiler, fusion or a race.",
        watched, finished.plan.number);
  if (finished.judgement.verdict != Verdict::fail)
    run.warn(
        fmt::format("whether the fault stays while {} are watched and nothing is neutralised is not known: trial {} gave no "
                    "verdict",
                    watched, finished.plan.number));
  return std::nullopt;
}

}  // namespace

std::vector<Control> controls_of(const Answer& answer, const neutralise::Catalogue& catalogue, bool all_claims) {
  std::vector<Control> controls;
  const auto add = [&](const Neutralised& neutralised, Verdict expected) {
    if (!std::ranges::count(controls, neutralised, &Control::neutralised)) controls.push_back({neutralised, expected});
  };
  const Neutralised fix(catalogue.set_of(answer.culprit_set));
  add(fix, Verdict::pass);
  for (const Claim& claim : answer.certificate)
    if (claim.proved && (all_claims || names_partner(claim, fix))) add(claim.neutralised, claim.expected);
  for (const strategies::SuspectId member : answer.culprit_set) {
    Neutralised without = fix;
    without.reset(member);
    add(without, Verdict::fail);
  }
  std::ranges::stable_partition(controls, [](const Control& control) { return control.expected == Verdict::pass; });
  return controls;
}

int times_of(const Control& control, bool must_only_run) {
  return must_only_run && control.expected == Verdict::pass ? 3 : 1;
}

void control_answer(Run& run) {
  const bool exact = run.state.exact;
  if (run.state.answer.state != strategies::State::proved) return;
  std::vector<Tried> all;
  const bool all_claims = some_set_disagrees(run);
  for (Control& control : controls_of(run.state.answer, run.state.catalogue, all_claims)) {
    const int needed = times_of(control, run.must_only_run());
    all.push_back({.control = std::move(control), .needed = needed});
  }
  const bool was_proved =
      run.state.history.finished && run.state.history.conclusion->answer.state == strategies::State::proved;
  log::info(reports::phase_line(run.frame(), Role::control));
  while (true) {
    bool replaying = false;  // what an earlier session began comes first, for it may make the rest needless
    // One that contradicts the answer makes the others needless; where one breaks, they most likely would as well.
    const bool over =
        std::ranges::any_of(all, [&](const Tried& tried) { return tried.is_contradicted(exact) || tried.gave_up; });
    for (Tried& tried : all) {
      if (over || tried.is_running || !tried.is_open(exact) || run.trials.free_slots(run.sides.subject) == 0) continue;
      TrialPlan plan = run.plan_for(Role::control, tried.control.neutralised, reason_of(tried));
      const bool begun = run.was_begun(plan);
      if (!begun && was_proved) return;  // they bore it out
      if (!begun && replaying) continue;
      replaying |= begun;
      if (!begun && run.hours_spent()) {
        run.stop_all("the budget is spent");
        return take_back(run.state.answer, Hindrance::control,
                         "The budget was spent before this could be tried once more at the end of the run.");
      }
      run.start_or_go_on(std::move(plan));
      ++tried.tries;
      tried.is_running = true;
      tried.is_of_earlier_session = begun;
    }
    if (std::ranges::none_of(all, &Tried::is_running)) break;
    for (const FinishedTrial& finished : run.wait()) take_in(all, finished, run.must_only_run());
  }
  judge_answer(run, all);
}

std::optional<std::string> mended_by_watching(Run& run, const std::optional<FinishedTrial>& discovery) {
  std::set<std::string> families;
  for (const auto& [name, selection] : run.experiment.suspects)
    if (!run.experiment.families.at(name).watched.empty()) families.insert(name);
  if (families.empty()) return std::nullopt;
  run.state.asked_watched = families;
  std::vector<judge::Curve> curves;
  const auto looked_at = families_seen_in_a_run(run.experiment);
  if (discovery && std::ranges::all_of(families, [&](const auto& name) { return std::ranges::count(looked_at, name) > 0; }))
    curves = whole_curves(discovery->attempts);
  if (!curves.empty() && run.state.jury->judge(curves).verdict == Verdict::fail) return std::nullopt;
  return passes_watched(run, families);
}

void control_watching(Run& run) {
  if (run.state.answer.state != strategies::State::proved) return;
  std::set<std::string> families;
  for (const strategies::SuspectId member : run.state.answer.culprit_set) {
    const configs::Family& family = run.experiment.families.at(run.state.catalogue[member].family);
    if (!family.watched.empty() && !run.state.asked_watched.contains(family.name)) families.insert(family.name);
  }
  if (families.empty() || run.hours_spent()) return;  // as the other controls will say
  if (const auto how = passes_watched(run, families)) take_back(run.state.answer, Hindrance::watched, *how);
}

void control_outside(Run& run) {
  if (run.state.answer.state != strategies::State::outside_suspects) return;
  TrialPlan plan = run.plan_for(Role::control, Neutralised(run.state.catalogue.set_of({})),
                                "the subject as it is once more, at the end: it must fail");
  if (!run.was_begun(plan) && run.hours_spent()) return;
  for (const FinishedTrial& finished : run.run_all(std::move(plan)))
    if (finished.judgement.verdict == Verdict::pass)
      take_back(
          run.state.answer, Hindrance::change,
          fmt::format("With everything neutralised it fails, but tried once more at the end of the run the subject as "
                      "it is passes (trial {}): something changed during the run, or what makes it fail comes and goes.",
                      finished.plan.number));
}

}  // namespace bisectd::driver
