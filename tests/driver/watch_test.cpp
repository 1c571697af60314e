#include "driver/watch.hpp"

#include "tests/catch.hpp"

using namespace bisectd;
using driver::WatchList;
using driver::neutralise::Catalogue;
using driver::read::NameCounts;
using strategies::SuspectSet;

namespace {

/// One family; in logs its members have other names than in its list.
configs::Experiment experiment() {
  configs::Experiment result;
  configs::Family ops{.name = "ops"};
  ops.discover = configs::Discovery{.ran = {"ran (?P<name>\\w+)", {}}, .elsewhere = {{"cpu (?P<name>\\w+)", {}}}};
  ops.effect = configs::Effect{.log = {"moved (?P<name>\\w+) (?P<detail>\\w+)", {}}};
  ops.refused = {"cannot move (?P<name>\\w+)", {}};
  ops.written_name = {{"add", "elementwise_add"}};
  result.families["ops"] = ops;
  result.suspects["ops"].discover = true;
  return result;
}

SuspectSet all_of(const Catalogue& catalogue) { return SuspectSet(catalogue.size()).set(); }

}  // namespace

TEST_CASE("a member is a suspect if it ran on the device more often than elsewhere, by its written name") {
  const auto e = experiment();
  const WatchList watch(e);
  REQUIRE(watch.patterns().size() == 4);
  const NameCounts ran{{{"add", ""}, 10}, {{"relu", ""}, 5}, {{"cast", ""}, 3}};
  const NameCounts elsewhere{{{"relu", ""}, 5}, {{"cast", ""}, 1}, {{"full", ""}, 7}};
  CHECK(watch.discovered({ran, elsewhere, {}, {}}) ==
        driver::neutralise::Discovered{{"ops", {"cast", "elementwise_add"}}});
}

TEST_CASE("a trace counts only if the run with nothing neutralised has no such line, and only of what is off") {
  const auto e = experiment();
  const WatchList watch(e);
  const Catalogue catalogue({{"ops", "cast"}, {"ops", "elementwise_add"}, {"ops", "relu"}});
  const std::vector<NameCounts> as_is{{}, {}, {{{"cast", "bool"}, 4}}, {}};
  const std::vector<NameCounts> counts{{}, {}, {{{"cast", "bool"}, 4}, {{"add", "float32"}, 2}, {{"relu", "float32"}, 1}}, {}};
  SuspectSet off = all_of(catalogue);
  off.reset(2);
  const SuspectSet seen = watch.traces(catalogue, off, as_is, counts);
  CHECK(seen == SuspectSet(std::string("010")));  // elementwise_add alone; suspect 0 is the last character
  CHECK(watch.leaves_traces(catalogue).all());
}

TEST_CASE("a family without an effect pattern owes no trace") {
  auto e = experiment();
  e.families["ops"].effect.reset();
  const std::vector<driver::neutralise::Member> one{{"ops", "cast"}};
  CHECK(WatchList(e).leaves_traces(Catalogue(one)).none());
}

TEST_CASE("where the subject's own environment may hide the traces, a missing one says nothing") {
  auto e = experiment();
  e.families["ops"].effect->environment = {{"LOG_LEVEL", "3"}};
  const std::vector<driver::neutralise::Member> one{{"ops", "cast"}};
  CHECK(WatchList(e).leaves_traces(Catalogue(one)).all());
  e.subject.environment["LOG_LEVEL"] = {"3", {}};
  CHECK(WatchList(e).leaves_traces(Catalogue(one)).all());
  e.subject.environment["LOG_LEVEL"] = {"0", {}};
  CHECK(WatchList(e).leaves_traces(Catalogue(one)).none());
}
