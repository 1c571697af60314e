// From votes to explanations, from explanations to findings, from findings to checks and pools.
#include "strategies/causes/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "strategies/patience.hpp"
#include "strategies/causes/pools.hpp"
#include "strategies/certificate.hpp"
#include "strategies/fix.hpp"
#include "strategies/logarithm.hpp"
#include "strategies/prior.hpp"

namespace bisectd::strategies::causes {
namespace {

constexpr std::size_t kMoves = 12;  // of each explanation, for each vote
// Votes that come by the dozen share their moves, as a round must not take longer.
constexpr std::size_t kManySlots = 16, kFewMoves = 5;
constexpr double kGateOne = 0.6, kGateSeveral = 0.18;  // share from which a finding's checks are run
constexpr double kLeastMass = 0.02;                    // of a finding that is looked at
constexpr double kLikely = 0.5;              // share from which a finding's checks are run as often at once as must agree,
constexpr std::size_t kMostVotesAtOnce = 4;  // but no more

}  // namespace

Engine::Engine(const Problem& problem, Active always_active, const EvidenceLog& log)
    : problem_(problem),
      always_active_(std::move(always_active)),
      log_(log),
      belief_(believed_odds(problem.suspects, always_active_), log.exact(), problem.slots > kManySlots ? kFewMoves : kMoves,
              problem.seed + 11),
      most_silent_(most_silent_sets(problem.slots)) {
  review();
  hear();
}

// A failure tells also where a suspect was neutralised that is always active now.
void Engine::hear() {
  if (!misfit()) weigh_again();
  for (; heard_ < log_.told().size() && !misfit(); ++heard_) {
    const Told& told = log_.told()[heard_];
    if (!told.entry) continue;
    silent_in_a_row_ = !log_.silent(told) ? 0 : silent_in_a_row_ + (told.first ? 1 : 0);
    const double doubt = log_.doubt(told);
    if (doubt >= 0.5 || (!told.leans_to_fail() && !always_active_.is_subset_of(told.active))) continue;
    of_vote_.push_back(heard_);
    belief_.add(told.active - always_active_, {told.leans_to_fail(), doubt});
    review();
  }
}

// By what the log says of its votes now.
void Engine::weigh_again() {
  std::vector<double> doubts;
  for (std::size_t told : of_vote_) doubts.push_back(log_.doubt(log_.told()[told]));
  if (std::ranges::equal(doubts, belief_.votes(), {}, {}, &Vote::doubt)) return;
  belief_.set_doubts(doubts);
  review();
}

// Verdicts that, all as expected, prove the claim.
std::size_t Engine::votes_missing(const Claim& claim) const {
  if (log_.exact()) return 1;
  const double flip = log_.flip(), each = portable_log2((1 - flip) / flip);
  const double missing = std::max(log_.needed_bits() - claim.bits, each / 2);
  return static_cast<std::size_t>(std::ceil(missing / each));
}

void Engine::review() {
  std::map<std::vector<std::vector<SuspectId>>, double> mass;
  for (const Explanation& explanation : belief_.explanations()) {
    std::vector<std::vector<SuspectId>> causes = explanation;
    std::ranges::sort(causes);
    mass[causes] += 1 / static_cast<double>(belief_.explanations().size());
  }
  std::vector<Finding> likely;
  for (const auto& [causes, share] : mass)
    if (share >= kLeastMass) likely.push_back({{.culprit_set = {}, .causes = causes}, {}, share});
  std::ranges::stable_sort(likely, std::ranges::greater{}, &Finding::mass);
  finding_ = {};
  checks_.clear();
  const double gate = problem_.slots > 1 ? kGateSeveral : kGateOne;
  for (Finding& finding : likely) {
    finding.culprit_set = cheapest_fix(finding.causes, problem_.suspects);
    const std::vector<Claim> open = claims_to_check(log_, always_active_, finding);
    finding.proved = open.empty() && !belief_.misfit();  // else no explanation holds for every trial
    for (const Claim& claim : open)
      if (finding.mass >= gate && !std::ranges::count(checks_, claim.neutralised, &Claim::neutralised))
        checks_.push_back(claim);
    if (finding.proved) checks_.clear();
    if (finding.proved || finding_.causes.empty()) finding_ = finding;
    if (finding.proved) break;
  }
}

// A set that is decided may lack evidence for the claim, and gets it where no verdict is exact.
bool Engine::may_decide(const Active& active) const {
  const LogEntry* entry = log_.find(active);
  return entry && decided(entry->verdict) ? !log_.exact() : worth_asking(log_, entry);
}

std::vector<Trial> Engine::ask(std::size_t count, std::span<const Neutralised> pending) const {
  if (misfit() || finding_.proved) return {};
  std::vector<Active> known, batch;
  for (const Neutralised& set : pending) batch.push_back(active_beside(set));
  for (const LogEntry& entry : log_.entries())
    if (log_.exact() || entry.judged() == 0) known.push_back(entry.active);
  const std::size_t before = batch.size();
  // Where verdicts are noisy a claim needs several that agree: all of them ride along once the finding is likely.
  const std::size_t votes = !log_.exact() && finding_.mass >= kLikely ? kMostVotesAtOnce : 1;
  for (std::size_t vote = 1; vote <= votes; ++vote)
    for (const Claim& check : checks_) {
      const Active active = active_beside(check.neutralised);
      if (batch.size() >= before + count || votes_missing(check) < vote || !may_decide(active)) continue;
      if (static_cast<std::size_t>(std::ranges::count(batch, active)) < vote) batch.push_back(active);
    }
  Random random(problem_.seed + 13 * log_.entries().size() + 101 * belief_.votes().size() + 1009 * pending.size());
  add_pools(belief_.explanations(), problem_.suspects, always_active_, log_.flip(), before + count, known, batch, random);
  std::vector<Trial> trials;
  for (const Active& active : std::span(batch).subspan(before)) {
    Trial& trial = trials.emplace_back(Trial{neutralised_beside(active), Purpose::certificate, {}});
    if (std::ranges::count(checks_, trial.neutralised, &Claim::neutralised) > 0) {
      trial.reason = "checks a claim of the likeliest answer";
      continue;
    }
    trial.purpose = Purpose::search;
    trial.reason = fmt::format("splits what is believed: {} active", active.count());
  }
  return trials;
}

std::vector<double> Engine::guilt() const {
  std::vector<double> guilt(problem_.suspects.size(), 0.0);
  if (finding_.proved) {
    for (SuspectId suspect : finding_.culprit_set) guilt[suspect] = 1.0;
    return guilt;
  }
  const double one = 1 / static_cast<double>(belief_.explanations().size());
  for (const Explanation& explanation : belief_.explanations())
    for (const Cause& cause : explanation)  // a fix needs one member of each cause
      for (SuspectId member : cause) guilt[member] += one / static_cast<double>(cause.size());
  for (double& each : guilt) each = std::min(each, 1.0);
  return guilt;
}

}  // namespace bisectd::strategies::causes
