// What is declared of the keys of an experiment file, without their values: for the schema, the documents and `resume`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "configs/value.hpp"

namespace bisectd::configs {

/// Whether what was judged says the same when a key is changed. What nobody decided about is taken to matter.
enum class Touches {
  verdicts,
  unless_runs,  ///< nothing, but with `goal: runs`, where a hang is an answer
  nothing,
};

struct Declared;

/// What values look like.
struct Shape {
  std::string json;                      ///< of the schema
  std::function<Declared()> block = {};  ///< keys and values that it is, or has in it
  bool by_name = false;                  ///< these stand below names of one's own
};

struct KeyFacts {
  std::string name;
  const char* doc = "";
  Shape shape = {};
  std::string fallback = "";                 ///< its default, in JSON; empty: none
  std::optional<std::string> required = {};  ///< a hint for who left it out
  Touches touches = Touches::verdicts;
  bool none = false;  ///< the word `none` takes away what a preset gave
};

/// Exactly one of several keys is to be given.
struct OneOf {
  std::vector<std::string> ways;
  std::string hint = "", choice = "";  ///< what they are, where their names say too little
  std::vector<std::string> with = {};  ///< a way, and a key that it needs beside it
  bool at_second = false;              ///< two are told where the second one stands
};

struct Declared {
  std::string name, title;
  std::vector<KeyFacts> keys = {};
  std::vector<std::string> one_of = {}, any_of = {};
  bool whole = false;
};

/// A scalar in JSON; empty for an empty one and for whatever else.
std::string json_of(const Value& value);

/// Of one of these words.
std::string words_json(const std::vector<std::string>& words);

/// The JSON schema of experiment files.
std::string experiment_schema();

/// What a change of a setting of the resolved experiment touches, by its path.
Touches touched_by(const std::vector<std::string>& path);

}  // namespace bisectd::configs
