// What one line of a log says about one metric: the common result of all rules.
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bisectd::driver::read {

struct Reading {
  std::optional<std::int64_t> step;  ///< absent: the line tells none; values are then counted
  std::optional<double> value;       ///< may be NaN or infinite; absent: the line holds extras only
  std::string_view kind;             ///< of the line: its text where that tells which series of several it is of
  std::string problem;               ///< not empty: the line should have held a value and does not; the rest is void

  /// Other numbers on the line, by the name of their series.
  struct Extra {
    std::string_view series;
    double value = 0;
  };
  boost::container::static_vector<Extra, 3> extras;
};

}  // namespace bisectd::driver::read
