// Starts the engine of the next phase as soon as the evidence ends the one before, and rebuilds when a verdict that was
// built upon is revised.
#include "strategies/phases.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "strategies/causes/engine.hpp"
#include "strategies/effects.hpp"
#include "strategies/patience.hpp"
#include "strategies/prior.hpp"
#include "strategies/signatures/engine.hpp"

namespace bisectd::strategies {
namespace {

constexpr std::size_t kMostFurtherCauses = 8;  // named beside one for each culprit

}  // namespace

Phases::Phases(Problem problem, EngineKind engine)
    : problem_(std::move(problem)),
      kind_(engine),
      all_(as_it_is(problem_.suspects.size())),
      least_active_(SuspectSet(all_.size())),
      odds_(believed_odds(problem_.suspects)),
      log_(all_.size(), problem_.flip_probability, 1 - problem_.confidence),
      even_odds_(all_.size(), 1.0),
      always_active_(SuspectSet(all_.size())) {
  for (SuspectId suspect = 0; suspect < size(); ++suspect)
    if (problem_.suspects[suspect].stays_active) least_active_.set(suspect);
}

Verdict Phases::verdict_of(const Active& active) const {
  const LogEntry* entry = entry_of(active);
  return entry ? entry->verdict : Verdict::unresolved;
}

bool Phases::fails_neutralised() const {
  const bool runs = !breaking_ || breaking_->complete();
  return verdict_of(all_) == Verdict::fail && runs && verdict_of(always_active_) == Verdict::fail;
}

bool Phases::weigh() {
  if (!std::exchange(unweighed_, false)) return false;
  if (signatures_) signatures_->hear();
  advance();
  return true;
}

void Phases::tell(const Evidence& evidence) {
  const LogEntry* told_before = log_.find(active_beside(evidence.neutralised));
  const bool was_hidden = hidden_by_noise(log_, told_before);
  const std::optional<EvidenceLog::Change> change = log_.tell(evidence);
  unweighed_ = true;
  if (!change) return;
  const LogEntry& entry = log_.entries()[change->entry];
  if (causes_) causes_->hear();
  const bool changed = change->fresh || change->before != entry.verdict || (!was_hidden && hidden_by_noise(log_, &entry));
  // A search may have begun while it was open whether everything neutralised passes: it counts as built upon, too.
  const bool end = ordered_ && entry.active == always_active_;
  const bool built_upon =
      !change->fresh && (decided(change->before) || end || (breaking_ && change->before == Verdict::unresolved));
  if (change->others || (changed && built_upon)) {
    rebuild();
  } else {
    if (changed) take_in(entry);
    advance();
  }
  if (!problem_.flip_probability) estimate_flip();
}

// How much every verdict weighs follows from that, those told long ago too.
void Phases::estimate_flip() {
  constexpr double kStep = 0.05;  // of it: weighing again has its price
  const double flip = log_.believed_flip();
  if (std::abs(flip - log_.flip()) <= kStep * log_.flip()) return;
  const bool revised = log_.set_flip(flip);
  unweighed_ = true;
  if (causes_) causes_->hear();
  if (revised) rebuild();
}

std::optional<Contradiction> Phases::contradiction() const {
  return log_.contradiction([&](const LogEntry& fail, const LogEntry& pass) {
    return makes_up(pass) || (signatures_ && any_within(signatures_->finding().only_beside_others, fail.active));
  });
}

bool Phases::makes_up(const LogEntry& entry) const {
  return entry.verdict == Verdict::pass && fails_neutralised() &&
         is_still_off(log_.measured(all_), log_.measured(entry.active));
}

Phase Phases::phase() const {
  if (contradiction() ||
      std::ranges::any_of(log_.entries(), [&](const LogEntry& entry) { return is_disputed(log_, entry); }))
    return Phase::settling;
  const LogEntry* as_is = entry_of(all_);
  const Verdict verdict = verdict_of(all_);
  if (verdict == Verdict::pass || (verdict != Verdict::fail && !worth_asking(log_, as_is))) return Phase::over;
  if (!ordered_ && fails_neutralised()) return Phase::in_part;
  if (verdict != Verdict::fail || (!ordered_ && !breaking_)) return Phase::both_ends;
  if (!ordered_) return Phase::runnable;
  if (finding_proved() || all_is_silent(log_, problem_.slots, as_is)) return Phase::over;
  if (leading_engine()) return Phase::engine_asks;
  return ordered_->complete() ? Phase::naming : Phase::bisecting;
}

// One entry as the two bisections see it. A crash hits for `breaking`; any run that came to its end is clear, whatever its
// verdict.
//
// With noise a set says nothing to `ordered` only once it is not worth asking any more; until then it is simply not known.
void Phases::take_in(const LogEntry& entry) {
  const Verdict verdict = entry.verdict;
  const bool crashed = verdict == Verdict::unresolved;
  for_breaking_.push_back({neutralised_beside(entry.active), crashed ? Outcome::hit : Outcome::clear});
  if (breaking_) breaking_->observe(for_breaking_.back());
  if (!log_.exact() && verdict == Verdict::inconclusive && worth_asking(log_, &entry)) return;
  for_ordered_.push_back({entry.active, verdict == Verdict::fail   ? Outcome::hit
                                        : verdict == Verdict::pass ? Outcome::clear
                                                                   : Outcome::nothing});
  if (ordered_) ordered_->observe(for_ordered_.back());
  for (const auto& cause : cause_searches_) cause->observe(for_ordered_.back());
}

// `causes` weighs every verdict by itself and stays, unless what cannot be neutralised is no longer the same.
void Phases::rebuild() {
  const Active before = always_active_;
  breaking_.reset();
  ordered_.reset();
  cause_searches_.clear();
  for_ordered_.clear();
  for_breaking_.clear();
  always_active_.reset();
  for (const LogEntry& entry : log_.entries()) take_in(entry);
  advance();
  const bool same = before == always_active_ && ordered_;
  if (!same) causes_.reset();
  if (!same || (signatures_ && !signatures_->misfit())) signatures_.reset();  // it built upon verdicts
  advance();
}

// What stays active in every trial; false while that is not known.
bool Phases::choose_always_active() {
  if (!breaking_ && entry_of(least_active()) && verdict_of(least_active()) == Verdict::unresolved)
    breaking_ = std::make_unique<Bisection>(even_odds_, std::span<const Suspect>{}, SuspectSet(size()), least_active(),
                                            for_breaking_, problem_.seed + 1);
  if (breaking_ && !breaking_->complete()) return false;
  always_active_ = least_active();
  if (breaking_)
    for (SuspectId suspect : breaking_->found()) always_active_.set(suspect);
  return true;
}

// Whether everything neutralised passes may stay open: whatever passes with more active shows it as well.
bool Phases::may_pass_neutralised() const {
  const LogEntry* entry = entry_of(always_active_);
  return entry && (entry->verdict == Verdict::pass || may_stay_open(log_, *entry));
}

// An engine begins with all that was told already, so that it does not matter when it is started (but for trials:
// `signatures` remembers a fix that passed while it believed in it).
void Phases::advance() {
  if (verdict_of(all_) != Verdict::fail) return;
  if (!choose_always_active() || !may_pass_neutralised()) return;
  if (!ordered_)
    ordered_ = std::make_unique<Bisection>(odds_, problem_.suspects, always_active_, SuspectSet(size()), for_ordered_,
                                           problem_.seed + 2);
  if (signatures_ && signatures_->misfit() && !handed_over_) return hand_over();
  if (!signatures_ && wants_signatures()) signatures_ = std::make_unique<signatures::Engine>(problem_, always_active_, log_);
  if (!causes_ && !leading_engine() && wants_causes())
    causes_ = std::make_unique<causes::Engine>(problem_, always_active_, log_);
  if (finding_proved()) return;
  if (ordered_->complete()) look_for_causes();
}

// A culprit has one cause here, but may be in several: those are met when a trial fails that holds none of the known ones.
// A member of the fix is in each of them, so these stand first, where they cost least.
void Phases::look_for_causes() {
  if (cause_searches_.empty())
    for (SuspectId culprit : ordered_->found())
      cause_searches_.push_back(std::make_unique<Bisection>(odds_, always_active_, culprit, ordered_->others(), for_ordered_,
                                                            problem_.seed + 3 + culprit));
  while (cause_searches_.size() < ordered_->found().size() + kMostFurtherCauses &&
         std::ranges::all_of(cause_searches_, [](const auto& cause) { return cause->complete(); })) {
    const std::optional<Active> failing = unexplained();
    if (!failing) return;
    std::vector<SuspectId> order = ordered_->found();
    for (SuspectId other : ordered_->others()) order.push_back(other);
    std::erase_if(order, [&](SuspectId suspect) { return !failing->test(suspect) || always_active_.test(suspect); });
    cause_searches_.push_back(std::make_unique<Bisection>(odds_, always_active_, std::nullopt, std::move(order),
                                                          for_ordered_,
                                                          problem_.seed + 3 + size() + cause_searches_.size()));
  }
}

std::optional<Active> Phases::unexplained() const {
  if (!log_.exact() || cause_searches_.empty()) return std::nullopt;
  std::vector<SuspectSet> causes;
  for (const auto& search : cause_searches_) {
    if (!search->complete()) return std::nullopt;
    causes.emplace_back(size());
    for (SuspectId member : search->found()) causes.back().set(member);
    causes.back() -= always_active_;
  }
  for (const Observation& seen : for_ordered_)
    if (seen.outcome == Outcome::hit &&
        std::ranges::none_of(causes, [&](const SuspectSet& cause) { return cause.is_subset_of(seen.exposed); }))
      return Active(seen.exposed);
  return std::nullopt;
}

const Engine* Phases::leading_engine() const {
  for (const Engine* engine : {signatures_.get(), causes_.get()})
    if (engine && !engine->misfit()) return engine;
  return nullptr;
}

// What signatures made likely stands first for the engines that go on.
void Phases::hand_over() {
  constexpr double kLikelier =
      1000;  // times the odds of a suspect that is certain: about as much as all others of 1,000 together
  handed_over_ = true;
  const std::vector<double> guilt = signatures_->guilt();
  causes_.reset();
  ordered_.reset();
  cause_searches_.clear();
  for (SuspectId suspect = 0; suspect < size(); ++suspect) problem_.suspects[suspect].odds *= 1 + kLikelier * guilt[suspect];
  odds_ = believed_odds(problem_.suspects);
  advance();
}

// Where the subject as it is differs from the first steps on.
bool Phases::wants_signatures() const {
  if (kind_ != EngineKind::automatic || always_active_.count() == size()) return false;
  return std::ranges::any_of(log_.told(), [&](const Told& told) {
    return told.active == all_ && signatures::differs_clearly(told.evidence.signature);
  });
}

// One slot and exact verdicts: `ordered` needs as few trials, and is trusted for every monotone predicate.
bool Phases::wants_causes() const {
  const std::size_t searched = size() - always_active_.count();
  if (kind_ == EngineKind::ordered || searched == 0) return false;
  return kind_ == EngineKind::causes || problem_.slots > 1 || !log_.exact();
}

}  // namespace bisectd::strategies
