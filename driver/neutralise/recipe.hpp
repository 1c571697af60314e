// From a set of neutralised suspects to what is put into the environment and the arguments of a launch. Pure.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/neutralise/catalogue.hpp"

namespace bisectd::driver::neutralise {

using Environment = std::map<std::string, std::string>;

/// A file to be written into the attempt's folder, and how its path is told.
struct RecipeFile {
  std::string name;
  std::string content;
  std::optional<std::string> variable;  ///< set to `told`; absent: `told` is an argument
  std::string told;                     ///< with {file}
};

struct Recipe {
  Environment environment;             ///< to set
  std::vector<std::string> unset;      ///< to take away; none of them in `environment`
  std::vector<std::string> arguments;  ///< argv elements that replace {arguments}
  std::vector<RecipeFile> files;
  Environment templates;  ///< to set, filled with the attempt's placeholders
};

/// The value that neutralises each ladder, by family; the middle one for a family that is not in it.
using Rungs = std::map<std::string, std::string>;

/// What neutralises exactly `neutralised`. `base` is the subject's environment without any neutralising: names that it
/// lists already (a black list in use) stay listed.
Recipe recipe_for(const configs::Experiment& experiment, const Catalogue& catalogue,
                  const strategies::SuspectSet& neutralised, const Environment& base, const Rungs& rungs = {});

/// The same recipe with the paths of its files told, in `environment` and `arguments`; the files are to be written there.
Recipe placed_in(const std::filesystem::path& folder, Recipe recipe);

/// Members of list families that `base` names already, by family.
Discovered always_off(const configs::Experiment& experiment, const Environment& base);

/// {devices} ({device}: the first of them), {visible_devices}, {steps}, {attempt}, {seed}, {arguments} of a command, and {{
/// }} for braces.
struct Placeholders {
  std::string devices;  ///< joined by commas; {device} is the first
  std::string visible_devices;
  std::string steps;
  std::string attempt;
  std::vector<std::string> arguments;
  std::string seed;  ///< of the attempt's perturbation; only an argument that perturbs has it
};

/// The text with its placeholders filled; the loader has checked that only known ones are used.
std::string fill(const std::string& text, const Placeholders& values);
/// The argv; an element that is exactly {arguments} becomes zero or more elements.
std::vector<std::string> fill_command(const std::vector<configs::Placed<std::string>>& command, const Placeholders& values);

}  // namespace bisectd::driver::neutralise
