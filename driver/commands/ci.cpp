#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "configs/loader.hpp"
#include "configs/resolved.hpp"
#include "configs/suggest.hpp"
#include "driver/commands/drive.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/output.hpp"
#include "driver/commands/seen_run.hpp"
#include "driver/launch/interrupted.hpp"
#include "driver/launch/local.hpp"
#include "driver/launch/strays.hpp"
#include "driver/log/log.hpp"
#include "driver/loop/replay.hpp"
#include "driver/record/past_results.hpp"
#include "driver/record/setup_files.hpp"
#include "driver/suite/suite_file.hpp"
#include "driver/suite/suite_run.hpp"
#include "driver/suite/suite_state.hpp"
#include "driver/trial/inherited_settings.hpp"
#include "reports/junit.hpp"

namespace bisectd::driver::commands {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using reports::EntryState;
using reports::SuiteEntry;

constexpr const char* kHowToGoOn = "go on with the same command";

struct CiOptions {
  std::string suite;
  std::string out = "bisectd-out";
  std::vector<std::string> only;
  bool changed_only = false;
  bool fresh = false;
  std::string color = "auto";
};

/// What no other model may use meanwhile.
std::set<std::string> devices_of(const configs::Experiment& experiment) {
  std::set<std::string> names;
  if (!experiment.subject.slurm)
    names.merge(launch::device_names(experiment.subject.devices));  // else its scheduler shares them out
  if (!experiment.reference.is_recorded() && !experiment.reference.slurm)
    names.merge(launch::device_names(experiment.reference.devices));
  return names;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// In the folder of a model: why its bisectd ended without a result, written by that.
constexpr const char* kErrorFile = "error.txt";

class Ci {
 public:
  explicit Ci(const CiOptions& options)
      : options_(options), file_(load_suite_file(options.suite)), history_(fs::path(options.out) / "history.jsonl") {}

  ExitCode operator()() {
    load_models();
    suite::SuiteState state = suite::SuiteState::open(options_.out, file_.name, options_.only, options_.fresh);
    state_ = &state;
    log::open_file(state.folder());
    launch::sweep_strays(state.tag() + "/");
    record_.name = file_.name;
    record_.folder = state.folder().string();
    record_.started_utc = state.started_utc();
    log::info(fmt::format("suite directory: {}", record_.folder));
    if (state.goes_on())
      log::info(fmt::format("goes on with the suite of {}, which was not finished; --new starts anew", state.started_utc()));
    read_history_file();
    for (std::size_t i = 0; i < record_.entries.size(); ++i) look_back(record_.entries[i], experiments_[i]);
    const suite::SuiteEnd end = run_what_is_left();
    if (end == suite::SuiteEnd::out_of_time) give_up_waiting();
    record_.elapsed_s = elapsed_s();
    state.session_ended(record_.elapsed_s, end != suite::SuiteEnd::signal && !any_ended_by_signal_);
    write();
    if (end == suite::SuiteEnd::signal) throw Interrupted(signal_number_, kHowToGoOn);
    const bool coloured = wants_colour({.color = options_.color});
    fmt::print("{}", reports::suite_text(record_, coloured ? reports::Colour::always : reports::Colour::never));
    return exit_code(reports::suite_outcome(record_));
  }

 private:
  static suite::SuiteFile load_suite_file(const std::string& file) {
    try {
      return suite::load_suite(file);
    } catch (const std::system_error& error) {
      throw UsageError(error.what());
    }
  }

  /// Every model of the suite; one whose experiment is wrong cannot be judged, and does not keep the others back.
  void load_models() {
    for (const auto& written : file_.experiments) {
      SuiteEntry entry{.model = fs::path(written.value).stem().string()};
      std::optional<configs::Experiment> experiment;
      try {
        experiment = load(written.value);
        entry.model = experiment->name;
      } catch (const configs::ConfigError& error) {
        entry.state = EntryState::unjudged;
        entry.problem = first_line(configs::render(error));
      }
      if (std::ranges::count(record_.entries, entry.model, &SuiteEntry::model))
        throw configs::ConfigError({{written.place, fmt::format("two experiments are called `{}`", entry.model), ""}});
      record_.entries.push_back(std::move(entry));
      experiments_.push_back(std::move(experiment));
    }
    keep_only();
  }

  void keep_only() {
    std::vector<std::string> models;
    for (const SuiteEntry& entry : record_.entries) models.push_back(entry.model);
    for (const std::string& wanted : options_.only)
      if (!std::ranges::count(models, wanted)) {
        const auto near = configs::nearest(wanted, models);
        throw UsageError(
            fmt::format("the suite has no model '{}'{}", wanted, near ? fmt::format("; did you mean '{}'?", *near) : ""));
      }
    for (std::size_t i = models.size(); !options_.only.empty() && i-- > 0;)
      if (!std::ranges::count(options_.only, models[i])) {
        record_.entries.erase(record_.entries.begin() + static_cast<std::ptrdiff_t>(i));
        experiments_.erase(experiments_.begin() + static_cast<std::ptrdiff_t>(i));
      }
  }

  /// Without it there are no trends, and no model can be left out; it must not cost the night.
  void read_history_file() {
    try {
      results_ = read_results(history_);
    } catch (const std::exception& error) {
      log::warning(fmt::format("warning: {}", error.what()));
    }
  }

  /// The model's trend, and whether it can be left out.
  void look_back(SuiteEntry& entry, const std::optional<configs::Experiment>& experiment) {
    const PastResult* last = nullptr;
    for (const PastResult& result : results_)
      if (result.model == entry.model) {
        entry.past.push_back({result.utc, result.outcome, result.delta});
        last = &result;
      }
    if (!options_.changed_only || !experiment || !last || last->outcome != reports::Outcome::aligned ||
        last->digest != digest_of(*experiment, settings_of_shell(*experiment)))
      return;
    const fs::path folder = state_->folder() / "versions" / entry.model;
    const suite::Upgrade upgrade = suite::upgrade_since(last->versions, *experiment, folder, state_->tag());
    if (!upgrade.changes.empty()) {
      log::info(fmt::format("{}: {} since it agreed on {}", entry.model, upgrade.changes, last->utc));
      return;
    }
    if (!upgrade.unseen.empty()) {
      log::info(fmt::format("{}: run all the same, an upgrade would not be seen: {}", entry.model, upgrade.unseen));
      return;
    }
    entry.state = EntryState::unchanged;
    entry.problem = "nothing changed since it agreed on " + last->utc;
  }

  suite::SuiteEnd run_what_is_left() {
    std::vector<suite::Model> models;
    for (std::size_t i = 0; i < record_.entries.size(); ++i) {
      SuiteEntry& entry = record_.entries[i];
      if (entry.state != EntryState::waiting) {
        log::info(reports::entry_line(entry));
        continue;
      }
      const auto code = state_->code_of(entry.model);
      const std::string change = change_since_begun(entry.model, *experiments_[i]);
      if (code && change.empty()) {
        take_in(entry.model, *code, "");
        continue;
      }
      std::vector<std::string> command{fs::read_symlink("/proc/self/exe").string(),
                                       "run",
                                       experiments_[i]->file,
                                       "--out",
                                       state_->folder_of(entry.model).string(),
                                       "--history",
                                       fs::absolute(history_).string(),
                                       "--error-file",
                                       (state_->folder_of(entry.model) / kErrorFile).string()};
      if (!change.empty()) {
        log::info(fmt::format("{}: {}: once more", entry.model, change));
        command.push_back("--new");
      }
      models.push_back({.name = entry.model,
                        .command = std::move(command),
                        .devices = devices_of(*experiments_[i]),
                        .folder = state_->folder_of(entry.model)});
    }
    launch::LocalLauncher launcher;
    const suite::SuiteHooks hooks{
        .started =
            [&](const suite::Model& model) {
              fs::remove(model.folder / kErrorFile);
              log::info(model.name + ": started");
            },
        .ended =
            [&](const suite::Model& model, const launch::Ended& ended) {
              const bool exited = ended.how == launch::Ended::How::exited;
              const int code = exited ? ended.code : static_cast<int>(after_signal(ended.code));
              const bool came_to_its_end =
                  !is_after_signal(code);  // else it was killed or asked to end: the next ci goes on
              any_ended_by_signal_ |= !came_to_its_end;
              if (came_to_its_end) state_->model_ended(model.name, code);
              take_in(model.name, code, ended.message);
              record_.elapsed_s = elapsed_s();
              write();
            },
        .left = [](const suite::Model& model) { log::warning(model.name + ": it could not be ended, and may still run"); },
        .out_of_time = [&] { return file_.budget_hours && elapsed_s() >= *file_.budget_hours * 3600; }};
    const suite::SuiteEnd end = suite::run_models(std::move(models), launcher, state_->tag(), hooks);
    signal_number_ = launcher.signal_number();
    return end;
  }

  /// Why the run that an earlier session of this suite made of the model, or began, says nothing of the model as it is
  /// today; empty if it does, or if there is none.
  std::string change_since_begun(const std::string& model, const configs::Experiment& experiment) {
    const fs::path latest = state_->folder_of(model) / "latest";
    if (!keep::RunDirectory::is_one(latest)) return "";
    try {
      const SeenRun run = see_run(latest.string());
      const auto is_newer = [&](const PastResult& result) {
        return result.model == model && result.utc > run.history.started_utc;
      };
      if (std::ranges::any_of(results_, is_newer)) return "it was judged again since";
      const auto its_result = std::ranges::find(results_, run.directory.folder().string(), &PastResult::run_folder);
      if (keep::read_file(run.directory.resolved_experiment()) != configs::resolved_yaml(experiment))
        return "its experiment or preset was changed since";
      if (run.history.setup_files && *run.history.setup_files != setup_files(experiment))
        return "a file that its `setup` names was changed since";
      const auto of_shell = settings_of_shell(experiment);
      if (run.history.inherited && *run.history.inherited != of_shell)
        return "what the shell sets of the subject was changed since";
      const bool has_other_recording =
          !run.history.recording.empty() && run.history.recording != digest_of_recording(experiment);
      if (has_other_recording || (its_result != results_.end() && its_result->digest != digest_of(experiment, of_shell)))
        return "its baseline was changed since";
      const std::string upgrade =
          suite::upgrade_since(run.history.versions, experiment, state_->folder() / "versions" / model, state_->tag())
              .changes;
      return upgrade.empty() ? "" : upgrade + " since";
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      return fmt::format("its run cannot be read ({})", error.what());
    }
  }

  /// A model's bisectd has ended: its record, or why there is none.
  void take_in(const std::string& model, int code, const std::string& message) {
    const auto found = std::ranges::find(record_.entries, model, &SuiteEntry::model);
    SuiteEntry& entry = *found;
    const fs::path folder = state_->folder_of(model);
    entry.state = EntryState::unjudged;
    try {
      // Wrong words, or something outside that ended it before it had a run: then its own words say it best.
      if (code == static_cast<int>(ExitCode::usage) || !keep::RunDirectory::is_one(folder / "latest")) {
        if (!fs::exists(folder / kErrorFile)) throw std::runtime_error("see models/" + model + "/stderr.log");
        entry.problem = first_line(keep::read_file(folder / kErrorFile));
      } else {
        const SeenRun run = see_run((folder / "latest").string());
        entry.record = replay(experiment_of(run, false), run.directory, run.history, false, Detail::status);
        entry.state = EntryState::judged;
        entry.link = fmt::format("models/{}/{}/report.html", model, run.directory.folder().filename().string());
      }
    } catch (const std::exception& error) {
      entry.problem =
          fmt::format("its bisectd ended with {}{}: {}", code, message.empty() ? "" : " (" + message + ")", error.what());
    }
    log::info(reports::entry_line(entry));
  }

  void give_up_waiting() {
    for (SuiteEntry& entry : record_.entries) {
      if (entry.state != EntryState::waiting) continue;
      entry.state = EntryState::unjudged;
      entry.problem = "the suite's time was spent before it was judged";
    }
  }

  double elapsed_s() const { return state_->elapsed_s() + std::chrono::duration<double>(Clock::now() - began_).count(); }

  /// A full disk must not end the models that still run.
  void write() {
    for (const auto& [file, content] :
         {std::pair("junit.xml", reports::to_junit(record_)), std::pair("index.html", reports::suite_html(record_))})
      try {
        keep::write_file_durably(state_->folder() / file, content);
      } catch (const std::system_error& error) {
        log::warning(fmt::format("warning: {}", error.what()));
      }
  }

  const CiOptions& options_;
  suite::SuiteFile file_;
  fs::path history_;
  std::vector<std::optional<configs::Experiment>> experiments_;  ///< one per entry; absent where it cannot be loaded
  std::vector<PastResult> results_;
  reports::SuiteRecord record_;
  suite::SuiteState* state_ = nullptr;
  Clock::time_point began_ = Clock::now();
  int signal_number_ = 0;
  bool any_ended_by_signal_ = false;  ///< a model's bisectd: by whoever was short of memory, or by a person
};

ExitCode ci(const CiOptions& options) { return Ci(options)(); }

}  // namespace

void add_ci(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "ci", "judge a suite of models against their baselines; search those that regressed", ci);
  command.add_option("SUITE", options.suite, "the suite file (YAML)")->required();
  command.add_option("--out", options.out, "folder that gets the suite directory and the history")->capture_default_str();
  command.add_option("--only", options.only, "this model only; may be given again");
  command.add_flag("--changed-only", options.changed_only,
                   "leave out models that agreed last time and surely have not changed since");
  command.add_flag("--new", options.fresh, "start anew even if the last suite is not finished");
  add_stderr_options(command);
  command.add_option("--color", options.color, "colour in the result: auto, always or never")
      ->check(one_of({"auto", "always", "never"}))
      ->capture_default_str();
}

}  // namespace bisectd::driver::commands
