#include "configs/pattern.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "configs/printable.hpp"
#include "configs/reading.hpp"
#include "configs/suggest.hpp"

namespace bisectd::configs {

Placed<std::string> read_pattern(const Value& value, const std::string& what, const std::string& required,
                                 const std::vector<std::string>& optional, Problems& problems) {
  const auto text = placed_text_of(value);
  if (!text) {
    problems.add(value.place, fmt::format("`{}`: {}", what, text.error().message), text.error().hint);
    return {};
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemory_bytes);
  const RE2 pattern(text->value, options);
  if (!pattern.ok()) {
    problems.add(value.place, fmt::format("`{}` is no regular expression: {}", what, pattern.error()),
                 "RE2 syntax: no look-around, no back-references; groups are named (?P<name>...)");
    return *text;
  }
  std::vector<std::string> known;
  if (!required.empty()) known.push_back(required);
  known.insert(known.end(), optional.begin(), optional.end());
  const auto& groups = pattern.NamedCapturingGroups();
  for (const auto& [name, index] : groups) {
    if (std::ranges::count(known, name)) continue;
    const auto right = nearest(name, known);
    problems.add(value.place, fmt::format("`{}`: unknown group {}", what, in_quotes(name)),
                 right           ? fmt::format("did you mean `(?P<{}>...)`?", *right)
                 : known.empty() ? std::string("no group is used here; write (?:...)")
                                 : fmt::format("groups used here: {}; write (?:...) for others", fmt::join(known, ", ")));
  }
  if (!required.empty() && !groups.contains(required))
    problems.add(value.place, fmt::format("`{}` lacks the group `{}`", what, required),
                 fmt::format("put `(?P<{}>...)` around the part that is meant", required));
  return *text;
}

}  // namespace bisectd::configs
