// See perturbation_checks.hpp.
#include "configs/perturbation_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "configs/consistency.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"

namespace bisectd::configs {
namespace {

/// Why this variable cannot be what a repeat of the side is perturbed by; empty if it can.
std::string why_taken(const std::string& variable, const Side& side, const std::string& what, const Experiment& experiment) {
  if (is_unset(side, variable)) return fmt::format("`{}.unset` takes it away", what);
  const bool has_devices = !side.devices.ids.empty() || side.slurm;
  if (has_devices && variable == side.devices.visible_variable) return "it is set from the devices of an attempt";
  if (what != "subject") return "";
  for (const auto& [deliver, owner] : deliveries(experiment))
    if (deliver->environment == variable) return owner + " is neutralised by it";
  for (const auto& [name, selection] : experiment.suspects) {
    const Family& family = experiment.families.at(name);
    if (family.environment.contains(variable)) return fmt::format("family `{}` needs it in every run", name);
  }
  return "";
}

void check_switches(const Perturbation& perturb, const Side& side, const std::string& what, const Experiment& experiment,
                    Problems& problems) {
  for (const auto& entry : perturb.switches)
    for (const auto& [name, value] : entry) {
      if (const std::string why = why_taken(name, side, what, experiment); !why.empty())
        problems.add(value.place, fmt::format("{} cannot perturb a repeat of the {}: {}", in_quotes(name), what, why));
      if (const auto own = side.environment.find(name); own != side.environment.end() && own->second.value == value.value)
        problems.add(value.place, fmt::format("every run of the {} has {}={}: the repeat would not be perturbed", what, name,
                                              printable(value.value)));
    }
}

void check_words(const Perturbation& perturb, const Side& side, const std::string& what, const Experiment& experiment,
                 Problems& problems) {
  const auto check = [&](const Placed<std::string>& text, const std::vector<std::string>& known) {
    check_not_empty(placeholders_in(text, known, problems), text.place, side, what, experiment, problems);
  };
  if (perturb.argument) check(*perturb.argument, {kPerturbPlaceholders.begin(), kPerturbPlaceholders.end()});
  for (const auto& entry : perturb.switches)
    for (const auto& [name, value] : entry) check(value, {kPlaceholders.begin(), kPlaceholders.end()});
}

void check_needs(const Perturbation& perturb, const Side& side, const std::string& what, const Experiment& experiment,
                 Problems& problems) {
  for (const auto& [name, value] : perturb.needs) {
    const std::string needs = fmt::format("the perturbation of the {} needs {}={}", what, name, value);
    if (const auto* own = instead_of(value, name, side))
      problems.add(own->place, needs, "remove it here, or change `perturb.needs`");
    if (is_unset(side, name)) problems.add(side.place, fmt::format("{}, but `{}.unset` takes it away", needs, what));
    if (what != "subject") continue;
    for (const auto& [family, selection] : experiment.suspects) {
      const auto& variables = experiment.families.at(family).environment;
      if (const auto other = variables.find(name); other != variables.end() && other->second != value)
        problems.add(perturb.place, fmt::format("{}, family `{}` another value: {}", needs, family, other->second));
    }
  }
}

void check_perturbation(const Side& side, const std::string& what, const Experiment& experiment, Problems& problems) {
  if (!side.perturb) return;
  const Perturbation& perturb = *side.perturb;
  if (perturb.environment) {
    const auto own = side.environment.find(*perturb.environment);
    if (own != side.environment.end())
      problems.add(own->second.place, fmt::format("`{}` is set for each repeat by `perturb`", *perturb.environment),
                   "remove it here: the first run is the one without it");
    else if (const std::string why = why_taken(*perturb.environment, side, what, experiment); !why.empty())
      problems.add(perturb.place,
                   fmt::format("{} cannot perturb the repeats of the {}: {}", in_quotes(*perturb.environment), what, why));
  }
  if (perturb.argument && std::ranges::find(side.command, "{arguments}", &Placed<std::string>::value) == side.command.end())
    problems.add(
        side.command.front().place,
        fmt::format("`{}.command` lacks the element \"{{arguments}}\": its repeats are perturbed by an argument", what),
        "put it where the training takes options");
  check_words(perturb, side, what, experiment, problems);
  check_switches(perturb, side, what, experiment, problems);
  check_needs(perturb, side, what, experiment, problems);
}

/// Only an argument that perturbs a repeat can stand there: nothing is neutralised in the reference.
void check_reference_arguments(const Reference& reference, Problems& problems) {
  if (reference.perturb && reference.perturb->argument) return;
  for (const auto& element : reference.command)
    if (element.value == "{arguments}")
      problems.add(element.place, "`{arguments}` has no use in the reference: nothing is neutralised there");
}

/// What is lost without a perturbation, for those that chose so and those that never heard of it.
void warn_of_plain_repeats(const Experiment& experiment, Problems& problems) {
  const bool reference = !experiment.reference.is_recorded() && !experiment.reference.perturb,
             subject = !experiment.subject.command.empty() && !experiment.subject.perturb;
  if (!reference && !subject) return;
  problems.warn(
      reference ? experiment.reference.place : experiment.subject.place,
      fmt::format("repeats of the {} are not perturbed: where they are bit-identical, healthy rounding cannot be told "
                  "from faults (see `perturb` in docs/experiment.md)",
                  reference && subject ? "reference and the subject"
                  : reference          ? "reference"
                                       : "subject"));
}

}  // namespace

void check_perturbations(const Experiment& experiment, Problems& problems) {
  if (!experiment.reference.is_recorded()) check_perturbation(experiment.reference, "reference", experiment, problems);
  check_perturbation(experiment.subject, "subject", experiment, problems);
  check_reference_arguments(experiment.reference, problems);
  if (experiment.accept.goal == Goal::agrees) warn_of_plain_repeats(experiment, problems);
}

}  // namespace bisectd::configs
