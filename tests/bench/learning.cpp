// What is read of logs that nobody described, as JSON lines: bench_learning [--metric NAME] LOG...
// shuffled_logs.py compares it with what the logs were made from.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "driver/learn/reading.hpp"

using namespace bisectd::driver;

namespace {

nlohmann::json read(const std::string& file, const std::string& metric) {
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const std::size_t whole = text.find_last_of("\n\r") + 1;  // npos + 1 is 0
  learn::LogKinds log;
  log.feed(std::string_view(text).substr(0, whole));
  log.finish(std::string_view(text).substr(whole));
  nlohmann::json result{{"file", file}};
  try {
    const learn::Found found = learn::learn(log, metric);
    result["said"] = learn::said(found);
    result["counted"] = found.reading.step.empty();
    for (const learn::LogPoint& point : found.points)
      result["points"].push_back({point.step, std::isfinite(point.value.number)
                                                  ? nlohmann::json(point.value.number)
                                                  : nlohmann::json(fmt::format("{}", point.value.number))});
  } catch (const learn::Refusal& refusal) {
    result["refused"] = refusal.what();
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  std::string metric = "loss";
  int first = 1;
  if (argc > 2 && std::string(argv[1]) == "--metric") metric = argv[2], first = 3;
  for (int i = first; i < argc; ++i)
    fmt::print("{}\n", read(argv[i], metric).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}
