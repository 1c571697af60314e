// The user's text is one argument of bash and is given to `eval`: an open quote in it cannot swallow our own lines. The
// environment comes back through a file of its own, so whatever the text prints cannot be mistaken for it.
#include "driver/launch/shell_environment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

#include "configs/file_bytes.hpp"
#include "driver/keep/descriptor.hpp"
#include "driver/launch/run_to_end.hpp"
#include "driver/launch/strays.hpp"

namespace bisectd::driver::launch {
namespace {

/// $1: the user's text, $2: file for the environment, $3: file for the place of a failure. Lines are counted from the
/// one that holds `eval`: it must be the first. -E takes the trap into functions and sourced files. What we need is
/// positional, so that no variable of ours leaks.
constexpr const char* kSetupScript = R"(set -eE; trap 'printf "%s\n%s" "$LINENO" "$BASH_COMMAND" >"$3"' ERR; eval "$1"
trap - ERR
command -p env -0 >"$2"
)";

constexpr std::size_t kLastLines = 5;

std::string last_lines(const std::filesystem::path& file) {
  std::string text = configs::bytes_in(file);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::size_t begin = text.size();
  for (std::size_t lines = 0; lines < kLastLines && begin != std::string::npos && begin > 0; ++lines)
    begin = text.rfind('\n', begin - 1);
  return begin == std::string::npos || begin == 0 ? text : text.substr(begin + 1);
}

std::map<std::string, std::string> parse(std::string_view block, const std::map<std::string, std::string>& before) {
  std::map<std::string, std::string> environment;
  while (!block.empty()) {
    const std::string_view variable = block.substr(0, block.find('\0'));
    block.remove_prefix(std::min(variable.size() + 1, block.size()));
    const std::size_t equals = variable.find('=');
    if (equals != std::string_view::npos) environment.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  for (const char* const name : {"_", "SHLVL", "PWD", "OLDPWD", kAttemptVariable.data()}) {
    environment.erase(name);
    if (const auto old = before.find(name); old != before.end()) environment.insert(*old);
  }
  return environment;
}

/// Files of ours for one capture, removed at the end: an environment holds secrets.
struct Scratch {
  explicit Scratch(const std::filesystem::path& folder)
      : environment(folder / "setup.environment"), failure(folder / "setup.failure") {
    for (const auto& file : {environment, failure})
      keep::Descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(environment, ignored);
    std::filesystem::remove(failure, ignored);
  }
  const std::filesystem::path environment, failure;
};

std::string describe(const Ended& ended, const std::string& place, const std::string& last_words) {
  std::string text = "setup failed";
  if (const auto newline = place.find('\n'); newline != std::string::npos)
    text += fmt::format(" at line {}: {}", place.substr(0, newline), place.substr(newline + 1));
  text += ended.how == Ended::How::signalled ? fmt::format(" (killed by signal {})", ended.code)
                                             : fmt::format(" (exit code {})", ended.code);
  if (!last_words.empty()) text += ": " + last_words;
  return text;
}

}  // namespace

tl::expected<std::map<std::string, std::string>, std::string> capture_environment(Launcher& launcher,
                                                                                  const ShellSetup& setup) {
  const Scratch scratch(std::filesystem::absolute(setup.folder));
  Job job;
  job.command = {"bash",
                 "--noprofile",
                 "--norc",
                 "-c",
                 kSetupScript,
                 "setup",
                 setup.text,
                 scratch.environment.string(),
                 scratch.failure.string()};
  job.environment = setup.environment;
  job.directory = setup.directory;
  job.stdout_file = setup.folder / "setup.stdout.log";
  job.stderr_file = setup.folder / "setup.stderr.log";
  job.tag = setup.tag;
  job.grace = std::chrono::seconds{2};
  const auto ended = run_to_end(launcher, job, setup.timeout);
  const std::string last_words = last_lines(job.stderr_file);
  if (!ended) return tl::unexpected("setup was " + ended.error() + (last_words.empty() ? "" : "\n" + last_words));
  if (ended->how == Ended::How::not_started) return tl::unexpected("setup: " + ended->message);
  const std::string block = configs::bytes_in(scratch.environment);
  if (ended->how != Ended::How::exited || ended->code != 0)
    return tl::unexpected(describe(*ended, configs::bytes_in(scratch.failure), last_words));
  if (block.empty()) return tl::unexpected(std::string("setup left early, with `exit 0`: its environment is unknown"));
  return parse(block, setup.environment);
}

}  // namespace bisectd::driver::launch
