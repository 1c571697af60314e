#include "driver/commands/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "configs/loader.hpp"
#include "configs/resolved.hpp"
#include "driver/conclusion.hpp"
#include "driver/experiment_changes.hpp"
#include "driver/keep/lock.hpp"
#include "driver/launch/local.hpp"
#include "driver/launch/strays.hpp"
#include "driver/loop.hpp"
#include "driver/run_tag.hpp"
#include "reports/console.hpp"
#include "reports/json.hpp"

namespace bisectd::driver::commands {
namespace {

namespace fs = std::filesystem;

bool wants_colour(const OutputOptions& output) {
  // Order of precedence: our own option, NO_COLOR, CLICOLOR_FORCE, then the terminal (conventions of no-color.org and
  // bixense.com/clicolors).
  const auto is_set = [](const char* name) { const char* value = std::getenv(name); return value && *value; };
  if (output.color != "auto") return output.color == "always";
  if (is_set("NO_COLOR")) return false;
  if (is_set("CLICOLOR_FORCE")) return true;
  const char* term = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) && term && std::string_view(term) != "dumb";
}

void print_result(const reports::Record& record, const OutputOptions& output) {
  const auto colour = wants_colour(output) ? reports::Colour::always : reports::Colour::never;
  fmt::print("{}", output.json ? reports::to_json(record) : reports::result_text(record, colour));
}

/// Drives a run directory to its end, whether it is new or was begun by an earlier bisectd.
int drive(configs::Experiment& experiment, const keep::RunDirectory& directory, bool accept_changes,
          const OutputOptions& output) {
  Progress progress(output.quiet);
  const keep::Lock lock(directory.folder());
  const bool is_new = !keep::RunDirectory::is_one(directory.folder());
  const std::string resolved = configs::resolved_yaml(experiment);
  History past;
  if (is_new) {
    past.started_utc = keep::utc_now();
    past.run_tag = make_run_tag(directory.folder());
  } else {
    past = read_history(directory.journal());
    refuse_changes(keep::read_file(directory.resolved_experiment()), resolved, accept_changes);
    if (const std::size_t strays = launch::sweep_strays(past.run_tag + "/"))
      progress.line(fmt::format("ended {} processes that an earlier bisectd left behind", strays));
  }
  launch::LocalLauncher launcher;
  Sides sides = prepare_sides(experiment, launcher, directory.folder(), past.run_tag);
  settle_toggles(experiment, sides.subject.environment);
  keep::write_file(directory.resolved_experiment(), resolved);
  keep::Journal journal(directory.journal(), past.whole_bytes);
  if (is_new) {
    journal.append(run_record(past.started_utc, past.run_tag, fs::absolute(experiment.file).string()));
    directory.point_latest_here();
  }
  progress.line(fmt::format("run directory: {}", directory.folder().string()));
  try {
    Loop loop(experiment, sides, directory, journal, std::move(past), launcher, progress);
    const reports::Record& record = loop.run();
    print_result(record, output);
    return exit_code(record.outcome);
  } catch (const Interrupted& interrupted) {
    progress.line(fmt::format("interrupted; go on with: bisectd resume {}", directory.folder().string()));
    return 128 + interrupted.signal_number;
  }
}

configs::Experiment load(const std::string& file) {
  try {
    return configs::load_experiment(file);
  } catch (const std::system_error& error) {
    throw UsageError(error.what());
  }
}

/// The run directory that `run --out OUT` means: OUT itself if it is one, the last one in it if that is of this
/// experiment and not finished, else none.
std::optional<keep::RunDirectory> to_go_on_with(const RunOptions& options, const std::string& name) {
  if (options.fresh) return std::nullopt;
  if (keep::RunDirectory::is_one(options.out)) return keep::RunDirectory::open(options.out);
  const fs::path latest = fs::path(options.out) / "latest";
  if (!keep::RunDirectory::is_one(latest)) return std::nullopt;
  keep::RunDirectory directory = keep::RunDirectory::open(latest);
  const bool same_name = directory.folder().filename().string().starts_with(name + "-");
  if (!same_name || read_history(directory.journal()).finished) return std::nullopt;
  return directory;
}

}  // namespace

int run_experiment(const RunOptions& options) {
  configs::Experiment experiment = load(options.experiment);
  if (const auto directory = to_go_on_with(options, experiment.name))
    return drive(experiment, *directory, options.accept_changes, options.output);
  std::optional<keep::RunDirectory> directory;
  try {
    directory = keep::RunDirectory::create(options.out, experiment.name);
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("cannot make a run directory in {}: {}", options.out, error.code().message()));
  }
  try {
    return drive(experiment, *directory, options.accept_changes, options.output);
  } catch (const configs::ConfigError&) {
    fs::remove_all(directory->folder());  // nothing was started: leave nothing behind
    throw;
  }
}

int resume_run(const ResumeOptions& options) {
  std::optional<keep::RunDirectory> directory;
  try {
    directory = keep::RunDirectory::open(options.folder);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
  configs::Experiment experiment = load(read_history(directory->journal()).experiment_file);
  return drive(experiment, *directory, options.accept_changes, options.output);
}

}  // namespace bisectd::driver::commands
