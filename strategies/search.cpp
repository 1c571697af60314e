// The search itself: from the phases that the evidence has reached to the next trials, and to the answer so far.
#include "strategies/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "strategies/certificate.hpp"
#include "strategies/fix.hpp"
#include "strategies/phases.hpp"
#include "strategies/wording.hpp"

namespace bisectd::strategies {
namespace {

constexpr int kEndTold = 2;       // times an end may say nothing before the search gives up
constexpr int kMostEndVotes = 5;  // with noise, where verdicts count as votes
constexpr const char* kOnceMore = "said nothing before and would decide: once more";
constexpr int kSilentTold = 3;  // times a deciding set may say nothing
constexpr std::size_t kMostSilentInARow = 96;  // trials, after which the next would not either

}  // namespace

class Search::Impl {
 public:
  Impl(Problem problem, EngineKind engine);

  std::vector<Trial> plan(std::size_t slots, std::span<const SuspectSet> pending) const;
  void update_answer();

  void tell(const Evidence& evidence);

  std::unique_ptr<Phases> phases;
  Answer answer;
  bool stale = false;

 private:
  /// Whether an engine that believes, rather than `ordered`, gives the answer.
  bool leads_belief() const {
    return phases->explained() || phases->by_sums() || (phases->by_causes() && !phases->culprits()->complete());
  }
  std::vector<SuspectId> found() const;
  std::vector<std::vector<SuspectId>> named_causes() const;
  std::vector<SuspectId> cheaper_fix() const;
  SuspectSet all_but(const std::vector<SuspectId>& fix) const {
    SuspectSet active = phases->all();
    for (SuspectId suspect : fix) active.reset(suspect);
    return phases->relations().effective(std::move(active));
  }
  bool may_tell(const SuspectSet& active) const;
  State state() const;
  bool given_up(const CauseSearch& cause) const;
  bool belies_needs(const SuspectSet& active, const SuspectSet& top) const;
  bool outside() const;

