// Trainings as they are, and odd ones: healthy devices, of which some round finely and some coarsely, and faulty ones,
// judged by one plain log and by three references. A healthy device is never accused.
#include <algorithm>
#include <limits>

#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;
using strategies::Verdict;

namespace {

enum class Is { passed, failed, not_failed, not_passed, undecided };

bool holds(Is expected, const Judgement& judgement) {
  switch (expected) {
    case Is::passed: return judgement.verdict == Verdict::pass && !judgement.comparable_until;
    case Is::failed: return judgement.verdict == Verdict::fail;
    case Is::not_failed: return judgement.verdict != Verdict::fail;
    case Is::not_passed: return judgement.verdict != Verdict::pass;
    case Is::undecided: return judgement.verdict == Verdict::inconclusive && !judgement.reason.empty();
  }
  return false;
}

/// Verdicts by one plain log, and by it and two moved runs.
struct By {
  Is one, three;
};

struct World {
  const char* name;
  Training reference, subject;
  Fault fault;
  By healthy, faulty;
};

World same(const char* name, const Training& training, Fault fault, By healthy, By faulty) {
  return {name, training, training, std::move(fault), healthy, faulty};
}

constexpr By kPass{Is::passed, Is::passed}, kFail{Is::failed, Is::failed}, kNotFailed{Is::not_failed, Is::not_failed},
    kNotPassed{Is::not_passed, Is::not_passed}, kOnlyMovedRunsTell{Is::not_passed, Is::failed};

const Shape kVanishing = [](double loss, std::int64_t step) {
  return 3 * std::exp(-0.033 * static_cast<double>(step)) * loss / plain_loss(step);
};
const Shape kNegative = [](double loss, std::int64_t) { return loss - 12; };
const Shape kThroughZero = [](double loss, std::int64_t) { return loss - 2.8; };
const Shape kLearningRateFalls = [](double loss, std::int64_t step) { return step > 120 ? 0.6 * loss : loss; };
const Shape kPlateau = [](double loss, std::int64_t step) { return step < 60 ? loss : 2 * loss / plain_loss(step); };
const Shape kWarmUp = [](double loss, std::int64_t step) { return step <= 100 ? 8 + (loss - 8) * 1e-6 : loss; };
const Shape kSpikes = [](double loss, std::int64_t step) { return step % 50 == 33 ? 3 * loss : loss; };

const std::vector<World> kWorlds = {
    // name, training, fault, healthy, faulty
    same("every step", {}, constant(3), kPass, kFail),
    same("every step, below the reference", {}, constant(-3), kPass, kFail),
    same("every step, four digits", {.log = {.decimals = 4}}, constant(3), kPass, kFail),
    same("every step, two digits", {.log = {.decimals = 2}}, constant(3), kNotFailed, kFail),
    same("a running mean of 20 steps", {.log = {.mean = 20}}, constant(3), kPass, kOnlyMovedRunsTell),
    same("every tenth step", {.log = {.every = 10}}, constant(3), kNotFailed, kOnlyMovedRunsTell),
    same("every tenth step of 1,000", {.steps = 1000, .log = {.every = 10}}, constant(3), kPass, kFail),
    same("means of ten steps", {.log = {.mean = 10, .every = 10}}, constant(3), kNotFailed, kOnlyMovedRunsTell),
    same("three values", {.steps = 3}, constant(3), kNotFailed, kNotPassed),
    same("seven values", {.steps = 7}, constant(3), kPass, kFail),
    same("twelve values", {.steps = 12}, constant(3), kPass, kFail),
    same("twelve values, a growing fault", {.steps = 12}, growing(0.4), kPass, kFail),
    same("down to a thousandth", {.shape = kVanishing}, constant(3), kPass, kOnlyMovedRunsTell),
    same("negative", {.shape = kNegative}, constant(3), kPass, kFail),
    same("through zero", {.shape = kThroughZero}, constant(3), kNotFailed, kFail),
    same("the learning rate falls at half", {.shape = kLearningRateFalls}, constant(3), kPass, kFail),
    same("a plateau", {.shape = kPlateau}, constant(3), kPass, kFail),
    same("a warm-up of half the run", {.shape = kWarmUp}, constant(3), kPass, kFail),
    same("spikes on both sides", {.shape = kSpikes}, constant(3), kPass, kFail),
    same("nothing grows", {.most_apart = 0}, constant(3), kPass, kFail),
    same("rounding flies apart", {.batch_noise = 0.3, .most_apart = 0.06}, constant(60), kNotFailed, kNotPassed),
    {"another order of the data", {}, {.order = 2}, constant(3), kNotFailed, kNotPassed},
    {"another order of the data, means",
     {.log = {.mean = 20}},
     {.order = 2, .log = {.mean = 20}},
     constant(3),
     kNotFailed,
     kNotPassed},
    {"other dropout masks",
     {.masks = 1, .mask_noise = 0.025},
     {.masks = 2, .mask_noise = 0.025},
     constant(3),
     kNotFailed,
     kFail},
};

const configs::Acceptance kWhole = [] {
  configs::Acceptance accept;
  accept.whole = true;
  return accept;
}();

/// All that a reference of this training says of devices with this fault.
void check(const World& world, const Fault& fault, By expected) {
  for (const bool three : {false, true}) {
    const Panel panel = panel_of(three ? references(world.reference) : one_reference(world.reference));
    for (const double rounding : {1e-7, 1e-6, 1e-5, 1e-4, 5e-4})
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto device = static_cast<std::uint64_t>(1e8 * rounding) + seed;
        const Judgement judgement =
            judged(panel, run(world.subject, {.rounding = rounding, .seed = device, .fault = fault}));
        INFO(world.name << ", " << (three ? "three references" : "one log") << ", rounds at " << rounding << ": "
                        << judgement.text);
        CHECK(holds(three ? expected.three : expected.one, judgement));
      }
  }
}

