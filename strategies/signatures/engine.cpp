// From signatures to an explanation, from that to a finding and the checks that prove it, and to the sets that split what is
// still open.
#include "strategies/signatures/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "strategies/asking_again.hpp"
#include "strategies/certificate.hpp"
#include "strategies/fix.hpp"
#include "strategies/logarithm.hpp"
#include "strategies/prior.hpp"
#include "strategies/signatures/halving.hpp"

namespace bisectd::strategies::signatures {
namespace {

constexpr double kGate = 0.9;        // mass from which a finding is checked
constexpr double kGreat = 0.1;       // of the greatest cause: what is smaller waits until that is neutralised
constexpr double kStandsOut = 0.4;   // of what all healthy suspects change together; the greatest of them changed 0.2 of it
constexpr std::size_t kDoubts = 2;   // further splits per slot, once a fix has passed, or where healthy suspects deviate and
                                     // nothing stands out of them; then verdicts go on
constexpr double kRival = 0.02;      // weight of a hypothesis that is tried beside others on free slots
constexpr double kPatienceBits = 2;  // times log2 of the suspects, and
constexpr double kPatience = 16;     // trials more, after which it gives up
constexpr const char* kChecks = "checks a claim of the likeliest answer";

}  // namespace

Engine::Engine(const Problem& problem, const Relations& relations, SuspectSet always_active, const EvidenceLog& log)
    : problem_(problem),
      relations_(relations),
      always_active_(std::move(always_active)),
      log_(log),
      suspects_(members_of(~always_active_)),
      local_relations_(relations.among(suspects_)),
      explainer_(believed_odds(problem.suspects, suspects_)),
      rows_(suspects_.size()),
      off_(always_active_.size()) {
  hear();
}

SuspectSet Engine::local(const SuspectSet& active) const {
  SuspectSet set(suspects_.size());
  for (std::size_t i = 0; i < suspects_.size(); ++i)
    if (active.test(suspects_[i])) set.set(i);
  return set;
}

SuspectSet Engine::global(const SuspectSet& set) const {
  SuspectSet active = always_active_;
  for (auto i = set.find_first(); i != SuspectSet::npos; i = set.find_next(i)) active.set(suspects_[i]);
  return relations_.effective(active - off_);
}

SuspectSet Engine::alone(const Members& cause) const {
  SuspectSet active = always_active_;
  for (SuspectId member : relations_.with_needs(cause)) active.set(member);
  return relations_.effective(active);
}

void Engine::hear() {
  if (misfit_) return;
  const std::size_t before = rows_.size();
  const bool checked = !checks_.empty();
  keep_fix();
  take_rows();
  if (rows_.size() > before) believe();
  if (rows_.size() > before && !fix_.empty() && !checked) ++splits_after_fix_;
  review();
  if (splits_after_fix_ > kDoubts * problem_.slots && checks_.empty() && !finding_.proved) misfit_ = true;
}

/// A fix that passed stays known, whatever the signature of that very trial makes likely.
void Engine::keep_fix() {
  for (const Check& check : checks_) {
    const LogEntry* entry = log_.find(check.active);
    if (check.claim.kind == Claim::Kind::fix_passes && entry && entry->verdict == Verdict::pass)
      note_fix(check.claim.subject);
  }
}

void Engine::note_fix(const Members& fix) {
  if (fix_.empty() || fix.size() < fix_.size()) fix_ = fix;
}

/// A signature is only comparable where the always active suspects were active, too.
void Engine::take_rows() {
  for (; heard_ < log_.signatures().size(); ++heard_) {
    const SignatureRow& seen = log_.signatures()[heard_];
    if (always_active_.is_subset_of(relations_.widest(seen.active))) rows_.add(local(seen.active), seen.signature);
  }
}

/// With everything active that is still searched; empty if it was not seen.
std::vector<double> Engine::whole_signature() const { return log_.signature_of(relations_.effective(~off_)); }

void Engine::believe() {
  const std::vector<double> whole = whole_signature();
  if (whole.size() != rows_.steps() || !speaks(whole)) {
    misfit_ = true;
    return;
  }
  explanation_ = explainer_.explain(rows_, whole);
}

bool Engine::refuted(const Check& check) const {
  const LogEntry* entry = log_.find(check.active);
  return entry && entry->verdict == (check.claim.expected == Verdict::pass ? Verdict::fail : Verdict::pass);
}

Engine::Members Engine::members_of_likeliest(const Cause& cause) const {
  Members members;
  for (SuspectId member : cause.likeliest().members) members.push_back(suspects_[member]);
  return relations_.outermost(members);
}

/// What is believed now, and which of its claims are open. A claim that was refuted changes what is believed: then once
/// more.
void Engine::review() {
  do {
    checks_.clear();
    finding_ = {};
    if (!misfit_) gather_finding();
  } while (!misfit_ && finding_.mass >= kGate && !hold_against_verdicts());
}

/// The causes that are accused now, and their fix. Causes far smaller than the greatest one wait: rounding of the great ones
/// looks like them, and mostly they do no harm. A cause that passes alone does none by itself, whatever its signature.
void Engine::gather_finding() {
  finding_.causes = peeled_;
  finding_.only_beside_others = beside_;
  finding_.mass = 1;
  greatest_ = 0;
  for (const Cause& cause : explanation_) {
    Members members = members_of_likeliest(cause);
    const auto is_known = [&](const std::vector<Members>& among) { return std::ranges::count(among, members) > 0; };
    if (is_known(harmless_) || is_known(beside_) || is_known(finding_.causes) || mended_without(members)) continue;
    if (cause.size < std::max(kGreat * greatest_, least_size())) break;
    greatest_ = std::max(greatest_, cause.size);
    finding_.mass *= cause.likeliest().weight;
    finding_.causes.push_back(std::move(members));
  }
  std::ranges::sort(finding_.causes);
  finding_.culprit_set = cheapest_fix(finding_.causes, problem_.suspects, relations_, always_active_);
  if (finding_.causes.empty()) finding_.mass = 0;
  const bool nothing_left = greatest_ == 0 && finding_.causes.empty() && !harmless_.empty();
  misfit_ = nothing_left || (out_of_patience() && finding_.mass < kGate);
}

/// Below it a cause is not told from what healthy suspects change. Only of what a fix left: its causes were no chance.
double Engine::least_size() const { return off_.any() ? kStandsOut * explainer_.background() : 0; }

bool Engine::out_of_patience() const {
  const double patience = kPatienceBits * log2_exact(static_cast<double>(suspects_.size() + 1)) + kPatience;
  return static_cast<double>(trials() - trials_at_peel_) > patience;
}

/// Which claims of the finding are proved, and which are to be checked. False if one was refuted, so that something else is
/// believed now.
bool Engine::hold_against_verdicts() {
  finding_.proved = true;
  for (Claim& claim : certificate(log_, relations_, always_active_, finding_.culprit_set, finding_.causes)) {
    if (claim.proved && claim.kind == Claim::Kind::fix_passes) note_fix(finding_.culprit_set);
    if (claim.proved) continue;
    finding_.proved = false;
    // Each cause failing alone shows that its member of the fix is needed, but where the subject as it is belies it.
    if (claim.kind == Claim::Kind::member_needed && !claim.own_trial) continue;
    Check check{~claim.neutralised, std::move(claim)};
    if (refuted(check)) return take_back(check.claim);
    const LogEntry* entry = log_.find(check.active);
    if (!(entry && decided(entry->verdict)) && !worth_asking(log_, entry)) misfit_ = true;
    checks_.push_back(std::move(check));
  }
  // Of a fix that passed some members may be harmless: each is tried alone first, since the smaller fix is known only then.
  if (!fix_.empty())
    std::ranges::stable_partition(checks_, [](const Check& check) { return check.claim.kind == Claim::Kind::cause_fails; });
  // Another fix may have shown a further cause, which this one mends too: others can name it.
  if (finding_.proved && any_unexplained_failure()) {
    finding_.proved = false;
    misfit_ = true;
  }
  return true;
}

/// A verdict says the opposite of this claim. False if what is believed changed with it; true if nothing else is believed
/// for now.
bool Engine::take_back(const Claim& claim) {
  switch (claim.kind) {
    case Claim::Kind::cause_fails: acquit(claim.subject); return false;
    case Claim::Kind::member_needed: set_aside(claim.subject.front()); return false;
    case Claim::Kind::fix_passes:
      if (greatest_ > 0) {
        peel();
        return false;
      }
      break;
    case Claim::Kind::cause_minimal: misfit_ = true; break;
  }
  checks_.clear();
  finding_.mass = 0;
  if (claim.kind == Claim::Kind::fix_passes) look_for_rest();
  return true;
}

/// The fix of all that stands out fails. Where healthy suspects hide the rest, verdicts find it; what was found is checked
/// first, so that they need not find it again.
void Engine::look_for_rest() {
  const bool doubtful = trials() - trials_at_peel_ >= kDoubts * problem_.slots;
  const bool hidden =
      explainer_.background_may_be_all() &&
      (doubtful || std::ranges::any_of(explanation_, [&](const Cause& cause) { return cause.size < least_size(); }));
  misfit_ = !harmless_.empty() || out_of_patience();
  if (!hidden) return;
  for (Claim& claim : certificate(log_, relations_, always_active_, finding_.culprit_set, finding_.causes)) {
    if (claim.kind != Claim::Kind::cause_fails || claim.proved) continue;
    Check check{~claim.neutralised, std::move(claim)};
    if (refuted(check)) acquit(check.claim.subject);
    else if (worth_asking(log_, log_.find(check.active))) checks_.push_back(std::move(check));
  }
  misfit_ = checks_.empty();
}

/// It passes alone.
void Engine::acquit(const Members& cause) {
  harmless_.push_back(cause);
  std::erase(peeled_, cause);
}

/// A fix passed that leaves all of this cause active: whatever it changes does no harm.
bool Engine::mended_without(const Members& cause) const {
  return !fix_.empty() && std::ranges::none_of(relations_.with_needs(cause),
                                               [&](SuspectId member) { return std::ranges::binary_search(fix_, member); });
}

/// The causes that come back when this member of the fix alone is active again.
void Engine::set_aside(SuspectId needless) {
  for (const Members& cause : finding_.causes)
    if (std::ranges::count(cause, needless) > 0 && std::ranges::count(beside_, cause) == 0) {
      beside_.push_back(cause);
      std::erase(peeled_, cause);
    }
}

bool Engine::any_unexplained_failure() const {
  return std::ranges::any_of(log_.entries(), [&](const LogEntry& entry) {
    return entry.verdict == Verdict::fail && !any_within(beside_, entry.active) &&
           !any_within(finding_.causes, entry.active);
  });
}

/// The causes found explain only a part of the harm: what is left is looked for with them neutralised, where nothing louder
/// hides it.
void Engine::peel() {
  peeled_ = finding_.causes;
  trials_at_peel_ = trials();
  off_.reset();
  for (SuspectId member : finding_.culprit_set) off_.set(member);
  believe();
}

std::vector<Question> Engine::ask(std::size_t count, std::span<const SuspectSet> pending) const {
  std::vector<Question> questions;
  if (misfit_ || finding_.proved) return questions;
  for (const Check& check : checks_) {
    const bool busy = std::ranges::count(pending, check.active) > 0;
    if (questions.size() < count && !busy) questions.push_back({check.active, Purpose::certificate, kChecks});
  }
  if (!checks_.empty()) return questions;
  questions = rivals(count, pending);
  std::vector<SuspectSet> known, batch;
  for (std::size_t row = 0; row < rows_.size(); ++row) known.push_back(rows_.active(row));
  for (const LogEntry& entry : log_.entries()) known.push_back(local(entry.active));
  for (const SuspectSet& active : pending) batch.push_back(local(active));
  for (const Question& question : questions) batch.push_back(local(question.active));
  const std::size_t before = batch.size();
  Random random(problem_.seed + 29 * log_.signatures().size() + 13 * log_.entries().size() + 1009 * pending.size());
  split(explanation_, local_relations_, before + count - questions.size(), known, batch, random);
  for (std::size_t i = before; i < batch.size(); ++i) {
    SuspectSet active = global(batch[i]);
    if (log_.find(active) || std::ranges::count(log_.signatures(), active, &SignatureRow::active) > 0) continue;
    questions.push_back(
        {active, Purpose::signature,
         explanation_.empty()
             ? fmt::format("its first steps tell whether a cause is among these {} active ones", active.count())
             : fmt::format("its first steps tell which of {} causes are among these {} active ones", explanation_.size(),
                           active.count())});
  }
  return questions;
}

/// With slots to spare the few hypotheses that are left are checked at once, each as if it were the answer.
std::vector<Question> Engine::rivals(std::size_t count, std::span<const SuspectSet> pending) const {
  std::vector<Question> questions;
  if (problem_.slots == 1 || explanation_.size() != 1) return questions;
  std::vector<Members> likely;
  for (const Hypothesis& each : explanation_.front().hypotheses)
    if (each.weight >= kRival) {
      likely.emplace_back();
      for (SuspectId member : each.members) likely.back().push_back(suspects_[member]);
    }
  if (likely.size() < 2 || 2 * likely.size() > count) return questions;
  for (const Members& cause : likely) {
    SuspectSet fixed = ~off_;
    fixed.reset(cause.front());
    for (const SuspectSet& active : {relations_.effective(fixed), alone(cause)})
      if (!std::ranges::count(pending, active) && worth_asking(log_, log_.find(active)))
        questions.push_back({active, Purpose::certificate, "tries one of the few answers that are left"});
  }
  return questions;
}

// Every split halves what is believed of each cause; then one check for each and for each member of one that fails only
// together, and one for the fix.
std::optional<double> Engine::trials_left() const {
  if (!checks_.empty()) return static_cast<double>(checks_.size());
  double splits = explanation_.empty() ? log2_exact(static_cast<double>(suspects_.size() + 1)) : 0;
  for (const Cause& cause : explanation_)
    if (cause.size >= kGreat * explanation_.front().size) splits = std::max(splits, -log2_exact(cause.likeliest().weight));
  double checks = 1;
  for (const Members& cause : finding_.causes) checks += 1 + (cause.size() > 1 ? static_cast<double>(cause.size()) : 0);
  return splits + checks;
}

std::vector<double> Engine::guilt() const {
  std::vector<double> guilt(problem_.suspects.size(), 0.0);
  if (misfit_ && !fix_.empty()) {
    for (SuspectId member : fix_) guilt[member] = kGate;
    return guilt;
  }
  for (const Cause& cause : explanation_) {
    if (cause.size < least_size()) break;
    for (const Hypothesis& each : cause.hypotheses)
      for (SuspectId member : each.members)
        guilt[suspects_[member]] += each.weight / static_cast<double>(each.members.size());
  }
  for (SuspectId member : off_.any() || finding_.proved ? finding_.culprit_set : Members{})
    if (finding_.proved || off_.test(member)) guilt[member] = 1;
  for (const Members& cause : harmless_)
    for (SuspectId member : cause) guilt[member] = 0;
  for (double& each : guilt) each = std::min(each, 1.0);
  return guilt;
}

}  // namespace bisectd::strategies::signatures
