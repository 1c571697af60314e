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
  throw commands::UsageError("the experiment (or its preset) has changed since this run began:" + only_in(then, now, "-") +
                             only_in(now, then, "+") +
                             "\nGo on all the same with --accept-changes, or start anew with --new.");
}

void refuse_lost_families(const History& past, const configs::Experiment& experiment) {
  if (!past.catalogue) return;
  for (const neutralise::Member& member : past.catalogue->members())
    if (!experiment.suspects.contains(member.family))
      throw commands::UsageError(
          fmt::format("{} is a suspect of this run, and the experiment does not search its family {} any more. Put "
                      "it back (to leave suspects out, use `exclude`), or start anew with --new.",
                      past.catalogue->label(*past.catalogue->find(member.family, member.name)), member.family));
}

std::optional<std::string> suspects_added(const History& past, const configs::Experiment& experiment,
                                          const neutralise::Environment& base) {
  if (!past.catalogue) return std::nullopt;
  const neutralise::Catalogue now = neutralise::make_catalogue(experiment, {}, neutralise::always_off(experiment, base));
  strategies::SuspectSet added(now.size());
  for (strategies::SuspectId id = 0; id < now.size(); ++id)
    if (!past.catalogue->find(now[id].family, now[id].name)) added.set(id);
  if (added.none()) return std::nullopt;
  return fmt::format(
      "not searched: {}. The suspects of a run are those it began with; to search others, start anew with --new",
      now.labels(added, added.count()));
}

void refuse_other_versions(const std::map<std::string, std::string>& then, const std::map<std::string, std::string>& now,
                           bool accepted) {
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