/// Of devices that round from finely to coarsely.
std::vector<Judgement> of_devices(const Panel& panel, const Training& training, const Fault& fault) {
  std::vector<Judgement> all;
  std::uint64_t seed = 0;
  for (const double rounding : {1e-7, 1e-6, 1e-5, 1e-4, 5e-4})
    all.push_back(judged(panel, run(training, {.rounding = rounding, .seed = ++seed, .fault = fault})));
  return all;
}

bool all_are(Verdict verdict, const std::vector<Judgement>& judgements) {
  return std::ranges::all_of(judgements, [&](const Judgement& one) { return one.verdict == verdict; });
}

bool none_is(Verdict verdict, const std::vector<Judgement>& judgements) {
  return std::ranges::none_of(judgements, [&](const Judgement& one) { return one.verdict == verdict; });
}

}  // namespace

TEST_CASE("worlds: healthy devices") {
  for (const World& world : kWorlds) check(world, constant(0), world.healthy);
}

TEST_CASE("worlds: faulty devices") {
  for (const World& world : kWorlds) check(world, world.fault, world.faulty);
}

TEST_CASE("worlds: a fault that begins at half of the run never passes") {
  for (const World& world : kWorlds) {
    if (world.reference.steps < 20) continue;
    const Fault late = from(world.reference.steps / 2, world.fault(1) > 1.5 ? 60 : 5);
    if (world.reference.shape(1, 200) == kVanishing(1, 200)) continue;  // nearly nothing by then, and so is its fault
    check(world, late, kNotPassed);
  }
}

TEST_CASE("worlds: where a fault makes a run tumble from half of a log of few values on, no earlier part passes it") {
  const Fault tumbles = [](std::int64_t step) {
    return step > 100 ? 1 + 0.01 * (0.7 + 8 * std::sin(0.37 * static_cast<double>(step))) : 1;
  };
  for (const std::int64_t every : {2, 5}) {
    const Training training{.most_apart = 0.001, .log = {.every = every}};
    for (const bool three : {false, true}) {
      const std::vector<Curve> runs = three ? references(training) : one_reference(training);
      for (const Judgement& judgement : of_devices(panel_of(runs), training, tumbles))
        CHECK(judgement.verdict != Verdict::pass);
    }
  }
}

TEST_CASE("worlds: a fault that heals passes with a note, and fails where the whole run is asked for") {
  const Training training;
  const Fault heals = between(20, 90, 4);
  for (const bool three : {false, true}) {
    const std::vector<Curve> runs = three ? references() : one_reference();
    for (const Judgement& judgement : of_devices(panel_of(runs), training, heals)) {
      CHECK(judgement.verdict == Verdict::pass);
      CHECK(has_note(judgement, "it was off by +4 % in steps"));
      CHECK(has_note(judgement, "ends within the target"));
    }
    for (const Judgement& judgement : of_devices(panel_of(runs, kWhole), training, heals)) {
      CHECK(judgement.verdict == Verdict::fail);
      CHECK(judgement.window->last < 140);
    }
    CHECK(all_are(Verdict::pass, of_devices(panel_of(runs, kWhole), training, constant(0))));
  }
}

