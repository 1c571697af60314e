// The search itself: from the phases that the evidence has reached to the next trials, and to the answer so far.
#include "strategies/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "strategies/asking_again.hpp"
#include "strategies/certificate.hpp"
#include "strategies/fix.hpp"
#include "strategies/outage.hpp"
#include "strategies/phases.hpp"
#include "strategies/wording.hpp"

namespace bisectd::strategies {
namespace {

constexpr const char* kOnceMore = "said nothing before and would decide: once more";

}  // namespace

class Search::Impl {
 public:
  Impl(Problem problem, EngineKind engine);

  std::vector<Trial> plan(std::size_t slots, std::span<const SuspectSet> pending) const;
  std::vector<Trial> next_trials(std::size_t slots, std::span<const SuspectSet> pending) const;
  std::vector<Trial> repeats(std::size_t slots) const;
  void update_answer();

  void tell(const Evidence& evidence);

  std::unique_ptr<Phases> phases;
  Answer answer;
  bool stale = false;

 private:
  /// Whether an engine that believes, rather than `ordered`, gives the answer.
  bool leads_belief() const;
  bool ordered_proved() const;
  std::vector<SuspectId> found() const;
  std::vector<std::vector<SuspectId>> named_causes() const;
  std::vector<SuspectId> cheaper_fix() const;
  SuspectSet all_but(const std::vector<SuspectId>& fix) const {
    SuspectSet active = phases->all();
    for (SuspectId suspect : fix) active.reset(suspect);
    return phases->relations().effective(std::move(active));
  }
  bool worth(const SuspectSet& active) const { return worth_asking(phases->log(), phases->entry_of(active)); }
  bool ordered_done() const;
  std::vector<Claim> open_claims() const;
  bool may_prove(const Claim& claim) const;
  std::vector<SuspectSet> deciding() const;
  State state();
  void name_hindrance();
  void describe_culprits();
  bool given_up(const CauseSearch& cause) const;
  bool belies_needs(const SuspectSet& active, const SuspectSet& top) const;
  bool outside() const;

  void begin_again(Problem problem);

