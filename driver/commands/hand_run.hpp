// A run directory of its own for what a person tries by hand: nothing resumes it, `latest` does not point at it.
#pragma once

#include <string>

#include "configs/loader.hpp"
#include "driver/keep/lock.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/launch/queue.hpp"
#include "driver/loop/run.hpp"

namespace bisectd::driver::commands {

class HandRun {
 public:
  /// Makes OUT/NAME-WHAT-UTC/ and prepares both sides. `resolved`: the experiment as its file has it
  /// (configs::resolved_yaml), by which `status` and `report` see that it is the same later; `needed`: what of it was
  /// loaded. Throws what `bisectd run` throws before anything is started.
  HandRun(configs::Experiment& experiment, const std::string& resolved, const std::string& out, const std::string& what,
          configs::Needed needed = configs::Needed::everything);

  Run& run() { return *run_; }
  const keep::RunDirectory& directory() const { return directory_; }
  /// Members that the subject's own environment lists already.
  neutralise::Discovered off_already() const { return neutralise::always_off(experiment_, sides_.subject.environment); }

 private:
  const configs::Experiment& experiment_;
  Progress progress_;
  keep::RunDirectory directory_;
  keep::Lock lock_;
  std::unique_ptr<launch::Launcher> launcher_;
  Sides sides_;
  std::optional<keep::Journal> journal_;
  std::optional<Run> run_;
};

}  // namespace bisectd::driver::commands
