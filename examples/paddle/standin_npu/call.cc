#include "call.hpp"

#include <algorithm>
#include <cstring>

#include "host_tensor.hpp"

namespace standin {
namespace {

phi::DenseTensorMeta widened(phi::DenseTensorMeta meta, bool half) {
  if (half && meta.dtype == phi::DataType::FLOAT16) meta.dtype = phi::DataType::FLOAT32;
  return meta;
}

bool holds_data(const phi::DenseTensor& tensor) {
  return tensor.initialized() && tensor.meta().valid() &&
         tensor.capacity() >= tensor.meta().offset + tensor.numel() * phi::SizeOf(tensor.dtype());
}

bool noise_on(const Op& op) {
  const auto& ops = plan().noise.ops;
  return std::find(ops.begin(), ops.end(), op.fluid_name) != ops.end();
}

// Conditions hang on the environment alone, so one look, at the first call, is enough.
void drop_idle_faults(Op& op) {
  op.faults.erase(std::remove_if(op.faults.begin(), op.faults.end(), [](const Fault& f) { return !holds(f); }),
                  op.faults.end());
}

}  // namespace

Call::Call(const phi::CustomContext& device, Op& op, bool half)
    : device_(device), op_(op), half_(half), number_(++op.calls) {
  static const bool armed = (arm_exit(), true);
  static_cast<void>(armed);
  if (number_ == 1) drop_idle_faults(op_);
  for (const auto& fault : op_.faults) interrupt(fault, op_.fluid_name, number_);
}

phi::DenseTensor Call::view(const phi::DenseTensor& tensor) const {
  if (tensor.initialized())
    return half_ && tensor.dtype() == phi::DataType::FLOAT16 ? to_float32(tensor) : host_view(tensor);
  // On a device named npu, Paddle's memory optimisation hands some backward operators an input without memory: only its shape
  // is used.
  if (tensor.meta().valid()) return host_zeros(widened(tensor.meta(), half_));
  return phi::DenseTensor();
}

const phi::DenseTensor& Call::input(const phi::DenseTensor& tensor) {
  tensors_.push_back(view(tensor));
  return tensors_.back();
}

phi::DenseTensor* Call::output(phi::DenseTensor* real) {
  if (!real) return nullptr;
  const bool rounds = half_ && real->meta().valid() && real->dtype() == phi::DataType::FLOAT16;
  Output output{real, nullptr, {}, rounds};
  if (holds_data(*real)) {
    // An operator may update in place (running statistics, optimizers): the CPU kernel starts from what is there.
    tensors_.push_back(rounds ? to_float32(*real) : host_copy(*real));
    const phi::DenseTensor& start = tensors_.back();
    if (op_.spoils == Spoils::change && start.dtype() == phi::DataType::FLOAT32) {
      const auto* first = static_cast<const float*>(start.data());
      output.before.assign(first, first + start.numel());
    }
  } else {
    tensors_.emplace_back();
    const phi::DenseTensorMeta meta = widened(real->meta(), half_);
    if (meta.valid()) tensors_.back().set_meta(meta);
  }
  output.computed = &tensors_.back();
  outputs_.push_back(std::move(output));
  return outputs_.back().computed;
}

void Call::spoil_output(Output& output) {
  phi::DenseTensor& computed = *output.computed;
  if (computed.dtype() != phi::DataType::FLOAT32) return;
  auto* x = static_cast<float*>(computed.data());
  const auto count = static_cast<std::size_t>(computed.numel());
  const float* before = output.before.size() == count && count > 0 ? output.before.data() : nullptr;
  if (noise_on(op_)) add_noise(plan().noise, x, before, count);
  for (const auto& fault : op_.faults)
    if (strikes(fault, op_.fluid_name, number_)) spoil(fault, number_, x, before, count);
}

void Call::hand_back() {
  for (auto& output : outputs_) {
    phi::DenseTensor& computed = *output.computed;
    if (!computed.initialized()) continue;
    spoil_output(output);
    if (output.rounds && computed.dtype() == phi::DataType::FLOAT32) computed = to_float16(computed);
    output.real->set_meta(computed.meta());
    device_.Alloc(output.real, computed.dtype());
    const std::size_t bytes = computed.numel() * phi::SizeOf(computed.dtype());
    if (bytes > 0) std::memcpy(output.real->data(), computed.data(), bytes);
  }
}

}  // namespace standin
