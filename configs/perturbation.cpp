// Declares `perturb`, how repeats of a side are perturbed, and holds it against what else the experiment says.
#include <fmt/format.h>

#include "configs/blocks.hpp"
#include "configs/consistency.hpp"
#include "configs/kinds.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"

namespace bisectd::configs {
namespace {

Kind<std::string> argument_with_seed() {
  return text()
      .checked([](const Value& value, const Where& where, const std::string& argument) {
        const std::size_t before = where.problems.size();
        const auto used = placeholders_in({argument, value.place},
                                          {kPerturbPlaceholders.begin(), kPerturbPlaceholders.end()}, where.problems);
        if (where.problems.size() == before && !std::ranges::count(used, "seed"))
          where.tell(value, fmt::format("`{}` lacks {{seed}}: every repeat would be the same", where.what),
                     "for example --perturb={seed}");
      })
      .shaped(R"({"type": "string", "pattern": "\\{seed\\}"})");
}

bool same(const Variables& a, const Variables& b) {
  return std::ranges::equal(a, b, [](const auto& left, const auto& right) {
    return left.first == right.first && left.second.value == right.second.value;
  });
}

bool read_harmless_settings(const Value& value, const Where& where, std::vector<Variables>& entries) {
  static const Kind<Variables> one = variables({kPlaceholders.begin(), kPlaceholders.end()});
  if (value.kind != Value::Kind::list || value.items.empty())
    return where.add(value, "expected a list of harmless settings",
                     "for example [{OMP_NUM_THREADS: \"2\"}, {MKL_CBWR: COMPATIBLE}]");
  for (const Value& item : value.items) {
    Variables entry;
    one.read(item, where, entry);
    if (item.kind == Value::Kind::map && item.entries.empty())
      where.add(item, "this entry sets nothing", "the first run is the one without settings");
    const auto first = std::ranges::find_if(entries, [&](const auto& other) { return same(other, entry); });
    if (first != entries.end() && !entry.empty())
      where.add(item, fmt::format("entries {} and {} are the same", first - entries.begin() + 1, entries.size() + 1));
    entries.push_back(std::move(entry));
  }
  return true;
}

Kind<std::vector<Variables>> harmless_settings() {
  return {.read = read_harmless_settings,
          .write =
              [](const std::vector<Variables>& it, const Folder&) {
                Value list{.kind = Value::Kind::list};
                for (const Variables& entry : it) list.items.push_back(variables_value(entry));
                return list;
              },
          .shape = {.json = R"({"type": "array", "minItems": 1, "uniqueItems": true,
                    "items": {"$ref": "#/definitions/variables", "minProperties": 1}})"}};
}

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

const Block<Perturbation>& perturbation_block() {
  using P = Perturbation;
  static const Block<P> block{
      {.name = "perturbation",
       .title = "`perturb`, of a side or of the file",
       .keys = {key("environment", &P::environment, variable(), "Variable that is 1, 2, 3, ... in repeats."),
                key("argument", &P::argument, argument_with_seed(), "Element of the command in repeats."),
                key("switches", &P::switches, harmless_settings(), "Harmless settings, one entry for each repeat."),
                key("needs", &P::needs, family_variables(), "Of every run; may hold {presets} {and_inherited} {attempt}."),
                key("made", &P::made, pattern("value"),
                    "RE2 with the group value: what a perturbed run logs of its perturbation."),
                key("undone", &P::undone, pattern("value"),
                    "RE2 with the group value: what it logs if the perturbation was lost.")},
       .one_of = {{"environment", "argument", "switches"},
                  "for example {environment: TRAIN_PERTURB}, {argument: \"--perturb={seed}\"} or {switches: "
                  "[{OMP_NUM_THREADS: \"2\"}]}; or `none`"},
       .expected = "how a repeat is perturbed",
       .whole = true}};
  return block;
}

void check_perturbations(const Experiment& experiment, Problems& problems) {
  if (!experiment.reference.is_recorded()) check_perturbation(experiment.reference, "reference", experiment, problems);
  check_perturbation(experiment.subject, "subject", experiment, problems);
  check_reference_arguments(experiment.reference, problems);
  if (experiment.accept.goal == Goal::agrees) warn_of_plain_repeats(experiment, problems);
}

}  // namespace bisectd::configs
