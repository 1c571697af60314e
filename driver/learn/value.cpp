#include "driver/learn/value.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace bisectd::driver::learn {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Does a word reach up to here, or begin here? Signs and drawn characters (U+2000 to U+2FFF) belong to none.
bool is_of_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return is_digit(c) || is_letter(c) || c == '_' || (byte >= 0x80 && byte != 0xe2);
}
bool word_ends_before(std::string_view line, std::size_t at) {
  if (at == 0) return true;
  if (static_cast<unsigned char>(line[at - 1]) < 0x80) return !is_of_word(line[at - 1]);
  std::size_t lead = at - 1;  // of the character before
  while (lead > 0 && (static_cast<unsigned char>(line[lead]) & 0xc0) == 0x80) --lead;
  return static_cast<unsigned char>(line[lead]) == 0xe2;
}

/// What stands at a place of a line.
class Here {
 public:
  Here(std::string_view line, std::size_t at) : line_(line), at_(at) {}
  std::size_t at() const { return at_; }
  bool ends() const { return at_ >= line_.size(); }
  char next(std::size_t more = 0) const { return at_ + more < line_.size() ? line_[at_ + more] : '\0'; }
  void skip(std::size_t count) { at_ += count; }
  std::size_t digits() {
    const std::size_t begin = at_;
    while (is_digit(next())) ++at_;
    return at_ - begin;
  }
  std::size_t letters() {
    const std::size_t begin = at_;
    while (is_letter(next()) || (next() == '\xc2' && next(1) == '\xb5')) at_ += next() == '\xc2' ? 2 : 1;
    return at_ - begin;
  }
  void blanks() {
    while (next() == ' ' || next() == '\t') ++at_;
  }
  bool word(std::string_view text) {
    if (line_.substr(std::min(at_, line_.size()), text.size()) != text) return false;
    at_ += text.size();
    return true;
  }
  bool goes_on() const { return !ends() && is_of_word(line_[at_]); }

 private:
  std::string_view line_;
  std::size_t at_;
};

/// End of a date or a time of day that begins at `at`.
std::optional<std::size_t> time_at(std::string_view line, std::size_t at) {
  Here here(line, at);
  const std::size_t digits = here.digits();
  const char sign = here.next();
  const bool maybe = (digits == 4 && (sign == '-' || sign == '/' || sign == '.')) || (digits <= 4 && sign == ':') ||
                     (digits <= 2 && (sign == '-' || sign == '/')) || line.substr(here.at()).starts_with(" day");
  if (digits == 0 || !maybe) return std::nullopt;
  static const re2::RE2 date(
      R"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T_ ]\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[-+]\d\d:?\d\d)?)?|)"
      R"(\d{1,2}[-/]\d{1,2}(?:[-/]\d{2,4})?[ T]\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?)");
  static const re2::RE2 time(R"((?:\d+ days?, )?\d{1,4}:\d\d(?::\d\d)?(?:[.,]\d+)?)");
  const re2::StringPiece text(line.data(), line.size());
  re2::StringPiece found;
  if (date.Match(text, at, line.size(), re2::RE2::ANCHOR_START, &found, 1)) return at + found.size();
  if (time.Match(text, at, line.size(), re2::RE2::ANCHOR_START, &found, 1)) {
    const std::size_t end = at + found.size();
    if (end >= line.size() || !is_of_word(line[end])) return end;
  }
  return std::nullopt;
}

/// nan, -inf, nanxxx (padded), None, n/a, 1.#QNAN: a number that is not finite.
std::optional<FoundValue> not_finite_at(std::string_view line, std::size_t at) {
  static const re2::RE2 spelling(
      R"(([-+]?)(?:1\.#(?:QNAN|SNAN|IND|(INF))|(?i:(inf)(?:inity)?|nan)x*(!?))|(None|null|NULL|[nN]/[aA]))");
  std::array<re2::StringPiece, 6> found;  // all, sign, infinite, infinite, its end, none
  if (!spelling.Match({line.data(), line.size()}, at, line.size(), re2::RE2::ANCHOR_START, found.data(), found.size()))
    return std::nullopt;
  Here here(line, at + found[0].size());
  const bool old = found[0].find('#') != re2::StringPiece::npos;
  while (old && here.goes_on()) here.skip(1);
  if (here.goes_on() && found[4].empty()) return std::nullopt;
  const bool infinite = !found[2].empty() || !found[3].empty();
  Value value{.number = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN(),
              .none = !found[5].empty()};
  if (found[1] == "-") value.number = -value.number;
  return FoundValue{at, here.at(), value};
}

/// Behind a number: "/1000" or " of 1000".
std::int64_t of_at(Here& here) {
  Here ahead = here;
  ahead.blanks();
  if (ahead.next() == '/') ahead.skip(1);
  else if (ahead.at() == here.at() || !ahead.word("of ")) return 0;
  ahead.blanks();
  const std::size_t begin = ahead.at();
  std::int64_t of = 0;
  for (; is_digit(ahead.next()); ahead.skip(1)) of = std::min(of * 10 + (ahead.next() - '0'), kMostCounted);
  if (ahead.at() == begin || ahead.goes_on() || ahead.next() == '.' || ahead.next() == '/') return 0;
  here = ahead;
  return of;
}

