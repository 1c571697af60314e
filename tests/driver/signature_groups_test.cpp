// Trials that begin alike are shown together, with the causes that were active in all of them.
#include "driver/record/signature_groups.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

reports::Trial trial(std::size_t number, std::vector<std::size_t> neutralised, std::vector<double> signature) {
  reports::Trial one;
  one.number = number;
  one.neutralised = std::move(neutralised);
  one.signature = std::move(signature);
  return one;
}

reports::Record record_with(std::vector<reports::Trial> trials) {
  reports::Record record;
  record.trials = std::move(trials);
  record.answer.causes = {{1}, {2, 4}};
  describe_signature_groups(record);
  return record;
}

TEST_CASE("trials that begin alike are one group, the one nearest to the reference first") {
  const auto groups = record_with({trial(2, {}, {1000, -400, 90}), trial(4, {0, 1, 2}, {50, 20, 10}),
                                   trial(5, {0}, {1001, -401, 89}), trial(6, {1, 4}, {51, 19, 10})})
                          .signature_groups;
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].trials == std::vector<std::size_t>{4, 6});
  CHECK(groups[0].causes.empty());
  CHECK(groups[1].trials == std::vector<std::size_t>{2, 5});
  CHECK(groups[1].causes == std::vector<std::size_t>{0, 1});
  CHECK(groups[1].size == Approx(std::sqrt((1000.0 * 1000 + 400 * 400 + 90 * 90) / 3)));
}

TEST_CASE("a group is said to share only what was active in all of its trials") {
  const auto groups = record_with({trial(2, {}, {100, 100, 100}), trial(3, {4}, {101, 100, 99})}).signature_groups;
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].causes == std::vector<std::size_t>{0});
  CHECK(groups[0].causes_of_some == std::vector<std::size_t>{1});
}

TEST_CASE("a trial of a ladder's value shows neither that its cause is active nor that it is not") {
  reports::Record record;
  record.suspects = {{"ops", "a"}, {"scale", "scale"}};
  record.trials = {trial(3, {0, 1}, {9, 9, 9}), trial(4, {0, 1}, {100, 100, 100})};
  record.trials.back().value = "scale=64";
  record.answer.causes = {{1}};
  describe_signature_groups(record);
  REQUIRE(record.signature_groups.size() == 2);
  CHECK(record.signature_groups[0].causes_of_some.empty());
  CHECK(record.signature_groups[1].causes.empty());
  CHECK(record.signature_groups[1].causes_of_some == std::vector<std::size_t>{0});
}

TEST_CASE("trials without a signature, or with one that is not finite, are in no group") {
  const auto record =
      record_with({trial(2, {}, {}), trial(3, {}, {1, NAN, 2}), trial(4, {}, {1, 2, 2}), trial(5, {}, {1, 2})});
  REQUIRE(record.signature_groups.size() == 2);  // another length is another group
  CHECK(record.signature_groups[0].trials.size() + record.signature_groups[1].trials.size() == 2);
}

}  // namespace
}  // namespace bisectd::driver
