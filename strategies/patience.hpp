// Is the same set worth another trial, is the search worth any, or does nothing run any more? The one place that counts what
// was asked in vain.
#pragma once

#include <algorithm>
#include <cstddef>

#include "strategies/evidence_log.hpp"

namespace bisectd::strategies {

/// Whether another trial of a set that neither passed nor failed so far may decide it. `entry`: null if it was never told.
bool worth_asking(const EvidenceLog& log, const LogEntry* entry);

/// Whether the noise hides the answer of this set, so that nothing but more trials can tell: it runs, and was judged as
/// often as worth_asking() allows.
bool hidden_by_noise(const EvidenceLog& log, const LogEntry* entry);

/// Whether verdicts that are never wrong say of one set both that it passes and that it fails, and more of them may tell.
bool is_disputed(const EvidenceLog& log, const LogEntry& entry);

/// Whether another trial of one side of a contradiction may give it up.
bool worth_settling(const EvidenceLog& log, const LogEntry& entry);

/// Whether noise leaves this end open after so many trials that the search goes on without its verdict: other trials show it
/// as well.
bool may_stay_open(const EvidenceLog& log, const LogEntry& end);

/// Whether the last trials, with so many slots, said nothing, or hardly anything, for so long that the next would not
/// either. `known`: a set that is asked only to see whether anything runs at all; it does not count.
bool all_is_silent(const EvidenceLog& log, std::size_t slots, const LogEntry* known);

/// So many sets in a row that said nothing are enough for an engine that another one can go on from.
std::size_t most_silent_sets(std::size_t slots);

/// Do runs break because of what is neutralised in them, or does nothing run any more? A set that is known to run is asked
/// in between, and tells the two apart.
class Outage {
 public:
  /// Takes in one trial: whether it was the set known to run, and whether it came to its end. True if an outage ended
  /// with it: what broke since the last trial that ran shows nothing.
  bool tell(bool known_to_run, bool ran) {
    const bool was_on = on_;
    if (ran) {
      on_ = false;
      due_ = known_to_run && !was_on ? kPatience * std::max(due_, broken_) : kSuspicious;
      if (!known_to_run || was_on) broken_ = 0;
      return was_on;
    }
    on_ = on_ || (known_to_run && broken_ >= due_);
    if (!known_to_run) ++broken_;
    return false;
  }

  /// So many trials broke in a row that the set known to run should be asked.
  bool check_due() const { return on_ || broken_ >= due_; }
  /// It broke as well.
  bool on() const { return on_; }

 private:
  static constexpr std::size_t kSuspicious = 8;  // one chance in 10^8 where a tenth of the sets breaks
  static constexpr std::size_t kPatience = 4;    // that often as many must break once it is known that something runs

  std::size_t broken_ = 0;  // in a row
  std::size_t due_ = kSuspicious;
  bool on_ = false;
};

}  // namespace bisectd::strategies
