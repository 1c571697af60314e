// From tests to particles, from particles to findings, from findings to checks and pools.
#include "strategies/causes/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "strategies/asking_again.hpp"
#include "strategies/causes/design.hpp"
#include "strategies/certificate.hpp"
#include "strategies/fix.hpp"
#include "strategies/logarithm.hpp"

namespace bisectd::strategies::causes {
namespace {

// Halved and doubled: docs/search.md, "How much the other constants matter".
constexpr std::size_t kMostParticles = 3000, kParticlesPerSuspect = 8, kLeastParticles = 64;
constexpr std::size_t kManySlots = 16, kMostOfManySlots = 1500;  // a round of many tests must not take longer
constexpr std::size_t kMovesPerRound = 40;                       // of every particle, shared by the tests of one round
constexpr std::size_t kLeastMoves = 5;                           // per test
constexpr double kGateOne = 0.6, kGateSeveral = 0.18;            // posterior from which a finding's checks are run
constexpr double kLeastMass = 0.02;                              // of a finding that is looked at
constexpr double kExactDoubt = 1e-9;  // of an outcome that is never wrong: keeps the chain reversible
constexpr std::size_t kMostVotesAtOnce = 4;
constexpr double kLikely = 0.5;  // share from which a finding's checks are run as often at once as must agree

}  // namespace

Engine::Engine(const Problem& problem, Active always_active, const EvidenceLog& log)
    : problem_(problem),
      searched_(std::move(always_active)),
      log_(log),
      tests_(searched_.size()),
      particles_(tests_, searched_.odds(problem), log.exact(),
                 std::clamp(kParticlesPerSuspect * searched_.size(), kLeastParticles,
                            problem.slots > kManySlots ? kMostOfManySlots : kMostParticles),
                 problem.seed + 11),
      most_silent_(most_silent_sets(problem.slots)) {
  for (SuspectId suspect : searched_.ids()) price_.push_back(problem_.suspects[suspect].price);
  hear();
  review();
}

void Engine::hear() {
  for (; heard_ < log_.told().size(); ++heard_)
    if (log_.told()[heard_].entry) take_in(log_.told()[heard_]);
}

// A failure tells also where a suspect was neutralised that is always active now.
void Engine::take_in(const Told& told) {
  if (misfit()) return check_proof(log_.entries()[*told.entry]);
  silent_in_a_row_ = !log_.silent(told) ? 0 : silent_in_a_row_ + (told.first ? 1 : 0);
  if (log_.doubt(told) >= 0.5) return;
  if (!told.leans_to_fail() && !searched_.is_comparable(told.active)) return;
  tests_.add(searched_.places(told.active), told.leans_to_fail(), doubt_ratio(told));
  of_test_.push_back(heard_);
  particles_.absorb(std::max(kLeastMoves, kMovesPerRound / std::max<std::size_t>(problem_.slots, 1)));
  review();
}

// What can take in no more can still be refuted.
void Engine::check_proof(const LogEntry& latest) {
  if (findings_.empty()) return;  // nothing was believed yet
  Finding& proved = findings_.front();
  const auto active = [&](const std::vector<SuspectId>& cause) {
    return std::ranges::all_of(cause, [&](SuspectId member) { return latest.active.test(member); });
  };
  if (!proved.proved) return;
  proved.proved =
      (latest.verdict != Verdict::fail || std::ranges::any_of(proved.causes, active)) &&
      std::ranges::all_of(certificate(log_, searched_.always_active(), proved.culprit_set, proved.causes), &Claim::proved);
}

double Engine::doubt_ratio(const Told& told) const {
  const double wrong = std::max(log_.doubt(told), kExactDoubt);
  return wrong / (1 - wrong);
}

// The particles stay: the moves to come carry them to the new posterior, which is near.
void Engine::weigh_again() {
  for (std::size_t test = 0; test < of_test_.size(); ++test)
    tests_.set_doubt(test, doubt_ratio(log_.told()[of_test_[test]]));
  review();
}

std::optional<Flips> Engine::expected_flips() const {
  TestSet ordinary;
  Flips flips;
  for (std::size_t test = 0; test < of_test_.size(); ++test)
    if (log_.doubt(log_.told()[of_test_[test]]) == log_.flip()) {
      ordinary.word[test / 64] |= Word{1} << (test % 64);
      flips.of += 1;
    }
  flips.wrong = particles_.mean_mismatches(ordinary);
  return flips;
}

// Verdicts that, all as expected, prove the claim.
std::size_t Engine::votes_missing(const Claim& claim) const {
  if (log_.exact()) return 1;
  const double flip = log_.flip(), each = portable_log2((1 - flip) / flip);
  const double missing = std::max(log_.needed_bits() - claim.bits, each / 2);
  return static_cast<std::size_t>(std::ceil(missing / each));
}

void Engine::review() {
  findings_.clear();
  checks_.clear();
  const double gate = problem_.slots > 1 ? kGateSeveral : kGateOne;
  for (const Particles::Likely& likely : particles_.likely(kLeastMass)) {
    Finding finding;
    finding.mass = likely.mass;
    for (const Cause& cause : likely.explanation) {
      std::vector<SuspectId> members;
      for (std::uint16_t member : cause) members.push_back(searched_.id(member));
      finding.causes.push_back(members);
    }
    std::sort(finding.causes.begin(), finding.causes.end());
    finding.culprit_set = cheapest_fix(finding.causes, problem_.suspects);
    finding.proved = !particles_.misfit();  // then no particle explains every trial, whatever else is shown of it
    for (const Claim& claim : certificate(log_, searched_.always_active(), finding.culprit_set, finding.causes)) {
      if (claim.proved) continue;
      finding.proved = false;
      // Each cause failing alone shows that its member of the fix is needed: no trial of its own.
      if ((claim.kind == Claim::Kind::member_needed && !claim.own_trial) || likely.mass < gate) continue;
      if (Active active = active_beside(claim.neutralised); !is_check(active))
        checks_.push_back({std::move(active), votes_missing(claim)});
    }
    if (findings_.empty()) crowded_ = likely.explanation.size + 2 >= kMostCauses;
    if (finding.proved) findings_.insert(findings_.begin(), std::move(finding));
    else findings_.push_back(std::move(finding));
    if (findings_.front().proved) {
      checks_.clear();
      break;
    }
  }
  if (findings_.empty()) findings_.emplace_back();
}

// A set that is decided may lack evidence for the claim, and gets it where no verdict is exact.
bool Engine::may_decide(const Active& active) const {
  const LogEntry* entry = log_.find(active);
  return entry && decided(entry->verdict) ? !log_.exact() : worth_asking(log_, entry);
}

std::vector<Question> Engine::ask(std::size_t count, std::span<const Active> pending) const {
  if (misfit() || finding().proved) return {};
  std::vector<SuspectSet> known, batch;
  for (const LogEntry& entry : log_.entries())
    if (log_.exact() || entry.judged() == 0) known.push_back(searched_.places(entry.active));
  for (const Active& active : pending) batch.push_back(searched_.places(active));
  const std::size_t before = batch.size();
  // Where verdicts are noisy a claim needs several that agree: all of them ride along once the finding is likely.
  const std::size_t votes = !log_.exact() && finding().mass >= kLikely ? kMostVotesAtOnce : 1;
  for (std::size_t vote = 1; vote <= votes; ++vote)
    for (const Check& check : checks_) {
      if (batch.size() >= before + count || check.votes < vote) continue;
      SuspectSet pool = searched_.places(check.active);
      if (may_decide(check.active) && static_cast<std::size_t>(std::count(batch.begin(), batch.end(), pool)) < vote)
        batch.push_back(std::move(pool));
    }
  Random random(problem_.seed + 13 * log_.entries().size() + 101 * tests_.size() + 1009 * pending.size());
  design_pools(particles_.all(), price_, log_.flip(), before + count, known, batch, random);
  std::vector<Question> questions;
  for (std::size_t i = before; i < batch.size(); ++i) {
    Active active = searched_.active(batch[i]);
    if (is_check(active))
      questions.push_back(
          {std::move(active), Purpose::certificate, "checks a claim of the likeliest answer", !log_.exact()});
    else questions.push_back({active, Purpose::search, fmt::format("splits what is believed: {} active", active.count())});
  }
  return questions;
}

bool Engine::is_check(const Active& active) const {
  return std::any_of(checks_.begin(), checks_.end(), [&](const Check& check) { return check.active == active; });
}

std::vector<double> Engine::guilt() const {
  std::vector<double> guilt(problem_.suspects.size(), 0.0);
  if (finding().proved) {
    for (SuspectId suspect : finding().culprit_set) guilt[suspect] = 1.0;
    return guilt;
  }
  const double one = 1 / static_cast<double>(particles_.all().size());
  for (const Explanation& explanation : particles_.all())
    for (const Cause& cause : explanation)  // a fix needs one member of each cause
      for (std::uint16_t member : cause) guilt[searched_.id(member)] += one / static_cast<double>(cause.size());
  for (double& g : guilt) g = std::min(g, 1.0);
  return guilt;
}

}  // namespace bisectd::strategies::causes
