// Why a log is not read: no value is there, or two readings are as likely, and neither is taken.
#pragma once

#include <stdexcept>
#include <string>

namespace bisectd::driver::learn {

class Refusal : public std::runtime_error {
 public:
  enum Why { nothing, ambiguous };
  Refusal(Why why, const std::string& reason) : std::runtime_error(reason), why_(why) {}
  bool is_ambiguous() const { return why_ == ambiguous; }

 private:
  Why why_;
};

}  // namespace bisectd::driver::learn
