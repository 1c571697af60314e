// What a hostile training is told to do. Parses command lines and scenario files; does nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hostile {

/// A planted culprit: while all members are active the loss is off by `percent`.
struct Cause {
  std::vector<std::string> members;  ///< a suspect, one that must be off as !NAME, or VARIABLE:VALUE
  double percent = 0;                ///< signed, of the loss
  double onset = 0;                  ///< share of the run before it shows, 0 .. 1
  bool grows = false;                ///< from nothing at its onset to `percent` at the end
};

/// A setting with a window of good values: outside it the loss is off by `percent`.
struct Window {
  std::string variable;
  double low = 0, high = 0;
  double percent = 0;
};

struct Options {
  std::string list_variable = "HOSTILE_OFF";
  std::vector<std::string> suspects;
  std::vector<Cause> causes, score_causes;
  std::int64_t signed_steps = 0;  // first ones, in which each cause moves the loss in a way of its own
  std::int64_t score_every = 0;
  bool side_channel = false;
  std::vector<Window> windows;
  std::int64_t steps = 100;
  double first_loss = 8, last_loss = 2;
  double noise_percent = 0, step_noise_percent = 0;
  std::optional<std::uint64_t> seed;
  double perturbed_percent = 0;
  bool crash_perturbed = false;

  std::vector<std::vector<std::string>> crash_off, hang_off;
  std::optional<std::int64_t> crash_at, hang_at, nan_from, truncate_at;
  double crash_percent = 0;
  int exit_code = 0;
  bool hang_at_exit = false, ignore_term = false, leave_on_term = false, torn = false, garbage = false, long_line = false,
       discover = false;
  std::int64_t strays = 0, spam_mb = 0;
  double step_ms = 0;
  std::map<std::string, double> slow_ms;  ///< by name: more in every step while it is off
  std::set<std::string> no_effect, on_cpu;
  std::string count_file;

  std::map<std::string, std::string> settings;  ///< words KEY=VALUE of the command line, as PaddleOCR's -o takes them
};

/// Throws std::invalid_argument with a message for the user.
Options parse(const std::vector<std::string>& words);

extern const char* const kHelp;

}  // namespace hostile
