#include "configs/layouts.hpp"

#include "configs/file_bytes.hpp"
#include "configs/loader.hpp"
#include "configs/reading.hpp"
#include "configs/yaml_tree.hpp"

namespace bisectd::configs {
namespace {

Layout read_layout(const Value::Entry& entry, Problems& problems) {
  Layout layout;
  layout.name = entry.key;
  MapReader reader(entry.value, entry.key, problems);
  if (const Value* here = reader.find("here"))
    for (const auto& path : texts_of(*here, entry.key + ".here", problems)) layout.here.push_back(path.value);
  reader.read("says", text_of, layout.says);
  if (layout.here.empty() && layout.says.empty()) problems.add(entry.place, "`here` or `says` is missing");
  for (const char* key : {"command", "preset", "source"}) reader.require(key);
  std::string source;
  reader.read("source", text_of, source);
  reader.read("command", text_of, layout.command);
  reader.read("reference", text_of, layout.reference);
  reader.read("subject", text_of, layout.subject);
  if (reader.find("metric")) reader.read("metric", text_of, layout.metric);
  reader.read("preset", text_of, layout.preset);
  reader.read("switches", text_of, layout.switches);
  reader.refuse_other_keys();
  return layout;
}

}  // namespace

std::vector<Layout> known_layouts() {
  const std::filesystem::path file = data_folder() / "layouts.yaml";
  Problems problems;
  std::vector<Layout> layouts;
  if (const auto root = parse_yaml(read_bytes(file), file.string(), problems))
    for (const Value::Entry& entry : root->entries) layouts.push_back(read_layout(entry, problems));
  problems.throw_if_any(file.string());
  return layouts;
}

}  // namespace bisectd::configs
