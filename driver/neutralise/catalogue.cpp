#include "driver/neutralise/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>

#include "strategies/suspect_numbers.hpp"

namespace bisectd::driver::neutralise {

namespace {

std::set<std::string> names_of(const configs::Family& family, const configs::Selection& selection,
                               const Discovered& discovered) {
  if (family.kind == configs::FamilyKind::ladder) return {family.name};
  std::set<std::string> names;
  for (const auto& member : selection.members) names.insert(member.value);
  if (selection.all)
    for (const auto& [name, toggle] : family.toggles) names.insert(name);
  if (selection.discover)
    if (const auto found = discovered.find(family.name); found != discovered.end())
      names.insert(found->second.begin(), found->second.end());
  // A toggle that the subject has at its safe value cannot be guilty.
  std::erase_if(names, [&](const std::string& name) {
    const auto toggle = family.toggles.find(name);
    return toggle != family.toggles.end() && toggle->second.suspect == toggle->second.safe;
  });
  for (const auto& member : selection.exclude) names.erase(member.value);
  return names;
}

bool is_named(const std::vector<configs::Placed<std::string>>& list, const std::string& name) {
  return std::ranges::count(list, name, &configs::Placed<std::string>::value) > 0;
}

}  // namespace

std::set<std::string> known_suspects(const configs::Family& family, const configs::Selection& selection) {
  return names_of(family, selection, {});
}

bool is_left_out(const configs::Family& family, const configs::Selection& selection, const std::string& name) {
  if (family.kind == configs::FamilyKind::ladder) return false;  // what it excludes are values
  return is_named(selection.exclude, name) || !(selection.all || selection.discover || is_named(selection.members, name));
}

std::vector<std::string> selected_values(const configs::Family& family, const configs::Selection& selection) {
  std::vector<std::string> values;
  for (const std::string& value : family.ladder.values)
    if ((selection.members.empty() || is_named(selection.members, value)) && !is_named(selection.exclude, value))
      values.push_back(value);
  return values;
}

Catalogue::Catalogue(std::vector<Member> members) : members_(std::move(members)) {
  for (strategies::SuspectId id = 0; id < members_.size(); ++id) {
    by_name_.emplace(std::pair(members_[id].family, members_[id].name), id);
  }
}

std::optional<strategies::SuspectId> Catalogue::find(const std::string& family, const std::string& name) const {
  const auto found = by_name_.find({family, name});
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::string Catalogue::label(strategies::SuspectId id) const {
  const Member& member = members_.at(id);
  return member.family + ":" + member.name;
}

strategies::SuspectSet Catalogue::set_of(const std::vector<strategies::SuspectId>& ids) const {
  strategies::SuspectSet set(size());
  for (const strategies::SuspectId id : ids) set.set(id);
  return set;
}

std::string Catalogue::labels(const strategies::SuspectSet& set, std::size_t limit) const {
  std::string text;
  std::size_t shown = 0;
  for (auto id = set.find_first(); id != strategies::SuspectSet::npos && shown < limit; id = set.find_next(id), ++shown)
    text += (shown ? ", " : "") + label(id);
  if (const std::size_t count = set.count(); count > shown) text += fmt::format(" and {} more", count - shown);
  return text;
}

std::string Catalogue::with_labels(const std::string& text) const {
  return strategies::with_names(
      text, [&](strategies::SuspectId id) { return id < size() ? std::optional(label(id)) : std::nullopt; });
}

Catalogue make_catalogue(const configs::Experiment& experiment, const Discovered& discovered, const Discovered& always_off,
                         const Discovered& never_off) {
  std::vector<Member> members, always_on;
  for (const auto& [family_name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(family_name);
    const auto off = always_off.find(family_name), never = never_off.find(family_name);
    for (const std::string& name : names_of(family, selection, discovered)) {
      if (off != always_off.end() && std::ranges::count(off->second, name)) continue;
      const bool stays_on = std::ranges::binary_search(family.never_off.names, name) ||
                            !configs::overwritten(family, name).empty() ||
                            (never != never_off.end() && std::ranges::count(never->second, name));
      auto& list = stays_on ? always_on : members;
      list.push_back({family_name, name, odds_of(selection, name)});
    }
  }
  Catalogue catalogue(std::move(members));
  catalogue.set_always_on(std::move(always_on));
  return catalogue;
}

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
