// One call of one operator: lends the CPU kernel views of the device's tensors, and afterwards carries the results back,
// spoilt where a fault says so.  The device's memory is host memory, so a view copies nothing; only float16 is converted,
// because the CPU has few float16 kernels: it is widened to float32 going in and rounded coming out, so overflow and
// underflow are real.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "ops.hpp"
#include "paddle/phi/backends/custom/custom_context.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/generator.h"

namespace standin {

class Call {
 public:
  Call(const phi::CustomContext& device, Op& op, bool half);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const phi::DenseTensor& input(const phi::DenseTensor& tensor);
  phi::DenseTensor* output(phi::DenseTensor* tensor);

  template <class T>
  T& keep(T value);  // until the call is over

  void selects() { rounds_ = Rounds::never; }  // as its attributes tell, this call computes nothing new

  // Before the CPU kernel runs, once all arguments are passed. In mixed precision O2 a parameter is the float16 rounding of
  // its master in float32, which is the last output of every optimizer. CPU kernels know of none: they get the master as the
  // parameter.
  void train_master();

  // After the CPU kernel has run.
  void hand_back();

 private:
  struct Output {
    phi::DenseTensor* real;
    phi::DenseTensor* computed;
    std::vector<float> before;  // only of operators whose change is spoilt
    std::size_t place;          // among the outputs, those that are not wanted included
    bool rounds;                // the real one is float16, the computed one float32
  };

  phi::DenseTensor view(const phi::DenseTensor& tensor) const;
  void report_overflow(Output& output) const;
  void round_output(Output& output) const;
  double uncancelled(const Output& output) const;
  void spoil_output(Output& output);

  const phi::CustomContext& device_;
  Op& op_;
  const bool half_;
  const long number_;
  Rounds rounds_;
  std::deque<phi::DenseTensor> tensors_;  // a deque, so that addresses stay
  std::vector<const phi::DenseTensor*> inputs_;
  std::vector<Output> outputs_;
  std::size_t output_places_ = 0;
  bool trains_master_ = false;
  std::unique_ptr<phi::Generator::GeneratorState> cpu_numbers_;  // set aside while this call draws its own
  std::deque<std::shared_ptr<void>> kept_;
};

template <class T>
T& Call::keep(T value) {
  auto kept = std::make_shared<T>(std::move(value));
  kept_.push_back(kept);
  return *kept;
}

}  // namespace standin
