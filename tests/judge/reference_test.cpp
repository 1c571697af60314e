#include "driver/judge/reference.hpp"

#include <limits>

#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;

namespace {

tl::expected<Reference, Problem> prepare(const std::vector<Curve>& runs, configs::Acceptance accept = {}) {
  return prepare_reference(accept, runs, {"loss", false});
}

std::string problem(const std::vector<Curve>& runs) {
  const auto reference = prepare(runs);
  return reference ? "" : reference.error().code;
}

Curve nan_at(std::int64_t n, std::int64_t from, std::int64_t to) {
  return curve(n, [=](std::int64_t step) { return step >= from && step <= to ? kNan : plain_loss(step); });
}

}  // namespace

TEST_CASE("bit-identical references count once, whatever their number") {
  const auto same = prepare(identical_references(100, 5));
  REQUIRE(same);
  CHECK(same->given == 5);
  CHECK(same->distinct() == 1);
  CHECK(same->level.dof == 0);
  CHECK(same->level.identical == 4);

  std::vector<Curve> mixed = noisy_references(100, 2, 0.001);
  mixed.push_back(mixed.front());
  const auto two = prepare(mixed);
  REQUIRE(two);
  CHECK(two->distinct() == 2);
  CHECK(two->level.dof == 1);
}

TEST_CASE("a reference with NaN of its own is left out while three are left") {
  std::vector<Curve> runs = noisy_references(100, 3, 0.001);
  runs.push_back(nan_at(100, 50, 50));
  const auto four = prepare(runs);
  REQUIRE(four);
  CHECK(four->given == 3);
  CHECK(four->left_out == std::map<std::string, std::size_t>{{"held NaN or infinity, or exploded", 1}});

  const auto two = prepare({nan_at(100, 50, 50), curve(100, plain_loss)});
  REQUIRE(two);
  CHECK(two->given == 2);
  CHECK(two->steps.size() == 99);
  CHECK(two->non_finite == 1);
}

TEST_CASE("runs that were moved are kept apart from those as they are, whether somebody says so or not") {
  std::vector<Curve> runs = references();
  std::swap(runs[0], runs[2]);
  for (const bool said : {true, false}) {
    CAPTURE(said);
    if (!said) {
      runs = references();  // the first one is taken as it is
      for (Curve& one : runs) one.perturbed.reset();
    }
    const Reference reference = reference_of(runs);
    CHECK(reference.plain == std::vector<std::size_t>{0});
    CHECK(reference.moved == std::vector<std::size_t>{1, 2});
    CHECK(reference.distinct() == 1);
    CHECK(reference.level.dof == 0);
    CHECK(reference.mean == reference.runs[0].values);
    CHECK(reference.apart.in(reference.window) == Approx(0.006).epsilon(0.3));
  }
  for (Curve& one : runs) one.perturbed = 0;
  CHECK(reference_of(runs).moved.empty());
}

TEST_CASE("why runs differ: not at all, by rounding that grows, or by chance from the first step on") {
  const auto plain = [](const Training& training, double rounding) {
    std::vector<Curve> runs;
    for (std::uint64_t seed = 0; seed < 3; ++seed) runs.push_back(run(training, {.rounding = rounding, .seed = seed}));
    return runs;
  };
  CHECK(reference_of(plain({.most_apart = 0}, 1e-7)).cause == Cause::unknown);
  CHECK(reference_of(one_reference()).cause == Cause::unknown);
  CHECK(reference_of(plain({}, 1e-7)).cause == Cause::rounding);
  CHECK(reference_of(plain({}, 1e-5)).cause == Cause::rounding);
  CHECK(reference_of(noisy_references(240, 3, 0.001)).cause == Cause::chance);
  std::vector<Curve> masked;
  for (std::uint64_t masks = 1; masks <= 3; ++masks) masked.push_back(run({.masks = masks, .mask_noise = 0.01}));
  CHECK(reference_of(masked).cause == Cause::chance);
  for (Curve& one : masked) one.perturbed.reset();  // they begin apart, and were not moved
  CHECK(reference_of(masked).cause == Cause::chance);

  std::vector<Curve> late = plain({}, 1e-6);  // of a log that begins late nothing shows how it began
  for (Curve& one : late) std::erase_if(one.series["loss"], [](const Point& point) { return point.step < 60; });
  CHECK(reference_of(late).cause == Cause::rounding);
}

TEST_CASE("a step where every reference is NaN is excused") {
  const auto reference = prepare({nan_at(100, 50, 50), nan_at(100, 50, 50)});
  REQUIRE(reference);
  CHECK(reference->excused == std::vector<std::int64_t>{50});
  CHECK(reference->steps.size() == 99);
}

TEST_CASE("steps may be negative") {
  const auto reference = prepare({curve_of({{-5, 2.0}}), curve_of({{-5, 2.1}})});
  REQUIRE(reference);
  CHECK(reference->distinct() == 2);
}

TEST_CASE("references that cannot serve are refused with a reason") {
  CHECK(problem({}) == "no-reference");
  CHECK(problem({Curve{}}) == "no-curve");
  CHECK(problem({curve_of({{1, 1.0}}, "acc")}) == "no-curve");
  Series odd, even;
  for (int step = 100; step < 200; step += 2) {
    even.push_back({step, 1.0});
    odd.push_back({step + 1, 1.0});
  }
  CHECK(problem({curve_of(odd), curve_of(even)}) == "no-common-steps");
  CHECK(problem({nan_at(100, 40, 100), nan_at(100, 40, 100)}) == "not-finite");
  const auto largest = std::numeric_limits<std::int64_t>::max();
  CHECK(problem({curve_of({{-largest, 1.0}, {largest, 1.0}})}) == "bad-steps");
  CHECK(problem({nan_at(10, 1, 10)}) == "not-finite");
  CHECK(problem({curve(50, [](std::int64_t) { return 0.0; })}) == "all-zero");
}

TEST_CASE("an absolute tolerance makes a reference of zeros usable") {
  configs::Acceptance accept;
  accept.absolute_tolerance = 0.005;
  const auto reference = prepare({curve(50, [](std::int64_t) { return 0.0; })}, accept);
  REQUIRE(reference);
  CHECK(reference->scale.front() == Approx(1.0));  // absolute 0.005 and relative 0.5 % are then one rule
}

TEST_CASE("a resumed reference is said") {
  Series series;
  for (int step = 1; step <= 50; ++step) series.push_back({step, plain_loss(step)});
  for (int step = 41; step <= 60; ++step) series.push_back({step, plain_loss(step)});
  const auto reference = prepare({curve_of(series)});
  REQUIRE(reference);
  CHECK(reference->steps.size() == 60);
  CHECK(reference->resumed == 1);
}
