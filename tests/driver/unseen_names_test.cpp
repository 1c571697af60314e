#include "driver/loop/discovery.hpp"

#include <array>

#include "configs/loader.hpp"
#include "tests/catch.hpp"

using namespace bisectd;
using namespace bisectd::driver;

namespace {

std::vector<std::string> texts(const configs::Experiment& experiment, std::span<const neutralise::Discovered> found) {
  std::vector<std::string> all;
  for (const auto& warning : unseen_names(experiment, found)) all.push_back(configs::placed_text(warning));
  return all;
}

}  // namespace

TEST_CASE("what is said of members that discovery did not find is told, with the nearest right name") {
  configs::Experiment experiment;
  configs::Selection& ops = experiment.suspects["ops"];
  ops.discover = true;
  ops.members = {{"by_hand", {}}};
  experiment.families["ops"].known_names = {"feed", "never_heard_of"};
  experiment.families["flags"];
  ops.exclude = {{"rellu", {"e.yaml", 7, 20}}, {"softmax", {"e.yaml", 7, 27}}, {"feed", {}}};
  ops.likely = {{"conv2d", {20, {"e.yaml", 8, 4}}},
                {"conv3d_grad", {20, {"e.yaml", 9, 4}}},
                {"by_hand", {2, {}}},
                {"of_another_night", {10, {}}}};
  ops.price = {{"off_already", {5, {}}}, {"never_heard_of", {5, {"e.yaml", 10, 4}}}};
  experiment.suspects["flags"].exclude = {{"fromat", {}}};  // not discovered: the loader knows its names
  const std::array<neutralise::Discovered, 2> found{
      neutralise::Discovered{{"ops", {"conv2d", "relu", "softmax"}}, {"flags", {"format"}}},
      neutralise::Discovered{{"ops", {"off_already"}}}};
  CHECK(texts(experiment, found) ==
        std::vector<std::string>{
            "e.yaml:7:20: `exclude`: `rellu` is not among the members of family `ops` that were found, so this changes "
            "nothing; did you mean `relu`?",
            "e.yaml:9:4: `likely`: `conv3d_grad` is not among the members of family `ops` that were found, so this changes "
            "nothing",
            "e.yaml:10:4: `price`: `never_heard_of` is not among the members of family `ops` that were found, so this "
            "changes nothing"});
}
