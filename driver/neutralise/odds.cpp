#include "driver/neutralise/odds.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace bisectd::driver::neutralise {
namespace {

bool cut_end(std::string& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.resize(text.size() - end.size());
  return true;
}

/// Letters and digits alone, small; without what says only for how many dimensions or by whom.
std::string plain_letters(const std::string& name) {
  std::string letters;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view dimensions : {"1d", "2d", "3d"})
    if (cut_end(letters, dimensions)) break;
  if (letters.starts_with("native")) letters.erase(0, 6);
  if (letters == "conv") letters = "convolution";
  return letters;
}

}  // namespace

bool computes(const std::string& member, const std::string& what, bool backward) {
  std::string name = member.substr(0, member.find_first_of(".@"));  // an overload, a dtype
  bool is_backward = false;
  for (const std::string_view end : {"_grad", "_backward"})
    if (cut_end(name, end)) is_backward = true;
  const std::string letters = plain_letters(name);
  return is_backward == backward && !letters.empty() && letters == plain_letters(what);
}

double odds_of(const configs::Selection& selection, const std::string& member) {
  if (const auto own = selection.likely.find(member); own != selection.likely.end()) return own->second.value;
  double odds = 1;
  for (const configs::Hint& hint : selection.hints)
    if (hint.computes ? computes(member, hint.name, hint.backward) : member == hint.name) odds = std::max(odds, hint.odds);
  return odds;
}

}  // namespace bisectd::driver::neutralise
