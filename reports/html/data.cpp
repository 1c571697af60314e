#include "reports/html/data.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "reports/thin.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kChartPoints = 2000;       // more than a screen has columns
constexpr std::size_t kPointsOfTrials = 40'000;  // all trials together: bounds the page and the time to write it

Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0;
  const double scale = std::pow(10, 5 - std::floor(std::log10(std::abs(value))));
  const double short_value = std::round(value * scale) / scale;
  return std::isfinite(short_value) ? short_value : value;
}

Json points(const Line& curve, std::size_t limit) {
  const Line line = thinned(curve, limit);
  Json values = Json::array();
  for (const double value : line.values) values.push_back(rounded(value));
  return {{"steps", line.steps}, {"values", std::move(values)}};
}

void append(Json& lines, const char* name, const Line& curve) {
  if (curve.values.empty()) return;
  Json line = points(curve, kChartPoints);
  line["name"] = name;
  lines.push_back(std::move(line));
}

/// A line relative to another one with the same steps, which is nowhere 0; else empty.
Line relative(const Line& line, const Line& to) {
  Line result;
  if (line.steps != to.steps || std::ranges::count(to.values, 0.0)) return result;
  result.steps = line.steps;
  for (std::size_t i = 0; i < line.values.size(); ++i)
    result.values.push_back((line.values[i] - to.values[i]) / std::abs(to.values[i]));
  return result;
}

Json charts(const Record& record) {
  Json all = Json::array();
  const auto add = [&](const std::string& id, Json lines) {
    if (!lines.empty()) all.push_back({{"id", id}, {"lines", std::move(lines)}});
  };
  Json curves = Json::array();
  append(curves, "reference", record.reference_curve);
  append(curves, "lowest reference", record.reference_low);
  append(curves, "range of the references", record.reference_high);
  append(curves, "as it is", record.as_is_curve);
  append(curves, "fix", record.fix_curve);
  add("curves", std::move(curves));
  Json differences = Json::array();
  if (!record.as_is_difference.values.empty()) {  // how far healthy runs are apart, as the background
    append(differences, "lowest reference", relative(record.reference_low, record.reference_curve));
    append(differences, "range of the references", relative(record.reference_high, record.reference_curve));
  }
  append(differences, "as it is", record.as_is_difference);
  append(differences, "fix", record.fix_difference);
  add("differences", std::move(differences));
  for (std::size_t i = 0; i < record.other_metrics.size(); ++i) {
    Json lines = Json::array();
    append(lines, "reference", record.other_metrics[i].reference);
    append(lines, "as it is", record.other_metrics[i].as_is);
    append(lines, "fix", record.other_metrics[i].fix);
    add("other-" + std::to_string(i), std::move(lines));
  }
  return all;
}

Json timeline(const Record& record) {
  Json bars = Json::array();
  for (const Trial& trial : record.trials)
    for (const Attempt& attempt : trial.attempts) {
      const bool ended = !trial.running || attempt.duration_s > 0;
      const double end = ended ? attempt.started_s + attempt.duration_s : record.elapsed_s;
      bars.push_back({{"trial", trial.number},
                      {"device", attempt.device.empty() ? "no device" : plain(attempt.device)},
                      {"verdict", state_word(trial)},
                      {"start", rounded(attempt.started_s)},
                      {"end", rounded(end)}});
    }
  return bars;
}

Json ladders(const Record& record) {
  Json all = Json::array();
  for (const Ladder& ladder : record.ladders) {
    Json values = Json::array(), deltas = Json::array(), verdicts = Json::array();
    for (const Rung& rung : ladder.rungs) {
      values.push_back(plain(rung.value));
      deltas.push_back(rung.delta ? rounded(*rung.delta) : Json(nullptr));
      verdicts.push_back(verdict_word(rung.verdict));
    }
    all.push_back({{"values", std::move(values)}, {"deltas", std::move(deltas)}, {"verdicts", std::move(verdicts)}});
  }
  return all;
}

Json trials(const Record& record) {
  Json all = Json::array();
  const std::size_t share = kPointsOfTrials / std::max<std::size_t>(record.trials.size(), 1);
  const std::size_t limit = std::clamp<std::size_t>(share, 50, 1000);
  for (const Trial& trial : record.trials) {
    if (trial.attempts.empty()) continue;
    Json one = points(trial.attempts.back().curve, limit);
    one["number"] = trial.number;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::string chart_data(const Record& record) {
  const auto end = comparable_end(record);
  const Json data{{"metric", plain(record.metric)},
                  {"target", rounded(record.target)},
                  {"comparable_end", end ? Json(*end) : Json(nullptr)},
                  {"charts", charts(record)},
                  {"timeline", timeline(record)},
                  {"ladders", ladders(record)},
                  {"trials", trials(record)}};
  std::string text;
  // Inside a script element only "<" could end it or open a comment; outside strings JSON has none.
  for (const char c : data.dump(-1, ' ', true, Json::error_handler_t::replace))
    if (c == '<') text += "\\u003c";
    else text += c;
  return text;
}

}  // namespace bisectd::reports
