#include "driver/commands/prune_experiment.hpp"

#include "driver/neutralise/catalogue.hpp"
#include "tests/catch.hpp"

using namespace bisectd;
using namespace bisectd::driver;

namespace {

configs::Experiment sample_experiment() {
  configs::Experiment experiment;
  configs::Family ops{.name = "ops", .kind = configs::FamilyKind::list};
  ops.deliver.environment = "BLACK_LIST";
  ops.environment = {{"STRIDE", "0"}};
  configs::Family flags{.name = "flags", .kind = configs::FamilyKind::toggle};
  const auto toggle = [](const char* variable) {
    configs::Toggle one{.suspect = "0", .safe = "0", .unset_means = "1"};
    one.deliver.environment = variable;
    return one;
  };
  flags.toggles = {{"format", toggle("FORMAT")}, {"stride", toggle("STRIDE")}, {"safe_anyway", toggle("ANYWAY")}};
  flags.toggles["safe_anyway"].unset_means = "0";
  experiment.families = {{"ops", ops}, {"flags", flags}};
  experiment.suspects["ops"].discover = true;
  for (const auto& [name, value] :
       {std::pair("BLACK_LIST", "pad3d,,relu"), {"FORMAT", "0"}, {"STRIDE", "0"}, {"ANYWAY", "0"}, {"OTHER", "x"}})
    experiment.subject.environment[name] = {value, {}};
  return experiment;
}

}  // namespace

TEST_CASE("what the subject neutralises becomes what is searched, and nothing else") {
  configs::Experiment experiment = sample_experiment();
  CHECK(search_what_is_in_use(experiment) == std::vector<std::string>{"flags:format", "ops:pad3d", "ops:relu"});
  CHECK(experiment.subject.environment.size() == 3);  // STRIDE is held by the family ops, ANYWAY is safe without it
  CHECK(experiment.subject.environment.contains("OTHER"));
  CHECK(experiment.subject.unset == std::vector<std::string>{"BLACK_LIST", "FORMAT"});
  CHECK_FALSE(experiment.suspects.at("ops").discover);
  CHECK(neutralise::make_catalogue(experiment, {}, {}).size() == 3);
}

TEST_CASE("a subject that neutralises nothing has nothing to prune") {
  configs::Experiment experiment = sample_experiment();
  experiment.subject.environment.clear();
  CHECK(search_what_is_in_use(experiment).empty());
  CHECK(experiment.suspects.at("ops").discover);
}
