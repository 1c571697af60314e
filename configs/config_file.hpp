// Where the value of a key stands in a configuration file of the training's own (YAML, JSON, TOML), so that a copy can have
// another one there and every other byte as it is. Knows nothing of experiments.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "configs/scalar.hpp"
#include "configs/value.hpp"

namespace bisectd::configs {

struct ValueInFile {
  std::size_t begin = 0, end = 0;  ///< bytes that another value replaces: from behind the colon or the equals sign
  bool is_list = false;
  Value value;  ///< a scalar, null, or a list of scalars
};

/// The value of `key`, whose words are joined by dots; a number is an item of a list. The name of the file says what it is.
/// A fault for a key that is not there, is there twice, or holds what cannot be replaced in one place.
Parsed<ValueInFile> value_in_file(const std::string& content, const std::string& file, const std::string& key);

/// A scalar as it stands in such a file: in quotes a text, else what the words of that file mean (false, 1024, null).
/// A fault for what the file has no word for.
Parsed<std::string> written_in_file(const Value& value, const std::string& file);

/// A text, and a list of texts, as they stand in such a file.
std::string text_in_file(const std::string& text);
std::string list_in_file(const std::vector<std::string>& names);

/// Whether unquoted it is no text: a number, true, false, null.
bool is_typed(const std::string& text);

/// Whether the name ends in one of the endings that are known.
Parsed<std::string> check_config_file(const std::string& file);

struct Replacement {
  std::size_t begin = 0, end = 0;
  std::string text;
};

/// The content with other values; no two of the replacements overlap.
std::string with_values(std::string content, std::vector<Replacement> replacements);

}  // namespace bisectd::configs
