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
  flags.toggles["jit"] = {.deliver = {.argument = "--jit={value}"}, .suspect = std::nullopt, .safe = "off"};
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
  CHECK(recipe.arguments == std::vector<std::string>{"--jit=off"});
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
  deliver = {.argument = "--switch={file}", .file = deliver.file};
  recipe = placed_in("/run/{x}", recipe_for(experiment, catalogue, off, {}));
  CHECK(recipe.arguments == std::vector<std::string>{"--switch=/run/{x}/off.cfg"});
  recipe = placed_in("/run", recipe_for(experiment, catalogue, SuspectSet(catalogue.size()), {}));
  CHECK(recipe.files.empty());
  CHECK(recipe.arguments.empty());
}

TEST_CASE("a ladder is one suspect: active it has the subject's value, neutralised the chosen one") {
  auto experiment = two_families();
  configs::Family scale{.name = "scale", .kind = configs::FamilyKind::ladder};
  scale.deliver.argument = "scale={value}";
  scale.ladder.values = {"1", "64", "1024", "65536"};
  experiment.families["scale"] = scale;
  experiment.suspects["scale"].members = {{"64", {}}, {"1024", {}}};
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const auto off = set_of(catalogue, {{"scale", "scale"}});
  const auto arguments = [&](const SuspectSet& set, const driver::neutralise::Rungs& rungs) {
    return recipe_for(experiment, catalogue, set, {}, rungs).arguments;
  };
  CHECK(arguments(SuspectSet(catalogue.size()), {}).empty());
  CHECK(arguments(off, {{"scale", "64"}}) == std::vector<std::string>{"scale=64"});
  CHECK(arguments(off, {}) == std::vector<std::string>{"scale=1024"});
  experiment.families["scale"].ladder.suspect = "65536";
  CHECK(arguments(SuspectSet(catalogue.size()), {}) == std::vector<std::string>{"scale=65536"});
}

TEST_CASE("a value of a ladder may be delivered in its own way") {
  auto experiment = two_families();
  configs::Family scale{.name = "scale", .kind = configs::FamilyKind::ladder};
  scale.deliver.argument = "scale={value}";
  scale.ladder.values = {"1", "dynamic"};
  scale.ladder.delivered_as = {{"dynamic", "--dynamic"}};
  experiment.families["scale"] = scale;
  experiment.suspects["scale"].all = true;
  const Catalogue catalogue = make_catalogue(experiment, {}, {});
  const auto off = set_of(catalogue, {{"scale", "scale"}});
  const auto delivered = [&] { return recipe_for(experiment, catalogue, off, {}, {{"scale", "dynamic"}}); };
  CHECK(delivered().arguments == std::vector<std::string>{"--dynamic"});
  CHECK(recipe_for(experiment, catalogue, off, {}, {{"scale", "1"}}).arguments == std::vector<std::string>{"scale=1"});
  experiment.families["scale"].deliver = {.environment = "SCALE", .value = "x{value}"};
  CHECK(delivered().environment.at("SCALE") == "--dynamic");
  experiment.families["scale"].ladder.delivered_as.clear();
  CHECK(delivered().environment.at("SCALE") == "xdynamic");
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
