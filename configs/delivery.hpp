// How what is neutralised reaches the training: through a variable, an argument, a file that one of them names, or a key of
// the training's own configuration file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "configs/place.hpp"

namespace bisectd::configs {

/// A file written into the attempt's own folder before it starts.
/// Text: a line with {name} is written once for every name, {names} are all of them, {value} is the value; {{ and }}
/// are braces. JSON: a key with {name} stands once for every name with its value, so does an item of a list; {names}
/// and {value} as in text. Quoting is the JSON writer's.
struct FileTemplate {
  std::string name;  ///< in the attempt's folder
  bool is_json = false;
  std::string content;  ///< the template; of a JSON file: JSON in which the placeholders stand inside strings
};

/// A key of a configuration file of the training's own. Every attempt gets a copy of that file (TrainingConfig), and what is
/// delivered is the value of the key in it.
struct ConfigKey {
  Placed<std::string> file;  ///< as the experiment says it: relative to the subject's working directory
  std::string key;           ///< its words joined by dots
  std::map<std::string, std::string>
      written;  ///< a value -> how it stands in the file; one that is not here is the file's own
  // Of the file as it is, once it was read:
  std::size_t begin = 0, end = 0;  ///< its bytes
  bool is_text = false;            ///< of a list: the names are joined into one text there
  std::vector<std::string> names;  ///< of a list: those that it has already
};

/// How a setting reaches the training. Exactly one of `environment`, `argument` and `config` is set. What it carries is, for
/// a list, the names, each as `each` says, joined; for other kinds the value; with a file, the path of the file.
struct Delivery {
  std::optional<std::string> environment;  ///< variable name
  std::vector<std::string> argument;       ///< argv elements, one of them with {names}, {value} or {file}
  std::optional<ConfigKey> config;
  std::string value;            ///< the variable's text with the same placeholder; empty: that alone
  std::string each;             ///< one name of a list, with {name}; empty: the name alone
  std::string separator = ",";  ///< between the names of a list
  std::optional<FileTemplate> file;
};

/// True if the variable's text is nothing but the names, so that names which are in it already can be told.
inline bool is_plain_list(const Delivery& deliver) {
  return deliver.environment && !deliver.file && deliver.each.empty() && deliver.value.empty();
}

/// True if the variable carries more than the names or the value, so that what it held before cannot be kept.
inline bool is_written_anew(const Delivery& deliver) {
  return deliver.environment && (deliver.file || !deliver.each.empty() || !deliver.value.empty());
}

/// Texts that a name must not hold, because they end a name where this delivery writes one.
std::vector<std::string> name_enders(const Delivery& deliver);

}  // namespace bisectd::configs
