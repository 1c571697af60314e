#include "driver/commands/commands.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "configs/suggest.hpp"
#include "driver/commands/exit_code.hpp"
#include "driver/log/log.hpp"
#include "driver/record/program_version.hpp"

namespace bisectd::driver::commands {
namespace {

ExitCode complain(ExitCode code, const std::string& message) {
  log::error("bisectd: " + message);
  return code;
}

/// The word that was meant as a command, when there is none of that name.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return {};
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::ranges::count(names, arguments.front())) return {};
  const auto near = configs::nearest(arguments.front(), names);
  return fmt::format("there is no command '{}'{}", arguments.front(),
                     near ? fmt::format("; did you mean '{}'?", *near) : "; `bisectd --help` lists them");
}

/// The option that was meant, when the command has none of that name; or what was given beside what the command takes.
std::string unknown_argument(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!arguments.empty() && one->get_name() == arguments.front()) command = one;
  std::vector<std::string> known;
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::string shown = command == &app ? "bisectd" : "bisectd " + command->get_name();
  for (const std::string& argument : arguments) {
    if (argument == "--") return {};
    const std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || std::ranges::count(known, name)) continue;
    const auto near = configs::nearest(name, known);
    return fmt::format("`{}` has no option {}; {}", shown, name,
                       near ? fmt::format("did you mean {}?", *near) : fmt::format("`{} --help` lists them", shown));
  }
  return {};
}

ExitCode run_guarded(const Action& command) {
  try {
    return command();
  } catch (const std::exception&) {
    const Failure failure = failure_of(std::current_exception());
    if (!failure.message.empty()) log::error(failure.message);
    return failure.code;
  }
}

/// A result that did not reach its file must not look like one that did.
ExitCode with_output(ExitCode code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (errno == EPIPE || code == ExitCode::nobody_reads) return ExitCode::nobody_reads;
  return complain(ExitCode::infrastructure, "what was printed could not be written to stdout, which is full or closed");
}

/// The first line of a log.
std::string who_and_where(int argc, char** argv) {
  char host[256] = {};
  (void)::gethostname(host, sizeof host - 1);
  std::error_code ignored;
  return fmt::format("{}, process {} on {}, in {}: {}", version_line(), ::getpid(), host,
                     std::filesystem::current_path(ignored).string(), log::command_text({argv, argv + argc}));
}

}  // namespace

int dispatch(int argc, char** argv) {
  CLI::App app{
      "Finds the operators and flags that make a training lose accuracy on an NPU: it relaunches short "
      "trainings with suspects neutralised, compares each loss curve with the reference, and bisects."};
  app.set_version_flag("--version", version_line());
  app.require_subcommand(1);

  Action action;
  for (const auto add :
       {add_init,   add_check,  add_families, add_discover, add_align,      add_plan,   add_simulate, add_record,
        add_run,    add_resume, add_status,   add_report,   add_explain,    add_trial,  add_compare,  add_ci,
        add_accept, add_prune,  add_history,  add_schema,   add_completion, add_manual, add_version})
    add(app, action);

  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the progress may leave; the night goes on
  try {
    const std::vector<char*> words = with_candidates(argc, argv);
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      (void)app.exit(error);
      return static_cast<int>(with_output(ExitCode::success));
    }
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    std::string text = unknown_command(app, arguments);
    if (text.empty()) text = unknown_argument(app, arguments);
    if (text.empty() && arguments.empty()) text = "name a command; `bisectd --help` lists them";
    return static_cast<int>(complain(ExitCode::usage, text.empty() ? error.what() : text));
  }
  log::debug(who_and_where(argc, argv));
  const int code = static_cast<int>(with_output(run_guarded(action)));
  log::debug(fmt::format("exits with {}", code));
  log::close_file();
  return code;
}

}  // namespace bisectd::driver::commands
