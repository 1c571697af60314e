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
using Arguments = std::vector<driver::neutralise::Argument>;

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

TEST_CASE("excluded members and members that are off anyway are no suspects") {
  auto experiment = two_families();
  experiment.suspects["ops"].discover = true;
  experiment.suspects["ops"].exclude = {{"feed", {}}};
  const Catalogue catalogue = make_catalogue(experiment, {{"ops", {"feed", "relu", "gelu"}}}, {{"ops", {"gelu"}}});
  CHECK(catalogue.find("ops", "relu"));
  CHECK_FALSE(catalogue.find("ops", "feed"));
  CHECK_FALSE(catalogue.find("ops", "gelu"));
}

TEST_CASE("nothing neutralised: the list variable is unset, not empty, and toggles have the subject's own values") {
  const auto experiment = two_families();
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const auto recipe = recipe_for(experiment, catalogue, SuspectSet(catalogue.size()), {});
  CHECK(recipe.environment == Environment{{"FORMAT", "1"}});
  CHECK(recipe.unset == std::vector<std::string>{"BLACK_LIST"});
  CHECK(recipe.arguments.empty());
}

TEST_CASE("a set is joined into the list and puts toggles to their safe values") {
  const auto experiment = two_families();
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const auto off = set_of(catalogue, {{"ops", "pad3d"}, {"ops", "conv2d"}, {"flags", "format"}, {"flags", "jit"}});
  const auto recipe = recipe_for(experiment, catalogue, off, {});
  CHECK(recipe.environment == Environment{{"BLACK_LIST", "conv2d,pad3d"}, {"FORMAT", "0"}});
  CHECK(recipe.unset.empty());
  CHECK(recipe.arguments == Arguments{{"--jit=off"}});
}

TEST_CASE("a list is delivered by a file whose path a variable or an argument tells") {
  auto experiment = two_families();
  auto& deliver = experiment.families["ops"].deliver;
  deliver.file = configs::FileTemplate{.name = "off.cfg", .is_json = false, .content = "{name}:off\n"};
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const auto off = set_of(catalogue, {{"ops", "pad3d"}, {"ops", "conv2d"}});
  auto recipe = placed_in("/run/attempt-1", recipe_for(experiment, catalogue, off, {}));
  CHECK(recipe.environment.at("BLACK_LIST") == "/run/attempt-1/off.cfg");
  REQUIRE(recipe.files.size() == 1);
  CHECK(recipe.files[0].name == "off.cfg");
  CHECK(recipe.files[0].content == "conv2d:off\npad3d:off\n");
  deliver = {.argument = {"--switch={file}"}, .file = deliver.file};
  recipe = placed_in("/run/{x}", recipe_for(experiment, catalogue, off, {}));
  CHECK(recipe.arguments == Arguments{{"--switch=/run/{x}/off.cfg"}});
  recipe = placed_in("/run", recipe_for(experiment, catalogue, SuspectSet(catalogue.size()), {}));
  CHECK(recipe.files.empty());
  CHECK(recipe.arguments.empty());
}

TEST_CASE("a ladder is one suspect: active it has the subject's value, neutralised the chosen one") {
  auto experiment = two_families();
  configs::Family scale{.name = "scale", .kind = configs::FamilyKind::ladder};
  scale.deliver.argument = {"scale={value}"};
  scale.ladder.values = {"1", "64", "1024", "65536"};
  experiment.families["scale"] = scale;
  experiment.suspects["scale"].members = {{"64", {}}, {"1024", {}}};
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const auto off = set_of(catalogue, {{"scale", "scale"}});
  const auto arguments = [&](const SuspectSet& set, const driver::neutralise::Rungs& rungs) {
    return recipe_for(experiment, catalogue, set, {}, rungs).arguments;
  };
  CHECK(arguments(SuspectSet(catalogue.size()), {}).empty());
  CHECK(arguments(off, {{"scale", "64"}}) == Arguments{{"scale=64"}});
  CHECK(arguments(off, {}) == Arguments{{"scale=1024"}});
  experiment.families["scale"].ladder.suspect = "65536";
  CHECK(arguments(SuspectSet(catalogue.size()), {}) == Arguments{{"scale=65536"}});
}

TEST_CASE("a value of a ladder may be delivered in its own way") {
  auto experiment = two_families();
  configs::Family scale{.name = "scale", .kind = configs::FamilyKind::ladder};
  scale.deliver.argument = {"scale={value}"};
  scale.ladder.values = {"1", "dynamic"};
  scale.ladder.delivered_as = {{"dynamic", "--dynamic"}};
  experiment.families["scale"] = scale;
  experiment.suspects["scale"].all = true;
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const auto off = set_of(catalogue, {{"scale", "scale"}});
  const auto delivered = [&] { return recipe_for(experiment, catalogue, off, {}, {{"scale", "dynamic"}}); };
  CHECK(delivered().arguments == Arguments{{"--dynamic"}});
  CHECK(recipe_for(experiment, catalogue, off, {}, {{"scale", "1"}}).arguments == Arguments{{"scale=1"}});
  experiment.families["scale"].deliver = {.environment = "SCALE", .value = "x{value}"};
  CHECK(delivered().environment.at("SCALE") == "--dynamic");
  experiment.families["scale"].ladder.delivered_as.clear();
  CHECK(delivered().environment.at("SCALE") == "xdynamic");
}

