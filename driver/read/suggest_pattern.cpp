// See suggest_pattern.hpp.
#include "driver/read/suggest_pattern.hpp"

#include <re2/re2.h>

#include "driver/read/assemble.hpp"
#include "driver/read/beginning.hpp"
#include "driver/read/line.hpp"

namespace bisectd::driver::read {
namespace {

// What stands between a name and its number: `loss 2.5`, `loss: 2.5`, `loss = 2.5`, `"loss": 2.5`, `Step [ 12/300]`.
constexpr char kBetween[] = R"(["']?\s*[:=#]?\s*\[?\s*)";

/// Matches this text, whatever the number of spaces, which columns that are aligned make differ from line to line.
std::string literally(std::string_view text) {
  std::string quoted = re2::RE2::QuoteMeta(re2::StringPiece(text.data(), text.size()));
  static const re2::RE2 spaces(R"((\\\s)+)");
  re2::RE2::GlobalReplace(&quoted, spaces, R"(\\s*)");
  return quoted;
}

/// `name`: RE2 of what stands before the value.
std::optional<SuggestedPattern> pattern_for(const std::string& beginning, const std::string& name) {
  const std::string number = R"([-+]?(?:\.?\d|nan|inf))", of_number = R"((?P<value>[-+.\w]+))";
  const re2::RE2 value("(" + name + ")" + number);
  const re2::RE2 step_and_value(std::string(R"((\b(?i:global_step|steps?|iterations?|iters?|batch)\b)") + kBetween +
                                R"()(\d+).*?()" + name + ")" + number);
  std::optional<SuggestedPattern> with_step, without;
  double last_step = -1;
  bool begins_again = false;
  LineAssembler assembler;
  const auto feed = [&](const Block& block) {
    for_each_line(block, [&](const Line& line) {
      const re2::StringPiece text(line.text.data(), line.text.size());
      std::string before_step, before_value;
      double step = 0;
      if (!re2::RE2::PartialMatch(text, value, &before_value)) return;
      if (!without) without = {R"(\b)" + literally(before_value) + of_number, line.number()};
      if (!re2::RE2::PartialMatch(text, step_and_value, &before_step, &step, &before_value)) return;
      if (!with_step)
        with_step = {R"(\b)" + literally(before_step) + R"((?P<step>\d+).*?\b)" + literally(before_value) + of_number,
                     line.number()};
      begins_again |= step < last_step;
      last_step = step;
    });
  };
  assembler.feed(beginning, feed);
  assembler.finish(feed);
  return with_step && !begins_again ? with_step : without;
}

}  // namespace

std::optional<SuggestedPattern> suggest_pattern(const std::filesystem::path& log, const std::string& metric) {
  const std::string beginning = beginning_of(log);
  const std::string word = "(?i:" + re2::RE2::QuoteMeta(metric) + ")" + kBetween;
  const auto suggested = pattern_for(beginning, R"(\b)" + word);
  return suggested ? suggested : pattern_for(beginning, R"(\b\w+_)" + word);
}

}  // namespace bisectd::driver::read
