// What is judged where healthy runs drift apart.
#include "driver/judge/panel.hpp"

#include <limits>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/judge/drifting.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;
using strategies::Verdict;

namespace {

bool noted(const Judgement& judgement, const std::string& words) {
  return std::ranges::any_of(judgement.notes,
                             [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("a healthy device passes by the part in which healthy runs agree, however far it ends from them") {
  const Panel panel = panel_of(references());
  REQUIRE(panel.comparable_until());
  CHECK(*panel.comparable_until() > 50);
  CHECK(*panel.comparable_until() < 130);
  for (const double side : {-1.5, -0.4, 0.8, 1.6}) {
    const Judgement judgement = judged(panel, run(1e-7, side));
    CHECK(judgement.verdict == Verdict::pass);
    REQUIRE(judgement.comparable_until);
    CHECK(*judgement.comparable_until <= *panel.comparable_until());
  }
}

TEST_CASE("a score is compared as a loss is: by the part in which healthy runs agree") {
  const Panel panel = Panel::seat({}, {.name = "loss", .higher_is_better = true}, references()).value();
  REQUIRE(panel.comparable_until());
  for (const double side : {-1.5, -0.4, 0.8, 1.6}) CHECK(judged(panel, run(1e-7, side)).verdict == Verdict::pass);
  CHECK(judged(panel, run(1e-7, 0.3, constant(-3))).verdict == Verdict::fail);
}

TEST_CASE("a fault fails in the comparable part, and says which rounding would explain it") {
  const Panel panel = panel_of(references());
  const auto from_third = [](double factor) { return [=](std::int64_t step) { return step > 2 ? factor : 1.0; }; };
  const Judgement slight = judged(panel, run(1e-7, 0.5, from_third(1.02)));
  CHECK(slight.verdict == Verdict::fail);
  CHECK(slight.reason == "level");
  REQUIRE(slight.critical_rounding);
  CHECK(*slight.critical_rounding > 5e-7);
  CHECK(*slight.critical_rounding < 1e-3);
  CHECK(slight.text.find(fmt::format("only a device that rounds at {:.0e} or worse explains it",
                                     *slight.critical_rounding)) != std::string::npos);
}

TEST_CASE("what condemns a device that rounds finely does not condemn one that rounds coarsely") {
  const Panel panel = panel_of(references());
  const auto growing = [](std::int64_t step) { return 1 + 0.012 * std::min(1.0, static_cast<double>(step) / 40); };
  const Curve fine = run(1e-7, 0.3, [&](std::int64_t step) { return step == 1 ? 1.0 : growing(step); });
  CHECK(judged(panel, fine).verdict == Verdict::fail);
  const Curve coarse = run(4e-4, 0.3, [&](std::int64_t step) { return step == 1 ? 1.0 : growing(step); });
  CHECK(judged(panel, coarse).verdict != Verdict::fail);
  CHECK(judged(panel, coarse).coarseness.value() > 0.9);
}

TEST_CASE("a level is condemned with all caution where first steps show more than float32's rounding") {
  const Ensemble ensemble{.fine = 1e-4, .coarse = 1e-2, .dof = 7, .rounding = {.fine = 1e-7, .coarse = 4e-4}};
  const auto caution = [&](double first) {
    return ensemble.caution_of_level({.track = {}, .places = {0, 1}, .values = {first, first}});
  };
  CHECK(caution(0) == 1);
  CHECK(caution(1e-7) > 1.5);
  CHECK(caution(1e-6) == 3);
  CHECK(caution(1e-3) == 3);
  CHECK(caution(1e-2) == 2);  // no rounding
}

TEST_CASE("a device that rounds coarsely from its second step on, as in its backward pass, gets some of that granted") {
  const Panel panel = panel_of(references());
  const auto second = [](double size) {
    Curve curve = run(size, 0.5);
    curve.series["loss"].front().value = plain_loss(1) * (1 + 1e-8);
    return curve;
  };
  const double fine = judged(panel, second(1e-7)).coarseness.value();
  const double coarse = judged(panel, second(4e-4)).coarseness.value();
  CHECK(fine < 0.15);
  CHECK(coarse == Approx(0.3));
}

TEST_CASE("after the comparable part a device that rounds coarsely may end further off") {
  const Panel panel = panel_of(references());
  const auto late = [](double percent) {
    return [=](std::int64_t step) { return 1 + (static_cast<double>(step) > 130.0 ? percent / 100 : 0.0); };
  };
  CHECK(judged(panel, run(1e-7, 0.5, late(18))).reason == "late");
  CHECK(judged(panel, run(4e-4, 0.5, late(18))).verdict != Verdict::fail);
}

TEST_CASE("repeats of one device do not shrink the error: they share its rounding") {
  const Panel panel = panel_of(references());
  const Judgement once = judged(panel, run(1e-7, 0.5));
  std::vector<Curve> often;
  for (int i = 0; i < 8; ++i) often.push_back(run(1e-7, 0.5 + 0.01 * i));
  CHECK(panel.judge(often).standard_error.value() >= 0.99 * once.standard_error.value());
}

TEST_CASE("after the comparable part only more than healthy runs are apart fails, and NaN") {
  const Panel panel = panel_of(references());
  const auto late = [](double factor) { return [=](std::int64_t step) { return step > 150 ? factor : 1.0; }; };
  CHECK(judged(panel, run(1e-7, 0.3, late(1.02))).verdict == Verdict::pass);
  const Judgement far = judged(panel, run(1e-7, 0.3, late(1.4)));
  CHECK(far.verdict == Verdict::fail);
  CHECK(far.reason == "late");
  const Judgement dead = judged(panel, run(1e-7, 0.3, late(std::numeric_limits<double>::quiet_NaN())));
  CHECK(dead.verdict == Verdict::fail);
  CHECK(dead.reason == "nan");
}

TEST_CASE("after the comparable part three references are too few to let a run pass that is far off, or to condemn it") {
  const std::vector<Curve> all = references();
  const Panel panel = panel_of({all[0], all[1], all[2]});
  const auto late = [](double factor) { return [=](std::int64_t step) { return step > 150 ? factor : 1.0; }; };
  CHECK(judged(panel, run(1e-7, 0.3, late(1.6))).reason == "few-references");
  CHECK(judged(panel, run(1e-7, 0.3, late(1.6))).verdict == Verdict::inconclusive);
  CHECK(judged(panel, run(1e-7, 0.3)).verdict == Verdict::pass);
}

TEST_CASE("after the comparable part nobody is condemned where a reference diverged") {
  std::vector<Curve> runs = references();
  for (auto& point : runs.front().series.at("loss"))
    if (point.step > 150) point.value = kNan;
  const Panel panel = panel_of(std::move(runs));
  REQUIRE(panel.whole().diverged == 1);
  const Judgement far = judged(panel, run(1e-7, 0.3, [](std::int64_t step) { return step > 150 ? 1.4 : 1.0; }));
  CHECK(far.verdict == Verdict::inconclusive);
  CHECK(far.reason == "few-references");
}

TEST_CASE(
    "runs that differ by more than rounding from the start have no comparable part: their noise is the same throughout") {
  const Panel panel = panel_of(noisy_references(kSteps, 5, 0.002));
  CHECK(panel.is_comparable_throughout());
  CHECK(panel.comparable_until() == kSteps);
}

TEST_CASE(
    "what rounding grows to is known where references were moved coarsely, though all vary by themselves from the start") {
  for (const bool coarsely : {false, true}) {
    std::vector<Curve> runs;
    for (int seed = 0; seed < 8; ++seed) {
      Curve one = noisy(kSteps, static_cast<std::uint64_t>(seed + 1), 0.0005);
      for (Point& point : one.series.at("loss"))
        point.value *= 1 + (seed % 2 ? 1 : -1) * 1e-5 * std::exp(0.037 * static_cast<double>(point.step));
      if (coarsely) one.perturbed = seed;
      runs.push_back(std::move(one));
    }
    Panel panel = panel_of(std::move(runs));
    REQUIRE(panel.is_comparable_throughout());
    // Repeats of one device, many and close to each other, do not make its own rounding less.
    panel.learn(Spread{.last = 400 * 1e-8, .before = 400 * 1e-8, .dof = 400});
    const Curve near_the_target = noisy(kSteps, 99, 0.0001, 0.009);
    if (coarsely) CHECK(judged(panel, near_the_target).verdict == Verdict::inconclusive);
    Curve wrong = noisy(kSteps, 99, 0.0005);
    for (Point& point : wrong.series.at("loss")) point.value *= point.step > 60 ? 1.19 : 1;
    const Judgement far = judged(panel, wrong);
    CHECK(far.verdict == (coarsely ? Verdict::fail : Verdict::inconclusive));
  }
}

TEST_CASE("where only the runs that were moved coarsely are too noisy, leaving them out is what is proposed first") {
  std::vector<Curve> runs;
  for (int seed = 0; seed < 8; ++seed) {
    runs.push_back(noisy(kSteps, static_cast<std::uint64_t>(seed + 1), 0.0005));
    runs.back().perturbed = seed;
    for (Point& point : runs.back().series.at("loss"))
      if (is_coarse(seed)) point.value *= 1 + (seed - 6) * 1e-5 * std::exp(0.042 * static_cast<double>(point.step));
  }
  const std::vector<Finding> findings = panel_of(std::move(runs)).findings();
  const auto noise = std::ranges::find(findings, "too-noisy", &Finding::code);
  REQUIRE(noise != findings.end());
  CHECK(noise->options.front().find("`perturb: none`") != std::string::npos);
}

TEST_CASE("references that were moved are healthy runs that drift, though they are far apart by their third step") {
  std::vector<Curve> runs = references();
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].series["loss"][1].value *= 1 + 1e-4 * static_cast<double>(i);
  CHECK_FALSE(panel_of(runs).is_comparable_throughout());
  for (Curve& one : runs) one.perturbed = 0;  // else they may vary by chance
  CHECK(panel_of(runs).is_comparable_throughout());
}

TEST_CASE("repeats of the subject show the drift where there is one reference") {
  Panel panel = panel_of({run(1e-7, 0.1)});
  CHECK(judged(panel, run(1e-7, 1.2)).verdict != Verdict::fail);
  std::vector<Curve> repeats;
  for (const double side : {0.3, -1.1, 0.8, -0.2}) repeats.push_back(run(1e-7, side, constant(0)));
  panel.learn_subject(repeats, AlreadyLearnt::no);
  REQUIRE(panel.healthy());
  CHECK(*panel.comparable_until() < kSteps);
  CHECK(judged(panel, run(1e-7, 1.2)).verdict == Verdict::pass);
  CHECK(judged(panel, run(1e-7, 1.2, [](std::int64_t step) { return step > 2 ? 0.97 : 1.0; })).verdict == Verdict::fail);
}

TEST_CASE("where no reference rounds coarsely, repeats of the subject show how far it drifts that does") {
  const auto late = [](std::int64_t step) { return step >= 30 ? 1.1 : 1.0; };
  const auto verdict_after = [&](std::size_t plain_logs, std::size_t repeats) {
    std::vector<Curve> logs = references();
    logs.resize(plain_logs);
    for (Curve& log : logs) log.perturbed = 0;
    std::vector<Curve> runs = references();
    runs.resize(repeats);
    Panel panel = panel_of(logs);
    CHECK(panel.lacks_coarse_runs());
    panel.learn_subject(runs, AlreadyLearnt::no);
    CHECK(judged(panel, run(4e-4, 0.5)).verdict != Verdict::fail);
    CHECK(judged(panel, run(1e-7, 0.6)).verdict == Verdict::pass);
    return judged(panel, run(1e-7, 0.6, late)).verdict;
  };
  for (const std::size_t plain_logs : {1U, 4U}) {
    CHECK(verdict_after(plain_logs, 8) == Verdict::fail);
    CHECK(verdict_after(plain_logs, 5) == Verdict::inconclusive);
  }
}

TEST_CASE("a horizon lies in the comparable part, and a run that reached it can be judged") {
  Panel panel = panel_of(references());
  const Curve bad = run(1e-7, 0.5, [](std::int64_t step) { return step > 2 ? 1.03 : 1.0; });
  const auto needed = panel.needed_steps(bad);
  REQUIRE(needed);
  CHECK(*needed <= *panel.comparable_until());
  panel.set_horizon(*needed);
  REQUIRE(panel.has_horizon());
  Curve cut = bad;
  std::erase_if(cut.series["loss"], [&](const Point& point) { return point.step > *needed; });
  CHECK(panel.judge_shortened(std::vector<Curve>{cut}).verdict == Verdict::fail);
  CHECK(panel.has_reached_comparable(bad));
}

TEST_CASE("of a subject that varies by itself one run that equals a reference is no pass: the next may be another") {
  Panel panel = panel_of(references());
  const std::vector<Curve> once{references().front()};
  CHECK(panel.judge(once).reason == "identical");
  panel.learn_subject(std::vector<Curve>{noisy(kSteps, 1, 0.02), noisy(kSteps, 2, 0.02)}, AlreadyLearnt::no);
  const Judgement one = panel.judge(once);
  CHECK(one.verdict == Verdict::inconclusive);
  CHECK(one.repeat_helps);
}

TEST_CASE("a subject that varies by itself is judged by its own repeats, not by how far rounding puts healthy runs apart") {
  Panel panel = panel_of(references());
  const auto noisy_run = [](std::uint64_t seed) { return noisy(kSteps, seed, 0.006); };
  panel.learn_subject(std::vector<Curve>{noisy_run(1), noisy_run(2)}, AlreadyLearnt::no);
  CHECK_FALSE(panel.healthy());
  const Judgement one = panel.judge(std::vector<Curve>{noisy_run(3), noisy_run(4)});
  CHECK(one.standard_error.value() > 0.001);
  CHECK(one.verdict != Verdict::fail);
}

TEST_CASE("what a subject that varies by itself shows of its noise counts once") {
  Panel panel = panel_of(references());
  const std::vector<Curve> repeats{noisy(kSteps, 1, 0.006), noisy(kSteps, 2, 0.006)};
  panel.learn_subject(repeats, AlreadyLearnt::no);
  CHECK(panel.pool().total.dof == 0);
  const Judgement judgement = panel.judge(repeats);
  CHECK(judgement.dof == 1);
  panel.learn(judgement.spreads.at("loss"));
  CHECK(panel.pool().total.dof == 1);
  panel.learn_subject(repeats, AlreadyLearnt::yes);
  CHECK(panel.pool().total.dof == 1);
}

TEST_CASE("a subject that varies by itself and fails by an event shows its noise all the same") {
  Panel panel = panel_of(references());
  const std::vector<Curve> repeats{noisy(kSteps, 1, 0.006, 0.1), noisy(kSteps, 2, 0.006, 0.1)};
  const Judgement judgement = panel.judge(repeats);
  CHECK(judgement.verdict == Verdict::fail);
  panel.learn_subject(repeats, AlreadyLearnt::yes);
  CHECK(panel.pool().total.dof > 0);
}

TEST_CASE("a fault that shows before rounding has grown is seen there") {
  const Panel panel = panel_of(references());
  const std::int64_t until = *panel.comparable_until();
  const auto early = [=](std::int64_t step) { return step > until / 3 && step < until * 2 / 3 ? 1.015 : 1.0; };
  const Judgement judgement = judged(panel, run(1e-7, 0.5, early));
  CHECK(judgement.verdict == Verdict::fail);
  CHECK(judgement.comparable_until.value() < until);
}

TEST_CASE("a run that is comparable to its end and ends within the target was off on the way only, and that is said") {
  constexpr std::int64_t kShort = 60;  // fine runs are 0.004 % apart by then
  const auto first_steps = [](const Curve& whole) {
    Curve first = whole;
    first.series.at("loss").resize(kShort);
    return first;
  };
  std::vector<Curve> runs;
  for (const Curve& reference : references()) runs.push_back(first_steps(reference));
  const Panel panel = panel_of(runs);
  const auto bump = [&](double factor) {
    return judged(panel,
                  first_steps(run(1e-7, 0.5, [=](std::int64_t step) { return step > 20 && step < 36 ? factor : 1.0; })));
  };
  const Judgement judgement = bump(1.01);
  CHECK(judgement.verdict == Verdict::pass);
  CHECK(judgement.p_bad < 0.05);
  CHECK(noted(judgement, "but it ends within the target"));
  CHECK_FALSE(noted(bump(1.001), "but it ends within the target"));
}

TEST_CASE("what more likely than not is harm in a part of what is comparable takes a pass back") {
  const Panel panel = panel_of(references());
  const std::int64_t until = *panel.comparable_until();
  std::vector<Verdict> in_turn;
  for (double percent = 0.1; percent < 2; percent += 0.02) {
    const auto early = [=](std::int64_t step) { return step > until / 3 && step < until * 2 / 3 ? 1 + percent / 100 : 1.0; };
    const Judgement judgement = judged(panel, run(1e-6, 0.5, early));
    INFO(percent << " %: p_bad " << judgement.p_bad << ", " << judgement.text);
    CHECK((judgement.verdict == Verdict::pass) == (judgement.p_bad < 0.5));
    if (in_turn.empty() || in_turn.back() != judgement.verdict) in_turn.push_back(judgement.verdict);
  }
  CHECK(in_turn == std::vector{Verdict::pass, Verdict::inconclusive, Verdict::fail});
}

TEST_CASE(
    "coarse references are known by the steps after the first one, which may be as near as that of fine ones by chance") {
  std::vector<Curve> runs = references();
  for (Curve& reference : runs) {
    auto& first = reference.series.at("loss").front();
    if (reference.perturbed > 4) first.value = plain_loss(1) * (1 + 1e-6 * (reference.perturbed - 6));
  }
  const Panel panel = panel_of(runs);
  CHECK_FALSE(panel.lacks_coarse_runs());
  CHECK(judged(panel, run(1e-7, 0.3, constant(-3))).verdict == Verdict::fail);
  for (const double side : {-1.5, -0.4, 0.8, 1.6})
    for (const double size : {1e-7, 1e-5, 4e-4}) CHECK(judged(panel, run(size, side)).verdict != Verdict::fail);
}

TEST_CASE("what was moved coarsely by its own log is coarse, though few digits show it as near as fine runs") {
  std::vector<Curve> runs = references();
  for (Curve& reference : runs)
    for (auto& [step, value] : reference.series.at("loss")) {
      const double apart = reference.perturbed > 4 ? (step + reference.perturbed) % 3 * 2e-5 : reference.perturbed * 1e-6;
      value = std::round(plain_loss(step) * (1 + apart) * 1e4) / 1e4;
    }
  const auto late = run(1e-7, 0.1, [](std::int64_t step) { return step > 12 ? 1.03 : 1.0; });
  CHECK(panel_of(runs).lacks_coarse_runs());
  CHECK(judged(panel_of(runs), late).reason == "rounding-unknown");
  for (Curve& reference : runs) reference.moved_coarsely = reference.perturbed > 4;
  CHECK_FALSE(panel_of(runs).lacks_coarse_runs());
  CHECK(judged(panel_of(runs), late).verdict == Verdict::fail);
}

TEST_CASE("a healthy run begins where the finely rounding references begin, whatever coarse ones do") {
  Panel panel = panel_of(references());
  panel.set_signature_steps(12);
  double squares = 0;
  const std::vector<double> signature = panel.signature(references().front());
  REQUIRE(signature.size() == 12);
  for (const double step : signature) squares += step * step / 12;
  CHECK(squares < 4);  // two healthy spreads; with the three coarse runs in the mean it is more than a hundred
}

TEST_CASE("what deviates without harm passes, and it is said by how much") {
  const Panel panel = panel_of(references());
  const Judgement judgement = judged(panel, run(1e-7, 0.3, [](std::int64_t step) { return step > 2 ? 1.0015 : 1.0; }));
  CHECK(judgement.verdict == Verdict::pass);
  CHECK(noted(judgement, "it deviates by 0.15 %, which is more than rounding explains"));
  CHECK_FALSE(noted(judged(panel, run(1e-7, 0.3)), "more than rounding explains"));
}

TEST_CASE("a pass says up to which step it was judged, and why the end of its curve proves nothing") {
  const Panel panel = panel_of(references());
  const Judgement far = judged(panel, run(1e-7, 1.6));
  CHECK(far.verdict == Verdict::pass);
  CHECK(far.text.ends_with(fmt::format(", up to step {}", far.comparable_until.value())));
  CHECK(noted(far, fmt::format("which proves nothing: behind step {} healthy runs drift apart", *far.comparable_until)));
  CHECK(judged(panel, run(1e-7, 0.0)).notes.empty());  // ends where the references do
}

TEST_CASE("where the subject varies by itself, no event is made of what its own noise reaches") {
  Panel panel = panel_of(references());
  const auto apart = [](std::uint64_t run, double percent) { return noisy(kSteps, run, 0.0005, percent / 100); };
  panel.learn_subject(std::vector<Curve>{apart(1, -3), apart(2, 3)}, AlreadyLearnt::no);
  CHECK(panel.judge(std::vector<Curve>{apart(3, 4), apart(4, 2.5)}).verdict != Verdict::fail);
  for (std::uint64_t i = 0; i < 12; ++i) panel.learn({.last = 1e-8, .before = 1e-8, .both = 1e-8, .dof = 40});
  CHECK(panel.judge(std::vector<Curve>{apart(3, 8), apart(4, 8)}).verdict == Verdict::fail);
}