bool may_end(const Here& here) { return !here.goes_on() && !(here.next() == '.' && is_digit(here.next(1))); }

/// A unit, or the x with which some pad: 17.2G, 100batch/s, 4%, 6.98xx.
void take_unit(Here& here, Value& value) {
  Here ahead = here;
  if (ahead.next() == ' ' && ahead.next(1) == '%') ahead.skip(1);
  if (ahead.next() == '%') {
    ahead.skip(1);
    value.percent = value.has_unit = true;
    here = ahead;
    return;
  }
  ahead = here;
  while (ahead.next() == 'x') ahead.skip(1);
  if (ahead.at() > here.at() && !ahead.goes_on()) {
    here = ahead;
    return;
  }
  ahead = here;
  if (ahead.letters() == 0) return;
  const Here short_unit = ahead;
  if (ahead.next() == '/') {
    ahead.skip(1);
    if (ahead.letters() == 0 || !may_end(ahead)) ahead = short_unit;
  }
  if (!may_end(ahead)) return;
  value.has_unit = true;
  here = ahead;
}

std::optional<FoundValue> finite_at(std::string_view line, std::size_t at) {
  Here here(line, at);
  if (here.next() == '-' || here.next() == '+') here.skip(1);
  const std::size_t start = here.at();
  const std::size_t before = here.digits();
  Value value;
  if (here.next() == '.') {
    here.skip(1);
    const std::size_t after = here.digits();
    if (before + after == 0) return std::nullopt;
    value.decimals = static_cast<std::int8_t>(std::min<std::size_t>(after, 9));
  } else if (before == 0) {
    return std::nullopt;
  } else {
    constexpr std::size_t kCountedDigits = 9;  // of kMostCounted
    value.whole = line[at] != '-' && before <= kCountedDigits;
  }
  bool negative_exponent = false;
  if ((here.next() | 0x20) == 'e') {
    Here ahead = here;
    ahead.skip(1);
    const bool negative = ahead.next() == '-';
    if (negative || ahead.next() == '+') ahead.skip(1);
    if (ahead.digits() > 0) {
      here = ahead;
      negative_exponent = negative;
      value.decimals = 9;
      value.whole = false;
    }
  }
  if (value.whole) {  // in a third of the time
    int count = 0;
    for (const char digit : line.substr(start, before)) count = 10 * count + (digit - '0');
    value.number = count;
  } else {
    const auto [end, error] = std::from_chars(line.data() + start, line.data() + here.at(), value.number);
    if (error == std::errc::result_out_of_range)
      value.number = negative_exponent ? 0 : std::numeric_limits<double>::infinity();
    else if (error != std::errc()) return std::nullopt;
  }
  if (line[at] == '-') value.number = -value.number;
  if (here.ends() || here.next() == ',') return FoundValue{at, here.at(), value};  // as most do
  value.of = of_at(here);
  take_unit(here, value);
  if (!may_end(here)) return std::nullopt;
  return FoundValue{at, here.at(), value};
}

std::optional<FoundValue> value_at(std::string_view line, std::size_t at) {
  if (is_digit(line[at]))
    if (const auto end = time_at(line, at)) return FoundValue{at, *end, std::nullopt};
  return number_at(line, at);
}

}  // namespace

std::optional<FoundValue> number_at(std::string_view line, std::size_t at) {
  const Here here(line, at);
  const std::size_t sign = here.next() == '-' || here.next() == '+' ? 1 : 0;
  const char first = here.next(sign);
  if ((first | 0x20) == 'n' || (first | 0x20) == 'i' || here.next(sign + 2) == '#')
    if (auto found = not_finite_at(line, at)) return found;
  return finite_at(line, at);
}

bool same(const Value& a, const Value& b) {
  if (!std::isfinite(a.number) || !std::isfinite(b.number))
    return (std::isnan(a.number) && std::isnan(b.number)) || a.number == b.number;
  return std::abs(a.number - b.number) <= std::pow(10.0, -std::min(a.decimals, b.decimals)) * 1.001;
}

std::optional<FoundValue> find_value(std::string_view line, std::size_t from) {
  for (std::size_t at = from; at < line.size(); ++at) {
    const char c = line[at];
    const bool may_begin = is_digit(c) || c == '-' || c == '+' || c == '.' || (c | 0x20) == 'n' || (c | 0x20) == 'i';
    if (!may_begin || !word_ends_before(line, at)) continue;
    if (at > 0 && (line[at - 1] == '.' || line[at - 1] == '#')) continue;
    if (auto found = value_at(line, at)) return found;
  }
  return std::nullopt;
}

std::optional<FoundValue> as_value(std::string_view text) {
  if (text.empty()) return std::nullopt;
  auto found = value_at(text, 0);
  return found && found->end == text.size() ? found : std::nullopt;
}

}  // namespace bisectd::driver::learn
