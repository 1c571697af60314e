// Who is off at the first steps, and does no harm.
#include "strategies/effects.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

/// A log of five suspects, told by what was active.
struct Deviating {
  Problem problem = problem_of(5);
  EvidenceLog log{5, 0, 0.01};

  Deviating& active_were(const std::vector<SuspectId>& set, Verdict verdict, std::vector<double> signature) {
    Evidence evidence = evidence_of(neutralised_beside(active(5, set)), verdict);
    evidence.signature = std::move(signature);
    log.tell(evidence);
    return *this;
  }
  std::vector<std::pair<SuspectId, double>> named(const Active& always_active, const SuspectSet& guilty) const {
    std::vector<std::pair<SuspectId, double>> found;
    for (const Deviation& each : harmless_deviations(log, always_active, guilty))
      found.emplace_back(each.suspect, each.size);
    return found;
  }
};

using Named = std::vector<std::pair<SuspectId, double>>;

}  // namespace

TEST_CASE("deviations: who passes alone and is off tenfold at three steps, by the most that it changes, greatest first") {
  Deviating log;
  log.active_were({}, kPass, {5, 5, 5, 5})
      .active_were({1}, kPass, {5, 25, -10, 45})
      .active_were({3}, kPass, {105, 5, 25, 25});
  log.active_were({2}, kPass, {5, 30, 30, 5});      // at two steps only
  log.active_were({0}, kFail, {500, 500, 500, 5});  // it does harm
  CHECK(log.named(active(5, {}), SuspectSet(5)) == Named{{3, 100}, {1, 40}});
  CHECK(log.named(active(5, {}), set_of(5, {3})) == Named{{1, 40}});  // guilty together with another one
}

TEST_CASE("deviations: where all begins otherwise, as on a device that rounds coarsely, nobody is named for as much") {
  for (const double offset : {4.0, 40.0}) {
    Deviating log;
    log.active_were({}, kPass, {offset, -offset, offset / 2})
        .active_were({1}, kPass, {offset + 59, -offset - 20, offset / 2 + 30})
        .active_were({3}, kPass, {offset + 500, 500 - offset, 500});
    CHECK(log.named(active(5, {}), SuspectSet(5)).size() == (offset < 20 ? 2 : 1));
  }
}
