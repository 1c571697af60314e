#include "configs/loader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "configs/blocks.hpp"
#include "configs/consistency.hpp"
#include "configs/layers.hpp"
#include "configs/printable.hpp"
#include "configs/reading.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

/// What files without a name are called: like the file, or like its folder where it has the name that all have.
std::string usual_name(const std::filesystem::path& file) {
  std::string name = file.stem().string();
  return name == "experiment" ? std::filesystem::absolute(file).parent_path().filename().string() : name;
}

void read_name(MapReader& top, const std::filesystem::path& file, Experiment& experiment, Problems& problems) {
  const Value* name = top.find("name");
  if (name && !top.read("name", text_of, experiment.name)) return;
  if (!name) experiment.name = usual_name(file);
  if (is_plain_name(experiment.name)) return;
  if (name) problems.add(name->place, in_quotes(experiment.name) + " cannot name a folder", kPlainNameRule);
  else
    problems.add(top.place(), "`name` is missing, and " + in_quotes(experiment.name) + " of the path cannot name a folder",
                 kPlainNameRule);
}

/// What the file says under `key`, else what its preset says under `standard_KEY`.
bool says(const Value& block, const std::string& key) {
  return std::ranges::find(block.entries, key, &Value::Entry::key) != block.entries.end();
}

/// What the file says for both sides holds for those that say nothing themselves, and for nothing that is not run.
void settle_perturbation(const Value& root, const std::optional<Perturbation>& both, Experiment& experiment) {
  Reference& reference = experiment.reference;
  for (const Value::Entry& entry : root.entries) {
    const bool subject = entry.key == "subject" && !experiment.subject.command.empty();  // empty: it was not asked for
    if (subject && !says(entry.value, "perturb")) experiment.subject.perturb = both;
    if (entry.key != "reference" || reference.is_recorded()) continue;
    if (!says(entry.value, "perturb")) reference.perturb = both;
  }
}

/// What takes part in a search beside the reference.
void read_subject_and_suspects(MapReader& top, Experiment& experiment, Problems& problems) {
  if (const Value* families = top.find("families")) experiment.families = read_families(*families, problems);
  const Value* suspects = top.find("suspects");
  const Value* standard = top.find("standard_suspects");
  if (suspects || (suspects = standard) || (suspects = top.require("suspects", "for example {flags: all}")))
    experiment.suspects = read_suspects(*suspects, experiment.families, problems);
  if (const Value* search = top.find("search")) experiment.search = read_search(*search, problems);
}

Experiment read_experiment(const Layers& layers, const std::filesystem::path& file, Needed needed, Problems& problems) {
  Experiment experiment;
  experiment.preset = layers.extends;
  MapReader top(layers.merged, "", problems);
  top.find("version");  // checked with its file; asked for here so that it counts as a right word
  top.find("extends");
  read_name(top, file, experiment, problems);
  if (const Value* accept = top.find("accept")) experiment.accept = read_acceptance(*accept, problems);
  const bool compares = experiment.accept.goal == Goal::agrees || needed == Needed::reference;
  if (const Value* reference = compares ? top.require("reference", "the trusted run") : top.find("reference"))
    experiment.reference = read_reference(*reference, problems);
  const Value* subject = needed != Needed::reference ? top.require("subject", "the run under test") : nullptr;
  if (subject) experiment.subject = read_subject(*subject, problems);
  const Value* perturb = top.find("perturb");
  settle_perturbation(layers.merged, perturb ? read_perturbation(*perturb, "perturb", problems) : std::nullopt, experiment);
  if (const Value* align = top.find_given_block("align")) experiment.align = read_alignment(*align, problems);
  if (const Value* check = top.find_given_block("overflow_check"))
    experiment.overflow_check = read_overflow_check(*check, problems);
  const auto steps_of = [](const Value& v) { return whole_number_of(v, 1, 1'000'000'000'000); };
  if (top.find("steps")) top.read("steps", steps_of, experiment.steps.emplace());
  if (const Value* soak = top.find("soak"); soak && top.read("soak", steps_of, experiment.soak.emplace().value))
    experiment.soak->place = soak->place;
  if (const Value* metric = top.find("metric")) experiment.metrics = read_metrics(*metric, problems);
  else experiment.metrics.emplace_back().name = "loss";
  const Value* standard = top.find("standard_checks");
  const std::vector<Check> known = standard ? read_standard_checks(*standard, problems) : std::vector<Check>{};
  if (const Value* checks = top.find("checks")) experiment.checks = read_checks(*checks, known, problems);
  const Value* hold_by = top.find("hold_by");
  const HoldMeans means = hold_by ? read_hold_means(*hold_by, problems) : HoldMeans{};
  if (const Value* hold = top.find("hold")) experiment.hold = read_hold(*hold, means, problems);
  if (needed != Needed::reference) read_subject_and_suspects(top, experiment, problems);
  else
    for (const char* unread : {"subject", "families", "suspects", "standard_suspects", "search"}) (void)top.find(unread);
  if (const Value* versions = top.find("versions")) experiment.versions = read_versions(*versions, problems);
  top.refuse_other_keys();
  return experiment;
}

}  // namespace

Experiment load_experiment(const std::filesystem::path& file, Needed needed) {
  Problems problems;
  const auto layers = read_layers(file, problems);
  if (!layers) problems.throw_if_any(file.string());
  Experiment experiment = read_experiment(*layers, file, needed, problems);
  experiment.file = file.string();
  // What blocks say about each other is only worth hearing once each of them is right.
  if (problems.empty()) check_and_settle(experiment, needed, problems);
  problems.throw_if_any(file.string());
  experiment.warnings = problems.take_warnings();
  return experiment;
}

std::map<std::string, Family> load_families(const std::string& preset) {
  Problems problems;
  // A file is looked for from here, as an argument is, and not from the folder of a file that extends it.
  const auto file = extended_file({preset, {std::filesystem::path(preset).filename(), 0, 0}}, problems);
  const auto layers = file ? read_layers(*file, problems) : std::nullopt;
  problems.throw_if_any(preset);
  std::map<std::string, Family> families;
  MapReader top(layers->merged, "", problems);
  if (const Value* block = top.find("families")) families = read_families(*block, problems);
  problems.throw_if_any(file->string());
  return families;
}

}  // namespace bisectd::configs
