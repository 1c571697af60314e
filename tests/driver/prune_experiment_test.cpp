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

/// What is kept, and the family that needs it.
std::vector<std::pair<std::string, std::string>> kept(configs::Experiment& experiment) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [one, place] : search_what_is_in_use(experiment).kept)
    all.emplace_back(one.family + ":" + one.name, one.needed_by);
  return all;
}

}  // namespace

TEST_CASE("what the subject neutralises becomes what is searched, and nothing else") {
  configs::Experiment experiment = sample_experiment();
  CHECK(search_what_is_in_use(experiment).searched == std::vector<std::string>{"flags:format", "ops:pad3d", "ops:relu"});
  CHECK(experiment.subject.environment.size() == 3);  // STRIDE is held by the family ops, ANYWAY is safe without it
  CHECK(experiment.subject.environment.contains("OTHER"));
  CHECK(experiment.subject.unset == std::vector<std::string>{"BLACK_LIST", "FORMAT"});
  CHECK_FALSE(experiment.suspects.at("ops").discover);
  CHECK(neutralise::make_catalogue(experiment, {}, {}).size() == 3);
}

TEST_CASE("what is excluded is not searched and stays neutralised") {
  configs::Experiment experiment = sample_experiment();
  experiment.suspects["ops"].exclude = {{"relu", {}}, {"never_used", {}}};
  experiment.suspects["flags"].exclude = {{"format", {}}};
  CHECK(search_what_is_in_use(experiment).searched == std::vector<std::string>{"ops:pad3d"});
  CHECK(experiment.subject.environment.at("BLACK_LIST").value == "relu");
  CHECK(experiment.subject.environment.at("FORMAT").value == "0");
  CHECK(experiment.subject.unset.empty());

  experiment = sample_experiment();
  experiment.suspects["ops"].exclude = {{"relu", {}}, {"pad3d", {}}};
  CHECK(search_what_is_in_use(experiment).searched ==
        std::vector<std::string>{"flags:format"});  // STRIDE is held by ops, still
  CHECK(experiment.subject.environment.at("BLACK_LIST").value == "pad3d,,relu");
}

TEST_CASE("what stays neutralised is told, and why") {
  using Kept = std::vector<std::pair<std::string, std::string>>;
  configs::Experiment experiment = sample_experiment();
  CHECK(kept(experiment) == Kept{{"flags:stride", "ops"}});

  experiment = sample_experiment();
  experiment.suspects["ops"].exclude = {{"relu", {}}, {"never_used", {}}};
  experiment.suspects["flags"].exclude = {{"stride", {"experiment.yaml", 7, 9}}, {"safe_anyway", {}}};
  CHECK(kept(experiment) == Kept{{"ops:relu", ""}, {"flags:stride", ""}});

  experiment = sample_experiment();
  experiment.subject.environment.clear();
  CHECK(kept(experiment).empty());
}

TEST_CASE("the value of a ladder and a variable that is unset are in use, too, and prices stay") {
  configs::Experiment experiment = sample_experiment();
  configs::Family scale{.name = "scale", .kind = configs::FamilyKind::ladder};
  scale.deliver.environment = "SCALE";
  scale.ladder = {.values = {"8", "16", "32"}, .delivered_as = {{"16", "sixteen"}}, .suspect = "32"};
  experiment.families["scale"] = scale;
  configs::Toggle gone{.declared = "1", .safe = std::nullopt};
  gone.deliver.environment = "GONE";
  experiment.families["flags"].toggles["gone"] = gone;
  experiment.subject.unset = {"GONE", "ANOTHER"};
  experiment.subject.environment = {{"SCALE", {"sixteen", {}}}};
  experiment.suspects["flags"].price["gone"].value = 7;
  CHECK(search_what_is_in_use(experiment).searched == std::vector<std::string>{"flags:gone", "scale:16"});
  CHECK(experiment.families.at("flags").toggles.at("gone").suspect == "1");
  CHECK(experiment.subject.unset == std::vector<std::string>{"ANOTHER", "GONE", "SCALE"});
  CHECK(neutralise::selected_values(experiment.families.at("scale"), experiment.suspects.at("scale")).size() == 1);
  CHECK(experiment.suspects.at("flags").price.at("gone").value == 7);

  experiment = sample_experiment();
  experiment.families["scale"] = scale;
  experiment.subject.environment = {{"SCALE", {"32", {}}}};  // the value under suspicion
  CHECK(search_what_is_in_use(experiment).searched.empty());
}

TEST_CASE("what is given as an argument is told") {
  configs::Experiment experiment = sample_experiment();
  CHECK(given_as_arguments(experiment).empty());
  experiment.families.at("ops").deliver = {.argument = {"off={names}"}};
  CHECK(given_as_arguments(experiment) == std::vector<std::string>{"ops"});
}

TEST_CASE("a subject that neutralises nothing has nothing to prune") {
  configs::Experiment experiment = sample_experiment();
  experiment.subject.environment.clear();
  CHECK(search_what_is_in_use(experiment).searched.empty());
  CHECK(experiment.suspects.at("ops").discover);
}
