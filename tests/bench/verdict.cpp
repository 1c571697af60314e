// The simulation of the shared design "verdict", section 6, with the real judge: how often is it wrong, undecided, and
// what does it cost? Prints each table beside its target. Arguments: [trials per cell = 300] [seed = 1] [sections =
// mshxp] [noise].
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "driver/judge/early_stop.hpp"
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
  double cost = 0;  ///< in whole runs
  std::string reason;
};

Curve prefix(const Curve& curve, std::size_t points) {
  Curve part;
  for (const auto& [name, series] : curve.series) {
    part.series[name] =
        Series(series.begin(), series.begin() + static_cast<std::ptrdiff_t>(std::min(points, series.size())));
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
    const Trial trial = run_trial(reference, {}, steps, true, [&] { return simulator.run({culprit}); });
    cell.add(trial);
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
                 edge   ? "edge"
                 : good ? "good"
                        : "bad",
                 edge ? fmt::format("F {:.1f}", cell.percent(cell.failed)) : against(wrong, quiet ? 0.7 : 3.0),
                 quiet && !edge ? against(undecided, 2.0) : fmt::format("{:5.2f}", undecided),
                 good ? against(cell.percent(cell.early_fail), 0.2) : "", static_cast<double>(cell.attempts) / trials,
                 cell.cost / trials);
    }
  }
}

constexpr std::size_t kSuspects = 64;

struct SearchCost {
  double spent = 0, without = 0;  ///< whole runs, with early stop and without
  bool right = false;
};

/// A whole search by halving, for culprits hidden among kSuspects: both ends, probes, certificate.
class Search {
 public:
  Search(const Regime& regime, std::vector<Culprit> culprits, std::int64_t steps, std::uint64_t seed)
      : simulator_(regime, steps, seed), culprits_(std::move(culprits)), steps_(steps) {
    while (places_.size() < culprits_.size()) {
      const auto place = static_cast<std::size_t>(simulator_.random()() % kSuspects);
      if (std::find(places_.begin(), places_.end(), place) == places_.end()) places_.push_back(place);
    }
    std::vector<Curve> runs;
    for (int i = 0; i < 5; ++i) runs.push_back(simulator_.run({}));
    reference_ = prepare_reference({}, runs, {"loss", false}).value();
  }

  SearchCost run() {
    if (!fails(std::vector<bool>(kSuspects, true))) return cost_;
    fails(std::vector<bool>(kSuspects, false));
    cost_.right = proved();
    return cost_;
  }

 private:
  bool fails(const std::vector<bool>& active) {
    const Trial trial = run_trial(reference_, {}, steps_, true, [&] {
      std::vector<Culprit> on;
      for (std::size_t c = 0; c < culprits_.size(); ++c) {
        if (active[places_[c]]) on.push_back(culprits_[c]);
      }
      return simulator_.run(on);
    });
    cost_.spent += trial.cost;
    cost_.without += trial.attempts;
    return trial.verdict == Verdict::fail;
  }

  /// Finds culprits one by one, then checks the certificate: is the answer right, and proved?
  bool proved() {
    std::vector<bool> active(kSuspects, true);
    std::vector<std::size_t> found;
    do {
      // Some active suspect is guilty: neutralise ever more from the left; the last one needed is it.
      std::size_t low = 0, high = kSuspects - 1;
      while (low < high) {
        const std::size_t middle = (low + high) / 2;
        std::vector<bool> trial = active;
        std::fill(trial.begin(), trial.begin() + static_cast<std::ptrdiff_t>(middle) + 1, false);
        if (fails(trial)) low = middle + 1;
        else high = middle;
      }
      found.push_back(low);
      active[low] = false;
    } while (found.size() < culprits_.size() && fails(active));
    if (fails(active)) return false;
    for (std::size_t member : found) {
      std::vector<bool> without = active;
      without[member] = true;
      if (!fails(without)) return false;
    }
    std::sort(found.begin(), found.end());
    std::vector<std::size_t> truth = places_;
    std::sort(truth.begin(), truth.end());
    return found == truth;
  }

  Simulator simulator_;
  std::vector<Culprit> culprits_;
  std::int64_t steps_;
  std::vector<std::size_t> places_;
  Reference reference_;
  SearchCost cost_;
};

void searches(const std::vector<Regime>& regimes, int trials, std::uint64_t seed) {
  const Culprit constant{"constant 3%", Shape::constant, 0.03, Culprit::Truth::bad};
  const Culprit growing{"growing 3%", Shape::growing, 0.03, Culprit::Truth::bad};
  const Culprit late{"late 3%", Shape::late, 0.03, Culprit::Truth::bad};
  fmt::print("\nWhole searches among {} suspects, 1,000 points\n| {:13} | {:24} | {:14} | {:24} |\n", kSuspects, "noise",
             "culprits", "right %", "device time saved %");
  for (const Regime& regime : regimes) {
    if (regime.level_noise > 0.002) continue;
    for (const auto& culprits : {std::vector{constant}, {growing}, {late}, {constant, late}, {constant, growing}}) {
      double saved = 0;
      int right = 0;
      for (int i = 0; i < trials; ++i) {
        const SearchCost cost = Search(regime, culprits, 1000, seed * 7919 + static_cast<std::uint64_t>(i)).run();
        saved += 100 * (1 - cost.spent / cost.without) / trials;
        right += cost.right;
      }
      const bool promised = culprits.size() == 1 && culprits[0].shape == Shape::constant && regime.level_noise <= 0.001;
      const double percent = 100.0 * right / trials;
      missed += percent < 99;
      missed += promised && saved < 40;
      fmt::print("| {:13} | {:24} | {:5.1f} >= 99{} | {:5.1f}{} |\n", regime.name,
                 culprits.size() == 1 ? culprits[0].name : culprits[0].name + " and " + culprits[1].name, percent,
                 percent < 99 ? " MISSED" : "", saved, promised ? (saved < 40 ? " >= 40 MISSED" : " >= 40") : "");
    }
  }
}

void speed() {
  Simulator simulator(kRegimes[1], 100000, 1);
  std::vector<Curve> runs;
  for (int i = 0; i < 5; ++i) runs.push_back(simulator.run({}));
  const std::vector<Curve> candidate = {simulator.run({})};
  using Clock = std::chrono::steady_clock;
  double prepare = 1e9, verdict = 1e9;
  for (int i = 0; i < 9; ++i) {
    const auto start = Clock::now();
    const Reference reference = prepare_reference({}, runs, {"loss", false}).value();
    const auto prepared = Clock::now();
    const bool passed = judge(reference, candidate, {}).verdict == Verdict::pass;
    const auto judged = Clock::now();
    if (!passed) fmt::print("the good run of 100,000 points did not pass\n");
    prepare = std::min(prepare, std::chrono::duration<double, std::milli>(prepared - start).count());
    verdict = std::min(verdict, std::chrono::duration<double, std::milli>(judged - prepared).count());
  }
  fmt::print("\n100,000 points, 5 references: judging {:.1f} ms (target 10), preparing the references {:.1f} ms, once\n",
             verdict, prepare);
  missed += verdict > 10;
}

}  // namespace

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::atoi(argv[1]) : 300;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  const std::string sections = argc > 3 ? argv[3] : "mshxp";
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
  if (wanted('x')) searches(regimes, std::max(1, trials / 3), seed);
  if (wanted('p')) speed();
  fmt::print("\n{} target(s) missed\n", missed);
  return missed > 0;
}
