#include "driver/loop/descent.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

using strategies::Answer;
using strategies::State;

configs::Experiment layers_then_ops() {
  configs::Experiment experiment;
  for (const char* name : {"layers", "layer_ops", "flags"}) experiment.suspects[name].discover = true;
  experiment.suspects["layers"].then = {"layer_ops", {}};
  return experiment;
}

const neutralise::Catalogue kCatalogue({{"flags", "f"},
                                        {"layer_ops", "a/x"},
                                        {"layer_ops", "b/x"},
                                        {"layer_ops", "b/y"},
                                        {"layer_ops", "bb/x"},
                                        {"layers", "a"},
                                        {"layers", "b"},
                                        {"layers", "c"}});

Answer proved(std::vector<std::vector<std::size_t>> causes, std::vector<std::size_t> fix) {
  return {.state = State::proved, .culprit_set = std::move(fix), .causes = std::move(causes)};
}

}  // namespace

TEST_CASE("the first search leaves parts alone, the second one is among those of guilty members") {
  const auto experiment = layers_then_ops();
  CHECK(first_scope(experiment, kCatalogue) == Scope{0, 5, 6, 7});
  CHECK(parts_in(experiment, kCatalogue) == Scope{1, 2, 3, 4});
  const auto one = descent_after(experiment, kCatalogue, proved({{6}}, {6}));
  CHECK(one->opened == Scope{6});
  CHECK(one->suspects == Scope{2, 3});  // not bb/x, which is of another layer
  // What fails only with a layer stays a suspect, also where it is the fix.
  CHECK(descent_after(experiment, kCatalogue, proved({{0, 6}}, {0}))->suspects == Scope{0, 2, 3});
  CHECK(descent_after(experiment, kCatalogue, proved({{5}, {6}}, {5, 6}))->suspects == Scope{1, 2, 3});
  CHECK(descent_after(experiment, kCatalogue, proved({{7}}, {7}))->suspects.empty());  // nothing was seen in it
  CHECK_FALSE(descent_after(experiment, kCatalogue, proved({{0}}, {0})));
  CHECK_FALSE(descent_after(experiment, kCatalogue, Answer{.state = State::stuck, .culprit_set = {6}, .causes = {{6}}}));
  CHECK_FALSE(descent_after(configs::Experiment{}, kCatalogue, proved({{6}}, {6})));
}

}  // namespace bisectd::driver
