#include "driver/watch.hpp"

#include <algorithm>
#include <map>

namespace bisectd::driver {
namespace {

/// Whether the subject's own environment, which stands, may hide the traces: then a missing one says nothing.
bool may_be_hidden(const configs::Effect& effect, const configs::Side& subject) {
  return std::ranges::any_of(effect.environment, [&](const auto& entry) {
    const auto own = subject.environment.find(entry.first);
    return own != subject.environment.end() && own->second.value != entry.second;
  });
}

}  // namespace

WatchList::WatchList(const configs::Experiment& experiment) {
  const auto add = [&](const configs::Family& family, Kind kind, const configs::Placed<std::string>& pattern) {
    watched_.push_back({&family, kind});
    patterns_.push_back({pattern.value});
  };
  for (const auto& [name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(name);
    if (family.discover && selection.discover) {
      add(family, Kind::ran, family.discover->ran);
      if (family.discover->elsewhere) add(family, Kind::elsewhere, *family.discover->elsewhere);
    }
    if (family.effect && !may_be_hidden(*family.effect, experiment.subject)) add(family, Kind::effect, family.effect->log);
    if (family.refused) add(family, Kind::refused, *family.refused);
  }
}

std::string WatchList::written(const configs::Family& family, const std::string& logged) {
  const auto found = family.written_name.find(logged);
  return found == family.written_name.end() ? logged : found->second;
}

neutralise::Discovered WatchList::discovered(const std::vector<read::NameCounts>& counts) const {
  std::map<std::string, std::map<std::string, std::int64_t>> on_device;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const auto& [family, kind] = watched_[i];
    if (kind != Kind::ran && kind != Kind::elsewhere) continue;
    for (const auto& [key, count] : counts[i])
      on_device[family->name][written(*family, key.name)] +=
          kind == Kind::ran ? count : -count;
  }
  neutralise::Discovered found;
  for (const auto& [family, members] : on_device)
    for (const auto& [name, times] : members)
      if (times > 0) found[family].push_back(name);
  return found;
}

std::vector<strategies::SuspectId> WatchList::refused(const neutralise::Catalogue& catalogue,
                                                      const std::vector<read::NameCounts>& counts) const {
  std::vector<strategies::SuspectId> ids;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if (watched_[i].kind != Kind::refused) continue;
    for (const auto& [key, count] : counts[i])
      if (const auto id = catalogue.find(watched_[i].family->name, written(*watched_[i].family, key.name)))
        ids.push_back(*id);
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  return ids;
}

strategies::SuspectSet WatchList::leaves_traces(const neutralise::Catalogue& catalogue) const {
  strategies::SuspectSet set(catalogue.size());
  for (const auto& [family, kind] : watched_)
    if (kind == Kind::effect)
      for (strategies::SuspectId id = 0; id < catalogue.size(); ++id)
        if (catalogue[id].family == family->name) set.set(id);
  return set;
}

strategies::SuspectSet WatchList::traces(const neutralise::Catalogue& catalogue,
                                         const strategies::SuspectSet& neutralised,
                                         const std::vector<read::NameCounts>& as_is,
                                         const std::vector<read::NameCounts>& counts) const {
  strategies::SuspectSet seen(catalogue.size());
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const auto& [family, kind] = watched_[i];
    if (kind != Kind::effect) continue;
    // A member that the device lacks for one dtype leaves lines in every run: only a (name, dtype) that the run with
    // nothing neutralised does not have is a trace.
    for (const auto& [key, count] : counts[i]) {
      if (as_is[i].contains(key)) continue;
      const auto id = catalogue.find(family->name, written(*family, key.name));
      if (id && neutralised.test(*id)) seen.set(*id);
    }
  }
  return seen;
}

}  // namespace bisectd::driver
