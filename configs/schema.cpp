// The schema of experiment files, from what is declared of their keys.
#include "configs/schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "configs/blocks.hpp"

namespace bisectd::configs {
namespace {

using Schema = nlohmann::ordered_json;

constexpr const char* kSchemaHead = R"({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "bisectd experiment",
  "description": "For editors; `bisectd schema` prints it. Every file that bisectd accepts is valid here; bisectd itself checks more (names that exist, values that fit together).",
  "type": "object"
})";

/// What scalars look like. A duration may be 0s, but not less.
constexpr const char* kShapes = R"({
  "text": {"type": ["string", "number", "boolean"]},
  "texts": {"type": "array", "items": {"$ref": "#/definitions/text"}},
  "command": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/text"}},
  "names": {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"$ref": "#/definitions/text"}},
  "percentage": {"type": "string", "pattern": "^[0-9.][0-9.eE+-]* ?%$", "description": "Always with %, for example 0.5%."},
  "duration": {"type": "string", "pattern": "^[0-9.][0-9.eE+-]*(ms|s|m|h|d)$", "description": "For example 500ms, 90s, 30m, 1.5h."},
  "longer_than_0": {"type": "string", "pattern": "^(?![0.]+(ms|s|m|h|d)$)[0-9.][0-9.eE+-]*(ms|s|m|h|d)$", "description": "For example 500ms, 90s, 30m, 1.5h."},
  "variables": {"type": "object", "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}, "additionalProperties": {"$ref": "#/definitions/text"}}
})";

Schema required(const std::vector<std::string>& keys) { return Schema{{"required", keys}}; }

/// The block as a definition; those of its keys follow it.
void define(const Declared& block, Schema& schema, Schema& definitions) {
  schema["additionalProperties"] = false;
  std::vector<std::string> always;
  Schema& properties = schema["properties"] = Schema::object();
  for (const KeyFacts& key : block.keys) {
    Schema shape = Schema::parse(key.shape.json);
    if (key.none) shape = Schema{{"anyOf", {Schema{{"const", "none"}}, shape}}};
    shape["description"] = key.doc;
    if (!key.fallback.empty()) shape["default"] = Schema::parse(key.fallback);
    properties[key.name] = shape;
    if (key.required) always.push_back(key.name);
  }
  if (block.whole && !always.empty()) schema["required"] = always;
  if (block.whole)
    for (const auto& [word, ways] : {std::pair{"oneOf", &block.one_of}, {"anyOf", &block.any_of}})
      for (const std::string& way : *ways) schema[word].push_back(required({way}));
  for (const KeyFacts& key : block.keys) {
    if (!key.shape.block) continue;
    const Declared below = key.shape.block();
    if (definitions.contains(below.name)) continue;
    definitions[below.name] = Schema::object();  // no other key defines it again
    Schema made = Schema::object();
    if (!below.title.empty()) made["title"] = below.title;
    made["type"] = "object";
    define(below, made, definitions);
    definitions[below.name] = std::move(made);
  }
}

/// On one line where that is short enough.
std::string pretty(const Schema& json, std::size_t indent, std::size_t before) {
  constexpr std::size_t kWidth = 118;
  const std::string flat = json.dump(-1, ' ', false);
  std::string spaced;
  bool quoted = false;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    quoted = quoted != (flat[i] == '"' && (i == 0 || flat[i - 1] != '\\'));
    spaced += flat[i];
    if (!quoted && (flat[i] == ',' || flat[i] == ':')) spaced += ' ';
  }
  if (!json.is_structured() || before + spaced.size() <= kWidth) return spaced;
  const std::string margin(indent + 2, ' ');
  std::string text(1, json.is_object() ? '{' : '[');
  for (const auto& [key, value] : json.items()) {
    const std::string name = json.is_object() ? Schema(key).dump() + ": " : "";
    text += (text.size() > 1 ? ",\n" : "\n") + margin + name + pretty(value, indent + 2, margin.size() + name.size());
  }
  return text + "\n" + std::string(indent, ' ') + (json.is_object() ? '}' : ']');
}

}  // namespace

std::string json_of(const Value& value) {
  if (value.kind != Value::Kind::scalar || value.text.empty()) return "";
  const Schema plain = value.quoted ? Schema() : Schema::parse(value.text, nullptr, false);
  return plain.is_number() || plain.is_boolean() ? plain.dump() : Schema(value.text).dump();
}

std::string words_json(const std::vector<std::string>& words) { return Schema{{"enum", words}}.dump(); }

std::string experiment_schema() {
  Schema schema = Schema::parse(kSchemaHead), definitions = Schema::parse(kShapes);
  schema["required"] = {"version"};
  define(experiment_block().declared(), schema, definitions);
  schema["definitions"] = definitions;
  return pretty(schema, 0, 0) + "\n";
}

Touches touched_by(const std::vector<std::string>& path) {
  Declared block = experiment_block().declared();
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto key = std::ranges::find(block.keys, path[i], &KeyFacts::name);
    if (key == block.keys.end()) break;
    if (key->touches != Touches::verdicts) return key->touches;
    if (!key->shape.block) break;
    if (key->shape.by_name) ++i;
    block = key->shape.block();
  }
  return Touches::verdicts;
}

}  // namespace bisectd::configs
