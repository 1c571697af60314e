// The proof of an answer: which trials show which claim, against what follows from monotonicity alone.
#include "strategies/certificate.hpp"

#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

using Kind = Claim::Kind;

const Claim& claim_of(const std::vector<Claim>& claims, Kind kind, std::vector<SuspectId> subject) {
  const auto found = std::ranges::find_if(claims, [&](const Claim& c) { return c.kind == kind && c.subject == subject; });
  REQUIRE(found != claims.end());
  return *found;
}

/// What was told of five suspects, whose causes are {1} and {2, 3}: the fix is {1, 2}.
struct FiveSuspects {
  EvidenceLog log;
  std::vector<SuspectId> fix{1, 2};
  Causes causes{{1}, {2, 3}};

  explicit FiveSuspects(double flip = 0, double error = 0.01) : log(5, flip, error) {}
  void active_were(const std::vector<SuspectId>& set, Verdict verdict, int times = 1) {
    for (int i = 0; i < times; ++i) log.tell(evidence_of(neutralised_beside(active(5, set)), verdict));
  }
  std::vector<Claim> claims() const { return certificate(log, active(5, {}), {fix, causes}); }
  bool proved(Kind kind, const std::vector<SuspectId>& subject) const { return claim_of(claims(), kind, subject).proved; }
};

}  // namespace

TEST_CASE("that three fail only together is shown by three pairs that pass and by each of them, which passes alone") {
  const std::vector<Claim> claims = certificate(EvidenceLog(5, 0, 0.01), active(5, {}), {{1}, {{1, 2, 4}}});
  std::vector<Active> minimal;
  for (const Claim& claim : claims)
    if (claim.kind == Kind::cause_minimal) minimal.push_back(active_beside(claim.neutralised));
  CHECK(minimal.size() == 6);
  for (const std::vector<SuspectId>& some : {std::vector<SuspectId>{1}, {2}, {4}, {1, 2}, {1, 4}, {2, 4}})
    CHECK(std::ranges::count(minimal, active(5, some)) == 1);
}

TEST_CASE("whatever is told of a monotone truth: a claim is proved if and only if a told trial shows it") {
  Random random(17);
  for (int game = 0; game < 150; ++game) {
    const std::size_t n = 2 + random.below(3);
    const Causes causes = random_causes(random, n), answered = random_causes(random, n);  // the answer may be wrong
    const std::vector<SuspectId> fix = members_of_mask(static_cast<unsigned>(random.below(1U << n)));
    EvidenceLog log(n, 0, 0.01);
    Answer answer{.culprit_set = fix, .causes = answered};
    std::vector<Evidence> told;
    for (std::size_t i = random.below(1U << n); i > 0; --i) {
      const Neutralised set(SuspectSet(n, random.below(1U << n)));
      told.push_back(evidence_of(set, exact(causes)(set)));
      log.tell(told.back());
    }
    for (const Claim& claim : certificate(log, active(n, {}), {fix, answered})) {
      const auto shown_by = [&](const Evidence& seen) { return shows(claim, answer, seen.neutralised, seen.verdict); };
      // More than two that fail only together, all there are: one run of the subject as it is does not show it.
      const bool by_one_run = claim.kind == Kind::cause_fails && claim.subject.size() == n && n > 2;
      const auto enough = by_one_run ? 2 : 1;
      CHECK(claim.proved == (std::ranges::count_if(told, shown_by) >= enough));
      if (!claim.proved) continue;
      const Verdict truth = exact(causes)(claim.neutralised);
      CHECK(truth == claim.expected);
      CHECK(log.find(active_beside(claim.neutralised)));  // it names a trial that was run
    }
  }
}

TEST_CASE("where all suspects fail only together the only run that shows it is made twice") {
  EvidenceLog log(3, 0, 0.01);
  const Causes together{{0, 1, 2}};
  const auto proved = [&] {
    const auto claims = certificate(log, active(3, {}), {{0}, together});
    return claim_of(claims, Kind::cause_fails, {0, 1, 2}).proved;
  };
  log.tell(evidence_of(neutralised(3, {}), Verdict::fail));
  CHECK_FALSE(proved());
  log.tell(evidence_of(neutralised(3, {}), Verdict::fail));
  CHECK(proved());
}

TEST_CASE("with noise trials that imply a claim are added up, and all together may err as rarely as asked") {
  FiveSuspects told(0.05, 0.01);
  told.active_were({1}, Verdict::fail);
  told.active_were({0, 1}, Verdict::fail);
  CHECK_FALSE(told.proved(Kind::cause_fails, {1}));
  CHECK(told.proved(Kind::member_needed, {1}));  // both imply it
  told.active_were({1}, Verdict::fail, 2);
  CHECK(told.proved(Kind::cause_fails, {1}));
  // A trial of which the causes predict the opposite says nothing of the claim, however it came out.
  const double before = claim_of(told.claims(), Kind::member_needed, {2}).bits;
  told.active_were({0, 4}, Verdict::fail, 3);
  CHECK(claim_of(told.claims(), Kind::member_needed, {2}).bits == before);

  // Each claim has the least evidence, but there are many of them: the weakest is open until their sum is small enough.
  FiveSuspects many(0.05, 0.01);
  for (const Claim& claim : many.claims())
    for (int i = 0; i < 2; ++i) many.log.tell(evidence_of(claim.neutralised, claim.expected));
  double wrong = 0;
  std::size_t open = 0;
  for (const Claim& claim : many.claims()) {
    CHECK(claim.bits >= many.log.needed_bits());
    open += !claim.proved;
    if (claim.proved && claim.kind != Kind::member_needed && claim.subject.size() > 1) wrong += std::exp2(-claim.bits);
  }
  CHECK(open > 0);
  CHECK(wrong <= 0.01);
  CHECK(many.claims().front().neutralised == neutralised(5, {1, 2}));
}

TEST_CASE("the confidence in an answer is that of the claims about its culprit set, together") {
  std::vector<Claim> claims(3);
  claims[0] = {.kind = Kind::fix_passes, .bits = 3};
  claims[1] = {.kind = Kind::member_needed, .bits = 4};
  claims[2] = {.kind = Kind::cause_fails, .bits = 0};  // who is guilty beside them does not count
  CHECK(confidence_in(claims) == Approx(8.0 / 9 * 16.0 / 17));
  CHECK(confidence_in({}) == 1);
}

TEST_CASE("a proof is as sure as the judge was of the least sure verdict that it rests on, though none is weighed") {
  const Causes causes{{2}};
  const auto confidence_where_fails_have = [&](double p_bad) {
    const Game game = play_judged(
        problem_of(6),
        [&](const Neutralised& off) {
          Evidence evidence = evidence_of(off, fails(causes, off) ? kFail : kPass);
          if (evidence.verdict == kFail) evidence.p_bad = p_bad;
          return evidence;
        },
        100);
    REQUIRE(game.answer.state == State::proved);
    CHECK(game.answer.explanation.empty() == (p_bad >= 0.95));
    return game.answer.confidence;
  };
  CHECK(confidence_where_fails_have(0.62) == 0.62);
  CHECK(confidence_where_fails_have(0.96) == 1);
}
