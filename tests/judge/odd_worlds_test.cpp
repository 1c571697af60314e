// Trainings that are not as one would wish: a healthy device is never accused in them, and a clear sentence says what is
// odd.
#include <algorithm>
#include <limits>

#include "driver/judge/panel.hpp"
#include "tests/catch.hpp"
#include "tests/judge/drifting.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;
using strategies::Verdict;

namespace {

/// The healthy ensemble of drifting.hpp, its losses changed by `shape` (of loss and step).
using Shape = std::function<double(double, std::int64_t)>;

Curve shaped(Curve curve, const Shape& shape) {
  for (Point& point : curve.series["loss"]) point.value = shape(point.value, point.step);
  return curve;
}

Panel panel_in(const Shape& shape) {
  std::vector<Curve> runs = references();
  for (Curve& one : runs) one = shaped(std::move(one), shape);
  return panel_of(std::move(runs));
}

/// Verdicts on devices that are healthy: round finely, to either side, or coarsely.
std::vector<Verdict> on_healthy(const Panel& panel, const Shape& shape) {
  std::vector<Verdict> verdicts;
  for (const double side : {-1.4, -0.5, 0.7, 1.3}) {
    verdicts.push_back(judged(panel, shaped(run(1e-7, side), shape)).verdict);
    verdicts.push_back(judged(panel, shaped(run(1e-6, side), shape)).verdict);
    verdicts.push_back(judged(panel, shaped(run(4e-4, side / 2), shape)).verdict);
  }
  return verdicts;
}

bool none_fails(const std::vector<Verdict>& verdicts) {
  return std::ranges::none_of(verdicts, [](Verdict verdict) { return verdict == Verdict::fail; });
}

double as_it_is(double loss, std::int64_t) { return loss; }

}  // namespace

TEST_CASE("odd worlds: one reference curve condemns no drift and says that it is not known") {
  const Panel panel = panel_of({run(1e-7, 0.1)});
  CHECK(none_fails(on_healthy(panel, as_it_is)));
  const Judgement judgement = judged(panel, run(1e-7, -1.5));
  CHECK(judgement.verdict == Verdict::inconclusive);
  CHECK(judgement.text.find("known") != std::string::npos);
}

TEST_CASE("odd worlds: one reference, and a log of few values, whose first ones are late") {
  // Steps 100, 200, ..., 5000: by step 500 healthy runs have drifted apart to one side each.
  const auto rarely = [](double level) {
    Series series;
    for (std::int64_t step = 100; step <= 5000; step += 100)
      series.push_back({step, plain_loss(step) * (1 + level / 100 + 0.0005 * jitter(7, step))});
    return curve_of(series);
  };
  const Panel panel = panel_of({rarely(0)});
  CHECK(judged(panel, rarely(1.2)).verdict == Verdict::inconclusive);
  CHECK(judged(panel, rarely(-3)).verdict == Verdict::inconclusive);
  // Where the first values are missing, those after them are no first ones.
  const Panel often = panel_of({curve(400, plain_loss)});
  Curve late = curve(400, [](std::int64_t step) { return plain_loss(step) * 1.03; });
  CHECK(judged(often, late).verdict == Verdict::fail);
  late.series["loss"].erase(late.series["loss"].begin(), late.series["loss"].begin() + 60);
  CHECK(judged(often, late).verdict == Verdict::inconclusive);
}