  EngineKind kind;
  bool uses_needs;             // that some suspects matter only with others
  bool needs_belied = false;
  std::vector<Evidence> told;  // while they are used
};

Search::Impl::Impl(Problem problem, EngineKind engine)
    : kind(engine),
      uses_needs(std::ranges::any_of(problem.suspects, [](const Suspect& s) { return !s.only_with.empty(); })) {
  phases = std::make_unique<Phases>(std::move(problem), engine);
  update_answer();
}

void Search::Impl::tell(const Evidence& evidence) {
  stale = true;
  const SuspectSet top = phases->top();
  phases->tell(evidence);
  if (!uses_needs) return;
  told.push_back(evidence);
  if (!belies_needs(~evidence.neutralised, top)) return;
  phases = std::make_unique<Phases>(without_needs(phases->problem()), kind);
  uses_needs = false;
  needs_belied = true;
  for (const Evidence& each : std::exchange(told, {})) phases->tell(each);
}

// Only what should not matter was active beside the top, and it fails; or there is nothing to search, or one set both
// passed and failed, and the needs may be why. Where they are not, nothing is lost but what they would have saved.
bool Search::Impl::belies_needs(const SuspectSet& active, const SuspectSet& top) const {
  const EvidenceLog& log = phases->log();
  const bool contradictory =
      log.exact() && (log.contradiction() || std::ranges::any_of(log.entries(), &LogEntry::disputed));
  if (contradictory || outside()) return true;
  if (active.size() != phases->size() || phases->verdict_of(active) != Verdict::fail) return false;
  const Relations& relations = phases->relations();
  return !active.is_subset_of(top) && relations.effective(active).is_subset_of(relations.effective(top));
}

// It fails even with everything neutralised that can be.
bool Search::Impl::outside() const {
  const bool top_known = !phases->runnable() || phases->runnable()->complete();
  return phases->verdict_of(phases->all()) == Verdict::fail && top_known &&
         phases->verdict_of(phases->always_active()) == Verdict::fail;
}

bool Search::Impl::given_up(const CauseSearch& cause) const {
  if (cause.complete() || !cause.ask(1, {}).empty()) return false;
  const std::vector<SuspectSet> retries = cause.retries();
  return std::all_of(retries.begin(), retries.end(), [&](const auto& set) { return phases->told(set) >= kSilentTold; });
}

// Of `ordered`: one cause for each culprit, as far as it is known.
std::vector<std::vector<SuspectId>> Search::Impl::named_causes() const {
  std::vector<std::vector<SuspectId>> causes;
  for (const auto& cause : phases->reasons()) {
    if (cause->members().empty()) continue;
    causes.push_back(phases->relations().outermost(cause->members()));
    std::sort(causes.back().begin(), causes.back().end());
  }
  std::sort(causes.begin(), causes.end());
  causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
  return causes;
}

// `ordered` finds some minimal fix; its causes may allow a cheaper one. Empty if they do not. There can be causes that
// it never met, because the fix it found hits them too: only a trial can tell whether the cheaper one is enough.
std::vector<SuspectId> Search::Impl::cheaper_fix() const {
  if (leads_belief() || !phases->culprits() || !phases->culprits()->complete()) return {};
  if (std::any_of(phases->reasons().begin(), phases->reasons().end(), [](const auto& c) { return !c->complete(); }))
    return {};
  const std::vector<Suspect>& suspects = phases->problem().suspects;
  const auto price = [&](const std::vector<SuspectId>& set) {
    double sum = 0;
    for (SuspectId suspect : set) sum += suspects[suspect].price;
    return sum;
  };
  std::vector<SuspectId> fix = cheapest_fix(named_causes(), suspects, phases->relations(), phases->always_active());
  return price(fix) < price(phases->culprits()->found()) ? fix : std::vector<SuspectId>{};
}

bool Search::Impl::may_tell(const SuspectSet& active) const {
  const Verdict verdict = phases->verdict_of(active);
  return verdict != Verdict::pass && verdict != Verdict::fail && phases->told(active) < kSilentTold;
}

std::vector<Trial> Search::Impl::plan(std::size_t slots, std::span<const SuspectSet> pending) const {
  std::vector<Trial> trials;
  std::vector<SuspectSet> busy;  // active sets on their way
  const Relations& relations = phases->relations();
  for (const SuspectSet& set : pending) busy.push_back(relations.effective(~set));
  const auto add = [&](const SuspectSet& wanted, Purpose purpose, std::string reason, bool twice = false) {
    if (trials.size() >= slots) return;
    const SuspectSet active = relations.effective(wanted);
    if (!twice && std::find(busy.begin(), busy.end(), active) != busy.end()) return;
    busy.push_back(active);
    // What cannot matter is left alone, so that the fix is tried as it will be used.
    const bool everything = purpose == Purpose::everything_neutralised;
    trials.push_back({everything ? ~wanted : ~relations.widest(active), purpose, std::move(reason)});
  };

  // Evidence that contradicts itself comes before anything that would build on it.
  bool unsettled = false;
  const EvidenceLog& log = phases->log();
  for (const LogEntry& entry : log.entries())
    if (log.exact() && entry.disputed() && entry.verdict == Verdict::inconclusive && log.worth_repeating(entry)) {
      unsettled = true;
      add(entry.active, Purpose::search, "passed and failed: repeated to settle it");
    }
  if (const auto pair = phases->log().contradiction(); pair && !phases->by_sums()) {
    unsettled = true;
    for (std::size_t i : {pair->fail, pair->pass})
      if (const LogEntry& entry = phases->log().entries()[i]; phases->log().worth_repeating(entry))
        add(entry.active, Purpose::search,
            "repeated: a set that is neutralised further fails and this one passes, or the reverse");
  }
  if (unsettled) return trials;

  const Verdict as_is = phases->verdict_of(phases->all());
  if (as_is == Verdict::pass) return trials;
  const int most = phases->log().exact() ? kEndTold : kMostEndVotes;
  if (as_is != Verdict::fail && phases->told(phases->all()) < most)
    add(phases->all(), Purpose::subject_as_is, "the subject as it is must fail");
  if (as_is != Verdict::fail && phases->told(phases->all()) >= most) return trials;
  if (!phases->culprits() && !phases->runnable()) {
    const SuspectSet top = relations.widest(phases->top());
    if (phases->told(top) == 0 || (phases->verdict_of(top) == Verdict::inconclusive && phases->told(top) < most))
      add(top, Purpose::everything_neutralised,
          top.none() ? "with everything neutralised it must pass"
                     : fmt::format("with everything neutralised that can be together and can matter, {} stay active: it "
                                   "must pass",
                                   top.count()));
    return trials;
  }
  if (as_is != Verdict::fail) return trials;

  if (!phases->culprits()) {
    std::vector<SuspectSet> exposed;
    for (const SuspectSet& active : busy) exposed.push_back(~active);
    for (const SuspectSet& set : phases->runnable()->ask(slots, exposed))
      add(~set, Purpose::runnable, fmt::format("does it run with these {} neutralised?", set.count()));
    const SuspectSet& top = phases->always_active();
    if (phases->runnable()->complete() && phases->verdict_of(top) == Verdict::inconclusive && phases->told(top) < most)
      add(top, Purpose::everything_neutralised, "with all neutralised that can be it must pass");
    return trials;
  }
  if (phases->explained() || log.silent_in_a_row() >= kMostSilentInARow) return trials;
  if (phases->by_sums()) {
    for (const SuspectSet& set : phases->sums()->ask(slots, busy)) {
      const bool check = phases->sums()->is_check(set);
      add(set, check ? Purpose::certificate : Purpose::search,
          check ? "checks a claim of the likeliest answer" : "measures a random half of the suspects");
    }
    return trials;
  }
  if (phases->by_causes()) {
    for (const SuspectSet& set : phases->engine()->ask(slots, busy)) {
      const bool check = phases->engine()->is_check(set);
      add(set, check ? Purpose::certificate : Purpose::search,
          check ? "checks a claim of the likeliest answer"
                : fmt::format("splits what is believed: {} active", set.count()),
          check && !log.exact());
    }
    if (!trials.empty() || !pending.empty()) return trials;
  }
  if (!phases->culprits()->complete()) {
    for (const SuspectSet& set : phases->culprits()->ask(slots, busy)) {
      const bool fix = set.count() + phases->culprits()->found().size() == phases->size();
      add(set, fix ? Purpose::certificate : Purpose::search,
          fix ? "is the fix complete?" : fmt::format("is a culprit among these {} active ones?", set.count()));
    }
    if (trials.empty() && pending.empty())
      for (const SuspectSet& set : phases->culprits()->retries())
        if (phases->told(set) < kSilentTold) add(set, Purpose::search, kOnceMore);
    return trials;
  }
  // One trial for every open cause before a second one for any.
  std::vector<const CauseSearch*> open;
  for (const auto& cause : phases->reasons())
    if (!cause->complete()) open.push_back(cause.get());
  for (std::size_t share = 1; share <= slots && trials.size() < slots && !open.empty(); ++share) {
    const std::size_t before = trials.size();
    for (const CauseSearch* cause : open) {
      const auto sets = cause->ask(1, busy);
      if (!sets.empty())
        add(sets.front(), Purpose::certificate,
            cause->members().empty() ? "a trial failed that holds no cause known so far: which one?"
                                     : fmt::format("does #{} fail without the others?", cause->members().front()));
    }
    if (trials.size() == before) break;
  }
  if (trials.empty() && pending.empty())
    for (const CauseSearch* cause : open)
      for (const SuspectSet& set : cause->retries())
        if (phases->told(set) < kSilentTold) add(set, Purpose::certificate, kOnceMore);
  if (const auto fix = cheaper_fix(); !fix.empty() && may_tell(all_but(fix)))
    add(all_but(fix), Purpose::certificate, "would a cheaper fix of the same causes be enough?");
  return trials;
}

std::vector<SuspectId> Search::Impl::found() const {
  if (const auto fix = cheaper_fix(); !fix.empty() && phases->verdict_of(all_but(fix)) == Verdict::pass) return fix;
  if (leads_belief()) return phases->believed()->culprit_set;
  std::vector<SuspectId> ids = phases->culprits() ? phases->culprits()->found() : std::vector<SuspectId>{};
  std::sort(ids.begin(), ids.end());
  return ids;
}

State Search::Impl::state() const {
  if (phases->by_sums())
    return phases->explained() ? State::proved : plan(1, {}).empty() ? State::stuck : State::searching;
  if (phases->log().contradiction()) return plan(1, {}).empty() ? State::contradictory : State::searching;
  if (phases->verdict_of(phases->all()) == Verdict::pass) return State::aligned;
  if (outside()) return State::outside_suspects;
  if (phases->explained()) return State::proved;
  const auto settled = [&](const auto& cause) { return cause->complete() || given_up(*cause); };
  if (phases->culprits() && phases->culprits()->complete() &&
      std::all_of(phases->reasons().begin(), phases->reasons().end(), settled)) {
    const std::vector<SuspectId> cheaper = cheaper_fix();
    return !cheaper.empty() && may_tell(all_but(cheaper)) ? State::searching : State::proved;
  }
  return plan(1, {}).empty() ? State::stuck : State::searching;
}

void Search::Impl::update_answer() {
  answer = {};
  answer.state = state();
  answer.needs_belied = needs_belied;
  answer.guilt.assign(phases->size(), 0.0);
  answer.culprit_set = found();
  for (SuspectId suspect : members_of(phases->always_active()))
    (phases->top().test(suspect) ? answer.excluded : answer.not_neutralisable).push_back(suspect);
  answer.explanation = explanation(*phases, answer.state);
  if (!phases->culprits()) {
    if (answer.state == State::aligned) answer.confidence = 1.0;
    return;
  }
  const bool believed = leads_belief();
  answer.guilt = phases->by_sums() ? phases->sums()->guilt()
                 : believed       ? phases->engine()->guilt()
                                  : phases->culprits()->guilt();
  answer.confidence = believed ? phases->believed()->mass : phases->culprits()->none_left();
  if (believed)
    answer.causes = phases->believed()->causes;
  else if (phases->culprits()->complete())
    answer.causes = named_causes();
  std::sort(answer.causes.begin(), answer.causes.end());
  answer.certificate = certificate(phases->log(), phases->relations(), phases->always_active(), answer.culprit_set, answer.causes);
  for (Claim& claim : answer.certificate) claim.neutralised = ~phases->relations().widest(~claim.neutralised);
  if (answer.state == State::proved) answer.confidence = confidence_in(answer.certificate);
  if (answer.state != State::searching) return;
  double open = 0;
  for (const auto& cause : phases->reasons()) open += cause->complete() ? 0 : 1;
  const double explaining = phases->culprits()->complete() ? open : static_cast<double>(answer.culprit_set.size() + 1);
  answer.trials_left_low = phases->culprits()->trials_left() + (phases->culprits()->complete() ? open : 0.0);
  answer.trials_left_high =
      2 * phases->culprits()->trials_left() + explaining * (1 + std::log2(static_cast<double>(phases->size())));
}

Search::Search(Problem problem, EngineKind engine) : impl_(std::make_unique<Impl>(std::move(problem), engine)) {}
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;

void Search::tell(const Evidence& evidence) { impl_->tell(evidence); }

std::vector<Trial> Search::ask(std::size_t slots, std::span<const SuspectSet> pending) {
  return impl_->plan(slots, pending);
}

std::string Search::so_far() const {
  const std::vector<Trial> next = impl_->plan(1, {});
  return progress(*impl_->phases, answer(), next.empty() ? nullptr : &next.front());
}

const Answer& Search::answer() const {
  if (impl_->stale) impl_->update_answer();
  impl_->stale = false;
  return impl_->answer;
}

}  // namespace bisectd::strategies
