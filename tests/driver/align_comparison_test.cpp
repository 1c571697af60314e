#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "driver/align/comparison.hpp"

using namespace bisectd;
using driver::align::Comparison;
using driver::align::Described;
using driver::align::Recording;

namespace {

Described tensor_of(std::vector<double> sample) {
  Described tensor{.shape = {static_cast<std::int64_t>(sample.size())}, .dtype = "float32", .sample = sample};
  for (const double one : sample) tensor.norm += one * one;
  tensor.norm = std::sqrt(tensor.norm);
  return tensor;
}

/// model(block(conv, relu computed by block itself), head): the value of each tensor is a factor of what is healthy.
struct Network {
  double conv = 1, block = 1, pooled = 1, head = 1;                      // forward
  double head_back = 1, pooled_back = 1, block_back = 1, conv_back = 1;  // gradients of the same tensors
  double weight = 1, weight_back = 1;                                    // of conv
  int perturbed = 0;

  Recording run() const {
    const auto times = [](double factor) { return tensor_of({1 * factor, -2 * factor, 3 * factor}); };
    Recording run{.perturbed = perturbed, .framework = "test", .passes = 1, .values = {}, .calls = {}, .parameters = {}};
    const auto value = [&](double forward, double back, std::size_t arrived) {
      run.values.push_back(
          {.value = times(forward), .gradient = arrived ? std::optional(times(back)) : std::nullopt, .arrived = arrived});
    };
    value(1, 1, 0);                 // 0: data
    value(conv, conv_back, 4);      // 1
    value(block, block_back, 3);    // 2
    value(pooled, pooled_back, 2);  // 3: computed by the model between block and head
    value(head, head_back, 1);      // 4
    run.calls = {{.module = "block.conv", .number = 1, .class_name = "Conv2D", .inside = "block", .in = {0}, .out = {1}},
                 {.module = "block", .number = 1, .class_name = "Block", .inside = "Model", .in = {0}, .out = {2}},
                 {.module = "head", .number = 1, .class_name = "Linear", .inside = "Model", .in = {3}, .out = {4}},
                 {.module = "Model", .number = 1, .class_name = "Model", .inside = "", .in = {0}, .out = {4}}};
    run.parameters = {
        {.name = "block.conv.weight", .module = "block.conv", .value = times(weight), .gradient = times(weight_back)}};
    return run;
  }
};

const Network kHealthy,
    kPerturbed{.conv = 1.0001, .block = 1.0001, .pooled = 1.0001, .head = 1.0001, .weight_back = 1.001, .perturbed = 1};

Comparison compared(const Network& subject, const Network& perturbed = kPerturbed) {
  const std::vector<Recording> reference{kHealthy.run(), perturbed.run()};
  return driver::align::compare(reference, subject.run(), 0.01);
}

}  // namespace

TEST_CASE("align: sides that agree, and a difference below the bound") {
  CHECK_FALSE(compared({}).deviates());
  CHECK_FALSE(compared({.conv = 1.009, .block = 1.009, .pooled = 1.009, .head = 1.009}).deviates());
}

TEST_CASE("align: the first module in the order of execution") {
  struct Case {
    const char* what;
    Network subject;
    std::string module, at;
  };
  const std::vector<Case> cases{
      {"a leaf", {.conv = 1.1, .block = 1.1, .pooled = 1.1, .head = 1.1}, "block.conv", "block.conv"},
      {"what a container computes itself", {.block = 1.1, .pooled = 1.1, .head = 1.1}, "block", "block"},
      {"what the model computes between modules", {.pooled = 1.1, .head = 1.1}, "Model", "head"},
      {"the last one", {.head = 0.9}, "head", "head"},
      {"an error that begins below the bound and grows",
       {.conv = 1.008, .block = 1.012, .pooled = 1.02, .head = 1.03},
       "block.conv",
       "block.conv"},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    const Comparison result = compared(one.subject);
    REQUIRE(result.forward_first);
    CHECK(result.forward_first->module == one.module);
    CHECK(result.forward_first->at == one.at);
    CHECK_FALSE(result.backward_first);  // gradients follow
  }
}

TEST_CASE("align: a module that draws random numbers is said to") {
  Recording other = Network{.head = 0.5}.run();
  CHECK_FALSE(driver::align::compare(std::vector{kHealthy.run()}, other, 0.01).forward_first->draws);
  other.calls[2].draws = true;
  CHECK(driver::align::compare(std::vector{kHealthy.run()}, other, 0.01).forward_first->draws);
}

