#include "driver/trial/inherited_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <unistd.h>

#include "configs/shell_word.hpp"

namespace bisectd::driver {

namespace {

using neutralise::Environment;

/// What the variables of `inherited` neutralise: variable -> labels.
std::map<std::string, std::vector<std::string>> neutralised_by(const configs::Experiment& experiment,
                                                               const Environment& inherited) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const auto& [family_name, names] : neutralise::always_off(experiment, inherited)) {
    if (!experiment.families.at(family_name).deliver.environment) continue;  // the training's own file says so
    for (const std::string& name : names)
      labels[*experiment.families.at(family_name).deliver.environment].push_back(fmt::format("{}:{}", family_name, name));
  }
  for (const auto& [family_name, selection] : experiment.suspects)
    for (const auto& [name, toggle] : experiment.families.at(family_name).toggles)
      if (toggle.deliver.environment && inherited.contains(*toggle.deliver.environment) && toggle.suspect == toggle.safe &&
          !neutralise::is_left_out(experiment.families.at(family_name), selection, name))
        labels[*toggle.deliver.environment].push_back(fmt::format("{}:{}", family_name, name));
  return labels;
}

}  // namespace

Environment inherited_settings(const configs::Experiment& experiment, const Environment& subject) {
  const Environment shell = inherited_environment();
  Environment inherited;
  const auto look_at = [&](const configs::Delivery& deliver) {
    if (!deliver.environment || experiment.subject.environment.contains(*deliver.environment)) return;
    const auto has = subject.find(*deliver.environment), given = shell.find(*deliver.environment);
    if (has != subject.end() && given != shell.end() && has->second == given->second) inherited.insert(*has);
  };
  for (const auto& [family_name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(family_name);
    if (family.kind != configs::FamilyKind::toggle) look_at(family.deliver);
    for (const auto& [name, toggle] : family.toggles)
      if (!neutralise::is_left_out(family, selection, name)) look_at(toggle.deliver);
  }
  return inherited;
}

Environment settings_of_shell(const configs::Experiment& experiment) {
  Environment shell = inherited_environment();
  for (const std::string& name : experiment.subject.unset) shell.erase(name);
  return inherited_settings(experiment, shell);
}

Environment neutralising(const configs::Experiment& experiment, const Environment& inherited) {
  Environment result;
  for (const auto& [variable, labels] : neutralised_by(experiment, inherited)) result.insert(*inherited.find(variable));
  return result;
}

std::optional<configs::Placed<std::string>> warning_of_inherited(const configs::Experiment& experiment,
                                                                 const Environment& inherited) {
  std::vector<std::string> settings, labels, variables;
  for (const auto& [variable, neutralised] : neutralised_by(experiment, inherited)) {
    settings.push_back(configs::shell_quoted(variable + "=" + inherited.at(variable)));
    variables.push_back(variable);
    labels.insert(labels.end(), neutralised.begin(), neutralised.end());
  }
  if (labels.empty()) return std::nullopt;
  return configs::Placed<std::string>{
      fmt::format(
          "the subject has {} from the shell, not from this file: {} {} neutralised in all of its runs, and no "
          "answer is about the subject without that. Set {} in `subject.environment` if it is meant, or else list {} "
          "in `subject.unset`",
          fmt::join(settings, " "), fmt::join(labels, ", "), labels.size() == 1 ? "is" : "are", fmt::join(variables, ", "),
          variables.size() == 1 ? "it" : "them"),
      experiment.subject.place};
}

neutralise::Environment inherited_environment() {
  neutralise::Environment result;
  for (char** entry = ::environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos && equals > 0) result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

}  // namespace bisectd::driver
