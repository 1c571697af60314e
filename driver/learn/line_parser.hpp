// A line of a log as numbers with keys, whatever it is written in: text, JSON, a printed dictionary, a row of CSV or of a
// table, a progress bar. What the keys are is worked out once for each kind of lines; a line costs one pass.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "driver/learn/value.hpp"

namespace bisectd::driver::learn {

/// What lines of one kind share: they have the same words in the same order.
struct Shape {
  std::string sign;               ///< the words: equal for lines of one kind
  std::vector<std::string> keys;  ///< one for each number, all different; "#1", "#2" where no name stands
  std::string words;              ///< outside of the keys
  bool in_bar = false;            ///< a progress bar
};

class LineParser {
 public:
  /// The shape lives as long as the parser. Null where the line has no number. `values`: one for each key.
  const Shape* parse(std::string_view line, std::vector<Value>& values);

 private:
  struct Header {
    char mark = 0;  ///< that separates the cells; 0: there is none
    std::vector<std::string> names;
  };

  const Shape* parse_text(std::string_view line, bool in_bar, std::vector<Value>& values);
  const Shape* parse_row(std::string_view line, bool in_bar, std::vector<Value>& values);
  void look_for_header(std::string_view line);

  std::unordered_map<std::string, std::unique_ptr<Shape>> shapes_;  ///< by their sign
  std::map<std::pair<char, std::size_t>, std::vector<std::string>>
      headers_;                                                         ///< of tables seen, by mark and number of cells
  std::map<std::vector<std::string>, std::vector<std::size_t>> wordy_;  ///< by header: which cells of its rows are words
  Header header_;                                                       ///< perhaps: the line before
  std::string sign_;
};

}  // namespace bisectd::driver::learn
