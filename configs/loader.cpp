#include "configs/loader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "configs/blocks.hpp"
#include "configs/consistency.hpp"
#include "configs/kinds.hpp"
#include "configs/layers.hpp"
#include "configs/printable.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

/// What files without a name are called: like the file, or like its folder where it has the name that all have.
std::string usual_name(const Folder& file) {
  std::string name = file.stem().string();
  return name == "experiment" ? std::filesystem::absolute(file).parent_path().filename().string() : name;
}

void settle_name(MapReader& top, Experiment& experiment) {
  const Value* name = top.find("name");
  if (name && name->kind != Value::Kind::scalar) return;
  if (!name) experiment.name = usual_name(experiment.file);
  if (is_plain_name(experiment.name)) return;
  if (name) top.problems().add(name->place, in_quotes(experiment.name) + " cannot name a folder", kPlainNameRule);
  else
    top.problems().add(top.place(),
                       "`name` is missing, and " + in_quotes(experiment.name) + " of the path cannot name a folder",
                       kPlainNameRule);
}

/// What the file says for both sides holds for those that say nothing themselves, and for nothing that is not run.
void settle_perturbation(const Value& root, const std::optional<Perturbation>& both, Experiment& experiment) {
  const auto says_nothing = [&](const char* key) {
    const Value* side = value_at(root, key);
    return side && !value_at(*side, "perturb");
  };
  if (says_nothing("subject") && !experiment.subject.command.empty()) experiment.subject.perturb = both;
  if (says_nothing("reference") && !experiment.reference.is_recorded()) experiment.reference.perturb = both;
}

/// Reads what stands under a key of the file.
template <class T>
bool read_at(MapReader& top, const std::string& key, const Kind<T>& kind, T& to) {
  const Value* value = top.find(key);
  return value && kind.read(*value, {key, top.problems()}, to);
}

/// Reads what rests on other keys, or on what of the file is needed.
void settle_experiment(MapReader& top, Experiment& experiment, Needed needed) {
  settle_name(top, experiment);
  if (experiment.accept.goal == Goal::agrees || needed == Needed::reference)
    (void)top.require("reference", "the trusted run");
  std::optional<Perturbation> both;
  if (top.given("perturb"))
    if (Perturbation read; read_at(top, "perturb", block(perturbation_block), read)) both = read;
  settle_perturbation(top.value(), both, experiment);
  if (!top.find("metric")) experiment.metrics.emplace_back().name = "loss";
  std::vector<Check> standard;
  read_at(top, "standard_checks", standard_checks(), standard);
  read_at(top, "checks", checks(standard), experiment.checks);
  HoldMeans means;
  read_at(top, "hold_by", block(hold_by_block), means);
  if (const Value* hold = top.find("hold")) settle_hold(*hold, means, experiment.hold, top.problems());
  if (needed == Needed::reference) return;
  (void)top.require("subject", "the run under test");
  const bool own = top.find("suspects"), standard_ones = top.find("standard_suspects");
  if (!own && !standard_ones) (void)top.require("suspects", "for example {flags: all}");
  else read_at(top, own ? "suspects" : "standard_suspects", selections(experiment.families), experiment.suspects);
}

Key if_there(Key key) {
  key.write = [write = key.write](const void* it, const Folder& folder) {
    return static_cast<const Experiment*>(it)->reference.is_there() ? write(it, folder) : Value{};
  };
  return key;
}

Key searched_only(Key key) {
  key.write = [write = key.write](const void* it, const Folder& folder) {
    Experiment experiment = *static_cast<const Experiment*>(it);
    std::erase_if(experiment.families, [&](const auto& entry) { return !experiment.suspects.contains(entry.first); });
    return write(&experiment, folder);
  };
  return key;
}

/// Its reading rests on the families, and on whether there are standard ones.
Key suspects_key(const char* name, const char* doc) {
  static const std::map<std::string, Family> none;
  Key made = key(name, &Experiment::suspects, selections(none), doc).touching(Touches::nothing);
  made.read = [](const Value&, const Where&, void*) { return true; };
  return made;
}

}  // namespace

