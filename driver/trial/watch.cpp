#include "driver/trial/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "configs/consistency.hpp"
#include "configs/member_name.hpp"
#include "configs/printable.hpp"

namespace bisectd::driver {
namespace {

/// Whether the subject's own environment, which stands, may hide the traces: then a missing one says nothing.
bool may_be_hidden(const configs::Effect& effect, const configs::Side& subject) {
  return std::ranges::any_of(effect.environment,
                             [&](const auto& entry) { return configs::instead_of(entry.second, entry.first, subject); });
}

}  // namespace

void WatchList::add(const configs::Family& family, Kind kind, const configs::Placed<std::string>& pattern) {
  watched_.push_back({&family, kind, false, wanted_.patterns.size()});
  wanted_.patterns.push_back({pattern.value});
}

void WatchList::add(const configs::Family& family, Kind kind, const configs::NamesInFile& file) {
  watched_.push_back({&family, kind, true, wanted_.files.size()});
  wanted_.files.push_back({file.file, file.members});
}

WatchList::WatchList(const configs::Experiment& experiment) {
  for (const auto& [name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(name);
    if (const auto& discover = family.discover; discover && selection.discover && !discover->asks_framework()) {
      if (discover->file) add(family, Kind::ran, *discover->file);
      else add(family, Kind::ran, discover->ran);
      if (discover->elsewhere) add(family, Kind::elsewhere, *discover->elsewhere);
      if (discover->begun && experiment.accept.goal == configs::Goal::runs) add(family, Kind::begun, *discover->begun);
    }
    if (const auto& effect = family.effect; effect && !may_be_hidden(*effect, experiment.subject)) {
      if (effect->gone_from_file) add(family, Kind::gone, *effect->gone_from_file);
      else if (effect->gone_from_log) add(family, Kind::gone, *effect->gone_from_log);
      else add(family, Kind::trace, effect->log);
    }
    if (family.refused) add(family, Kind::refused, *family.refused);
  }
}

const read::NameCounts& WatchList::counts(const Watched& watched, const SeenNames& seen) {
  return watched.in_file ? seen.in_files[watched.index].counts : seen.in_log[watched.index];
}

std::string WatchList::written(const configs::Family& family, const std::string& logged) {
  const auto found = family.written_name.find(logged);
  return found == family.written_name.end() ? logged : found->second;
}

tl::expected<neutralise::Discovered, std::string> WatchList::discovered(const SeenNames& seen, bool broke) const {
  std::map<const configs::Family*, std::map<std::string, std::int64_t>> on_device;
  for (const Watched& watched : watched_) {
    if (watched.kind != Kind::ran && watched.kind != Kind::elsewhere) continue;
    const configs::Family& family = *watched.family;
    if (watched.in_file && !seen.in_files[watched.index].found)
      return tl::unexpected(fmt::format(
          "the discovery run left no file {} that names members of family {}{}{}", wanted_.files[watched.index].file,
          family.name, seen.in_files[watched.index].problem.empty() ? "" : ": ", seen.in_files[watched.index].problem));
    for (const auto& [key, count] : counts(watched, seen))
      on_device[&family][written(family, key.name)] += watched.kind == Kind::ran ? count : -count;
  }
  for (const Watched& watched : watched_)
    if (watched.kind == Kind::begun && broke)
      for (const auto& [key, count] : counts(watched, seen))
        on_device[watched.family].try_emplace(written(*watched.family, key.name), 1);  // not counted before: it did not end
  neutralise::Discovered found;
  for (const auto& [family, members] : on_device) {
    for (const auto& [name, times] : members) {
      if (times <= 0) continue;
      if (const std::string fault = configs::spelling_fault(name, *family); !fault.empty())
        return tl::unexpected(fmt::format("the discovery run named {} in family {}, which cannot be delivered: it {}",
                                          configs::in_quotes(name), family->name, fault));
      found[family->name].push_back(name);
    }
    if (const std::size_t number = found[family->name].size(); number > configs::kMostMembers)
      return tl::unexpected(
          fmt::format("the discovery run named {} members of family {}; more than {} are a pattern "
                      "that matches too much",
                      number, family->name, configs::kMostMembers));
  }
  return found;
}

neutralise::Discovered WatchList::never_off(const SeenNames& seen) const {
  neutralise::Discovered found;
  for (const Watched& watched : watched_)
    if (watched.kind == Kind::refused)
      for (const auto& [key, count] : counts(watched, seen))
        found[watched.family->name].push_back(written(*watched.family, key.name));
  return found;
}

std::vector<strategies::SuspectId> WatchList::refused(const neutralise::Catalogue& catalogue, const SeenNames& seen) const {
  std::vector<strategies::SuspectId> ids;
  for (const Watched& watched : watched_) {
    if (watched.kind != Kind::refused) continue;
    for (const auto& [key, count] : counts(watched, seen))
      if (const auto id = catalogue.find(watched.family->name, written(*watched.family, key.name))) ids.push_back(*id);
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  return ids;
}

std::map<std::string, std::string> WatchList::reasons(const SeenNames& seen) const {
  std::map<std::string, std::string> found;
  for (const Watched& watched : watched_)
    if (watched.kind == Kind::refused || watched.kind == Kind::gone)
      for (const auto& [key, count] : counts(watched, seen))
        if (!key.detail.empty()) found.emplace(watched.family->name + ":" + written(*watched.family, key.name), key.detail);
  return found;
}

strategies::SuspectSet WatchList::shows_effect(const neutralise::Catalogue& catalogue) const {
  strategies::SuspectSet set(catalogue.size());
  for (const Watched& watched : watched_)
    if (watched.kind == Kind::trace || watched.kind == Kind::gone)
      for (strategies::SuspectId id = 0; id < catalogue.size(); ++id)
        if (catalogue[id].family == watched.family->name) set.set(id);
  return set;
}

strategies::SuspectSet WatchList::shown_off(const neutralise::Catalogue& catalogue,
                                            const strategies::SuspectSet& neutralised, const SeenNames& as_is,
                                            const AttemptTraces& shown) const {
  strategies::SuspectSet off(catalogue.size());
  for (const Watched& watched : watched_) {
    const configs::Family& family = *watched.family;
    if (watched.kind == Kind::trace) {
      // A member that the device lacks for one dtype leaves lines in every run: only a (name, dtype) that the run with
      // nothing neutralised does not have is a trace.
      for (const auto& [key, count] : counts(watched, shown.names)) {
        if (counts(watched, as_is).contains(key)) continue;
        const auto id = catalogue.find(family.name, written(family, key.name));
        if (id && neutralised.test(*id)) off.set(*id);
      }
    } else if (watched.kind == Kind::gone && shown.whole &&
               (!watched.in_file || shown.names.in_files[watched.index].found)) {
      strategies::SuspectSet gone(catalogue.size());
      for (strategies::SuspectId id = 0; id < catalogue.size(); ++id)
        if (catalogue[id].family == family.name) gone.set(id);
      for (const auto& [key, count] : counts(watched, shown.names))
        if (const auto id = catalogue.find(family.name, written(family, key.name))) gone.reset(*id);
      off |= gone & neutralised;
    }
  }
  return off;
}

}  // namespace bisectd::driver
