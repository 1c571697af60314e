#include "driver/baseline/baseline.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/driver/temporary_folder.hpp"

using namespace bisectd;
using namespace bisectd::driver;

namespace {

Baseline sample() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {.model = "rec",
          .metric = "loss",
          .made_utc = "2026-11-21T00:00:00Z",
          .noise = 0.001,
          .versions = {{"cann", "8.3"}},
          .runs = {{{{"loss", {{10, 7.5}, {20, 7.1000000000000005}, {30, nan}}}, {"acc", {{30, 0.5}}}}},
                   {{{"loss", {{10, 7.6}, {30, 7}}}, {"acc", {{30, 0.25}}}}}},
          .identical = 1};
}

}  // namespace

TEST_CASE("a baseline has one line per step, so that a change shows where it is") {
  const std::string text = baseline_text(sample());
  CHECK(text.find(
            "    \"loss\": [\n      [10,7.5,7.6],\n      [20,7.1000000000000005,null],\n      [30,\"nan\",7.0]\n    ]\n") !=
        std::string::npos);
}

TEST_CASE("a baseline keeps which run was perturbed how, and older ones say nothing of it") {
  Baseline baseline = sample();
  CHECK(baseline_text(baseline).find("perturbed") == std::string::npos);
  CHECK(parse_baseline(baseline_text(baseline)).runs[1].perturbed == 0);
  baseline.runs[1].perturbed = 3;
  const Baseline back = parse_baseline(baseline_text(baseline));
  CHECK(back.runs[0].perturbed == 0);
  CHECK(back.runs[1].perturbed == 3);
  CHECK(curves_of(back)[2].perturbed == 0);
}

TEST_CASE("what was recorded on another machine says so and keeps what its checks said") {
  Baseline baseline = sample();
  CHECK(baseline_text(baseline).find("checks") == std::string::npos);
  baseline.recorded = true;
  baseline.facts = {{"data", "d41d8 list.txt\nx \xff"}, {"step", ""}};
  const Baseline back = parse_baseline(baseline_text(baseline));
  CHECK(back.recorded);
  CHECK(back.made_utc == baseline.made_utc);
  CHECK(back.facts == std::map<std::string, std::string>{{"data", "d41d8 list.txt\nx \xEF\xBF\xBD"}, {"step", ""}});
}

TEST_CASE("a damaged baseline is refused") {
  const std::string text = baseline_text(sample());
  const std::size_t last_digit = text.find("7.1000000000000005") + 17;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = damaged[i] == '7' ? '8' : '7';
    if (damaged == text) continue;
    INFO(i);
    if (i == last_digit) CHECK(baseline_text(parse_baseline(damaged)) == text);  // 7.1000000000000007 is the same number
    else CHECK_THROWS_AS(parse_baseline(damaged), BadBaseline);
  }
  CHECK_THROWS_AS(parse_baseline(text.substr(0, text.size() / 2)), BadBaseline);
  CHECK_THROWS_AS(parse_baseline(""), BadBaseline);
  CHECK_THROWS_AS(parse_baseline("[1, 2]"), BadBaseline);
  CHECK_THROWS_WITH(parse_baseline("{\"bisectd_baseline\": 99}"), Catch::Contains("another bisectd"));
  CHECK_THROWS_WITH(parse_baseline("{\"bisectd_baseline\": 1.5}"), Catch::Contains("1.5 should be a whole number"));
}

TEST_CASE("a baseline with other line ends or other spaces is the same one") {
  const std::string text = baseline_text(sample());
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const auto json = nlohmann::ordered_json::parse(text);
  const tests::TemporaryFolder folder;
  for (const std::string& changed : {windows, json.dump(), json.dump(8), json.dump(1, '\t')}) {
    CHECK(baseline_text(parse_baseline(changed)) == text);
    std::ofstream(folder.path() / "baseline.json", std::ios::binary) << changed;
    CHECK(looks_like_baseline(folder.path() / "baseline.json"));
  }
  std::string longer = json.dump(2);  // as Python and nlohmann write some numbers
  longer.replace(longer.find("7.1000000000000005"), 18, "7.10000000000000053");
  CHECK(baseline_text(parse_baseline(longer)) == text);
  auto edited = json;
  edited["points"]["loss"][0][1] = 7.25;
  CHECK_THROWS_WITH(parse_baseline(edited.dump()), Catch::Contains("its digest does not fit"));
}

TEST_CASE("a baseline is known by its first bytes") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.path() / "baseline.json") << baseline_text(sample());
  std::ofstream(folder.path() / "train.log") << "[2025/11/27] loss: 1\n";
  CHECK(looks_like_baseline(folder.path() / "baseline.json"));
  CHECK_FALSE(looks_like_baseline(folder.path() / "train.log"));
  CHECK_FALSE(looks_like_baseline(folder.path() / "absent"));
}