TEST_CASE("odd worlds: runs of ten values, in which healthy runs are apart at the third one") {
  // Nothing shows how far they are apart in the first five: a look there must not take them for exact.
  const auto ten = [](double side) {
    return curve(10, [=](std::int64_t step) {
      return plain_loss(step) * (1 + side * (step < 3 ? 1e-6 : step == 3 ? 0.008 : 0.0003));
    });
  };
  std::vector<Curve> runs;
  for (const double side : {0.0, 1.0, -1.2, 0.6, -0.4, 1.4, -0.9, 0.2}) runs.push_back(ten(side));
  for (std::size_t seed = 0; seed < 5; ++seed) runs[seed].perturbed = static_cast<int>(seed);
  runs.resize(5);
  const Panel panel = panel_of(std::move(runs));
  for (const double side : {-1.6, -0.8, 0.3, 1.1, 1.7}) {
    const Judgement judgement = judged(panel, ten(side));
    CHECK(judgement.verdict != Verdict::fail);
    CHECK(std::ranges::none_of(
        judgement.notes, [](const std::string& note) { return note.find("more than rounding") != std::string::npos; }));
  }
}

TEST_CASE("odd worlds: a reference that diverges in some of its runs condemns no subject that diverges") {
  std::vector<Curve> runs = references();
  for (const std::size_t broken : {1U, 3U, 6U})
    for (std::size_t step = 150; step < 200; ++step) runs[broken].series["loss"][step].value = kNan;
  const Panel panel = panel_of(runs);
  CHECK(std::ranges::count(panel.findings(), "diverged", &Finding::code) == 1);
  CHECK(std::ranges::count(panel.findings(), "left-out", &Finding::code) == 1);
  Curve diverges = run(1e-7, 0.5);
  for (std::size_t step = 120; step < 200; ++step) diverges.series["loss"][step].value = kNan;
  CHECK(judged(panel, diverges).verdict != Verdict::fail);
  CHECK(judged(panel, diverges).verdict != Verdict::pass);
  for (const bool tail : {true, false}) {  // near the end only; now and then
    Curve odd = run(1e-7, 0.5);
    for (std::size_t step = tail ? 190 : 9; step < 200; step += tail ? 1 : 9) odd.series["loss"][step].value = kNan;
    CHECK(judged(panel, odd).verdict == Verdict::inconclusive);
    CHECK(judged(panel, odd).reason == "nan");
  }
  CHECK(judged(panel_of(references()), diverges).reason == "nan");
  CHECK(judged(panel, run(1e-7, 0.5)).verdict == Verdict::pass);
}

TEST_CASE("odd worlds: two references measure the drift badly, and condemn no healthy device") {
  std::vector<Curve> two = {run(1e-7, 0.2), run(1e-7, -0.9)};
  two[1].perturbed = 1;
  CHECK(none_fails(on_healthy(panel_of(two), as_it_is)));
}

TEST_CASE("odd worlds: a reference that is shorter than the others is left out while enough are left") {
  std::vector<Curve> runs = references();
  std::erase_if(runs[3].series["loss"], [](const Point& point) { return point.step > 150; });
  const Panel panel = panel_of(std::move(runs));
  CHECK(panel.whole().last_step() == kSteps);
  CHECK(panel.whole().given == 7);
  CHECK(none_fails(on_healthy(panel, as_it_is)));
}

TEST_CASE("odd worlds: a loss that goes to nearly nothing, where healthy runs are tens of percent apart") {
  const Shape vanishing = [](double loss, std::int64_t step) {
    const double healthy = plain_loss(step);
    const double apart = (loss / healthy - 1) * std::min(30.0, std::exp(0.02 * static_cast<double>(step)));
    return 3 * std::exp(-0.035 * static_cast<double>(step)) * (1 + apart);
  };
  const Panel panel = panel_in(vanishing);
  CHECK(none_fails(on_healthy(panel, vanishing)));
  const Shape wrong = [&](double loss, std::int64_t step) { return vanishing(loss, step) * (step > 2 ? 1.03 : 1.0); };
  CHECK(judged(panel, shaped(run(1e-7, 0.5), wrong)).verdict == Verdict::fail);
}

