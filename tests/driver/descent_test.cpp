#include "driver/loop/descent.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

using strategies::Answer;
using strategies::Neutralised;
using strategies::State;
using strategies::SuspectSet;

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

TEST_CASE("a search among some suspects speaks of them by their numbers in the run") {
  const Scope scope{2, 5, 7};
  strategies::Problem problem{.suspects = std::vector<strategies::Suspect>(8)};
  problem.suspects[7].odds = 9;
  const strategies::Problem narrow = narrowed(problem, scope);
  REQUIRE(narrow.suspects.size() == 3);
  CHECK(narrow.suspects[2].odds == 9);
  Neutralised set(SuspectSet(8).set(1).set(5));
  CHECK(strategies::members_of(narrowed(set, scope)) == std::vector<std::size_t>{1});
  Answer answer = proved({{0, 2}}, {2});
  answer.guilt = {0.1, 0.2, 0.3};
  answer.explanation = "#0, #2 and #33";
  answer.harmless_deviations = {{1, 20}};
  answer.certificate.push_back({.subject = {2}, .neutralised = narrowed(set, scope)});
  answer = widened(std::move(answer), scope, 8);
  CHECK(answer.culprit_set == std::vector<std::size_t>{7});
  CHECK(answer.causes == std::vector<std::vector<std::size_t>>{{2, 7}});
  CHECK(answer.guilt == std::vector<double>{0, 0, 0.1, 0, 0, 0.2, 0, 0.3});
  CHECK(answer.explanation == "#2, #7 and #33");
  CHECK(answer.harmless_deviations[0].suspect == 5);
  CHECK(strategies::members_of(answer.certificate[0].neutralised) == std::vector<std::size_t>{5});
}

TEST_CASE("the answer stays that of the first search unless the second one is proved") {
  RetoldAnswers answers{.first = proved({{6}}, {6}), .second = proved({{2}}, {2})};
  CHECK(answers.standing().culprit_set == Scope{2});
  answers.second->state = State::outside_suspects;
  CHECK(answers.standing().culprit_set == Scope{6});
}

}  // namespace bisectd::driver
