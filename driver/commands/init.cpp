#include "driver/commands/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "configs/layers.hpp"
#include "configs/suggest.hpp"
#include "driver/keep/run_directory.hpp"
#include "reports/escape.hpp"

namespace bisectd::driver::commands {
namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::string preset;
  std::string file = "experiment.yaml";
};

/// How the training of this folder is likely started, for one side each; the rest of the words follow.
struct Training {
  std::string origin;                    ///< what the guess rests on
  std::string words;                     ///< items of the command, without brackets
  std::string on_reference, on_subject;  ///< items that choose the device
  std::string metric;                    ///< the block's inside
};

/// The script of this folder that trains, by its name; empty if there is none.
std::string training_script() {
  for (const char* usual : {"tools/train.py", "train.py", "main.py"})
    if (fs::exists(usual)) return usual;
  std::vector<std::string> others;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(".", fs::directory_options::skip_permission_denied, ignored)) {
    const std::string name = entry.path().filename().string();
    constexpr const char* kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";  // no quotes in YAML
    const bool trains = name.find("train") != std::string::npos || name.starts_with("run_");
    if (trains && name.ends_with(".py") && name.find_first_not_of(kPlain) == std::string::npos) others.push_back(name);
  }
  return others.empty() ? "" : std::ranges::min(others);
}

Training guessed_training() {
  const auto is_there = [](const char* path) { return fs::exists(path); };
  const std::string found = training_script();
  const char* script = found.empty() ? nullptr : found.c_str();
  if (script && is_there("ppocr"))
    return {"this folder looks like PaddleOCR",
            fmt::format("python, {}, -c, CONFIG.yml, -o, Global.log_smooth_window=1, Global.print_batch_step=1, "
                        "\"Global.save_model_dir={{attempt}}/output\"",
                        script),
            ", Global.use_gpu=True", ", Global.use_gpu=False, Global.use_npu=True", "loss: {format: paddleocr}"};
  if (script && is_there("paddleseg"))
    return {"this folder looks like PaddleSeg",
            fmt::format("python, {}, --config, CONFIG.yml, --log_iters, \"1\", --save_dir, \"{{attempt}}/output\"", script),
            ", --device, gpu", ", --device, npu", "loss: {format: paddleseg}"};
  if (script && is_there("ppcls"))
    return {"this folder looks like PaddleClas",
            fmt::format("python, {}, -c, CONFIG.yaml, -o, Global.print_batch_step=1, "
                        "-o, \"Global.output_dir={{attempt}}/output\"",
                        script),
            ", -o, Global.device=gpu", ", -o, Global.device=npu", "loss: {format: paddleclas}"};
  if (script && is_there("ppdet"))
    return {"this folder looks like PaddleDetection",
            fmt::format("python, {}, -c, CONFIG.yml, -o, log_iter=1, \"save_dir={{attempt}}/output\"", script),
            ", use_gpu=True", ", use_gpu=False, use_npu=True", "loss: {format: paddledetection}"};
  return {script ? fmt::format("this folder has a {}", script) : "nothing here looks like a training",
          fmt::format("python, {}", script ? script : "train.py"), "", "",
          "loss: {pattern: 'step[ :=]+(?P<step>\\d+).*loss[ :=]+(?P<value>\\S+)'}"};
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

bool is_perturbed(const std::string& preset) {
  const auto layers = preset.empty() ? std::nullopt : layers_of(preset);
  return layers && entry(layers->merged, "perturb");
}

constexpr const char* kPerturb = R"(
# Repeats must differ by rounding, or a healthy device cannot be told from a wrong one (README.md, `perturb`): a variable that
# is 1, 2, 3, ... in them and by which the training moves its initial parameters, or harmless settings.
# perturb: {environment: TRAIN_PERTURB}
# perturb: {switches: [{OMP_NUM_THREADS: "2"}, {MKL_CBWR: COMPATIBLE}]}
)";

/// What a preset lets be searched: discovered where a run can show it, all where the preset lists it.
std::string suspects_of(const std::string& preset) {
  const auto layers = layers_of(preset);
  const configs::Value* families = layers ? entry(layers->merged, "families") : nullptr;
  std::string text;
  for (const configs::Value::Entry& family : families ? families->entries : std::vector<configs::Value::Entry>{}) {
    const configs::Value* discover = entry(family.value, "discover");
    const configs::Value* kind = entry(family.value, "kind");
    const configs::Value* about = entry(family.value, "description");
    const bool discovered = discover && discover->kind == configs::Value::Kind::map;
    const bool by_hand = kind && kind->text == "list" && !discovered;
    text += fmt::format("  {}{}: {}{}\n", by_hand ? "# " : "", family.key,
                        discovered ? "{discover: true}"
                        : by_hand  ? "[name them here]"
                                   : "all",
                        about ? "  # " + about->text : "");
  }
  return text;
}