TEST_CASE("odd worlds: a negative loss") {
  const Shape negative = [](double loss, std::int64_t) { return loss - 12; };
  const Panel panel = panel_in(negative);
  CHECK(none_fails(on_healthy(panel, negative)));
  const Shape wrong = [&](double loss, std::int64_t step) { return negative(loss, step) * (step > 2 ? 0.97 : 1.0); };
  CHECK(judged(panel, shaped(run(1e-7, 0.5), wrong)).verdict == Verdict::fail);
}

TEST_CASE("odd worlds: a training that diverges on both sides") {
  const Shape diverging = [](double loss, std::int64_t step) { return step > 160 ? kNan : loss; };
  const Panel panel = panel_in(diverging);
  CHECK(none_fails(on_healthy(panel, diverging)));
  CHECK(none_fails(on_healthy(panel, [](double loss, std::int64_t step) { return step > 158 ? kNan : loss; })));
}

TEST_CASE("odd worlds: a training that diverges in its first half is no reference") {
  std::vector<Curve> runs = references();
  for (Curve& one : runs)
    one = shaped(std::move(one), [](double loss, std::int64_t step) { return step > 80 ? kNan : loss; });
  CHECK(Panel::seat({}, {"loss", false}, runs).error().code == "not-finite");
}

TEST_CASE("odd worlds: a plateau that is constant to the printed digits") {
  const Shape plateau = [](double loss, std::int64_t step) { return std::round((step < 40 ? loss : 2.0) * 1e4) / 1e4; };
  const Panel panel = panel_in(plateau);
  CHECK(none_fails(on_healthy(panel, plateau)));
}

TEST_CASE("odd worlds: four printed digits") {
  const Shape printed = [](double loss, std::int64_t) { return std::round(loss * 1e4) / 1e4; };
  const Panel panel = panel_in(printed);
  CHECK(none_fails(on_healthy(panel, printed)));
  const Shape wrong = [&](double loss, std::int64_t step) { return printed(loss * (step > 2 ? 1.02 : 1.0), step); };
  CHECK(judged(panel, shaped(run(1e-7, 0.5), wrong)).verdict == Verdict::fail);
}

TEST_CASE("odd worlds: digits so few that no first step shows which runs round coarsely") {
  const Shape printed = [](double loss, std::int64_t) { return std::round(loss * 1e3) / 1e3; };
  const auto knows_coarse = [](const Panel& panel) {
    return std::ranges::count(panel.findings(), "no-coarse-runs", &Finding::code) == 0;
  };
  const Panel panel = panel_in(printed);
  CHECK(knows_coarse(panel));
  CHECK(none_fails(on_healthy(panel, printed)));
  const Shape wrong = [&](double loss, std::int64_t step) { return printed(loss * (step > 2 ? 1.02 : 1.0), step); };
  CHECK(judged(panel, shaped(run(1e-7, 0.5), wrong)).verdict == Verdict::fail);
  std::vector<Curve> fine = references();  // moved by one size whatever the seed
  for (const int seed : {5, 6, 7}) {
    fine[static_cast<std::size_t>(seed)] = run(1e-7, seed - 6.2);
    fine[static_cast<std::size_t>(seed)].perturbed = seed;
  }
  for (Curve& one : fine) one = shaped(std::move(one), printed);
  CHECK_FALSE(knows_coarse(panel_of(std::move(fine))));
}

TEST_CASE("odd worlds: a warm-up of half of the run, in which nothing drifts") {
  const Shape warm_up = [](double loss, std::int64_t step) {
    return step <= 100 ? plain_loss(1) * (1 + (loss / plain_loss(step) - 1) * 1e-3) : loss;
  };
  CHECK(none_fails(on_healthy(panel_in(warm_up), warm_up)));
}

TEST_CASE("odd worlds: other dropout masks on the subject's side put it apart from the first step on") {
  Panel panel = panel_of(references());
  const auto masked = [](std::uint64_t seed) { return noisy(kSteps, seed, 0.01); };
  panel.learn_subject(std::vector<Curve>{masked(1), masked(2)}, AlreadyLearnt::no);
  for (std::uint64_t seed = 3; seed < 23; seed += 2)
    CHECK(panel.judge(std::vector<Curve>{masked(seed), masked(seed + 1)}).verdict != Verdict::fail);
}