TEST_CASE("align: the first module in the order of the backward pass") {
  struct Case {
    const char* what;
    Network subject;
    std::string module;
  };
  const std::vector<Case> cases{
      {"the last module", {.pooled_back = 1.2, .block_back = 1.2, .conv_back = 1.2, .weight_back = 1.2}, "head"},
      {"what the model computes between modules", {.block_back = 1.2, .conv_back = 1.2, .weight_back = 1.2}, "Model"},
      {"what a container computes itself", {.conv_back = 1.2, .weight_back = 1.2}, "block"},
      {"a gradient of a parameter alone", {.weight_back = 1.2}, "block.conv"},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    const Comparison result = compared(one.subject);
    CHECK_FALSE(result.forward_first);
    REQUIRE(result.backward_first);
    CHECK(result.backward_first->module == one.module);
  }
}

TEST_CASE("align: what healthy runs differ by as much is not blamed") {
  // The gradient of a bias before a normalisation is nothing but rounding.
  const Network noisy{.weight_back = 1.9, .perturbed = 1};
  CHECK_FALSE(compared({.weight_back = 0.2}, noisy).deviates());
  CHECK(compared({.weight_back = 5}, noisy).deviates());
  CHECK(compared({.weight_back = 0.2}).deviates());
}

TEST_CASE("align: what was not written down, or is finite nowhere, is not compared") {
  CHECK(compared({}).outputs_compared() == 4);
  CHECK(compared({}).gradients_compared() == 4);
  const std::vector<Recording> reference{kHealthy.run(), kPerturbed.run()};
  Recording silent = kHealthy.run();
  silent.calls[0].out.clear();
  for (driver::align::Value& value : silent.values) value.gradient.reset();
  const Comparison some = driver::align::compare(reference, silent, 0.01);
  CHECK(some.outputs_compared() == 3);
  CHECK(some.gradients_compared() == 1);  // that of the weight
  for (driver::align::Call& call : silent.calls) call.out.clear();
  CHECK(driver::align::compare(reference, silent, 0.01).outputs_compared() == 0);
  Recording empty = kHealthy.run();
  for (driver::align::Value& value : empty.values) value.value = {};  // a dump without figures
  CHECK(driver::align::compare(reference, empty, 0.01).outputs_compared() == 0);

  const double inf = std::numeric_limits<double>::infinity();
  const Comparison lost = compared({.conv = inf}, {.conv = inf, .perturbed = 1});
  CHECK(lost.outputs_compared() == 3);
}

TEST_CASE("align: sides that do not start alike say nothing of modules") {
  const Comparison weights = compared({.conv = 2, .block = 2, .pooled = 2, .head = 2, .weight = 2});
  REQUIRE(weights.unequal.size() == 1);
  CHECK_THAT(weights.unequal.front(), Catch::Contains("block.conv.weight"));
  CHECK_FALSE(weights.deviates());
  Recording skipped = kHealthy.run(), other = kHealthy.run();
  skipped.passes = 2;
  CHECK_FALSE(driver::align::compare(std::vector{kHealthy.run()}, skipped, 0.01).unequal.empty());
  other.values[0].value = tensor_of({3, 2, 1});
  const std::vector<Recording> reference{kHealthy.run()};
  const Comparison data = driver::align::compare(reference, other, 0.01);
  REQUIRE(data.unequal.size() == 1);
  CHECK_THAT(data.unequal.front(), Catch::Contains("input of Model"));
}

TEST_CASE("align: shapes, dtypes, zeros and missing gradients are flagged") {
  Recording other = kHealthy.run();
  other.values[4].value.shape = {};
  other.values[2].value.dtype = "float16";
  other.values[1].gradient->zeros = 0.4;
  other.parameters[0].gradient.reset();
  const std::vector<Recording> reference{kHealthy.run()};
  const Comparison result = driver::align::compare(reference, other, 0.01);
  CHECK(result.perturbed_runs == 0);
  const auto& conv = result.rows.at(0).flags;
  REQUIRE(conv.size() == 2);
  CHECK(conv[0] == "gradient of the output: 0 % zeros on the reference, 40 % on the subject: underflow?");
  CHECK(conv[1] == "gradient of block.conv.weight: none on the subject");
  CHECK(result.rows.at(1).flags == std::vector<std::string>{"output: float32 on the reference, float16 on the subject"});
  CHECK(result.rows.at(2).flags == std::vector<std::string>{"output: shape [3] on the reference, [] (0-D) on the subject"});
}

TEST_CASE("align: relative errors") {
  using driver::align::relative_error;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::abs(relative_error(tensor_of({1, -1}), tensor_of({1.1, -0.9})) - 0.1) < 1e-3);
  CHECK(relative_error(tensor_of({0, 0}), tensor_of({0, 0})) == 0);
  CHECK(std::isinf(relative_error(tensor_of({0, 0}), tensor_of({0, 1e-9}))));
  Described broken = tensor_of({1, 1});
  broken.sample[1] = nan;
  CHECK(std::isinf(relative_error(tensor_of({1, 1}), broken)));
  CHECK(relative_error(broken, broken) == 0);
  Described outside = tensor_of({1, 1});  // wrong elsewhere than in the sample
  outside.norm *= 2;
  CHECK(relative_error(tensor_of({1, 1}), outside) == 1);
}
