// Whole ensembles of a training that is small enough for many (small_training.hpp): healthy devices that round at 1e-7 to
// 5e-4, and faults of measured dose on devices that round like float32. Nothing of it was tuned on.
// Arguments: [ensembles = 20] [first seed = 1] [steps = 200] [verbose]
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "driver/judge/jury.hpp"
#include "tests/bench/judged.hpp"
#include "tests/bench/small_training.hpp"

namespace {

using namespace bisectd;
using namespace bisectd::bench;
using namespace bisectd::driver::judge;

constexpr double kTarget = 0.005;
constexpr std::array kDoses = {0.25, 0.5, 1.0, 2.0, 4.0};
constexpr int kTries = 3;  ///< to find the size of a fault that has a dose

struct Size {
  const char* name;
  double size, products;
  int devices;
};
constexpr std::array kHealthy = {Size{"3e-6", 3e-6, 0, 3},
                                 Size{"1e-7", 1e-7, 0, 1},
                                 Size{"1e-5", 1e-5, 0, 1},
                                 Size{"1e-4", 1e-4, 0, 1},
                                 Size{"products at 5e-4", 3e-6, 5e-4, 1},
                                 Size{"5e-4", 5e-4, 0, 1}};

struct Fault {
  const char* name;
  Op op;
};
constexpr std::array kFaults = {Fault{"gelu", Op::gelu}, Fault{"batch_norm", Op::batch_norm},
                                Fault{"gelu_grad", Op::gelu_grad}, Fault{"batch_norm_grad", Op::batch_norm_grad},
                                Fault{"step", Op::step}};

/// Mean of the loss over the last 30 % of the steps up to `until`.
double level(const Curve& curve, std::int64_t until) {
  double sum = 0;
  std::int64_t count = 0;
  for (const Point& point : curve.series.at("loss"))
    if (point.step <= until && 10 * point.step > 7 * until) sum += point.value, ++count;
  return sum / static_cast<double>(count);
}

struct Tables {
  std::map<std::string, Count> counts;
  Calibration calibration;
  bool verbose = false;

  void take(const std::string& label, bool bad, const Judgement& judgement, std::uint64_t seed) {
    add(counts[label], judgement);
    calibration.add(judgement.p_bad, bad);
    if (verbose)
      fmt::print("{} {:30} {:10} delta {:+.3f} coarse {:.2f} until {} p {:.3f} {}\n", seed, label, judgement.reason,
                 100 * judgement.delta.value_or(0), judgement.coarseness.value_or(-1),
                 judgement.comparable_until.value_or(-1), judgement.p_bad, judgement.text);
  }
};

void play(std::uint64_t seed, std::int64_t steps, Tables& tables) {
  const Training training(seed, steps);
  const Device trusted{.make = mix(seed)};
  std::vector<Curve> references;
  for (int perturbed = 0; perturbed < 8; ++perturbed) references.push_back(trained(training, trusted, perturbed));
  const auto jury = Jury::seat({}, std::vector<MetricRule>{{"loss", false}}, references);
  if (!jury) return fmt::print("{}: {}\n", seed, jury.error().message);
  const auto until = jury->first_panel().comparable_until();
  if (tables.verbose)
    fmt::print("{} width {} rate {:.3f} comparable until {}\n", seed, training.width, training.rate, until.value_or(-1));
  if (!until) return void(++tables.counts["no comparable part"].undecided);
  const auto judged = [&](const Curve& curve) { return jury->judge(std::span(&curve, 1)); };
  std::uint64_t make = mix(seed + 1);
  for (const Size& size : kHealthy)
    for (int device = 0; device < size.devices; ++device)
      tables.take(fmt::format("healthy {}", size.name), false,
                  judged(trained(training, {.make = ++make, .size = size.size, .products = size.products})), seed);
  const Fault& fault = kFaults[seed % kFaults.size()];
  const double healthy = level(references.front(), *until);
  for (const double wanted : kDoses) {
    double relative = wanted * 0.02, dose = 0;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      if (dose > 0) relative = std::clamp(relative * wanted / dose, relative / 10, std::min(0.9, relative * 10));
      Device wrong = trusted;
      wrong.wrong = fault.op;
      wrong.relative = relative;
      dose = std::abs(level(trained(training, wrong), *until) / healthy - 1) / kTarget;
      if (std::abs(std::log2(dose / wanted)) < 0.2) break;
    }
    const Device device{.make = ++make, .wrong = fault.op, .relative = relative};
    const Curve curve = trained(training, device);
    tables.take(rounded(dose), dose > 1, judged(curve), seed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int ensembles = argc > 1 ? std::atoi(argv[1]) : 20;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::int64_t steps = argc > 3 ? std::atoi(argv[3]) : 200;
  Tables tables;
  tables.verbose = argc > 4;
  for (int i = 0; i < ensembles; ++i) play(first + static_cast<std::uint64_t>(i), steps, tables);
  print(fmt::format("{} ensembles of eight references, {} steps", ensembles, steps).c_str(), tables.counts);
  print(tables.calibration);
}
