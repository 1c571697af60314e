#include "driver/commands/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

#include "configs/file_bytes.hpp"
#include "configs/layers.hpp"
#include "configs/layouts.hpp"
#include "configs/suggest.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/output.hpp"
#include "driver/keep/run_directory.hpp"
#include "reports/escape.hpp"

namespace bisectd::driver::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScript = "SCRIPT";  ///< of a layout's command

struct InitOptions {
  std::string preset;
  std::string file = "experiment.yaml";
};

/// How the training of this folder is likely started.
struct Training {
  std::string origin;  ///< what the guess rests on
  configs::Layout layout;
};

/// Whether a script has a word in its first 64 kB.
bool mentions(const std::string& script, std::string_view word) {
  return configs::bytes_in(script, 64 * 1024).find(word) != std::string::npos;
}

/// The script of this folder that trains, by its name, by what it does, or as there is no other; empty if there is none.
std::string training_script() {
  for (const char* usual : {"tools/train.py", "train.py", "main.py"})
    if (fs::exists(usual)) return usual;
  std::vector<std::string> scripts;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(".", fs::directory_options::skip_permission_denied, ignored)) {
    const std::string name = entry.path().filename().string();
    constexpr const char* kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";  // no quotes in YAML
    if (name == "setup.py" || name == "conftest.py") continue;  // they install it, or test it
    if (name.ends_with(".py") && name.find_first_not_of(kPlain) == std::string::npos && entry.is_regular_file(ignored))
      scripts.push_back(name);
  }
  std::ranges::sort(scripts);
  const auto by_name = [](const std::string& name) { return name.find("train") != name.npos || name.starts_with("run_"); };
  const auto by_content = [](const std::string& name) { return mentions(name, ".backward("); };
  auto found = std::ranges::find_if(scripts, by_name);
  if (found == scripts.end()) found = std::ranges::find_if(scripts, by_content);
  if (found == scripts.end() && scripts.size() == 1) found = scripts.begin();
  return found == scripts.end() ? "" : *found;
}

bool fits(const configs::Layout& layout, const std::string& script) {
  if (script.empty() && layout.command.find(kScript) != std::string::npos) return false;
  const bool is_here =
      !layout.here.empty() && std::ranges::all_of(layout.here, [](const std::string& path) { return fs::exists(path); });
  return is_here || (!layout.says.empty() && !script.empty() && mentions(script, layout.says));
}

Training guessed_training() {
  const std::string script = training_script();
  const std::vector<configs::Layout> known = configs::known_layouts();
  const auto found = std::ranges::find_if(known, [&](const configs::Layout& layout) { return fits(layout, script); });
  if (found == known.end())
    return {script.empty() ? "nothing here looks like a training" : fmt::format("this folder has a {}", script),
            {.command = fmt::format("python, {}", script.empty() ? "train.py" : script)}};
  Training training{fmt::format("this folder looks like {}", found->name), *found};
  if (const std::size_t at = training.layout.command.find(kScript); at != std::string::npos)
    training.layout.command.replace(at, kScript.size(), script);
  return training;
}

/// Numbers of the devices that this machine shows as /dev/NAME0, /dev/NAME1, ...; 0 alone where there is none.
std::string device_ids(const char* name) {
  std::vector<int> ids;
  for (int id = 0; fs::exists(fmt::format("/dev/{}{}", name, id)); ++id) ids.push_back(id);
  if (ids.empty()) ids.push_back(0);
  return fmt::format("[{}]", fmt::join(ids, ", "));
}

const configs::Value* entry(const configs::Value& map, std::string_view key) {
  const auto found = std::ranges::find(map.entries, key, &configs::Value::Entry::key);
  return found == map.entries.end() ? nullptr : &found->value;
}

std::optional<configs::Layers> layers_of(const std::string& preset) {
  configs::Problems problems;
  const fs::path file = configs::data_folder() / "presets" / (preset + ".yaml");
  auto layers = configs::read_layers(file, problems);
  problems.throw_if_any(file.string());
  return layers;
}

constexpr const char* kPerturb = R"(
# Repeats must differ by rounding, or a healthy device cannot be told from a wrong one (README.md, `perturb`): a variable that
# is 1, 2, 3, ... in them and by which the training moves its initial parameters, or harmless settings.
# perturb: {environment: TRAIN_PERTURB}
# perturb: {switches: [{OMP_NUM_THREADS: "2"}, {MKL_CBWR: COMPATIBLE}]}
)";

