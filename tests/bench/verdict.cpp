// The simulation of the shared design "verdict", section 6, with the real judge: how often is it wrong, undecided, and
// what does it cost? Prints each table beside its target. Arguments: [trials per cell = 300] [seed = 1] [sections = msh] [noise].
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "driver/judge/early_stop.hpp"
#include "driver/judge/horizon.hpp"
#include "driver/judge/verdict.hpp"
#include "tests/bench/verdict_model.hpp"

namespace {

using namespace bisectd;
using namespace bisectd::bench;
using namespace bisectd::driver::judge;
using strategies::Verdict;

constexpr int kLooksPerRun = 40;  ///< how often the driver asks whether to stop

struct Trial {
  Verdict verdict = Verdict::unresolved;
  bool early = false;  ///< ended before its end
  int attempts = 0;
  double cost = 0;     ///< in whole runs
  std::string reason;
};

Curve prefix(const Curve& curve, std::size_t points) {
  Curve part;
  for (const auto& [name, series] : curve.series) {
    part.series[name] = Series(series.begin(), series.begin() + static_cast<std::ptrdiff_t>(std::min(points, series.size())));
  }
  return part;
}

/// Launches a trial the way the loop does: look early, repeat while undecided and it helps.
template <class Launch>
Trial run_trial(const Reference& reference, const NoisePool& pool, std::int64_t whole, bool look_early, Launch launch) {
  Trial trial;
  std::vector<Curve> attempts;
  const auto points = static_cast<std::size_t>(reference.last_step());
  const double length = static_cast<double>(points) / static_cast<double>(whole);
  while (true) {
    Curve curve = prefix(launch(), points);
    ++trial.attempts;
    EarlyStop early(reference, pool);
    for (int look = 1; look_early && look < kLooksPerRun; ++look) {
      const auto judgement = early.look(prefix(curve, points * static_cast<std::size_t>(look) / kLooksPerRun));
      if (!judgement) continue;
      trial.verdict = judgement->verdict;
      trial.reason = judgement->reason;
      trial.early = true;
      trial.cost += length * look / kLooksPerRun;
      return trial;
    }
    trial.cost += length;
    attempts.push_back(std::move(curve));
    const Judgement judgement = judge(reference, attempts, pool);
    trial.verdict = judgement.verdict;
    trial.reason = judgement.reason;
    if (!judgement.repeat_helps) return trial;
  }
}

struct Cell {
  int trials = 0, passed = 0, failed = 0, undecided = 0, early_fail = 0, attempts = 0;
  double cost = 0;

  void add(const Trial& trial) {
    ++trials;
    passed += trial.verdict == Verdict::pass;
    failed += trial.verdict == Verdict::fail;
    undecided += trial.verdict == Verdict::inconclusive;
    early_fail += trial.early;
    attempts += trial.attempts;
    cost += trial.cost;
  }
  double percent(int count) const { return 100.0 * count / trials; }
  int wrong(Culprit::Truth truth) const { return truth == Culprit::Truth::good ? failed : passed; }
};

Reference reference_of(Simulator& simulator, int m) {
  std::vector<Curve> runs;
  for (int i = 0; i < m; ++i) runs.push_back(simulator.run({}));
  return prepare_reference({}, runs, {"loss", false}).value();
}

Cell cell_of(const Regime& regime, const Culprit& culprit, std::int64_t steps, int trials, std::uint64_t seed) {
  Cell cell;
  for (int i = 0; i < trials; ++i) {
    Simulator simulator(regime, steps, seed * 1000003 + static_cast<std::uint64_t>(i));
    const Reference reference = reference_of(simulator, 5);
    cell.add(run_trial(reference, {}, steps, true, [&] { return simulator.run({culprit}); }));
  }
  return cell;
}

/// Counts cells that miss a target.
int missed = 0;

std::string against(double measured, double target) {
  const bool holds = measured <= target;
  missed += !holds;
  return fmt::format("{:5.2f} <= {:.1f}{}", measured, target, holds ? "" : " MISSED");
}

void table(const std::string& title, const std::vector<Regime>& regimes, const std::vector<Culprit>& culprits,
           std::int64_t steps, bool main, int trials, std::uint64_t seed) {
  fmt::print("\n{}\n| {:13} | {:17} | {:4} | {:21} | {:21} | {:22} | {:5} | {:5} |\n", title, "noise", "culprit", "is",
             "wrong %", "inconclusive %", "early false fail %", "runs", "cost");
  for (const Regime& regime : regimes) {
    for (const Culprit& culprit : culprits) {
      const Cell cell = cell_of(regime, culprit, steps, trials, seed);
      const bool edge = culprit.truth == Culprit::Truth::edge;
      const bool good = culprit.truth == Culprit::Truth::good;
      const bool quiet = main && regime.level_noise <= 0.002;
      const double wrong = cell.percent(cell.wrong(culprit.truth)), undecided = cell.percent(cell.undecided);
      fmt::print("| {:13} | {:17} | {:4} | {:21} | {:21} | {:22} | {:5.2f} | {:5.2f} |\n", regime.name, culprit.name,
                 edge ? "edge" : good ? "good" : "bad",
                 edge ? fmt::format("F {:.1f}", cell.percent(cell.failed)) : against(wrong, quiet ? 0.7 : 3.0),
                 quiet && !edge ? against(undecided, 2.0) : fmt::format("{:5.2f}", undecided),
                 good ? against(cell.percent(cell.early_fail), 0.2) : "",
                 static_cast<double>(cell.attempts) / trials, cell.cost / trials);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::atoi(argv[1]) : 300;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  const std::string sections = argc > 3 ? argv[3] : "msh";
  fmt::print("{} trials per cell, seed {}; one trial is {:.2f} %\n", trials, seed, 100.0 / trials);
  const auto wanted = [&](char section) { return sections.find(section) != std::string::npos; };
  std::vector<Regime> regimes = kRegimes;
  if (argc > 4) std::erase_if(regimes, [&](const Regime& regime) { return regime.name != argv[4]; });
  if (wanted('m')) table("Main table, 1,000 points", regimes, kCulprits, 1000, true, trials, seed);
  if (wanted('s')) {
    for (std::int64_t steps : {100, 200}) {
      table(fmt::format("Short runs, {} points", steps), regimes, kCulprits, steps, false, trials, seed);
    }
  }
  if (wanted('h')) {
    std::vector<Regime> heavy = regimes;
    for (Regime& regime : heavy) regime.heavy_tails = true;
    table("Heavy tails (Student-t3 offsets), 1,000 points", heavy, kCulprits, 1000, false, trials, seed);
  }
  fmt::print("\n{} target(s) missed\n", missed);
  return missed > 0;
}
