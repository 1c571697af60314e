// JSON lines and CSV.
#include <fmt/format.h>

#include <cmath>

#include "driver/read/rules.hpp"
#include "tests/catch.hpp"
#include "tests/read/sample.hpp"

using namespace bisectd;
using namespace bisectd::driver::read;
using driver::read::test::metric;
using driver::read::test::Read;

namespace {

configs::Metric in_file(const std::string& format) {
  configs::Metric wanted = metric("loss", format);
  wanted.file = "metrics";
  return wanted;
}

using Steps = std::vector<std::int64_t>;
using Values = std::vector<double>;

}  // namespace

TEST_CASE("JSON lines among other output") {
  Read log(metric("loss", "jsonl"),
           "loading...\n"
           "{\"step\": 1, \"loss\": 2.5, \"lr\": 0.1}\n"
           "{\"step\": 2, \"lr\": 0.1}\n"
           "  {\"loss\": 2.25, \"step\": 3.0}\n"
           "{ not JSON at all\n");
  CHECK(log.steps() == Steps{1, 3});
  CHECK(log.values() == Values{2.5, 2.25});
  CHECK(log.reader.wrong_line_count() == 0);
}

TEST_CASE("a table in which each step has two losses is refused, one with a line of each rank is not") {
  std::string of_two, of_ranks, csv = "step,loss,task\n", evaluated;
  for (int step = 1; step <= 5; ++step) {
    of_two += fmt::format(
        "{{\"step\": {0}, \"loss\": 2.{0}, \"task\": \"cls\"}}\n{{\"step\": {0}, \"loss\": 1.{0}, \"task\": \"box\"}}\n",
        step);
    of_ranks += fmt::format(
        "{{\"step\": {0}, \"loss\": 2.{0}, \"rank\": 0}}\n{{\"step\": {0}, \"loss\": 1.{0}, \"rank\": 1}}\n", step);
    csv += fmt::format("{0},2.{0},cls\n{0},1.{0},box\n", step);
    evaluated += fmt::format("{{\"step\": {0}, \"loss\": 2.{0}, \"phase\": \"train\"}}\n", step);
  }
  evaluated += "{\"step\": 5, \"loss\": 2.25, \"phase\": \"evaluation\"}\n";
  const Read two(metric("loss", "jsonl"), of_two);
  REQUIRE(two.reader.wrong_line_count() == 1);
  CHECK_THAT(two.reader.wrong_lines()[0].message,
             Catch::Contains("step 3 stands in two kinds of lines, 'step loss task cls' and 'step loss task box'"));
  CHECK(Read(in_file("csv"), csv).reader.wrong_line_count() == 1);
  CHECK(Read(metric("loss", "jsonl"), of_ranks).reader.wrong_line_count() == 0);
  CHECK(Read(metric("loss", "jsonl"), evaluated).reader.wrong_line_count() == 0);
}

TEST_CASE("Python's words for what JSON lacks are values, and strings with them stay strings") {
  Read log(metric("loss", "jsonl"),
           "{\"step\": 1, \"loss\": NaN, \"note\": \"NaN \\\" Infinity\"}\n"
           "{\"step\": 2, \"loss\": -Infinity}\n"
           "{\"step\": 3, \"loss\": \"inf\"}\n");
  REQUIRE(log.steps() == Steps{1, 2, 3});
  CHECK(std::isnan(log.values()[0]));
  CHECK(log.values()[1] == -INFINITY);
  CHECK(log.values()[2] == INFINITY);
}

TEST_CASE("keys may be other ones, and lead into nested objects") {
  configs::Metric wanted = metric("loss", "jsonl");
  wanted.step_key = "trainer.global_step";
  wanted.value_key = "train.loss";
  Read log(wanted,
           "{\"trainer\": {\"global_step\": 7}, \"train\": {\"loss\": 1.5}}\n"
           "{\"trainer\": {\"global_step\": 8}, \"train.loss\": 2}\n");
  CHECK(log.steps() == Steps{7, 8});
  CHECK(log.values() == Values{1.5, 2});
}

