// The suspects of a run: which member of which family has which number in the search, and its odds. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::driver::neutralise {

/// Members that a run was seen to use, by family name; each list ascending, no name twice.
using Discovered = std::map<std::string, std::vector<std::string>>;

struct Member {
  std::string family;
  std::string name;
  double odds = 1.0;
  std::string stays_on;  ///< of one that cannot be neutralised: why, where the log of a run says it
};

class Catalogue {
 public:
  Catalogue() = default;
  explicit Catalogue(std::vector<Member> members);

  std::size_t size() const { return members_.size(); }
  const Member& operator[](strategies::SuspectId id) const { return members_[id]; }
  const std::vector<Member>& members() const { return members_; }

  /// Members that are used and that their family's delivery cannot neutralise; they have no number.
  const std::vector<Member>& always_on() const { return always_on_; }
  void set_always_on(std::vector<Member> members) { always_on_ = std::move(members); }

  std::optional<strategies::SuspectId> find(const std::string& family, const std::string& name) const;

  strategies::SuspectSet set_of(const std::vector<strategies::SuspectId>& ids) const;

  /// `family:name`, as the reports say it.
  std::string label(strategies::SuspectId id) const;
  /// Labels of a set, comma-separated, at most `limit` of them and then "and 12 more".
  std::string labels(const strategies::SuspectSet& set, std::size_t limit) const;
  /// `#3` in a text of the search becomes the label of suspect 3.
  std::string with_labels(const std::string& text) const;

 private:
  std::vector<Member> members_;
  std::vector<Member> always_on_;
  std::map<std::pair<std::string, std::string>, strategies::SuspectId> by_name_;
};

/// Members of a family that are suspects whatever a run shows; a ladder's is the family itself.
std::set<std::string> known_suspects(const configs::Family& family, const configs::Selection& selection);

/// Whether the experiment neither names nor may discover this member: one of a run that began before it was left out.
bool is_left_out(const configs::Family& family, const configs::Selection& selection, const std::string& name);

/// The values of a ladder that may be tried, ascending.
std::vector<std::string> selected_values(const configs::Family& family, const configs::Selection& selection);

/// Suspects of the experiment: members named by hand, toggles not safe already, and what was discovered, less what is
/// excluded or cannot be neutralised (these are its always_on(): by the family, by what overwrites it, or by `never_off`,
/// what a run said); `always_off` (family -> names the subject neutralises anyway) is left out too.
Catalogue make_catalogue(const configs::Experiment& experiment, const Discovered& discovered, const Discovered& always_off,
                         const Discovered& never_off = {});

/// Against an unremarkable member, which has 1. The experiment's own odds count before those of a file.
double odds_of(const configs::Selection& selection, const std::string& member);

/// Whether this operator computes what a class or function of this name does, in this direction: batch_norm_grad and
/// native_batch_norm_backward compute BatchNorm2D backward. Only letters count; so names that are spelt otherwise are
/// missed.
bool computes(const std::string& member, const std::string& what, bool backward);

}  // namespace bisectd::driver::neutralise
