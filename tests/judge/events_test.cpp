#include "driver/judge/events.hpp"

#include <algorithm>
#include <limits>

#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;

namespace {

const double kInf = std::numeric_limits<double>::infinity();

std::vector<Event> watch(const Reference& reference, const Curve& candidate, AttemptStage progress = AttemptStage::over) {
  return events_of(reference, candidate, difference(reference, candidate), progress);
}

/// Code of the first failing event, or "".
std::string failure(const std::vector<Event>& events) {
  return !events.empty() && events.front().fails ? events.front().code : "";
}

bool noted(const std::vector<Event>& events, const std::string& code) {
  return std::any_of(events.begin(), events.end(), [&](const Event& event) { return !event.fails && event.code == code; });
}

Curve with(std::int64_t n, std::vector<std::int64_t> at, double value) {
  return curve(
      n, [=](std::int64_t step) { return std::find(at.begin(), at.end(), step) != at.end() ? value : plain_loss(step); });
}

Curve scaled_by(std::int64_t n, const std::function<double(std::int64_t)>& factor) {
  return curve(n, [=](std::int64_t step) { return plain_loss(step) * factor(step); });
}

Curve with_series(const std::string& name, const std::function<double(std::int64_t)>& value, std::int64_t n = 1000) {
  Curve result = curve(n, plain_loss);
  for (std::int64_t step = 1; step <= n; ++step) result.series[name].push_back({step, value(step)});
  return result;
}

}  // namespace

TEST_CASE("NaN three times in a row, at the end, or often fails; once is a note") {
  const Reference reference = reference_of(identical_references(200, 2));
  CHECK(failure(watch(reference, with(200, {50, 51, 52}, kNan))) == "nan");
  CHECK(failure(watch(reference, with(200, {50, 60, 70, 80}, kNan))) == "nan");
  CHECK(failure(watch(reference, with(200, {200}, kNan))) == "nan");
  CHECK(failure(watch(reference, with(200, {50, 51, 52}, kInf))) == "nan");
  const auto once = watch(reference, with(200, {50}, kNan));
  CHECK(failure(once).empty());
  CHECK(noted(once, "nan"));
}

TEST_CASE("a last value of NaN of a run that still goes on may recover") {
  const Reference reference = reference_of(identical_references(200, 2));
  const Curve so_far = with(100, {100}, kNan);
  CHECK(failure(watch(reference, so_far, AttemptStage::running)).empty());
  CHECK(failure(watch(reference, so_far, AttemptStage::over)) == "nan");
}

TEST_CASE("NaN where every reference is NaN is no evidence; infinity equal to infinity is not close") {
  const Reference reference = reference_of({with(200, {50, 51, 52}, kNan), with(200, {50, 51, 52}, kNan)});
  CHECK(watch(reference, with(200, {50, 51, 52}, kNan)).empty());
  CHECK(failure(watch(reference, with(200, {60, 61, 62}, kInf))) == "nan");
}

TEST_CASE("where runs differ by chance, more than three spikes that no reference has fail") {
  const Reference reference = reference_of(noisy_references(1000, 3, 0.0001));
  const auto four = watch(reference, with(1000, {300, 500, 700, 900}, 9.0));
  CHECK(failure(four) == "spikes");
  CHECK(four.front().step.value() == 300);
  CHECK(watch(reference, with(1000, {300, 500, 700}, 9.0)).empty());
  CHECK(watch(reference, with(1000, {300, 500, 700, 900}, 9.0), AttemptStage::running).empty());

  std::vector<Curve> spiky = noisy_references(1000, 3, 0.0001);
  for (const std::size_t at : {100U, 200U}) spiky[1].series["loss"][at].value *= 2;
  CHECK(watch(reference_of(spiky), with(1000, {300, 500, 700, 900}, 9.0)).empty());
}

TEST_CASE("spikes are none where rounding makes them, or where too few runs show what chance does") {
  CHECK(watch(reference_of(noisy_references(1000, 2, 0.0001)), with(1000, {300, 500, 700, 900}, 9.0)).empty());
  Curve odd = run({});
  for (const std::size_t at : {30U, 50U, 70U, 90U, 120U}) odd.series["loss"][at].value *= 2;
  std::vector<Curve> plain;
  for (std::uint64_t seed = 0; seed < 3; ++seed) plain.push_back(run({}, {.rounding = 1e-7, .seed = seed}));
  CHECK(watch(reference_of(plain), odd).empty());
}

