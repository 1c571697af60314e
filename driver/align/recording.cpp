#include "driver/align/recording.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "driver/keep/run_directory.hpp"
#include "driver/keep/whole_number.hpp"
#include "driver/read/json_fault.hpp"

namespace bisectd::driver::align {
namespace {

using nlohmann::json;

constexpr int kRecordingVersion = 1;
constexpr std::size_t kMostSampled = 4096;  ///< the shim takes 128

double number_in(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

Described described_in(const json& line) {
  Described tensor;
  tensor.shape = keep::whole_numbers<std::int64_t>(line.at("shape"));
  line.at("dtype").get_to(tensor.dtype);
  for (const auto& [key, target] :
       {std::pair{"min", &tensor.min}, std::pair{"max", &tensor.max}, std::pair{"mean", &tensor.mean},
        std::pair{"norm", &tensor.norm}, std::pair{"zeros", &tensor.zeros}})
    *target = number_in(line.at(key));
  tensor.nonfinite = keep::whole_number(line.at("nonfinite"));
  for (const json& one : line.at("sample")) tensor.sample.push_back(number_in(one));
  if (tensor.sample.size() > kMostSampled) throw std::invalid_argument("its sample is too large");
  return tensor;
}

std::optional<Described> described_or_none(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(described_in(value));
}

class RecordReader {
 public:
  void take(const json& line) {
    if (line.contains("run")) {
      perturbed_ = keep::whole_number<int>(line.at("perturbed"));
    } else if (line.contains("bisectd")) {
      begin(line);
    } else if (!open_) {
      throw std::invalid_argument("this is no recording of `bisectd align`");
    } else if (line.contains("value") && line.at("value").is_number()) {
      if (keep::whole_number(line.at("value")) != now().values.size())
        throw std::invalid_argument("its values are not in order");
      now().values.push_back({.value = described_in(line), .gradient = std::nullopt});
    } else if (line.contains("gradient") && line.at("gradient").is_number()) {
      const auto number = keep::whole_number(line.at("gradient"));
      if (number >= now().values.size()) throw std::invalid_argument("it is a gradient of a value that is not there");
      Value& value = now().values[number];
      value.gradient = described_in(line);
      value.arrived = ++arrived_;
    } else if (line.contains("call")) {
      take_call(line);
    } else if (line.contains("parameter")) {
      now().parameters.push_back({.name = line.at("parameter"),
                                  .module = line.at("module"),
                                  .value = described_in(line.at("value")),
                                  .gradient = described_or_none(line.at("gradient"))});
    } else if (line.contains("end")) {
      if (line.contains("passes")) now().passes = keep::whole_number<int>(line.at("passes"));
      open_ = false;
    } else {
      throw std::invalid_argument("it is none of the lines of a recording");
    }
  }

  std::vector<Recording> finish() {
    if (open_ || runs_.empty()) throw std::invalid_argument("it is cut off");
    return std::move(runs_);
  }

 private:
  Recording& now() { return runs_.back(); }

  void begin(const json& line) {
    if (open_) throw std::invalid_argument("a run begins before the one before it ends");
    if (line.at("bisectd") != "align") throw std::invalid_argument("this is no recording of `bisectd align`");
    if (keep::whole_number<int>(line.at("version")) > kRecordingVersion)
      throw std::invalid_argument("it was written by a newer bisectd");
    runs_.push_back({.perturbed = perturbed_,
                     .framework = line.at("framework"),
                     .passes = 1,
                     .values = {},
                     .calls = {},
                     .parameters = {}});
    open_ = true;
    arrived_ = 0;
    perturbed_ = 0;
  }

  void take_call(const json& line) {
    Call call{.module = line.at("call"),
              .number = keep::whole_number<int>(line.at("number")),
              .class_name = line.at("class"),
              .inside = {},
              .draws = line.value("draws", false),
              .in = keep::whole_numbers(line.at("in")),
              .out = keep::whole_numbers(line.at("out"))};
    if (!line.at("inside").is_null()) line.at("inside").get_to(call.inside);
    for (const auto* indices : {&call.in, &call.out})
      for (const std::size_t index : *indices)
        if (index >= now().values.size()) throw std::invalid_argument("it names a value that is not there");
    now().calls.push_back(std::move(call));
  }

  std::vector<Recording> runs_;
  bool open_ = false;
  int perturbed_ = 0;
  std::size_t arrived_ = 0;
};

}  // namespace

std::vector<Recording> read_recordings(const std::filesystem::path& file) {
  std::istringstream lines(keep::read_file(file));
  RecordReader reader;
  std::size_t number = 0;
  try {
    for (std::string line; std::getline(lines, line);) {
      ++number;
      reader.take(json::parse(line));
    }
    return reader.finish();
  } catch (const json::parse_error&) {
    throw std::runtime_error(
        fmt::format("{}:{}: this is no recording of `bisectd align`: not JSON lines", file.string(), number));
  } catch (const json::exception& error) {
    throw std::runtime_error(
        fmt::format("{}:{}: no line of a recording: {}", file.string(), number, read::json_fault("", error)));
  } catch (const std::logic_error& error) {  // ours, and an index that is out of range
    throw std::runtime_error(fmt::format("{}:{}: {}", file.string(), number, error.what()));
  }
}

std::string run_line(int perturbed) { return json{{"run", "reference"}, {"perturbed", perturbed}}.dump() + "\n"; }

}  // namespace bisectd::driver::align
