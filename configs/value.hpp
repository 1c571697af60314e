// A YAML document as a plain tree in which every node remembers where it was written. Knows nothing of yaml-cpp and
// nothing of experiments.
#pragma once

#include <string>
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
};

struct Value::Entry {
  std::string key;
  Place place;  ///< of the key
  Value value;
};

}  // namespace bisectd::configs
