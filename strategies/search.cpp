// The search itself: from the phases that the evidence has reached to the next trials, and to the answer so far. Where the
// problem turns out to be another one than was thought, it begins anew with what was told.
#include "strategies/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "strategies/certificate.hpp"
#include "strategies/doubts.hpp"
#include "strategies/phases.hpp"
#include "strategies/planning.hpp"
#include "strategies/standing.hpp"
#include "strategies/wording.hpp"

namespace bisectd::strategies {

/// A search by signatures takes up to so many times the trials that it expects: games of one to eight causes and of pairs
/// (bench_search signatures) took 1.2 times on average.
constexpr double kSurprises = 1.6;

/// Verdicts to which the judge gives as much count as certain where runs repeat themselves: on real trainings all of 100
/// such fails were right, and all but 2 of 230 passes (docs/verdicts.md).
constexpr double kSure = 0.95;

/// An answer that says itself that neutralising does harm, or that who is named may be right, is at most so sure: of 68 such
/// answers 54 named nobody innocent (changing_worlds.py, nine worlds of replacements, --first-seed 401 --seeds 16).
constexpr double kDoubted = 0.75;

class Search::Impl {
 public:
  Impl(Problem problem, EngineKind engine);

  std::vector<Trial> plan(std::size_t slots, std::span<const Neutralised> pending) const;
  void tell(const Evidence& evidence);
  /// Weighs what signatures told, all that came together at once, and says where the search stands.
  void update_answer();
  Answer with_fix(const std::vector<SuspectId>& fix) const;
  /// Neutralising does harm by itself, or trials are due that may take back what was proved.
  bool may_only_make_up() const { return harmful().any() || !doubts.open.empty(); }

  std::unique_ptr<Phases> phases;
  Answer answer;
  bool stale = false;

 private:
  void weigh();
  State state();
  State state_of_phases();
  void name_hindrance();
  void describe_culprits();
  void expect_trials_left();
  double confidence_in_fix(const std::vector<Claim>& certificate) const;
  double surety_of_verdicts(const std::vector<Claim>& certificate) const;
  bool may_name_innocent() const;
  /// Stay active, as neutralising some of them does harm by itself.
  SuspectSet harmful() const { return left_active - breaking_there - kept_together; }
  void begin_again();  // after an outage, or with what does harm or is needless left active
  bool leave_harmful_active();
  bool leave_needless_active(const Needless& needless);
  void leave_active(SuspectId suspect);
  bool is_comparable(const Evidence& evidence) const { return !evidence.neutralised.intersects(left_active); }
  bool any_trial() const { return !next_trials(*phases, outage, 1, {}).empty(); }

