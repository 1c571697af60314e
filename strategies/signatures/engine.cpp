#include "strategies/signatures/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "strategies/patience.hpp"
#include "strategies/logarithm.hpp"

namespace bisectd::strategies::signatures {

Engine::Engine(const Problem& problem, Active always_active, const EvidenceLog& log)
    : problem_(problem),
      always_active_(std::move(always_active)),
      log_(log),
      belief_(problem, always_active_, log),
      accusation_(problem, always_active_, log) {
  hear();
}

void Engine::hear() {
  if (misfit()) return;
  accusation_.note_fix();
  if (belief_.take_in()) misfit_ = !belief_.explain(accusation_.settled().off);
  if (misfit_) accusation_.withdraw();
  else accusation_.review(belief_);
}

std::vector<Trial> Engine::ask(std::size_t count, std::span<const Neutralised> pending) const {
  if (misfit() || finding().proved || accusation_.only_hidden()) return {};
  if (!accusation_.checks().empty()) return checks(count, pending);
  std::vector<Trial> trials = certain((count + 1) / 2, pending);
  std::vector<Neutralised> running(pending.begin(), pending.end());
  for (const Trial& trial : trials) running.push_back(trial.neutralised);
  const Random random(problem_.seed + 29 * log_.signed_trials().size() + 13 * log_.entries().size() + 1009 * pending.size());
  for (const Active& active : belief_.splits(count - trials.size(), running, accusation_.settled().off, random))
    trials.push_back({neutralised_beside(active), Purpose::signature, reason_of_split(active)});
  return trials;
}

std::vector<Trial> Engine::checks(std::size_t count, std::span<const Neutralised> pending) const {
  std::vector<Trial> trials;
  for (const Claim& claim : accusation_.checks())
    if (trials.size() < count && !std::ranges::count(pending, claim.neutralised))
      trials.push_back({claim.neutralised, Purpose::certificate, "checks a claim of the likeliest answer"});
  return trials;
}

std::string Engine::reason_of_split(const Active& active) const {
  if (belief_.causes().empty())
    return fmt::format("its first steps tell whether a cause is among these {} active ones", active.count());
  return fmt::format("its first steps tell which of {} causes are among these {} active ones", belief_.causes().size(),
                     active.count());
}

// That a certain cause fails alone has to be shown anyhow, so it need not wait for the others. From the greatest down to
// the first that is uncertain: until that is found, what smaller ones seem to be may be what it leaves unexplained.
std::vector<Trial> Engine::certain(std::size_t count, std::span<const Neutralised> pending) const {
  std::vector<Trial> trials;
  for (const Cause& cause : belief_.causes()) {
    if (trials.size() >= count || !cause.certain()) break;
    const Active alone = only_active(cause.likeliest().members, always_active_);
    if (!std::ranges::count(pending, neutralised_beside(alone)) && worth_asking(log_, log_.find(alone)))
      trials.push_back({neutralised_beside(alone), Purpose::certificate,
                        "this cause is certain, the others are not yet: does it fail alone?"});
  }
  return trials;
}

// Every split halves what is believed of each cause; then one check for each and for each member of one that fails only
// together, and one for the fix.
std::optional<double> Engine::trials_left() const {
  if (!accusation_.checks().empty()) return static_cast<double>(accusation_.checks().size());
  const Explanation& causes = belief_.causes();
  double splits = causes.empty() ? portable_log2(static_cast<double>(neutralised_beside(always_active_).count() + 1)) : 0;
  for (const Cause& cause : causes)
    if (cause.size >= kGreat * causes.front().size) splits = std::max(splits, -portable_log2(cause.likeliest().weight));
  double checks = 1;
  for (const std::vector<SuspectId>& cause : finding().causes)
    checks += 1 + (cause.size() > 1 ? static_cast<double>(cause.size()) : 0);
  return splits + checks;
}

std::vector<double> Engine::guilt() const {
  const Settled& settled = accusation_.settled();
  std::vector<double> guilt(problem_.suspects.size(), 0.0);
  if (misfit() && !settled.fix.empty()) {
    for (SuspectId member : settled.fix) guilt[member] = kGate;
    return guilt;
  }
  for (const Cause& cause : belief_.causes()) {
    for (const Hypothesis& each : cause.hypotheses)
      for (SuspectId member : each.members) guilt[member] += each.weight / static_cast<double>(each.members.size());
  }
  for (SuspectId member : finding().culprit_set)
    if (finding().proved || settled.off.test(member)) guilt[member] = 1;
  for (const std::vector<SuspectId>& cause : settled.harmless)
    for (SuspectId member : cause) guilt[member] = 0;
  for (double& each : guilt) each = std::min(each, 1.0);
  return guilt;
}

}  // namespace bisectd::strategies::signatures
