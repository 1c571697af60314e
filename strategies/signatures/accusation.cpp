#include "strategies/signatures/accusation.hpp"

#include <algorithm>

#include "strategies/patience.hpp"
#include "strategies/fix.hpp"
#include "strategies/logarithm.hpp"

namespace bisectd::strategies::signatures {
namespace {

constexpr std::size_t kSplitsOfRest = 3;  // per slot, in which nothing stands out of what healthy suspects change
constexpr double kPatienceBits = 2;       // times log2 of the suspects, and
constexpr double kPatience = 16;          // trials more, after which it gives up

}  // namespace

bool Settled::clears(const Members& cause) const {
  const auto is_in_fix = [&](SuspectId member) { return std::ranges::binary_search(fix, member); };
  return std::ranges::count(harmless, cause) > 0 || std::ranges::count(only_beside_others, cause) > 0 ||
         (!fix.empty() && std::ranges::none_of(cause, is_in_fix));
}

Accusation::Accusation(const Problem& problem, const Active& always_active, const EvidenceLog& log)
    : problem_(problem), always_active_(always_active), log_(log), settled_{.off = SuspectSet(always_active.size())} {}

void Accusation::note_fix() {
  for (const Claim& claim : checks_)
    if (const LogEntry* entry = entry_of(claim);
        claim.kind == Claim::Kind::fix_passes && entry && entry->verdict == Verdict::pass)
      remember(claim.subject);
}

void Accusation::remember(const Settled::Members& fix) {
  if (settled_.fix.empty() || fix.size() < settled_.fix.size()) settled_.fix = fix;
}

void Accusation::withdraw() {
  checks_.clear();
  hidden_ = 0;
  finding_ = {};
}

// A claim that was refuted changes what is settled: then once more.
void Accusation::review(Belief& belief) {
  do {
    withdraw();
    if (!gives_up_) accuse(belief);
  } while (!gives_up_ && finding_.mass >= kGate && !hold_against_verdicts(belief));
}

// Causes far smaller than the greatest one wait until they were seen without it: its rounding looks like them.
void Accusation::accuse(const Belief& belief) {
  finding_.causes = settled_.guilty;
  finding_.only_beside_others = settled_.only_beside_others;
  finding_.mass = 1;
  greatest_ = 0;
  for (const Cause& cause : belief.causes()) {
    std::vector<SuspectId> members = cause.likeliest().members;
    if (settled_.clears(members) || std::ranges::count(finding_.causes, members) > 0) continue;
    if (!cause.credible()) continue;
    greatest_ = std::max(greatest_, cause.size);
    finding_.mass *= cause.likeliest().weight;
    finding_.causes.push_back(std::move(members));
  }
  std::ranges::sort(finding_.causes);
  finding_.culprit_set = cheapest_fix(finding_.causes, problem_.suspects);
  if (finding_.causes.empty()) finding_.mass = 0;
  const bool nobody_left = greatest_ == 0 && finding_.causes.empty() && !settled_.harmless.empty();
  gives_up_ = nobody_left || (finding_.mass < kGate && out_of_patience());
}

// Of all that was told since causes were last neutralised for good.
std::size_t Accusation::splits() const {
  return static_cast<std::size_t>(std::count_if(log_.told().begin() + static_cast<std::ptrdiff_t>(settled_.told_at_off),
                                                log_.told().end(), [](const Told& told) { return !told.entry; }));
}

// The same, where a trial with both a verdict and a signature counts twice: kPatience is tuned to this count. Those that
// showed an accused cause to fail alone are no vain ones.
std::size_t Accusation::tried_in_vain() const {
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

bool Accusation::out_of_patience() const {
  const double beside = 2 * static_cast<double>(problem_.slots - 1);  // trials on their way know nothing of each other
  const double patience =
      kPatienceBits * portable_log2(static_cast<double>(neutralised_beside(always_active_).count() + 1)) + kPatience +
      beside;
  return static_cast<double>(tried_in_vain()) > patience;
}

bool Accusation::refuted(const Claim& claim) const {
  const LogEntry* entry = entry_of(claim);
  return entry && decided(entry->verdict) && entry->verdict != claim.expected;
}

// Which claims of the finding are to be checked. False if one was refuted, so that others are accused now.
bool Accusation::hold_against_verdicts(Belief& belief) {
  const std::vector<Claim> open = claims_to_check(log_, always_active_, finding_);
  const bool fix_is_open = std::ranges::count(open, Claim::Kind::fix_passes, &Claim::kind) > 0;
  if (!fix_is_open) remember(finding_.culprit_set);
  std::size_t hidden = 0;
  for (const Claim& claim : open) {
    if (refuted(claim)) return take_back(claim, belief);
    const LogEntry* entry = entry_of(claim);
    const bool undecided = !(entry && decided(entry->verdict)) && !worth_asking(log_, entry);
    if (undecided && claim.kind != Claim::Kind::fix_passes && hidden_by_noise(log_, entry)) {
      ++hidden;
      continue;
    }
    if (undecided) gives_up_ = true;
    checks_.push_back(claim);
  }
  // Once the fix has passed this stays open, whatever else is asked: which of its members are needed. So the fix is tried.
  if (settled_.fix == finding_.culprit_set) hidden_ = hidden;
  else if (hidden > 0 && !fix_is_open) gives_up_ = true;
  // Another fix may have shown a further cause, which this one mends too: others can name it.
  if (open.empty() && any_unexplained_failure()) gives_up_ = true;
  finding_.proved = open.empty() && !gives_up_;
  return true;
}

// A verdict says the opposite of this claim. False if others are accused for it; true if nobody else is for now.
bool Accusation::take_back(const Claim& claim, Belief& belief) {
  switch (claim.kind) {
    case Claim::Kind::cause_fails:
      settled_.harmless.push_back(claim.subject);
      std::erase(settled_.guilty, claim.subject);
      return false;
    case Claim::Kind::member_needed:  // its causes fail alone, but not where only the rest of the fix is neutralised
      for (const std::vector<SuspectId>& cause : finding_.causes) {
        if (std::ranges::count(cause, claim.subject.front()) == 0) continue;
        settled_.only_beside_others.push_back(cause);
        std::erase(settled_.guilty, cause);
      }
      return false;
    case Claim::Kind::fix_passes:
      if (greatest_ > 0) {
        settled_.guilty = finding_.causes;
        settled_.told_at_off = log_.told().size();
        settled_.off = ~static_cast<const SuspectSet&>(all_but(finding_.culprit_set, settled_.off.size()));
        if (!belief.explain(settled_.off)) gives_up_ = true;
        return false;
      }
      break;
    case Claim::Kind::cause_minimal: gives_up_ = true; break;
  }
  checks_.clear();
  finding_.mass = 0;
  if (claim.kind == Claim::Kind::fix_passes) look_for_rest(belief);
  return true;
}

// The fix of all that stands out fails. Where healthy suspects hide the rest, verdicts find it; what was found is checked
// first, so that they need not find it again.
void Accusation::look_for_rest(const Belief& belief) {
  const bool hidden = belief.rest_may_be_healthy() && splits() >= kSplitsOfRest * problem_.slots;
  gives_up_ = !settled_.harmless.empty() || out_of_patience();
  if (!hidden) return;
  for (const Claim& claim : claims_to_check(log_, always_active_, finding_)) {
    if (claim.kind != Claim::Kind::cause_fails) continue;
    if (refuted(claim)) settled_.harmless.push_back(claim.subject);
    else if (worth_asking(log_, entry_of(claim))) checks_.push_back(claim);
  }
  gives_up_ = checks_.empty();
}

bool Accusation::any_unexplained_failure() const {
  return std::ranges::any_of(log_.entries(), [&](const LogEntry& entry) {
    return entry.verdict == Verdict::fail && !any_within(settled_.only_beside_others, entry.active) &&
           !any_within(finding_.causes, entry.active);
  });
}

}  // namespace bisectd::strategies::signatures
