// What is looked for in the logs of the subject beside curves: names of members that ran, that ran elsewhere, that were
// neutralised, that cannot be. Pure: counts in, members out.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/neutralise/catalogue.hpp"
#include "driver/read/names.hpp"

namespace bisectd::driver {

/// The patterns of all searched families, in a fixed order, so that counts can be told apart by position.
class WatchList {
 public:
  explicit WatchList(const configs::Experiment& experiment);

  const std::vector<read::NamePattern>& patterns() const { return patterns_; }

  /// Members that ran on the device more often than elsewhere, by family. `counts` as read with patterns().
  neutralise::Discovered discovered(const std::vector<read::NameCounts>& counts) const;

  /// Suspects that the log of a broken run names as impossible to neutralise.
  std::vector<strategies::SuspectId> refused(const neutralise::Catalogue& catalogue,
                                             const std::vector<read::NameCounts>& counts) const;

  /// Suspects whose family leaves traces of neutralised members.
  strategies::SuspectSet leaves_traces(const neutralise::Catalogue& catalogue) const;

  /// Suspects among `neutralised` that left a trace which the run with nothing neutralised (`as_is`) lacks.
  strategies::SuspectSet traces(const neutralise::Catalogue& catalogue, const strategies::SuspectSet& neutralised,
                                const std::vector<read::NameCounts>& as_is,
                                const std::vector<read::NameCounts>& counts) const;

 private:
  enum class Kind { ran, elsewhere, effect, refused };
  struct Watched {
    const configs::Family* family;
    Kind kind;
  };
  /// The name as the family writes it, for a name as the log has it.
  static std::string written(const configs::Family& family, const std::string& logged);

  std::vector<Watched> watched_;
  std::vector<read::NamePattern> patterns_;
};

}  // namespace bisectd::driver
