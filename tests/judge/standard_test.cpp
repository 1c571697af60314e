#include "driver/judge/standard.hpp"

#include "driver/judge/comparison.hpp"
#include "tests/catch.hpp"
#include "tests/judge/curves.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;

namespace {

/// Of ten values of this size; the candidate is off by a fraction at the first, and another one at all that follow.
ByStandard said(const char* name, double size, double first, double later = 0) {
  const std::vector<double> reference(10, size);
  std::vector<double> candidate(10, size * (1 + later));
  candidate.front() = size * (1 + first);
  return by_standard(*configs::standard_named(name), reference, candidate);
}

/// The same with one value in the middle that is off by this fraction.
ByStandard one_step_off(const char* name, double by) {
  const std::vector<double> reference(10, 2.0);
  std::vector<double> candidate = reference;
  candidate[5] *= 1 + by;
  return by_standard(*configs::standard_named(name), reference, candidate);
}

std::optional<ByStandard> of_run(const char* name, const Curve& candidate, const std::vector<Curve>& references) {
  configs::Acceptance accept;
  accept.standard = configs::standard_named(name);
  return by_standard(reference_of(references, accept), candidate);
}

}  // namespace

TEST_CASE("MindFormers: the first value within 0.005 or 0.5 %, the mean error within 0.01 or 1 %") {
  CHECK(said("mindformers", 10, 0.0049).met == true);  // 0.049
  CHECK(said("mindformers", 10, 0.0051).met == false);
  CHECK(said("mindformers", 0.5, 0.0098).met == true);    // 0.0049
  CHECK(said("mindformers", 0.5, 0.0102).met == false);   // 0.0051
  CHECK(said("mindformers", 10, 0, 0.0110).met == true);  // nine of ten: a mean of 0.99 %
  CHECK(said("mindformers", 10, 0, 0.0112).met == false);
  CHECK(said("mindformers", 0.5, 0, 0.0221).met == true);  // 0.0099
  CHECK(said("mindformers", 0.5, 0, 0.0223).met == false);
  CHECK(said("mindformers", 10, -0.0051).met == false);  // a better value is off as well
}

TEST_CASE("msprobe's guide: 1 % at the first value and on average") {
  CHECK(said("msprobe", 10, 0.0099).met == true);
  CHECK(said("msprobe", 10, 0.0101).met == false);
  CHECK(said("msprobe", 0.1, 0.0101).met == false);  // however small the loss
  CHECK(said("msprobe", 10, 0, 0.0110).met == true);
  CHECK(said("msprobe", 10, 0, 0.0112).met == false);
}

TEST_CASE("verl: a mean error of 2 %") {
  CHECK(said("verl", 10, 0.1, 0.0110).met == true);  // 1.99 %
  CHECK(said("verl", 10, 0.1, 0.0112).met == false);
}

TEST_CASE("MindSpeed-LLM's CI: 2 % at each step") {
  CHECK(one_step_off("mindspeed", 0.0199).met == true);
  CHECK(one_step_off("mindspeed", 0.0201).met == false);
  CHECK(one_step_off("mindspeed", -0.0201).met == false);
  CHECK(one_step_off("verl", 0.0201).met == true);
}

TEST_CASE("errors to both sides do not cancel each other in a mean error") {
  const std::vector<double> reference(4, 1.0), candidate{1.03, 0.97, 1.03, 0.97};
  CHECK(by_standard(*configs::standard_named("verl"), reference, candidate).met == false);
}

TEST_CASE("a NaN meets no standard, and equal zeros meet all") {
  const std::vector<double> reference{1, 1, 1}, candidate{1, kNan, 1}, zeros{0, 0, 0};
  for (const configs::Standard& standard : configs::kStandards) {
    CAPTURE(standard.name);
    CHECK(by_standard(standard, reference, candidate).met == false);
    CHECK(by_standard(standard, zeros, zeros).met == true);
  }
}

TEST_CASE("the sentence has the figures and their limits") {
  CHECK(
      said("mindformers", 10, 0.001, 0.02).text ==
      "the standard of MindFormers is not met: first value off by 0.01 or 0.1 % (at most 0.005 or 0.5 %), mean error 0.181 "
      "or 1.81 % (at most 0.01 or 1 %)");
  CHECK(one_step_off("mindspeed", 0.01).text ==
        "the standard of MindSpeed-LLM's CI is met: largest error of a step 1 % (at most 2 %)");
}

TEST_CASE(
    "a whole run is compared step by step; of one that is cut nothing is said, and one that dies of NaN does not meet it") {
  const std::vector<Curve> references{curve(100, plain_loss)};
  CHECK_FALSE(by_standard(reference_of(references), references.front()));
  CHECK(of_run("verl", references.front(), references)->met == true);
  const Curve off = curve(100, [](std::int64_t step) { return 1.021 * plain_loss(step); });
  CHECK(of_run("verl", off, references)->met == false);
  const auto cut = of_run("verl", curve(50, plain_loss), references);
  CHECK_FALSE(cut->met.has_value());
  CHECK(cut->text == "the standard of verl says nothing: loss ends at step 50 of 100");
  const auto dies = [](std::int64_t step) { return step == 50 ? kNan : plain_loss(step); };
  CHECK(of_run("verl", curve(50, dies), references)->met == false);
}

TEST_CASE("the mean of the references is what a run is compared with") {
  const auto times = [](double factor) { return curve(100, [=](std::int64_t step) { return factor * plain_loss(step); }); };
  CHECK(of_run("mindspeed", times(1.03), {times(1), times(1.04)})->met == true);
  CHECK(of_run("mindspeed", times(1.03), {times(1)})->met == false);
}

TEST_CASE("no verdict of a comparison depends on the standard; a score has none") {
  const std::vector<NamedCurve> references{{"gpu", curve(300, plain_loss)}},
      candidates{{"npu", noisy(300, 5, 0.0001, 0.03)}};
  configs::Acceptance accept;
  const std::vector<MetricRule> loss{{"loss", false}}, score{{"loss", true}};
  const auto without = compare(accept, references, candidates, loss);
  CHECK_FALSE(without->rows[0].by_standard);
  accept.standard = configs::standard_named("msprobe");
  const auto table = compare(accept, references, candidates, loss);
  CHECK(table->rows[0].by_standard->met == false);
  CHECK(table->rows[0].judgement.p_bad == without->rows[0].judgement.p_bad);
  CHECK(table->verdict == without->verdict);
  CHECK_FALSE(compare(accept, references, candidates, score)->rows[0].by_standard->met.has_value());
}
