#include "configs/placeholders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "configs/printable.hpp"
#include "configs/suggest.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {

std::optional<std::string_view> config_named_in(std::string_view placeholder) {
  if (!placeholder.starts_with(kConfigPlaceholder) || placeholder.find(':') != kConfigPlaceholder.size())
    return std::nullopt;
  return placeholder.substr(kConfigPlaceholder.size() + 1);
}

std::vector<std::string> placeholders_in(const Placed<std::string>& text, Problems& problems) {
  return placeholders_in(text, {kPlaceholders.begin(), kPlaceholders.end()}, problems);
}

std::vector<std::string> placeholders_in(const Placed<std::string>& text, const std::vector<std::string>& known,
                                         Problems& problems) {
  std::vector<std::string> used;
  const std::string_view all = text.value;
  for (std::size_t at = all.find_first_of("{}"); at != std::string_view::npos; at = all.find_first_of("{}", at)) {
    const std::string_view rest = all.substr(at);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      at += 2;
      continue;
    }
    const std::size_t end = rest.find('}');
    const std::string word(rest.substr(1, end == std::string_view::npos ? 0 : end - 1));
    const auto config = std::ranges::count(known, kConfigPlaceholder) ? config_named_in(word) : std::nullopt;
    if (rest[0] == '}' || (!is_identifier(word) && !config)) {
      problems.add(text.place, fmt::format("a single `{}`", rest[0]),
                   fmt::format("write `{0}{0}` for the character itself", rest[0]));
      return used;
    }
    if (config || std::ranges::count(known, word)) {
      used.push_back(word);
    } else {
      const auto right = nearest(word, known);
      problems.add(
          text.place, fmt::format("unknown placeholder `{{{}}}`", word),
          right ? fmt::format("did you mean `{{{}}}`?", *right)
                : fmt::format("known: {{{}}}; for braces themselves write `{{{{` and `}}}}`", fmt::join(known, "}, {")));
    }
    at += end + 1;
  }
  return used;
}

}  // namespace bisectd::configs