  Problem problem;  // as given; phases learn likelier odds on the way
  EngineKind kind;
  SuspectSet left_active;     // from some trial on, since neutralising some of them does harm
  SuspectSet breaking_there;  // of them those whose neutralising breaks the run
  SuspectSet kept_together;   // of them those that do harm where only some are neutralised (effects.hpp)
  Outage outage;
  std::vector<Evidence> told;
  Doubts doubts;                        // about what the phases proved
  bool only_hidden_left = false;        // nothing but sets whose verdict the noise hides is left to be asked
  std::size_t told_until_last_run = 0;  // length of `told` up to the last trial that ran
};

Search::Impl::Impl(Problem given, EngineKind engine)
    : problem(std::move(given)),
      kind(engine),
      left_active(problem.suspects.size()),
      breaking_there(problem.suspects.size()),
      kept_together(problem.suspects.size()) {
  phases = std::make_unique<Phases>(problem, engine);
  update_answer();
}

void Search::Impl::tell(const Evidence& evidence) {
  stale = true;
  // Asked before, as a pass without them contradicts what made them known.
  const bool may_pass = evidence.verdict == Verdict::pass || evidence.verdict == Verdict::inconclusive;
  if (may_pass) weigh();
  const Needless before = may_pass ? needless_in(*phases) : Needless{};
  if (is_comparable(evidence)) phases->tell(evidence);
  told.push_back(evidence);
  const bool ran = evidence.verdict != Verdict::unresolved;
  if (outage.tell(evidence.neutralised.none(), ran)) {
    told.erase(told.begin() + static_cast<std::ptrdiff_t>(told_until_last_run), told.end() - 1);
    begin_again();
  }
  if (ran) told_until_last_run = told.size();
  if (leave_needless_active(before) || leave_harmful_active()) begin_again();
}

void Search::Impl::weigh() {
  if (phases->weigh() && leave_needless_active(needless_in(*phases))) begin_again();
}

bool Search::Impl::leave_needless_active(const Needless& needless) {
  if (!is_shown(*phases, needless)) return false;
  for (SuspectId suspect : needless.members) {
    kept_together.set(suspect);
    leave_active(suspect);
  }
  return true;
}

void Search::Impl::leave_active(SuspectId suspect) {
  left_active.set(suspect);
  problem.suspects[suspect].stays_active = true;
}

void Search::Impl::begin_again() {
  phases = std::make_unique<Phases>(problem, kind);
  for (const Evidence& each : told)
    if (is_comparable(each)) phases->tell(each);
  phases->weigh();
}

// Where everything neutralised fails and a part of it passes, that part is searched and the others stay active for good.
// Trials that neutralised one of them are not told again: what failed there may have been that one's doing. A part that
// passes because the harm makes up for the fault would be the worst to search: it leads to an innocent suspect.
bool Search::Impl::leave_harmful_active() {
  if (!phases->fails_neutralised()) return false;
  const LogEntry* passing = nullptr;  // with the fewest active
  for (const LogEntry& entry : phases->log().entries())
    if (entry.verdict == Verdict::pass && !phases->makes_up(entry) &&
        (!passing || entry.active.count() < passing->active.count()))
      passing = &entry;
  if (!passing) return false;
  if (phases->breaking())
    for (SuspectId suspect : phases->breaking()->found()) breaking_there.set(suspect);
  for (SuspectId suspect : members_of(passing->active - phases->least_active())) leave_active(suspect);
  return true;
}

std::vector<Trial> Search::Impl::plan(std::size_t slots, std::span<const Neutralised> pending) const {
  std::vector<Trial> trials = next_trials(*phases, outage, slots, pending);
  for (const Trial& trial : doubts.open)
    if (trials.size() < slots && !std::ranges::count(pending, trial.neutralised)) trials.push_back(trial);
  return trials.empty() && pending.empty() ? repeats(*phases, slots) : trials;
}

State Search::Impl::state() {
  const State state = state_of_phases();
  doubts = {};
  if (state == State::proved)
    doubts = doubts_about(*phases, told, harmful(), Active((phases->least_active() - left_active) | breaking_there));
  if (!doubts.objection.empty()) return State::stuck;
  return doubts.open.empty() ? state : State::searching;
}

State Search::Impl::state_of_phases() {
  only_hidden_left = false;
  const Standing standing(*phases);
  // Also where one set passed and failed: no answer that rests on it is proved before that is settled.
  if (phases->phase() == Phase::settling) return any_trial() ? State::searching : State::contradictory;
  const Unmended unmended = standing.unmended();
  if (unmended == Unmended::comes_and_goes || unmended == Unmended::made_up || unmended == Unmended::otherwise)
    return State::stuck;
  if (phases->verdict_of(phases->all_active()) == Verdict::pass) return State::aligned;
  if (unmended == Unmended::outside) return State::outside_suspects;
  if (phases->finding_proved()) return State::proved;
  if (!standing.engine_answers() && standing.ordered_done()) {
    const std::vector<SuspectId> cheaper = standing.cheaper_fix();
    if (!cheaper.empty() && standing.worth_asking(standing.all_but(cheaper))) return State::searching;
    if (standing.ordered_proved()) return State::proved;
  }
  if (any_trial()) return State::searching;
  only_hidden_left = true;
  return repeats(*phases, 1).empty() ? State::stuck : State::searching;
}

void Search::Impl::name_hindrance() {
  const bool stuck = answer.state == State::stuck;
  if (outage.on()) answer.hindrance = Hindrance::outage;
  if (outage.on() || (!stuck && !(answer.state == State::searching && only_hidden_left))) return;
  if (!doubts.objection.empty()) {
    answer.hindrance = doubts.hidden ? Hindrance::noise : Hindrance::harm;
    answer.hidden = doubts.hidden;
    return;
  }
  const Unmended unmended = Standing(*phases).unmended();
  if (stuck && unmended == Unmended::otherwise) {
    answer.hindrance = phases->log().exact() ? Hindrance::harm : Hindrance::noise;
    return;
  }
  const std::vector<Active> sets = Standing(*phases).deciding();
  if (sets.empty()) {
    if (stuck && unmended != Unmended::comes_and_goes)
      answer.hindrance = unmended == Unmended::made_up ? Hindrance::harm : Hindrance::crashes;
    return;
  }
  answer.hindrance = Hindrance::noise;
  // Behind the ends stands what the answer rests on, the most important first.
  const auto is_end = [&](const Active& active) {
    return active == phases->all_active() || active == phases->always_active();
  };
  const auto claim = std::ranges::find_if_not(sets, is_end);
  const LogEntry* entry = phases->entry_of(claim != sets.end() ? *claim : sets.back());
  answer.hidden = hidden_in(phases->log(), *entry, phases->log().measured(phases->all_active()).difference);
}

void Search::Impl::update_answer() {
  weigh();
  answer = {};
  answer.state = state();
  name_hindrance();
  answer.guilt.assign(phases->size(), 0.0);
  answer.culprit_set = Standing(*phases).culprit_set();
  for (SuspectId suspect : members_of(phases->always_active())) {
    const bool breaks = breaking_there.test(suspect) || !phases->least_active().test(suspect);
    (breaks ? answer.not_neutralisable : answer.excluded).push_back(suspect);
  }
  if (phases->ordered()) {
    describe_culprits();
    if (answer.state == State::searching) expect_trials_left();
  }
  if (!phases->ordered() && answer.state == State::aligned) answer.confidence = 1.0;
  answer.explanation = doubts.objection.empty() ? explanation(*phases, answer, may_only_make_up()) : doubts.objection;
  if (answer.state != State::proved) return;
  const std::optional<Effects> effects = known_effects(*phases);
  answer.explanation += doubts_of_proof(harmful(), kept_together, effects && may_hold_innocent(*effects),
                                        surety_of_verdicts(answer.certificate));
  SuspectSet guilty(phases->size());
  for (SuspectId suspect : answer.culprit_set) guilty.set(suspect);
  for (const std::vector<SuspectId>& cause : answer.causes)
    for (SuspectId suspect : cause) guilty.set(suspect);
  answer.harmless_deviations = harmless_deviations(phases->log(), phases->always_active(), guilty);
}

void Search::Impl::describe_culprits() {
  const Standing standing(*phases);
  const bool believed = standing.engine_answers();
  answer.guilt = believed ? phases->leading_engine()->guilt() : phases->ordered()->guilt();
  answer.confidence = believed ? phases->finding()->mass : phases->ordered()->none_left();
  if (believed) answer.causes = phases->finding()->causes;
  else if (phases->ordered()->complete()) answer.causes = standing.named_causes();
  std::sort(answer.causes.begin(), answer.causes.end());
  answer.certificate = certificate(phases->log(), phases->always_active(), {answer.culprit_set, answer.causes});
  if (answer.state == State::proved) answer.confidence = confidence_in_fix(answer.certificate);
}

Answer Search::Impl::with_fix(const std::vector<SuspectId>& fix) const {
  Answer other = answer;
  const bool mends = std::ranges::all_of(answer.causes, [&](const std::vector<SuspectId>& cause) {
    return std::ranges::find_first_of(cause, fix) != cause.end();
  });
  if (answer.state != State::proved || !mends) return other;
  other.culprit_set = fix;
  other.certificate = certificate(phases->log(), phases->always_active(), {fix, answer.causes});
  other.confidence = confidence_in_fix(other.certificate);
  return other;
}

double Search::Impl::confidence_in_fix(const std::vector<Claim>& certificate) const {
  return std::min({confidence_in(certificate), surety_of_verdicts(certificate), may_name_innocent() ? kDoubted : 1});
}

// Where runs repeat themselves no verdict is weighed against others, yet the judge may not have been sure of one that the
// proof rests on, and a repeat shows the same.
double Search::Impl::surety_of_verdicts(const std::vector<Claim>& certificate) const {
  double least = 1;
  for (const Claim& claim : certificate)
    if (const LogEntry* entry = phases->log().find(active_beside(claim.neutralised));
        claim.proved && entry && entry->verdict == claim.expected)
      least = std::min(least, entry->surest);
  return phases->log().exact() && least < kSure ? least : 1;
}

bool Search::Impl::may_name_innocent() const {
  const auto effects = known_effects(*phases);
  return harmful().any() || Standing(*phases).fix_makes_up() || (effects && may_hold_innocent(*effects));
}

// To the end of an unfinished search. What nobody can know is how many culprits there are: the least counts on none beside
// those found, the most on one more, which takes as long as a bisection of all. One trial at least: claims may be open.
void Search::Impl::expect_trials_left() {
  if (const auto left = phases->leading_engine() ? phases->leading_engine()->trials_left() : std::nullopt) {
    answer.trials_left_low = std::max(1.0, *left);
    answer.trials_left_high = std::max(1.0, kSurprises * *left);
    return;
  }
  const Bisection& ordered = *phases->ordered();
  const double causes_open = static_cast<double>(
      std::ranges::count_if(phases->cause_searches(), [](const auto& cause) { return !cause->complete(); }));
  const double left = ordered.trials_left(), a_bisection = 1 + std::log2(static_cast<double>(phases->size()));
  const double to_explain = ordered.complete() ? causes_open : static_cast<double>(answer.culprit_set.size() + 1);
  answer.trials_left_low = std::max(1.0, left + (ordered.complete() ? causes_open : 0.0));
  answer.trials_left_high = std::max(1.0, 2 * left + to_explain * a_bisection);
}

Search::Search(Problem problem, EngineKind engine) : impl_(std::make_unique<Impl>(std::move(problem), engine)) {}
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;

void Search::tell(const Evidence& evidence) { impl_->tell(evidence); }

std::vector<Trial> Search::ask(std::size_t slots, std::span<const Neutralised> pending) {
  return answer().state == State::searching ? impl_->plan(slots, pending) : std::vector<Trial>{};
}

std::string Search::so_far() const {
  const Answer& now = answer();  // first: the plan follows from it
  const std::vector<Trial> next = impl_->plan(1, {});
  return progress(*impl_->phases, now, next.empty() ? nullptr : &next.front(), impl_->may_only_make_up());
}

Answer Search::answer_with(const std::vector<SuspectId>& fix) const {
  (void)answer();
  return impl_->with_fix(fix);
}

const Answer& Search::answer() const {
  if (impl_->stale) impl_->update_answer();
  impl_->stale = false;
  return impl_->answer;
}

}  // namespace bisectd::strategies
