// Which causes explain signatures: beside noise, beside each other, and where they change the same.
#include "strategies/signatures/explanation.hpp"

#include "tests/catch.hpp"
#include "tests/strategies/signed_world.hpp"

namespace bisectd::strategies::testing {
namespace {

using signatures::Cause;
using signatures::Rows;
using Members = std::vector<SuspectId>;

}  // namespace

TEST_CASE("explanation: how much each trial varies by itself is estimated, so that noise is nobody's doing") {
  Random random(8);
  constexpr std::size_t kSuspects = 200, kSteps = 12;
  const double noise = GENERATE(1.0, 250.0);  // as products that round like float16: the unit is what float32 rounds to
  std::vector<double> guilty;
  for (std::size_t step = 0; step < kSteps; ++step) guilty.push_back(8 * noise * normal_of(random));
  Rows rows(kSuspects);
  const auto add = [&](const SuspectSet& active) {
    std::vector<double> signature;
    for (std::size_t step = 0; step < kSteps; ++step)
      signature.push_back(noise * normal_of(random) + (active.test(17) ? guilty[step] : 0));
    rows.add(active, signature);
  };
  add(SuspectSet(kSuspects).set());
  add(SuspectSet(kSuspects));
  signatures::Explainer explainer(std::vector<double>(kSuspects, 1.0));
  signatures::Explanation causes;
  for (int trial = 0; trial < 24; ++trial) {
    SuspectSet active(kSuspects);
    for (SuspectId suspect = 0; suspect < kSuspects; ++suspect)
      if (random.below(2)) active.set(suspect);
    add(active);
    causes = explainer.explain(rows, rows.signature(0));
  }
  REQUIRE(causes.size() == 1);
  CHECK(causes.front().likeliest().members == Members{17});
  CHECK(causes.front().certain());
}

TEST_CASE("explanation: causes that change the same are told apart, when many trials come at once") {
  constexpr std::size_t kSuspects = 1024, kRows = 64;
  Random random(GENERATE(range(1, 9)));
  const bool with_a_pair = GENERATE(false, true);
  Rows rows(kSuspects);
  for (std::size_t row = 0; row < kRows; ++row) {
    SuspectSet active(kSuspects);
    for (SuspectId suspect = 0; suspect < kSuspects; ++suspect)
      if (row == 0 || random.unit() < 0.5 + 0.1 * static_cast<double>(row % 4)) active.set(suspect);
    double size = 0;
    for (const auto& [suspect, percent] : std::vector<std::pair<SuspectId, double>>{{109, 2}, {332, 3}, {552, 4}})
      if (active.test(suspect) && (suspect != 332 || active.test(700) || !with_a_pair)) size += 1e5 * percent;
    std::vector<double> signature;
    for (std::size_t step = 0; step < 12; ++step) signature.push_back(size + random.unit());
    rows.add(active, signature);
  }
  signatures::Explainer explainer(std::vector<double>(kSuspects, 1.0));
  std::vector<Members> members;
  for (const signatures::Cause& cause : explainer.explain(rows, rows.signature(0)))
    members.push_back(cause.likeliest().members);
  CHECK(members == std::vector<Members>{{552}, with_a_pair ? Members{332, 700} : Members{332}, {109}});
}

TEST_CASE("explanation: a cause beside a much greater one is credible once it was seen without it") {
  constexpr std::size_t kSteps = 12;
  Rows rows(4);
  const auto add = [&](const Members& active) {
    std::vector<double> signature;
    for (std::size_t step = 0; step < kSteps; ++step) {
      double value = (step % 3) - 1.0;  // of the rounding
      for (SuspectId suspect : active)
        value += suspect == 0 ? 9000.0 * (1 + step % 5) : suspect == 1 ? 200.0 * (step % 4) : 0;
      signature.push_back(value);
    }
    rows.add(set_of(4, active), signature);
  };
  signatures::Explainer explainer(std::vector<double>(4, 1.0));
  for (const Members& active : {Members{0, 1, 2, 3}, {}, {0, 1}, {0, 2}, {0, 1, 3}, {0, 3}}) add(active);
  const auto small = [&](const signatures::Explanation& causes) {
    return *std::ranges::find(causes, Members{1}, [](const Cause& cause) { return cause.likeliest().members; });
  };
  CHECK_FALSE(small(explainer.explain(rows, rows.signature(0))).credible());
  add({1});
  const signatures::Explanation causes = explainer.explain(rows, rows.signature(0));
  CHECK(small(causes).credible());
  CHECK(causes.front().likeliest().members == Members{0});
  CHECK(causes.front().credible());
}

}  // namespace bisectd::strategies::testing
