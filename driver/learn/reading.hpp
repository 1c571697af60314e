// How a metric is read from a log: found out from one log, followed in others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "driver/learn/log_kinds.hpp"

namespace bisectd::driver::learn {

/// Why a log is not read: no value is there, or two readings are as likely, and neither is taken.
class Refusal : public std::runtime_error {
 public:
  enum Why { nothing, ambiguous };
  Refusal(Why why, const std::string& reason) : std::runtime_error(reason), why_(why) {}
  bool is_ambiguous() const { return why_ == ambiguous; }

 private:
  Why why_;
};

struct Reading {
  std::string metric;           ///< key of the value
  std::set<std::string> keys;   ///< that a line must have
  std::string step;             ///< key of the step; empty: the values are counted
  bool step_elsewhere = false;  ///< in another line, before the value's
  std::int64_t of = 0;          ///< the count in that line: 13080 of 10/13080
  std::string epoch;            ///< key of the epoch, if the step begins again with each
  bool begins_again = false;    ///< the step does, and no number of the line tells the epoch
  std::int64_t steps_of_epoch = 0;
  std::int64_t first_epoch = 0;
  std::size_t lines_of_value = 1;  ///< where values are counted: each is logged so many times
  std::string process_key;         ///< set if lines of several processes are there, and one is read
  std::int64_t process = 0;
  std::set<std::string> signs;                 ///< of the kinds of lines that are read
  std::map<std::string, std::string> refused;  ///< why others that have the metric are not, by sign
  std::string line;                            ///< the first one that is read; foreign text
};

struct LogPoint {
  std::int64_t step = 0;
  Value value;
  std::int64_t line = 0;  ///< its place in the log
};

/// What a reading finds in a log.
struct Found {
  Reading reading;
  std::vector<LogPoint> points;                               ///< one for each step; the last one of several counts
  std::vector<std::pair<std::size_t, std::string>> left_out;  ///< lines, "of validation"
  std::vector<std::string> notes;
};

/// Finds out how `metric` is read. Throws Refusal.
Found learn(const LogKinds& log, const std::string& metric);

/// What a reading that was learnt from another log, or from the same one when it was shorter, finds in this one.
Found follow(const Reading& reading, const LogKinds& log);

/// Another number of the lines that are read, at the steps of their values: the first key that ends with one of `names`.
std::vector<LogPoint> beside(const Reading& reading, const LogKinds& log, const std::vector<std::string>& names);

/// `read 60 values of loss, steps 1 to 60, from lines like "..."; left out: 12 lines of validation`. Foreign text in it.
std::string said(const Found& found);

}  // namespace bisectd::driver::learn
