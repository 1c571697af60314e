// Everything one attempt writes, read together.
#include "driver/read/attempt_log.hpp"

#include <fstream>

#include "tests/catch.hpp"
#include "tests/driver/temporary_folder.hpp"
#include "tests/read/sample.hpp"

namespace fs = std::filesystem;
using namespace bisectd;
using namespace bisectd::driver::read;
using driver::read::test::metric;

namespace {

struct Attempt {
  void write(const char* name, std::string_view text) {
    std::ofstream(folder / name, std::ios::app | std::ios::binary) << text;
  }
  AttemptLog log(const std::vector<configs::Metric>& metrics, const std::vector<NamePattern>& watched = {}) const {
    return AttemptLog({.stdout_file = folder / "stdout.log",
                       .stderr_file = folder / "stderr.log",
                       .metrics_file = folder / "metrics.jsonl",
                       .folder = folder},
                      metrics, watched);
  }

  bisectd::tests::TemporaryFolder temporary;
  fs::path folder = temporary.path();
};

constexpr const char* kLine = "epoch: [1/2], global_step: {}, loss: 2.5, avg_samples: 1\n";

std::string line(int step) {
  std::string text = kLine;
  return text.replace(text.find("{}"), 2, std::to_string(step));
}

}  // namespace

TEST_CASE("a running attempt: curve, names, last line") {
  Attempt attempt;
  AttemptLog log = attempt.log({metric("loss", "paddleocr")}, {{R"(missing npu kernel: (?P<name>\w+))"}});
  CHECK_FALSE(log.poll());
  CHECK_FALSE(log.last_step());
  attempt.write("stdout.log", line(1) + line(2));
  attempt.write("stderr.log", "missing npu kernel: pad3d, ...\n\x1b[31mwarn\x07ing\x1b[0m\n\n");
  CHECK(log.poll());
  CHECK(log.curve().series.at("loss").size() == 2);
  CHECK(log.last_step() == 2);
  CHECK(log.names().at(0) == NameCounts{{{"pad3d", ""}, 1}});
  CHECK_FALSE(log.poll());
}

TEST_CASE("a value that is cut short by the end of the file is no value") {
  Attempt attempt;
  AttemptLog log = attempt.log({metric("loss", "paddleocr")});
  attempt.write("stdout.log", line(1) + "epoch: [1/2], global_step: 2, loss: 2.");
  log.poll();
  log.finish();
  CHECK(log.last_step() == 1);
  CHECK(log.errors().empty());
}

TEST_CASE("a whole value in a torn line counts") {
  Attempt attempt;
  AttemptLog log = attempt.log({metric("loss", "paddleocr")});
  attempt.write("stdout.log", "epoch: [1/2], global_step: 2, loss: 2.5, avg");
  log.finish();
  CHECK(log.last_step() == 2);
}

TEST_CASE("errors name the file, the line and the text") {
  Attempt attempt;
  AttemptLog log = attempt.log({metric("loss", "paddleocr")});
  attempt.write("stderr.log", "\nepoch: [1/2], global_step: 2, loss: oo\x1b[0mps, avg\n");
  log.poll();
  REQUIRE(log.errors().size() == 1);
  CHECK(log.errors()[0] ==
        "stderr.log:2: the value 'oops' of loss is not a number: epoch: [1/2], global_step: 2, loss: oops, avg");
}

TEST_CASE("endless wrong lines are counted, not kept") {
  Attempt attempt;
  AttemptLog log = attempt.log({metric("loss", "paddleocr")});
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "epoch: [1/2], global_step: 2, loss: oops, avg\n";
  attempt.write("stdout.log", text);
  log.poll();
  CHECK(log.errors().size() == MetricReader::kMostWrongLines + 1);
  CHECK(log.errors().back() == "900 more lines like these");
}

TEST_CASE("metrics in a file of their own, beside one in the output") {
  Attempt attempt;
  configs::Metric accuracy = metric("acc", "jsonl");
  accuracy.file = "metrics.jsonl";
  AttemptLog log = attempt.log({metric("loss", "paddleocr"), accuracy});
  attempt.write("stdout.log", line(5));
  attempt.write("metrics.jsonl", "{\"step\": 10, \"acc\": 0.5}\n");
  CHECK(log.poll());
  CHECK(log.curve().series.at("acc").at(0).value == 0.5);
  CHECK(log.last_step() == 10);
}

