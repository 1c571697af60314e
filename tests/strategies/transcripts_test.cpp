// Whole searches, trial by trial, as golden/searches.txt has them: the same on any build, with any compiler, on any machine.
// Whoever changes the search on purpose writes them anew: BISECTD_UPDATE_GOLDEN=1 build/ci/tests/test_strategies "whole
// searches*"
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

namespace bisectd::strategies::testing {
namespace {

/// What is told of a trial: no logarithms and exponentials, whose last bits are not the same everywhere.
struct GoldenWorld {
  Problem problem;
  Causes causes;
  double flip = 0, crash = 0;
  bool has_signatures = false;
  Random random{5};

  Evidence run(const Trial& trial) {
    Evidence evidence = evidence_of(trial.neutralised, fails(causes, trial.neutralised) ? kFail : kPass);
    const bool is_end = trial.neutralised.none() || trial.neutralised.all();
    if (!is_end && random.unit() < crash) return evidence_of(trial.neutralised, kBroke);
    if (!is_end && random.unit() < flip)
      evidence = evidence_of(trial.neutralised, evidence.verdict == kFail ? kPass : kFail);
    if (has_signatures) {
      evidence.signature.assign(12, 0.0);
      for (double& step : evidence.signature) step = random.unit();
      for (std::size_t cause = 0; cause < causes.size(); ++cause) {
        if (!fails({causes[cause]}, trial.neutralised)) continue;
        Random steps(40 + cause);
        for (double& step : evidence.signature) step += 600 * steps.unit() - 300;
      }
      evidence.judged = trial.purpose != Purpose::signature;
    }
    return evidence;
  }
};

constexpr const char* kLegend =
    "Round, set (a column per suspect: # neutralised, . active), purpose: what came out. Then how the search ended.\n\n";

std::string name_of(Purpose purpose) {
  constexpr const char* kNames[] = {"as-is", "everything", "runnable", "search", "measurement", "signature", "certificate"};
  return kNames[static_cast<std::size_t>(purpose)];
}

std::string name_of(State state) {
  constexpr const char* kNames[] = {"searching", "aligned", "outside", "proved", "contradictory", "stuck"};
  return kNames[static_cast<std::size_t>(state)];
}

/// One line per trial (kLegend).
std::string played(const std::string& title, GoldenWorld world) {
  std::ostringstream text;
  text << title << '\n';
  Search search(world.problem);
  for (std::size_t round = 1; round < 100; ++round) {
    const std::vector<Trial> trials = search.ask(world.problem.slots, {});
    if (trials.empty()) break;
    for (const Trial& trial : trials) {
      std::string set;
      for (SuspectId suspect = 0; suspect < trial.neutralised.size(); ++suspect)
        set += trial.neutralised.test(suspect) ? '#' : '.';
      const Evidence seen = world.run(trial);
      const char* said = !seen.judged             ? "first steps"
                         : seen.verdict == kFail  ? "fail"
                         : seen.verdict == kPass  ? "pass"
                         : seen.verdict == kBroke ? "broke"
                                                  : "hidden";
      text << round << ' ' << set << ' ' << name_of(trial.purpose) << ": " << said << '\n';
      search.tell(seen);
    }
  }
  text << name_of(search.answer().state) << ", causes";
  for (const std::vector<SuspectId>& cause : search.answer().causes) {
    text << " {";
    for (SuspectId member : cause) text << (member == cause.front() ? "" : " ") << member;
    text << '}';
  }
  text << "\n\n";
  return text.str();
}

Problem hard_problem() {
  Problem problem = problem_of(16, 1, 4);
  for (SuspectId suspect = 0; suspect < 16; ++suspect) problem.suspects[suspect].price = static_cast<double>(suspect % 3);
  problem.suspects[7].odds = 10;
  problem.suspects[13].stays_active = true;
  return problem;
}

Problem noisy_problem() {
  Problem problem = problem_of(12, 2, 6);
  problem.flip_probability = 0.05;
  return problem;
}

}  // namespace

TEST_CASE("whole searches are the same, trial by trial, on any build") {
  std::string said = kLegend;
  said += played("two single causes, one device", {problem_of(16, 1, 2), {{3}, {11}}});
  said += played("a single one and a pair, one device", {problem_of(16, 1, 3), {{6}, {1, 14}}});
  said += played("prices, odds, one that stays active", {hard_problem(), {{9}, {4, 12}}});
  said += played("a single one and a pair, four devices", {problem_of(24, 4, 5), {{2}, {8, 20}}});
  said += played("5 % of verdicts wrong, two devices", {noisy_problem(), {{3}, {10}}, 0.05});
  said += played("a fifth of the sets breaks", {problem_of(16, 1, 7), {{5}}, 0, 0.2});
  said += played("first steps tell, one device", {problem_of(48, 1, 8), {{7}, {31}}, 0, 0, true});
  said += played("first steps tell, three devices", {problem_of(48, 3, 9), {{5}, {12, 40}}, 0, 0, true});
  const std::string path = BISECTD_SOURCE_FOLDER "/tests/strategies/golden/searches.txt";
  if (std::getenv("BISECTD_UPDATE_GOLDEN")) std::ofstream(path) << said;
  std::ifstream file(path);
  const std::string golden{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::istringstream now(said), before(golden);
  for (std::string line, expected; std::getline(now, line);) {
    std::getline(before, expected);
    REQUIRE(line == expected);
  }
  CHECK(said == golden);
}

}  // namespace bisectd::strategies::testing