TEST_CASE("a stretch of far-off steps is another level, not spikes, and the limit grows with the target") {
  const Reference reference = reference_of(noisy_references(1000, 3, 0.0001));
  CHECK(watch(reference, scaled_by(1000, [](std::int64_t step) { return step > 100 && step <= 160 ? 1.1 : 1.0; })).empty());
  const Curve now_and_then = scaled_by(1000, [](std::int64_t step) { return step % 100 == 0 ? 1.08 : 1.0; });
  CHECK(failure(watch(reference, now_and_then)) == "spikes");
  configs::Acceptance accept;
  accept.target = 0.05;
  CHECK(watch(reference_of(noisy_references(1000, 3, 0.0001), accept), now_and_then).empty());
}

TEST_CASE("with worse_only nothing on the better side is an event") {
  configs::Acceptance accept;
  accept.worse_only = true;
  const Reference reference = reference_of(noisy_references(1000, 3, 0.0001), accept);
  const auto spikes = [](double factor) {
    return scaled_by(1000, [=](std::int64_t step) { return step % 100 == 0 ? factor : 1.0; });
  };
  CHECK(watch(reference, spikes(0.5)).empty());
  CHECK(failure(watch(reference, spikes(1.5))) == "spikes");
}

TEST_CASE("a loss scale that collapses or falls again and again fails") {
  const auto healthy = [](std::int64_t step) { return step < 500 ? 65536.0 : 131072.0; };
  const Reference reference = reference_of({with_series(kLossScale, healthy), with_series(kLossScale, healthy)});
  const auto collapse =
      watch(reference, with_series(kLossScale, [](std::int64_t step) {
              return std::max(1.0, 65536.0 / static_cast<double>(std::int64_t{1} << std::min<std::int64_t>(step / 30, 20)));
            }));
  CHECK(failure(collapse) == "overflow");
  CHECK(collapse.front().step.value() == 480);
  const auto often =
      watch(reference, with_series(kLossScale, [](std::int64_t step) { return step / 50 % 2 ? 32768.0 : 65536.0; }));
  CHECK(failure(often) == "overflow");
  CHECK(watch(reference, with_series(kLossScale, healthy)).empty());
}

TEST_CASE("a loss scale that the reference does not log fails only by its collapse") {
  const Reference reference = reference_of(identical_references(1000, 2));
  const auto often =
      watch(reference, with_series(kLossScale, [](std::int64_t step) { return step / 50 % 2 ? 32768.0 : 65536.0; }));
  CHECK(failure(often).empty());
  CHECK(noted(often, "overflow"));
  CHECK(failure(watch(reference, with_series(kLossScale, [](std::int64_t step) { return step < 500 ? 1024.0 : 1.0; }))) ==
        "overflow");
}

TEST_CASE("a constant loss scale, and the first decreases of a dynamic one, are no news") {
  const Reference reference = reference_of(identical_references(1000, 2));
  CHECK(watch(reference, with_series(kLossScale, [](std::int64_t) { return 1.0; })).empty());
  CHECK(watch(reference, with_series(kLossScale,
                                     [](std::int64_t step) {
                                       return 65536.0 / static_cast<double>(1 << std::min<std::int64_t>(step, 6));
                                     }))
            .empty());
}

TEST_CASE("a gradient norm that is off at the end is noted and fails nothing") {
  const auto norm = [](double value) { return with_series(kGradNorm, [=](std::int64_t) { return value; }); };
  const Reference reference = reference_of({norm(2.0), norm(2.0)});
  for (const double value : {2.5, 30.0, 1e-9}) {
    const auto events = watch(reference, norm(value));
    CHECK(failure(events).empty());
    CHECK(noted(events, "grad-norm"));
  }
  CHECK(watch(reference, norm(2.1)).empty());
}

TEST_CASE("a gradient norm that is lost up to the end fails, one that a loss scale skips does not") {
  const auto norm = [](std::int64_t from, std::int64_t to) {
    return with_series(kGradNorm, [=](std::int64_t step) { return step >= from && step < to ? kNan : 2.0; });
  };
  const Reference reference = reference_of({norm(0, 0), norm(0, 0)});
  CHECK(failure(watch(reference, norm(400, 2000))) == "nan");
  CHECK(failure(watch(reference, norm(400, 402))).empty());
  const Reference lost = reference_of({norm(400, 2000), norm(400, 2000)});
  CHECK(failure(watch(lost, norm(400, 2000))).empty());
}
