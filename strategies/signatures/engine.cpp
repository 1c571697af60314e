// From what was told to the causes that it makes likely, to those accused and what has to be shown of them, to trials.
#include "strategies/signatures/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "strategies/fix.hpp"
#include "strategies/logarithm.hpp"
#include "strategies/patience.hpp"
#include "strategies/prior.hpp"
#include "strategies/signatures/halving.hpp"

namespace bisectd::strategies::signatures {
namespace {

constexpr double kGate = 0.9;             // mass from which a finding is checked
constexpr std::size_t kSplitsOfRest = 3;  // per slot, in which nothing stands out of what healthy suspects change
constexpr double kPatienceBits = 2;       // times log2 of the suspects, and
constexpr double kPatience = 16;          // trials more, after which it gives up

}  // namespace

bool Settled::clears(const Members& cause) const {
  const auto is_in_fix = [&](SuspectId member) { return std::ranges::binary_search(fix, member); };
  return std::ranges::count(harmless, cause) > 0 || std::ranges::count(only_beside_others, cause) > 0 ||
         (!fix.empty() && std::ranges::none_of(cause, is_in_fix));
}

Engine::Engine(const Problem& problem, Active always_active, const EvidenceLog& log)
    : problem_(problem),
      always_active_(std::move(always_active)),
      log_(log),
      explainer_(believed_odds(problem.suspects, always_active_)),
      rows_(always_active_.size()),
      settled_{.off = SuspectSet(always_active_.size())} {
  hear();
}

void Engine::hear() {
  if (misfit_) return;
  note_fix();
  withdraw();
  if (take_in()) misfit_ = !explain();
  if (!misfit_) review();
}

/// Whether anything was told since the last time that causes can be found from.
bool Engine::take_in() {
  const std::size_t before = rows_.size();
  for (; heard_ < log_.told().size(); ++heard_) {
    const Told& told = log_.told()[heard_];
    if (!told.evidence.signature.empty() && always_active_.is_subset_of(told.active))
      rows_.add(told.active - always_active_, told.evidence.signature);
  }
  return rows_.size() > before;
}

/// Finds the causes anew. False, and they stay as they were, if the signature of all that is not settled is not known or
/// tells nothing.
bool Engine::explain() {
  const std::vector<double> whole = log_.signature_of(Active(~settled_.off));
  if (whole.size() != rows_.steps() || !differs_clearly(whole)) return false;
  causes_ = explainer_.explain(rows_, whole);
  return true;
}

// One that was checked and passed, before anything else is believed.
void Engine::note_fix() {
  for (const Claim& claim : checks_)
    if (const LogEntry* entry = entry_of(claim); claim.kind == Claim::Kind::fix_passes && entry &&
                                                 entry->verdict == Verdict::pass &&
                                                 (settled_.fix.empty() || claim.subject.size() < settled_.fix.size()))
      settled_.fix = claim.subject;
}

void Engine::withdraw() {
  checks_.clear();
  hidden_ = 0;
  finding_ = {};
}

// A claim that was refuted changes what is settled: then once more.
void Engine::review() {
  for (bool others = true; others;) {
    withdraw();
    accuse();
    if (misfit_ || finding_.mass < kGate) return;
    const std::vector<Claim> open = claims_to_check(log_, always_active_, finding_);
    const bool fix_is_open = std::ranges::count(open, Claim::Kind::fix_passes, &Claim::kind) > 0;
    if (!fix_is_open && (settled_.fix.empty() || finding_.culprit_set.size() < settled_.fix.size()))
      settled_.fix = finding_.culprit_set;
    const auto wrong = std::ranges::find_if(open, [&](const Claim& claim) { return refuted(claim); });
    if (wrong == open.end()) return check(open);
    others = take_back(*wrong) && !misfit_;
  }
}

// Causes far smaller than the greatest one wait until they were seen without it: its rounding looks like them.
void Engine::accuse() {
  finding_.causes = settled_.guilty;
  finding_.only_beside_others = settled_.only_beside_others;
  finding_.mass = 1;
  greatest_ = 0;
  for (const Cause& cause : causes_) {
    const std::vector<SuspectId>& members = cause.likeliest().members;
    if (!cause.credible() || settled_.clears(members) || std::ranges::count(finding_.causes, members) > 0) continue;
    greatest_ = std::max(greatest_, cause.size);
    finding_.mass *= cause.likeliest().weight;
    finding_.causes.push_back(members);
  }
  std::ranges::sort(finding_.causes);
  finding_.culprit_set = cheapest_fix(finding_.causes, problem_.suspects);
  if (finding_.causes.empty()) finding_.mass = 0;
  const bool nobody_left = finding_.causes.empty() && !settled_.harmless.empty();
  misfit_ = nobody_left || (finding_.mass < kGate && out_of_patience());
}

/// Splits of all that was told since causes were last neutralised for good.
std::size_t Engine::splits_so_far() const {
  return static_cast<std::size_t>(std::count_if(log_.told().begin() + static_cast<std::ptrdiff_t>(settled_.told_at_off),
                                                log_.told().end(), [](const Told& told) { return !told.entry; }));
}

// The same, where a trial with both a verdict and a signature counts twice: kPatience is tuned to this count. Those that
// showed an accused cause to fail alone are no vain ones.
std::size_t Engine::tried_in_vain() const {
  std::size_t tried = 0;
  for (std::size_t i = settled_.told_at_off; i < log_.told().size(); ++i)
    tried += (log_.told()[i].entry ? 1 : 0) + (log_.told()[i].evidence.signature.empty() ? 0 : 1);
  for (const std::vector<SuspectId>& cause : finding_.causes) {
    if (std::ranges::count(settled_.guilty, cause) > 0) continue;
    const LogEntry* entry = log_.find(only_active(cause, always_active_));
    if (entry && entry->verdict == Verdict::fail) tried -= std::min<std::size_t>(tried, 2);
  }
  return tried;
}

bool Engine::out_of_patience() const {
  const double beside = 2 * static_cast<double>(problem_.slots - 1);  // trials on their way know nothing of each other
  const double patience =
      kPatienceBits * portable_log2(static_cast<double>(neutralised_beside(always_active_).count() + 1)) + kPatience +
      beside;
  return static_cast<double>(tried_in_vain()) > patience;
}

bool Engine::refuted(const Claim& claim) const {
  const LogEntry* entry = entry_of(claim);
  return entry && decided(entry->verdict) && entry->verdict != claim.expected;
}

// None of the claims that are open was refuted.
void Engine::check(const std::vector<Claim>& open) {
  const bool fix_is_open = std::ranges::count(open, Claim::Kind::fix_passes, &Claim::kind) > 0;
  for (const Claim& claim : open) {
    const LogEntry* entry = entry_of(claim);
    const bool undecided = !(entry && decided(entry->verdict)) && !worth_asking(log_, entry);
    if (undecided && claim.kind != Claim::Kind::fix_passes && hidden_by_noise(log_, entry)) {
      ++hidden_;
      continue;
    }
    misfit_ = misfit_ || undecided;
    checks_.push_back(claim);
  }
  // Once the fix has passed this stays open, whatever else is asked: which of its members are needed. So the fix is tried.
  if (settled_.fix != finding_.culprit_set) {
    misfit_ = misfit_ || (hidden_ > 0 && !fix_is_open);
    hidden_ = 0;
  }
  // Another fix may have shown a further cause, which this one mends too: others can name it.
  misfit_ = misfit_ || (open.empty() && any_unexplained_failure());
  finding_.proved = open.empty() && !misfit_;
}

// A verdict says the opposite of this claim. Whether others are accused for it; else nobody is for now.
bool Engine::take_back(const Claim& claim) {
  switch (claim.kind) {
    case Claim::Kind::cause_fails:
      settled_.harmless.push_back(claim.subject);
      std::erase(settled_.guilty, claim.subject);
      return true;
    case Claim::Kind::member_needed:  // its causes fail alone, but not where only the rest of the fix is neutralised
      for (const std::vector<SuspectId>& cause : finding_.causes) {
        if (std::ranges::count(cause, claim.subject.front()) == 0) continue;
        settled_.only_beside_others.push_back(cause);
        std::erase(settled_.guilty, cause);
      }
      return true;
    case Claim::Kind::fix_passes:
      finding_.mass = 0;
      if (greatest_ == 0) {
        look_for_rest();
        return false;
      }
      settled_.guilty = finding_.causes;
      settled_.told_at_off = log_.told().size();
      settled_.off = ~static_cast<const SuspectSet&>(all_but(finding_.culprit_set, settled_.off.size()));
      misfit_ = !explain();
      return true;
    case Claim::Kind::cause_minimal: break;
  }
  finding_.mass = 0;
  misfit_ = true;
  return false;
}

// The fix of all that stands out fails. Where healthy suspects hide the rest, verdicts find it; what was found is checked
// first, so that they need not find it again.
void Engine::look_for_rest() {
  misfit_ = !settled_.harmless.empty() || out_of_patience();
  if (!explainer_.rest_may_be_healthy() || splits_so_far() < kSplitsOfRest * problem_.slots) return;
  for (const Claim& claim : claims_to_check(log_, always_active_, finding_)) {
    if (claim.kind != Claim::Kind::cause_fails) continue;
    if (refuted(claim)) settled_.harmless.push_back(claim.subject);
    else if (worth_asking(log_, entry_of(claim))) checks_.push_back(claim);
  }
  misfit_ = checks_.empty();
}

bool Engine::any_unexplained_failure() const {
  return std::ranges::any_of(log_.entries(), [&](const LogEntry& entry) {
    return entry.verdict == Verdict::fail && !any_within(settled_.only_beside_others, entry.active) &&
           !any_within(finding_.causes, entry.active);
  });
}

std::vector<Trial> Engine::ask(std::size_t count, std::span<const Neutralised> pending) const {
  std::vector<Trial> trials;
  if (misfit_ || finding_.proved) return trials;
  for (const Claim& claim : checks_)
    if (trials.size() < count && !std::ranges::count(pending, claim.neutralised))
      trials.push_back({claim.neutralised, Purpose::certificate, "checks a claim of the likeliest answer"});
  if (!checks_.empty() || hidden_ > 0) return trials;
  trials = certain((count + 1) / 2, pending);
  std::vector<Neutralised> running(pending.begin(), pending.end());
  for (const Trial& trial : trials) running.push_back(trial.neutralised);
  const Random random(problem_.seed + 29 * log_.signed_trials().size() + 13 * log_.entries().size() + 1009 * pending.size());
  for (const Active& active : splits(count - trials.size(), running, random))
    trials.push_back({neutralised_beside(active), Purpose::signature, reason_of_split(active)});
  return trials;
}

// That a certain cause fails alone has to be shown anyhow, so it need not wait for the others. From the greatest down to
// the first that is uncertain: until that is found, what smaller ones seem to be may be what it leaves unexplained.
std::vector<Trial> Engine::certain(std::size_t count, std::span<const Neutralised> pending) const {
  std::vector<Trial> trials;
  for (const Cause& cause : causes_) {
    if (trials.size() >= count || !cause.certain()) break;
    const Active alone = only_active(cause.likeliest().members, always_active_);
    if (!std::ranges::count(pending, neutralised_beside(alone)) && worth_asking(log_, log_.find(alone)))
      trials.push_back({neutralised_beside(alone), Purpose::certificate,
                        "this cause is certain, the others are not yet: does it fail alone?"});
  }
  return trials;
}

/// Up to `count` that split what is believed of all causes in half, given that those in `running` run anyway.
std::vector<Active> Engine::splits(std::size_t count, std::span<const Neutralised> running, Random random) const {
  std::vector<SuspectSet> known, batch;
  std::vector<Active> splits;
  for (std::size_t row = 0; row < rows_.size(); ++row) known.push_back(rows_.active(row));
  for (const LogEntry& entry : log_.entries()) known.push_back(entry.active - always_active_);
  for (const Neutralised& set : running) batch.push_back(active_beside(set) - always_active_);
  SuspectSet quiet = always_active_;  // what is certain needs no split, and only hides smaller causes where it is active
  for (const Cause& cause : causes_)
    for (SuspectId member : cause.likeliest().members) quiet.set(member, cause.certain() || quiet.test(member));
  split(causes_, quiet, running.size() + count, known, batch, random);
  for (std::size_t i = running.size(); i < batch.size(); ++i) {
    Active active((batch[i] | always_active_) - settled_.off);
    if (!std::ranges::count(log_.told(), active, &Told::active)) splits.push_back(std::move(active));
  }
  return splits;
}

std::string Engine::reason_of_split(const Active& active) const {
  if (causes_.empty())
    return fmt::format("its first steps tell whether a cause is among these {} active ones", active.count());
  return fmt::format("its first steps tell which of {} causes are among these {} active ones", causes_.size(),
                     active.count());
}

// Every split halves what is believed of each cause; then one check for each and for each member of one that fails only
// together, and one for the fix.
std::optional<double> Engine::trials_left() const {
  if (!checks_.empty()) return static_cast<double>(checks_.size());
  double splits = causes_.empty() ? portable_log2(static_cast<double>(neutralised_beside(always_active_).count() + 1)) : 0;
  for (const Cause& cause : causes_)
    if (cause.size >= kGreat * causes_.front().size) splits = std::max(splits, -portable_log2(cause.likeliest().weight));
  double checks = 1;
  for (const std::vector<SuspectId>& cause : finding_.causes)
    checks += 1 + (cause.size() > 1 ? static_cast<double>(cause.size()) : 0);
  return splits + checks;
}

std::vector<double> Engine::guilt() const {
  std::vector<double> guilt(problem_.suspects.size(), 0.0);
  if (misfit_ && !settled_.fix.empty()) {
    for (SuspectId member : settled_.fix) guilt[member] = kGate;
    return guilt;
  }
  for (const Cause& cause : causes_)
    for (const Hypothesis& each : cause.hypotheses)
      for (SuspectId member : each.members) guilt[member] += each.weight / static_cast<double>(each.members.size());
  for (SuspectId member : finding_.culprit_set)
    if (finding_.proved || settled_.off.test(member)) guilt[member] = 1;
  for (const std::vector<SuspectId>& cause : settled_.harmless)
    for (SuspectId member : cause) guilt[member] = 0;
  for (double& each : guilt) each = std::min(each, 1.0);
  return guilt;
}

}  // namespace bisectd::strategies::signatures
