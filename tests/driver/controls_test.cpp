#include "driver/loop/controls.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

using strategies::Claim;
using strategies::Neutralised;
using strategies::Verdict;

const neutralise::Catalogue kThreeOps({{"ops", "a"}, {"ops", "b"}, {"ops", "c"}});

Neutralised ops_off(std::vector<strategies::SuspectId> ids) { return Neutralised(kThreeOps.set_of(ids)); }

std::vector<std::pair<Neutralised, Verdict>> control_sets(const strategies::Answer& answer, const History& history = {},
                                                          bool exact = true) {
  std::vector<std::pair<Neutralised, Verdict>> sets;
  for (const Control& control : controls_of(answer, kThreeOps, history, exact))
    sets.emplace_back(control.neutralised, control.expected);
  return sets;
}

using Sets = std::vector<std::pair<Neutralised, Verdict>>;

TEST_CASE("a fix of one is controlled with the subject as it is, which runs last") {
  CHECK(control_sets({.culprit_set = {1}}) == Sets{{ops_off({1}), Verdict::pass}, {ops_off({}), Verdict::fail}});
}

TEST_CASE("of a fix of several each member is left out once") {
  CHECK(control_sets({.culprit_set = {0, 2}}) ==
        Sets{{ops_off({0, 2}), Verdict::pass}, {ops_off({2}), Verdict::fail}, {ops_off({0}), Verdict::fail}});
}

TEST_CASE("where a set passed and failed each trial of the certificate is a control, unless verdicts may be wrong") {
  strategies::Answer answer{.culprit_set = {1}};
  answer.certificate.push_back({.kind = Claim::Kind::cause_fails,
                                .subject = {1},
                                .neutralised = ops_off({0, 2}),
                                .expected = Verdict::fail,
                                .proved = true});
  answer.certificate.push_back({.kind = Claim::Kind::cause_minimal,
                                .subject = {1},
                                .neutralised = ops_off({0, 1}),
                                .expected = Verdict::pass,
                                .proved = true});
  const auto judged = [](std::size_t number, const Neutralised& neutralised, Verdict verdict) {
    PastTrial trial{{.number = number, .role = Role::search, .neutralised = neutralised}};
    trial.judgement.emplace().verdict = verdict;
    return trial;
  };
  History history;
  history.trials = {judged(1, ops_off({2}), Verdict::pass), judged(2, ops_off({0}), Verdict::fail)};
  const Sets plain{{ops_off({1}), Verdict::pass}, {ops_off({}), Verdict::fail}};
  CHECK(control_sets(answer, history) == plain);
  history.trials.push_back(judged(3, ops_off({2}), Verdict::fail));
  CHECK(control_sets(answer, history, false) == plain);
  CHECK(control_sets(answer, history) == Sets{{ops_off({1}), Verdict::pass},
                                              {ops_off({0, 1}), Verdict::pass},
                                              {ops_off({0, 2}), Verdict::fail},
                                              {ops_off({}), Verdict::fail}});
}

}  // namespace
}  // namespace bisectd::driver
