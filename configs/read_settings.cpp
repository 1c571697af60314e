// Reads `metric`, `accept` and `search`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "configs/blocks.hpp"
#include "configs/formats.hpp"
#include "configs/pattern.hpp"
#include "configs/printable.hpp"
#include "configs/reading.hpp"
#include "configs/standards.hpp"
#include "configs/suggest.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

constexpr auto number_between(double least, double most) {
  return [=](const Value& value) { return number_of(value, least, most); };
}
constexpr auto whole_number_between(std::int64_t least, std::int64_t most) {
  return [=](const Value& value) { return whole_number_of(value, least, most); };
}

/// One of the right words, with the nearest if it is none.
void check_word(const Placed<std::string>& word, const std::string& what, const std::vector<std::string>& right,
                Problems& problems) {
  if (std::ranges::count(right, word.value)) return;
  const auto near = nearest(word.value, right);
  problems.add(word.place, fmt::format("unknown {} {}", what, in_quotes(word.value)),
               near ? fmt::format("did you mean `{}`?", *near) : fmt::format("known: {}", fmt::join(right, ", ")));
}

void read_file(MapReader& reader, Metric& metric, Problems& problems) {
  if (!reader.find("file") || !reader.read("file", text_of, metric.file.emplace())) return;
  if (!lies_in_folder(*metric.file))
    problems.add(reader.find("file")->place, "a metric's file must lie inside the attempt's own folder",
                 "let the training write to {attempt}, and name the file relative to it");
}

Metric read_metric(const std::string& name, const Value& block, Problems& problems) {
  Metric metric;
  metric.name = name;
  if (block.kind == Value::Kind::null) return metric;
  MapReader reader(block, "metric." + name, problems);
  const Value* format = reader.find("format");
  const Value* pattern = reader.find("pattern");
  if (format && pattern)
    problems.add(pattern->place, fmt::format("`{}` has `format` and `pattern`", reader.what()), "either is enough");
  bool has_step_key = false, needs_file = false;
  if (format && reader.read("format", placed_text_of, metric.format)) {
    std::vector<std::string> names;
    for (const MetricFormat& known : kMetricFormats) {
      names.emplace_back(known.name);
      if (known.name != metric.format.value) continue;
      has_step_key = known.has_step_key;
      needs_file = known.needs_file;
    }
    check_word(metric.format, "format", names, problems);
  }
  if (pattern) metric.pattern = read_pattern(*pattern, reader.what() + ".pattern", "value", {"step"}, problems);
  read_file(reader, metric, problems);
  if (needs_file && !metric.file)
    problems.add(metric.format.place, fmt::format("format {} needs `file`: it is not printed", metric.format.value),
                 "the file, or the folder it is written to, relative to {attempt}");
  if (reader.read("step_key", text_of, metric.step_key) && !has_step_key)
    problems.add(reader.find("step_key")->place, "`step_key` is only for the formats jsonl and csv");
  if (reader.read("value_key", text_of, metric.value_key) && pattern)
    problems.add(reader.find("value_key")->place, "`value_key` has no use beside a pattern");
  reader.read("higher_is_better", boolean_of, metric.higher_is_better);
  reader.refuse_other_keys();
  return metric;
}

}  // namespace

std::vector<Metric> read_metrics(const Value& block, Problems& problems) {
  std::vector<Metric> metrics;
  if (block.kind == Value::Kind::scalar) {  // metric: loss
    if (!is_plain_name(block.text))
      problems.add(block.place, in_quotes(block.text) + " is no name for a metric", "for example loss or acc");
    metrics.emplace_back().name = block.text;
    return metrics;
  }
  const MapReader reader(block, "metric", problems);
  for (const Value::Entry& entry : block.entries) {
    if (!is_plain_name(entry.key))
      problems.add(entry.place, in_quotes(entry.key) + " is no name for a metric", "for example loss or acc");
    metrics.push_back(read_metric(entry.key, entry.value, problems));
  }
  if (metrics.empty() && reader.is_map()) problems.add(block.place, "`metric` names none", "for example `metric: loss`");
  std::ranges::stable_partition(metrics, [](const Metric& metric) { return !metric.is_watched(); });
  if (!metrics.empty() && metrics.front().is_watched())
    problems.add(block.place, fmt::format("`metric` names only `{}`, which is watched but not judged", metrics.front().name),
                 "name a loss or a score too");
  return metrics;
}

