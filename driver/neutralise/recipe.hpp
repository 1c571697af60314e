// From a set of neutralised suspects to what is put into the environment and the arguments of a launch. Pure.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/neutralise/catalogue.hpp"

namespace bisectd::driver::neutralise {

using Environment = std::map<std::string, std::string>;

/// Elements of the command that belong together.
using Argument = std::vector<std::string>;

/// A value that a key has in the copy of a configuration file of the training's own.
struct ConfigValue {
  std::string file, key, text;
  bool operator==(const ConfigValue&) const = default;
};

/// A file to be written into the attempt's folder, and how its path is told.
struct RecipeFile {
  std::string name;
  std::string content;
  std::optional<std::string> variable;  ///< set to the only one of `told`; absent: `told` is an argument
  Argument told;                        ///< with {file}; empty: the command itself names the file
};

struct Recipe {
  Environment environment;          ///< to set
  std::vector<std::string> unset;   ///< to take away; none of them in `environment`
  std::vector<Argument> arguments;  ///< what replaces {arguments}
  std::vector<RecipeFile> files;
  std::vector<ConfigValue> values;  ///< in the copies of configuration files, which are among `files`
  Environment templates;            ///< to set, filled with the attempt's placeholders
  std::set<std::string>
      settings;  ///< of `environment` and `unset`, what toggles are: the training says where one did not arrive
};

/// The value that neutralises each ladder, by family; the middle one for a family that is not in it.
using Rungs = std::map<std::string, std::string>;

/// Nothing but the copies of the side's configuration files, as they are.
Recipe as_it_is(const configs::Side& side);

/// What neutralises exactly `neutralised`. `base` is the subject's environment without any neutralising: names that it
/// lists already (a black list in use) stay listed.
Recipe recipe_for(const configs::Experiment& experiment, const Catalogue& catalogue,
                  const strategies::SuspectSet& neutralised, const Environment& base, const Rungs& rungs = {});

/// The same recipe with the paths of its files told, in `environment` and `arguments`; the files are to be written there.
Recipe placed_in(const std::filesystem::path& folder, Recipe recipe);

/// Members of list families that `base` names already, by family.
Discovered always_off(const configs::Experiment& experiment, const Environment& base);

/// {devices} ({device}: the first of them), {visible_devices}, {steps}, {attempt}, {seed}, {config:FILE}, {arguments} of a
/// command, and {{ }} for braces.
struct Placeholders {
  std::string devices;  ///< joined by commas; {device} is the first
  std::string visible_devices;
  std::string steps;
  std::string attempt;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> configs;  ///< `config` and `config:FILE`: the paths of the copies
  std::string seed;                            ///< of the attempt's perturbation; only an argument that perturbs has it
};

/// The text with its placeholders filled; the loader has checked that only known ones are used.
std::string fill(const std::string& text, const Placeholders& values);
/// The argv; an element that is exactly {arguments} becomes zero or more elements.
std::vector<std::string> fill_command(const std::vector<configs::Placed<std::string>>& command, const Placeholders& values);

}  // namespace bisectd::driver::neutralise