  EngineKind kind;
  bool uses_needs;             // that some suspects matter only with others
  bool needs_belied = false;
  Outage outage;
  std::vector<Evidence> told;
  bool only_repeats = false;  // are left to be asked, of what the noise hides
  std::size_t told_until_last_run = 0;  // of these, with the last one that came to its end
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
  told.push_back(evidence);
  const bool ran = evidence.verdict != Verdict::unresolved;
  if (outage.tell(evidence.neutralised.none(), ran)) {
    told.erase(told.begin() + static_cast<std::ptrdiff_t>(told_until_last_run), told.end() - 1);
    begin_again(phases->problem());
  }
  if (ran) told_until_last_run = told.size();
  if (!uses_needs || !belies_needs(~evidence.neutralised, top)) return;
  uses_needs = false;
  needs_belied = true;
  begin_again(without_needs(phases->problem()));
}

void Search::Impl::begin_again(Problem problem) {
  phases = std::make_unique<Phases>(std::move(problem), kind);
  for (const Evidence& each : told) phases->tell(each);
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
  return std::ranges::none_of(cause.retries(), [&](const SuspectSet& set) { return worth(set); });
}

// The set is found, and every cause named that can be.
bool Search::Impl::ordered_done() const {
  return phases->culprits() && phases->culprits()->complete() &&
         std::ranges::all_of(phases->reasons(), [&](const auto& cause) { return cause->complete() || given_up(*cause); });
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

// With noise `ordered` may have come to its end by verdicts that carry no proof yet.
bool Search::Impl::leads_belief() const {
  if (phases->explained() || phases->by_sums()) return true;
  if (!phases->by_causes()) return false;
  return phases->log().exact() ? !phases->culprits()->complete() : !ordered_proved();
}

bool Search::Impl::ordered_proved() const {
  if (!ordered_done()) return false;
  if (phases->log().exact()) return true;
  std::vector<SuspectId> set = phases->culprits()->found();
  std::sort(set.begin(), set.end());
  const auto claims = certificate(phases->log(), phases->relations(), phases->always_active(), set, named_causes());
  return std::ranges::none_of(claims, [&](const Claim& claim) {
    const bool about_set = claim.kind == Claim::Kind::fix_passes || claim.kind == Claim::Kind::member_needed;
    return !claim.proved && (about_set || may_prove(claim));
  });
}

// Whether trials may still prove it: with noise a set that came out as it should may need more votes.
bool Search::Impl::may_prove(const Claim& claim) const {
  const LogEntry* entry = phases->log().find(~claim.neutralised);
  return worth(~claim.neutralised) || (!phases->log().exact() && entry && entry->verdict == claim.expected);
}

// Of the answer as it is: what is still to be proved. That a member is needed is shown by its cause, which fails alone,
// so it stands behind.
std::vector<Claim> Search::Impl::open_claims() const {
  const std::vector<std::vector<SuspectId>> causes = leads_belief() ? phases->believed()->causes : named_causes();
  std::vector<Claim> open = certificate(phases->log(), phases->relations(), phases->always_active(), found(), causes);
  std::erase_if(open, [](const Claim& claim) { return claim.proved; });
  std::ranges::stable_partition(open, [](const Claim& claim) { return claim.kind != Claim::Kind::member_needed; });
  return open;
}

// What would decide, were it not for the noise: the ends, then what the answer rests on.
std::vector<SuspectSet> Search::Impl::deciding() const {
  std::vector<SuspectSet> sets;
  if (phases->log().exact()) return sets;
  const auto add = [&](const SuspectSet& active) {
    const LogEntry* entry = phases->entry_of(active);
    if (entry && entry->verdict == Verdict::inconclusive) sets.push_back(active);
  };
  add(phases->all());
  add(phases->always_active());
  if (!phases->culprits()) return sets;
  for (const Claim& claim : open_claims()) add(~claim.neutralised);
  if (!phases->culprits()->complete())
    for (const SuspectSet& set : phases->culprits()->retries()) add(set);
  return sets;
}

std::vector<Trial> Search::Impl::plan(std::size_t slots, std::span<const SuspectSet> pending) const {
  std::vector<Trial> trials = next_trials(slots, pending);
  return trials.empty() && pending.empty() ? repeats(slots) : trials;
}

// When there is nothing else to ask, what the noise hides is asked again; where a budget ends the search, until then.
std::vector<Trial> Search::Impl::repeats(std::size_t slots) const {
  std::vector<Trial> trials;
  std::vector<SuspectSet> sets = deciding();
  if (!phases->problem().budgeted) std::erase_if(sets, [&](const SuspectSet& active) { return !worth(active); });
  std::ranges::stable_sort(sets, {}, [&](const SuspectSet& active) { return phases->entry_of(active)->told(); });
  for (const SuspectSet& active : sets) {
    if (trials.size() == slots) break;
    const SuspectSet neutralised = ~phases->relations().widest(active);
    if (std::ranges::count(trials, neutralised, &Trial::neutralised)) continue;
    trials.push_back({neutralised, Purpose::certificate,
                      fmt::format("would decide, but the noise hid it {} times", phases->entry_of(active)->told())});
  }
  return trials;
}

std::vector<Trial> Search::Impl::next_trials(std::size_t slots, std::span<const SuspectSet> pending) const {
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

  if (outage.check_due())
    add(phases->all(), Purpose::runnable, "one trial after the other broke: does the subject as it is still run?");
  if (outage.on()) return trials;

  // Evidence that contradicts itself comes before anything that would build on it.
  bool unsettled = false;
  const EvidenceLog& log = phases->log();
  for (const LogEntry& entry : log.entries())
    if (log.exact() && entry.disputed() && entry.verdict == Verdict::inconclusive && worth_settling(log, entry)) {
      unsettled = true;
      add(entry.active, Purpose::search, "passed and failed: repeated to settle it");
    }
  if (const auto pair = phases->log().contradiction(); pair && !phases->by_sums()) {
    unsettled = true;
    for (std::size_t i : {pair->fail, pair->pass})
      if (const LogEntry& entry = phases->log().entries()[i]; worth_settling(log, entry))
        add(entry.active, Purpose::search,
            "repeated: a set that is neutralised further fails and this one passes, or the reverse");
  }
  if (unsettled) return trials;

  const Verdict as_is = phases->verdict_of(phases->all());
  if (as_is == Verdict::pass) return trials;
  if (as_is != Verdict::fail && !worth(phases->all())) return trials;
  if (as_is != Verdict::fail) add(phases->all(), Purpose::subject_as_is, "the subject as it is must fail");
  if (!phases->culprits() && !phases->runnable()) {
    const SuspectSet top = relations.widest(phases->top());
    if (worth(top))
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
    if (phases->runnable()->complete() && worth(top))
      add(top, Purpose::everything_neutralised, "with all neutralised that can be it must pass");
    return trials;
  }
  if (phases->explained() || all_is_silent(log, phases->problem().slots, log.find(phases->all()))) return trials;
  if (phases->by_sums()) {  // always has something to ask, or leads no more
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
    // What it believes needs no other way to find it, only better verdicts.
    if (std::ranges::any_of(open_claims(), [&](const Claim& claim) {
          return hidden_by_noise(log, log.find(~claim.neutralised));
        }))
      return trials;
  }
  if (!phases->culprits()->complete()) {
    for (const SuspectSet& set : phases->culprits()->ask(slots, busy)) {
      const bool fix = set.count() + phases->culprits()->found().size() == phases->size();
      add(set, fix ? Purpose::certificate : Purpose::search,
          fix ? "is the fix complete?" : fmt::format("is a culprit among these {} active ones?", set.count()));
    }
    if (trials.empty() && pending.empty())
      for (const SuspectSet& set : phases->culprits()->retries())
        if (worth(set)) add(set, Purpose::search, kOnceMore);
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
        if (worth(set)) add(set, Purpose::certificate, kOnceMore);
  if (trials.empty() && pending.empty() && !log.exact()) {
    const std::vector<Claim> claims = open_claims();
    const auto next = std::ranges::find_if(claims, [&](const Claim& claim) { return may_prove(claim); });
    if (next != claims.end()) add(~next->neutralised, Purpose::certificate, "checks a claim of the answer");
  }
  if (const auto fix = cheaper_fix(); !fix.empty() && worth(all_but(fix)))
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

State Search::Impl::state() {
  only_repeats = false;
  if (phases->by_sums())
    return phases->explained() ? State::proved : next_trials(1, {}).empty() ? State::stuck : State::searching;
  if (phases->log().contradiction()) return next_trials(1, {}).empty() ? State::contradictory : State::searching;
  if (phases->verdict_of(phases->all()) == Verdict::pass) return State::aligned;
  if (outside()) return State::outside_suspects;
  if (phases->explained()) return State::proved;
  if (!leads_belief() && ordered_done()) {
    const std::vector<SuspectId> cheaper = cheaper_fix();
    if (!cheaper.empty() && worth(all_but(cheaper))) return State::searching;
    if (ordered_proved()) return State::proved;
  }
  if (!next_trials(1, {}).empty()) return State::searching;
  only_repeats = true;
  return repeats(1).empty() ? State::stuck : State::searching;
}

void Search::Impl::name_hindrance() {
  if (outage.on()) answer.hindrance = Hindrance::outage;
  if (outage.on() || (answer.state != State::stuck && answer.state != State::searching)) return;
  if (answer.state == State::searching && !only_repeats) return;
  const std::vector<SuspectSet> sets = deciding();
  if (sets.empty()) {
    if (answer.state == State::stuck) answer.hindrance = Hindrance::crashes;
    return;
  }
  answer.hindrance = Hindrance::noise;
  // What the answer rests on stands behind the ends.
  const LogEntry* entry = phases->entry_of(sets.back());
  answer.hidden = hidden_in(phases->log(), *entry);
  answer.hidden->neutralised = ~phases->relations().widest(entry->active);
}

void Search::Impl::update_answer() {
  answer = {};
  answer.state = state();
  name_hindrance();
  answer.needs_belied = needs_belied;
  answer.guilt.assign(phases->size(), 0.0);
  answer.culprit_set = found();
  for (SuspectId suspect : members_of(phases->always_active()))
    (phases->top().test(suspect) ? answer.excluded : answer.not_neutralisable).push_back(suspect);
  if (phases->culprits()) describe_culprits();
  else if (answer.state == State::aligned) answer.confidence = 1.0;
  answer.explanation = explanation(*phases, answer);
}

void Search::Impl::describe_culprits() {
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
  return answer().state == State::searching ? impl_->plan(slots, pending) : std::vector<Trial>{};
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