TEST_CASE(
    "odd worlds: a fault that shows only after step 150 passes quietly where healthy runs are further apart, or fails "
    "late") {
  const Panel panel = panel_of(references());
  const auto late = [](double factor) { return [=](std::int64_t step) { return step > 150 ? factor : 1.0; }; };
  CHECK(judged(panel, run(1e-7, 0.3, late(1.01))).verdict != Verdict::fail);
  CHECK(judged(panel, run(1e-7, 0.3, late(1.5))).reason == "late");
}

TEST_CASE(
    "odd worlds: single steps far off, the further the more coarsely a device rounds, are no fault where they are healthy") {
  const auto spiky = [](double size, double side, double times = 1) {
    return run(size, side, [=](std::int64_t step) {
      const double off = times * 0.001 * std::pow(size / 1e-7, 0.69);  // 0.1 % at the fine end, 30 % at the coarse one
      return step >= 15 && step <= 35 && step % 5 == 0 ? 1 + (step % 2 == 0 ? off : -off) : 1.0;
    });
  };
  std::vector<Curve> runs;
  for (const double side : {0.2, -1.3, 0.9, 0.4, -0.7}) runs.push_back(spiky(1e-7, side));
  for (const double side : {1.0, -0.8, 0.5}) runs.push_back(spiky(4e-4, side));
  for (std::size_t seed = 0; seed < runs.size(); ++seed) runs[seed].perturbed = static_cast<int>(seed);
  const Panel panel = panel_of(std::move(runs));
  for (const double side : {-0.9, 0.6}) {
    CHECK(judged(panel, spiky(4e-5, side)).verdict != Verdict::fail);
    CHECK(judged(panel, spiky(4e-5, side, 60)).verdict == Verdict::fail);    // far more than that
    CHECK(judged(panel, spiky(1e-7, side, 4000)).verdict == Verdict::fail);  // 8 % is not, where coarse runs fly apart
  }
}

TEST_CASE("odd worlds: a training that is unstable may blow up by chance, one that is not fails by its NaN") {
  // From step 60 on the coarse runs lose the way, to twice the loss. One that blows up later may have lost it altogether.
  const auto lost = [](double times) { return [times](std::int64_t step) { return step > 60 ? times : 1.0; }; };
  std::vector<Curve> runs = references();
  for (const std::size_t i : {5, 7})
    for (Point& point : runs[i].series["loss"]) point.value *= lost(2)(point.step);
  const Panel unstable = panel_of(std::move(runs)), stable = panel_of(references());
  const auto ends_with_nan = [](Curve curve, std::int64_t from, double before) {
    for (Point& point : curve.series["loss"]) {
      if (point.step >= from - 4) point.value *= before;
      if (point.step >= from) point.value = std::numeric_limits<double>::quiet_NaN();
    }
    return curve;
  };
  const Judgement chance = judged(unstable, ends_with_nan(run(1e-6, 0.7), 120, 1e6));
  CHECK(chance.verdict == Verdict::inconclusive);
  CHECK(chance.text.find("it blew up, and from step 61 on") != std::string::npos);
  CHECK(judged(unstable, ends_with_nan(run(1e-6, 0.7), 120, 1)).verdict == Verdict::fail);   // out of the blue
  CHECK(judged(unstable, ends_with_nan(run(1e-6, 0.7), 40, 1e6)).verdict == Verdict::fail);  // before it is unstable
  CHECK(judged(stable, ends_with_nan(run(1e-6, 0.7), 120, 1e6)).verdict == Verdict::fail);
}

