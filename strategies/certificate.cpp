// Claims as sets of active suspects, looked up in the log.
//
// With noise a claim collects the evidence of all trials that imply it. Counting only those that came out right would
// be biased (of forty trials that would each refute the claim, two are wrong by chance), so a trial counts, for or
// against, iff the causes predict for it what the claim expects; a flip of any other trial says nothing about this
// claim.
#include "strategies/certificate.hpp"

#include <algorithm>
#include <cmath>

#include "strategies/prior.hpp"

namespace bisectd::strategies {
namespace {

// All suspects may be so many for one run of the subject as it is to show that they fail only together. With more of them
// it rather means that what made that run fail has gone since (a restart, another user of the machine, a cache).
constexpr std::size_t kTogetherByOneRun = 2;
constexpr double kInteracting = kJointCause / kLoneCause;  // prior odds that a culprit is one only together with others

// The others must leave less than a third of what a cause does alone: where causes interact, a share is missing as well.
constexpr double kBelied = 9;

using Causes = std::span<const std::vector<SuspectId>>;

// Whether the subject as it is differs as if this member's causes did nothing there: then that they fail alone does not show
// that the member is needed, for its neighbours, neutralised in that trial, may be what makes it wrong (an operator that
// cannot bear what another one hands it from the CPU). Causes add up well enough for this; one that is met by another member
// of the fix as well does not come back with this one.
bool belied_as_it_is(const EvidenceLog& log, const Active& always_active, const Accused& accused, SuspectId member) {
  std::vector<double> rest = log.signature_of(as_it_is(always_active.size())), own(rest.size());
  for (const std::vector<SuspectId>& cause : accused.causes) {
    const std::vector<double> here = log.signature_of(only_active(cause, always_active));
    if (rest.empty() || here.size() != rest.size()) return false;
    const bool only_here =
        std::ranges::count(cause, member) > 0 && std::ranges::none_of(accused.culprit_set, [&](SuspectId other) {
          return other != member && std::ranges::count(cause, other) > 0;
        });
    for (std::size_t i = 0; i < rest.size(); ++i) {
      rest[i] -= here[i];
      if (only_here) own[i] += here[i];
    }
  }
  // Squares: of what the member's causes do alone, of what the others leave of the subject as it is.
  double alone = 0, left = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    alone += own[i] * own[i];
    left += (rest[i] + own[i]) * (rest[i] + own[i]);
  }
  return alone > kBelied * left;
}

// Whether only its own set shows a claim. That the fix passes is said of exactly that fix. And whether a member of a cause
// is too many: a set with more active may pass only because two faults outside the cause cancel in it, and then an innocent
// member would be named (a pair of opposite faults and a third one: "an innocent and one of the pair, only together").
bool needs_own_set(Claim::Kind kind) { return kind == Claim::Kind::fix_passes || kind == Claim::Kind::cause_minimal; }

// The active set a claim is about.
Active claimed(const Claim& claim, const Active& always_active, std::span<const SuspectId> culprit_set) {
  using Kind = Claim::Kind;
  const bool of_fix = claim.kind == Kind::fix_passes || claim.kind == Kind::member_needed;
  Active active = of_fix ? all_but(culprit_set, always_active.size()) : only_active(claim.subject, always_active);
  if (claim.kind == Kind::member_needed) active.set(claim.subject.front());
  if (claim.kind == Kind::cause_minimal) active.reset(claim.subject.back());
  return active;
}

// Upper bound of 2^-bits for bits >= 0, by its chord between whole numbers: the same on every machine.
double chance_wrong(double bits) {
  const double whole = std::floor(bits);
  return std::ldexp(1 - (bits - whole) / 2, -static_cast<int>(whole));
}

// Upper bound of the chance that a proved claim is wrong. That a member is needed follows from the failure of its cause:
// no error of its own. And a needed member mostly fails alone, so that only a share of the doubt about it is left.
double error_of(const Claim& claim) {
  if (claim.kind == Claim::Kind::member_needed && !claim.own_trial) return 0;
  const bool alone = claim.kind == Claim::Kind::cause_fails && claim.subject.size() == 1;
  return chance_wrong(claim.bits) * (alone ? kInteracting : 1.0);
}

// A claim needs its least evidence, and all together may be wrong as rarely as asked (union bound); while they are not,
// the weakest one is open.
void mark_proved(std::vector<Claim>& claims, const EvidenceLog& log) {
  double wrong = 0;
  for (Claim& claim : claims) {
    claim.proved = claim.bits >= log.needed_bits();
    if (claim.proved) wrong += error_of(claim);
  }
  while (!log.exact() && wrong > log.error()) {
    const auto weakest = std::ranges::max_element(claims, {}, [](const Claim& c) { return c.proved ? error_of(c) : 0.0; });
    if (!weakest->proved) return;
    weakest->proved = false;
    wrong -= error_of(*weakest);
  }
}

/// What was told that shows a claim.
struct Shown {
  double bits = 0;
  int times = 0;
  const LogEntry* by = nullptr;  // the entry of the set itself, or the strongest that implies it; null: nothing shows it
};

Shown shown(const Claim& claim, const Active& about, const EvidenceLog& log, Causes causes, const Active& always_active) {
  const bool fails = claim.expected == Verdict::fail;
  const LogEntry* itself = log.find(about);
  Shown shown;
  double strongest = 0;
  for (const LogEntry& entry : log.entries()) {
    if (claim.own_trial ? &entry != itself : !entry.active.is_subset_of(about)) continue;
    // What is always active now and was not there may do harm by being neutralised.
    if (!always_active.is_subset_of(entry.active)) continue;
    const double bits = fails ? entry.bits : -entry.bits;
    const bool predicted = causes.empty() || any_within(causes, entry.active) == fails;
    if (log.exact() ? bits <= 0 : !predicted) continue;
    shown.bits += bits;
    shown.times += fails ? entry.fails : entry.passes;
    if (bits <= (&entry == itself ? 0 : strongest)) continue;
    strongest = &entry == itself ? HUGE_VAL : bits;
    shown.by = &entry;
  }
  return shown;
}

// Every claim, as far as it is known without looking at the evidence.
std::vector<Claim> all_claims(const Accused& accused) {
  using Kind = Claim::Kind;
  std::vector<Claim> claims;
  const auto add = [&](Kind kind, std::vector<SuspectId> subject) {
    const bool fails = kind == Kind::member_needed || kind == Kind::cause_fails;
    claims.push_back({.kind = kind,
                      .subject = std::move(subject),
                      .neutralised = {},
                      .expected = fails ? Verdict::fail : Verdict::pass,
                      .own_trial = needs_own_set(kind)});
  };
  add(Kind::fix_passes, accused.culprit_set);
  for (SuspectId member : accused.culprit_set) add(Kind::member_needed, {member});
  for (const std::vector<SuspectId>& cause : accused.causes) {
    add(Kind::cause_fails, cause);
    // Without its only member nothing is active beside what always is, and that passed.
    if (cause.size() < 2) continue;
    for (std::size_t i = 0; i < cause.size(); ++i) {
      std::vector<SuspectId> last_one = cause;
      last_one.erase(last_one.begin() + static_cast<std::ptrdiff_t>(i));
      last_one.push_back(cause[i]);
      add(Kind::cause_minimal, std::move(last_one));
      // That two of three pass together does not show that each passes alone where neutralising does harm: of two that must
      // move together one, neutralised, may make up for a third that is guilty by itself.
      if (cause.size() > 2) add(Kind::cause_minimal, {cause[i], cause[(i + 1) % cause.size()]});
    }
  }
  return claims;
}

}  // namespace

