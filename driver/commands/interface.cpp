// What bisectd says of itself: completions for shells, the manual page, schemas, which one it is.
#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/split.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "configs/loader.hpp"
#include "configs/schema.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/record/program_version.hpp"
#include "reports/escape.hpp"
#include "reports/json.hpp"

namespace bisectd::driver::commands {

namespace {

struct OptionDoc {
  std::string short_name, long_name;  ///< with their dashes; one may be empty; both are for a positional argument
  std::string value;                  ///< DIR, TEXT, ...; empty for a flag
  std::vector<std::string> choices;   ///< the only words it takes; empty: any
  std::string text;
  std::string default_value;
  bool required = false;
};

struct CommandDoc {
  std::string name, text;
  std::vector<OptionDoc> options, positionals;
};

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

/// Every command that help shows, in its order.
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

using boost::algorithm::join;
using reports::shell_word;

std::vector<std::string> words_of(const OptionDoc& option) {
  std::vector<std::string> words;
  for (const std::string& name : {option.short_name, option.long_name})
    if (!name.empty()) words.push_back(name);
  return words;
}

/// The words a command's argument may be; empty: a file (or a folder, if it is called DIR).
const OptionDoc* argument_of(const CommandDoc& command) {
  return command.positionals.empty() ? nullptr : &command.positionals.front();
}

std::string bash_values(const OptionDoc& option) {
  if (!option.choices.empty()) return "compgen -W " + shell_word(join(option.choices, " ")) + " -- \"$word\"";
  return option.value == "DIR" ? "compgen -d -- \"$word\"" : "compgen -f -- \"$word\"";
}

std::string bash(const std::vector<CommandDoc>& commands) {
  std::vector<std::string> names;
  std::string values, arguments;
  for (const CommandDoc& command : commands) {
    names.push_back(command.name);
    std::vector<std::string> options;
    for (const OptionDoc& option : command.options) {
      for (const std::string& word : words_of(option)) {
        options.push_back(word);
        if (!option.value.empty())
          values +=
              fmt::format("    {}/{}) mapfile -t COMPREPLY < <({}); return ;;\n", command.name, word, bash_values(option));
      }
    }
    arguments += fmt::format("    {}) if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W {} -- \"$word\")",
                             command.name, shell_word(join(options, " ")));
    if (const OptionDoc* argument = argument_of(command))
      arguments += fmt::format("; else mapfile -t COMPREPLY < <({})", bash_values(*argument));
    arguments += "; fi ;;\n";
  }
  return fmt::format(
      "# bash completion of bisectd; for one session: source <(bisectd completion bash)\n"
      "_bisectd() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} command='' i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    if [[ ${{COMP_WORDS[i]}} != -* ]]; then command=${{COMP_WORDS[i]}}; break; fi\n"
      "  done\n"
      "  case $command/${{COMP_WORDS[COMP_CWORD-1]}} in\n{}  esac\n"
      "  case $command in\n"
      "    '') mapfile -t COMPREPLY < <(compgen -W {} -- \"$word\") ;;\n{}  esac\n"
      "}}\n"
      "complete -o filenames -F _bisectd bisectd\n",
      values, shell_word(join(names, " ") + " --help --version"), arguments);
}

/// Text inside a specification of zsh's _arguments.
std::string zsh_text(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) boost::replace_all(text, special, std::string("\\") + special);
  return text;
}

std::string zsh_values(const OptionDoc& option) {
  if (!option.choices.empty()) return "(" + join(option.choices, " ") + ")";
  return option.value == "DIR" ? "_files -/" : "_files";
}

std::string zsh(const std::vector<CommandDoc>& commands) {
  std::string names, cases;
  for (const CommandDoc& command : commands) {
    names += "    " + shell_word(command.name + ":" + zsh_text(command.text)) + "\n";
    cases += fmt::format("    {}) _arguments", command.name);
    for (const OptionDoc& option : command.options)
      for (const std::string& word : words_of(option)) {
        std::string specification = word + "[" + zsh_text(option.text) + "]";
        if (!option.value.empty()) specification += ":" + zsh_text(option.value) + ":" + zsh_values(option);
        cases += " \\\n      " + shell_word(specification);
      }
    if (const OptionDoc* argument = argument_of(command))
      cases += " \\\n      " + shell_word("1:" + zsh_text(argument->value) + ":" + zsh_values(*argument));
    cases += " ;;\n";
  }
  return fmt::format(
      "#compdef bisectd\n# zsh completion of bisectd; put it as _bisectd into a folder of $fpath\n"
      "_bisectd() {{\n  local -a commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $words[1] in\n{}  esac\n}}\n"
      // Found through $fpath it is read as the body of the function, at the first completion: that one is to be answered.
      "if [[ $funcstack[1] == _bisectd ]]; then _bisectd \"$@\"; else compdef _bisectd bisectd; fi\n",
      names, cases);
}

/// Text inside fish's single quotes.
std::string fish_word(std::string text) {
  boost::replace_all(text, "\\", "\\\\");
  boost::replace_all(text, "'", "\\'");
  return "'" + text + "'";
}

std::string fish(const std::vector<CommandDoc>& commands) {
  std::string text =
      "# fish completion of bisectd; put it as bisectd.fish into ~/.config/fish/completions\n"
      "complete -c bisectd -f\n";
  for (const CommandDoc& command : commands) {
    text += fmt::format("complete -c bisectd -n __fish_use_subcommand -a {} -d {}\n", command.name, fish_word(command.text));
    const std::string only =
        fmt::format("complete -c bisectd -n {}", fish_word("__fish_seen_subcommand_from " + command.name));
    for (const OptionDoc& option : command.options) {
      text += only;
      if (!option.short_name.empty()) text += " -s " + option.short_name.substr(1);
      if (!option.long_name.empty()) text += " -l " + option.long_name.substr(2);
      if (!option.choices.empty()) text += " -x -a " + fish_word(join(option.choices, " "));
      else if (!option.value.empty()) text += " -r -F";
      text += " -d " + fish_word(option.text) + "\n";
    }
    if (const OptionDoc* argument = argument_of(command))
      text += only + (argument->choices.empty() ? " -F" : " -a " + fish_word(join(argument->choices, " "))) + "\n";
  }
  return text;
}

/// Text that roff takes as it is: no escapes, no request at the start of a line, no hyphen where a minus is meant.
std::string roff(std::string text) {
  boost::replace_all(text, "\\", "\\e");
  boost::replace_all(text, "-", "\\-");
  if (text.starts_with('.') || text.starts_with('\'')) text.insert(0, "\\&");
  return text;
}

std::string option_text(const OptionDoc& option) {
  std::string head;
  for (const std::string& name : {option.short_name, option.long_name})
    if (!name.empty()) head += (head.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  if (!option.value.empty()) head += (head.empty() ? "\\fI" : " \\fI") + roff(option.value) + "\\fR";
  std::string text = ".TP\n" + head + "\n" + roff(option.text) + "\n";
  if (!option.default_value.empty()) text += roff("Default: " + option.default_value + ".") + "\n";
  return text;
}

std::string page(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH BISECTD 1 \"\" \"bisectd {}\" \"User Commands\"\n.SH NAME\nbisectd \\- finds what makes a training lose "
      "accuracy on an NPU\n.SH SYNOPSIS\n.B bisectd\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n"
      ".SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      kVersion, roff(app.get_description()));
  for (const CommandDoc& command : described(app)) {
    text += ".SS \"bisectd " + roff(command.name);
    for (const OptionDoc& argument : command.positionals)
      text += roff(argument.required ? " " + argument.value : " [" + argument.value + "]");
    text += "\"\n" + roff(command.text) + "\n";
    for (const OptionDoc& argument : command.positionals) text += option_text(argument);
    for (const OptionDoc& option : command.options) text += option_text(option);
  }
  return text + roff(app.get_footer()) + "\n";
}

struct InterfaceOptions {
  const CLI::App* app = nullptr;
  std::string what;  ///< which shell's completion, or which schema
  bool json = false;
};

ExitCode completion(const InterfaceOptions& options) {
  const auto commands = described(*options.app);
  fmt::print("{}", options.what == "bash" ? bash(commands) : options.what == "zsh" ? zsh(commands) : fish(commands));
  return ExitCode::success;
}

ExitCode manual(const InterfaceOptions& options) {
  fmt::print("{}", page(*options.app));
  return ExitCode::success;
}

ExitCode schema(const InterfaceOptions& options) {
  fmt::print("{}", options.what == "report" ? keep::read_file(configs::data_folder() / "schema/report.schema.json")
                                            : configs::experiment_schema());
  return ExitCode::success;
}

ExitCode version(const InterfaceOptions& options) {
  const nlohmann::ordered_json all{{"version", kVersion},
                                   {"commit", kCommit},
                                   {"architecture", kArchitecture},
                                   {"report_schema", reports::kSchemaVersion},
                                   {"experiment_schema", 1},
                                   {"presets", configs::preset_names()},
                                   {"data", configs::data_folder().string()}};
  fmt::print("{}\n", options.json ? all.dump(2) : version_line());
  return ExitCode::success;
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "completion", "print a completion script for a shell", completion);
  options.app = &app;
  command.add_option("SHELL", options.what, "bash, zsh or fish")->required()->check(one_of({"bash", "zsh", "fish"}));
}

void add_manual(CLI::App& app, Action& action) {
  add_command(app, action, "manual", "print the manual page (roff)", manual).second.app = &app;
}

void add_schema(CLI::App& app, Action& action) {
  const auto [command, options] = add_command(
      app, action, "schema", "print the JSON schema of experiment files, for editors, or of report.json", schema);
  options.what = "experiment";
  command.add_option("WHAT", options.what, "experiment or report")
      ->check(one_of({"experiment", "report"}))
      ->capture_default_str();
}

void add_version(CLI::App& app, Action& action) {
  const auto [command, options] = add_command(app, action, "version", "say which bisectd this is", version);
  command.add_flag("--json", options.json,
                   "one JSON document: version, commit, architecture, schemas, presets, where its data is");
}

}  // namespace bisectd::driver::commands
