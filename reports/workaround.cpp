#include "reports/workaround.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
namespace {

// What POSIX calls a name: anything else cannot be exported by a shell and would be run as something else.
bool is_variable(const std::string& name) {
  const auto fits = [](unsigned char c) { return c < 0x80 && (std::isalnum(c) != 0 || c == '_'); };
  return !name.empty() && std::ranges::all_of(name, fits) && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
}

std::string setting(const std::string& name, const std::string& statement) {
  return is_variable(name) ? statement : "# no shell can set " + plain(name);
}

}  // namespace

std::vector<std::string> workaround_statements(const Record& record) {
  std::vector<std::string> statements;
  for (const auto& [name, value] : record.workaround)
    statements.push_back(setting(name, fmt::format("export {}={}", name, shell_word(value))));
  for (const std::string& name : record.workaround_unset) statements.push_back(setting(name, "unset " + name));
  return statements;
}

std::vector<std::string> workaround_config_texts(const Record& record) {
  std::vector<std::string> texts;
  for (const auto& [file, key, value] : record.workaround_config)
    texts.push_back(fmt::format("{}: {}: {}", file, key, value));
  return texts;
}

std::string to_workaround(const Record& record) {
  std::string text = fmt::format("# bisectd {}, experiment {}, run {}\n# {}\n", plain(record.program_version),
                                 plain(record.experiment), plain(record.run_folder), verdict_sentence(record, plain));
  if (!has_workaround(record)) return text + "# So there is no workaround; this file changes nothing.\n";
  text += "# Source it in the shell that starts the training:  . ./workaround.sh\n";
  for (const std::string& statement : workaround_statements(record)) text += statement + "\n";
  if (!record.workaround_arguments.empty()) text += "# Arguments to add to the training command:\n";
  for (const std::string& argument : record.workaround_arguments) text += "#   " + plain(shell_word(argument)) + "\n";
  if (!record.workaround_config.empty()) text += "# Values to change in configuration files (file: key: value):\n";
  for (const std::string& setting : workaround_config_texts(record)) text += "#   " + plain(setting) + "\n";
  return text;
}

}  // namespace bisectd::reports