TEST_CASE("odd worlds: what rounds finely stays together, what rounds coarsely flies apart, and a device is between") {
  const auto chaotic = [](double size, double side, double most) {
    const double rate = size > 1e-6 ? 0.2 : 0;
    return curve(kSteps, [=](std::int64_t step) {
      return plain_loss(step) * (1 + side * std::min(most, size * std::exp(rate * static_cast<double>(step - 1))));
    });
  };
  std::vector<Curve> runs;
  for (const double side : {0.2, -1.3, 0.9, 0.4, -0.7}) runs.push_back(chaotic(1e-7, side, 1));
  for (const double side : {1.0, -0.8, 0.5}) runs.push_back(chaotic(4e-4, side, 0.1));
  for (std::size_t seed = 0; seed < runs.size(); ++seed) runs[seed].perturbed = static_cast<int>(seed);
  const Panel panel = panel_of(std::move(runs));
  for (const double side : {-1.0, 1.0}) CHECK(judged(panel, chaotic(4e-6, side, 0.04)).verdict != Verdict::fail);
  CHECK(judged(panel, chaotic(1e-7, 1.1, 1)).verdict == Verdict::pass);
  const auto wrong = [](double loss, std::int64_t step) { return step > 2 ? 1.3 * loss : loss; };
  CHECK(judged(panel, shaped(chaotic(4e-6, 1, 0.04), wrong)).verdict == Verdict::fail);
  // One whose first steps are like the fine ones', and which then flies apart with the coarse ones.
  const auto late = [&](double side, double size) {
    const Curve fine = chaotic(1e-7, side, 1), coarse = chaotic(size, side, 0.1);
    return curve(kSteps, [=](std::int64_t step) {
      return (step < 5 ? fine : coarse).series.at("loss")[static_cast<std::size_t>(step - 1)].value;
    });
  };
  for (const double side : {-1.0, 1.0}) {
    CHECK(judged(panel, late(side, 4e-4)).verdict != Verdict::fail);
    CHECK(judged(panel, late(side, 4e-3)).verdict == Verdict::fail);  // further off than these ever are
  }
  CHECK(judged(panel, shaped(chaotic(1e-7, 1.1, 1), wrong)).verdict == Verdict::fail);
}

TEST_CASE("odd worlds: fine references alone condemn no run that begins like them, however far it drifts") {
  std::vector<Curve> fine = references();
  for (const std::size_t runs : {5U, 4U, 2U}) {
    fine.resize(runs);
    const Panel panel = panel_of(fine);
    CHECK(std::ranges::count(panel.findings(), "no-coarse-runs", &Finding::code) == 1);
    const auto from_step = [](std::int64_t first, double off) {
      return [=](std::int64_t step) { return step >= first ? 1 + off : 1.0; };
    };
    const auto spiky = [](std::int64_t step) { return step > 40 && step % 7 == 0 ? 1.3 : 1.0; };
    for (const double side : {-0.8, 0.6}) {
      const Judgement late = judged(panel, run(1e-7, side, from_step(30, 0.1)));
      CHECK(late.verdict == Verdict::inconclusive);
      CHECK(judged(panel, run(1e-7, side, spiky)).verdict == Verdict::inconclusive);
      CHECK(judged(panel, run(1e-7, side, from_step(30, 0.9))).verdict == Verdict::fail);  // beyond all that was ever seen
      CHECK(judged(panel, run(1e-7, side, from_step(2, 0.1))).verdict == Verdict::fail);   // no rounding begins so
    }
    EarlyStop early = panel.early_stop();
    CHECK_FALSE(early.look(run(1e-7, 0.6, from_step(30, 0.1))));
    CHECK(panel.early_stop().look(run(1e-7, 0.6, from_step(2, 0.1))));
  }
  const Panel both = panel_of(references());  // coarse runs show that none of these is healthy
  CHECK(std::ranges::count(both.findings(), "no-coarse-runs", &Finding::code) == 0);
  CHECK(judged(both, run(1e-7, 0.6, [](std::int64_t step) { return step >= 30 ? 1.1 : 1.0; })).verdict == Verdict::fail);
}

