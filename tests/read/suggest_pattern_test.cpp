#include "driver/read/suggest_pattern.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "driver/read/attempt_log.hpp"
#include "tests/catch.hpp"

namespace fs = std::filesystem;
using namespace bisectd;
using namespace bisectd::driver::read;

namespace {

/// A log that is there while this is.
struct WrittenLog {
  fs::path path = fs::temp_directory_path() / ("bisectd-suggest-" + std::to_string(::getpid()));
  explicit WrittenLog(const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  ~WrittenLog() { fs::remove(path); }
};

/// What the suggested pattern reads from the log itself: "step:value" and a blank for each.
std::string read_by_suggestion(const std::string& text, const std::string& metric = "loss") {
  const WrittenLog written(text);
  const auto suggested = suggest_pattern(written.path, metric);
  if (!suggested) return "none";
  INFO(suggested->pattern);
  configs::Metric read_as;
  read_as.name = metric;
  read_as.pattern = {.value = suggested->pattern, .place = {}};
  AttemptLog log({.stdout_file = written.path}, {read_as}, {});
  log.poll();
  log.finish();
  CHECK(log.errors().empty());
  std::string seen;
  for (const auto& [step, value] : log.curve().series.at(metric)) seen += fmt::format("{}:{} ", step, value);
  return seen;
}

}  // namespace

TEST_CASE("a pattern is suggested that reads the log it was made from") {
  CHECK(read_by_suggestion("loading\nstep 1 loss 2.5\nstep 2 loss 1.5\n") == "1:2.5 2:1.5 ");
  CHECK(read_by_suggestion("Step:   9, Loss: 2.5,\nStep:  10, Loss: 1.5,\n") == "9:2.5 10:1.5 ");
  CHECK(read_by_suggestion("[iter 3/500] lr=0.1 val_loss=7 loss=1e-3 t=4\n") == "3:0.001 ");
  CHECK(read_by_suggestion("{'iteration': 4, 'loss': 0.5}\n") == "4:0.5 ");
  CHECK(read_by_suggestion("step=1 | acc = .75\n", "acc") == "1:0.75 ");
  CHECK(read_by_suggestion("step 1 train_loss=7\nstep 2 train_loss=6\n") == "1:7 2:6 ");  // no other one
  CHECK(read_by_suggestion("step 7 mlm.loss -2.5\nstep 8 mlmxloss 3\n", "mlm.loss") == "7:-2.5 ");
}

TEST_CASE("a step that begins again with each epoch is not used") {
  CHECK(read_by_suggestion("epoch 1 step 1 loss 3\nepoch 1 step 2 loss 2\nepoch 2 step 1 loss 1\n") == "1:3 2:2 3:1 ");
}

TEST_CASE("no pattern is suggested for a log without the metric") {
  CHECK(read_by_suggestion("") == "none");
  CHECK(read_by_suggestion("step 1 loss: see below\nlosses 3\n") == "none");
  CHECK(read_by_suggestion("step 1 loss 2\n", "acc") == "none");
}

TEST_CASE("the line that the suggestion rests on is named") {
  const WrittenLog written("a\n\nb\nstep 1 loss 2\n");
  CHECK(suggest_pattern(written.path, "loss")->line == 4);
  CHECK_THROWS_AS(suggest_pattern(written.path.string() + "-not", "loss"), std::system_error);
}
