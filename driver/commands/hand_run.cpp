#include "driver/commands/hand_run.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "configs/loader.hpp"
#include "driver/log/log.hpp"

namespace bisectd::driver::commands {

HandRun::HandRun(configs::Experiment& experiment, const std::string& resolved, const std::string& out,
                 const std::string& what, configs::Needed needed)
    : experiment_(experiment),
      directory_(keep::RunDirectory::create(out, experiment.name + "-" + what)),
      lock_(directory_.folder()),
      launcher_(launch::make_launcher(directory_.folder() / "scheduler", log::warning)) {
  log::open_file(directory_.folder());
  for (const auto& warning : experiment.warnings) log::warning(configs::render(warning));
  const Begun begun{.started_utc = keep::utc_now(),
                    .run_tag = keep::make_run_tag(directory_.folder()),
                    .by_hand = true,
                    .reference_only = needed == configs::Needed::reference};
  try {
    sides_ = prepare_sides(experiment, *launcher_, directory_.folder(), begun.run_tag);
  } catch (const configs::ConfigError&) {
    std::filesystem::remove_all(directory_.folder());  // nothing was started: leave nothing behind
    throw;
  }
  for (const auto& warning : settle_suspects(experiment, sides_.subject)) log::warning(configs::render(warning));
  keep::write_file_durably(directory_.resolved_experiment(), resolved);
  journal_.emplace(directory_.journal(), keep::begin_journal(directory_.journal(), run_record(begun, experiment)));
  log::info(fmt::format("run directory: {}", directory_.folder().string()));
  run_.emplace(experiment, sides_, directory_, *journal_, History{begun}, *launcher_, progress_);
}

}  // namespace bisectd::driver::commands