TEST_CASE("odd worlds: a device that rounds the loss itself begins further off than moved parameters do") {
  const auto late = [](double size, double side, double first) {  // the first steps show little of what was moved
    return curve(kSteps, [=](std::int64_t step) {
      const double off = size * std::min(0.1 / 4e-4, 0.1 * std::exp(0.15 * static_cast<double>(step - 1)));
      return plain_loss(step) * (1 + side * (step == 1 ? first : off));
    });
  };
  std::vector<Curve> runs;
  for (const double side : {0.2, -1.3, 0.9, 0.4, -0.7}) runs.push_back(late(1e-7, side, 1e-7));
  for (const double side : {1.0, -0.8, 0.5}) runs.push_back(late(4e-4, side, 4e-5));
  for (std::size_t seed = 0; seed < runs.size(); ++seed) runs[seed].perturbed = static_cast<int>(seed);
  const Panel panel = panel_of(std::move(runs));
  for (const double side : {-1.0, 1.0}) CHECK(judged(panel, late(8e-4, side, 6e-4)).verdict != Verdict::fail);
  CHECK(judged(panel, shaped(late(4e-4, 1, 6e-4), [](double loss, std::int64_t) { return 1.1 * loss; })).verdict ==
        Verdict::fail);
}

TEST_CASE("odd worlds: a training that explodes on both sides, in numbers that last") {
  const auto exploding = [](std::int64_t from) {
    return [=](double loss, std::int64_t step) {
      return step > from ? loss * std::exp(static_cast<double>(step - from)) : loss;
    };
  };
  std::vector<Curve> runs = references();
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = shaped(runs[i], exploding(150 + static_cast<std::int64_t>(i)));
  const auto panel = Panel::seat({}, {"loss", false}, runs);
  REQUIRE_FALSE(panel.has_value());
  CHECK(panel.error().code == "not-finite");
  runs[1] = run(1e-7, -1.3);  // where only some do, a healthy run may explode
  runs[2] = run(1e-7, 0.9);
  runs[4] = run(1e-7, -0.7);
  const Judgement judgement = judged(panel_of(runs), shaped(run(1e-7, 0.5), exploding(147)));
  CHECK(judgement.verdict != Verdict::pass);
}

TEST_CASE("odd worlds: logs whose steps are counted from other numbers accuse nobody") {
  const Panel panel = panel_of(references());
  for (const std::int64_t shift : {-1, 1}) {
    Curve counted = run(1e-7, 0.5), wrong = run(1e-7, 0.5, constant(4));
    for (Point& point : counted.series["loss"]) point.step += shift;
    for (Point& point : wrong.series["loss"]) point.step += 100 * shift;
    const Judgement judgement = judged(panel, counted);
    CHECK(judgement.verdict == Verdict::inconclusive);
    CHECK(judgement.reason == "misnumbered");
    CHECK(judgement.text.find("numbering") != std::string::npos);
    CHECK(judged(panel, wrong).verdict != Verdict::pass);
  }
}

TEST_CASE(
    "odd worlds: a run that counts from a greater number and is cut at the last step of the reference accuses nobody") {
  const Panel panel = panel_of(references());
  for (const std::int64_t shift : {1, 10}) {
    Curve counted = run(1e-7, 0.5);
    const std::int64_t last = counted.series["loss"].back().step;
    for (Point& point : counted.series["loss"]) point.step += shift;
    std::erase_if(counted.series["loss"], [&](const Point& point) { return point.step > last; });
    CHECK(judged(panel, counted).reason == "misnumbered");

    Curve late = run(1e-7, 0.5, constant(20));  // its first lines are lost; its numbers are right
    std::erase_if(late.series["loss"], [&](const Point& point) { return point.step <= shift; });
    CHECK(judged(panel, late).verdict == Verdict::fail);
  }
}
