// What the journal's trials of single values come to.
#include "driver/loop/ladders.hpp"

#include "tests/catch.hpp"

using namespace bisectd;
using namespace bisectd::driver;
using strategies::Verdict;

namespace {

configs::Experiment with_ladders(const std::vector<std::string>& names) {
  configs::Experiment experiment;
  for (const std::string& name : names) {
    configs::Family family{.name = name, .kind = configs::FamilyKind::ladder};
    family.ladder.values = {"1", "64", "1024"};
    experiment.families[name] = family;
    experiment.suspects[name].all = true;
  }
  return experiment;
}

/// One round of trials, one verdict for each value; of three suspects, one or all are neutralised.
void add_round(History& history, const std::string& family, bool alone, const std::vector<Verdict>& verdicts) {
  const std::vector<std::string> values{"1", "64", "1024"};
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    PastTrial trial;
    trial.number = history.trials.size() + 1;
    trial.role = Role::ladder;
    trial.reason = reason_of_rung(family, values[i]);
    trial.neutralised = strategies::Neutralised(strategies::SuspectSet(3, alone ? 1 : 7));
    trial.judgement = judge::Judgement{};
    trial.judgement->verdict = verdicts[i];
    history.trials.push_back(trial);
  }
}

}  // namespace

TEST_CASE("what was tried with everything else neutralised is the last word") {
  History history;
  add_round(history, "scale", true, {Verdict::fail, Verdict::fail, Verdict::fail});
  add_round(history, "scale", false, {Verdict::pass, Verdict::fail, Verdict::unresolved});
  const auto ladders = climbed_ladders(with_ladders({"scale"}), history);
  REQUIRE(ladders.size() == 1);
  CHECK_FALSE(ladders[0].alone);
  REQUIRE(ladders[0].window);
  CHECK(ladders[0].window->last == 0);
}

TEST_CASE("where no value passes the one is taken that is least off, and of those without a verdict before one that fails") {
  reports::Ladder ladder{.rungs = {{.value = "1", .verdict = Verdict::fail, .delta = -0.001},
                                   {.value = "64", .verdict = Verdict::inconclusive, .delta = 0.004},
                                   {.value = "1024", .verdict = Verdict::unresolved, .delta = {}}}};
  CHECK(rung_to_take(ladder)->value == "64");
  ladder.rungs[1].verdict = Verdict::fail;
  CHECK(rung_to_take(ladder)->value == "1");
  for (reports::Rung& rung : ladder.rungs) rung.delta.reset();
  CHECK(rung_to_take(ladder) == nullptr);
}

TEST_CASE("a ladder that was climbed again beside another value of the other one counts as it was then") {
  History history;
  add_round(history, "scale", false, {Verdict::fail, Verdict::fail, Verdict::fail});
  add_round(history, "scale", false, {Verdict::fail, Verdict::pass, Verdict::fail});
  for (std::size_t i = 0; i < 6; ++i) {
    history.trials[i].rungs["scale"] = std::vector<std::string>{"1", "64", "1024"}[i % 3];
    if (i >= 3) history.trials[i].rungs["width"] = "8";
  }
  const auto first = climbed_ladders(with_ladders({"scale"}), history);
  REQUIRE(first.size() == 1);
  REQUIRE(first[0].window);
  CHECK(first[0].rungs[1].trial == 5);
  history.trials.pop_back();  // not whole yet
  CHECK_FALSE(climbed_ladders(with_ladders({"scale"}), history)[0].window);
}

TEST_CASE("a value that is no number is in no window, and is taken where no number passes") {
  const auto window_of = [](const std::vector<Verdict>& verdicts) {
    const std::vector<std::string> values{"1", "64", "dynamic", "0:64,9:1"};
    reports::Ladder ladder;
    for (std::size_t i = 0; i < values.size(); ++i) ladder.rungs.push_back({.value = values[i], .verdict = verdicts[i]});
    find_window(ladder);
    return ladder.window;
  };
  constexpr Verdict pass = Verdict::pass, fail = Verdict::fail;
  const auto numbers = window_of({fail, pass, pass, pass});
  REQUIRE(numbers);
  CHECK(numbers->first == 1);
  CHECK(numbers->last == 1);
  const auto word = window_of({fail, fail, fail, pass});
  REQUIRE(word);
  CHECK(word->taken == 3);
  CHECK_FALSE(window_of({fail, fail, fail, fail}));
}

TEST_CASE("a round that is not finished says nothing, and two ladders are told apart") {
  History history;
  add_round(history, "scale", true, {Verdict::fail, Verdict::fail, Verdict::fail});
  add_round(history, "width", true, {Verdict::pass, Verdict::pass});
  const auto ladders = climbed_ladders(with_ladders({"scale", "width"}), history);
  REQUIRE(ladders.size() == 1);
  CHECK(ladders[0].family == "scale");
  CHECK_FALSE(ladders[0].window);
}

TEST_CASE("of values that pass beside the others, one that changes the subject by itself is taken") {
  const auto taken = [](const std::vector<double>& off, const char* suspect) {
    reports::Ladder ladder{.family = "scale", .alone = false};
    std::vector<reports::Rung> alone;
    for (std::size_t i = 0; i < off.size(); ++i) {
      const std::string value = std::to_string(i + 1);
      ladder.rungs.push_back({.value = value, .verdict = Verdict::pass, .delta = 0});
      alone.push_back({.value = value, .verdict = Verdict::fail, .delta = off[i]});
    }
    find_window(ladder);
    take_what_changes(ladder, alone, suspect, 0.005);
    return ladder.window->taken + 1;
  };
  CHECK(taken({0.0, 0.0, 0.03, 0.03, 0.03}, "5") == 2);  // the middle does what the subject's own value does
  CHECK(taken({0.03, 0.03, 0.03, 0.0, 0.0}, "1") == 5);
  CHECK(taken({0.0, 0.0, 0.001, 0.03, 0.03}, "5") == 3);     // the middle changes as much
  CHECK(taken({0.03, 0.028, 0.03, 0.027, 0.03}, "5") == 3);  // none changes more than the target
  CHECK(taken({0.0, 0.0, 0.03, 0.03, 0.03}, "7") == 3);      // what the subject has was not tried
  CHECK(taken({0.02, -0.05, 0.03, 0.03, 0.03}, "5") == 2);   // most, whichever way
}

TEST_CASE("the report of a ladder takes the value that the run took") {
  History history;
  add_round(history, "scale", true, {Verdict::fail, Verdict::fail, Verdict::fail});
  history.trials[0].judgement->delta = 0.0;
  history.trials[1].judgement->delta = history.trials[2].judgement->delta = 0.03;
  add_round(history, "scale", false, {Verdict::pass, Verdict::pass, Verdict::pass});
  configs::Experiment experiment = with_ladders({"scale"});
  experiment.families["scale"].ladder.suspect = "1024";
  experiment.accept.target = 0.005;
  const auto ladders = climbed_ladders(experiment, history);
  REQUIRE(ladders.size() == 1);
  REQUIRE(ladders[0].window);
  CHECK(ladders[0].window->taken == 0);
}
