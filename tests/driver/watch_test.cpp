#include "driver/trial/watch.hpp"

#include "tests/catch.hpp"

using namespace bisectd;
using driver::SeenNames;
using driver::WatchList;
using driver::neutralise::Catalogue;
using driver::read::FileNames;
using driver::read::NameCounts;
using strategies::SuspectSet;

namespace {

/// One family; in logs its members have other names than in its list.
configs::Experiment experiment_with_names() {
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
  const auto e = experiment_with_names();
  const WatchList watch(e);
  REQUIRE(watch.watched().patterns.size() == 4);
  const NameCounts ran{{{"add", ""}, 10}, {{"relu", ""}, 5}, {{"cast", ""}, 3}};
  const NameCounts elsewhere{{{"relu", ""}, 5}, {{"cast", ""}, 1}, {{"full", ""}, 7}};
  CHECK(watch.discovered({{ran, elsewhere, {}, {}}, {}}) ==
        driver::neutralise::Discovered{{"ops", {"cast", "elementwise_add"}}});
}

TEST_CASE("why a member cannot be neutralised is what the log says of it, if it says anything") {
  const auto e = experiment_with_names();
  const WatchList watch(e);
  const SeenNames seen{{{}, {}, {}, {{{"add", "it draws random numbers"}, 1}, {{"cast", ""}, 1}}}, {}};
  CHECK(watch.reasons(seen) == std::map<std::string, std::string>{{"ops:elementwise_add", "it draws random numbers"}});
}

TEST_CASE("a trace counts only if the run with nothing neutralised has no such line, and only of what is off") {
  const auto e = experiment_with_names();
  const WatchList watch(e);
  const Catalogue catalogue({{"ops", "cast"}, {"ops", "elementwise_add"}, {"ops", "relu"}});
  const SeenNames as_is{{{}, {}, {{{"cast", "bool"}, 4}}, {}}, {}};
  const SeenNames counts{{{}, {}, {{{"cast", "bool"}, 4}, {{"add", "float32"}, 2}, {{"relu", "float32"}, 1}}, {}}, {}};
  SuspectSet off = all_of(catalogue);
  off.reset(2);
  const SuspectSet seen = watch.shown_off(catalogue, off, as_is, {counts, true});
  CHECK(seen == SuspectSet(std::string("010")));  // elementwise_add alone; suspect 0 is the last character
  CHECK(watch.shows_effect(catalogue).all());
}

TEST_CASE("a family without an effect pattern owes no trace") {
  auto e = experiment_with_names();
  e.families["ops"].effect.reset();
  const std::vector<driver::neutralise::Member> one{{"ops", "cast"}};
  CHECK(WatchList(e).shows_effect(Catalogue(one)).none());
}

TEST_CASE("where the subject's own environment may hide the traces, a missing one says nothing") {
  auto e = experiment_with_names();
  e.families["ops"].effect->environment = {{"LOG_LEVEL", "3"}};
  const std::vector<driver::neutralise::Member> one{{"ops", "cast"}};
  CHECK(WatchList(e).shows_effect(Catalogue(one)).all());
  e.subject.environment["LOG_LEVEL"] = {"3", {}};
  CHECK(WatchList(e).shows_effect(Catalogue(one)).all());
  e.subject.environment["LOG_LEVEL"] = {"0", {}};
  CHECK(WatchList(e).shows_effect(Catalogue(one)).none());
}

namespace {

/// One family whose members are named in a file by the runs in which they work.
configs::Experiment with_file() {
  configs::Experiment result;
  const configs::NamesInFile fired{.file = "fired.json", .members = "{name}"};
  configs::Family passes{.name = "fusion"};
  passes.discover = configs::Discovery{.file = fired};
  passes.effect = configs::Effect{.gone_from_file = fired};
  result.families["fusion"] = passes;
  result.suspects["fusion"].discover = true;
  return result;
}

SeenNames left(const std::vector<const char*>& names) {
  FileNames file{.found = true};
  for (const char* name : names) file.counts[{name, ""}] = 1;
  return {{}, {file, file}};
}

}  // namespace

TEST_CASE("members are discovered in a file that the run leaves, and a missing file is said") {
  const auto e = with_file();
  const WatchList watch(e);
  REQUIRE(watch.watched().files.size() == 2);
  CHECK(watch.discovered(left({"A", "B"})) == driver::neutralise::Discovered{{"fusion", {"A", "B"}}});
  const auto missing = watch.discovered({{}, {FileNames{}, FileNames{}}});
  REQUIRE_FALSE(missing);
  CHECK(missing.error() == "the discovery run left no file fired.json that names members of family fusion");
}

TEST_CASE("a discovered name that cannot be delivered, and too many names, are said") {
  const auto e = with_file();
  const WatchList watch(e);
  CHECK(watch.discovered(left({"A,B"})).error() ==
        "the discovery run named `A,B` in family fusion, which cannot be delivered: it holds the separator `,`");
  CHECK_THAT(watch.discovered(left({"A\uFFFD"})).error(), Catch::Contains("which stands for bytes that are no UTF-8"));
  FileNames many{.found = true};
  for (int i = 0; i < 100'000; ++i) many.counts[{"pass" + std::to_string(i), ""}] = 1;
  CHECK_THAT(watch.discovered({{}, {many, many}}).error(), Catch::Matchers::StartsWith("the discovery run named 100000"));
}

TEST_CASE("a member is off when a whole run that left the file does not name it") {
  const auto e = with_file();
  const WatchList watch(e);
  const Catalogue catalogue({{"fusion", "A"}, {"fusion", "B"}, {"fusion", "C"}});
  SuspectSet off = all_of(catalogue);
  off.reset(2);
  const SeenNames b_still_works = left({"B"});
  CHECK(watch.shows_effect(catalogue).all());
  CHECK(watch.shown_off(catalogue, off, left({}), {b_still_works, true}) == SuspectSet(std::string("001")));
  CHECK(watch.shown_off(catalogue, off, left({}), {b_still_works, false}).none());
  const SeenNames no_file{{}, {FileNames{}, FileNames{}}};
  CHECK(watch.shown_off(catalogue, off, left({}), {no_file, true}).none());
}

TEST_CASE("a member that works is named in the log, one that is off is not") {
  auto e = with_file();
  e.families["fusion"].effect = configs::Effect{.gone_from_log = {{"(?P<name>\\w+) works", {}}}};
  const WatchList watch(e);
  const Catalogue catalogue({{"fusion", "A"}, {"fusion", "B"}, {"fusion", "C"}});
  const SeenNames b_works{{{{{"B", ""}, 3}}}, {FileNames{}}};
  CHECK(watch.shown_off(catalogue, all_of(catalogue), {}, {b_works, true}) == SuspectSet(std::string("101")));
}
