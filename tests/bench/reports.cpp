// What it costs to render and write all reports after a trial: one line per file, the best of several rounds. CPU time,
// because a driver that writes reports shares its cores with trainings.
// Arguments: trials (1000), points per curve (100), seed (1), rounds (5), target in ms (50), a folder that
// keeps the reports (none).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>

#include "reports/write.hpp"

using namespace bisectd::reports;

namespace {

Line curve(std::size_t points, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 0.01);
  Line line;
  for (std::size_t i = 0; i < points; ++i) {
    line.steps.push_back(static_cast<std::int64_t>(10 * i));
    line.values.push_back(7.0 + noise(random));
  }
  return line;
}

Record record_of(std::size_t trials, std::size_t points, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Record record;
  record.experiment = "bench";
  record.metric = "loss";
  record.outcome = Outcome::culprits;
  for (int i = 0; i < 64; ++i) record.suspects.push_back({"ops", fmt::format("operator_{}", i)});
  record.answer.culprit_set = {3};
  record.answer.causes = {{3}};
  record.answer.guilt.assign(64, 0.01);
  record.reference_curve = record.as_is_curve = record.fix_curve = curve(points, random);
  record.reference_low = record.reference_high = curve(points, random);
  record.as_is_difference = record.fix_difference = curve(points, random);
  for (const char* name : {"loss_scale", "grad_norm"})
    record.other_metrics.push_back({name, curve(points, random), curve(points, random), curve(points, random)});
  for (std::size_t i = 0; i < trials; ++i) {
    Trial trial;
    trial.number = i + 1;
    trial.role = i < 5 ? Role::reference : i == 5 ? Role::as_is : Role::search;
    for (std::size_t id = 0; i > 5 && id < 64; ++id)
      if (random() % 2) trial.neutralised.push_back(id);
    trial.verdict = random() % 2 ? bisectd::strategies::Verdict::pass : bisectd::strategies::Verdict::fail;
    trial.reason = "level";
    trial.text = "the level of the final window differs by 0.03 % from the reference";
    trial.delta = 0.0003;
    Attempt& attempt = trial.attempts.emplace_back();
    attempt.folder = fmt::format("trials/{:04}/attempt-1", i + 1);
    attempt.text = "exited 0";
    attempt.started_s = 2.0 * static_cast<double>(i);
    attempt.duration_s = 1.9;
    attempt.device = "npu 0,1";
    attempt.last_step = 1000;
    attempt.curve = curve(points, random);
    record.trials.push_back(std::move(trial));
  }
  return record;
}

template <class Action>
double best_ms(int rounds, Action action) {
  double best = 1e300;
  for (int i = 0; i < rounds; ++i) {
    const std::clock_t start = std::clock();
    action();
    best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

}  // namespace

int main(int count, char** arguments) {
  const auto argument = [&](int i, unsigned long fallback) {
    return i < count ? std::strtoul(arguments[i], nullptr, 10) : fallback;
  };
  const Record record = record_of(argument(1, 1000), argument(2, 100), argument(3, 1));
  const int rounds = static_cast<int>(argument(4, 5));
  const bool keep = count > 6;
  const std::filesystem::path folder =
      keep ? arguments[6] : std::filesystem::temp_directory_path() / fmt::format("bisectd-bench-reports-{}", ::getpid());
  std::filesystem::create_directories(folder);
  fmt::print("{} trials x {} points\n{:<32} {:>10} {:>12}\n", argument(1, 1000), argument(2, 100), "", "kB", "CPU ms");
  for (const Renderer& renderer : renderers()) {
    const double ms = best_ms(rounds, [&] { renderer.render(record); });
    fmt::print("{:<32} {:>10} {:>12.1f}\n", renderer.file, renderer.render(record).size() / 1000, ms);
  }
  std::size_t problems = 0;
  const double all = best_ms(rounds, [&] { problems += write_reports(record, folder).size(); });
  fmt::print("{:<32} {:>10} {:>12.1f}\n", fmt::format("all, written (target {} ms)", argument(5, 50)), "", all);
  if (!keep) std::filesystem::remove_all(folder);
  return problems ? 1 : 0;
}
