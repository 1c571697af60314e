#include "driver/align/dump_folders.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>
#include <string_view>

namespace bisectd::driver::align {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "dump.json";
constexpr std::size_t kMostLookedAt = 10'000;  ///< folders, for one to suggest

/// step2 before step10.
struct ByNumber {
  static std::pair<int, std::string> key(const std::string& name) {
    const std::size_t digits = std::min(name.find_first_of("0123456789"), name.size());
    int number = 0;
    std::from_chars(name.data() + digits, name.data() + name.size(), number);
    return {number, name};
  }
  bool operator()(const std::string& a, const std::string& b) const { return key(a) < key(b); }
};

using Ranks = std::map<std::string, fs::path, ByNumber>;
using Steps = std::map<std::string, Ranks, ByNumber>;

/// rank3: the word and a number, or the word alone.
bool is_numbered(const fs::path& folder, std::string_view word) {
  const std::string name = folder.filename().string();
  return name.starts_with(word) && name.find_first_not_of("0123456789", word.size()) == std::string::npos;
}

std::vector<fs::path> folders_in(const fs::path& folder, std::initializer_list<std::string_view> words) {
  std::vector<fs::path> found;
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator(folder, unknown))
    for (const std::string_view word : words)
      if (is_numbered(entry.path(), word) && entry.is_directory(unknown)) found.push_back(entry);
  std::ranges::sort(found);
  return found;
}

/// Of one step.
Ranks ranks_in(const fs::path& step) {
  std::error_code unknown;
  if (fs::exists(step / kFile, unknown)) return {{"", step / kFile}};
  Ranks ranks;
  for (const fs::path& folder : folders_in(step, {"rank", "proc"})) {
    if (!fs::exists(folder / kFile, unknown))
      throw std::runtime_error(
          fmt::format("{}: there is no {} in it: the dump was cut off, or is none", folder.string(), kFile));
    ranks[folder.filename().string()] = folder / kFile;
  }
  // Without ranks a folder has the id of a process, which is another one on the other side.
  const auto is_process = [](const auto& rank) { return rank.first.starts_with("proc"); };
  if (ranks.size() == 1 && is_process(*ranks.begin())) return {{"", ranks.begin()->second}};
  if (std::ranges::any_of(ranks, is_process))
    throw std::runtime_error(
        fmt::format("{}: it has dumps of several processes, and their ids do not say which belong together; "
                    "give two of them, such as {}",
                    step.string(), ranks.begin()->second.parent_path().string()));
  return ranks;
}

std::string near(const fs::path& folder) {
  std::error_code unknown;
  std::size_t looked_at = 0;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, unknown), end;
       !unknown && at != end && ++looked_at < kMostLookedAt; at.increment(unknown))
    if (at->path().filename() == kFile) {
      fs::path dump = at->path().parent_path();
      for (const char* inner : {"rank", "proc", "step"})
        if (is_numbered(dump, inner)) dump = dump.parent_path();
      return fmt::format("; did you mean {}?", dump.string());
    }
  return fmt::format("; it has none of step0/rank0/{0}, rank0/{0} and {0}", kFile);
}

Steps steps_in(const fs::path& folder) {
  std::error_code unknown;
  if (folder.filename() == kFile && fs::is_regular_file(folder, unknown)) return {{"", {{"", folder}}}};
  if (!fs::exists(folder, unknown)) throw std::runtime_error(folder.string() + ": no such folder");
  if (!fs::is_directory(folder, unknown))
    throw std::runtime_error(folder.string() + ": this is a file; give the folder that msprobe dumped into");
  if (Ranks ranks = ranks_in(folder); !ranks.empty()) return {{"", std::move(ranks)}};
  Steps steps;
  for (const fs::path& step : folders_in(folder, {"step"}))
    if (Ranks ranks = ranks_in(step); !ranks.empty()) steps[step.filename().string()] = std::move(ranks);
  if (steps.empty()) throw std::runtime_error(folder.string() + ": this is no dump of msprobe" + near(folder));
  return steps;
}

template <class Map>
std::string names(const Map& map) {
  std::vector<std::string> all;
  for (const auto& [name, rest] : map) all.push_back(name.empty() ? "one without a rank" : name);
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

DumpPairs find_dumps(const fs::path& reference, const fs::path& subject) {
  const Steps ours = steps_in(reference), theirs = steps_in(subject);
  const auto& [step, ranks] = *ours.begin();
  const auto& [other_step, other_ranks] = *theirs.begin();
  if (!step.empty() && !other_step.empty() && step != other_step)
    throw std::runtime_error(
        fmt::format("the steps differ: {} has {}, {} has {}; dump the same ones, or give two folders of one step",
                    reference.string(), names(ours), subject.string(), names(theirs)));
  DumpPairs found{.pairs = {}, .step = std::max(ours.size(), theirs.size()) > 1 ? std::max(step, other_step) : ""};
  if (ranks.size() == 1 && other_ranks.size() == 1 && (ranks.contains("") || other_ranks.contains(""))) {
    found.pairs.push_back({.rank = {}, .reference = ranks.begin()->second, .subject = other_ranks.begin()->second});
    return found;
  }
  if (!std::ranges::equal(ranks, other_ranks, {}, &Ranks::value_type::first, &Ranks::value_type::first))
    throw std::runtime_error(fmt::format("the ranks differ: {} has {}, {} has {}; give two folders of one rank",
                                         reference.string(), names(ranks), subject.string(), names(other_ranks)));
  for (const auto& [rank, file] : ranks)
    found.pairs.push_back({.rank = rank, .reference = file, .subject = other_ranks.at(rank)});
  return found;
}

}  // namespace bisectd::driver::align
