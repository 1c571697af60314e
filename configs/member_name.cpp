#include "configs/member_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <string_view>
#include <map>
#include <cctype>
#include <string>
#include <vector>

#include "configs/file_bytes.hpp"
#include "configs/reading.hpp"
#include "configs/printable.hpp"
#include "configs/suggest.hpp"

namespace bisectd::configs {
namespace {

bool is_known(const Family& family, const std::string& name) { return std::ranges::binary_search(family.known_names, name); }

std::string trimmed(std::string_view name) {
  constexpr std::string_view kTrim = " \t\r\n'\"`,";
  const std::size_t first = name.find_first_not_of(kTrim);
  return first == std::string_view::npos ? "" : std::string(name.substr(first, name.find_last_not_of(kTrim) - first + 1));
}

void check_toggle_name(const Placed<std::string>& name, const Family& family, Problems& problems) {
  if (family.toggles.contains(name.value)) return;
  std::vector<std::string> names;
  for (const auto& [known, toggle] : family.toggles) names.push_back(known);
  const auto right = nearest(name.value, names);
  problems.add(name.place, fmt::format("family `{}` has no switch {}", family.name, in_quotes(name.value)),
               right ? fmt::format("did you mean `{}`?", *right) : fmt::format("known: {}", fmt::join(names, ", ")));
}

void check_rung(const Placed<std::string>& value, const Family& family, Problems& problems) {
  if (std::ranges::count(family.ladder.values, value.value)) return;
  problems.add(value.place, fmt::format("{} is not on the ladder `{}`", in_quotes(value.value), family.name),
               fmt::format("its values: {}", fmt::join(family.ladder.values, ", ")));
}

std::string without_digits(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  return text;
}

/// Without a table, `members` of the family say what `all` means. Another name may be right, too, and a run may discover
/// more; one that is nearly a member's is a slip.
void check_own_member(const Placed<std::string>& name, const Family& family, Problems& problems) {
  std::vector<std::string> known;
  for (const auto& member : family.members) known.push_back(member.value);
  if (known.empty() || std::ranges::count(known, name.value)) return;
  const auto right = nearest(name.value, known);
  const bool of_a_series = right && without_digits(*right) == without_digits(name.value);  // layer2, layer3
  if (right && !family.discover && !of_a_series)
    problems.add(name.place, fmt::format("family `{}` has no member {}", family.name, in_quotes(name.value)),
                 fmt::format("did you mean `{}`? If not, add it to `families.{}.members`", *right, family.name));
  else
    problems.warn(name.place, fmt::format("{} is none of the members that family `{}` names{}", in_quotes(name.value),
                                          family.name, right ? fmt::format("; did you mean `{}`?", *right) : ""));
}

/// The nearest right name, looking at the names in logs too; empty if none is near.
std::string hint_for(const std::string& name, const Family& family) {
  if (name.ends_with('_') && is_known(family, name.substr(0, name.size() - 1)))
    return fmt::format("write `{}`: the in-place form has no name of its own", name.substr(0, name.size() - 1));
  if (const auto written = family.written_name.find(name); written != family.written_name.end())
    return fmt::format("`{}` is its name in logs; this list needs `{}`", name, written->second);
  std::vector<std::string> candidates = family.known_names;
  for (const auto& [in_logs, written] : family.written_name) candidates.push_back(in_logs);
  const auto right = nearest(name, candidates);
  if (!right) return {};
  const auto written = is_known(family, *right) ? family.written_name.end() : family.written_name.find(*right);
  return fmt::format("did you mean `{}`?", written == family.written_name.end() ? *right : written->second);
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF", kWhite = " \t\r";

std::string bytes_of(const Placed<std::string>& path, const std::string& file, Problems& problems) {
  try {
    std::string bytes = read_bytes(file);
    if (bytes.size() <= kLargestFile_bytes) return bytes;
    problems.add(path.place, fmt::format("`{}` is larger than 1 MiB", printable(file)));
  } catch (const std::system_error& error) {
    problems.add(path.place, fmt::format("`{}` cannot be read: {}", printable(file), error.code().message()));
  }
  return {};
}

}  // namespace

std::string spelling_fault(std::string_view name, const Family& family) {
  if (name.empty()) return "is empty";
  if (name.find_first_of(" \t\r\n") != std::string_view::npos) return "holds white space";
  if (printable(name) != name) return "holds a character that cannot be shown";
  // As logs are read: neutralised by this name, the member that is meant would stay active.
  if (name.find("\uFFFD") != std::string_view::npos) return "holds U+FFFD, which stands for bytes that are no UTF-8";
  for (const std::string& ender : name_enders(family.deliver))
    if (name.find(ender) != std::string_view::npos)
      return ender == family.deliver.separator ? fmt::format("holds the separator `{}`", ender)
                                               : fmt::format("holds `{}`, which ends a name where it is delivered", ender);
  // What makes comments, sections and entries in the text files that are read line by line, and so other names of these.
  if (family.deliver.file && !family.deliver.file->is_json)
    if (const auto at = name.find_first_of("#;[]:="); at != std::string_view::npos)
      return fmt::format("holds `{}`, which has a meaning of its own in the file that it is written to", name[at]);
  if (name.find_first_of("'\"`") != std::string_view::npos) return "holds a quote";
  for (const std::string_view curly : {"\u2018", "\u2019", "\u201C", "\u201D"})
    if (name.find(curly) != std::string_view::npos) return "holds a curly quote";
  return {};
}

void check_member_name(const Placed<std::string>& name, const Family& family, Problems& problems) {
  if (family.kind == FamilyKind::toggle) {
    check_toggle_name(name, family, problems);
    return;
  }
  if (family.kind == FamilyKind::ladder) {
    check_rung(name, family, problems);
    return;
  }
  if (const std::string fault = spelling_fault(name.value, family); !fault.empty()) {
    const std::string bare = trimmed(name.value);
    problems.add(name.place, fmt::format("name {} {}", in_quotes(name.value), fault),
                 is_known(family, bare) ? fmt::format("did you mean `{}`?", bare) : "");
    return;
  }
  if (family.known_names.empty()) {
    check_own_member(name, family, problems);
    return;
  }
  if (!is_known(family, name.value)) {
    problems.add(name.place, fmt::format("family `{}` knows no {}", family.name, in_quotes(name.value)),
                 hint_for(name.value, family));
    return;
  }
  if (const auto in_logs = family.written_name.find(name.value); in_logs != family.written_name.end())
    problems.warn(name.place, fmt::format("`{0}` is a right name, but not of what logs call `{0}`: that is written `{1}`",
                                          name.value, in_logs->second));
}

std::vector<Placed<std::string>> read_member_file(const Placed<std::string>& path, Problems& problems) {
  const std::string file = path_of(path);
  const std::size_t before = problems.size();
  const std::string bytes = bytes_of(path, file, problems);
  if (problems.size() > before) return {};
  std::string_view rest = bytes;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::vector<Placed<std::string>> names;
  std::map<std::string_view, int> lines;
  for (int line = 1; !rest.empty(); ++line) {
    const std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    const std::size_t first = text.find_first_not_of(kWhite);
    if (first == std::string_view::npos || text[first] == '#') continue;
    const std::string_view name = text.substr(first, text.find_last_not_of(kWhite) - first + 1);
    names.push_back({std::string(name), {file, line, static_cast<int>(first) + 1}});
    if (const auto [earlier, is_new] = lines.emplace(name, line); !is_new)
      problems.add(names.back().place, fmt::format("{} is named twice", in_quotes(name)),
                   fmt::format("it is first named in line {}", earlier->second));
    if (names.size() > kMostMembers) {
      problems.add(path.place, fmt::format("`{}` names more than {} members", printable(file), kMostMembers));
      return {};
    }
  }
  if (names.empty())
    problems.add(path.place, fmt::format("`{}` names nothing", printable(file)),
                 "one name a line; lines that start with # do not count");
  return names;
}

}  // namespace bisectd::configs