TEST_CASE("JSON lines that are wrong") {
  Read log(in_file("jsonl"),
           "{\"step\": 1, \"loss\": \"high\"}\n"
           "{\"loss\": 1}\n"
           "{\"step\": 1.5, \"loss\": 1}\n"
           "{\"step\": 1, \"loss\": 1\n"
           "[1, 2]\n"
           "{\"step\": 1e300, \"loss\": 1}\n");
  CHECK(log.values().empty());
  CHECK(log.reader.wrong_line_count() == 6);
  CHECK(log.reader.wrong_lines()[3].number == 4);
}

TEST_CASE("a torn JSON line is left out, a whole one without its end is not") {
  CHECK(Read(in_file("jsonl"), "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"lo").reader.wrong_line_count() == 0);
  CHECK(Read(in_file("jsonl"), "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"loss\": 3}").steps() == Steps{1, 2});
}

TEST_CASE("deeply nested JSON does no harm") {
  const Read log(in_file("jsonl"), std::string(60'000, '[') + "\n");
  CHECK(log.reader.wrong_line_count() == 1);
}

TEST_CASE("CSV with quotes, spaces, empty cells and a header that comes again") {
  Read log(in_file("csv"),
           "\xef\xbb\xbfstep,\"loss\",note\r\n"
           "1,2.5,\"a, \"\"quoted\"\" note\"\r\n"
           "2,,only a note\r\n"
           "3, nan ,x\r\n"
           "note,step,loss\r\n"
           "y,4,2.0\r\n");
  CHECK(log.steps() == Steps{1, 3, 4});
  CHECK(std::isnan(log.values()[1]));
  CHECK(log.values()[2] == 2.0);
  CHECK(log.reader.wrong_line_count() == 0);
}

TEST_CASE("CSV that is wrong") {
  Read log(in_file("csv"), "step,loss\n1\nx,2\n2,high\n3,\"2\n");
  CHECK(log.values().empty());
  CHECK(log.reader.wrong_line_count() == 4);
  CHECK_THAT(Read(in_file("csv"), "epoch,acc\n1,2\n").reader.wrong_lines().at(0).message,
             Catch::Contains("no column 'loss'"));
  CHECK_THAT(Read(in_file("csv"), "epoch,loss\n1,2\n").reader.wrong_lines().at(0).message,
             Catch::Contains("no column 'step'"));
}

TEST_CASE("CSV with other separators than commas says so") {
  for (const auto& [header, separator] : {std::pair("\xef\xbb\xbf\"step\";\"loss\"\r\n1;2.5\r\n", "separated by ;"),
                                          {"step;loss\n1;2.5\n", "separated by ;"},
                                          {"step\tloss\n1\t2.5\n", "separated by tabs"},
                                          {"loss | step\n", "separated by |"}})
    CHECK_THAT(Read(in_file("csv"), header).reader.wrong_lines().at(0).message, Catch::Contains(separator));
  CHECK_THAT(Read(in_file("csv"), "step,acc;loss rate\n1,2\n").reader.wrong_lines().at(0).message,
             Catch::Contains("no column 'loss'"));
}

TEST_CASE("the last number of a torn CSV row may be cut short and is left out") {
  CHECK(Read(in_file("csv"), "step,loss\n1,2.5\n2,2.").steps() == Steps{1});
  CHECK(Read(in_file("csv"), "loss,step\n2.5,1\n2.25,1").steps() == Steps{1});
  CHECK(Read(in_file("csv"), "step,loss,lr\n1,2.5,0.1\n2,2.25,0.").steps() == Steps{1, 2});
}

TEST_CASE("CSV among other output begins with its header") {
  Read log(metric("loss", "csv"), "hello, world\nstep,loss\nnoise\n1,2\n\"open quote\n");
  CHECK(log.steps() == Steps{1});
  CHECK(log.reader.wrong_line_count() == 0);
}
