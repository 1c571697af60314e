#include "driver/neutralise/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/split.hpp>

namespace bisectd::driver::neutralise {
namespace {

void deliver(const configs::Delivery& how, const char* placeholder, const std::optional<std::string>& value,
             Recipe& recipe) {
  if (how.argument) {
    if (value) recipe.arguments.push_back(boost::replace_all_copy(*how.argument, placeholder, *value));
  } else if (value) {
    recipe.environment[*how.environment] = *value;
  } else {
    recipe.unset.push_back(*how.environment);
  }
}

std::vector<std::string> listed(const configs::Delivery& how, const Environment& base) {
  std::vector<std::string> names;
  if (!how.environment || !base.contains(*how.environment)) return names;
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

}  // namespace

Recipe recipe_for(const configs::Experiment& experiment, const Catalogue& catalogue,
                  const strategies::SuspectSet& neutralised, const Environment& base) {
  Recipe recipe;
  for (const auto& [family_name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(family_name);
    const std::vector<std::string> off = neutralised_names(catalogue, neutralised, family_name);
    if (family.kind == configs::FamilyKind::list) {
      std::vector<std::string> names = listed(family.deliver, base);
      names.insert(names.end(), off.begin(), off.end());
      // An empty list is an unset variable: an empty one may hold a single name of no letters (Paddle splits it so).
      deliver(family.deliver, "{names}",
              names.empty() ? std::nullopt : std::optional(boost::join(names, family.deliver.separator)), recipe);
      continue;
    }
    for (const auto& [name, toggle] : family.toggles) {
      if (!catalogue.find(family_name, name)) continue;
      const bool safe = std::ranges::count(off, name) > 0;
      deliver(toggle.deliver, "{value}", safe ? toggle.safe : toggle.suspect, recipe);
    }
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
  const std::string first_device = values.devices.substr(0, values.devices.find(','));
  const std::pair<std::string_view, const std::string*> known[] = {{"{devices}", &values.devices},
                                                                   {"{device}", &first_device},
                                                                   {"{steps}", &values.steps},
                                                                   {"{attempt}", &values.attempt}};
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      result += text[i];
      i += 2;
      continue;
    }
    const auto* found = std::ranges::find_if(known, [&](const auto& entry) { return rest.starts_with(entry.first); });
    if (found != std::end(known)) {
      result += *found->second;
      i += found->first.size();
    } else {
      result += text[i++];
    }
  }
  return result;
}

std::vector<std::string> fill_command(const std::vector<configs::Placed<std::string>>& command,
                                      const Placeholders& values) {
  std::vector<std::string> argv;
  for (const auto& element : command) {
    if (element.value == "{arguments}")
      argv.insert(argv.end(), values.arguments.begin(), values.arguments.end());
    else
      argv.push_back(fill(element.value, values));
  }
  return argv;
}

}  // namespace bisectd::driver::neutralise
