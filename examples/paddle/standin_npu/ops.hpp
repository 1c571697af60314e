// The table of operators that the stand-in has a kernel for.  One entry an operator, shared by its float32 and float16
// kernels. Knows names and faults; knows nothing of tensors.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "faults.hpp"
#include "rounding.hpp"

namespace standin {

// What an error is measured against.
enum class Spoils {
  value,   // the output itself
  change,  // the difference that the operator made to its output: an optimizer with relative 0.1 takes 10 % longer steps
};

struct Errors {
  Rounds rounds = Rounds::number;
  Spoils spoils = Spoils::value;
};

struct Op {
  std::string phi_name;    // as kernels are registered: matmul
  std::string fluid_name;  // as CUSTOM_DEVICE_BLACK_LIST takes it in dygraph: matmul_v2
  Errors errors;
  Rounder rounder;             // set at the first call
  std::atomic<long> calls{0};  // on the device, in this process
  std::vector<Fault> faults;   // those planted in the file, before their conditions are looked at
};

class Ops {
 public:
  static Ops& instance();

  // The entry of that phi name; made on first use, while the library is being loaded.
  Op& add(const std::string& phi_name);

  // By either name.  The fluid name goes first, because it is what the black list of a dygraph run compares.
  Op* find(const std::string& name);

  std::vector<std::string> names() const;

 private:
  std::vector<std::unique_ptr<Op>> all_;
};

}  // namespace standin
