#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/algorithm/string/replace.hpp>

#include "driver/record/program_version.hpp"

namespace bisectd::driver::commands {
namespace {

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

}  // namespace

void add_manual(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("manual", "print the manual page (roff)");
  command->callback([&app, &action] {
    action = [&app] {
      fmt::print("{}", page(app));
      return ExitCode::success;
    };
  });
}

}  // namespace bisectd::driver::commands