Acceptance read_acceptance(const Value& block, Problems& problems) {
  Acceptance accept;
  MapReader reader(block, "accept", problems);
  Placed<std::string> goal;
  if (reader.read("goal", placed_text_of, goal)) check_word(goal, "goal", {"agrees", "runs"}, problems);
  // Of a misspelt word nothing else is said: `runs` asks for less, so no missing reference is told beside it.
  if (!goal.value.empty() && goal.value != "agrees") accept.goal = Goal::runs;
  reader.read("target", share_of, accept.target);
  reader.read("grey", number_between(1, 100), accept.grey);
  reader.read("worse_only", boolean_of, accept.worse_only);
  reader.read("whole", boolean_of, accept.whole);
  std::int64_t max_repeats = accept.max_repeats;
  reader.read("max_repeats", whole_number_between(1, 1000), max_repeats);
  accept.max_repeats = static_cast<int>(max_repeats);
  reader.read("window", share_of, accept.window);
  if (reader.read("trim", share_of, accept.trim) && accept.trim >= 0.5)
    problems.add(reader.find("trim")->place, "`accept.trim` must be below 50%: it is cut from both ends");
  reader.read("absolute_tolerance", number_between(0, 1e300), accept.absolute_tolerance);
  if (Placed<std::string> standard; reader.read("standard", placed_text_of, standard)) {
    check_word(standard, "standard", names_of_standards(), problems);
    accept.standard = standard_named(standard.value);
  }
  if (double most = 0; reader.read("step_time", increase_of, most)) accept.step_time = most;
  reader.refuse_other_keys();
  if (accept.goal == Goal::runs)
    for (const char* key :
         {"target", "grey", "worse_only", "whole", "window", "trim", "absolute_tolerance", "standard", "step_time"})
      if (const Value* unused = reader.find(key))
        problems.warn(unused->place,
                      fmt::format("`accept.{}` has no use beside `goal: runs`: a run that comes to `steps` passes", key));
  return accept;
}

SearchSettings read_search(const Value& block, Problems& problems) {
  SearchSettings search;
  MapReader reader(block, "search", problems);
  if (reader.read("confidence", share_of, search.confidence) && search.confidence < 0.5)
    problems.add(reader.find("confidence")->place, "`search.confidence` must be at least 50%");
  if (const Value* budget = reader.find("budget")) {
    MapReader limits(*budget, "search.budget", problems);
    if (limits.find("trials")) limits.read("trials", whole_number_between(1, 1'000'000), search.budget_trials.emplace());
    if (limits.find("hours")) {
      double& hours = search.budget_hours.emplace();
      if (limits.read("hours", number_between(0, 10'000), hours) && hours == 0)
        problems.add(limits.find("hours")->place, "`search.budget.hours` must be more than 0");
    }
    limits.refuse_other_keys();
  }
  std::int64_t seed = 1;
  if (reader.read("seed", whole_number_between(0, INT64_MAX), seed)) search.seed = static_cast<std::uint64_t>(seed);
  constexpr std::array<std::pair<const char*, EngineChoice>, 3> kEngines{
      {{"automatic", EngineChoice::automatic}, {"ordered", EngineChoice::ordered}, {"causes", EngineChoice::causes}}};
  constexpr std::array<std::pair<const char*, FixChoice>, 2> kFixes{
      {{"cheapest", FixChoice::cheapest}, {"fastest", FixChoice::fastest}}};
  const auto read_choice = [&](const char* key, const auto& choices, auto& chosen) {
    Placed<std::string> word;
    if (!reader.read(key, placed_text_of, word)) return;
    std::vector<std::string> names;
    for (const auto& [name, choice] : choices) {
      names.emplace_back(name);
      if (word.value == name) chosen = choice;
    }
    check_word(word, key, names, problems);
  };
  reader.read("signature_steps", whole_number_between(0, 1000), search.signature_steps);
  read_choice("engine", kEngines, search.engine);
  read_choice("fix", kFixes, search.fix);
  reader.refuse_other_keys();
  return search;
}

}  // namespace bisectd::configs
