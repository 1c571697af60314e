// Many trainings of a net that is small enough for that (small_training.hpp), without any file or framework: healthy devices
// that round at 1e-7 to 5e-4, and faults of measured dose, judged by one plain log and by three references, of which two
// were moved. Nothing was tuned on them. bench_healthy judges curves of larger trainings.
// Arguments: [trainings = 20] [first seed = 1] [steps = 200] [verbose]
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

/// Mean of the loss over the last third.
double level(const Curve& curve) {
  const Series& loss = curve.series.at("loss");
  double sum = 0;
  for (std::size_t i = loss.size() - loss.size() / 3; i < loss.size(); ++i) sum += loss[i].value;
  return sum / static_cast<double>(loss.size() / 3);
}

struct Tables {
  std::map<std::string, Count> counts;
  Calibration calibration;
  bool verbose = false;

  void take(const std::string& label, bool bad, const Judgement& judgement, std::uint64_t seed) {
    add(counts[label], judgement);
    calibration.add(judgement.p_bad, bad);
    if (verbose)
      fmt::print("{} {:30} {:10} delta {:+.3f} p {:.3f} {}\n", seed, label, judgement.reason,
                 100 * judgement.delta.value_or(0), judgement.p_bad, judgement.text);
  }
};

/// A device with this fault, of the size that has this dose on the reference's own device, or nearly; with what it has.
std::pair<Device, double> device_of_dose(const Training& training, const Device& trusted, double healthy, Op op,
                                         double wanted) {
  Device wrong = trusted;
  wrong.wrong = op;
  wrong.relative = wanted * 0.02;
  double dose = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (dose > 0)
      wrong.relative = std::clamp(wrong.relative * wanted / dose, wrong.relative / 10, std::min(0.9, wrong.relative * 10));
    dose = std::abs(level(trained(training, wrong)) / healthy - 1) / kTarget;
    if (std::abs(std::log2(dose / wanted)) < 0.2) break;
  }
  return {wrong, dose};
}

void play(std::uint64_t seed, std::int64_t steps, std::array<Tables, 2>& tables) {
  const Training training(seed, steps);
  const Device trusted{.make = mix(seed)};
  std::vector<Curve> references;
  for (int perturbed = 0; perturbed < 3; ++perturbed) references.push_back(trained(training, trusted, perturbed));
  const std::vector<MetricRule> metrics{{"loss", false}};
  std::vector<Jury> juries;
  for (const std::size_t count : {1U, 3U}) {
    auto jury = Jury::seat({}, metrics, std::span(references).first(count));
    if (!jury) return fmt::print("{}: {}\n", seed, jury.error().message);
    juries.push_back(*std::move(jury));
  }
  const auto take = [&](const std::string& label, bool bad, const Curve& curve) {
    for (std::size_t i = 0; i < juries.size(); ++i) tables[i].take(label, bad, juries[i].judge(std::span(&curve, 1)), seed);
  };
  std::uint64_t make = mix(seed + 1);
  for (const Size& size : kHealthy)
    for (int device = 0; device < size.devices; ++device)
      take(fmt::format("healthy {}", size.name), false,
           trained(training, {.make = ++make, .size = size.size, .products = size.products}));
  const Fault& fault = kFaults[seed % kFaults.size()];
  const double healthy = level(references.front());
  for (const double wanted : kDoses) {
    auto [device, dose] = device_of_dose(training, trusted, healthy, fault.op, wanted);
    device.make = ++make;
    take(rounded(dose), dose > 1, trained(training, device));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int ensembles = argc > 1 ? std::atoi(argv[1]) : 20;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::int64_t steps = argc > 3 ? std::atoi(argv[3]) : 200;
  std::array<Tables, 2> tables;
  for (Tables& table : tables) table.verbose = argc > 4;
  for (int i = 0; i < ensembles; ++i) play(first + static_cast<std::uint64_t>(i), steps, tables);
  for (const std::size_t i : {0U, 1U}) {
    print(
        fmt::format("{} trainings of {} steps, {}", ensembles, steps, i == 0 ? "one plain log" : "three references").c_str(),
        tables[i].counts);
    print(tables[i].calibration);
  }
}
