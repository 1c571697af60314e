#include "reports/result_lines.hpp"

#include "reports/escape.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

namespace {

Trial control(std::size_t number, std::vector<std::size_t> neutralised, bisectd::strategies::Verdict verdict) {
  Trial trial;
  trial.number = number;
  trial.role = Role::control;
  trial.neutralised = std::move(neutralised);
  trial.verdict = verdict;
  return trial;
}

}  // namespace

TEST_CASE("controls of sets that are told alike are told once") {
  using enum bisectd::strategies::Verdict;
  Record record;
  for (int i = 0; i < 20; ++i) record.suspects.push_back({"ops", "op" + std::to_string(i)});
  CHECK(controls_text(record, plain).empty());
  record.trials = {control(7, {3}, pass), control(8, {0, 1, 2, 3, 4}, fail), control(9, {1, 2, 3, 4, 5}, fail),
                   control(10, {2, 3, 4, 5, 6}, pass), control(11, {0, 1, 2, 3, 4}, fail)};
  CHECK(controls_text(record, plain) ==
        "Once more at the end of the run: ops:op3 neutralised: pass (trial 7), 5 of 20 neutralised: fail (trials 8 to 9), "
        "5 of 20 neutralised: pass (trial 10), 5 of 20 neutralised: fail (trial 11).");
}
