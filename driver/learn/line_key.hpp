// What the text before a number in a line calls it.
#pragma once

#include <re2/stringpiece.h>

#include <string>
#include <string_view>
#include <vector>

namespace bisectd::driver::learn {

inline re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct Key {
  std::string key;
  std::string words;  ///< what else stands before the number
};

/// The key of the number that stands behind `gap`, the text since the one before it.
Key key_behind(std::string_view gap, bool first);

/// "loss at step 10: 2.3": the key of 10 is "step", and that of 2.3 "loss".
void split_key(std::vector<std::string>& keys, std::string& key);

/// "loss: [6.98, 7.12]": "loss[0]" is renamed, and "loss[1]" is the answer.
std::string next_in_list(std::string& before);

/// What has no key is "#", and what has one of those before it gets a number.
std::vector<std::string> all_different(std::vector<std::string> keys);

}  // namespace bisectd::driver::learn
