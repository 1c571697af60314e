// Every function here appends trials until the slots are full.
#include "strategies/planning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "strategies/patience.hpp"
#include "strategies/standing.hpp"

namespace bisectd::strategies {
namespace {

constexpr const char* kOnceMore = "said nothing before and would decide: once more";

class Planner {
 public:
  Planner(const Phases& phases, std::size_t slots, std::span<const Neutralised> pending)
      : phases_(phases), standing_(phases), slots_(slots), waits_(!pending.empty()), busy_(pending.begin(), pending.end()) {}

  std::vector<Trial> plan(const Outage& outage);

 private:
  const EvidenceLog& log() const { return phases_.log(); }
  const Active& all() const { return phases_.all_active(); }
  bool idle() const { return trials_.empty() && !waits_; }
  std::vector<SuspectSet> exposed() const;  // those that are busy, as a bisection for culprits sees them
  void add(const Active& active, Purpose purpose, std::string reason) {
    add({neutralised_beside(active), purpose, std::move(reason)});
  }
  void add(Trial trial, bool twice = false);

  void ask_disputed();
  void ask_both_ends();
  void find_unneutralisable();
  void neutralise_in_part();
  bool ask_engine();
  void bisect();
  void name_causes();
  void prove();

  const Phases& phases_;
  const Standing standing_;
  std::size_t slots_;
  bool waits_;                     // some trials are on their way
  std::vector<Neutralised> busy_;  // those, and what is planned
  std::vector<Trial> trials_;
};

std::vector<SuspectSet> Planner::exposed() const {
  std::vector<SuspectSet> exposed;
  for (const Neutralised& set : busy_) exposed.push_back(active_beside(set));
  return exposed;
}

void Planner::add(Trial trial, bool twice) {
  if (trials_.size() >= slots_ || (!twice && std::ranges::count(busy_, trial.neutralised) > 0)) return;
  busy_.push_back(trial.neutralised);
  trials_.push_back(std::move(trial));
}

std::vector<Trial> Planner::plan(const Outage& outage) {
  if (outage.check_due())
    add(all(), Purpose::runnable, "one trial after the other broke: does the subject as it is still run?");
  if (outage.on()) return trials_;
  switch (phases_.phase()) {
    case Phase::settling: ask_disputed(); break;
    case Phase::both_ends: ask_both_ends(); break;
    case Phase::runnable: find_unneutralisable(); break;
    case Phase::in_part: neutralise_in_part(); break;
    case Phase::engine_asks:
      if (ask_engine()) break;
      [[fallthrough]];
    case Phase::bisecting:
    case Phase::naming: phases_.ordered()->complete() ? name_causes() : bisect(); break;
    case Phase::over: break;
  }
  return std::move(trials_);
}

/// Evidence that contradicts itself comes before anything that would build on it.
void Planner::ask_disputed() {
  for (const LogEntry& entry : log().entries())
    if (is_disputed(log(), entry)) add(entry.active, Purpose::search, "passed and failed: repeated to settle it");
  if (const auto pair = phases_.contradiction(); pair)
    for (std::size_t i : {pair->fail, pair->pass})
      if (const LogEntry& entry = log().entries()[i]; worth_settling(log(), entry))
        add(entry.active, Purpose::search,
            "repeated: a set that is neutralised further fails and this one passes, or the reverse");
}

void Planner::ask_both_ends() {
  if (phases_.verdict_of(all()) != Verdict::fail) add(all(), Purpose::subject_as_is, "the subject as it is must fail");
  if (phases_.ordered() || phases_.breaking()) return;
  const Active& least = phases_.least_active();
  if (standing_.worth_asking(least))
    add(least, Purpose::everything_neutralised,
        least.none() ? "with everything neutralised it must pass"
                     : fmt::format("with everything neutralised that may be, {} stay active: it must pass", least.count()));
}

void Planner::find_unneutralisable() {
  for (const SuspectSet& set : phases_.breaking()->ask(slots_, std::vector<SuspectSet>(busy_.begin(), busy_.end())))
    add({Neutralised(set), Purpose::runnable, fmt::format("does it run with these {} neutralised?", set.count())});
  const Active& kept = phases_.always_active();
  if (phases_.breaking()->complete() && standing_.worth_asking(kept))
    add(kept, Purpose::everything_neutralised, "with all neutralised that can be it must pass");
}

void Planner::neutralise_in_part() {
  for (const Active& active : standing_.open_parts())
    add(active, Purpose::search,
        fmt::format("with everything neutralised it fails, which neutralising one of them may cause: does it pass with only "
                    "{} neutralised?",
                    phases_.size() - active.count()));
}

/// False if the leader leaves it to `ordered`.
bool Planner::ask_engine() {
  // Where verdicts are noisy a claim needs several that agree: all of them at once, as far as the engine asks for them.
  for (Trial& trial : phases_.leading_engine()->ask(slots_, busy_))
    add(std::move(trial), !log().exact() && trial.purpose == Purpose::certificate);
  if (!idle()) return true;
  // What it believes needs no other way to find it, only better verdicts.
  return std::ranges::any_of(standing_.open_claims(), [&](const Claim& claim) {
    return hidden_by_noise(log(), log().find(active_beside(claim.neutralised)));
  });
}

void Planner::bisect() {
  for (const SuspectSet& set : phases_.ordered()->ask(slots_, exposed())) {
    const bool fix = set.count() + phases_.ordered()->found().size() == phases_.size();
    add(Active(set), fix ? Purpose::certificate : Purpose::search,
        fix ? "is the fix complete?" : fmt::format("is a culprit among these {} active ones?", set.count()));
  }
  if (!idle()) return;
  for (const SuspectSet& set : phases_.ordered()->retries())
    if (standing_.worth_asking(Active(set))) add(Active(set), Purpose::search, kOnceMore);
}

/// One trial for every open cause before a second one for any.
void Planner::name_causes() {
  while (trials_.size() < slots_) {
    const std::size_t before = trials_.size();
    for (const auto& cause : phases_.cause_searches())
      for (const SuspectSet& set : cause->ask(1, exposed()))
        add(Active(set), Purpose::certificate,
            cause->found().empty() ? "a trial failed that holds no cause known so far: which one?"
                                   : fmt::format("what does #{} need beside it to fail?", cause->found().front()));
    if (trials_.size() == before) break;
  }
  if (idle())
    for (const auto& cause : phases_.cause_searches())
      for (const SuspectSet& set : cause->retries())
        if (standing_.worth_asking(Active(set))) add(Active(set), Purpose::certificate, kOnceMore);
  prove();
}

void Planner::prove() {
  if (idle()) {
    const std::vector<Claim> claims = standing_.open_claims();
    const auto next = std::ranges::find_if(claims, [&](const Claim& claim) { return standing_.may_prove(claim); });
    if (next != claims.end()) add(active_beside(next->neutralised), Purpose::certificate, "checks a claim of the answer");
  }
  if (const auto fix = standing_.cheaper_fix(); !fix.empty() && standing_.worth_asking(standing_.all_but(fix)))
    add(standing_.all_but(fix), Purpose::certificate, "would a cheaper fix of the same causes be enough?");
}

}  // namespace

std::vector<Trial> next_trials(const Phases& phases, const Outage& outage, std::size_t slots,
                               std::span<const Neutralised> pending) {
  return Planner(phases, slots, pending).plan(outage);
}

std::vector<Trial> repeats(const Phases& phases, std::size_t slots) {
  const Standing standing(phases);
  std::vector<Trial> trials;
  std::vector<Active> sets = standing.deciding();
  // Verdicts that are never wrong come out the same every time.
  if (!phases.problem().budgeted || phases.log().exact())
    std::erase_if(sets, [&](const Active& active) { return !standing.worth_asking(active); });
  std::ranges::stable_sort(sets, {}, [&](const Active& active) { return phases.entry_of(active)->told(); });
  for (const Active& active : sets) {
    if (trials.size() == slots) break;
    const Neutralised neutralised = neutralised_beside(active);
    if (std::ranges::count(trials, neutralised, &Trial::neutralised)) continue;
    trials.push_back({neutralised, Purpose::certificate,
                      fmt::format("would decide, but the noise hid it {} times", phases.entry_of(active)->told())});
  }
  return trials;
}

}  // namespace bisectd::strategies
