#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "driver/align/recording.hpp"

using namespace bisectd;
using Catch::Contains;

namespace {

const std::string kTensor =
    R"("shape":[2],"dtype":"float32","min":0,"max":1,"mean":0.5,"norm":1,"zeros":0.5,"nonfinite":1,"sample":[0,null])";
const std::string kHead = R"({"bisectd":"align","version":1,"framework":"paddle 3"})"
                          "\n";
const std::string kWhole = kHead + "{\"value\":0," + kTensor + "}\n" +
                           R"({"call":"conv","number":1,"class":"Conv2D","inside":null,"in":[],"out":[0]})"
                           "\n" +
                           "{\"gradient\":0," + kTensor + "}\n" + R"({"parameter":"conv.weight","module":"conv","value":{)" +
                           kTensor + "},\"gradient\":null}\n{\"end\":true}\n";

std::vector<driver::align::Recording> read_text(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / ("bisectd-test-align-" + std::to_string(::getpid()));
  std::ofstream(file) << text;
  struct Remove {
    std::filesystem::path file;
    ~Remove() { std::filesystem::remove(file); }
  } const remove{file};
  return driver::align::read_recordings(file);
}

}  // namespace

TEST_CASE("align: a recording is read, and several runs in one file") {
  const auto runs = read_text(driver::align::run_line(0) + kWhole + driver::align::run_line(5) + kWhole);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].perturbed == 0);
  CHECK(runs[1].perturbed == 5);
  CHECK(runs[1].calls.front().module == "conv");
  CHECK(runs[1].values.front().arrived == 1);
  CHECK(runs[1].values.front().value.nonfinite == 1);
  CHECK_FALSE(runs[1].parameters.front().gradient);
}

TEST_CASE("align: what is no recording is refused with its line") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "cut off"},
      {"loss: 3\n", ":1: this is no recording of `bisectd align`: not JSON lines"},
      {"{\"loss\": 3}\n", ":1: this is no recording of `bisectd align`"},
      {kHead, "cut off"},
      {kHead + "{\"value\":0}\n", ":2: no line of a recording"},
      {kHead + "{\"value\":1," + kTensor + "}\n", ":2: its values are not in order"},
      {kHead + R"({"call":"conv","number":1,"class":"C","inside":null,"in":[7],"out":[]})"
               "\n",
       ":2: "},
      {R"({"bisectd":"align","version":9,"framework":"x"})"
       "\n",
       "newer bisectd"},
      {kHead + R"({"call":"conv","number":9e99,"class":"C","inside":null,"in":[],"out":[]})"
               "\n",
       ":2: 9e+99 should be a whole number"},
      {kHead + "{\"other\":0}\n", ":2: it is none of the lines of a recording"},
      {kHead + kHead, ":2: a run begins before the one before it ends"},
  };
  for (const auto& [text, why] : cases) {
    INFO(text);
    CHECK_THROWS_WITH(read_text(text), Contains(why));
  }
}
