#include "driver/launch/job_script.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "configs/secret.hpp"
#include "configs/shell_word.hpp"

namespace bisectd::driver::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char *kStarted = "job.started", *kEnded = "job.ended", *kCancelled = "job.cancelled",
                     *kScriptFile = "job.sh";
constexpr char kMark = '\x01';  // stands in no argument that a person writes

/// Everything around the training. `{}` in it: folder, device lines, working directory, the words for env, stdout, stderr.
constexpr const char* kJobScript = R"sh(# Runs one attempt on the node that it was given.
folder={folder}
say() {{ printf '%s\n' "$2" > "$folder/$1.new" && mv -f "$folder/$1.new" "$folder/$1"; }}
if [ -e "$folder/job.started" ]; then
  # Submitted twice: the other job trains, or has trained, and what it comes to is not to be overwritten.
  [ "$(sed -n 2p "$folder/job.started")" = "${{SLURM_JOB_ID-}}" ] || exit 1
  say job.ended 'started-twice'; exit 1
fi
ids= why= terminated= training=
trap 'terminated=1; [ -z "$training" ] || kill -TERM "$training" 2>/dev/null' TERM
{devices}n=0
for id in $(printf %s "$ids" | tr , ' '); do eval "device_$n=\$id"; n=$((n + 1)); done
say job.started "${{ids:+$ids }}on ${{SLURMD_NODENAME:-$(uname -n)}}
${{SLURM_JOB_ID-}}"
if [ -n "$terminated" ]; then say job.ended 'terminated 0'; exit 143; fi
if [ -n "$why" ]; then say job.ended "not-started $why"; exit 1; fi
if ! cd {directory}; then say job.ended "not-started the folder of the training is not on $(uname -n)"; exit 1; fi
env {words} < /dev/null > {stdout} 2> {stderr} &
training=$!
[ -z "$terminated" ] || kill -TERM "$training"
wait "$training"; status=$?
while kill -0 "$training" 2>/dev/null; do wait "$training"; status=$?; done  # a signal cut the wait short
# A scheduler signals all processes of a job, one after another, and the training may have ended before this one hears of it.
[ -n "$terminated" ] || sleep 0.2 || sleep 0.2
if [ -n "$terminated" ]; then say job.ended "terminated $status"; exit 143; fi
if [ "$status" -gt 128 ]; then say job.ended "signalled $((status - 128))"; else say job.ended "exited $status"; fi
exit "$status"
)sh";

/// Quoted, with the devices that only the node knows.
std::string word(const std::string& text) {
  std::string quoted = configs::shell_word(text);
  for (std::size_t at; (at = quoted.find(kMark)) != std::string::npos;) {
    const std::size_t end = quoted.find(kMark, at + 1);
    if (end == std::string::npos) break;
    quoted.replace(at, end - at + 1, fmt::format("'\"$device_{}\"'", quoted.substr(at + 1, end - at - 1)));
  }
  return quoted;
}

/// The job's own variables of the scheduler stay; those of the session that bisectd runs in say something else.
bool is_of_scheduler(const std::string& name) { return name.starts_with("SLURM_"); }

bool is_hidden(const std::string& name, const std::string& value) {
  return configs::is_secret(name) || configs::holds_password(value);
}

/// Where a secret begins in argument `i` of the command, if it holds one.
std::optional<std::size_t> secret_in(const Job& job, std::size_t i) {
  return configs::secret_begin(i > 0 ? job.command[i - 1] : "", job.command[i]);
}

/// The variable by which the secret of argument `i` comes to the script.
std::string secret_variable(std::size_t i) { return fmt::format("BISECTD_SECRET_{}", i); }

