// Raw text of a log as plain lines: without colours and refreshed bars, each record of a JSON document as a line of its
// own. Knows nothing of what the lines say.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace bisectd::driver::learn {

/// A JSON text as Python writes it, too: NaN and Infinity, which JSON does not have, become strings. Discarded: it is none.
nlohmann::ordered_json parsed_json(std::string_view text);

class PlainLines {
 public:
  using Take = std::function<void(std::string_view line)>;  ///< not empty, no space at its end; dies with the call

  /// `text`: whole lines, each with its end ('\n' or '\r').
  void feed(std::string_view text, const Take& take);
  /// `rest`: a last line without its end, or nothing.
  void finish(std::string_view rest, const Take& take);

 private:
  void take_line(std::string_view line, const Take& take);
  void end_document(const Take& take);

  std::vector<std::string> held_;  ///< lines of a JSON document that is not yet whole
  std::size_t held_bytes_ = 0;
  int depth_ = 0;  ///< of its brackets
};

}  // namespace bisectd::driver::learn
