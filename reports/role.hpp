// What a trial is for. All that differs by it stands in one row of one table.
#pragma once

#include <optional>
#include <string_view>

#include "strategies/evidence.hpp"

namespace bisectd::reports {

enum class Role {
  reference,
  discovery,
  as_is,
  end,             ///< as it is or with everything neutralised once more, in another arithmetic, before a search by contrast
  overflow_check,  ///< the framework names the first operator with an inf or a nan
  ladder,          ///< one value of a ladder
  everything,
  runnable,
  signature,  ///< ends after its first steps, which are compared with those of other trials
  search,
  measurement,
  certificate,
  proof,  ///< a claim of the finished answer once more, at full length and without a grey zone
  other_fix,
  control,  ///< what the finished answer predicts, once more at the end of the run
  watched,  ///< the subject as it is, looked at as it is while suspects are neutralised
  soak,     ///< the fix, for longer than a trial
  by_hand   ///< a set that a person named
};

/// Of what a trial's verdict speaks.
enum class Speaks {
  of_nothing,  ///< of no set in a trial's setting
  of_subject,  ///< of the subject, but a set's verdict is taken from others
  of_set
};

enum Trait : unsigned {
  kJudged = 1,
  kInSearch = 2,    ///< asked for by a search, or in place of one
  kEvidence = 4,    ///< its verdict is told to the search
  kReadAgain = 8,   ///< by a resumed run: its curves themselves are used
  kManyPerSet = 16  ///< several trials of one set are told apart by their reasons
};

struct RoleTraits {
  std::string_view word;   ///< in the journal and in reports
  std::string_view phase;  ///< what the first of its kind is announced as; "{}" stands for the number of suspects
  Speaks speaks;
  unsigned traits;  ///< Trait, or-ed
  /// A crash is retried where it would itself be taken for an answer: when looking for suspects that break the run and for
  /// the certificate. Without the ends and the proofs there is no answer at all. Elsewhere the search just goes around it.
  int crash_retries;
  std::optional<strategies::Purpose> purpose = std::nullopt;  ///< of the search's trials that have this role
};

const RoleTraits& traits_of(Role role);
bool is(Role role, Trait trait);
std::string_view name_of(Role role);
Role role_of(strategies::Purpose purpose);

}  // namespace bisectd::reports
