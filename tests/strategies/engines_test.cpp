// Each engine by itself, over a log that is told by hand: no phases, no other engine to hand over to.
#include "strategies/causes/engine.hpp"
#include "strategies/certificate.hpp"
#include "strategies/signatures/engine.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

namespace bisectd::strategies::testing {
namespace {

/// What an engine needs around it.
struct Bench {
  Problem problem;
  Causes causes;
  EvidenceLog log;

  Bench(Problem given, Causes guilty)
      : problem(std::move(given)),
        causes(std::move(guilty)),
        log(problem.suspects.size(), problem.flip_probability.value_or(0.0), 1 - problem.confidence) {}

  std::size_t size() const { return problem.suspects.size(); }
  bool is_active(std::size_t cause, const Active& set) const {
    return std::ranges::all_of(causes[cause], [&](SuspectId member) { return set.test(member); });
  }
  /// One run: its verdict, its difference (causes alternate in sign) and its first steps, each cause with its own.
  Evidence run(const Active& set, Purpose purpose = Purpose::search) const {
    Evidence evidence = evidence_of(neutralised_beside(set), kPass);
    evidence.delta = 0;
    evidence.standard_error = 0.01;
    evidence.signature.assign(12, 0.5);
    for (std::size_t cause = 0; cause < causes.size(); ++cause) {
      if (!is_active(cause, set)) continue;
      evidence.verdict = kFail;
      evidence.p_bad = 0.999;
      *evidence.delta += cause % 2 == 0 ? 2.0 + static_cast<double>(cause) : -3.0;
      Random steps(100 + cause);
      for (double& step : evidence.signature) step += 400 * (steps.unit() - 0.5);
    }
    evidence.judged = purpose != Purpose::signature;
    return evidence;
  }
  void tell(const Active& set, Purpose purpose = Purpose::search) { log.tell(run(set, purpose)); }
  void tell_ends() {
    tell(as_it_is(size()));
    tell(active(size(), {}));
  }
  /// Answers what it asks until it asks nothing; how many trials that took.
  std::size_t play(Engine& engine, std::size_t slots = 1) {
    std::size_t trials = 0;
    for (auto questions = engine.ask(slots, {}); !questions.empty(); questions = engine.ask(slots, {}))
      for (const Trial& trial : questions) {
        if (++trials > 300) throw std::runtime_error("endless engine");
        tell(active_beside(trial.neutralised), trial.purpose);
        engine.hear();
      }
    return trials;
  }
  bool is_proved(const Finding& finding) const {
    const auto claims = certificate(log, active(size(), {}), finding);
    return std::ranges::all_of(claims, &Claim::proved);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("an engine by itself names and proves its answer, by the log alone", "", causes::Engine,
                   signatures::Engine) {
  for (const Causes& guilty : {Causes{{7}}, Causes{{3}, {20}}, Causes{{5, 11}}, Causes{{2}, {9, 30}}}) {
    for (const std::size_t slots : {1, 4}) {
      Bench bench(problem_of(32, slots, 3), guilty);
      bench.tell_ends();
      TestType engine(bench.problem, active(32, {}), bench.log);
      CHECK_FALSE(engine.finding().proved);
      bench.play(engine, slots);
      INFO("causes " << guilty.size() << ", the first of " << guilty.front().size() << ", " << slots << " slots");
      REQUIRE_FALSE(engine.misfit());
      CHECK(engine.finding().proved);
      CHECK(engine.finding().causes == guilty);
      CHECK(bench.is_proved(engine.finding()));
      CHECK(minimal_fix(exact(guilty), 32, engine.finding().culprit_set));
      const std::vector<double> guilt = engine.guilt();
      for (SuspectId suspect = 0; suspect < 32; ++suspect)
        if (std::ranges::none_of(guilty, [&](const auto& cause) { return std::ranges::count(cause, suspect) > 0; }))
          CHECK(guilt[suspect] == 0);
      for (SuspectId culprit : engine.finding().culprit_set) CHECK(guilt[culprit] >= 0.5);

      // Whoever comes later and hears the same log at once knows the same, without a trial.
      TestType late(bench.problem, active(32, {}), bench.log);
      CHECK(late.finding().culprit_set == engine.finding().culprit_set);
      CHECK(bench.play(late, slots) <= 2);
      CHECK(late.finding().proved);
    }
  }
}

TEMPLATE_TEST_CASE("an engine asks neither what is on its way nor what must stay active", "", causes::Engine,
                   signatures::Engine) {
  Bench bench(problem_of(24, 3, 2), {{4}, {15}});
  const Active always = active(24, {0, 23});
  bench.tell_ends();
  bench.tell(always);
  TestType engine(bench.problem, always, bench.log);
  std::vector<Neutralised> pending;
  for (int round = 0; round < 4; ++round)
    for (const Trial& trial : engine.ask(3, pending)) {
      CHECK(always.is_subset_of(active_beside(trial.neutralised)));
      CHECK(std::ranges::count(pending, trial.neutralised) == 0);
      CHECK_FALSE(trial.reason.empty());
      pending.push_back(trial.neutralised);
    }
  CHECK(pending.size() >= 3);
  for (SuspectId suspect : {0UL, 23UL}) CHECK(engine.guilt()[suspect] == 0);
}

TEST_CASE("causes: noise wants votes that agree") {
  Problem problem = problem_of(20, 4);
  problem.flip_probability = 0.1;
  Bench bench(problem, {{6}});
  Random random(4);
  const auto tell = [&](const Active& set) {
    Evidence evidence = bench.run(set);
    if (random.unit() < 0.1) evidence.verdict = evidence.verdict == kFail ? kPass : kFail;
    evidence.p_bad = evidence.verdict == kFail ? 0.999 : 0.001;
    bench.log.tell(evidence);
  };
  causes::Engine engine(bench.problem, active(20, {}), bench.log);
  for (int trials = 0; trials < 200 && !engine.finding().proved; ++trials)
    for (const Trial& trial : engine.ask(4, {})) {
      tell(active_beside(trial.neutralised));
      engine.hear();
    }
  REQUIRE(engine.finding().proved);
  CHECK(engine.finding().causes == Causes{{6}});
}

TEST_CASE("causes: what no set of causes explains is a misfit, and so are sets that say nothing") {
  Bench bench(problem_of(4, 2), {{1}});
  bench.tell_ends();
  causes::Engine engine(bench.problem, active(4, {}), bench.log);
  bench.log.tell(evidence_of(neutralised_beside(active(4, {0, 1, 2})), kPass));
  bench.log.tell(evidence_of(neutralised_beside(active(4, {1})), kFail));  // part of what passed
  engine.hear();
  CHECK(engine.misfit());
  CHECK(engine.ask(3, {}).empty());

  Bench mute(problem_of(40, 2), {{1}});
  mute.tell_ends();
  causes::Engine silenced(mute.problem, active(40, {}), mute.log);
  for (SuspectId suspect = 0; suspect < 32; ++suspect) {
    CHECK_FALSE(silenced.misfit());
    mute.log.tell(evidence_of(neutralised(40, {suspect, suspect + 1}), kBroke));
    silenced.hear();
  }
  CHECK(silenced.misfit());
}

TEST_CASE("signatures: splits are trials of a few steps, checks are judged, and it says how many are left") {
  Bench bench(problem_of(64), {{10}, {40}});
  bench.tell_ends();
  signatures::Engine engine(bench.problem, active(64, {}), bench.log);
  std::size_t splits = 0, checks = 0;
  for (auto questions = engine.ask(1, {}); !questions.empty(); questions = engine.ask(1, {})) {
    REQUIRE(engine.trials_left().has_value());
    CHECK(*engine.trials_left() > 0);
    const Trial& trial = questions.front();
    CHECK((trial.purpose == Purpose::signature || trial.purpose == Purpose::certificate));
    CHECK((checks == 0 || trial.purpose == Purpose::certificate));  // here nothing is refuted
    ++(trial.purpose == Purpose::signature ? splits : checks);
    bench.tell(active_beside(trial.neutralised), trial.purpose);
    engine.hear();
    REQUIRE(splits + checks < 60);
  }
  CHECK(engine.finding().causes == Causes{{10}, {40}});
  CHECK(checks == 3);  // the fix, and each cause alone
  CHECK(splits >= 5);  // two of 64 take eleven bits
}

TEST_CASE("signatures: first steps that tell nothing are a misfit") {
  Bench bench(problem_of(8), {{1}});
  Evidence quiet = bench.run(as_it_is(8));
  quiet.signature.assign(12, 1.0);
  bench.log.tell(quiet);
  signatures::Engine engine(bench.problem, active(8, {}), bench.log);
  CHECK(engine.misfit());
  CHECK(engine.ask(1, {}).empty());
}

}  // namespace bisectd::strategies::testing
