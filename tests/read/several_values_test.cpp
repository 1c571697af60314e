#include <string>

#include "tests/catch.hpp"
#include "tests/read/sample.hpp"

using namespace bisectd;
using namespace bisectd::driver::read;
using driver::read::test::metric;
using driver::read::test::Read;

namespace {

constexpr const char* kGeneric = R"((?i)\bstep\b\W*(?P<step>\d+)\b.*?\bloss\b(?:\s+is\b)?[\s:=]*(?P<value>[^\s,;]+))";

configs::Metric by_pattern(const std::string& pattern) {
  configs::Metric wanted = metric("loss", "");
  wanted.pattern = {.value = pattern, .place = {}};
  return wanted;
}

std::size_t wrong_lines(const std::string& pattern, const std::string& log) {
  return Read(by_pattern(pattern), log).reader.wrong_line_count();
}

}  // namespace

TEST_CASE("a pattern that takes one of several losses of a line is refused") {
  const std::string parts = "step 1 cls loss: 0.5, box loss: 1.25, total loss: 1.75\n";
  CHECK(wrong_lines(kGeneric, parts) == 1);
  CHECK(wrong_lines(R"(step (?P<step>\d+).*\bbox loss: (?P<value>[\d.]+))", parts) == 0);
  CHECK(wrong_lines(R"(step[ :=]+(?P<step>\d+).*loss[ :=]+(?P<value>\S+))", "step 1 loss 2.5 kl_loss 0.25\n") == 1);
  CHECK(wrong_lines(kGeneric, "step 1 loss 2.5 kl_loss 0.25\n") == 0);
  CHECK(wrong_lines(kGeneric, "step 1 loss 2.5 loss_scale 1024\n") == 0);
  CHECK(wrong_lines(R"(^(?P<step>\d+) (?P<value>[\d.]+))", "1 2.5 0.25 0.125\n") == 0);  // a table
  CHECK(wrong_lines(kGeneric, "epoch: 1 step: 1, loss is 2.5\n") == 0);
}

TEST_CASE("numbers with a comma between thousands are refused, not read as their first digits") {
  CHECK(wrong_lines(kGeneric, "step 1 loss 9,332.8\n") == 1);
  CHECK(wrong_lines(kGeneric, "step 1 loss 9,332\n") == 1);
  CHECK(wrong_lines(kGeneric, "step 1 loss 9, 332 tokens\n") == 0);
  CHECK(wrong_lines(kGeneric, "step 1 loss 9.125,332\n") == 0);
  CHECK(Read(metric("loss", "paddleocr"), "epoch: [1/2], global_step: 1, loss: 9,332.8, lr: 0.1\n")
            .reader.wrong_line_count() == 1);
}

TEST_CASE("steps that each stand in two kinds of lines are refused, ranks and a few evaluations are not") {
  std::string nets, ranks, evaluations, handlers;
  for (int step = 1; step <= 20; ++step) {
    const std::string line = "step " + std::to_string(step) + " loss ";
    nets += "[generator] " + line + "2.5\n[discriminator] " + line + "0.5\n";
    ranks += "[rank0] " + line + "2.5\n[rank1] " + line + "2.75\n";
    evaluations += line + "2.5\n" + (step % 5 == 0 ? "eval " + line + "2.75\n" : "");
    handlers += line + "2.5\nINFO:root:" + line + "2.5\n";
  }
  CHECK(wrong_lines(kGeneric, nets) > 0);
  CHECK(wrong_lines(R"(^\[generator\] step (?P<step>\d+) loss (?P<value>\S+))", nets) == 0);
  CHECK(wrong_lines(kGeneric, ranks) == 0);
  CHECK(wrong_lines(kGeneric, evaluations) == 0);
  CHECK(wrong_lines(kGeneric, handlers) == 0);
}
