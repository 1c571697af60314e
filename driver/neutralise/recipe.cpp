#include "driver/neutralise/recipe.hpp"

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/split.hpp>

#include "configs/config_file.hpp"
#include "configs/consistency.hpp"
#include "driver/neutralise/generated_file.hpp"
#include "driver/neutralise/placeholders.hpp"

namespace bisectd::driver::neutralise {
namespace {

/// The values of keys in the copies of configuration files.
using Values = std::map<std::string, std::vector<configs::Replacement>>;

Argument filled_argument(Argument argument, const char* placeholder, const std::string& carried) {
  for (std::string& element : argument) boost::replace_all(element, placeholder, carried);
  return argument;
}

void deliver_key(const configs::ConfigKey& key, const std::string& text, Recipe& recipe) {
  recipe.values.push_back({key.file.value, key.key, text});
}

/// Puts `carried` (joined names, or a value) where the delivery says; without one, what would carry it is absent.
void deliver(const configs::Delivery& how, const char* placeholder, const std::optional<std::string>& carried,
             Recipe& recipe) {
  if (!how.argument.empty()) {
    if (carried) recipe.arguments.push_back(filled_argument(how.argument, placeholder, *carried));
  } else if (carried) {
    recipe.environment[*how.environment] =
        how.value.empty() ? *carried : boost::replace_all_copy(how.value, placeholder, *carried);
  } else {
    recipe.unset.push_back(*how.environment);
  }
}

void deliver_file(const configs::Delivery& how, const std::optional<std::string>& content, Recipe& recipe) {
  if (content)
    recipe.files.push_back({.name = how.file->name,
                            .content = *content,
                            .variable = how.environment,
                            .told = !how.argument.empty() ? how.argument
                                    : how.value.empty()   ? Argument{"{file}"}
                                                          : Argument{how.value}});
  else if (how.environment) recipe.unset.push_back(*how.environment);
}

void deliver_names(const configs::Delivery& how, const std::vector<std::string>& names, Recipe& recipe) {
  if (how.config) {
    if (names != how.config->names)
      deliver_key(*how.config,
                  how.config->is_text ? configs::text_in_file(joined_names(how, names)) : configs::list_in_file(names),
                  recipe);
    return;
  }
  // No names: nothing is set. An empty list may hold a single name of no letters (Paddle splits it so).
  if (how.file) deliver_file(how, names.empty() ? std::nullopt : std::optional(file_of_names(how, names)), recipe);
  else deliver(how, "{names}", names.empty() ? std::nullopt : std::optional(joined_names(how, names)), recipe);
}

void deliver_value(const configs::Delivery& how, const std::optional<std::string>& value, Recipe& recipe) {
  if (how.config) {  // what is not written anew is as the file has it
    const auto written = value ? how.config->written.find(*value) : how.config->written.end();
    if (written != how.config->written.end()) deliver_key(*how.config, written->second, recipe);
    return;
  }
  if (how.file) deliver_file(how, value ? std::optional(file_of_value(how, *value)) : std::nullopt, recipe);
  else deliver(how, "{value}", value, recipe);
}

void deliver_rung(const configs::Family& family, const std::string& value, Recipe& recipe) {
  const auto whole = family.ladder.delivered_as.find(value);
  const bool in_file = family.deliver.file || family.deliver.config;  // where it is no more than the value
  if (whole == family.ladder.delivered_as.end() || in_file)
    deliver_value(family.deliver, whole == family.ladder.delivered_as.end() ? value : whole->second, recipe);
  else if (!family.deliver.argument.empty()) recipe.arguments.push_back({whole->second});
  else recipe.environment[*family.deliver.environment] = whole->second;
}

std::vector<std::string> listed(const configs::Delivery& how, const Environment& base) {
  std::vector<std::string> names;
  if (how.config) return how.config->names;
  if (!configs::is_plain_list(how) || !base.contains(*how.environment)) return names;
  const std::string& text = base.at(*how.environment);
  boost::split(names, text, boost::is_any_of(how.separator));
  std::erase(names, "");
  return names;
}

std::vector<std::string> neutralised_names(const Catalogue& catalogue, const strategies::SuspectSet& neutralised,
                                           const std::string& family) {
  std::vector<std::string> names;
  for (auto id = neutralised.find_first(); id != strategies::SuspectSet::npos; id = neutralised.find_next(id))
    if (catalogue[id].family == family) names.push_back(catalogue[id].name);
  return names;
}

/// The copies of configuration files with the values of the recipe.
void write_values(const configs::Experiment& experiment, Recipe& recipe) {
  if (recipe.values.empty()) return;
  Values values;
  for (const auto& [deliver, owner] : configs::deliveries(experiment)) {
    if (!deliver->config) continue;
    const auto value = std::ranges::find_if(recipe.values, [&](const ConfigValue& each) {
      return each.file == deliver->config->file.value && each.key == deliver->config->key;
    });
    if (value != recipe.values.end())
      values[value->file].push_back({deliver->config->begin, deliver->config->end, value->text});
  }
  for (std::size_t i = 0; i < experiment.subject.configs.size(); ++i)
    recipe.files[i].content =
        configs::with_values(experiment.subject.configs[i].content, values[experiment.subject.configs[i].file]);
}

}  // namespace

Recipe as_it_is(const configs::Side& side) {
  Recipe recipe;
  for (const configs::TrainingConfig& config : side.configs)
    recipe.files.push_back({.name = config.name, .content = config.content});
  return recipe;
}

Recipe recipe_for(const configs::Experiment& experiment, const Catalogue& catalogue,
                  const strategies::SuspectSet& neutralised, const Environment& base, const Rungs& rungs) {
  Recipe recipe = as_it_is(experiment.subject);
  for (const auto& [family_name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(family_name);
    const std::vector<std::string> off = neutralised_names(catalogue, neutralised, family_name);
    if (family.kind == configs::FamilyKind::list) {
      std::vector<std::string> names = listed(family.deliver, base);
      names.insert(names.end(), off.begin(), off.end());
      deliver_names(family.deliver, names, recipe);
      continue;
    }
    if (family.kind == configs::FamilyKind::ladder) {
      // Before any value is known to be right, and where none is, one that may be tried.
      const std::vector<std::string> values = selected_values(family, selection);
      const auto rung = rungs.find(family_name);
      if (!off.empty()) deliver_rung(family, rung == rungs.end() ? values[values.size() / 2] : rung->second, recipe);
      else if (family.ladder.suspect) deliver_rung(family, *family.ladder.suspect, recipe);
      continue;
    }
    // A suspect has its suspect value from the first run on, before any suspect has a number.
    const std::set<std::string> suspects = known_suspects(family, selection);
    for (const auto& [name, toggle] : family.toggles) {
      if (!suspects.contains(name)) continue;
      const bool safe = std::ranges::count(off, name) > 0;
      deliver_value(toggle.deliver, safe ? toggle.safe : toggle.suspect, recipe);
      if (toggle.deliver.environment && !toggle.deliver.file) recipe.settings.insert(*toggle.deliver.environment);
    }
  }
  write_values(experiment, recipe);
  return recipe;
}

Recipe placed_in(const std::filesystem::path& folder, Recipe recipe) {
  for (const RecipeFile& file : recipe.files) {
    const Argument told = filled_argument(file.told, "{file}", (folder / file.name).string());
    if (file.variable) recipe.environment[*file.variable] = told.front();
    else if (!told.empty()) recipe.arguments.push_back(told);
  }
  return recipe;
}

Discovered always_off(const configs::Experiment& experiment, const Environment& base) {
  Discovered names;
  for (const auto& [family_name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(family_name);
    if (family.kind == configs::FamilyKind::list) names[family_name] = listed(family.deliver, base);
  }
  return names;
}

std::string fill(const std::string& text, const Placeholders& values) {
  const std::string_view devices = values.devices;
  Words words{{"devices", devices},
              {"device", devices.substr(0, devices.find(','))},
              {"visible_devices", values.visible_devices},
              {"steps", values.steps},
              {"attempt", values.attempt},
              {"seed", values.seed}};
  words.insert(words.end(), values.configs.begin(), values.configs.end());
  return filled(text, words);
}

std::vector<std::string> fill_command(const std::vector<configs::Placed<std::string>>& command, const Placeholders& values) {
  std::vector<std::string> argv;
  for (const auto& element : command) {
    if (element.value == "{arguments}") argv.insert(argv.end(), values.arguments.begin(), values.arguments.end());
    else argv.push_back(fill(element.value, values));
  }
  return argv;
}

}  // namespace bisectd::driver::neutralise