std::string words_for_env(const Job& job, const std::map<std::string, std::string>& given) {
  std::string unset, set, command;
  for (const auto& [name, value] : given)
    if (!job.environment.contains(name) && !is_of_scheduler(name)) unset += "-u " + word(name) + " ";
  if (!job.device_variable.empty()) set += fmt::format("${{ids:+{}=\"$ids\"}} ", job.device_variable);
  for (const auto& [name, value] : job.environment)
    if (!is_of_scheduler(name) && !is_hidden(name, value)) set += word(name + "=" + value) + " \\\n  ";
  for (std::size_t i = 0; i < job.command.size(); ++i)
    if (const auto begin = secret_in(job, i)) {
      unset += "-u " + secret_variable(i) + " ";
      command += fmt::format("{}\"${}\" ", word(job.command[i].substr(0, *begin)), secret_variable(i));
    } else {
      command += word(job.command[i]) + " ";
    }
  return unset + set + command;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) throw std::system_error(std::make_error_code(std::errc::io_error), "cannot write " + file.string());
  fs::permissions(file, fs::perms::owner_all);
}

/// The first line of a file in the folder, if it is there; it is renamed into place, so it is never half.
std::optional<std::pair<std::string, fs::file_time_type>> line_in(const fs::path& folder, const char* name) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename() != name) continue;
    std::ifstream stream(entry->path(), std::ios::binary);
    std::string line;
    if (!std::getline(stream, line)) return std::nullopt;
    const auto when = fs::last_write_time(entry->path(), error);
    return error ? std::nullopt : std::optional(std::pair{line, when});
  }
  return std::nullopt;
}

}  // namespace

std::string device_of_job(int n) { return fmt::format("{}{}{}", kMark, n, kMark); }

fs::path folder_of(const Job& job) { return job.stdout_file.parent_path(); }

fs::path write_job_script(const Job& job, const Scheduler& scheduler, const std::map<std::string, std::string>& given) {
  const fs::path folder = folder_of(job), script = folder / kScriptFile, batch = folder / "batch.sh";
  write(script, fmt::format(fmt::runtime(kJobScript), fmt::arg("folder", configs::shell_word(folder.string())),
                            fmt::arg("devices", scheduler.device_lines()),
                            fmt::arg("directory", configs::shell_word(job.directory.string())),
                            fmt::arg("words", words_for_env(job, given)),
                            fmt::arg("stdout", configs::shell_word(job.stdout_file.string())),
                            fmt::arg("stderr", configs::shell_word(job.stderr_file.string()))));
  write(batch, "#!/bin/sh\nexec /bin/sh " + configs::shell_word(script.string()) + "\n");
  return batch;
}

std::map<std::string, std::string> secrets_of(const Job& job) {
  std::map<std::string, std::string> secrets;
  for (const auto& [name, value] : job.environment)
    if (is_hidden(name, value)) secrets[name] = value;
  for (std::size_t i = 0; i < job.command.size(); ++i)
    if (const auto begin = secret_in(job, i)) secrets[secret_variable(i)] = job.command[i].substr(*begin);
  return secrets;
}

std::optional<JobStarted> job_started(const fs::path& folder) {
  const auto text = line_in(folder, kStarted);
  return text ? std::optional(JobStarted{text->first, text->second}) : std::nullopt;
}

std::optional<JobOutcome> job_outcome(const fs::path& folder) {
  using How = JobOutcome::How;
  const auto text = line_in(folder, kEnded);
  if (!text) return std::nullopt;
  std::istringstream words(text->first);
  std::string how;
  words >> how;
  JobOutcome outcome{.when = text->second};
  if (how == "not-started") {
    std::getline(words >> std::ws, outcome.message);
    outcome.how = How::not_started;
  } else if (how == "started-twice") {
    outcome.how = How::started_twice;
  } else {
    outcome.how = how == "signalled" ? How::signalled : how == "terminated" ? How::terminated : How::exited;
    words >> outcome.code;
  }
  return outcome;
}

void note_cancelled(const fs::path& folder) { std::ofstream(folder / kCancelled) << "by bisectd\n"; }

bool may_be_submitted(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kScriptFile, ignored) && !fs::exists(folder / kCancelled, ignored);
}

}  // namespace bisectd::driver::launch
