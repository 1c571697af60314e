#include "driver/read/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace bisectd::driver::read {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether `c`, left of a key, makes the key the end of a longer word.
bool continues_word(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || is_digit(c) || c == '_' || c == '-' || c == '.' || c == '/';
}

/// A set of characters that is asked in one step; find_first_of() of the library makes a call for each.
class Characters {
 public:
  constexpr explicit Characters(std::string_view all) {
    for (const char c : all) is_in_[static_cast<unsigned char>(c)] = true;
  }
  constexpr bool contain(char c) const { return is_in_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> is_in_{};
};

constexpr Characters kBeforeSeparator("'\" ");
constexpr Characters kBeforeValue(" \t'\"");
constexpr Characters kBeforeCount(" \t:='\"[(");
constexpr Characters kWordEnd(" \t,;|'\")]}");
constexpr Characters kBeforeNumber("[( ");

std::string_view without_leading(std::string_view text, const Characters& characters) {
  std::size_t first = 0;
  while (first < text.size() && characters.contain(text[first])) ++first;
  return text.substr(first);
}

/// Calls `accept` with the place behind each one where `key` starts a word, until it returns something.
template <class Accept>
auto after_word(std::string_view line, std::string_view key, Accept accept) -> decltype(accept(0)) {
  constexpr std::size_t kNowhere = std::string_view::npos;
  for (std::size_t at = find_in_line(line, key, 0); at != kNowhere; at = find_in_line(line, key, at + 1)) {
    if (at > 0 && continues_word(line[at - 1])) continue;
    if (auto found = accept(at + key.size())) return found;
  }
  return std::nullopt;
}

}  // namespace

std::size_t find_in_line(std::string_view text, std::string_view what, std::size_t from) {
  for (std::size_t at = text.find(what[0], from); at < text.size(); at = text.find(what[0], at + 1)) {
    if (what.size() > text.size() - at) break;
    if (what.size() > 1 && text[at + 1] != what[1]) continue;
    if (text.substr(at, what.size()) == what) return at;
  }
  return std::string_view::npos;
}

std::optional<std::string_view> after_key(std::string_view line, std::string_view key) {
  return after_word(line, key, [line](std::size_t at) -> std::optional<std::string_view> {
    const std::string_view rest = without_leading(line.substr(at), kBeforeSeparator);
    if (rest.empty() || (rest[0] != ':' && rest[0] != '=')) return std::nullopt;
    return without_leading(rest.substr(1), kBeforeValue);
  });
}

std::string_view first_word(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && !kWordEnd.contain(text[end])) ++end;
  return text.substr(0, end);
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;  // nearly all, and in a third of the time
  const auto found = learn::number_at(text, 0);
  if (!found || found->end != text.size() || found->value->none || found->value->has_unit || found->value->of != 0)
    return std::nullopt;
  return found->value->number;
}

std::optional<std::int64_t> whole_number(std::optional<double> number) {
  constexpr double kMost = 9e15;
  if (!number || std::trunc(*number) != *number || std::abs(*number) > kMost) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::string_view cut_at_comma(std::string_view line, std::string_view word) {
  const std::string_view rest = line.substr(static_cast<std::size_t>(word.data() + word.size() - line.data()));
  if (!rest.starts_with(',')) return "";
  if (word.starts_with('-')) word.remove_prefix(1);
  constexpr std::size_t kGroup = 4;  // a comma and three digits
  const bool goes_on = !word.empty() && word.size() < kGroup && std::ranges::all_of(word, is_digit) &&
                       rest.size() >= kGroup && std::ranges::all_of(rest.substr(1, kGroup - 1), is_digit) &&
                       (rest.size() == kGroup || !is_digit(rest[kGroup]));
  return goes_on ? "the value has a comma between thousands, or another number follows it without a space: print numbers "
                   "without commas"
                 : "";
}

std::optional<double> leading_number(std::string_view text) {
  text = without_leading(text, kBeforeNumber);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<learn::FoundValue> count_at(std::string_view line, std::size_t at) {
  while (at < line.size() && kBeforeCount.contain(line[at])) ++at;
  constexpr double kMost = 9e18;  // what std::int64_t holds: whether such a step can be, others say
  const auto found = learn::number_at(line, at);
  if (!found || found->value->decimals != 0) return std::nullopt;
  const double count = found->value->number;
  return found->value->whole || (count >= learn::kMostCounted && count < kMost) ? found : std::nullopt;
}

std::optional<learn::FoundValue> count_after(std::string_view line, std::string_view key) {
  return after_word(line, key, [line](std::size_t at) -> std::optional<learn::FoundValue> {
    if (at >= line.size() || continues_word(line[at])) return std::nullopt;
    return count_at(line, at);
  });
}
namespace {

/// Words with which a framework tells its loss scale when it changes it; the number stands behind them. Any trainer's log
/// may have such lines, whatever the format of the loss.
struct ScaleWords {
  std::string_view words;
  /// Stands between the words and the number, which is then the first one behind it on the line; empty: nothing does.
  std::string_view then;
};
constexpr std::array<ScaleWords, 6> kScaleWords{{
    // Found inf or nan, current scale is: 65536.0, decrease to: 65536.0*0.5
    // PaddlePaddle python/paddle/amp/grad_scaler.py, AmpScaler._update
    {.words = "Found inf or nan, current scale is:"},
    // optimizer not run, scale_before: 65536.0, scale_after: 32768.0
    // PaddleNLP paddlenlp/trainer/trainer.py
    {.words = "optimizer not run, scale_before:", .then = "scale_after:"},
    // Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0
    // NVIDIA/apex apex/amp/handle.py; without a number of the scaler: apex/fp16_utils and what was made of it
    // Loss scaler reducing loss scale to 32768.0
    // Loss scaler increasing loss scale to 131072.0
    // Ascend/pytorch torch_npu/npu/amp/grad_scaler.py, GradScaler._npu_update_scale
    // gradient overflow detected, ignoring gradient, setting loss scale to: 64.0
    // facebookresearch/fairseq fairseq/trainer.py
    {.words = "loss scale to"},
    // overflow, still update, loss scale adjust to 1024.0
    // mindspore-lab/mindyolo mindyolo/utils/trainer_factory.py
    {.words = "loss scale adjust to"},
    // [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768
    // [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, but hysteresis is 2. Reducing hysteresis to
    // 1
    // deepspeedai/DeepSpeed deepspeed/runtime/fp16/loss_scaler.py, fused_optimizer.py
    {.words = "Attempted loss scale:", .then = "reducing to"},
    {.words = "Attempted loss scale:"},
}};

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
  for (const ScaleWords& scale : kScaleWords) {
    auto rest = behind(line.text, scale.words);
    if (rest && !scale.then.empty()) rest = behind(*rest, scale.then);
    if (!rest || line.cut_short(first_word(*rest))) continue;
    if (const auto value = leading_number(*rest); value && std::isfinite(*value) && *value > 0) return value;
  }
  return std::nullopt;
}

Needed needed_for_scale() {
  Needed needed;
  for (const ScaleWords& scale : kScaleWords) needed.literals.push_back({.text = std::string(scale.words)});
  return needed;
}

}  // namespace bisectd::driver::read
