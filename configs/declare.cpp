#include "configs/declare.hpp"

namespace bisectd::configs {

Key&& Key::require(const char* hint) && {
  required = hint;
  fallback.clear();
  return std::move(*this);
}

Key&& Key::touching(Touches what) && {
  touches = what;
  return std::move(*this);
}

Key&& Key::or_none() && {
  none = true;
  return std::move(*this);
}

Key&& Key::unwritten() && {
  write = nullptr;
  return std::move(*this);
}

Key&& Key::unless_default() && {
  write = [before = std::move(write), by_default = fallback](const void* it, const Folder& folder) {
    Value value = before(it, folder);
    return json_of(value) == by_default ? Value{} : value;
  };
  return std::move(*this);
}

Key later(const char* name, Shape shape, const char* doc) {
  Key key{{.name = name, .doc = doc, .shape = std::move(shape)}};
  key.read = [](const Value&, const Where&, void*) { return true; };
  return key;
}

std::vector<Key> joined(std::vector<Key> keys, const std::vector<Key>& further) {
  keys.insert(keys.end(), further.begin(), further.end());
  return keys;
}

bool AnyBlock::read(const Value& value, const Where& where, void* to, const std::function<void(MapReader&)>& settle,
                    const std::vector<std::string>& left_out) const {
  if (!expected.empty() && value.kind != Value::Kind::map) return where.add(value, "expected " + expected, one_of.hint);
  MapReader reader(value, where.what, where.problems);
  for (const Key& key : keys) {
    if (!key.read) continue;
    const bool out = std::ranges::count(left_out, key.name) > 0;
    const Value* found = out ? reader.find(key.name) : reader.find_for(key);
    if (found && !out) key.read(*found, {reader.path_to(key.name), where.problems}, const_cast<void*>(key.part_of(to)));
  }
  settle(reader);
  return reader.refuse_other_keys(one_of);
}

Value AnyBlock::write(const void* it, const Folder& folder) const {
  Value map{.kind = Value::Kind::map, .one_line = one_line};
  for (const Key& key : keys) {
    Value value = key.write ? key.write(key.part_of(it), folder) : Value{};
    if (value.kind != Value::Kind::scalar && value.items.empty() && value.entries.empty()) continue;
    map.entries.push_back({key.name, {}, std::move(value)});
  }
  return map;
}

Declared AnyBlock::declared() const {
  Declared all{.name = name, .title = title, .one_of = one_of.ways, .any_of = any_of, .whole = whole};
  for (const Key& key : keys)
    if (key.read) all.keys.push_back(key);
  return all;
}

}  // namespace bisectd::configs
