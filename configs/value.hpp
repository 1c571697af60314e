// A YAML document as a plain tree in which every node remembers where it was written. Knows nothing of yaml-cpp and
// nothing of experiments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "configs/place.hpp"

namespace bisectd::configs {

struct Value {
  enum class Kind { null, scalar, list, map };
  struct Entry;

  Kind kind = Kind::null;
  std::string
      text;  ///< of a scalar, exactly as written, escapes of a quoted one resolved; of a null that is written, `null`
  bool quoted = false;  ///< a quoted or block scalar: always a string, never a number or a boolean
  Place place;
  std::vector<Value> items;    ///< of a list
  std::vector<Entry> entries;  ///< of a map, in the order of the file; no key twice
  bool one_line = false;       ///< of a map that is to be written: so
};

struct Value::Entry {
  std::string key;
  Place place;  ///< of the key
  Value value;
};

/// The value of a key of a map; null if it is not there.
inline const Value* value_at(const Value& map, std::string_view key) {
  for (const Value::Entry& entry : map.entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

}  // namespace bisectd::configs
