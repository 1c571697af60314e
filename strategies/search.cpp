// The phases of a search, in the order they follow from the evidence: both ends, a top end that runs, the culprits,
// their causes. Each phase is an engine over observations; the log outlives them all, so that a revised verdict only
// means building the engines again from it.
#include "strategies/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "strategies/cause_search.hpp"
#include "strategies/causes/engine.hpp"
#include "strategies/certificate.hpp"
#include "strategies/evidence_log.hpp"
#include "strategies/ordered.hpp"

namespace bisectd::strategies {
namespace {

constexpr int kEndTold = 2;     // times an end may say nothing before the search gives up
constexpr int kMostVotes = 9;   // of one set, with noise
constexpr int kSilentTold = 3;  // times a deciding set may say nothing

std::vector<double> odds_of(const Problem& problem) {
  std::vector<double> odds;
  for (const Suspect& suspect : problem.suspects) odds.push_back(suspect.odds);
  return odds;
}

}  // namespace

class Search::Impl {
 public:
  Impl(Problem given, EngineKind wanted)
      : problem(std::move(given)),
        kind(wanted),
        size(problem.suspects.size()),
        none(size),
        all(size),
        prior(odds_of(problem)),
        even(std::vector<double>(size, 1.0)),
        log(size, problem.flip_probability, (1 - problem.confidence) / 3),
        always_active(size) {
    all.set();
    update_answer();
  }

  void tell(const Evidence& evidence) {
    const EvidenceLog::Change change = log.add(evidence);
    const LogEntry& entry = log.entries()[change.entry];
    const bool bad =
        evidence.verdict == Verdict::inconclusive ? evidence.p_bad > 0.5 : evidence.verdict == Verdict::fail;
    heard.push_back({change.entry, bad, log.doubt(evidence)});
    const bool changed = change.fresh || change.before != entry.verdict;
    const bool built_upon =
        !change.fresh && (decided(change.before) || (runnable && change.before == Verdict::unresolved));
    if (changed && built_upon) {
      rebuild();
    } else {
      hear(heard.back());
      if (changed) take_in(entry);
      advance();
    }
    stale = true;
  }

  std::vector<Trial> plan(std::size_t slots, std::span<const SuspectSet> pending) const;
  void update_answer();

  Problem problem;
  EngineKind kind;
  std::size_t size;
  SuspectSet none, all;
  CulpritPrior prior, even;
  EvidenceLog log;
  std::vector<Observation> failing, crashing;  // the log as seen by the main search and by the search for `runnable`
  struct Heard {
    std::size_t entry;
    bool fails;
    double doubt;
  };
  std::vector<Heard> heard;  // every evidence, in the order told
  std::unique_ptr<Ordered> runnable, culprits;
  std::unique_ptr<causes::Engine> engine;
  std::vector<std::unique_ptr<CauseSearch>> reasons;
  SuspectSet always_active;  // cannot be neutralised
  Answer answer;
  bool stale = false;

