#include "driver/commands/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "configs/suggest.hpp"

namespace bisectd::driver::commands {

namespace {

// Looked for only once the line was parsed, so that --help and the manual say the same in every folder.
void add_with_default(CLI::App& command, const std::string& name, std::string& value, const std::string& description,
                      const std::string& usual) {
  command.add_option(name, value, fmt::format("{} (default: {})", description, usual));
  command.parse_complete_callback([&value, name, usual] {
    if (!value.empty()) return;
    if (std::error_code error; !std::filesystem::exists(usual, error))
      throw CLI::ValidationError(fmt::format("{} is required, as there is no {} here", name, usual));
    value = usual;
  });
}

}  // namespace

CLI::App& add_subcommand(CLI::App& app, const char* name, const char* text, std::function<void()> given) {
  CLI::App& command = *app.add_subcommand(name, text);
  command.callback(std::move(given));
  return command;
}

void add_experiment(CLI::App& command, std::string& experiment, const std::string& description) {
  add_with_default(command, "EXPERIMENT", experiment, description, "experiment.yaml");
}

void add_run_directory(CLI::App& command, std::string& folder) {
  add_with_default(command, "DIR", folder, "the run directory", "bisectd-out/latest");
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const std::string all = fmt::format("{{{}}}", fmt::join(words, ","));
  const auto problem = [words, all](const std::string& word) -> std::string {
    if (std::ranges::count(words, word)) return {};
    const auto begins_so = [&](const std::string& one) { return !word.empty() && one.starts_with(word); };
    const auto longer = std::ranges::find_if(words, begins_so);
    const std::optional<std::string> near = longer != words.end() ? std::optional(*longer) : configs::nearest(word, words);
    return fmt::format("{} not in {}{}", word, all, near ? fmt::format("; did you mean '{}'?", *near) : "");
  };
  return {problem, all};
}

CLI::Validator number_in(double least, double most) {
  const CLI::Range range(least, most);
  return {[range](std::string& text) -> std::string {
            if (std::isnan(std::strtod(text.c_str(), nullptr))) return fmt::format("{} is no number", text);
            return range(text);
          },
          range.get_description()};
}

CLI::Validator percent_sign() {
  return {[](std::string& text) -> std::string {
            if (text.size() > 1 && text.ends_with('%')) text.pop_back();
            return {};
          },
          ""};
}

}  // namespace bisectd::driver::commands
