#include "driver/read/scale_lines.hpp"

#include <algorithm>
#include <cmath>

#include "driver/read/fields.hpp"
#include "driver/read/formats.hpp"

namespace bisectd::driver::read {
namespace {

/// What follows the first place of `words`.
std::optional<std::string_view> behind(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + words.size());
  text.remove_prefix(std::min(text.find_first_not_of(" :"), text.size()));
  return text;
}

}  // namespace

std::optional<double> told_scale(const Line& line) {
  for (const ScaleWords& scale : scale_words()) {
    auto rest = behind(line.text, scale.words);
    if (rest && !scale.then.empty()) rest = behind(*rest, scale.then);
    if (!rest || line.cut_short(first_word(*rest))) continue;
    if (const auto value = leading_number(*rest); value && std::isfinite(*value) && *value > 0) return value;
  }
  return std::nullopt;
}

Needed needed_for_scale() {
  Needed needed;
  for (const ScaleWords& scale : scale_words()) needed.literals.push_back({.text = std::string(scale.words)});
  return needed;
}

}  // namespace bisectd::driver::read
