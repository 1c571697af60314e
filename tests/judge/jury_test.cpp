#include "driver/judge/jury.hpp"

#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;
using strategies::Verdict;

namespace {

const std::vector<MetricRule> kLossAndScore = {{"loss", false}, {"acc", true}};

/// A loss, and a score evaluated ten times in the run.
Curve both(std::uint64_t run, double noise, double loss_bias = 0, double score_bias = 0, std::int64_t n = 1000) {
  Curve curve = noisy(n, run, noise, loss_bias);
  for (std::int64_t step = n / 10; step <= n; step += n / 10)
    curve.series["acc"].push_back(
        {step, (0.9 - 0.5 * std::exp(-step * 5.0 / static_cast<double>(n))) * (1 + score_bias + noise * jitter(run, -9))});
  return curve;
}

std::vector<Curve> runs_of_both(double noise = 0.0005) {
  std::vector<Curve> runs;
  for (std::uint64_t run = 1; run <= 5; ++run) runs.push_back(both(run, noise));
  return runs;
}

Jury seated(const std::vector<Curve>& runs = runs_of_both(), const std::vector<MetricRule>& metrics = kLossAndScore) {
  auto jury = Jury::seat({}, metrics, runs);
  REQUIRE(jury);
  return *std::move(jury);
}

}  // namespace

TEST_CASE("every metric must pass; one that fails is named") {
  const Jury jury = seated();
  const Judgement good = jury.judge(std::vector{both(50, 0.0005)});
  CHECK(good.verdict == Verdict::pass);
  CHECK(good.reason == "level");
  CHECK(has_note(good, "acc passes"));

  const Judgement bad_score = jury.judge(std::vector{both(50, 0.0005, 0, -0.02)});
  CHECK(bad_score.verdict == Verdict::fail);
  CHECK(bad_score.reason == "acc:level");
  CHECK(bad_score.text.find("acc is") == 0);
  REQUIRE(bad_score.delta);
  CHECK(std::abs(*bad_score.delta) < 0.005);  // the difference stays that of the loss

  const Judgement bad_loss = jury.judge(std::vector{both(50, 0.0005, 0.015)});
  CHECK(bad_loss.verdict == Verdict::fail);
  CHECK(bad_loss.reason == "level");
  CHECK(bad_loss.spreads.size() == 2);
}

TEST_CASE("a metric that one side lacks is said: a problem of the reference, unresolved for an attempt") {
  const auto jury = Jury::seat({}, kLossAndScore, noisy_references(1000, 3, 0.001));
  REQUIRE_FALSE(jury);
  CHECK(jury.error().message.find("acc") != std::string::npos);
  const Judgement judgement = seated().judge(std::vector{noisy(1000, 50, 0.0005)});
  CHECK(judgement.verdict == Verdict::unresolved);
  CHECK(judgement.reason == "acc:no-curve");
}

TEST_CASE("a verdict far from the target holds without a grey zone, one near it does not") {
  CHECK(seated().judge(std::vector{both(50, 0.0005)}).strict);
  CHECK(seated().judge(std::vector{both(50, 0.0005, 0.03)}).strict);
  const Jury jury = seated(runs_of_both(0.001), {{"loss", false}});
  const Judgement near =
      jury.judge(std::vector{both(50, 0.0005, 0.0035), both(51, 0.0005, 0.0035), both(52, 0.0005, 0.0035)});
  CHECK(near.verdict == Verdict::pass);
  CHECK_FALSE(near.strict);
}

TEST_CASE("the subject as it is is repeated beyond a trial's attempts, which decides more often and not wrongly") {
  const Jury jury = seated(runs_of_both(0.005), {{"loss", false}});
  const int usual = jury.first().accept.max_repeats;
  int undecided_as_usual = 0, undecided = 0;
  for (std::uint64_t world = 0; world < 30; ++world) {
    std::vector<Curve> attempts;
    Judgement judgement;
    do {
      attempts.push_back(both(1000 * (world + 1) + attempts.size(), 0.005, 0.006));
      judgement = jury.judge_as_is(attempts);
      if (static_cast<int>(attempts.size()) == usual && jury.judge(attempts).verdict == Verdict::inconclusive)
        ++undecided_as_usual;
    } while (judgement.repeat_helps && static_cast<int>(attempts.size()) < jury.decisive_attempts());
    CHECK(judgement.verdict != Verdict::pass);
    undecided += judgement.verdict == Verdict::inconclusive ? 1 : 0;
  }
  CHECK(undecided_as_usual >= 10);
  CHECK(undecided <= undecided_as_usual / 4);
}