std::vector<Claim> certificate(const EvidenceLog& log, const Active& always_active, const Accused& accused) {
  std::vector<Claim> claims = all_claims(accused);
  std::vector<Neutralised> shown_by;
  for (Claim& claim : claims) {
    if (claim.kind == Claim::Kind::member_needed)
      claim.own_trial = belied_as_it_is(log, always_active, accused, claim.subject.front());
    const Active about = claimed(claim, always_active, accused.culprit_set);
    const Shown seen = shown(claim, about, log, accused.causes, always_active);
    const bool by_one_run =
        claim.kind == Claim::Kind::cause_fails && seen.times < 2 && claim.subject.size() > kTogetherByOneRun && about.all();
    claim.bits = by_one_run ? std::min(seen.bits, log.needed_bits() / 2) : seen.bits;
    claim.neutralised = neutralised_beside(about);
    shown_by.push_back(neutralised_beside(seen.by ? seen.by->active : about));
  }
  mark_proved(claims, log);
  for (std::size_t i = 0; i < claims.size(); ++i)
    if (claims[i].proved) claims[i].neutralised = std::move(shown_by[i]);
  return claims;
}

std::vector<Claim> claims_to_check(const EvidenceLog& log, const Active& always_active, const Accused& accused) {
  std::vector<Claim> open = certificate(log, always_active, accused);
  std::erase_if(open, [](const Claim& claim) {
    return claim.proved || (claim.kind == Claim::Kind::member_needed && !claim.own_trial);
  });
  return open;
}

double confidence_in(std::span<const Claim> claims) {
  double all = 1;
  for (const Claim& claim : claims)
    if (claim.kind == Claim::Kind::fix_passes || claim.kind == Claim::Kind::member_needed)
      all *= 1 / (1 + std::exp2(-claim.bits));
  return all;
}

bool shows(const Claim& claim, const Answer& answer, const Neutralised& neutralised, Verdict verdict) {
  if (verdict != claim.expected) return false;
  Active always_active{SuspectSet(neutralised.size())};
  for (const auto* kept : {&answer.not_neutralisable, &answer.excluded})
    for (SuspectId suspect : *kept) always_active.set(suspect);
  const Active about = claimed(claim, always_active, answer.culprit_set);
  const Active active = active_beside(neutralised);
  return claim.own_trial ? active == about : active.is_subset_of(about) && always_active.is_subset_of(active);
}

}  // namespace bisectd::strategies