TEST_CASE(
    "worlds: a fault that heals late passes, however far long windows reach back, and fails where the whole is asked for") {
  const Fault heals = between(20, 120, 8);
  for (const bool three : {false, true}) {
    const std::vector<Curve> runs = three ? references() : one_reference();
    CHECK(all_are(Verdict::pass, of_devices(panel_of(runs), {}, heals)));
    CHECK(all_are(Verdict::fail, of_devices(panel_of(runs, kWhole), {}, heals)));
  }
}

TEST_CASE("worlds: a real difference within the target passes, and is told") {
  const Training training{.most_apart = 0.001};
  for (const bool three : {false, true})
    for (const Judgement& judgement :
         of_devices(panel_of(three ? references(training) : one_reference(training)), training, constant(0.4))) {
      CHECK(judgement.verdict == Verdict::pass);
      CHECK(has_note(judgement, "the difference is real, and within the target"));
      CHECK(*judgement.delta == Approx(0.004).margin(0.0005));
    }
}

TEST_CASE("worlds: a larger fault is not found less surely") {
  for (const bool three : {false, true}) {
    const Panel panel = panel_of(three ? references() : one_reference());
    for (const double percent : {3.0, 8.0, 12.0, 20.0, 80.0, 1e5}) {
      INFO(percent << " %, " << (three ? "three references" : "one log"));
      CHECK(all_are(Verdict::fail, of_devices(panel, {}, constant(percent))));
      CHECK(all_are(Verdict::fail, of_devices(panel, {}, from(2, percent))));
      CHECK(all_are(Verdict::fail, of_devices(panel, {}, from(30, percent))));
    }
  }
}

TEST_CASE("worlds: one log says that nothing shows what rounding grows to, moved runs say it") {
  const auto said = [](const Panel& panel, const char* code) {
    return std::ranges::count(panel.findings(), code, &Finding::code) == 1;
  };
  const Panel one = panel_of(one_reference()), three = panel_of(references());
  CHECK(said(one, "no-moved-runs"));
  CHECK(one.lacks_moved_runs());
  CHECK_FALSE(said(three, "no-moved-runs"));
  CHECK_FALSE(said(three, "lost-perturbation"));
  CHECK_FALSE(three.lacks_moved_runs());

  // A checkpoint was loaded over the perturbation: the runs are apart as repeats are.
  std::vector<Curve> runs;
  for (int seed = 0; seed < 3; ++seed) {
    runs.push_back(run({}, {.rounding = 1e-7, .seed = 900 + static_cast<std::uint64_t>(seed)}));
    runs.back().perturbed = seed;
  }
  const Panel lost = panel_of(runs);
  CHECK(lost.whole().lost == 2);
  CHECK(lost.whole().moved.empty());
  CHECK(said(lost, "lost-perturbation"));
  CHECK(none_is(Verdict::fail, of_devices(lost, {}, constant(0))));
  CHECK(all_are(Verdict::fail, of_devices(lost, {}, constant(3))));
}

TEST_CASE("worlds: where digits are too few to show that a run was moved, one that says so is believed") {
  const Training training{.growth = 0.03, .log = {.decimals = 2}};
  std::vector<Curve> runs = references(training);
  const Panel told = panel_of(runs);
  CHECK(told.whole().moved.size() == 2);
  CHECK(told.whole().lost == 2);  // which is reported
  CHECK(none_is(Verdict::fail, of_devices(told, training, constant(0))));
  CHECK(all_are(Verdict::fail, of_devices(told, training, constant(4))));
  for (Curve& run : runs) run.perturbed.reset();  // logs that were brought
  CHECK(panel_of(runs).whole().moved.empty());
}

TEST_CASE("worlds: runs of which it is known that they were moved are no repeats, however far they fly apart") {
  for (const double most_apart : {0.01, 0.03, 0.1}) {
    const Reference reference = reference_of(references({.most_apart = most_apart}));
    CAPTURE(most_apart);
    CHECK(reference.moved.size() == 2);
    CHECK(reference.lost == 0);
    CHECK(reference.cause == Cause::unknown);  // one run that was not moved shows none
  }
}

TEST_CASE("worlds: a training that diverges on both sides") {
  const auto diverging = [](std::int64_t last) {
    return Training{.shape = [=](double loss, std::int64_t step) { return step > last ? kNan : loss; }};
  };
  const Panel panel = panel_of(references(diverging(200)));
  CHECK(all_are(Verdict::pass, of_devices(panel, diverging(200), constant(0))));
  CHECK(none_is(Verdict::fail, of_devices(panel, diverging(198), constant(0))));
  CHECK(all_are(Verdict::fail, of_devices(panel, diverging(200), constant(3))));
  CHECK(all_are(Verdict::fail, of_devices(panel_of(references()), diverging(200), constant(0))));  // only the subject does
  CHECK(Panel::seat({}, kLoss, references(diverging(80))).error().code == "not-finite");
}

