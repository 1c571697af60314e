// How long writing the content of a trial's files takes, in time of the processor: generating NAMES TRIALS (1000 1000).
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "driver/neutralise/generated_file.hpp"

using namespace bisectd;

namespace {

double milliseconds(const configs::Delivery& deliver, const std::vector<std::string>& names, int trials,
                    std::size_t& bytes) {
  const std::clock_t start = std::clock();
  for (int i = 0; i < trials; ++i) bytes = driver::neutralise::file_of_names(deliver, names).size();
  return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / trials;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int trials = argc > 2 ? std::atoi(argv[2]) : 1000;
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(fmt::format("MatmulBiasAddNumber{}FusionPass", i));
  fmt::print("{:40} {:>10} {:>12}\n", fmt::format("content of a file with {} names", count), "target ms", "measured ms");
  const std::pair<const char*, configs::FileTemplate> files[] = {
      {"fusion_switch.cfg, JSON", {"f", true, R"({"Switch":{"GraphFusion":{"{name}":"off"},"UBFusion":{"{name}":"off"}}})"}},
      {"fusion_switch.cfg, text", {"f", false, "{name}:off\n"}},
      {"modify_mixlist", {"f", true, R"({"black-list":{"to-add":["{name}"]}})"}},
      {"op_precision_mode", {"f", false, "[ByOpType]\n{name}=high_precision\n"}}};
  for (const auto& [label, file] : files) {
    configs::Delivery deliver{.environment = "F"};
    deliver.file = file;
    std::size_t bytes = 0;
    const double ms = milliseconds(deliver, names, trials, bytes);
    fmt::print("{:40} {:>10} {:>12.3f}   ({} bytes)\n", label, 1, ms, bytes);
  }
}
