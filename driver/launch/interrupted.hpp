// A signal asked this program to end. Whoever drives jobs throws it; the command line makes the exit code of it.
#pragma once

#include <exception>
#include <string>

#include "driver/launch/launcher.hpp"

namespace bisectd::driver {

class Interrupted : public std::exception {
 public:
  /// `how_to_go_on`: what to do to go on where this stopped; empty if nothing needs to.
  explicit Interrupted(int signal_number, const std::string& how_to_go_on = "");

  const char* what() const noexcept override { return text_.c_str(); }
  int signal_number() const { return signal_number_; }

 private:
  int signal_number_;
  std::string text_;
};

namespace launch {

/// Whoever signals us often signals our jobs too (a control group, `kill` with a list), and a job's end can be seen before
/// our signal. So after an end that a signal may explain, that signal is waited for as long as this.
inline constexpr std::chrono::milliseconds kSignalMayFollow{200};

/// Waits for a signal until `kSignalMayFollow` has passed, and adds what ends meanwhile to `ended`. Whether one has arrived.
bool signal_follows(Launcher& launcher, std::vector<Ended>& ended);

}  // namespace launch
}  // namespace bisectd::driver
