// What a run has come to know so far. Each part of the loop adds to it what it found out; the record is made from it and
// from the trials. Decisions read the state. Exceptions: other fixes and pruning look up step times, verdicts and what was
// tried in the record; the exit code is the record's outcome.
#pragma once

#include <filesystem>
#include <optional>

#include "driver/judge/jury.hpp"
#include "driver/neutralise/catalogue.hpp"
#include "driver/record/history.hpp"
#include "strategies/answer.hpp"

namespace bisectd::driver {

struct RunState {
  History past;                             ///< what an earlier bisectd did here; empty for a new run
  std::optional<judge::Jury> jury;          ///< once the reference is measured; never where the subject must only run
  std::filesystem::path reference_attempt;  ///< folder of a whole run of it; empty for a recorded one
  neutralise::Catalogue catalogue;          ///< once the suspects are listed
  neutralise::Rungs rungs;                  ///< the value that neutralises each ladder, once it is climbed
  strategies::Answer answer;                ///< of the search, as it stands
  bool concluded = false;                   ///< this bisectd came to the end of the run and journaled it
};

}  // namespace bisectd::driver
