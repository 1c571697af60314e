// Reads an experiment file and its preset into a checked Experiment. Strict: an unknown or repeated key, a wrong type,
// a name that does not exist is an error with its place; nothing is guessed.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "configs/experiment.hpp"

namespace bisectd::configs {

/// One thing wrong with a file.
struct Problem {
  Place place;
  std::string message;  ///< lower case, says what was found and what was expected
  std::string hint;     ///< nearest right word or what to do; may be empty
};

/// Thrown with every problem found (at least one).
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// "file:line:col: message", the line itself, a caret, and the hint, for each problem. Control characters are escaped.
std::string render(const ConfigError& error);

/// "file:line:col: warning: message", one line without its end; control characters are escaped.
std::string render(const Placed<std::string>& warning);

/// "file:line:col: message": the same where the reader is told beside it that this is a warning.
std::string placed_text(const Placed<std::string>& warning);

/// The folder with presets/ and names/: beside the installed program, or the source tree.
std::filesystem::path data_folder();

/// What of a file is needed: on the machine of the trusted side alone, suspects and subject may be missing from the file,
/// and the files that they name from the machine.
enum class Needed {
  everything,
  reference,
  workaround,  ///< everything, for `prune`: that nothing is left to be searched is no error
};

/// Loads and checks. With Needed::reference, what is said of subject and suspects is not looked at and not in the result.
/// Throws ConfigError for anything wrong in the file, std::system_error if it cannot be read.
Experiment load_experiment(const std::filesystem::path& file, Needed needed = Needed::everything);

/// The families that a preset brings, checked by themselves. `preset` is what `extends` takes. Throws like
/// load_experiment.
std::map<std::string, Family> load_families(const std::string& preset);

/// Names of the shipped presets.
std::vector<std::string> preset_names();

}  // namespace bisectd::configs
