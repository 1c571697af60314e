#include "configs/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <vector>

#include "configs/file_bytes.hpp"
#include "configs/printable.hpp"
#include "configs/reading.hpp"
#include "configs/suggest.hpp"
#include "configs/yaml_tree.hpp"

namespace bisectd::configs {
namespace {

/// Blocks that replace the one below as a whole: of a perturbation that is told in another way nothing of it holds.
bool is_whole(std::string_view path) {
  return path == ".perturb" || path == ".reference.perturb" || path == ".subject.perturb";
}

/// What is delivered in another way than below is not delivered in that way, too: with it goes what belongs to it.
void drop_other_way(Value& base, const Value& over, const std::string& path) {
  const std::size_t toggles = path.rfind(".toggles.");
  const bool is_switch = toggles != std::string::npos && path.find('.', toggles + 9) == std::string::npos;
  if (!path.starts_with(".families.") || (!is_switch && !path.ends_with(".deliver"))) return;
  const auto says = [](const Value& block, const char* key) {
    return std::ranges::count(block.entries, key, &Value::Entry::key) > 0;
  };
  for (const char* way : {"environment", "argument", "config"})
    if (says(over, way) && !says(base, way))
      std::erase_if(base.entries, [](const Value::Entry& entry) {
        return std::ranges::count(std::initializer_list<std::string_view>{"environment", "argument", "config", "key",
                                                                          "value", "file", "each"},
                                  entry.key) > 0;
      });
}

Value laid_over(Value base, Value over, const std::string& path = "") {
  if (is_whole(path)) return over;
  if (base.kind != Value::Kind::map || over.kind != Value::Kind::map) return over;
  drop_other_way(base, over, path);
  for (Value::Entry& old : base.entries) {
    const auto replaced = std::ranges::find(over.entries, old.key, &Value::Entry::key);
    if (replaced == over.entries.end()) over.entries.push_back(std::move(old));
    else replaced->value = laid_over(std::move(old.value), std::move(replaced->value), path + "." + old.key);
  }
  return over;
}

/// False: the file is of another bisectd, whose words need not be these.
bool check_version(MapReader& top, Problems& problems) {
  std::int64_t version = 1;
  const Value* written = top.find("version");
  if (!written) problems.add(top.place(), "`version` is missing", "the first line of an experiment file is `version: 1`");
  else if (top.read(
               "version", [](const Value& v) { return whole_number_of(v, 0, INT64_MAX); }, version) &&
           version != 1) {
    problems.add(written->place, fmt::format("version {} is not known to this bisectd", version), "write `version: 1`");
    return false;
  }
  return true;
}

/// However the file is called. A pipe (`bisectd check <(...)`) has no other name than the given one.
std::filesystem::path one_name_of(const std::filesystem::path& file) {
  std::error_code nameless;
  const auto name = std::filesystem::weakly_canonical(file, nameless);
  return nameless ? file : name;
}

std::optional<Layers> read_layer(const std::filesystem::path& file, std::vector<std::filesystem::path>& chain,
                                 Problems& problems) {
  auto root = parse_yaml(read_bytes(file), file.string(), problems);
  if (!root) return std::nullopt;
  MapReader top(*root, "", problems);
  if (!check_version(top, problems)) return std::nullopt;
  Placed<std::string> extends;
  const bool extending = top.read("extends", placed_text_of, extends);
  const bool broken = !extending && top.find("extends");
  std::erase_if(root->entries, [](const Value::Entry& e) { return e.key == "version" || e.key == "extends"; });
  if (!extending) return broken ? std::nullopt : std::optional(Layers{std::move(*root), std::nullopt});

  const auto below = extended_file(extends, problems);
  if (!below) return std::nullopt;
  chain.push_back(one_name_of(file));
  if (std::ranges::count(chain, one_name_of(*below))) {
    problems.add(extends.place, in_quotes(extends.value) + " extends this file in turn");
    return std::nullopt;
  }
  try {
    auto base = read_layer(*below, chain, problems);
    if (!base) return std::nullopt;
    return Layers{laid_over(std::move(base->merged), std::move(*root)), extends.value};
  } catch (const std::system_error& error) {
    problems.add(extends.place, std::string("cannot be read: ") + error.what());
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::filesystem::path> extended_file(const Placed<std::string>& extends, Problems& problems) {
  std::error_code ignored;
  if (extends.value.ends_with(".yaml") || extends.value.ends_with(".yml")) {
    const auto file = std::filesystem::path(extends.place.file).parent_path() / extends.value;
    if (std::filesystem::is_regular_file(file, ignored)) return file;
    const auto near = nearest_in_folder(file);
    problems.add(extends.place, "no such file: " + in_quotes(file.string()),
                 near ? fmt::format("did you mean `{}`?", *near) : "");
    return std::nullopt;
  }
  const std::vector<std::string> presets = preset_names();
  if (std::ranges::count(presets, extends.value)) return data_folder() / "presets" / (extends.value + ".yaml");
  const auto right = nearest(extends.value, presets);
  problems.add(extends.place, "no preset " + in_quotes(extends.value),
               right ? fmt::format("did you mean `{}`?", *right)
                     : fmt::format("known: {}; a file of your own ends in .yaml", fmt::join(presets, ", ")));
  return std::nullopt;
}

std::optional<Layers> read_layers(const std::filesystem::path& file, Problems& problems) {
  std::vector<std::filesystem::path> chain;
  return read_layer(file, chain, problems);
}

}  // namespace bisectd::configs
