#include "driver/neutralise/recipe.hpp"

#include "tests/catch.hpp"

using namespace bisectd;
using driver::neutralise::Catalogue;
using driver::neutralise::Environment;
using driver::neutralise::fill;
using driver::neutralise::fill_command;
using driver::neutralise::make_catalogue;
using driver::neutralise::recipe_for;
using strategies::SuspectSet;

namespace {

configs::Experiment two_families() {
  configs::Experiment experiment;
  configs::Family ops{.name = "ops", .kind = configs::FamilyKind::list};
  ops.deliver.environment = "BLACK_LIST";
  configs::Family flags{.name = "flags", .kind = configs::FamilyKind::toggle};
  flags.toggles["format"] = {.deliver = {.environment = "FORMAT"}, .suspect = "1", .safe = "0"};
  flags.toggles["jit"] = {.deliver = {.argument = {"--jit={value}"}}, .suspect = std::nullopt, .safe = "off"};
  flags.toggles["safe_already"] = {.deliver = {.environment = "SAFE"}, .suspect = "0", .safe = "0"};
  experiment.families = {{"ops", ops}, {"flags", flags}};
  experiment.suspects["ops"].members = {{"pad3d", {}}, {"conv2d", {}}};
  experiment.suspects["flags"].all = true;
  return experiment;
}

SuspectSet set_of(const Catalogue& catalogue, std::initializer_list<std::pair<const char*, const char*>> names) {
  SuspectSet set(catalogue.size());
  for (const auto& [family, name] : names) set.set(catalogue.find(family, name).value());
  return set;
}

}  // namespace

TEST_CASE("suspects are the members of all families, without toggles that are safe already") {
  const Catalogue catalogue = make_catalogue(two_families(), {}, {});
  CHECK(catalogue.size() == 4);
  CHECK_FALSE(catalogue.find("flags", "safe_already"));
}

TEST_CASE("nothing neutralised: the list variable is unset, not empty, and toggles have the subject's own values") {
  const auto experiment = two_families();
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const auto recipe = recipe_for(experiment, catalogue, SuspectSet(catalogue.size()), {});
  CHECK(recipe.environment == Environment{{"FORMAT", "1"}});
  CHECK(recipe.unset == std::vector<std::string>{"BLACK_LIST"});
  CHECK(recipe.arguments.empty());
}

TEST_CASE("a value alone in a JSON template is a number or a truth value") {
  auto experiment = two_families();
  auto& jit = experiment.families["flags"].toggles["jit"];
  jit = {.deliver = {.argument = {"--config={file}"}}, .suspect = "true", .safe = "false"};
  jit.deliver.file =
      configs::FileTemplate{.name = "a.json", .is_json = true, .content = R"({"a":"{value}","b":"x {value}"})"};
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const auto content = [&](const SuspectSet& off) { return recipe_for(experiment, catalogue, off, {}).files.at(0).content; };
  CHECK(content(set_of(catalogue, {{"flags", "jit"}})) == "{\n  \"a\": false,\n  \"b\": \"x false\"\n}\n");
  jit.suspect = "1024";
  CHECK(content(SuspectSet(catalogue.size())).starts_with("{\n  \"a\": 1024,"));
  jit.suspect = "auto";
  CHECK(content(SuspectSet(catalogue.size())).starts_with("{\n  \"a\": \"auto\","));
}

TEST_CASE("a suspect is shown with its family") {
  const Catalogue catalogue({{"ops", "scale"}, {"flags", "scale"}, {"ops", "relu"}});
  CHECK(catalogue.label(0) == "ops:scale");
  CHECK(catalogue.label(2) == "ops:relu");
  CHECK(catalogue.with_labels("#2 and #1 fail together, #9 and # do not exist") ==
        "ops:relu and flags:scale fail together, #9 and # do not exist");
}

TEST_CASE("placeholders are filled, doubled braces are braces") {
  const driver::neutralise::Placeholders values{
      .devices = "0,1", .visible_devices = "4,5", .steps = "100", .attempt = "/a b", .arguments = {"x=1", "y=2"}};
  CHECK(fill("--devices={devices} {{devices}} {steps} npu:{device} {visible_devices}", values) ==
        "--devices=0,1 {devices} 100 npu:0 4,5");
  CHECK(fill_command({{"train", {}}, {"{arguments}", {}}, {"{attempt}/out", {}}}, values) ==
        std::vector<std::string>{"train", "x=1", "y=2", "/a b/out"});
}
