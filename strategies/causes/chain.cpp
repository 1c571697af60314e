// Moves and their exact proposal densities.
//
// Target: pi(S) = k! P(k) prod_c prior(c) * prod_t (wrong in t ? doubt_t : 1). The factor k! counts the orders in which
// the same set of causes could be drawn. A move S -> S' with proposal density q is accepted with probability
// min(1, pi(S') q(S | S') / (pi(S) q(S' | S))).
//
// A cause is proposed by the "open" hits, those that no other cause of the state explains. For a lone culprit the
// weight of suspect j is prior_j * rho^(clears j was in) * mu^(open hits j was not in); with rho = mu = doubt this is
// the exact conditional posterior (a Gibbs step), so that nearly every proposal is accepted. The further members of a
// larger cause are drawn likewise, with only the tests counted in which the members drawn before were active as well.
#include "strategies/causes/chain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "strategies/prior.hpp"

namespace bisectd::strategies::causes {
namespace {

constexpr std::array<double, kMostMembers + 1> kSizeShare{0, kLoneCause, 0.8 * kJointCause, 0.2 * kJointCause};
constexpr std::array<double, kMostMembers + 1> kProposedShare{0, 0.6, 0.25, 0.15};  // larger causes are harder to hit upon
constexpr MemberDraw::Weights kFirstMember{.against = 1.0, .missed = 0.25};         // of a cause that needs partners
constexpr double kLeastMissed = 1e-3, kLeastAgainst = 1e-4;  // proposals stay reversible: no weight is ever zero

constexpr std::size_t kKeptAlone = 64, kKeptPartner = 256;  // prepared draws

enum : std::uint64_t { kBirth = 5, kDeath = 10, kReplace = 15, kResize = 17, kMoves = 20 };  // of twenty

double count_prior(std::size_t k) {
  const double count = static_cast<double>(k);
  return 1 / (count * count * std::sqrt(count));
}

}  // namespace

Chain::Chain(const Tests& tests, std::vector<double> odds)
    : tests_(tests),
      share_(std::move(odds)),
      levels_(share_),
      alone_(tests, levels_, kKeptAlone),
      first_(tests, levels_, kKeptAlone),
      partner_(tests, levels_, kKeptPartner) {
  double sum = 0;
  for (double o : share_) sum += o;
  for (double& o : share_) o /= sum;
  const auto restricted = [&](std::array<double, kMostMembers + 1> shares) {
    double possible = 0;
    for (std::size_t m = 1; m <= kMostMembers; ++m) possible += m <= share_.size() ? shares[m] : shares[m] = 0;
    for (double& s : shares) s /= possible;
    return shares;
  };
  size_share_ = restricted(kSizeShare);
  proposed_share_ = restricted(kProposedShare);
}

double Chain::prior(const Cause& cause) const {
  double p = 1, orders = 1;
  for (std::uint16_t member : cause) p *= share_[member];
  for (std::size_t m = 2; m <= cause.size(); ++m) orders *= static_cast<double>(m);
  return size_share_[cause.size()] * orders * p;
}

// But for the number of causes, which is geometric here: the moves mend that.
Explanation Chain::from_prior(Random& random) const {
  Explanation state;
  std::size_t wanted = 1;
  while (wanted < 8 && random.below(4) == 0) ++wanted;
  for (std::size_t i = 0; i < wanted; ++i) {
    double at = random.unit();
    std::size_t size = 1;
    while (size < kMostMembers && at >= size_share_[size]) at -= size_share_[size++];
    Cause cause;
    while (cause.size() < std::min(size, share_.size())) {
      double left = random.unit();
      std::size_t suspect = 0;
      while (suspect + 1 < share_.size() && left >= share_[suspect]) left -= share_[suspect++];
      if (!cause.contains(suspect)) cause.add(suspect);
    }
    state.add(cause);
    if (!state.legal(state.size - 1)) state.remove(state.size - 1);
  }
  return state;
}

std::size_t Chain::mismatches(const Explanation& explanation) const {
  const TestSet wrong = tests_.mismatches(tests_.covered(explanation));
  std::size_t count = 0;
  for (std::size_t w = 0; w < tests_.words(); ++w) count += static_cast<std::size_t>(std::popcount(wrong.word[w]));
  return count;
}

TestSet Chain::open(const Explanation& state, std::size_t skip) const {
  TestSet open = tests_.covered(state, skip);
  for (std::size_t w = 0; w < tests_.words(); ++w) open.word[w] = tests_.hits().word[w] & ~open.word[w];
  return open;
}

// The weights of an exact conditional draw, for the doubt of an ordinary test.
MemberDraw::Weights Chain::conditional() const {
  const double doubt = tests_.size() > 0 ? tests_.doubt(tests_.size() - 1) : 1.0;
  return {.against = std::max(doubt, kLeastAgainst), .missed = std::max(doubt, kLeastMissed)};
}

const MemberDraw& Chain::alone(const TestSet& open) { return alone_.prepared(tests_.clears(), {}, open, conditional()); }

const MemberDraw& Chain::first(const TestSet& open) { return first_.prepared({}, {}, open, kFirstMember); }

const MemberDraw& Chain::partner(const Cause& kept, const TestSet& open) {
  const TestSet both = kept.size() > 0 ? tests_.covered(kept) : TestSet{};
  TestSet clears = tests_.clears(), hits = open;
  for (std::size_t w = 0; w < tests_.words(); ++w) {
    clears.word[w] &= both.word[w];
    hits.word[w] &= both.word[w];
  }
  return partner_.prepared(clears, kept, hits, conditional());
}

// A cause of m members may be drawn in any of the m! orders of its members.
double Chain::density(const Cause& cause, const TestSet& open) {
  if (cause.size() == 1) return proposed_share_[1] * alone(open).density(cause.member[0]);
  const MemberDraw& first_draw = first(open);
  double sum = 0;
  if (cause.size() == 2) {
    for (std::size_t f = 0; f < 2; ++f) {
      Cause kept;
      kept.add(cause.member[f]);
      sum += first_draw.density(cause.member[f]) * partner(kept, open).density(cause.member[1 - f]);
    }
    return proposed_share_[2] * sum;
  }
  std::array<std::array<double, 3>, 3> second{};  // [f][s]: probability of s right after f
  for (std::size_t f = 0; f < 3; ++f) {
    Cause kept;
    kept.add(cause.member[f]);
    const MemberDraw& second_draw = partner(kept, open);
    for (std::size_t s = 0; s < 3; ++s)
      if (s != f) second[f][s] = second_draw.density(cause.member[s]);
  }
  for (std::size_t last = 0; last < 3; ++last) {
    const std::size_t f = (last + 1) % 3, s = (last + 2) % 3;
    Cause kept;
    kept.add(cause.member[f]);
    kept.add(cause.member[s]);
    sum += partner(kept, open).density(cause.member[last]) *
           (first_draw.density(cause.member[f]) * second[f][s] + first_draw.density(cause.member[s]) * second[s][f]);
  }
  return proposed_share_[3] * sum;
}

Cause Chain::draw_cause(const TestSet& open, Random& random) {
  double at = random.unit();
  std::size_t size = 1;
  while (size < std::min(kMostMembers, share_.size()) && at >= proposed_share_[size]) at -= proposed_share_[size++];
  Cause cause;
  cause.add(size == 1 ? alone(open).draw(random) : first(open).draw(random));
  while (cause.size() < size) cause.add(partner(cause, open).draw(random));
  return cause;
}

double Chain::likelihood_ratio(const TestSet& wrong, const TestSet& wrong_before) const {
  double better = 1, worse = 1;
  for (std::size_t w = 0; w < tests_.words(); ++w) {
    for (Word rest = wrong.word[w] & ~wrong_before.word[w]; rest; rest &= rest - 1)
      worse *= tests_.doubt(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
    for (Word rest = wrong_before.word[w] & ~wrong.word[w]; rest; rest &= rest - 1)
      better *= tests_.doubt(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
  }
  constexpr double kSmallest = 1e-280;
  return std::max(worse, kSmallest) / std::max(better, kSmallest);
}

bool Chain::birth(Explanation& next, double& ratio, Random& random) {
  if (next.size >= kMostCauses) return false;
  const TestSet wanted = open(next, kMostCauses);
  const Cause cause = draw_cause(wanted, random);
  next.add(cause);
  if (!next.legal(next.size - 1)) return false;
  const double k = static_cast<double>(next.size);
  // prior ratio k P(k) / P(k-1) * prior(c); the reverse death picks this cause with probability 1 / k
  ratio = count_prior(next.size) / count_prior(next.size - 1) * k * prior(cause) / (k * density(cause, wanted));
  return true;
}

bool Chain::death(Explanation& next, double& ratio, Random& random) {
  if (next.size <= 1) return false;
  const double k = static_cast<double>(next.size);
  const std::size_t at = random.below(next.size);
  const Cause cause = next.cause[at];
  next.remove(at);
  ratio =
      count_prior(next.size) / count_prior(next.size + 1) * k * density(cause, open(next, kMostCauses)) / (k * prior(cause));
  return true;
}

bool Chain::replace(Explanation& next, double& ratio, Random& random) {
  const std::size_t at = random.below(next.size);
  const TestSet wanted = open(next, at);
  const Cause before = next.cause[at], cause = draw_cause(wanted, random);
  if (cause == before) return false;
  next.cause[at] = cause;
  if (!next.legal(at)) return false;
  ratio = prior(cause) / prior(before) * density(before, wanted) / density(cause, wanted);
  return true;
}

bool Chain::other_partner(Explanation& next, double& ratio, Random& random) {
  const std::size_t at = random.below(next.size);
  const Cause before = next.cause[at];
  if (before.size() < 2) return false;
  const std::size_t out = random.below(before.size());
  Cause kept;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (i != out) kept.add(before.member[i]);
  const MemberDraw& partner_draw = partner(kept, open(next, at));
  const std::size_t fresh = partner_draw.draw(random);
  if (fresh == before.member[out]) return false;
  Cause cause = kept;
  cause.add(fresh);
  next.cause[at] = cause;
  if (!next.legal(at)) return false;
  ratio = prior(cause) / prior(before) * partner_draw.density(before.member[out]) / partner_draw.density(fresh);
  return true;
}

// Adds a partner to a cause, or takes a member out: the short way between {a, b} and {a, b, c}, however many tests
// there are. Growing and shrinking are tried equally often.
bool Chain::resize(Explanation& next, double& ratio, Random& random) {
  const std::size_t at = random.below(next.size);
  const Cause before = next.cause[at];
  const bool grow = random.below(2) == 0;
  if (grow ? before.size() >= std::min(kMostMembers, share_.size()) : before.size() < 2) return false;
  const TestSet wanted = open(next, at);
  Cause cause = before;
  if (grow) {
    const MemberDraw& partner_draw = partner(before, wanted);
    const std::size_t fresh = partner_draw.draw(random);
    cause.add(fresh);
    ratio = 1 / (static_cast<double>(cause.size()) * partner_draw.density(fresh));
  } else {
    const std::size_t out = random.below(before.size());
    cause = Cause{};
    for (std::size_t i = 0; i < before.size(); ++i)
      if (i != out) cause.add(before.member[i]);
    ratio = static_cast<double>(before.size()) * partner(cause, wanted).density(before.member[out]);
  }
  ratio *= prior(cause) / prior(before);
  next.cause[at] = cause;
  return next.legal(at);
}

void Chain::walk(Explanation& state, std::size_t moves, Random& random) {
  TestSet wrong = tests_.mismatches(tests_.covered(state));
  for (std::size_t move = 0; move < moves; ++move) {
    Explanation next = state;
    double ratio = 0;
    const std::uint64_t kind = random.below(kMoves);
    const bool made = kind < kBirth     ? birth(next, ratio, random)
                      : kind < kDeath   ? death(next, ratio, random)
                      : kind < kReplace ? replace(next, ratio, random)
                      : kind < kResize  ? resize(next, ratio, random)
                                        : other_partner(next, ratio, random);
    if (!made) continue;
    const TestSet wrong_next = tests_.mismatches(tests_.covered(next));
    if (random.unit() < ratio * likelihood_ratio(wrong_next, wrong)) {
      state = next;
      wrong = wrong_next;
    }
  }
}

}  // namespace bisectd::strategies::causes
