// Declares `reference` and `subject`: how one side is started, on which devices, as which jobs, with which environment.
#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>

#include "configs/blocks.hpp"
#include "configs/consistency.hpp"
#include "configs/kinds.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"
#include "configs/suggest.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

constexpr std::chrono::minutes kMargin{1};  ///< by which bisectd ends an attempt before Slurm would, so that it knows why

/// Options of sbatch that bisectd needs for itself.
constexpr const char* kOwnOptions[] = {"--job-name", "-J",        "--output", "-o",     "--error",    "-e",
                                       "--parsable", "--array",   "-a",       "--wait", "-W",         "--test-only",
                                       "--wrap",     "--requeue", "--chdir",  "-D",     "--open-mode"};

/// The variable that limits a training to its slot's devices, for the kinds whose runtime reads one.
std::string visible_variable_of(const std::string& kind) {
  if (kind == "npu") return "ASCEND_RT_VISIBLE_DEVICES";
  if (kind == "gpu") return "CUDA_VISIBLE_DEVICES";
  return {};
}

bool read_ids(const Value& value, const Where& where, std::vector<int>& ids) {
  if (value.kind != Value::Kind::list || value.items.empty())
    return where.add(value, "expected a list of device numbers", "for example [0, 1]");
  for (const Value& item : value.items) {
    const auto id = whole_number_of(item, 0, 65'535);
    if (!id) where.add(item, id.error().message, id.error().hint);
    else if (std::ranges::count(ids, static_cast<int>(*id))) where.tell(item, fmt::format("device {} is named twice", *id));
    else ids.push_back(static_cast<int>(*id));
  }
  std::ranges::sort(ids);
  return true;
}

Kind<std::vector<int>> ids() {
  return {.read = read_ids,
          .write =
              [](const std::vector<int>& it, const Folder&) {
                Value list{.kind = Value::Kind::list};
                for (const int id : it) list.items.push_back(word_value(std::to_string(id)));
                return list;
              },
          .shape = {.json = R"({"type": "array", "minItems": 1, "uniqueItems": true,
                    "items": {"type": "integer", "minimum": 0, "maximum": 65535}})"}};
}

const Block<Devices>& devices_block() {
  using D = Devices;
  static const Block<D> block{
      {.name = "devices",
       .title = "`devices` of a side",
       .keys =
           {key("kind", &D::kind, word().checked([](const Value& value, const Where& where, const std::string& kind) {
              if (!is_plain_name(kind))
                where.tell(value, in_quotes(kind) + " is no kind of device", "for example npu, gpu or cpu");
            }),
                "npu, gpu, cpu or another word.")
                .require("for example npu, gpu or cpu"),
            key("ids", &D::ids, ids(), "Numbers of the devices that may be used.").touching(Touches::nothing),
            key("per_trial", &D::per_trial, whole(1, 65'536), "Devices of one attempt; divides the number of ids."),
            key("visible_variable", &D::visible_variable,
                text().checked([](const Value& value, const Where& where, const std::string& name) {
                  if (name != "none") check_variable_name(name, value.place, where.problems);
                }),
                "Variable that shows an attempt its devices; none: nothing is set. Absent: ASCEND_RT_VISIBLE_DEVICES for "
                "npu, CUDA_VISIBLE_DEVICES for gpu, none for others.")
                .written<D>(
                    [](const D& it) { return word_value(it.visible_variable.empty() ? "none" : it.visible_variable); })},
       .one_line = true},
      [](MapReader& reader, D& devices) {
        if (!reader.find("visible_variable")) devices.visible_variable = visible_variable_of(devices.kind);
        if (devices.visible_variable == "none") devices.visible_variable.clear();
      }};
  return block;
}

/// What the devices of a side say of each other. In jobs each attempt gets its devices from its job, and none are numbered
/// here.
void check_devices(const MapReader& side, const Value& block, const Devices& devices, bool in_jobs, Problems& problems) {
  const std::string what = side.path_to("devices");
  const Value* ids = value_at(block, "ids");
  if (ids && in_jobs)
    problems.add(ids->place, fmt::format("`{}.ids` has no use with Slurm: a job brings its own devices", what), "remove it");
  if (in_jobs) return;
  if (!ids && devices.kind != "cpu")  // a preset may have said the devices
    problems.add(block.place.file == side.place().file ? block.place : side.place(),
                 fmt::format("`{}`: devices of kind {} need `ids`", what, in_quotes(devices.kind)),
                 "for example devices: {ids: [0]}");
  const Value* per_trial = value_at(block, "per_trial");
  const int count = devices.per_trial, pool = static_cast<int>(devices.ids.size());
  if (!per_trial || !whole_number_of(*per_trial, 1, 65'536)) return;
  if (pool == 0 || count > pool)
    problems.add(per_trial->place, fmt::format("per_trial is {}, but there are {} devices", count, pool));
  else if (pool % count != 0)
    problems.add(per_trial->place, fmt::format("{} devices cannot be shared out {} at a time", pool, count),
                 "per_trial must divide the number of ids");
}

void check_own_options(const Value&, const Where& where, const Texts& arguments) {
  for (const auto& [argument, place] : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    const bool is_short = name.size() > 2 && name[0] == '-' && name[1] != '-';  // -o/tmp/x
    if (std::ranges::find(kOwnOptions, is_short ? name.substr(0, 2) : name) != std::end(kOwnOptions))
      where.tell(place, fmt::format("{} is set by bisectd for every job", in_quotes(is_short ? argument : name)),
                 "remove it here");
    else if (!argument.starts_with("-"))
      where.tell(place, in_quotes(argument) + " would be taken for the job's script",
                 "write an option and its value as one element, for example --account=team");
  }
}

/// Slurm counts whole minutes.
Kind<std::chrono::minutes> job_time() {
  using std::chrono::milliseconds, std::chrono::minutes;
  const auto in_minutes = [](milliseconds time) { return std::chrono::ceil<minutes>(time); };
  return parsed<minutes>([=](const Value& value) { return duration_of(value).map(in_minutes); },
                         [](minutes it) { return word_value(fmt::format("{}ms", milliseconds(it).count())); },
                         R"({"$ref": "#/definitions/duration"})")
      .checked([](const Value& value, const Where& where, minutes time) {
        if (time < 2 * kMargin)
          where.tell(value, "`time` is less than 2m",
                     "Slurm counts whole minutes, and an attempt is ended one minute before its job would be");
      });
}

const Block<SlurmJobs>& slurm_block() {
  using J = SlurmJobs;
  static const Block<J> block{
      {.name = "slurm",
       .title = "`launch: {slurm: ...}` of a side",
       .keys = {key("partition", &J::partition, text(), "Absent: Slurm's default partition.").touching(Touches::nothing),
                key("gres", &J::gres, text(),
                    "Devices of one job, for example npu:{per_trial}; needed where the side has devices."),
                key("time", &J::time, job_time(),
                    "Of one job, whole minutes; an attempt is ended one minute before. Absent: the partition's.")
                    .touching(Touches::nothing),
                key("max_jobs", &J::max_jobs, whole(1, 10'000), "Jobs submitted at the same time, running or waiting.")
                    .touching(Touches::nothing),
                key("pending", &J::pending, longer_than_0(), "A job that does not run by then is given up.")
                    .touching(Touches::nothing),
                key("arguments", &J::arguments, arguments().checked(check_own_options),
                    "Further options of sbatch, each one element: --account=team.")
                    .touching(Touches::nothing)}}};
  return block;
}

const Block<SlurmJobs>& launch_block() {
  static const Block<SlurmJobs> block{
      {.name = "launch",
       .title = "",
       .keys = {within("slurm", slurm_block, "Each attempt is a job of Slurm; see docs/launchers.md.")
                    .require("for example {partition: npu, gres: \"npu:{per_trial}\"}")},
       .whole = true}};
  return block;
}

Kind<SlurmJobs> launch() {
  Kind<SlurmJobs> kind = block(launch_block);
  kind.shape.json = R"({"anyOf": [{"const": "local"}, {"$ref": "#/definitions/launch"}]})";
  kind.read = [read = kind.read](const Value& value, const Where& where, SlurmJobs& jobs) {
    if (is_word(value, "local")) return false;
    if (value.kind == Value::Kind::scalar)
      return where.add(value, in_quotes(value.text) + " is no way to launch",
                       "local, or {slurm: {partition: npu, gres: \"npu:{per_trial}\"}}");
    return read(value, where, jobs) && value_at(value, "slurm");
  };
  return kind;
}

void settle_jobs(const MapReader& reader, Side& side, Problems& problems) {
  SlurmJobs& jobs = *side.slurm;
  if (jobs.gres) {
    boost::replace_all(jobs.gres->value, "{per_trial}", std::to_string(side.devices.per_trial));
    const std::string& text = jobs.gres->value;
    const auto is_right = [](char c) { return is_letter(c) || is_digit(c) || std::string_view("_:.-").find(c) < 4; };
    if (text.empty() || !std::ranges::all_of(text, is_right))
      problems.add(jobs.gres->place, in_quotes(text) + " is no generic resource", "for example npu:{per_trial}");
  } else if (side.devices.kind != "cpu") {
    problems.add(jobs.place,
                 fmt::format("`{}.launch.slurm` says no `gres`, and the job needs devices of kind {}", reader.what(),
                             in_quotes(side.devices.kind)),
                 "for example gres: \"npu:{per_trial}\"");
  }
  if (jobs.time) side.timeout = std::min<std::chrono::milliseconds>(side.timeout, *jobs.time - kMargin);
}

Kind<Texts> side_command() {
  const auto check = [](const Value& value, const Where& where, const Texts& command) {
    if (command.size() == value.items.size()) {
      if (command.empty()) where.tell(value, fmt::format("`{}` is empty", where.what), "for example [python, train.py]");
      else if (command.front().value.empty()) where.tell(command.front().place, "the program's name is empty");
      for (const auto& element : command)
        for (const std::string& word : placeholders_in(element, where.problems))
          if (word == "arguments" && element.value != "{arguments}")
            where.tell(element, "`{arguments}` must be an element of its own",
                       "it becomes zero or more elements of the command");
    }
    if (!command.empty() && !value.items.front().quoted && command.front().value.find(' ') != std::string::npos)
      where.tell(command.front().place, "the program's name " + in_quotes(command.front().value) + " holds a space",
                 "put commas between the words, or quotes around a name that really has one");
  };
  return arguments().checked(check).shaped(R"({"$ref": "#/definitions/command"})");
}

Kind<Texts> unset() {
  return texts().checked([](const Value&, const Where& where, const Texts& names) {
    for (auto name = names.begin(); name != names.end(); ++name) {
      check_variable_name(name->value, name->place, where.problems);
      if (std::ranges::find(names.begin(), name, name->value, &Placed<std::string>::value) != name)
        where.tell(name->place, fmt::format("{} is named twice", in_quotes(name->value)));
    }
  });
}

/// What is taken away cannot be set.
void check_unset(MapReader& reader, const Side& side) {
  const Value* unset = reader.find("unset");
  for (const Value& name : unset ? unset->items : std::vector<Value>{})
    if (side.environment.contains(name.text))
      reader.problems().add(name.place, fmt::format("{} is set in `environment` too", in_quotes(name.text)),
                            "remove one of them");
}

Value configs_value(const Side& side) {
  Variables digests;
  for (const TrainingConfig& config : side.configs) digests[config.file] = {digest_of(config.content), {}};
  return variables_value(digests);
}

std::vector<Key> side_keys() {
  using S = Side;
  return {
      key("command", &S::command, side_command(),
          "argv, never through a shell; may hold {devices} {device} {visible_devices} {steps} {attempt} {arguments}."),
      key("devices", &S::devices, block(devices_block), "Where its attempts run; absent: one at a time on the CPU."),
      key("launch", &S::slurm, launch(), "Where attempts run: `local`, on this machine, or each as a job of Slurm."),
      key("setup", &S::setup, script(),
          "Shell text, run once before anything else; the environment that it leaves is that of every attempt."),
      key("environment", &S::environment, variables({kPlaceholders.begin(), kPlaceholders.end()}),
          "Variables of every attempt, exactly as written; may hold {devices} {device} {visible_devices} {steps} "
          "{attempt}."),
      key("unset", &S::unset, unset(), "Inherited variables that attempts do not get."),
      only_written<S>("configs", configs_value),
      key("log", &S::log, attempt_file("`log` must lie inside the attempt's own folder, so that attempts do not share it"),
          "File in the attempt's folder that holds the training's log."),
      key("directory", &S::directory, path(), "Working directory, relative to this file; absent: the folder of this file."),
      key("timeout", &S::timeout, longer_than_0(), "Longest time of one attempt.").touching(Touches::unless_runs),
      key("stall", &S::stall, longer_than_0(), "An attempt without new output for so long is ended as hanging.")
          .touching(Touches::unless_runs),
      key("exit_grace", &S::exit_grace, duration(),
          "Time to leave after the last step was logged; then it is ended. One that goes on training is ended at once.")
          .touching(Touches::nothing),
      key("perturb", &S::perturb, block(perturbation_block),
          "Of the repeats of this side only; absent: the `perturb` of the whole file.")
          .or_none()};
}

void settle_side(MapReader& reader, Side& side) {
  check_unset(reader, side);
  const Value *devices = reader.find("devices"), *launch = reader.find("launch");
  const bool in_jobs = launch && launch->kind == Value::Kind::map;
  if (devices) check_devices(reader, *devices, side.devices, in_jobs, reader.problems());
  else side.devices.place = reader.place();
  if (side.slurm) settle_jobs(reader, side, reader.problems());
}

/// One file, or a list of files.
bool read_curves(const Value& curve, const Where& where, Reference& reference) {
  Texts files(1);
  if (curve.kind == Value::Kind::list) {
    files = texts_of(curve, where.what, where.problems);
    if (curve.items.empty())
      where.tell(curve, fmt::format("`{}` names no file", where.what), "for example gpu.json, or [gpu-1.log, gpu-2.log]");
  } else if (!text().read(curve, where, files.front().value)) {
    return false;
  } else {
    files.front().place = curve.place;
  }
  for (Placed<std::string>& file : files) {
    file.value = path_of(file);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file.value, ignored)) {
      const bool folder = std::filesystem::is_directory(file.value, ignored);
      const auto right = folder ? std::nullopt : nearest_in_folder(file.value);
      where.tell(file, (folder ? "this is a folder, not a file: " : "no such file: ") + in_quotes(file.value),
                 right ? fmt::format("did you mean `{}`?", *right) : "");
    }
    if (std::ranges::count(reference.curves, file.value, &Placed<std::string>::value))
      where.tell(file, in_quotes(file.value) + " is named twice", "a run that counts twice hides how far runs differ");
    reference.curves.push_back(std::move(file));
  }
  return true;
}

Value curves_value(const Reference& reference, const Folder& folder) {
  Value list{.kind = Value::Kind::list};
  for (const auto& file : reference.curves) list.items.push_back(path().write(file.value, folder));
  return list.items.size() == 1 ? list.items.front() : list;
}

void settle_reference(MapReader& reader, Reference& reference) {
  settle_side(reader, reference);
  if (!reader.find("curve")) (void)reader.require("command", "how the trusted run is started; or give a recorded `curve`");
  else
    for (const Value::Entry& entry : reader.value().entries)
      if (entry.key != "curve")
        reader.problems().add(entry.place,
                              fmt::format("`{}` has no use beside a recorded `curve`: nothing is started", entry.key),
                              "remove one of the two");
}

}  // namespace

const Block<Reference>& reference_block() {
  static const Block<Reference> block = [] {
    Block<Reference> made{{.name = "reference", .title = "`reference` and `subject`", .keys = side_keys()},
                          settle_reference};
    made.keys.push_back(
        key("repeats", &Reference::repeats, whole(1, 1000), "Of the reference: runs that measure the healthy spread."));
    for (Key& each : made.keys)  // of a recorded one nothing is started
      each.write = [write = each.write](const void* it, const Folder& folder) {
        return static_cast<const Reference*>(it)->is_recorded() ? Value{} : write(it, folder);
      };
    made.keys.push_back(special<Reference>(
        "curve", {R"({"anyOf": [{"$ref": "#/definitions/text"}, {"$ref": "#/definitions/names"}]})"}, read_curves,
        curves_value,
        "Of the reference: recorded instead of run; what `bisectd record` or `accept` wrote, or one log or several."));
    return made;
  }();
  return block;
}

const Block<Side>& subject_block() {
  static const Block<Side> block = [] {
    Block<Side> made{{.name = "subject", .title = "", .keys = side_keys()}, settle_side};
    made.keys.front().required = "how the run under test is started";
    return made;
  }();
  return block;
}

}  // namespace bisectd::configs
