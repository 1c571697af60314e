// Why a log is not read: no value is there, or two readings are as likely, and neither is taken.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bisectd::driver::learn {

/// What could be meant.
struct Candidate {
  std::string metric;      ///< the key of its values
  std::size_t values = 0;  ///< 0: not counted
  std::string line;        ///< the first one; foreign text
};

class Refusal : public std::runtime_error {
 public:
  /// Without candidates: there is nothing to read.
  explicit Refusal(const std::string& reason, std::vector<Candidate> candidates = {})
      : std::runtime_error(reason), candidates_(std::move(candidates)) {}
  const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  std::vector<Candidate> candidates_;
};

}  // namespace bisectd::driver::learn
