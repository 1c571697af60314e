// Judges real curves: how often is a healthy device condemned, a faulty one not, and does p_bad mean what it says?
// Arguments: a list, one line each, and "verbose" for every judgement:
//   reference NAME-SEED PERTURBED FILE     a run of a reference; PERTURBED is the seed of its perturbation, 0: none
//   healthy|faulty|dose SEED LABEL FILE    a candidate, judged against every reference of its training's seed
//   truth SEED LABEL FILE                  what this fault does on the reference's own device; of LABEL,SIZE its LABEL
// Files hold a JSON array of losses. tests/bench/healthy_devices.py makes them with the real Paddle and the stand-in.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "driver/judge/jury.hpp"
#include "tests/bench/judged.hpp"

namespace {

using namespace bisectd;
using namespace bisectd::bench;
using namespace bisectd::driver::judge;

constexpr double kTarget = 0.005;

Curve read(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  Curve curve;
  std::int64_t step = 0;
  for (const auto& value : nlohmann::json::parse(in)) curve.series["loss"].push_back({++step, value.get<double>()});
  return curve;
}

struct Candidate {
  std::string kind, seed, label;
  Curve curve;
};

struct Inputs {
  std::map<std::string, std::vector<Curve>> references;
  std::vector<Candidate> candidates;
  std::map<std::pair<std::string, std::string>, Curve> truths;
};

Inputs read_list(const char* file) {
  Inputs inputs;
  std::ifstream list(file);
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string kind, name, detail, curve;
    words >> kind >> name >> detail >> curve;
    if (kind.empty()) continue;
    if (kind == "reference") inputs.references[name].emplace_back(read(curve)).perturbed = std::stoi(detail);
    else if (kind == "truth") inputs.truths[{name, detail}] = read(curve);
    else inputs.candidates.push_back({kind, name, detail, read(curve)});
  }
  return inputs;
}

/// How far the level is from the reference's where only the fault of this candidate differs, in targets.
double harm_of(const Candidate& candidate, const Inputs& inputs, const Jury& jury) {
  const std::string fault = candidate.label.substr(0, candidate.label.find(','));
  const Judgement truth = jury.judge(std::span(&inputs.truths.at({candidate.seed, fault}), 1));
  return std::abs(truth.delta.value_or(0)) / kTarget;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "bench_healthy LIST [verbose]: see tests/bench/healthy_devices.py\n";
    return 2;
  }
  const Inputs inputs = read_list(argv[1]);
  // With the whole reference, the faults among them by their harm, and with one curve of it as `bisectd compare` has.
  std::map<std::string, Count> counts, harms, compared;
  Calibration calibration;
  for (const auto& [name, references] : inputs.references) {
    const std::string seed = name.substr(name.rfind('-') + 1);
    const std::vector<MetricRule> metrics = {{"loss", false}};
    const auto jury = Jury::seat({}, metrics, references);
    if (!jury) {
      fmt::print("{}: {}\n", name, jury.error().message);
      continue;
    }
    for (const Finding& finding : jury->findings()) fmt::print("{}: {}\n", name, finding.text);
    for (const Candidate& candidate : inputs.candidates) {
      if (candidate.seed != seed) continue;
      const Judgement judgement = jury->judge(std::span(&candidate.curve, 1));
      std::string label = candidate.kind + " " + candidate.label;
      std::optional<double> harm;
      if (candidate.kind != "healthy") harm = harm_of(candidate, inputs, *jury);
      if (candidate.kind == "dose") label = rounded(*harm);
      else if (harm) add(harms[rounded(*harm)], judgement);
      add(counts[label], judgement);
      calibration.add(judgement.p_bad, harm.value_or(0) > 1);  // a fault that does less than the target is not bad
      const Curve& plain = *std::ranges::find(references, 0, &Curve::perturbed);
      if (const auto alone = Jury::seat({}, metrics, std::span(&plain, 1)); alone && candidate.kind != "dose")
        add(compared[label], alone->judge(std::span(&candidate.curve, 1)));
      if (argc > 2)
        fmt::print("{:10} {:38} {:10} harm {:.2f} delta {:+.2f} se {:.2f} coarse {:.2f} until {} p {:.3f} {}\n", name,
                   fmt::format("{} {}", candidate.kind, candidate.label), judgement.reason, harm.value_or(0),
                   100 * judgement.delta.value_or(0), 100 * judgement.standard_error.value_or(0),
                   judgement.coarseness.value_or(-1), judgement.comparable_until.value_or(-1), judgement.p_bad,
                   judgement.text);
    }
  }
  print("with the reference's eight runs", counts);
  if (!harms.empty()) print("faults by their harm in the comparable part, in targets", harms);
  print(calibration);
  print("with one curve as reference", compared);
}
