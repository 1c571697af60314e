// Where a value was written, so that an error found much later can still name file, line and column.
// Knows nothing of YAML.
#pragma once

#include <string>

namespace bisectd::configs {

/// A position in a file the user wrote; line and column are 1-based, 0 means "the file as a whole".
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

/// A value that remembers where it was written.
template <class T>
struct Placed {
  T value{};
  Place place;
};

}  // namespace bisectd::configs