TEST_CASE("keys of the training's own file: a copy in every trial, with the values of what is neutralised") {
  auto experiment = two_families();
  experiment.subject.configs = {{.file = "a/npu.yaml", .name = "npu.yaml", .content = "fused: true\noff: [x]\nscale: 4\n"}};
  const auto key = [](const char* name, std::size_t begin, std::size_t end) {
    return configs::ConfigKey{.file = {"a/npu.yaml", {}}, .key = name, .begin = begin, .end = end};
  };
  configs::Toggle fused{.deliver = {.config = key("fused", 6, 11)}, .suspect = "true", .safe = "false"};
  fused.deliver.config->written = {{"false", "false"}};
  experiment.families["flags"].toggles["fused"] = fused;
  experiment.families["ops"].deliver = {.config = key("off", 16, 20)};
  experiment.families["ops"].deliver.config->names = {"x"};
  experiment.families["flags"].toggles.erase("jit");
  configs::Family scale{.name = "scale", .kind = configs::FamilyKind::ladder, .deliver = {.config = key("scale", 27, 29)}};
  scale.deliver.config->written = {{"1", "1"}, {"dynamic", "dynamic"}, {"0", "0"}};
  scale.ladder.values = {"1", "dynamic"};
  scale.ladder.delivered_as = {{"dynamic", "0"}};
  experiment.families["scale"] = scale;
  experiment.suspects["scale"].all = true;
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const auto copy = [&](const SuspectSet& off, const driver::neutralise::Rungs& rungs = {}) {
    const auto recipe = placed_in("/run", recipe_for(experiment, catalogue, off, {}, rungs));
    CHECK(recipe.arguments.empty());  // the command names the copy itself
    REQUIRE(recipe.files.size() == 1);
    CHECK(recipe.files[0].name == "npu.yaml");
    return recipe.files[0].content;
  };
  CHECK(copy(SuspectSet(catalogue.size())) == experiment.subject.configs[0].content);
  CHECK(copy(set_of(catalogue, {{"flags", "fused"}})) == "fused: false\noff: [x]\nscale: 4\n");
  CHECK(copy(set_of(catalogue, {{"flags", "fused"}, {"ops", "pad3d"}, {"scale", "scale"}}), {{"scale", "dynamic"}}) ==
        "fused: false\noff: [\"x\",\"pad3d\"]\nscale: 0\n");
  CHECK(driver::neutralise::always_off(experiment, {}).at("ops") == std::vector<std::string>{"x"});
}

TEST_CASE("the elements of an argument stay together") {
  auto experiment = two_families();
  experiment.families["flags"].toggles["jit"] = {
      .deliver = {.argument = {"-o", "A.jit={value}"}}, .suspect = "true", .safe = "false"};
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  CHECK(recipe_for(experiment, catalogue, SuspectSet(catalogue.size()), {}).arguments.front() ==
        driver::neutralise::Argument{"-o", "A.jit=true"});
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

TEST_CASE("a variable may say more than the names") {
  auto experiment = two_families();
  experiment.families["ops"].deliver = {.environment = "KERNEL_FLAGS", .value = "--opt_level=2 --disable_pass={names}"};
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const auto recipe = recipe_for(experiment, catalogue, set_of(catalogue, {{"ops", "pad3d"}, {"ops", "conv2d"}}), {});
  CHECK(recipe.environment.at("KERNEL_FLAGS") == "--opt_level=2 --disable_pass=conv2d,pad3d");
  CHECK(recipe_for(experiment, catalogue, SuspectSet(catalogue.size()), {}).unset ==
        std::vector<std::string>{"KERNEL_FLAGS"});
}

TEST_CASE("members that cannot be neutralised are no suspects but are kept in mind") {
  auto experiment = two_families();
  experiment.families["ops"].never_off = {.names = {"conv2d", "unused"}, .instead = "nothing"};
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  CHECK_FALSE(catalogue.find("ops", "conv2d"));
  REQUIRE(catalogue.always_on().size() == 1);
  CHECK(catalogue.always_on()[0].name == "conv2d");
  const Catalogue as_seen = make_catalogue(experiment, {}, {}, {{"ops", {"pad3d"}}});
  CHECK_FALSE(as_seen.find("ops", "pad3d"));
  CHECK(as_seen.always_on().size() == 2);
}

TEST_CASE("names that the subject lists already stay listed") {
  const auto experiment = two_families();
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const Environment base{{"BLACK_LIST", "inverse"}};
  CHECK(recipe_for(experiment, catalogue, SuspectSet(catalogue.size()), base).environment.at("BLACK_LIST") == "inverse");
  const auto off = set_of(catalogue, {{"ops", "pad3d"}});
  CHECK(recipe_for(experiment, catalogue, off, base).environment.at("BLACK_LIST") == "inverse,pad3d");
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
