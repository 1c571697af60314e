#include "driver/commands/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "configs/printable.hpp"
#include "configs/suggest.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/record/past_results.hpp"
#include "reports/escape.hpp"
#include "reports/words.hpp"

namespace bisectd::driver::commands {
namespace {

namespace fs = std::filesystem;

struct HistoryOptions {
  std::string path = "bisectd-out";
  std::string model;
  bool json = false;
};

std::string name_text(const reports::Name& name) { return reports::plain(name.family + ":" + name.name); }

std::string culprits_text(const PastResult& result) {
  std::vector<std::string> names;
  for (const reports::Name& name : result.culprits) names.push_back(name_text(name));
  return fmt::format("{}", fmt::join(names, ", "));
}

void print_table(const std::vector<PastResult>& results) {
  std::size_t width = 5;
  for (const PastResult& result : results) width = std::max(width, configs::columns(reports::plain(result.model)));
  std::map<std::string, std::pair<std::size_t, std::set<std::string>>> guilty;  // times, and in which models
  for (const PastResult& result : results) {
    fmt::print("{}  {}  {:<16}  {:>12}  {}\n", reports::plain(result.utc),
               configs::filled_behind(reports::plain(result.model), width), reports::outcome_word(result.outcome),
               reports::percent_text(result.delta), culprits_text(result));
    for (const reports::Name& name : result.culprits) {
      auto& [times, models] = guilty[name_text(name)];
      ++times;
      models.insert(reports::plain(result.model));
    }
  }
  if (guilty.empty()) return;
  fmt::print("\nGuilty so far\n");
  std::vector<std::pair<std::string, std::pair<std::size_t, std::set<std::string>>>> ranked(guilty.begin(), guilty.end());
  std::ranges::stable_sort(ranked, std::ranges::greater{}, [](const auto& entry) { return entry.second.first; });
  for (const auto& [name, seen] : ranked)
    fmt::print("  {}: {} {}, in {}\n", name, seen.first, seen.first == 1 ? "time" : "times", fmt::join(seen.second, ", "));
}

void print_json(const std::vector<PastResult>& results) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const PastResult& result : results) {
    nlohmann::ordered_json culprits = nlohmann::ordered_json::array();
    for (const reports::Name& name : result.culprits) culprits.push_back({{"family", name.family}, {"name", name.name}});
    all.push_back({{"utc", result.utc},
                   {"model", result.model},
                   {"outcome", reports::outcome_word(result.outcome)},
                   {"metric", result.metric},
                   {"delta", result.delta ? nlohmann::ordered_json(*result.delta) : nlohmann::ordered_json()},
                   {"culprits", std::move(culprits)},
                   {"versions", result.versions},
                   {"run_folder", result.run_folder},
                   {"trials", result.trials},
                   {"elapsed_s", result.elapsed_s}});
  }
  fmt::print("{}\n", all.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

ExitCode history(const HistoryOptions& options) {
  const fs::path file = fs::is_directory(options.path) ? fs::path(options.path) / "history.jsonl" : fs::path(options.path);
  if (!fs::exists(file)) throw UsageError(fmt::format("there is no history at {}", file.string()));
  std::vector<PastResult> results = read_results(file);
  if (!options.model.empty()) {
    std::vector<std::string> models;
    for (const PastResult& result : results) models.push_back(result.model);
    std::erase_if(results, [&](const PastResult& result) { return result.model != options.model; });
    const auto near = configs::nearest(options.model, models);
    if (results.empty())
      throw UsageError(fmt::format("the history has no model '{}'{}", options.model,
                                   near ? fmt::format("; did you mean '{}'?", *near) : ""));
  }
  options.json ? print_json(results) : print_table(results);
  return ExitCode::success;
}

}  // namespace

void add_history(CLI::App& app, Action& action) {
  const auto [command, options] = add_command(
      app, action, "history", "list the results of earlier runs, and how often each culprit was guilty", history);
  command.add_option("PATH", options.path, "the history file, or the folder it is in")->capture_default_str();
  command.add_option("--model", options.model, "only results of this experiment");
  command.add_flag("--json", options.json, "one JSON document instead of text");
}

}  // namespace bisectd::driver::commands