/// The kind of the devices that a preset's subject trains on.
std::string subject_kind(const std::optional<configs::Layers>& layers) {
  const configs::Value* value = layers ? &layers->merged : nullptr;
  for (const char* key : {"subject", "devices", "kind"})
    if (value) value = entry(*value, key);
  return value ? value->text : "npu";
}

bool needs_argument(const configs::Value& family) {
  const auto by_argument = [](const configs::Value& deliver) { return entry(deliver, "argument") != nullptr; };
  const configs::Value* deliver = entry(family, "deliver");
  const configs::Value* toggles = entry(family, "toggles");
  return (deliver && by_argument(*deliver)) ||
         (toggles && std::ranges::any_of(toggles->entries, by_argument, &configs::Value::Entry::value));
}

constexpr std::string_view kByHand = "[name them here]";

/// Discovered where a run can show the members, all where the preset lists them.
std::string_view members_of(const configs::Value& family) {
  const configs::Value* discover = entry(family, "discover");
  const configs::Value* kind = entry(family, "kind");
  if (discover && discover->kind == configs::Value::Kind::map) return "{discover: true}";
  return kind && kind->text == "list" ? kByHand : "all";
}

/// What a preset lets be searched. Its usual search stands there; what would clash with it, or needs more, as comments.
std::string suspects_of(const std::optional<configs::Layers>& layers) {
  const configs::Value* families = layers ? entry(layers->merged, "families") : nullptr;
  if (!families) return "";
  const configs::Value* usual = entry(layers->merged, "standard_suspects");
  std::string searched, others, by_hand, by_argument;
  for (const configs::Value::Entry& family : families->entries) {
    const std::string_view members = members_of(family.value);
    const configs::Value* about = entry(family.value, "description");
    const std::string line = fmt::format("{}: {}{}\n", family.key, members, about ? "  # " + about->text : "");
    if (usual && entry(*usual, family.key)) searched += "  " + line;
    else if (needs_argument(family.value)) by_argument += "  # " + line;
    else if (members == kByHand) by_hand += "  # " + line;
    else others += "  # " + line;
  }
  const auto group = [](const char* needs, const std::string& lines) { return lines.empty() ? "" : needs + lines; };
  return searched +
         group("  # Other looks at the same things, in the place of one above, and what only some trainings have:\n",
               others) +
         group("  # These need names of members:\n", by_hand) +
         group("  # These need the element \"{arguments}\" in the subject's command, where the training takes options:\n",
               by_argument);
}

constexpr const char* kOwnFamily = R"(  ops:                         # in your own stack
    kind: list                 # names joined into one variable; a listed name is off
    deliver: {environment: MY_CPU_OPS, separator: ","}
)";

/// Editors with a language server for YAML read this line, complete keys and mark what is wrong.
std::string schema_line() {
  const fs::path schema = configs::data_folder() / "schema/experiment.schema.json";
  if (!fs::exists(schema)) return "";
  const std::string path = fs::absolute(schema).lexically_normal().string();
  return fmt::format("# yaml-language-server: $schema=file://{}\n", reports::plain(path));
}

/// Toggles of the project itself.
std::string switches_text(const std::string& switches) {
  if (switches.empty()) return "";
  std::string text =
      "  switches:                    # of the project itself, behind the other arguments; look what yours has at all\n"
      "    kind: toggle\n    toggles:\n";
  std::istringstream lines(switches);
  for (std::string line; std::getline(lines, line);) text += "      " + line + "\n";
  return text;
}

