// Reads keys of a Value map one by one and knows afterwards which keys nobody asked for. Every key that is asked for
// counts as a key that exists, so the list of right words cannot get out of step with the code.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "configs/problems.hpp"
#include "configs/scalar.hpp"
#include "configs/schema.hpp"
#include "configs/value.hpp"

namespace bisectd::configs {

/// What a value is called in messages ("subject.timeout"), and who is told.
struct Where {
  std::string what;
  Problems& problems;

  /// "`subject.timeout`: MESSAGE"; false.
  bool add(const Value& value, const std::string& message, const std::string& hint = "") const {
    problems.add(value.place, "`" + what + "`: " + message, hint);
    return false;
  }
  /// Only MESSAGE, of a value or where `place` is.
  void tell(const Place& place, const std::string& message, const std::string& hint = "") const {
    problems.add(place, message, hint);
  }
  template <class At>
  void tell(const At& at, const std::string& message, const std::string& hint = "") const {
    problems.add(at.place, message, hint);
  }
  std::string key() const { return what.substr(what.rfind('.') + 1); }
  Where below(const std::string& name) const { return {what + "." + name, problems}; }
};

class MapReader {
 public:
  /// `what` names the block in messages ("subject.devices"). A value that is no map is a problem, and reads as empty.
  MapReader(const Value& value, std::string what, Problems& problems);

  /// The value of a key; null if it is not there. A key without a value is a problem and counts as not there.
  const Value* find(const std::string& key);
  /// The value of a declared key; null also where the word `none` takes away what a preset gave. A word that is nearly
  /// `none` in place of a block is a problem.
  const Value* find_for(const KeyFacts& key);
  /// The value of a key that find_for() did not take away.
  const Value* given(const std::string& key);
  /// The value; refuse_other_keys() will report it if it is not there.
  const Value* require(const std::string& key, const std::string& hint = "");

  /// Reads `key` with `parse` (Value -> Parsed<T>) into `target`; leaves it alone if the key is absent or wrong.
  /// True if a right value was read.
  template <class T, class Parse>
  bool read(const std::string& key, Parse parse, T& target) {
    const Value* value = find(key);
    return value && read_value(*value, parse, target);
  }
  template <class T, class Parse>
  bool read_value(const Value& value, Parse parse, T& target) {
    auto parsed = parse(value);
    if (parsed) target = std::move(*parsed);
    else problems_.add(value.place, "`" + path(value) + "`: " + parsed.error().message, parsed.error().hint);
    return parsed.has_value();
  }

  /// A problem for each of these keys that is there: `message` is a format of {key} and {what}.
  void refuse(const std::vector<std::string>& keys, const char* message, const std::string& hint = "");

  /// Reports every key that was never asked for, with the nearest one that was, and every required key that is missing
  /// and is not such a nearest one (then the misspelt key says it all); and, where no key is misspelt, if not exactly one of
  /// `one_of` was given. True if there was nothing to report.
  bool refuse_other_keys(const OneOf& one_of = {});

  const Place& place() const { return value_.place; }
  const Value& value() const { return value_; }
  bool is_map() const { return value_.kind == Value::Kind::map; }
  const std::string& what() const { return what_; }
  Problems& problems() const { return problems_; }
  std::string path_to(const std::string& key) const { return what_.empty() ? key : what_ + "." + key; }

 private:
  struct Missing {
    std::string key, hint;
  };
  std::string path(const Value& value) const;
  bool has(const std::string& key) const;
  bool is_one_of(const OneOf& one_of);

  const Value& value_;
  std::string what_;
  Problems& problems_;
  std::vector<std::string> asked_, taken_away_;
  std::vector<Missing> missing_;
};

/// A scalar with its place.
Parsed<Placed<std::string>> placed_text_of(const Value& value);

/// A path that is relative to the file that says it.
std::string path_of(const Placed<std::string>& text);

/// The items of a list of texts; anything else is a problem. `what` names the list in messages.
std::vector<Placed<std::string>> texts_of(const Value& value, const std::string& what, Problems& problems);

}  // namespace bisectd::configs
