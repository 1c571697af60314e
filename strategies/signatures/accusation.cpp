#include "strategies/signatures/accusation.hpp"

#include <algorithm>

#include "strategies/asking_again.hpp"
#include "strategies/fix.hpp"
#include "strategies/logarithm.hpp"

namespace bisectd::strategies::signatures {
namespace {

constexpr double kStandsOut = 0.4;  // of what all healthy suspects change together; the greatest of them changed 0.2 of it
constexpr std::size_t kSplitsOfRest = 3;  // per slot, in which nothing stands out of what healthy suspects change
constexpr double kPatienceBits = 2;       // times log2 of the suspects, and
constexpr double kPatience = 16;          // trials more, after which it gives up

}  // namespace

Accusation::Accusation(const Problem& problem, const Active& always_active, const EvidenceLog& log)
    : problem_(problem), always_active_(always_active), log_(log), settled_(always_active.size()) {}

void Accusation::note_shown() {
  for (const Check& check : checks_) {
    const LogEntry* entry = log_.find(check.active);
    if (!entry || entry->verdict != check.claim.expected) continue;
    if (check.claim.kind == Claim::Kind::fix_passes) settled_.note_fix(check.claim.subject);
    if (check.claim.kind == Claim::Kind::cause_fails) settled_.note_failure(check.claim.subject);
  }
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
  finding_.causes = settled_.guilty();
  finding_.only_beside_others = settled_.only_beside_others();
  finding_.mass = 1;
  greatest_ = 0;
  for (const Cause& cause : belief.causes()) {
    std::vector<SuspectId> members = cause.likeliest().members;
    if (settled_.clears(members) || std::ranges::count(finding_.causes, members) > 0) continue;
    if (cause.size < least_size(belief)) break;
    if (!cause.credible()) continue;
    greatest_ = std::max(greatest_, cause.size);
    finding_.mass *= cause.likeliest().weight;
    finding_.causes.push_back(std::move(members));
  }
  std::ranges::sort(finding_.causes);
  finding_.culprit_set = cheapest_fix(finding_.causes, problem_.suspects);
  if (finding_.causes.empty()) finding_.mass = 0;
  const bool nobody_left = greatest_ == 0 && finding_.causes.empty() && !settled_.harmless().empty();
  gives_up_ = nobody_left || (finding_.mass < kGate && out_of_patience(belief));
}

// Only of what a fix left: its causes were no chance.
double Accusation::least_size(const Belief& belief) const {
  return settled_.off().any() ? kStandsOut * belief.background() : 0;
}

// Of all that was told since causes were last neutralised for good.
std::size_t Accusation::splits() const {
  return static_cast<std::size_t>(std::count_if(log_.told().begin() + static_cast<std::ptrdiff_t>(settled_.told_at_off()),
                                                log_.told().end(), [](const Told& told) { return !told.entry; }));
}

// The same, where a trial with both a verdict and a signature counts twice: kPatience is tuned to this count. Those that
// showed an accused cause to fail alone are no vain ones.
std::size_t Accusation::tried_in_vain() const {
  std::size_t tried = 0;
  for (std::size_t i = settled_.told_at_off(); i < log_.told().size(); ++i)
    tried += (log_.told()[i].entry ? 1 : 0) + (log_.told()[i].evidence.signature.empty() ? 0 : 1);
  for (const std::vector<SuspectId>& cause : finding_.causes) {
    if (std::ranges::count(settled_.guilty(), cause) > 0) continue;
    const LogEntry* entry = log_.find(only_active(cause, always_active_));
    if (entry && entry->verdict == Verdict::fail) tried -= std::min<std::size_t>(tried, 2);
  }
  return tried;
}

bool Accusation::out_of_patience(const Belief& belief) const {
  const double beside = 2 * static_cast<double>(problem_.slots - 1);  // trials on their way know nothing of each other
  const double patience = kPatienceBits * portable_log2(static_cast<double>(belief.searched() + 1)) + kPatience + beside;
  return static_cast<double>(tried_in_vain()) > patience;
}

std::vector<Claim> Accusation::claims() const { return certificate(log_, always_active_, finding_); }

bool Accusation::refuted(const Check& check) const {
  const LogEntry* entry = log_.find(check.active);
  return entry && entry->verdict == (check.claim.expected == Verdict::pass ? Verdict::fail : Verdict::pass);
}

// A cause that failed alone is not believed in any more, once a trial passes in which it is active: then it is wrong only
// while others are neutralised, and must not look like a contradiction of verdicts.
bool Accusation::set_aside_disbelieved() {
  for (const std::vector<SuspectId>& cause : settled_.failed_alone()) {
    if (std::ranges::count(finding_.causes, cause) > 0) continue;
    const Active alone = only_active(cause, always_active_);
    const bool passes_beside_others = std::ranges::any_of(log_.entries(), [&](const LogEntry& entry) {
      return entry.verdict == Verdict::pass && alone.is_subset_of(entry.active);
    });
    if (!passes_beside_others) continue;
    settled_.set_aside(std::vector(cause));
    return true;
  }
  return false;
}

// Which claims of the finding are proved, and which are to be checked. False if one was refuted, so that others are accused
// now.
bool Accusation::hold_against_verdicts(Belief& belief) {
  if (set_aside_disbelieved()) return false;
  finding_.proved = true;
  std::size_t hidden = 0;
  for (Claim& claim : claims()) {
    if (claim.proved && claim.kind == Claim::Kind::fix_passes) settled_.note_fix(finding_.culprit_set);
    if (claim.proved && claim.kind == Claim::Kind::cause_fails) settled_.note_failure(claim.subject);
    if (claim.proved) continue;
    finding_.proved = false;
    // Each cause failing alone shows that its member of the fix is needed, but where the subject as it is belies it.
    if (claim.kind == Claim::Kind::member_needed && !claim.own_trial) continue;
    Check check{active_beside(claim.neutralised), std::move(claim)};
    if (refuted(check)) return take_back(check.claim, belief);
    const LogEntry* entry = log_.find(check.active);
    const bool undecided = !(entry && decided(entry->verdict)) && !worth_asking(log_, entry);
    if (undecided && check.claim.kind != Claim::Kind::fix_passes && hidden_by_noise(log_, entry)) {
      ++hidden;
      continue;
    }
    if (undecided) gives_up_ = true;
    checks_.push_back(std::move(check));
  }
  // Once the fix has passed this stays open, whatever else is asked: which of its members are needed. So the fix is tried.
  const bool fix_passed = settled_.fix() == finding_.culprit_set;
  const bool fix_is_asked =
      std::ranges::any_of(checks_, [](const Check& check) { return check.claim.kind == Claim::Kind::fix_passes; });
  if (fix_passed) hidden_ = hidden;
  else if (hidden > 0 && !fix_is_asked) gives_up_ = true;
  // Of a fix that passed some members may be harmless: each is tried alone first, since the smaller fix is known only then.
  if (!settled_.fix().empty())
    std::ranges::stable_partition(checks_, [](const Check& check) { return check.claim.kind == Claim::Kind::cause_fails; });
  // Another fix may have shown a further cause, which this one mends too: others can name it.
  if (finding_.proved && any_unexplained_failure()) {
    finding_.proved = false;
    gives_up_ = true;
  }
  return true;
}

// A verdict says the opposite of this claim. False if others are accused for it; true if nobody else is for now.
bool Accusation::take_back(const Claim& claim, Belief& belief) {
  switch (claim.kind) {
    case Claim::Kind::cause_fails: settled_.acquit(claim.subject); return false;
    case Claim::Kind::member_needed: settled_.set_aside(claim.subject.front(), finding_); return false;
    case Claim::Kind::fix_passes:
      if (greatest_ > 0) {
        settled_.keep_neutralised(finding_, log_.told().size());
        if (!belief.explain(settled_.off())) gives_up_ = true;
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
  const bool doubtful = splits() >= kSplitsOfRest * problem_.slots;
  const bool hidden = belief.rest_may_be_healthy() &&
                      (doubtful || std::ranges::any_of(belief.causes(),
                                                       [&](const Cause& cause) { return cause.size < least_size(belief); }));
  gives_up_ = !settled_.harmless().empty() || out_of_patience(belief);
  if (!hidden) return;
  for (Claim& claim : claims()) {
    if (claim.kind != Claim::Kind::cause_fails || claim.proved) continue;
    Check check{active_beside(claim.neutralised), std::move(claim)};
    if (refuted(check)) settled_.acquit(check.claim.subject);
    else if (worth_asking(log_, log_.find(check.active))) checks_.push_back(std::move(check));
  }
  gives_up_ = checks_.empty();
}

bool Accusation::any_unexplained_failure() const {
  return std::ranges::any_of(log_.entries(), [&](const LogEntry& entry) {
    return entry.verdict == Verdict::fail && !any_within(settled_.only_beside_others(), entry.active) &&
           !any_within(finding_.causes, entry.active);
  });
}

}  // namespace bisectd::strategies::signatures