const Block<Experiment>& experiment_block() {
  using E = Experiment;
  const auto step = whole(1, 1'000'000'000'000);
  static const Block<E> block{
      {.name = "",
       .title = "",
       .keys = {
           later("version", {R"({"const": 1})"}, "Of this format."),
           key("name", &E::name, text(),
               "Names the run's folder: letters, digits, '.', '_' and '-'. Absent: the file's own, or its folder's if it is "
               "experiment.yaml.")
               .touching(Touches::nothing),
           later("extends", {R"({"type": "string"})"}, "A preset, or a file ending in .yaml relative to this one.")
               .written<E>([](const E& it) { return it.preset ? text_value(*it.preset) : Value{}; })
               .touching(Touches::nothing),
           if_there(key("reference", &E::reference, configs::block(reference_block),
                        "The trusted side: how it is started, or what was recorded of it.")),
           key("subject", &E::subject, configs::block(subject_block), "The side under test: how it is started."),
           later("perturb", configs::block(perturbation_block).shape,
                 "What makes repeats of both sides samples of rounding; the first run of anything is without it. Absent: "
                 "none, or what the preset says.")
               .or_none(),
           key("align", &E::align, configs::block(alignment_block),
               "How `bisectd align` gets one step written down, and how much two sides may differ in it. Absent: what the "
               "preset says.")
               .or_none()
               .unwritten(),
           key("steps", &E::steps, step, "Last step of a whole run; absent: learnt from the reference."),
           key("soak", &E::soak, step,
               "At the end the fix is run once to this step, more than `steps`: loss, loss scale and memory are watched. "
               "Absent: no such run.")
               .touching(Touches::nothing),
           key("metric", &E::metrics, metrics(),
               "What is compared: a name, or several with what is said of each. Every one must pass; loss_scale and "
               "grad_norm are only watched."),
           key("accept", &E::accept, configs::block(acceptance_block), "When a run agrees with the reference."),
           key("checks", &E::checks, checks({}), "Facts that both sides must agree on before any trial.")
               .touching(Touches::nothing),
           later("standard_checks", standard_checks().shape,
                 "Of a preset: what `checks: standard` compares where both logs say it."),
           key("hold", &E::hold, configs::block(hold_block), "The same in every run of both sides.")
               .written<E>([](const E& it) { return variables_value(*got<Variables>(it.hold.environment)); }),
           later("hold_by", configs::block(hold_by_block).shape,
                 "Of a preset: the variables that hold what `hold` says; may hold {value} {presets} {and_inherited} "
                 "{attempt}."),
           key("overflow_check", &E::overflow_check, configs::block(overflow_check_block),
               "Where the subject as it is overflows, one run with the framework's own check names the first operator with "
               "an inf or a nan. none: no such run. Absent: what the preset says.")
               .or_none()
               .touching(Touches::nothing),
           searched_only(
               key("families", &E::families, families(),
                   "Suspects that are switched off the same way, by name. A preset brings these; own ones are added, "
                   "and its own can be changed.")),
           suspects_key("suspects", "Which members of which families are searched, by the name of the family."),
           suspects_key("standard_suspects", "Of a preset: `suspects` of files that say none.").unwritten(),
           key("search", &E::search, configs::block(search_block), "How the search goes, and how long.")
               .touching(Touches::nothing),
           key("versions", &E::versions, versions(),
               "Of the subject's software: recorded with the run and compared with the baseline.")}}};
  return block;
}

Experiment load_experiment(const Folder& file, Needed needed) {
  Problems problems;
  const auto layers = read_layers(file, problems);
  if (!layers) problems.throw_if_any(file.string());
  Experiment experiment;
  experiment.file = file.string();
  experiment.preset = layers->extends;
  std::vector<std::string> left_out{"checks"};  // read when the standard ones are
  if (needed == Needed::reference)
    left_out.insert(left_out.end(), {"subject", "families", "suspects", "standard_suspects", "search"});
  const auto settle = [&](MapReader& top) { settle_experiment(top, experiment, needed); };
  experiment_block().AnyBlock::read(layers->merged, {"", problems}, &experiment, settle, left_out);
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
  if (const Value* block = top.find("families")) configs::families().read(*block, {"families", problems}, families);
  problems.throw_if_any(file->string());
  return families;
}

}  // namespace bisectd::configs