constexpr const char* kOwnFamily = R"(families:                      # what can be switched off in your stack, and how
  ops:
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

std::string experiment_text(const std::string& preset) {
  const Training training = guessed_training();
  const std::string searched = preset.empty() ? "" : suspects_of(preset);
  const std::string extends =
      preset.empty() ? "" : fmt::format("extends: {:<20} # what can be switched off, and how\n", preset);
  return fmt::format(
      R"({schema}# An experiment of bisectd, guessed by `bisectd init`: {origin}. Look at every line, then try it with
#   bisectd check experiment.yaml --run
version: 1
name: {name:<23} # names the run directory
{extends}
reference:                     # the trusted side
  command: [{words}{on_reference}]
  devices: {{kind: gpu, ids: {gpus}}}
  # repeats: 8                 # the default where they are perturbed, else 3: how far do healthy runs differ
  # curve: gpu-train.log       # or a log recorded earlier: then no GPU is needed

subject:                       # the side that loses accuracy
  command: [{words}{on_subject}]
  devices: {{kind: npu, ids: {npus}}}   # one trial on each at a time; per_trial: 2 for two devices a trial, with half the
                               # batch on each: what all devices train on in a step must be the same on both sides
  # setup: source /usr/local/Ascend/ascend-toolkit/set_env.sh
  timeout: 1h                  # of one attempt
  stall: 15m                   # no new output
{perturb}
steps: 200                     # both sides are ended after this step; absent: as long as the reference trains
metric: {{{metric}}}   # every step, not smoothed
accept: {{target: 0.5%}}         # of the last 30 % of the run
{checks}

{families}suspects:
{suspects}
search: {{budget: {{trials: 200, hours: 10}}}}
)",
      fmt::arg("schema", schema_line()), fmt::arg("origin", training.origin), fmt::arg("name", "my-training"),
      fmt::arg("extends", extends), fmt::arg("words", training.words), fmt::arg("on_reference", training.on_reference),
      fmt::arg("on_subject", training.on_subject), fmt::arg("gpus", device_ids("nvidia")),
      fmt::arg("npus", device_ids("davinci")), fmt::arg("metric", training.metric),
      fmt::arg("checks", preset.empty() ? ""
                                        : "checks: standard               # settings that both logs say must be the same\n"
                                          "# hold: {seed: 1024, deterministic: true}   # in every run of both sides\n"),
      fmt::arg("perturb", is_perturbed(preset) ? "" : kPerturb),
      fmt::arg("families", searched.empty() ? std::string(kOwnFamily) + "\n" : ""),
      fmt::arg("suspects", searched.empty() ? "  ops: [first_op, second_op]   # the names that may be guilty\n" : searched));
}

void check_preset(const std::string& preset) {
  const std::vector<std::string> presets = configs::preset_names();
  if (preset.empty() || std::ranges::count(presets, preset)) return;
  const auto near = configs::nearest(preset, presets);
  throw UsageError(
      fmt::format("there is no preset '{}'; {}", preset,
                  near ? fmt::format("did you mean '{}'?", *near) : fmt::format("known: {}", fmt::join(presets, ", "))));
}

int init(const InitOptions& options) {
  check_preset(options.preset);
  const std::string text = experiment_text(options.preset);
  if (options.file == "-") {
    fmt::print("{}", text);
    return 0;
  }
  if (fs::exists(options.file))
    throw UsageError(fmt::format("{} exists already; choose another name with -o", options.file));
  keep::write_file(options.file, text);
  const bool wants_file = text.find("CONFIG.y") != std::string::npos;
  fmt::print(
      "wrote {0}. What to do next:\n"
      "  1. look at every line of {0}{1}\n"
      "  2. bisectd check {0} --run   finds mistakes, from a few runs of each side\n"
      "  3. bisectd plan {0}          says what the night will take\n"
      "  4. bisectd run {0}\n",
      reports::plain(options.file), wants_file ? ", and put your configuration in the place of CONFIG" : "");
  return 0;
}

}  // namespace

void add_init(CLI::App& app, Action& action) {
  const auto options = std::make_shared<InitOptions>();
  CLI::App* command = app.add_subcommand("init", "write a first experiment file with comments");
  command->add_option("PRESET", options->preset,
                      "the stack: a preset such as paddle-npu; without one, a family of your own");
  command->add_option("-o,--output", options->file, "file to write, never over another; - for stdout")
      ->capture_default_str();
  command->callback([&action, options] { action = [options] { return init(*options); }; });
}

}  // namespace bisectd::driver::commands
