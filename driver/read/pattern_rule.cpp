#include "driver/read/pattern_rule.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>

#include "driver/read/fields.hpp"

namespace bisectd::driver::read {
namespace {

constexpr std::array<std::string_view, 1> kMetricGroups{"value"};
constexpr std::array<std::string_view, 1> kOptionalMetricGroups{"step"};
constexpr std::string_view kValueGroup = "(?P<value>";

/// Length of the group body that `text` begins with, up to its closing parenthesis.
std::size_t body_length(std::string_view text) {
  int depth = 0;
  bool in_class = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      // A closing bracket that comes first, or first after '^', stands for itself.
      if (text.substr(i + 1).starts_with("^]")) i += 2;
      else if (text.substr(i + 1).starts_with("]")) i += 1;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && depth-- == 0) {
      return i;
    }
  }
  return text.size();
}

/// The same pattern with any word as its value.
std::string relaxed(const std::string& written) {
  const std::size_t group = written.find(kValueGroup);
  if (group == std::string::npos) return written;
  const std::size_t body = group + kValueGroup.size();
  const std::size_t length = body_length(std::string_view(written).substr(body));
  return std::string(written).replace(body, length, R"([^\s,;|'")\]}]+)");
}

/// The number that begins at `part`, a view into `text`, and may reach beyond it.
std::string_view whole_word(std::string_view text, std::string_view part) {
  return first_word(text.substr(static_cast<std::size_t>(part.data() - text.data())));
}

}  // namespace

PatternRule::PatternRule(const std::string& written)
    : strict_(written, kMetricGroups, kOptionalMetricGroups),
      relaxed_(relaxed(written), kMetricGroups, kOptionalMetricGroups),
      has_step_(written.find("(?P<step>") != std::string::npos) {}

std::optional<Reading> PatternRule::read(const Line& line) {
  auto groups = strict_.match(line.text);
  if (groups.empty()) groups = relaxed_.match(line.text);
  if (groups.empty()) return std::nullopt;
  const std::string_view word = groups[0];
  const std::string_view step = groups[1];
  if (line.cut_short(word) || line.cut_short(step)) return std::nullopt;

  Reading reading;
  if (const std::string_view cut = cut_at_comma(line.text, word); !cut.empty()) {
    reading.problem = cut;
    return reading;
  }
  const auto value = number(word);
  if (!value) {
    reading.problem = fmt::format("the value '{}' is not a number", word);
    return reading;
  }
  // A pattern that knows no exponent takes 1.5 of 1.5e-3: a wrong number is worse than none.
  if (const std::string_view whole = whole_word(line.text, word); whole.size() != word.size() && number(whole)) {
    reading.problem = fmt::format("the pattern takes only '{}' of the number '{}'", word, whole);
    return reading;
  }
  reading.value = *value;
  if (has_step_) {
    std::int64_t at = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), at);
    if (step.empty() || error != std::errc() || end != step.data() + step.size())
      reading.problem = fmt::format("the step '{}' is not a whole number", step);
    reading.step = at;
  }
  if (auto several = several_.look(strict_, line.text, word, reading.step)) reading.problem = *std::move(several);
  return reading;
}

}  // namespace bisectd::driver::read
