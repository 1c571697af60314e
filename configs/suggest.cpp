#include "configs/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace bisectd::configs {
namespace {

constexpr std::size_t kFewestOfBeginning = 3;  ///< letters; fewer begin too many words

/// Damerau-Levenshtein distance in its optimal-string-alignment form: insertions, deletions, replacements and swaps of
/// neighbours cost 1 each, and no part of the text is edited twice. Three rows of the table are enough.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3) + 1;  // exclusive; shrinks with every better candidate
  std::optional<std::string> best;
  for (const std::string& candidate : candidates) {
    const std::size_t gap = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
    if (gap >= limit) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= limit) continue;
    limit = distance;
    best = candidate;
  }
  if (best || word.size() < kFewestOfBeginning) return best;
  const auto longer = std::ranges::find_if(candidates, [&](const std::string& one) { return one.starts_with(word); });
  return longer == candidates.end() ? std::nullopt : std::optional(*longer);
}

std::optional<std::string> nearest_in_folder(const std::filesystem::path& missing) {
  std::vector<std::string> names;
  std::error_code unreadable;
  const std::filesystem::path folder = missing.has_parent_path() ? missing.parent_path() : ".";
  for (std::filesystem::directory_iterator entry(folder, unreadable), end; !unreadable && entry != end;
       entry.increment(unreadable))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return nearest(missing.filename().string(), names);
}

}  // namespace bisectd::configs
