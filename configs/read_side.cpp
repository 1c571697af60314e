// Reads `reference` and `subject`: how one side is started, on which devices, with which environment.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "configs/blocks.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"
#include "configs/reading.hpp"
#include "configs/suggest.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

/// The variable that limits a training to its slot's devices, for the kinds whose runtime reads one.
std::string visible_variable_of(const std::string& kind) {
  if (kind == "npu") return "ASCEND_RT_VISIBLE_DEVICES";
  if (kind == "gpu") return "CUDA_VISIBLE_DEVICES";
  return {};
}

std::vector<int> read_ids(const Value& value, const std::string& what, Problems& problems) {
  std::vector<int> ids;
  if (value.kind != Value::Kind::list || value.items.empty()) {
    problems.add(value.place, fmt::format("`{}`: expected a list of device numbers", what), "for example [0, 1]");
    return ids;
  }
  for (const Value& item : value.items) {
    const auto id = whole_number_of(item, 0, 65'535);
    if (!id) problems.add(item.place, fmt::format("`{}`: {}", what, id.error().message), id.error().hint);
    else if (std::ranges::count(ids, static_cast<int>(*id)))
      problems.add(item.place, fmt::format("device {} is named twice", *id));
    else ids.push_back(static_cast<int>(*id));
  }
  std::ranges::sort(ids);
  return ids;
}

/// `in_jobs`: each attempt gets its devices from its job, and none are numbered here. `side`: where the file has the side,
/// of which a preset may have said the devices.
Devices read_devices(const Value& block, const std::string& what, const Place& side, bool in_jobs, Problems& problems) {
  Devices devices;
  devices.place = block.place;
  MapReader reader(block, what, problems);
  devices.kind = "cpu";
  if (reader.require("kind", "for example npu, gpu or cpu")) {
    reader.read("kind", text_of, devices.kind);
    if (!is_plain_name(devices.kind))
      problems.add(reader.find("kind")->place, in_quotes(devices.kind) + " is no kind of device",
                   "for example npu, gpu or cpu");
  }
  const Value* ids = reader.find("ids");
  if (ids) devices.ids = read_ids(*ids, what + ".ids", problems);
  if (ids && in_jobs)
    problems.add(ids->place, fmt::format("`{}.ids` has no use with Slurm: a job brings its own devices", what), "remove it");
  if (!ids && !in_jobs && devices.kind != "cpu")
    problems.add(block.place.file == side.file ? block.place : side,
                 fmt::format("`{}`: devices of kind {} need `ids`", what, in_quotes(devices.kind)),
                 "for example devices: {ids: [0]}");
  const Value* per_trial = reader.find("per_trial");
  std::int64_t count = 1;
  if (per_trial && reader.read(
                       "per_trial", [](const Value& v) { return whole_number_of(v, 1, 65'536); }, count)) {
    const auto pool = static_cast<std::int64_t>(devices.ids.size());
    if (!in_jobs && (pool == 0 || count > pool))
      problems.add(per_trial->place, fmt::format("per_trial is {}, but there are {} devices", count, pool));
    else if (!in_jobs && pool % count != 0)
      problems.add(per_trial->place, fmt::format("{} devices cannot be shared out {} at a time", pool, count),
                   "per_trial must divide the number of ids");
    devices.per_trial = static_cast<int>(count);
  }
  devices.visible_variable = visible_variable_of(devices.kind);
  if (reader.read("visible_variable", text_of, devices.visible_variable)) {
    if (devices.visible_variable == "none") devices.visible_variable.clear();
    else check_variable_name(devices.visible_variable, reader.find("visible_variable")->place, problems);
  }
  reader.refuse_other_keys();
  return devices;
}

void check_command(const std::vector<Placed<std::string>>& command, const Place& place, const std::string& what,
                   Problems& problems) {
  if (command.empty()) {
    problems.add(place, fmt::format("`{}` is empty", what), "for example [python, train.py]");
    return;
  }
  if (command.front().value.empty()) problems.add(command.front().place, "the program's name is empty");
  for (const auto& element : command)
    for (const std::string& word : placeholders_in(element, problems))
      if (word == "arguments" && element.value != "{arguments}")
        problems.add(element.place, "`{arguments}` must be an element of its own",
                     "it becomes zero or more elements of the command");
}

void read_durations(MapReader& reader, Side& side, Problems& problems) {
  for (const auto& [key, target] : {std::pair{"timeout", &side.timeout}, std::pair{"stall", &side.stall}})
    if (reader.read(key, duration_of, *target) && target->count() == 0)
      problems.add(reader.find(key)->place, fmt::format("`{}` must be longer than 0", key));
  reader.read("exit_grace", duration_of, side.exit_grace);
}

void read_unset(MapReader& reader, Side& side, Problems& problems) {
  const Value* unset = reader.find("unset");
  if (!unset) return;
  for (const auto& name : texts_of(*unset, reader.what() + ".unset", problems)) {
    check_variable_name(name.value, name.place, problems);
    if (std::ranges::count(side.unset, name.value))
      problems.add(name.place, fmt::format("{} is named twice", in_quotes(name.value)));
    else if (side.environment.contains(name.value))
      problems.add(name.place, fmt::format("{} is set in `environment` too", in_quotes(name.value)), "remove one of them");
    side.unset.push_back(name.value);
  }
}

void read_side(MapReader& reader, Side& side, Problems& problems) {
  const std::string& what = reader.what();
  side.place = reader.place();
  if (const Value* command = reader.find("command")) {
    const std::size_t written = command->items.size();
    side.command = texts_of(*command, what + ".command", problems);
    if (command->kind == Value::Kind::list && side.command.size() == written)
      check_command(side.command, command->place, what + ".command", problems);
    if (!side.command.empty() && !command->items.front().quoted && side.command.front().value.find(' ') != std::string::npos)
      problems.add(side.command.front().place,
                   "the program's name " + in_quotes(side.command.front().value) + " holds a space",
                   "put commas between the words, or quotes around a name that really has one");
  }
  side.devices.kind = "cpu";
  side.devices.place = reader.place();
  const Value* launch = reader.find("launch");
  const bool in_jobs = launch && launch->kind == Value::Kind::map;
  if (const Value* devices = reader.find("devices"))
    side.devices = read_devices(*devices, what + ".devices", reader.place(), in_jobs, problems);
  if (reader.find("setup")) reader.read("setup", placed_text_of, side.setup.emplace());
  if (const Value* environment = reader.find("environment"))
    side.environment = read_environment(*environment, what + ".environment", problems);
  for (const auto& [name, value] : side.environment)
    for (const std::string& word : placeholders_in(value, problems))
      if (word == "arguments") problems.add(value.place, "`{arguments}` can only stand in a command");
  read_unset(reader, side, problems);
  Placed<std::string> directory;
  if (reader.read("directory", placed_text_of, directory)) side.directory = {path_of(directory), directory.place};
  Placed<std::string> log;
  if (reader.read("log", placed_text_of, log)) {
    side.log = log.value;
    if (!lies_in_folder(log.value))
      problems.add(log.place, "`log` must lie inside the attempt's own folder, so that attempts do not share it",
                   "let the training write to {attempt}, and name the file relative to it");
  }
  read_durations(reader, side, problems);
  if (launch) read_launch(*launch, what + ".launch", side, problems);
  if (const Value* perturb = reader.find("perturb")) side.perturb = read_perturbation(*perturb, what + ".perturb", problems);
}

/// One file, or a list of files.
void read_curves(const Value& curve, Reference& reference, const Value& block, Problems& problems) {
  MapReader reader(block, "reference", problems);
  std::vector<Placed<std::string>> files(1);
  if (curve.kind == Value::Kind::list) {
    files = texts_of(curve, "reference.curve", problems);
    if (curve.items.empty())
      problems.add(curve.place, "`reference.curve` names no file", "for example gpu.json, or [gpu-1.log, gpu-2.log]");
  } else if (!reader.read("curve", placed_text_of, files.front())) {
    return;
  }
  for (Placed<std::string>& file : files) {
    file.value = path_of(file);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file.value, ignored)) {
      const bool folder = std::filesystem::is_directory(file.value, ignored);
      const auto right = folder ? std::nullopt : nearest_in_folder(file.value);
      problems.add(file.place, (folder ? "this is a folder, not a file: " : "no such file: ") + in_quotes(file.value),
                   right ? fmt::format("did you mean `{}`?", *right) : "");
    }
    if (std::ranges::count(reference.curves, file.value, &Placed<std::string>::value))
      problems.add(file.place, in_quotes(file.value) + " is named twice",
                   "a run that counts twice hides how far runs differ");
    reference.curves.push_back(std::move(file));
  }
  for (const Value::Entry& entry : block.entries)
    if (entry.key != "curve")
      problems.add(entry.place, fmt::format("`{}` has no use beside a recorded `curve`: nothing is started", entry.key),
                   "remove one of the two");
}

}  // namespace

bool lies_in_folder(const std::string& path) {
  const std::filesystem::path relative(path);
  return !relative.empty() && !relative.is_absolute() && std::ranges::count(relative, "..") == 0;
}

void check_variable_name(const std::string& name, const Place& place, Problems& problems) {
  if (!is_identifier(name))
    problems.add(place, in_quotes(name) + " is no name for an environment variable", "letters, digits and _ only");
  if (name == "BISECTD_ATTEMPT") problems.add(place, "`BISECTD_ATTEMPT` belongs to bisectd, which finds strays by it");
  if (name == "BISECTD_ATTEMPT_FOLDER" || name == "BISECTD_METRICS_FILE")
    problems.add(place, fmt::format("{} is set by bisectd for every attempt", in_quotes(name)));
}

std::map<std::string, Placed<std::string>> read_environment(const Value& block, const std::string& what,
                                                            Problems& problems) {
  std::map<std::string, Placed<std::string>> environment;
  MapReader reader(block, what, problems);
  for (const Value::Entry& entry : block.entries) {
    check_variable_name(entry.key, entry.place, problems);
    if (entry.value.kind == Value::Kind::null)
      problems.add(entry.place, in_quotes(entry.key) + " has no value",
                   "write \"\" for an empty one, or list it in `unset`");
    else reader.read(entry.key, placed_text_of, environment[entry.key]);
  }
  return environment;
}

Reference read_reference(const Value& block, Problems& problems) {
  Reference reference;
  MapReader reader(block, "reference", problems);
  read_side(reader, reference, problems);
  std::int64_t repeats = reference.repeats;
  reader.read(
      "repeats", [](const Value& v) { return whole_number_of(v, 1, 1000); }, repeats);
  reference.repeats = static_cast<int>(repeats);
  const Value* curve = reader.find("curve");
  if (curve) read_curves(*curve, reference, block, problems);
  else reader.require("command", "how the trusted run is started; or give a recorded `curve`");
  reader.refuse_other_keys();
  return reference;
}

Side read_subject(const Value& block, Problems& problems) {
  Side subject;
  MapReader reader(block, "subject", problems);
  read_side(reader, subject, problems);
  reader.require("command", "how the run under test is started");
  reader.refuse_other_keys();
  return subject;
}

}  // namespace bisectd::configs
