#include "driver/commands/interface.hpp"

#include <CLI/CLI.hpp>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

namespace bisectd::driver::commands {
namespace {

/// CLI11 writes the words that an option takes into its type: "TEXT:{auto,always,never}".
void set_value(OptionDoc& doc, const CLI::Option& option) {
  const std::string type = option.get_type_size_max() == 0 ? "" : option.get_type_name();
  const auto open = type.find(":{");
  doc.value = type.substr(0, open);
  if (open == std::string::npos || type.back() != '}') return;
  const std::string words = type.substr(open + 2, type.size() - open - 3);
  boost::split(doc.choices, words, boost::is_any_of(","));
}

OptionDoc doc_of(const CLI::Option& option) {
  OptionDoc doc;
  if (!option.get_snames().empty()) doc.short_name = "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) doc.long_name = "--" + option.get_lnames().front();
  set_value(doc, option);
  doc.text = option.get_description();
  doc.default_value = option.get_default_str();
  doc.required = option.get_required();
  if (option.get_positional()) doc.value = option.get_name(true);
  return doc;
}

}  // namespace

std::vector<CommandDoc> described(const CLI::App& app) {
  std::vector<CommandDoc> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    CommandDoc doc{command->get_name(), command->get_description(), {}, {}};
    for (const CLI::Option* option : command->get_options())
      (option->get_positional() ? doc.positionals : doc.options).push_back(doc_of(*option));
    commands.push_back(std::move(doc));
  }
  return commands;
}

}  // namespace bisectd::driver::commands
