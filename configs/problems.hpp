// Collects what is wrong, so that one pass over a file finds as much as is sensible.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "configs/loader.hpp"

namespace bisectd::configs {

class Problems {
 public:
  void add(const Place& place, std::string message, std::string hint = "") {
    list_.push_back({place, std::move(message), std::move(hint)});
  }
  /// Not wrong, but likely not what was meant.
  void warn(const Place& place, std::string message) { warnings_.push_back({std::move(message), place}); }

  bool empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }
  /// Throws ConfigError if there is anything to report, in the order of the lines; `file` before presets.
  void throw_if_any(const std::string& file) {
    if (list_.empty()) return;
    std::ranges::stable_sort(list_, {}, [&](const Problem& problem) {
      const Place& place = problem.place;
      return std::tuple(place.file != file, place.file, place.line, place.column);
    });
    throw ConfigError(std::move(list_));
  }
  std::vector<Placed<std::string>> take_warnings() { return std::move(warnings_); }

 private:
  std::vector<Problem> list_;
  std::vector<Placed<std::string>> warnings_;
};

}  // namespace bisectd::configs
