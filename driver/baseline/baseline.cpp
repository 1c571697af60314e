#include "driver/baseline/baseline.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "configs/file_bytes.hpp"
#include "driver/judge/align.hpp"
#include "driver/keep/whole_number.hpp"
#include "driver/read/json_fault.hpp"

namespace bisectd::driver {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr int kMostIdentical = 100'000;  ///< further runs; each becomes a curve. A side makes up to 1,000 repeats
constexpr const char *kAccepted = "accepted_utc", *kRecorded = "recorded_utc";
constexpr std::string_view kFirstBytes = "{\n  \"bisectd_baseline\": ";
constexpr std::size_t kLooked =
    64;  ///< bytes at the start of a file: the first key, with any spaces that a formatter puts there

Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double value_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string word = json.get<std::string>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf") return kInfinity;
  if (word == "-inf") return -kInfinity;
  throw BadBaseline("'" + word + "' is no value");
}

std::string digest(const std::string& text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

/// "[20, 7.5, 7.6]": a step and what each run logged there; null where a run has no such step.
std::string points_text(const Baseline& baseline, const std::string& name) {
  std::vector<judge::Track> runs;
  for (const judge::Curve& run : baseline.runs)
    runs.push_back(run.series.contains(name) ? judge::tidy(run.series.at(name)) : judge::Track{});
  std::set<std::int64_t> steps;
  for (const judge::Track& run : runs) steps.insert(run.steps.begin(), run.steps.end());
  std::vector<std::size_t> next(runs.size(), 0);
  std::string text;
  for (const std::int64_t step : steps) {
    Json line = Json::array({step});
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool has = next[i] < runs[i].size() && runs[i].steps[next[i]] == step;
      line.push_back(has ? number(runs[i].values[next[i]++]) : Json(nullptr));
    }
    text += (text.empty() ? "      " : ",\n      ") + line.dump();
  }
  return text;
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace); }

/// One block per series, in the order of their names.
std::string all_points_text(const Baseline& baseline) {
  std::set<std::string> names;
  for (const judge::Curve& run : baseline.runs)
    for (const auto& [name, series] : run.series) names.insert(name);
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{}    {}: [\n{}\n    ]", text.empty() ? "" : ",\n", text_of(name), points_text(baseline, name));
  return text;
}

std::vector<judge::Curve> runs_of(const Json& points) {
  std::vector<judge::Curve> runs;
  for (const auto& [name, lines] : points.items())
    for (const Json& line : lines) {
      const std::int64_t step = keep::whole_number<std::int64_t>(line.at(0));
      runs.resize(std::max(runs.size(), line.size() - 1));
      for (std::size_t i = 1; i < line.size(); ++i)
        if (!line[i].is_null()) runs[i - 1].series[name].push_back({step, value_of(line[i])});
    }
  return runs;
}

/// The seeds of the runs' perturbations in the order of their columns, if any run has one.
std::string perturbed_text(const Baseline& baseline) {
  Json seeds = Json::array();
  for (const judge::Curve& run : baseline.runs) seeds.push_back(run.perturbed.value_or(0));
  const bool any =
      std::ranges::any_of(baseline.runs, [](const judge::Curve& run) { return run.perturbed.value_or(0) != 0; });
  if (!any) return "";
  return fmt::format("  \"perturbed\": {},\n", text_of(seeds));
}

/// All that the digest is over.
std::string body_of(const Baseline& baseline) {
  return fmt::format(
      "{}{},\n  \"model\": {},\n  \"metric\": {},\n  \"{}\": {},\n  \"noise\": {},\n  \"identical_repeats\": {},\n"
      "{}  \"versions\": {},\n{}  \"points\": {{\n{}\n  }},\n",
      kFirstBytes, kFormat, text_of(baseline.model), text_of(baseline.metric), baseline.recorded ? kRecorded : kAccepted,
      text_of(baseline.made_utc), baseline.noise ? text_of(number(*baseline.noise)) : "null", baseline.identical,
      perturbed_text(baseline), text_of(baseline.versions),
      baseline.facts.empty() ? "" : fmt::format("  \"checks\": {},\n", text_of(baseline.facts)), all_points_text(baseline));
}

Baseline baseline_of(const Json& json) {
  Baseline baseline;
  json.at("model").get_to(baseline.model);
  json.at("metric").get_to(baseline.metric);
  baseline.recorded = json.contains(kRecorded);
  json.at(baseline.recorded ? kRecorded : kAccepted).get_to(baseline.made_utc);
  if (!json.at("noise").is_null()) baseline.noise = value_of(json.at("noise"));
  baseline.identical = keep::whole_number<int>(json.at("identical_repeats"));
  if (baseline.identical < 0 || baseline.identical > kMostIdentical)
    throw BadBaseline(fmt::format("it is damaged: {} identical repeats", baseline.identical));
  json.at("versions").get_to(baseline.versions);
  baseline.facts = json.value("checks", baseline.facts);
  baseline.runs = runs_of(json.at("points"));
  if (baseline.runs.empty()) throw BadBaseline("it has no curve");
  std::vector<int> seeds(baseline.runs.size(), 0);
  if (json.contains("perturbed")) seeds = keep::whole_numbers<int>(json.at("perturbed"));
  if (seeds.size() != baseline.runs.size()) throw BadBaseline("its curves and their perturbations do not fit");
  for (std::size_t i = 0; i < seeds.size(); ++i) baseline.runs[i].perturbed = seeds[i];
  return baseline;
}

}  // namespace

std::string baseline_text(const Baseline& baseline) {
  const std::string body = body_of(baseline);
  return fmt::format("{}  \"digest\": \"{}\"\n}}\n", body, digest(body));
}

Baseline parse_baseline(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (!json.is_object() || !json.contains("bisectd_baseline")) throw BadBaseline("this is no baseline of bisectd");
    if (keep::whole_number<int>(json.at("bisectd_baseline")) != kFormat)
      throw BadBaseline(fmt::format("it was written by another bisectd (format {}, this one reads {})",
                                    json.at("bisectd_baseline").dump(), kFormat));
    // Over what was read, as it would be written: a formatter may have changed spaces, line ends and digits of the file.
    Baseline baseline = baseline_of(json);
    if (json.at("digest") != digest(body_of(baseline)))
      throw BadBaseline("it is damaged or was edited: its digest does not fit");
    return baseline;
  } catch (const nlohmann::json::exception& error) {
    throw BadBaseline("it is damaged: " + read::json_fault(text, error));
  } catch (const std::invalid_argument& error) {
    throw BadBaseline(fmt::format("it is damaged: {}", error.what()));
  }
}

bool looks_like_baseline(const std::filesystem::path& file) {
  std::string start = configs::bytes_in(file, kLooked);
  std::erase_if(start, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  return start.starts_with("{\"bisectd_baseline\":");
}

void add_runs(Baseline& baseline, const std::vector<judge::Curve>& curves) {
  for (const judge::Curve& curve : curves)
    if (std::ranges::any_of(baseline.runs, [&](const judge::Curve& run) { return judge::identical(run, curve); }))
      ++baseline.identical;
    else baseline.runs.push_back(curve);
}

std::vector<judge::Curve> curves_of(const Baseline& baseline) {
  std::vector<judge::Curve> curves = baseline.runs;
  for (int i = 0; i < baseline.identical; ++i) curves.push_back(curves.front());
  return curves;
}

}  // namespace bisectd::driver