TEST_CASE("a proof asks for more attempts than a trial, and ends without a grey zone") {
  const Jury jury = seated(runs_of_both(0.0025), {{"loss", false}});
  std::vector<Curve> attempts;
  Judgement judgement;
  std::uint64_t run = 70;
  do {
    attempts.push_back(both(run++, 0.0025));
    judgement = jury.judge_proof(attempts);
  } while (judgement.repeat_helps && static_cast<int>(attempts.size()) < jury.decisive_attempts());
  CHECK(judgement.verdict == Verdict::pass);
  CHECK(judgement.strict);
  CHECK(static_cast<int>(attempts.size()) <= jury.decisive_attempts());
  CHECK(jury.likely_proof_attempts() > 1);
}

TEST_CASE("a proof out of reach falls back to the grey zone, and says so") {
  const Jury jury = seated(runs_of_both(0.005), {{"loss", false}});
  CHECK(jury.likely_proof_attempts() == 1);
  std::vector<Curve> attempts;
  for (std::uint64_t run = 80; run < 83; ++run) attempts.push_back(both(run, 0.005, 0.006));
  const Judgement judgement = jury.judge_proof(attempts);
  CHECK(has_note(judgement, "does not let loss be proved"));
  CHECK_FALSE(judgement.strict);
}

TEST_CASE("a repeat shows nothing where rounding alone sets runs apart, or where runs repeat bit for bit") {
  const std::vector<MetricRule> loss = {kLoss};
  CHECK(seated(references(), loss).repeats_show_nothing());
  CHECK_FALSE(seated(runs_of_both(), loss).repeats_show_nothing());  // they vary by chance
  Jury one = seated(one_reference(), loss);
  CHECK_FALSE(one.repeats_show_nothing());
  one.learn_identical(1);
  CHECK(one.repeats_show_nothing());
}

TEST_CASE("an attempt is watched by every metric") {
  const Jury jury = seated();
  AttemptWatch watch = jury.watch();
  const auto certain = watch.look(both(50, 0.0005, 0.05));
  REQUIRE(certain);
  CHECK(certain->reason.find(':') == std::string::npos);
  Curve nan = both(50, 0.0005);
  for (Point& point : nan.series["acc"]) point.value = std::nan("");
  AttemptWatch other = jury.watch();
  const auto by_score = other.look(nan);
  REQUIRE(by_score);
  CHECK(by_score->reason == "acc:nan");
}

TEST_CASE("an undecided trial that does at every step what the failing subject does fails as well") {
  const Training chaotic{.steps = 80, .most_apart = 0.05, .growth = 0.3};
  Jury jury = seated(one_reference(chaotic), {kLoss});
  const Device device{.rounding = 1e-4, .seed = 1};
  const std::vector<Curve> as_is{run(chaotic, device)}, other{run(chaotic, {.rounding = 1e-4, .seed = 2})};
  REQUIRE(jury.judge(as_is).verdict == Verdict::inconclusive);
  REQUIRE(jury.judge(other).verdict == Verdict::inconclusive);
  jury.compare_with_failing(as_is.front(), 0.97);
  CHECK(jury.judge(other).verdict == Verdict::inconclusive);
  CHECK(jury.judge(as_is).p_bad == 0.97);
  CHECK(jury.judge_proof(as_is).verdict == Verdict::fail);
}

TEST_CASE("several metrics: one that fails decides, then one that is unresolved") {
  Judgement pass, fail, unresolved, inconclusive;
  pass.verdict = Verdict::pass;
  pass.p_bad = 0.01;
  fail.verdict = Verdict::fail;
  fail.p_bad = 0.99;
  inconclusive.verdict = Verdict::inconclusive;
  inconclusive.repeat_helps = true;
  CHECK(overall(std::vector{pass, fail, unresolved}).verdict == Verdict::fail);
  CHECK(overall(std::vector{pass, unresolved, inconclusive}).verdict == Verdict::unresolved);
  CHECK(overall(std::vector{pass, inconclusive}).repeat_helps);
  CHECK(overall(std::vector{pass, fail}).p_bad == 0.99);
}

TEST_CASE("where a contrast judges, the subject as it is is judged by it, too") {
  const Curve everything = run({}), as_is = run({}, {.fault = constant(3)});
  Jury jury = seated(references(), {kLoss});
  jury.judge_by(Contrast::between({}, kLoss, as_is, everything).value());
  const Judgement judgement = jury.judge_as_is(std::vector{as_is});
  CHECK(judgement.reason == "contrast");
  CHECK(judgement.verdict == Verdict::fail);
}