 private:
  Verdict verdict_of(const SuspectSet& active) const {
    const LogEntry* entry = log.find(active);
    return entry ? entry->verdict : Verdict::unresolved;
  }
  int told(const SuspectSet& active) const {
    const LogEntry* entry = log.find(active);
    return entry ? entry->told() : 0;
  }
  static bool decided(Verdict verdict) { return verdict == Verdict::pass || verdict == Verdict::fail; }
  bool wants_causes() const;
  bool by_causes() const;
  bool explained() const;
  void hear(const Heard& one);
  void take_in(const LogEntry& entry);
  void advance();
  void rebuild();
  std::vector<SuspectId> found() const;
  State state() const;
  std::string explain(State state) const;
  bool given_up(const CauseSearch& cause) const;
};

// One entry as the two predicates see it. A crash hits the second one; any verdict of a run that came to its end clears
// it.
//
// With noise a set says nothing only once it is clear that repeats will not help; until then it is simply not known.
void Search::Impl::take_in(const LogEntry& entry) {
  const Verdict verdict = entry.verdict;
  const bool open = !log.exact() && verdict == Verdict::inconclusive && entry.told() < kMostVotes;
  if (open) return;
  failing.push_back({entry.active, verdict == Verdict::fail   ? Outcome::hit
                                   : verdict == Verdict::pass ? Outcome::clear
                                                              : Outcome::nothing});
  crashing.push_back({~entry.active, verdict == Verdict::unresolved ? Outcome::hit : Outcome::clear});
  if (runnable) runnable->observe(crashing.back());
  if (culprits) culprits->observe(failing.back());
  for (const auto& cause : reasons) cause->observe(failing.back());
}

void Search::Impl::rebuild() {
  runnable.reset();
  culprits.reset();
  engine.reset();
  reasons.clear();
  failing.clear();
  crashing.clear();
  always_active.reset();
  for (const LogEntry& entry : log.entries()) {
    take_in(entry);
    advance();
  }
}

// Starts the engine of the next phase as soon as the evidence ends the one before. An engine begins with all that was
// told already, so that it does not matter when it is started.
void Search::Impl::advance() {
  if (verdict_of(all) != Verdict::fail) return;
  if (!runnable && told(none) > 0 && verdict_of(none) == Verdict::unresolved)
    runnable = std::make_unique<Ordered>(even, none, crashing, problem.seed + 1);
  if (runnable) {
    if (!runnable->complete()) return;
    always_active.reset();
    for (SuspectId suspect : runnable->found()) always_active.set(suspect);
  }
  if (verdict_of(always_active) != Verdict::pass) return;
  if (!culprits) {
    culprits = std::make_unique<Ordered>(prior, always_active, failing, problem.seed + 2);
    if (wants_causes()) {
      engine = std::make_unique<causes::Engine>(problem, always_active, log);
      for (const Heard& one : heard) hear(one);
    }
  }
  if (explained()) return;
  if (!culprits->complete() || !reasons.empty()) return;
  for (SuspectId culprit : culprits->found())
    reasons.push_back(std::make_unique<CauseSearch>(culprit, prior, always_active, culprits->others(), failing,
                                                    problem.seed + 3 + culprit));
}

// One slot and exact verdicts: `ordered` needs as few trials, and is trusted for every monotone predicate.
bool Search::Impl::wants_causes() const {
  if (kind == EngineKind::ordered || always_active.count() == size) return false;
  return kind == EngineKind::causes || problem.slots > 1 || !log.exact();
}

// Whether `causes` leads; it hands over to `ordered`, which heard the same evidence, when nothing it can believe in
// fits.
bool Search::Impl::by_causes() const { return engine && !engine->misfit(); }

bool Search::Impl::explained() const { return engine && engine->finding().proved; }

void Search::Impl::hear(const Heard& one) {
  if (engine && one.doubt < 0.5) engine->hear(log.entries()[one.entry].active, one.fails, one.doubt);
}

bool Search::Impl::given_up(const CauseSearch& cause) const {
  if (cause.complete() || !cause.ask(1, {}).empty()) return false;
  const std::vector<SuspectSet> retries = cause.retries();
  return std::all_of(retries.begin(), retries.end(), [&](const auto& set) { return told(set) >= kSilentTold; });
}

std::vector<Trial> Search::Impl::plan(std::size_t slots, std::span<const SuspectSet> pending) const {
  std::vector<Trial> trials;
  std::vector<SuspectSet> busy;  // active sets on their way
  for (const SuspectSet& set : pending) busy.push_back(~set);
  const auto add = [&](const SuspectSet& active, Purpose purpose, std::string reason) {
    if (trials.size() >= slots || std::find(busy.begin(), busy.end(), active) != busy.end()) return;
    busy.push_back(active);
    trials.push_back({~active, purpose, std::move(reason)});
  };

  // Evidence that contradicts itself comes before anything that would build on it.
  bool unsettled = false;
  for (const LogEntry& entry : log.entries())
    if (log.exact() && entry.disputed() && entry.verdict == Verdict::inconclusive && log.worth_repeating(entry)) {
      unsettled = true;
      add(entry.active, Purpose::search, "passed and failed: repeated to settle it");
    }
  if (const auto pair = log.contradiction()) {
    unsettled = true;
    for (std::size_t i : {pair->fail, pair->pass})
      if (const LogEntry& entry = log.entries()[i]; log.worth_repeating(entry))
        add(entry.active, Purpose::search,
            "repeated: a set that is neutralised further fails and this one passes, or the reverse");
  }
  if (unsettled) return trials;

  const Verdict as_is = verdict_of(all);
  if (as_is == Verdict::pass) return trials;
  if (as_is != Verdict::fail && told(all) < kEndTold)
    add(all, Purpose::subject_as_is, "the subject as it is must fail");
  if (as_is != Verdict::fail && told(all) >= kEndTold) return trials;
  if (!culprits && !runnable) {
    const Verdict top = verdict_of(none);
    if (told(none) == 0 || (top == Verdict::inconclusive && told(none) < kEndTold))
      add(none, Purpose::everything_neutralised, "with everything neutralised it must pass");
    return trials;
  }
  if (as_is != Verdict::fail) return trials;

  if (!culprits) {
    std::vector<SuspectSet> exposed;
    for (const SuspectSet& active : busy) exposed.push_back(~active);
    for (const SuspectSet& set : runnable->ask(slots, exposed))
      add(~set, Purpose::runnable, fmt::format("does it run with these {} neutralised?", set.count()));
    if (runnable->complete() && verdict_of(always_active) == Verdict::inconclusive && told(always_active) < kEndTold)
      add(always_active, Purpose::everything_neutralised, "with all neutralised that can be it must pass");
    return trials;
  }
  if (explained()) return trials;
  if (by_causes()) {
    for (const SuspectSet& set : engine->ask(slots, busy)) {
      const bool check = engine->is_check(set);
      add(set, check ? Purpose::certificate : Purpose::search,
          check ? "checks a claim of the likeliest answer"
                : fmt::format("splits what is believed: {} active", set.count()));
    }
    if (!trials.empty() || !pending.empty()) return trials;
  }
  if (!culprits->complete()) {
    for (const SuspectSet& set : culprits->ask(slots, busy)) {
      const bool fix = set.count() + culprits->found().size() == size;
      add(set, fix ? Purpose::certificate : Purpose::search,
          fix ? "is the fix complete?" : fmt::format("is a culprit among these {} active ones?", set.count()));
    }
    if (trials.empty() && pending.empty())
      for (const SuspectSet& set : culprits->retries())
        if (told(set) < kSilentTold) add(set, Purpose::search, "said nothing before and would decide: once more");
    return trials;
  }
  // One trial for every open cause before a second one for any.
  std::vector<const CauseSearch*> open;
  for (const auto& cause : reasons)
    if (!cause->complete()) open.push_back(cause.get());
  for (std::size_t share = 1; share <= slots && trials.size() < slots && !open.empty(); ++share) {
    const std::size_t before = trials.size();
    for (const CauseSearch* cause : open) {
      const auto sets = cause->ask(1, busy);
      if (!sets.empty())
        add(sets.front(), Purpose::certificate,
            fmt::format("does #{} fail without the others?", cause->members().front()));
    }
    if (trials.size() == before) break;
  }
  if (trials.empty() && pending.empty())
    for (const CauseSearch* cause : open)
      for (const SuspectSet& set : cause->retries())
        if (told(set) < kSilentTold) add(set, Purpose::certificate, "said nothing before and would decide: once more");
  return trials;
}

std::vector<SuspectId> Search::Impl::found() const {
  if (explained() || (by_causes() && !culprits->complete())) return engine->finding().culprit_set;
  std::vector<SuspectId> ids = culprits ? culprits->found() : std::vector<SuspectId>{};
  std::sort(ids.begin(), ids.end());
  return ids;
}

State Search::Impl::state() const {
  if (log.contradiction()) return plan(1, {}).empty() ? State::contradictory : State::searching;
  if (verdict_of(all) == Verdict::pass) return State::aligned;
  const bool top_known = !runnable || runnable->complete();
  if (verdict_of(all) == Verdict::fail && top_known && verdict_of(always_active) == Verdict::fail)
    return State::outside_suspects;
  if (explained()) return State::proved;
  if (culprits && culprits->complete() && std::all_of(reasons.begin(), reasons.end(), [&](const auto& cause) {
        return cause->complete() || given_up(*cause);
      }))
    return State::proved;
  return plan(1, {}).empty() ? State::stuck : State::searching;
}

std::string Search::Impl::explain(State state) const {
  if (state == State::contradictory) {
    const Contradiction pair = *log.contradiction();
    const LogEntry &fail = log.entries()[pair.fail], &pass = log.entries()[pair.pass];
    return fmt::format(
        "the trial with {} neutralised fails ({} of {} times), the one with only {} of these neutralised passes ({} of "
        "{}): "
        "either verdicts are noisier than they claim, or neutralising more makes the run worse",
        size - fail.active.count(), fail.fails, fail.judged(), size - pass.active.count(), pass.passes, pass.judged());
  }
  if (state == State::outside_suspects && always_active.any())
    return fmt::format("{} suspects cannot be neutralised and stayed active; the cause may hide among them",
                       always_active.count());
  if (state == State::proved) {
    std::string text;
    for (const auto& cause : reasons)
      if (!explained() && !cause->complete())
        text += fmt::format("whether #{} fails alone could not be shown: every trial that would tell says nothing. ",
                            cause->members().front());
    return text;
  }
  if (state != State::stuck) return {};
  if (verdict_of(all) != Verdict::fail)
    return fmt::format("the subject as it is gave no verdict in {} trials", told(all));
  if (!culprits) return "no verdict with everything neutralised";
  return fmt::format("every trial that would tell more says nothing; {} culprits found so far",
                     culprits->found().size());
}

void Search::Impl::update_answer() {
  answer = {};
  answer.state = state();
  answer.explanation = explain(answer.state);
  answer.guilt.assign(size, 0.0);
  answer.culprit_set = found();
  for (SuspectId suspect = always_active.find_first(); suspect != SuspectSet::npos;
       suspect = always_active.find_next(suspect))
    answer.not_neutralisable.push_back(suspect);
  if (!culprits) {
    if (answer.state == State::aligned) answer.confidence = 1.0;
    return;
  }
  const bool believed = explained() || (by_causes() && !culprits->complete());
  answer.guilt = believed ? engine->guilt() : culprits->guilt();
  answer.confidence = believed ? engine->finding().mass : culprits->none_left();
  if (explained()) answer.confidence = log.exact() ? 1.0 : problem.confidence;
  if (believed)
    answer.causes = engine->finding().causes;
  else if (culprits->complete())
    for (const auto& cause : reasons) {
      std::vector<SuspectId> members = cause->members();
      std::sort(members.begin(), members.end());
      answer.causes.push_back(std::move(members));
    }
  std::sort(answer.causes.begin(), answer.causes.end());
  answer.certificate = certificate(log, always_active, answer.culprit_set, answer.causes);
  if (answer.state != State::searching) return;
  double open = 0;
  for (const auto& cause : reasons) open += cause->complete() ? 0 : 1;
  const double explaining = culprits->complete() ? open : static_cast<double>(answer.culprit_set.size() + 1);
  answer.trials_left_low = culprits->trials_left() + (culprits->complete() ? open : 0.0);
  answer.trials_left_high = 2 * culprits->trials_left() + explaining * (1 + std::log2(static_cast<double>(size)));
}

Search::Search(Problem problem, EngineKind engine) : impl_(std::make_unique<Impl>(std::move(problem), engine)) {}
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;

void Search::tell(const Evidence& evidence) { impl_->tell(evidence); }

std::vector<Trial> Search::ask(std::size_t slots, std::span<const SuspectSet> pending) {
  return impl_->plan(slots, pending);
}

const Answer& Search::answer() const {
  if (impl_->stale) impl_->update_answer();
  impl_->stale = false;
  return impl_->answer;
}

}  // namespace bisectd::strategies
