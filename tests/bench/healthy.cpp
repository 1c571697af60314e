// Judges kept curves of trainings whose truth is known: how many healthy devices are condemned, how many faulty ones are
// missed, how the published standards do on the same runs, and does p_bad mean what it says? Arguments: a file of JSON
// lines, and "verbose" for every judgement. A line is
//   {"training": "lstm-1024", "references": [[1.5, ...], ...], "perturbed": [0, 1, 2], "kind": "healthy 1e-5", "harm": 0.0,
//    "loss": [...], "steps": [1, ...]}
// `perturbed`: of each reference 0, or the seed that moved it, as bisectd knows of its own runs. `harm`: what the fault does
// by itself, in targets; without it the row is left out of the calibration. tests/bench/judged_devices.py makes such files.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "driver/judge/jury.hpp"
#include "driver/judge/standard.hpp"
#include "tests/bench/judged.hpp"

namespace {

using namespace bisectd;
using namespace bisectd::bench;
using namespace bisectd::driver::judge;

Curve curve_of(const nlohmann::json& losses, const nlohmann::json& steps, int perturbed) {
  Curve curve;
  curve.perturbed = perturbed;
  for (std::size_t i = 0; i < losses.size(); ++i)
    curve.series["loss"].push_back({steps.at(i).get<std::int64_t>(), losses.at(i).get<double>()});
  return curve;
}

using Met = std::map<std::string_view, std::array<int, 2>>;  ///< by standard: not met, met

void add(Met& met, Reference reference, const Curve& candidate) {
  for (const configs::Standard& standard : configs::kStandards) {
    reference.accept.standard = &standard;
    ++met[standard.name].at(by_standard(reference, candidate)->met.value_or(false) ? 1 : 0);
  }
}

void print(const std::map<std::string, Met>& by_kind) {
  fmt::print("\n{:46}", "met / not met");
  for (const configs::Standard& standard : configs::kStandards) fmt::print(" {:>13}", standard.name);
  for (const auto& [kind, met] : by_kind) {
    fmt::print("\n{:46}", kind);
    for (const configs::Standard& standard : configs::kStandards)
      fmt::print(" {:5} / {:5}", met.at(standard.name)[1], met.at(standard.name)[0]);
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "bench_healthy FILE [verbose]: see tests/bench/judged_devices.py\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  std::map<std::string, Count> counts;
  std::map<std::string, Met> standards;
  Calibration calibration;
  for (std::string line; std::getline(in, line);) {
    const auto row = nlohmann::json::parse(line);
    std::vector<Curve> references;
    for (std::size_t i = 0; i < row.at("references").size(); ++i)
      references.push_back(curve_of(row["references"][i], row["steps"], row["perturbed"][i].get<int>()));
    const std::vector<MetricRule> metrics = {{"loss", false}};
    configs::Acceptance accept;
    accept.max_repeats = 1;
    const auto jury = Jury::seat(accept, metrics, references);
    if (!jury) {
      fmt::print("{}: {}\n", row["training"].get<std::string>(), jury.error().message);
      continue;
    }
    const Curve candidate = curve_of(row["loss"], row["steps"], 0);
    const Judgement judgement = jury->judge(std::span(&candidate, 1));
    add(counts[row["kind"]], judgement);
    add(standards[row["kind"]], jury->first(), candidate);
    const double harm = row.value("harm", 0.0);
    if (row.contains("harm") && (harm < 0.25 || harm > 2)) calibration.add(judgement.p_bad, harm > 1);
    if (argc > 2)
      fmt::print("{:16} {:24} harm {:6.2f} {:12} p {:.2e} delta {:+.2f} {}\n", row["training"].get<std::string>(),
                 row["kind"].get<std::string>(), harm,
                 judgement.verdict == strategies::Verdict::pass   ? "pass"
                 : judgement.verdict == strategies::Verdict::fail ? "fail"
                                                                  : "undecided",
                 judgement.p_bad, 100 * judgement.delta.value_or(0), judgement.text);
  }
  print("kind", counts);
  print(standards);
  if (!counts.empty()) print(calibration);
}
