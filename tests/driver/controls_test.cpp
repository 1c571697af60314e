#include "driver/loop/controls.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

using strategies::Claim;
using strategies::SuspectSet;
using strategies::Verdict;

const neutralise::Catalogue kCatalogue({{"ops", "a"}, {"ops", "b"}, {"ops", "c"}});

SuspectSet off(std::vector<strategies::SuspectId> ids) { return kCatalogue.set_of(ids); }

std::vector<std::pair<SuspectSet, Verdict>> controls(const strategies::Answer& answer, const History& history = {},
                                                     bool exact = true) {
  std::vector<std::pair<SuspectSet, Verdict>> sets;
  for (const Control& control : controls_of(answer, kCatalogue, history, exact))
    sets.emplace_back(control.neutralised, control.expected);
  return sets;
}

using Sets = std::vector<std::pair<SuspectSet, Verdict>>;

TEST_CASE("a fix of one is controlled with the subject as it is, which runs last") {
  CHECK(controls({.culprit_set = {1}}) == Sets{{off({1}), Verdict::pass}, {off({}), Verdict::fail}});
}

TEST_CASE("of a fix of several each member is left out once") {
  CHECK(controls({.culprit_set = {0, 2}}) ==
        Sets{{off({0, 2}), Verdict::pass}, {off({2}), Verdict::fail}, {off({0}), Verdict::fail}});
}

TEST_CASE("where a set passed and failed each trial of the certificate is a control, unless verdicts may be wrong") {
  strategies::Answer answer{.culprit_set = {1}};
  answer.certificate.push_back({.kind = Claim::Kind::cause_fails,
                                .subject = {1},
                                .neutralised = off({0, 2}),
                                .expected = Verdict::fail,
                                .proved = true});
  answer.certificate.push_back({.kind = Claim::Kind::cause_minimal,
                                .subject = {1},
                                .neutralised = off({0, 1}),
                                .expected = Verdict::pass,
                                .proved = true});
  const auto judged = [](std::size_t number, const SuspectSet& neutralised, Verdict verdict) {
    PastTrial trial{.number = number, .role = Role::search, .neutralised = neutralised};
    trial.judgement.emplace().verdict = verdict;
    return trial;
  };
  History history;
  history.trials = {judged(1, off({2}), Verdict::pass), judged(2, off({0}), Verdict::fail)};
  const Sets plain{{off({1}), Verdict::pass}, {off({}), Verdict::fail}};
  CHECK(controls(answer, history) == plain);
  history.trials.push_back(judged(3, off({2}), Verdict::fail));
  CHECK(controls(answer, history, false) == plain);
  CHECK(
      controls(answer, history) ==
      Sets{{off({1}), Verdict::pass}, {off({0, 1}), Verdict::pass}, {off({0, 2}), Verdict::fail}, {off({}), Verdict::fail}});
}

}  // namespace
}  // namespace bisectd::driver
