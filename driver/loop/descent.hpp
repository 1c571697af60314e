// The second search of a run, among the parts of members that the first one proved guilty (`then` of the experiment). Pure.
#pragma once

#include <optional>
#include <string>

#include "driver/loop/scope.hpp"
#include "driver/record/history.hpp"

namespace bisectd::driver {

/// Members of the family that `then` leads to; none without `then`.
Scope parts_in(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue);
/// All others: what the first search is among.
Scope first_scope(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue);

/// What a second search would be among, after a proved answer of the first. Absent: no cause holds a member of the family
/// that has `then`. Where such members have no parts that ran, the scope is empty.
std::optional<reports::Descent> descent_after(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue,
                                              const strategies::Answer& first);

/// Why the answer stays that of the first search, when the second one came to this.
std::string why_it_stayed(const strategies::Answer& second);
/// The same of members without parts that ran.
std::string why_no_parts(const neutralise::Catalogue& catalogue, const Scope& opened);

/// What the searches of a journal came to, told again; without what the proofs at full length lack.
struct RetoldAnswers {
  strategies::Answer first;
  std::optional<strategies::Answer> second;

  /// That of the second search while it goes on, and then if it proved a part guilty.
  const strategies::Answer& standing() const {
    return second && (second->state == strategies::State::proved || second->state == strategies::State::searching) ? *second
                                                                                                                   : first;
  }
};
RetoldAnswers retold(const configs::Experiment& experiment, const History& history, const strategies::Problem& problem);

}  // namespace bisectd::driver
