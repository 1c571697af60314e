// What is looked for in the logs and files of the subject beside curves: names of members that ran, that ran elsewhere, that
// were neutralised, that cannot be. Pure: names in, members out.
#pragma once

#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/neutralise/catalogue.hpp"
#include "driver/trial/attempts.hpp"

namespace bisectd::driver {

/// The patterns and files of all searched families, in a fixed order, so that counts can be told apart by position.
class WatchList {
 public:
  explicit WatchList(const configs::Experiment& experiment);

  const WatchedNames& watched() const { return wanted_; }

  /// The name as the family writes it, for a name as the log has it.
  static std::string written(const configs::Family& family, const std::string& logged);

  /// Members that ran on the device more often than elsewhere, by family; of a run that `broke`, what it began and did not
  /// end, too, where that is looked for (`goal: runs`). Why not, if a file that should name them was
  /// not left, or what was found cannot be members. `seen` as read with watched().
  tl::expected<neutralise::Discovered, std::string> discovered(const SeenNames& seen, bool broke = false) const;

  /// Members that the log of a run names as impossible to neutralise, by family.
  neutralise::Discovered never_off(const SeenNames& seen) const;

  /// Suspects that the log of a broken run names as impossible to neutralise.
  std::vector<strategies::SuspectId> refused(const neutralise::Catalogue& catalogue, const SeenNames& seen) const;

  /// Why members cannot be neutralised, or were not, as far as the log of a run says it; by their labels, `family:name`.
  std::map<std::string, std::string> reasons(const SeenNames& seen) const;

  /// Suspects of families whose runs can show that a member is off.
  strategies::SuspectSet shows_effect(const neutralise::Catalogue& catalogue) const;

  /// What one attempt showed; `whole`: to its end, so that what it does not name did not work in it.
  struct AttemptTraces {
    const SeenNames& names;
    bool whole = false;
  };
  /// Suspects among `neutralised` that are shown to be off: by a trace which the run with nothing neutralised (`as_is`)
  /// lacks, or by not being named among what works.
  strategies::SuspectSet shown_off(const neutralise::Catalogue& catalogue, const strategies::SuspectSet& neutralised,
                                   const SeenNames& as_is, const AttemptTraces& shown) const;

 private:
  enum class Kind { ran, elsewhere, begun, trace, gone, refused };
  struct Watched {
    const configs::Family* family;
    Kind kind;
    bool in_file = false;
    std::size_t index = 0;  ///< among the patterns, or among the files
  };
  void add(const configs::Family& family, Kind kind, const configs::Placed<std::string>& pattern);
  void add(const configs::Family& family, Kind kind, const configs::NamesInFile& file);
  static const read::NameCounts& counts(const Watched& watched, const SeenNames& seen);

  std::vector<Watched> watched_;
  WatchedNames wanted_;
};

}  // namespace bisectd::driver
