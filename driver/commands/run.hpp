// `bisectd run` and `bisectd resume`.
#pragma once

#include <stdexcept>
#include <string>

namespace bisectd::driver::commands {

/// The command line asks for something that cannot be done; nothing was started.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct OutputOptions {
  bool quiet = false;
  bool json = false;
  std::string color = "auto";
};

struct RunOptions {
  std::string experiment;
  std::string out = "bisectd-out";
  bool fresh = false;
  bool accept_changes = false;
  OutputOptions output;
};

struct ResumeOptions {
  std::string folder;
  bool accept_changes = false;
  OutputOptions output;
};

/// Both return the program's exit code.
int run_experiment(const RunOptions& options);
int resume_run(const ResumeOptions& options);

}  // namespace bisectd::driver::commands