std::string experiment_text(const Training& training, const std::string& preset) {
  const configs::Layout& layout = training.layout;
  const auto layers = preset.empty() ? std::nullopt : layers_of(preset);
  const std::string searched = suspects_of(layers);
  const std::string families = switches_text(layout.switches) + (searched.empty() ? kOwnFamily : "");
  const std::string suspects =
      searched.empty() ? "  ops: [first_op, second_op]   # the names that may be guilty\n" : searched;
  const std::string kind = subject_kind(layers);
  const bool on_npu = kind == "npu";
  const auto command = [&](const std::string& further, bool switched) {
    std::string words = layout.command;
    if (!further.empty()) words += ", " + further;
    if (switched && !layout.switches.empty()) words += ", \"{arguments}\"";
    return words;
  };
  const std::string extends =
      preset.empty() ? "" : fmt::format("extends: {:<20} # what can be switched off, and how\n", preset);
  return fmt::format(
      R"({schema}# An experiment of bisectd, guessed by `bisectd init`: {origin}. Look at every line, then try it with
#   bisectd check experiment.yaml --run
version: 1
name: {name:<23} # names the run directory
{extends}
reference:                     # the trusted side
  command: [{on_reference}]
  devices: {{kind: gpu, ids: {gpus}}}
  # repeats: 3                 # one as it is, the others perturbed: how far do healthy runs differ
  # curve: gpu-train.log       # or a log recorded earlier: then no GPU is needed

subject:                       # the side that loses accuracy
  command: [{on_subject}]
  devices: {{kind: {kind}, ids: {ids}}}   # one trial on each at a time; per_trial: 2 for two devices a trial, with half the
                               # batch on each: what all devices train on in a step must be the same on both sides
{setup}  timeout: 1h                  # of one attempt
  stall: 15m                   # no new output
{perturb}
steps: 200                     # both sides are ended after this step; absent: as long as the reference trains
metric: {metric}                  # found in the log by itself; let it log every step, not smoothed
accept: {{target: 0.5%}}         # of the last 30 % of the run
{checks}
{families}suspects:
{suspects}
search: {{budget: {{trials: 200, hours: 10}}}}
)",
      fmt::arg("schema", schema_line()), fmt::arg("origin", training.origin), fmt::arg("name", "my-training"),
      fmt::arg("extends", extends), fmt::arg("on_reference", command(layout.reference, false)),
      fmt::arg("on_subject", command(on_npu ? layout.subject : layout.reference, true)),
      fmt::arg("gpus", device_ids("nvidia")), fmt::arg("kind", kind),
      fmt::arg("ids", device_ids(on_npu ? "davinci" : "nvidia")),
      fmt::arg("setup", on_npu ? "  # setup: source /usr/local/Ascend/ascend-toolkit/set_env.sh\n" : ""),
      fmt::arg("metric", layout.metric),
      fmt::arg("checks", preset.empty() ? ""
                                        : "checks: standard               # settings that both logs say must be the same\n"
                                          "# hold: {seed: 1024, deterministic: true}   # in every run of both sides\n"),
      fmt::arg("perturb", layers && entry(layers->merged, "perturb") ? "" : kPerturb),
      fmt::arg("families", families.empty()
                               ? ""
                               : "families:                      # what can be switched off, and how\n" + families + "\n"),
      fmt::arg("suspects", (layout.switches.empty() ? "" : "  switches: all\n") + suspects));
}

/// Presets that say what can be switched off on a stack; others are parts of these.
std::vector<std::string> stacks() {
  std::vector<std::string> names = configs::preset_names();
  std::erase_if(names, [](const std::string& name) { return configs::load_families(name).empty(); });
  return names;
}

void check_preset(const std::string& preset) {
  if (preset.empty()) return;
  const std::vector<std::string> presets = stacks();
  if (std::ranges::count(presets, preset)) return;
  const auto near = configs::nearest(preset, presets);
  const bool part = std::ranges::count(configs::preset_names(), preset) > 0;
  throw UsageError(fmt::format(
      "{} '{}'; {}", part ? "nothing can be switched off by the preset" : "there is no preset", preset,
      near && !part ? fmt::format("did you mean '{}'?", *near) : fmt::format("choose one of {}", fmt::join(presets, ", "))));
}

ExitCode init(const InitOptions& options) {
  check_preset(options.preset);
  const Training training = guessed_training();
  const std::string text = experiment_text(training, options.preset.empty() ? training.layout.preset : options.preset);
  if (options.file == "-") {
    fmt::print("{}", text);
    return ExitCode::success;
  }
  if (fs::exists(options.file))
    throw UsageError(fmt::format("{} exists already; choose another name with -o", options.file));
  write_output_file(options.file, text);
  const bool has_gaps = !training.layout.name.empty();
  fmt::print(
      "wrote {0}. What to do next:\n"
      "  1. look at every line of {0}{1}\n"
      "  2. bisectd check {0} --run   finds mistakes, from a few runs of each side\n"
      "  3. bisectd plan {0}          says what the night will take\n"
      "  4. bisectd run {0}\n",
      reports::plain(options.file), has_gaps ? ", and put your own in the place of the words in capitals" : "");
  return ExitCode::success;
}

}  // namespace

void add_init(CLI::App& app, Action& action) {
  const auto [command, options] = add_command(app, action, "init", "write a first experiment file with comments", init);
  command.add_option("PRESET", options.preset, "the stack: a preset such as paddle-npu; without one, a family of your own");
  command.add_option("-o,--output", options.file, "file to write, never over another; - for stdout")->capture_default_str();
}

}  // namespace bisectd::driver::commands
