#include "driver/commands/experiment_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <vector>

#include "driver/commands/command.hpp"

namespace bisectd::driver {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  boost::split(lines, text, boost::is_any_of("\n"));
  return lines;
}

/// Lines of `a` that `b` has not, in order. Enough to show a changed value; not a minimal edit script.
std::string only_in(const std::vector<std::string>& a, const std::vector<std::string>& b, const char* mark) {
  std::string text;
  for (const std::string& line : a)
    if (!line.empty() && !std::ranges::count(b, line)) text += std::string("\n  ") + mark + " " + line;
  return text;
}

}  // namespace

void refuse_changes(const std::string& resolved_then, const std::string& resolved_now, bool accepted) {
  if (accepted || resolved_then == resolved_now) return;
  const auto then = lines_of(resolved_then), now = lines_of(resolved_now);
  throw commands::UsageError("the experiment (or its preset) has changed since this run began:" +
                             only_in(then, now, "-") + only_in(now, then, "+") +
                             "\nGo on all the same with --accept-changes, or start anew with --new.");
}

void refuse_other_versions(const std::map<std::string, std::string>& then,
                           const std::map<std::string, std::string>& now, bool accepted) {
  if (accepted) return;
  std::string changes;
  for (const auto& [name, version] : then)
    if (const auto today = now.find(name); today == now.end() || today->second != version)
      changes += fmt::format("\n  {}: {}, now {}", name, version, today == now.end() ? "not found" : today->second);
  if (!changes.empty())
    throw commands::UsageError("the subject's software has changed since this run began:" + changes +
                               "\nIts evidence would be of two different machines. Start anew with --new, or go on all "
                               "the same with --accept-changes.");
}

}  // namespace bisectd::driver
