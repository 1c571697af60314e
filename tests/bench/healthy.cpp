// Judges real curves: how often is a healthy device condemned, and a faulty one not? Arguments: a list, one line each:
//   reference NAME SEED FILE             a run of ensemble NAME; SEED of its perturbation, 0: none
//   healthy|faulty LABEL FILE            a candidate, judged against every ensemble
// Files hold a JSON array of losses. tests/bench/healthy_devices.py makes them with the real Paddle and the stand-in.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "driver/judge/jury.hpp"

namespace {

using namespace bisectd;
using namespace bisectd::driver::judge;
using strategies::Verdict;

Curve read(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  Curve curve;
  std::int64_t step = 0;
  for (const auto& value : nlohmann::json::parse(in)) curve.series["loss"].push_back({++step, value.get<double>()});
  return curve;
}

struct Count {
  int pass = 0, fail = 0, undecided = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const bool verbose = argc > 2;
  std::ifstream list(argv[1]);
  std::map<std::string, std::vector<Curve>> ensembles;
  struct Candidate {
    std::string truth, label;
    Curve curve;
  };
  std::vector<Candidate> candidates;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string kind, name, file;
    words >> kind >> name;
    if (kind == "reference") {
      int seed = 0;
      words >> seed >> file;
      ensembles[name].emplace_back(read(file)).perturbed = seed;
    } else if (kind == "healthy" || kind == "faulty") {
      words >> file;
      candidates.push_back({kind, name, read(file)});
    }
  }
  std::map<std::string, Count> counts;
  for (const auto& [name, references] : ensembles) {
    const std::vector<MetricRule> metrics = {{"loss", false}};
    const auto jury = Jury::seat({}, metrics, references);
    if (!jury) {
      fmt::print("{}: {}\n", name, jury.error().message);
      continue;
    }
    for (const Finding& finding : jury->findings()) fmt::print("{}: {}\n", name, finding.text);
    for (const Candidate& candidate : candidates) {
      const bool whole = candidate.curve.series.at("loss").size() >= jury->first().steps.size();
      const Judgement judgement = whole ? jury->judge(std::span(&candidate.curve, 1))
                                        : jury->first_panel().judge_shortened(std::span(&candidate.curve, 1));
      Count& count = counts[candidate.truth + " " + candidate.label];
      (judgement.verdict == Verdict::pass ? count.pass : judgement.verdict == Verdict::fail ? count.fail : count.undecided)++;
      if (verbose)
        fmt::print("{:8} {} {:18} {:12} {:10} delta {:+.2f} se {:.2f} coarse {:.2f} until {} p {:.3f} {}\n", name, candidate.truth, candidate.label,
                   static_cast<int>(judgement.verdict) == 0 ? "pass" : judgement.verdict == Verdict::fail ? "FAIL" : "undecided",
                   judgement.reason, 100 * judgement.delta.value_or(0), 100 * judgement.standard_error.value_or(0),
                   judgement.coarseness.value_or(-1), judgement.comparable_until.value_or(-1), judgement.p_bad, judgement.text);
    }
  }
  for (const auto& [label, count] : counts)
    fmt::print("{:24} pass {:4} fail {:4} undecided {:4}\n", label, count.pass, count.fail, count.undecided);
}
