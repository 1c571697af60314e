// What a run has come to know so far. Each part of the loop adds to it what it found out, decisions are made from it, and
// the record for people is derived from it (run_record.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/judge/jury.hpp"
#include "driver/loop/trials_left.hpp"
#include "driver/neutralise/catalogue.hpp"
#include "driver/record/history.hpp"
#include "strategies/answer.hpp"

namespace bisectd::driver {

/// What an attempt that runs has logged so far of the metric that decides.
struct LoggedSoFar {
  std::optional<std::int64_t> last_step;
  std::optional<double> last_value, delta;
  reports::Line curve;  ///< thinned; empty where the log is followed and drawn at its end
};

struct RunState {
  History history;                          ///< the journal, each line of it taken in as it is written
  std::optional<judge::Jury> jury;          ///< once the reference is measured; never where the subject must only run
  std::filesystem::path reference_attempt;  ///< folder of a whole run of it; empty for a recorded one
  neutralise::Catalogue catalogue;          ///< once the suspects are listed
  SeenNames as_is_names;                    ///< what the subject as it is logged of suspects
  bool exact = false;                       ///< the search may take verdicts for exact
  std::set<std::string> asked_watched;      ///< families of which is known whether looking at the subject mends it
  neutralise::Rungs rungs;                  ///< the value that neutralises each ladder, once it is climbed
  strategies::Answer answer;                ///< of the search, as it stands
  std::optional<strategies::Answer> before_descent;             ///< of the search before the one among parts
  std::vector<std::vector<strategies::SuspectId>> other_fixes;  ///< minimal sets beside the culprit set, by price
  std::optional<Conclusion> conclusion;  ///< once it is drawn; in the journal when the run is at its end
  bool concluded = false;                ///< this bisectd came to the end of the run and journaled it

  // For the eye alone.
  TrialsLeft trials_left;  ///< shown in place of the range in `answer`
  reports::Comparison comparison;
  std::vector<std::string> changes;                   ///< of versions, since the baseline
  std::vector<std::string> warnings;                  ///< that a reader of the result must know
  std::vector<std::string> agreed_checks;             ///< names: both sides were given the same there
  std::set<std::size_t> open;                         ///< numbers of the trials under way
  std::map<std::string, LoggedSoFar> running;         ///< attempts under way, by folder
  std::map<std::string, reports::Line> logged_lines;  ///< thinned curves of attempts that ended, by folder
};

}  // namespace bisectd::driver
