#include "configs/read_config_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <filesystem>
#include <system_error>

#include "configs/config_file.hpp"
#include "configs/consistency.hpp"
#include "configs/file_bytes.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"
#include "configs/suggest.hpp"

namespace bisectd::configs {
namespace {

namespace fs = std::filesystem;

/// What a suspect of a family has in a file, with the delivery to be completed.
struct KeyOfSuspect {
  Family& family;
  Toggle* toggle;  ///< of a toggle family
  std::string owner;

  Delivery& deliver() const { return toggle ? toggle->deliver : family.deliver; }
};

std::vector<KeyOfSuspect> keys_of(Experiment& experiment) {
  std::vector<KeyOfSuspect> keys;
  for (const auto& [name, selection] : experiment.suspects) {
    Family& family = experiment.families.at(name);
    if (family.kind != FamilyKind::toggle && family.deliver.config) keys.push_back({family, nullptr, "family " + name});
    for (auto& [toggle_name, toggle] : family.toggles)
      if (toggle.deliver.config) keys.push_back({family, &toggle, fmt::format("{} of family {}", toggle_name, name)});
  }
  return keys;
}

fs::path directory_of(const Experiment& experiment) {
  return experiment.subject.directory ? fs::path(experiment.subject.directory->value)
                                      : fs::path(experiment.file).parent_path();
}

/// The file's content, read once; null if it cannot be.
const TrainingConfig* content_of(const Placed<std::string>& file, Experiment& experiment, Problems& problems) {
  auto& configs = experiment.subject.configs;
  const auto known = std::ranges::find(configs, file.value, &TrainingConfig::file);
  if (known != configs.end()) return &*known;
  const fs::path path = directory_of(experiment) / file.value;
  try {
    TrainingConfig config{.file = file.value, .name = path.filename().string(), .content = read_bytes(path)};
    if (config.content.size() > kLargestFile_bytes) {
      problems.add(file.place, in_quotes(file.value) + " is larger than 1 MiB");
      return nullptr;
    }
    const auto same = std::ranges::find(configs, config.name, &TrainingConfig::name);
    if (same != configs.end()) {
      problems.add(file.place, fmt::format("the copies of {} and {} would have one name in an attempt's folder",
                                           in_quotes(same->file), in_quotes(file.value)));
      return nullptr;
    }
    return &configs.emplace_back(std::move(config));
  } catch (const std::system_error& error) {
    const auto near = nearest_in_folder(path);
    problems.add(file.place,
                 fmt::format("there is no {} in {}, where the subject is started", in_quotes(file.value),
                             fs::absolute(path).parent_path().lexically_normal().string()),
                 near ? fmt::format("did you mean `{}`?", (fs::path(file.value).parent_path() / *near).string()) : "");
    return nullptr;
  }
}

/// In quotes what the file has as a number or a truth value would arrive as a text, which Python takes for true.
void check_type(const KeyOfSuspect& suspect, const ConfigKey& key, const Value& own, Problems& problems) {
  if (own.kind != Value::Kind::scalar || own.quoted || !is_typed(own.text)) return;
  for (const auto& [value, written] : key.written)
    if (written.starts_with('"') && is_typed(value))
      problems.add(suspect.toggle ? suspect.toggle->place : suspect.family.place,
                   fmt::format("{} in quotes is a text, and {} has {} as its {}", in_quotes(value),
                               in_quotes(key.file.value), own.text, in_quotes(key.key)),
                   "remove the quotes");
}

/// What the switch has in the file as it is; equal to its safe value if it means the same.
void settle_toggle(Toggle& toggle, const ConfigKey& key, const Value& own) {
  const auto written =
      own.kind == Value::Kind::null ? std::string("null") : written_in_file(own, key.file.value).value_or("");
  const auto safe = toggle.safe ? key.written.find(*toggle.safe) : key.written.end();
  if (toggle.suspect) return;
  toggle.suspect = own.kind == Value::Kind::null ? "null" : own.quoted && is_typed(own.text) ? written : own.text;
  if (safe != key.written.end() && safe->second == written) toggle.suspect = toggle.safe;
  else if (toggle.suspect == toggle.safe) toggle.suspect = written;
}

void settle_list(const Delivery& deliver, const ValueInFile& found, ConfigKey& key) {
  for (const Value& item : found.value.items) key.names.push_back(item.text);
  key.is_text = found.value.kind == Value::Kind::scalar;
  if (!key.is_text || found.value.text.empty()) return;
  boost::split(key.names, found.value.text, boost::is_any_of(deliver.separator));
}

void find_key(const KeyOfSuspect& suspect, const TrainingConfig& config, Problems& problems) {
  ConfigKey& key = *suspect.deliver().config;
  const auto found = value_in_file(config.content, config.file, key.key);
  if (!found) return problems.add(key.file.place, found.error().message, found.error().hint);
  key.begin = found->begin;
  key.end = found->end;
  const bool is_list = suspect.family.kind == FamilyKind::list;
  if (found->is_list && !is_list)
    return problems.add(key.file.place, fmt::format("{} of {} is a list", in_quotes(key.key), in_quotes(config.file)));
  if (is_list) settle_list(suspect.deliver(), *found, key);
  else check_type(suspect, key, found->value, problems);
  if (suspect.toggle) settle_toggle(*suspect.toggle, key, found->value);
}

/// No two suspects may write the same value.
void check_overlaps(const std::vector<KeyOfSuspect>& suspects, Problems& problems) {
  for (auto one = suspects.begin(); one != suspects.end(); ++one)
    for (auto other = suspects.begin(); other != one; ++other) {
      const ConfigKey &a = *one->deliver().config, &b = *other->deliver().config;
      if (a.file.value == b.file.value && a.begin < b.end && b.begin < a.end)
        problems.add(a.file.place, fmt::format("{} of {} is written by two suspects: {} and {}", in_quotes(a.key),
                                               in_quotes(a.file.value), other->owner, one->owner));
    }
}

/// The texts of the subject that are filled for each attempt.
std::vector<Placed<std::string>> texts_of(const Side& side) {
  std::vector<Placed<std::string>> texts = side.command;
  for (const auto& [name, value] : side.environment) texts.push_back(value);
  return texts;
}

}  // namespace

std::optional<ConfigKey> read_config_key(MapReader& reader, Problems& problems) {
  const Value *file = reader.find("config"), *key = reader.find("key");
  if (!file && !key) return std::nullopt;
  ConfigKey config;
  if (!file || !key) {
    problems.add(
        file ? file->place : key->place,
        fmt::format("`{}.{}` needs `{}` beside it", reader.what(), file ? "config" : "key", file ? "key" : "config"),
        "for example {config: train.yaml, key: training.fused}");
    return std::nullopt;
  }
  if (!reader.read("config", placed_text_of, config.file) || !reader.read("key", text_of, config.key)) return std::nullopt;
  if (const auto known = check_config_file(config.file.value); !known)
    problems.add(config.file.place, known.error().message, known.error().hint);
  return config;
}

Value with_null_as_value(Value block) {
  for (Value::Entry& entry : block.entries) {
    if (entry.value.kind == Value::Kind::null && !entry.value.text.empty()) entry.value.kind = Value::Kind::scalar;
    else entry.value = with_null_as_value(std::move(entry.value));
  }
  return block;
}

void note_written(const Value& value, const std::string& what, Delivery& deliver, Problems& problems) {
  if (!deliver.config || value.kind != Value::Kind::scalar) return;
  if (const auto written = written_in_file(value, deliver.config->file.value))
    deliver.config->written[value.text] = *written;
  else problems.add(value.place, fmt::format("`{}`: {}", what, written.error().message), written.error().hint);
}

void read_training_configs(Experiment& experiment, Problems& problems) {
  const std::vector<KeyOfSuspect> suspects = keys_of(experiment);
  const std::size_t before = problems.size();
  for (const KeyOfSuspect& suspect : suspects)
    if (const TrainingConfig* config = content_of(suspect.deliver().config->file, experiment, problems))
      find_key(suspect, *config, problems);
  if (problems.size() == before) check_overlaps(suspects, problems);
}

void check_training_configs(const Experiment& experiment, Problems& problems) {
  const Side& side = experiment.subject;
  std::vector<std::string> named;
  for (const auto& text : texts_of(side)) {
    for (const std::string& word : placeholders_in(text, problems))
      if (const auto file = config_named_in(word)) named.emplace_back(*file);
      else if (word == kConfigPlaceholder && side.configs.size() == 1) named.push_back(side.configs.front().file);
    for (const TrainingConfig& config : side.configs)
      if (text.value.find("{attempt}/" + config.name) != std::string::npos) named.push_back(config.file);
  }
  const auto is_known = [&](const std::string& file) {
    return std::ranges::count(side.configs, file, &TrainingConfig::file) > 0;
  };
  if (!std::ranges::all_of(named, is_known)) return;  // told already, with the nearest one
  for (const TrainingConfig& config : side.configs) {
    if (std::ranges::count(named, config.file)) continue;
    const auto own = std::ranges::find_if(
        side.command, [&](const auto& word) { return word.value.find(config.file) != std::string::npos; });
    problems.add(own == side.command.end() ? side.place : own->place,
                 fmt::format("the subject's command does not name the copy of {} that its suspects are keys of",
                             in_quotes(config.file)),
                 fmt::format("write {{config:{}}} where it names the file", config.file));
  }
}

}  // namespace bisectd::configs