TEST_CASE("a file that cannot be read is an error, not a crash") {
  Attempt attempt;
  fs::create_directories(attempt.folder / "stderr.log");
  AttemptLog log = attempt.log({metric("loss", "paddleocr")});
  attempt.write("stdout.log", line(1));
  log.poll();
  log.finish();
  CHECK(log.last_step() == 1);
  REQUIRE(log.errors().size() == 1);
  CHECK_THAT(log.errors()[0], Catch::Contains("cannot read"));
}

TEST_CASE("steps that go back after a restart stay as they were logged") {
  Attempt attempt;
  AttemptLog log = attempt.log({metric("loss", "paddleocr")});
  attempt.write("stdout.log", line(1) + line(2) + line(3) + line(2));
  log.poll();
  CHECK(log.curve().series.at("loss").size() == 4);
  CHECK(log.last_step() == 3);
}

TEST_CASE("clipped lines are noted") {
  Attempt attempt;
  AttemptLog log = attempt.log({metric("loss", "paddleocr")});
  attempt.write("stdout.log", std::string(1 << 20, 'x') + "\n" + line(1));
  log.poll();
  CHECK(log.last_step() == 1);
  REQUIRE(log.notes().size() == 1);
  CHECK_THAT(log.notes()[0], Catch::Contains("stdout.log: 1 line was longer than 64 KiB and cut"));
}

TEST_CASE("what is watched by a pattern without a step belongs to the last step that was logged") {
  Attempt attempt;
  configs::Metric scale;
  scale.name = "loss_scale";
  scale.pattern = configs::Placed<std::string>{R"(scale is now (?P<value>\S+))", {}};
  AttemptLog log = attempt.log({metric("loss", "paddleocr"), scale});
  attempt.write("stdout.log", "scale is now 64\n" + line(7) + "scale is now 32\n" + line(8) + "scale is now 16\n");
  log.poll();
  const auto& points = log.curve().series.at("loss_scale");
  REQUIRE(points.size() == 3);
  CHECK(points[0].step == 0);
  CHECK(points[1].step == 7);
  CHECK(points[2].step == 8);
  CHECK(points[2].value == 16);
}

TEST_CASE("what the side channel has is read from there alone") {
  Attempt attempt;
  AttemptLog log = attempt.log({metric("loss", "paddleocr"), metric("acc", "paddleocr")});
  attempt.write("stdout.log", "epoch: [1/2], global_step: 1, acc: 0.5, loss: 2.5\n");
  log.poll();
  CHECK(log.last_step("loss") == 1);
  attempt.write("metrics.jsonl", "{\"step\": 1, \"loss\": 2.51234567, \"grad_norm\": 1.5}\n{\"step\": 2, \"loss\": 2.25}\n");
  attempt.write("stdout.log", "epoch: [1/2], global_step: 2, acc: 0.6, loss: abc\n");
  log.poll();
  log.finish();
  const auto& loss = log.curve().series.at("loss");
  REQUIRE(loss.size() == 2);
  CHECK(loss[0].value == 2.51234567);
  CHECK(log.curve().series.at("acc").size() == 2);
  CHECK(log.curve().series.at("grad_norm").size() == 1);
  CHECK(log.last_step("loss") == 2);
  CHECK(log.last_step("acc") == 2);
  CHECK_FALSE(log.last_step("nothing"));
  CHECK(log.errors().empty());  // the printed loss is not needed any more
}

TEST_CASE("a side channel that is no JSON lines is said once") {
  Attempt attempt;
  AttemptLog log = attempt.log({metric("loss", "paddleocr")});
  attempt.write("metrics.jsonl", "step 1 loss 2.5\n");
  log.poll();
  log.finish();
  REQUIRE(log.errors().size() == 1);
  CHECK(log.errors().front().find("metrics.jsonl:1: the line is not a JSON object") == 0);
}
