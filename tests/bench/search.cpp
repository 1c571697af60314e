// The yardstick of the search: the targets beside what is measured, on planted culprits. The two ends are free.
//   bench_search [scenario...] [--n N] [--games G] [--seed S] [--crash SHARE] [--engine automatic|ordered|causes]
// Scenarios: alone rounds pairs noise unknown crash priors signatures wrong-verdicts large prices slow-splits time;
// all of them without an argument.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "strategies/search.hpp"
#include "strategies/simulate/forecast.hpp"
#include "strategies/simulate/truth.hpp"

using namespace bisectd::strategies;

namespace {

struct Options {
  std::vector<std::string> scenarios;
  std::size_t n = 1024, games = 0;  // games 0: each scenario's own number
  std::uint64_t seed = 1000;
  double crash = 0.1;  // of the scenario crash
  EngineKind engine = EngineKind::automatic;
};
Options options;

Problem problem_of(std::size_t n, std::size_t slots, std::optional<double> flip = 0.0) {
  Problem problem;
  problem.suspects.resize(n);
  problem.slots = slots;
  problem.flip_probability = flip;
  problem.seed = options.seed;
  return problem;
}

double bound(std::size_t n, std::size_t k) {
  double bits = 0;
  for (std::size_t i = 0; i < k; ++i) bits += std::log2(static_cast<double>(n - i) / static_cast<double>(i + 1));
  return std::ceil(bits - 1e-9);
}

std::string mix_name(const std::vector<std::size_t>& sizes) {
  static const std::map<std::size_t, std::string> words{{1, "single"}, {2, "pair"}, {3, "triple"}};
  std::string name;
  for (std::size_t size : sizes) name += (name.empty() ? "" : "+") + words.at(size);
  return name;
}

Forecast measure(const Problem& problem, const Plant& plant, std::size_t games, double* seconds = nullptr,
                 EngineKind engine = options.engine) {
  const std::clock_t start = std::clock();
  const Forecast forecast = simulate(problem, plant, options.games ? options.games : games, engine);
  if (seconds) *seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;  // other programs do not count
  return forecast;
}

void line(const std::string& what, double target, double measured, const Forecast& forecast, double seconds = 0) {
  fmt::print("{:44} {:>8.1f} {:>9.2f} {:4}  exact {:5.1f} %  named {:5.1f} %  trials {:6.1f}  rounds {:5.2f}  {:.1f} s\n",
             what, target, measured, measured <= target + 1e-9 ? "ok" : "MISS", 100 * forecast.exact, 100 * forecast.named,
             forecast.trials.mean, forecast.rounds.mean, seconds);
  std::fflush(stdout);
}

void head(const std::string& title) { fmt::print("\n{}\n{:44} {:>8} {:>9}\n", title, "", "target", "measured"); }

void alone() {
  head("1. no noise, one slot: trials until the culprit set is proved <= bound + 1.3 k; <= 1.12 x bound over n >= 256");
  double ratio = 0, cells = 0;
  for (std::size_t n : {64, 256, 1024, 4096})
    for (std::size_t k : {1, 2, 3, 5, 8}) {
      double seconds = 0;
      const Forecast forecast = measure(problem_of(n, 1), {.cause_sizes = std::vector<std::size_t>(k, 1)}, 50, &seconds);
      line(fmt::format("n={} k={} (bound {:.0f})", n, k, bound(n, k)), bound(n, k) + 1.3 * static_cast<double>(k),
           forecast.fix_trials.mean, forecast, seconds);
      if (n < 256) continue;
      ratio += forecast.fix_trials.mean / bound(n, k);
      ++cells;
    }
  fmt::print("{:44} {:>8.2f} {:>9.3f} {}\n", "mean ratio to the bound, n >= 256", 1.12, ratio / cells,
             ratio / cells <= 1.12 ? "ok" : "MISS");
}

double rounds_of(std::size_t slots, const std::vector<std::size_t>& sizes, double flip, double target, std::size_t games,
                 bool known = true) {
  double seconds = 0;
  const Forecast forecast = measure(problem_of(options.n, slots, known ? std::optional(flip) : std::nullopt),
                                    {.cause_sizes = sizes, .flip = flip}, games, &seconds);
  const double measured = slots > 1 ? forecast.rounds.mean : forecast.trials.mean;
  line(fmt::format("n={} D={} p={}{} {}: {}", options.n, slots, flip, known ? "" : " unknown", mix_name(sizes),
                   slots > 1 ? "rounds" : "trials"),
       target, measured, forecast, seconds);
  return measured;
}

using Sizes = std::vector<std::size_t>;

void rounds() {
  head("2. several slots, no noise: rounds, named and proved");
  rounds_of(8, Sizes(1, 1), 0, 2.8, 50);
  rounds_of(8, Sizes(3, 1), 0, 6.3, 50);
  rounds_of(8, Sizes(8, 1), 0, 13.5, 20);
  rounds_of(64, Sizes(1, 1), 0, 2.5, 20);
}

void pairs() {
  head("3. interactions, named and proved");
  rounds_of(8, {2}, 0, 4.4, 50);
  rounds_of(8, {3}, 0, 6.2, 30);
  rounds_of(8, {1, 2}, 0, 6.3, 50);
  rounds_of(8, {2, 2}, 0, 9.6, 30);
  rounds_of(1, {2}, 0, 23, 50);
  rounds_of(1, {3}, 0, 33, 50);
  rounds_of(1, {1, 2}, 0, 35, 50);
  rounds_of(1, {2, 2}, 0, 45, 50);
}

void noise() {
  head("4. noise, named and proved (>= 99.5 % exact at p = 0.05, >= 99 % at p = 0.1)");
  rounds_of(1, Sizes(1, 1), 0.05, 20.4, 100);
  rounds_of(1, Sizes(3, 1), 0.05, 56.4, 50);
  rounds_of(8, Sizes(1, 1), 0.05, 4.4, 100);
  rounds_of(8, Sizes(3, 1), 0.05, 9.5, 50);
  rounds_of(8, {2}, 0.05, 6.5, 50);
  rounds_of(8, {1, 2}, 0.05, 9.2, 50);
  rounds_of(8, Sizes(1, 1), 0.1, 5.4, 50);
  rounds_of(8, Sizes(3, 1), 0.1, 13.1, 50);
}

void unknown() {
  head("4b. p is not told and estimated on the way: at most 10 % more than when it is told");
  for (double flip : {0.01, 0.05, 0.1})
    for (std::size_t k : {1, 3}) {
      const double told = rounds_of(8, Sizes(k, 1), flip, k == 1 ? 4.4 : 9.5, 50);
      rounds_of(8, Sizes(k, 1), flip, 1.1 * told, 50, false);
    }
}

void crash() {
  head(fmt::format("5. {:.0f} % of the sets never resolve, one slot; the target is that of 10 %", 100 * options.crash));
  for (const Sizes& sizes : {Sizes{1, 1, 1}, Sizes{1, 2}}) {
    double seconds = 0;
    const Plant plant{.cause_sizes = sizes, .crash = options.crash};
    const Forecast forecast = measure(problem_of(options.n, 1), plant, 100, &seconds);
    line(fmt::format("n={} {}: trials until the set is proved", options.n, mix_name(sizes)), 34, forecast.fix_trials.mean,
         forecast, seconds);
  }
}

void priors() {
  head("7. hints: quality .9 <= 0.8 x the trials; worthless <= 1 more per culprit");
  for (std::size_t k : {1, 3, 8}) {
    Plant plant{.cause_sizes = Sizes(k, 1)};
    const double plain = measure(problem_of(options.n, 1), plant, 50).fix_trials.mean;
    plant.hint_quality = 0.9;
    Forecast forecast = measure(problem_of(options.n, 1), plant, 50);
    line(fmt::format("n={} k={} good hints", options.n, k), 0.8 * plain, forecast.fix_trials.mean, forecast);
    plant.hint_quality = 0;
    forecast = measure(problem_of(options.n, 1), plant, 50);
    line(fmt::format("n={} k={} worthless hints", options.n, k), plain + static_cast<double>(k), forecast.fix_trials.mean,
         forecast);
  }
}

// Of which twelve first steps are read; the share is of the device time of the same search without signatures, where such a
// trial takes 12 of 200 steps.
Forecast with_signatures(std::size_t n, std::size_t slots, const Sizes& sizes, Plant plant, double target,
                         std::size_t games) {
  constexpr double kShare = 12.0 / 200;
  plant.cause_sizes = sizes;
  plant.signature_steps = 12;
  double seconds = 0;
  const Forecast forecast = measure(problem_of(n, slots, plant.flip), plant, games, &seconds);
  const double short_ones = forecast.signatures.mean, whole = forecast.trials.mean - short_ones;
  const double measured = slots > 1 ? forecast.rounds.mean : forecast.trials.mean;
  line(fmt::format("n={} D={} {}{}: {}", n, slots, mix_name(sizes), plant.interaction > 0 ? ", interacting" : "",
                   slots > 1 ? "rounds" : "trials"),
       target, measured, forecast, seconds);
  fmt::print("{:44} {:8} {:9.2f}       in full trainings\n", "", "", whole + kShare * short_ones);
  return forecast;
}

void signatures() {
  head("9. signatures, sizes 1e-4 to 1e-2, rounding 1e-6; named and proved");
  const Plant interacting{.interaction = 0.3};
  const std::vector<std::pair<Sizes, std::pair<double, double>>> mixes{
      {Sizes(1, 1), {12.5, 2.5}}, {Sizes(2, 1), {15, 3.5}}, {Sizes(3, 1), {17, 3.5}},
      {Sizes(5, 1), {19, 3.5}},   {Sizes(8, 1), {23, 4.5}}, {{2}, {22.5, 4}},
      {{1, 2}, {25, 4.5}},        {{2, 2}, {29, 5}},        {{1, 1, 1, 2}, {28, 4.5}}};
  for (const auto& [sizes, targets] : mixes) with_signatures(options.n, 1, sizes, interacting, targets.first, 20);
  for (const auto& [sizes, targets] : mixes) with_signatures(options.n, 8, sizes, interacting, targets.second, 20);
  Plant of_either_sign = interacting;
  of_either_sign.effect_noise = 0.1;
  of_either_sign.mixed_signs = true;
  fmt::print("five of either sign, which may cancel\n");
  for (const std::size_t slots : {1, 8})
    with_signatures(options.n, slots, Sizes(5, 1), of_either_sign, slots == 1 ? 32 : 5.3, 20);
  for (double most : {1e-5, 1e-4})
    with_signatures(options.n, 1, Sizes(3, 1), {.interaction = 0.3, .least_benign = 1e-8, .most_benign = most},
                    most > 5e-5 ? 33.3 : 20, 20);
}

// A third of the causes are below the rounding.
void wrong_verdicts() {
  head("9b. signatures, 5 % of verdicts wrong, rounding 5e-4");
  with_signatures(options.n, 1, Sizes(3, 1), {.flip = 0.05, .interaction = 0.3, .rounding = 5e-4}, 56.4, 10);
}

double most_memory_mib() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

// What a round takes includes playing the world.
void large() {
  head("9c. signatures, three culprits, few and many devices; time of the processor");
  for (const std::size_t n : {1024, 10'000})
    for (const auto& [slots, target] :
         std::vector<std::pair<std::size_t, double>>{{1, n > 1024 ? 22 : 17}, {8, 3.5}, {64, 2.5}}) {
      const std::clock_t start = std::clock();
      const std::size_t games = options.games ? options.games : 4;
      const double rounds = static_cast<double>(games) *
                            with_signatures(n, slots, Sizes(3, 1), {.interaction = 0.3}, target, games).rounds.mean;
      const double ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      fmt::print("{:44} {:8} {:9.1f}       ms a round; memory so far at most {:.0f} MiB\n", "", "", ms / rounds,
                 most_memory_mib());
      std::fflush(stdout);
    }
}

// A tenth of the suspects makes a trial slow, ten times as slow all together. The rival is the same search that is not
// told which.
void prices() {
  head("8. some suspects slow trials down (x10 together): time of the search that knows which, against one that does not");
  for (std::size_t slots : {1, 8})
    for (const Sizes& sizes : {Sizes{1}, Sizes{1, 1, 1}, Sizes{1, 2}}) {
      Problem problem = problem_of(options.n, slots);
      Plant plant{.cause_sizes = sizes, .slowdown = 10};
      for (std::size_t i = 0; i < options.n; ++i) plant.load.push_back(i % 10 == 0 ? 100 : 1);
      const Forecast blind = measure(problem, plant, 50);
      for (std::size_t i = 0; i < options.n; ++i) problem.suspects[i].price = plant.load[i];
      double seconds = 0;
      const Forecast knowing = measure(problem, plant, 50, &seconds);
      line(fmt::format("n={} D={} {}: share of the time", options.n, slots, mix_name(sizes)), 1.0,
           knowing.time.mean / blind.time.mean, knowing, seconds);
    }
}

// The same suspects where the first steps of a trial tell which causes are active: the time of the whole search, beside what
// its proofs alone take (the fix, which neutralises next to nothing, and each cause alone, which neutralises all the
// others). No choice of splits can save more than the rest.
void slow_splits() {
  constexpr double kSlowdown = 10, kShare = 12.0 / 200;
  head("8b. the same with signatures, D = 1: time, against that of its proofs alone");
  for (const double length : {1.0, kShare})
    for (const std::size_t causes : {1, 3, 5}) {
      Plant plant{.cause_sizes = Sizes(causes, 1),
                  .signature_steps = 12,
                  .interaction = 0.3,
                  .slowdown = kSlowdown,
                  .signature_length = length};
      for (std::size_t i = 0; i < options.n; ++i) plant.load.push_back(i % 10 == 0 ? 100 : 1);
      double seconds = 0;
      const Forecast forecast = measure(problem_of(options.n, 1), plant, 20, &seconds);
      line(fmt::format("n={} {} causes, a signature takes {:.2f}", options.n, causes, length),
           1 + kSlowdown * static_cast<double>(causes), forecast.time.mean, forecast, seconds);
    }
}

// The longest and the mean time of one ask with the tells before it, ms of the processor: other programs do not count.
void time_of(std::size_t n, std::size_t slots, const Sizes& sizes, double flip, EngineKind engine, double target_ms) {
  Problem problem = problem_of(n, slots, flip);
  double worst = 0, sum = 0, count = 0;
  for (std::uint64_t seed = options.seed; seed < options.seed + 3; ++seed) {
    problem.seed = seed;
    std::vector<SuspectSet> causes;
    std::uint64_t state = seed;
    for (std::size_t size : sizes) {
      causes.emplace_back(n);
      while (causes.back().count() < size)
        causes.back().set((state = state * 6364136223846793005u + 1442695040888963407u) % 65521 % n);
    }
    Search search(problem, engine);
    for (std::size_t round = 0; round < 300; ++round) {
      const std::clock_t start = std::clock();
      const std::vector<Trial> trials = search.ask(slots, {});
      std::vector<Evidence> told;
      for (const Trial& trial : trials) {
        bool bad = false;
        for (const SuspectSet& cause : causes) bad = bad || !cause.intersects(trial.neutralised);
        told.push_back({trial.neutralised, bad ? Verdict::fail : Verdict::pass, bad ? 1.0 - flip : flip, {}});
      }
      for (const Evidence& evidence : told) search.tell(evidence);
      const bool done = trials.empty() || search.answer().state != State::searching;
      const double ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      worst = std::max(worst, ms);
      sum += ms;
      ++count;
      if (done) break;
    }
  }
  fmt::print("{:44} {:>8.1f} {:>9.2f} {:4}  worst {:.1f}\n",
             fmt::format("n={} D={} p={} {} causes", n, slots, flip, sizes.size()), target_ms, sum / count,
             sum / count <= target_ms ? "ok" : "MISS", worst);
  std::fflush(stdout);
}

// What a free device waits for at most in searches by signatures: the last answer is taken in, and the next trials are
// asked for.
void longest_wait(std::size_t n, std::size_t slots, double target) {
  double longest = 0;
  for (std::uint64_t seed = options.seed; seed < options.seed + (options.games ? options.games : 10); ++seed) {
    Problem problem = problem_of(n, slots);
    problem.seed = seed;
    PlantedTruth truth(problem, {.cause_sizes = Sizes(3, 1), .signature_steps = 12, .interaction = 0.3}, seed);
    Search search(problem);
    std::clock_t free = std::clock();
    for (;;) {
      const std::vector<Trial> trials = search.ask(slots, {});
      longest = std::max(longest, 1e3 * static_cast<double>(std::clock() - free) / CLOCKS_PER_SEC);
      if (trials.empty()) break;
      for (const Trial& trial : trials) {
        Evidence evidence = truth.run(trial.neutralised);
        evidence.judged = trial.purpose != Purpose::signature;
        free = std::clock();
        search.tell(evidence);
      }
    }
  }
  fmt::print("{:44} {:8} {:9.1f} {}\n", fmt::format("n={} D={} signatures: longest wait", n, slots), target, longest,
             longest <= target ? "ok" : "MISS");
}

void ask_time() {
  head("time of one round (ask, tells, answer), ms");
  time_of(1024, 1, Sizes(3, 1), 0, EngineKind::ordered, 20);
  time_of(4096, 1, Sizes(8, 1), 0, EngineKind::ordered, 20);
  time_of(4096, 64, Sizes(3, 1), 0, EngineKind::ordered, 20);
  time_of(1024, 8, Sizes(1, 1), 0, EngineKind::automatic, 200);
  time_of(1024, 8, {1, 2}, 0, EngineKind::automatic, 200);
  time_of(1024, 8, Sizes(8, 1), 0, EngineKind::automatic, 200);
  time_of(1024, 8, Sizes(3, 1), 0.05, EngineKind::automatic, 200);
  time_of(1024, 64, Sizes(1, 1), 0, EngineKind::automatic, 1000);
  time_of(1024, 64, {1, 2}, 0, EngineKind::automatic, 1000);
  time_of(4096, 64, Sizes(1, 1), 0, EngineKind::automatic, 1000);
  time_of(4096, 64, {1, 2}, 0, EngineKind::automatic, 1000);
  longest_wait(1024, 8, 50);
  longest_wait(1024, 64, 50);
  const double memory = most_memory_mib();
  fmt::print("{:44} {:>8} {:>9.1f} {}\n", "memory at most, MiB", 256, memory, memory <= 256 ? "ok" : "MISS");
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, EngineKind> engines{
      {"automatic", EngineKind::automatic}, {"ordered", EngineKind::ordered}, {"causes", EngineKind::causes}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--n" && i + 1 < argc) options.n = std::strtoul(argv[++i], nullptr, 10);
    else if (word == "--games" && i + 1 < argc) options.games = std::strtoul(argv[++i], nullptr, 10);
    else if (word == "--seed" && i + 1 < argc) options.seed = std::strtoul(argv[++i], nullptr, 10);
    else if (word == "--crash" && i + 1 < argc) options.crash = std::strtod(argv[++i], nullptr);
    else if (word == "--engine" && i + 1 < argc) options.engine = engines.at(argv[++i]);
    else options.scenarios.push_back(word);
  }
  const std::vector<std::pair<std::string, std::function<void()>>> all{
      {"alone", alone},   {"rounds", rounds},         {"pairs", pairs},
      {"noise", noise},   {"unknown", unknown},       {"crash", crash},
      {"priors", priors}, {"signatures", signatures}, {"wrong-verdicts", wrong_verdicts},
      {"large", large},   {"prices", prices},         {"slow-splits", slow_splits},
      {"time", ask_time}};
  for (const auto& [name, scenario] : all)
    if (options.scenarios.empty() ||
        std::find(options.scenarios.begin(), options.scenarios.end(), name) != options.scenarios.end())
      scenario();
}