TEST_CASE("worlds: a reference that diverges in some of its runs condemns no subject that diverges") {
  std::vector<Curve> runs;
  for (std::uint64_t seed = 0; seed < 8; ++seed) runs.push_back(run({}, {.rounding = 1e-7, .seed = 900 + seed}));
  for (const std::size_t broken : {1U, 3U, 6U})
    for (std::size_t step = 180; step < 240; ++step) runs[broken].series["loss"][step].value = kNan;
  const Panel panel = panel_of(runs);
  CHECK(std::ranges::count(panel.findings(), "diverged", &Finding::code) == 1);
  CHECK(std::ranges::count(panel.findings(), "left-out", &Finding::code) == 1);
  Curve diverges = run({});
  for (std::size_t step = 140; step < 240; ++step) diverges.series["loss"][step].value = kNan;
  CHECK(judged(panel, diverges).verdict != Verdict::fail);
  CHECK(judged(panel, diverges).verdict != Verdict::pass);
  for (const bool tail : {true, false}) {  // near the end only; now and then
    Curve odd = run({});
    for (std::size_t step = tail ? 230 : 9; step < 240; step += tail ? 1 : 9) odd.series["loss"][step].value = kNan;
    CHECK(judged(panel, odd).verdict == Verdict::inconclusive);
    CHECK(judged(panel, odd).reason == "nan");
  }
  CHECK(judged(panel_of(references()), diverges).reason == "nan");
  CHECK(judged(panel, run({})).verdict == Verdict::pass);
}

TEST_CASE("worlds: a training that explodes on both sides, in numbers that last") {
  const auto exploding = [](std::int64_t last) {
    return Training{.shape = [=](double loss, std::int64_t step) {
      return step > last ? loss * std::exp(static_cast<double>(step - last)) : loss;
    }};
  };
  CHECK(Panel::seat({}, kLoss, one_reference(exploding(200))).error().code == "not-finite");
  std::vector<Curve> runs = references();  // where only some do, a healthy run may explode
  runs.push_back(run(exploding(205), {.rounding = 1e-7}));
  CHECK(judged(panel_of(runs), run(exploding(210))).verdict != Verdict::pass);
}

TEST_CASE("worlds: a reference that is shorter than the others is left out while others are left") {
  std::vector<Curve> runs = references();
  std::erase_if(runs[2].series["loss"], [](const Point& point) { return point.step > 150; });
  const Panel panel = panel_of(runs);
  CHECK(panel.whole().last_step() == 240);
  CHECK(panel.whole().given == 2);
  CHECK(none_is(Verdict::fail, of_devices(panel, {}, constant(0))));
  CHECK(all_are(Verdict::fail, of_devices(panel, {}, constant(3))));
}

TEST_CASE("worlds: repeats of a subject that varies by itself tell that it does, and are what it is judged by") {
  Panel panel = panel_of(references());
  const auto masked = [](std::uint64_t masks, double percent) {
    return run({.masks = masks, .mask_noise = 0.01}, {.fault = constant(percent)});
  };
  panel.learn_subject(std::vector<Curve>{masked(1, 0), masked(2, 0), masked(3, 0)}, AlreadyLearnt::no);
  CHECK(panel.by_chance());
  for (std::uint64_t seed = 4; seed < 24; seed += 2) {
    const std::vector<Curve> healthy{masked(seed, 0), masked(seed + 1, 0)}, faulty{masked(seed, 8), masked(seed + 1, 8)};
    CHECK(panel.judge(healthy).verdict != Verdict::fail);
    CHECK(panel.judge(faulty).verdict != Verdict::pass);
  }
}

TEST_CASE("worlds: moved repeats of the subject show what rounding grows to, where the reference is one log") {
  Panel panel = panel_of(one_reference({.log = {.every = 10}}));
  std::vector<Curve> repeats{run({.log = {.every = 10}}, {.fault = from(40, 3)})};
  CHECK(judged(panel, repeats.front()).verdict == Verdict::inconclusive);
  for (int seed = 1; seed <= 2; ++seed) {
    repeats.push_back(run({.log = {.every = 10}},
                          {.rounding = 1e-3, .seed = 50 + static_cast<std::uint64_t>(seed), .fault = from(40, 3)}));
    repeats.back().perturbed = seed;
  }
  panel.learn_subject(repeats, AlreadyLearnt::no);
  CHECK_FALSE(panel.lacks_moved_runs());
  CHECK(judged(panel, repeats.front()).verdict == Verdict::fail);
  CHECK(judged(panel, run({.log = {.every = 10}})).verdict != Verdict::fail);
}
