#include "call.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "hash.hpp"
#include "host_tensor.hpp"
#include "registration.hpp"

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

Rounder rounder_of(const Op& op) {
  const Rounding& rounding = plan().rounding;
  const bool product = op.errors.rounds == Rounds::product && rounding.products > 0;
  const char* make = std::getenv("STANDIN_NPU_MAKE");
  return rounder(make ? make : "npu", plan().seed, op.fluid_name, product ? rounding.products : rounding.size);
}

double count_of(const phi::DenseTensor& tensor) { return static_cast<double>(tensor.numel()); }

double rms_of(const phi::DenseTensor& tensor) {
  if (!tensor.initialized() || tensor.dtype() != phi::DataType::FLOAT32) return 0;
  return measure(static_cast<const float*>(tensor.data()), static_cast<std::size_t>(tensor.numel())).rms;
}

// Empty for numbers of another type.
std::vector<float> floats_of(const phi::DenseTensor& tensor) {
  if (tensor.dtype() != phi::DataType::FLOAT32) return {};
  const auto* first = static_cast<const float*>(tensor.data());
  return {first, first + tensor.numel()};
}

}  // namespace

Call::Call(const phi::CustomContext& device, Op& op, bool half)
    : device_(device), op_(op), half_(half), number_(++op.calls), rounds_(op.errors.rounds) {
  static const bool armed = (arm_exit(), true);
  static_cast<void>(armed);
  if (number_ == 1) {
    drop_idle_faults(op_);
    op_.rounder = rounder_of(op_);
  }
  for (const auto& fault : op_.faults) interrupt(fault, op_.fluid_name, number_);
  if (plan().own_masks && (op_.phi_name == "dropout" || op_.phi_name == "rnn")) {
    auto* generator = cpu_context().GetGenerator();
    cpu_numbers_ = std::make_unique<phi::Generator::GeneratorState>(generator->GetState());
    const std::uint64_t seed = mix(op_.rounder.key ^ mix(cpu_numbers_->seed) ^ mix(static_cast<std::uint64_t>(number_)));
    generator->SetState({cpu_numbers_->device, seed});
  }
}

Call::~Call() {
  if (cpu_numbers_) cpu_context().GetGenerator()->SetState(*cpu_numbers_);
}

phi::DenseTensor Call::view(const phi::DenseTensor& tensor) const {
  if (tensor.initialized())
    return half_ && tensor.dtype() == phi::DataType::FLOAT16 ? to_float32(tensor) : host_view(tensor);
  // On a device named npu, Paddle's memory optimisation hands some backward operators an input without memory: only its
  // shape is used.
  if (tensor.meta().valid()) return host_zeros(widened(tensor.meta(), half_));
  return phi::DenseTensor();
}

const phi::DenseTensor& Call::input(const phi::DenseTensor& tensor) {
  tensors_.push_back(view(tensor));
  inputs_.push_back(&tensors_.back());
  return tensors_.back();
}

phi::DenseTensor* Call::output(phi::DenseTensor* real) {
  const std::size_t place = output_places_++;
  if (!real) return nullptr;
  const bool rounds = half_ && real->meta().valid() && real->dtype() == phi::DataType::FLOAT16;
  Output output{real, nullptr, {}, place, rounds};
  if (holds_data(*real)) {
    // An operator may update in place (running statistics, optimizers): the CPU kernel starts from what is there.
    tensors_.push_back(rounds ? to_float32(*real) : host_copy(*real));
    const phi::DenseTensor& start = tensors_.back();
    if (op_.errors.spoils == Spoils::change) output.before = floats_of(start);
  } else {
    tensors_.emplace_back();
    const phi::DenseTensorMeta meta = widened(real->meta(), half_);
    if (meta.valid()) tensors_.back().set_meta(meta);
  }
  output.computed = &tensors_.back();
  outputs_.push_back(std::move(output));
  return outputs_.back().computed;
}

double Call::uncancelled(const Output& output) const {
  const double count = count_of(*output.computed);
  if (rounds_ == Rounds::product) {
    if (inputs_.size() < 2) return 0;
    const phi::DenseTensor *one = inputs_[0], *other = inputs_[1];
    double counts = count_of(*one) * count_of(*other);
    if (inputs_.size() == 2) {
      counts *= count;
    } else {  // two factors and the gradient of their product: the gradient of each is a product with the other
      counts *= count_of(*inputs_[2]);
      if (output.place == 0) one = other;
      other = inputs_[2];
    }
    return uncancelled_product(rms_of(*one), rms_of(*other), counts, count);
  }
  const phi::DenseTensor* added = nullptr;  // in a backward operator, the gradient is the last of the large inputs
  for (const auto* input : inputs_)
    if (input->dtype() == phi::DataType::FLOAT32 && (!added || input->numel() >= added->numel())) added = input;
  if (!added) return 0;
  return (rounds_ == Rounds::mean ? uncancelled_mean : uncancelled_sum)(rms_of(*added), count_of(*added), count);
}

void Call::round_output(Output& output) const {
  if (rounds_ == Rounds::never || op_.rounder.size == 0) return;
  auto* x = static_cast<float*>(output.computed->data());
  const auto count = static_cast<std::size_t>(output.computed->numel());
  if (count == 0) return;
  double least = 0;
  if (rounds_ != Rounds::number) {
    const Measure all = measure(x, count);
    if (all.both_signs) least = all.rms;
    if (rounds_ != Rounds::tensor) least = std::max(least, uncancelled(output));
  }
  const bool of_change = output.before.size() == count;
  round_off(op_.rounder, output.place, static_cast<float>(least), x, of_change ? output.before.data() : nullptr, count);
}

void Call::report_overflow(Output& output) const {
  for (const auto& fault : op_.faults)
    if (fault.overflow_at_call == number_) static_cast<bool*>(output.computed->data())[0] = true;
}

void Call::spoil_output(Output& output) {
  phi::DenseTensor& computed = *output.computed;
  if (computed.dtype() == phi::DataType::BOOL && computed.numel() == 1) report_overflow(output);
  if (computed.dtype() != phi::DataType::FLOAT32) return;
  auto* x = static_cast<float*>(computed.data());
  const auto count = static_cast<std::size_t>(computed.numel());
  round_output(output);
  const float* before = output.before.size() == count && count > 0 ? output.before.data() : nullptr;
  if (noise_on(op_)) add_noise(plan().noise, x, before, count);
  for (const auto& fault : op_.faults)
    if (strikes(fault, op_.fluid_name, number_)) spoil(fault, number_, x, before, count);
}

void Call::train_master() {
  if (!half_ || op_.errors.spoils != Spoils::change || outputs_.empty()) return;
  Output &parameter = outputs_.front(), &master = outputs_.back();
  trains_master_ = parameter.rounds && !master.rounds && master.place + 1 == output_places_ && holds_data(*master.real);
  if (!trains_master_) return;
  tensors_.front() = host_view(*master.real);  // the parameter, the first argument of every optimizer
  *parameter.computed = host_copy(*master.real);
  parameter.before = floats_of(*parameter.computed);
}

void Call::hand_back() {
  phi::DenseTensor trained;  // the parameter, before it is rounded to float16
  for (auto& output : outputs_) {
    phi::DenseTensor& computed = *output.computed;
    if (!computed.initialized()) continue;
    if (trains_master_ && &output == &outputs_.back()) {
      computed = trained;
    } else {
      spoil_output(output);
    }
    if (&output == &outputs_.front()) trained = computed;
    if (output.rounds && computed.dtype() == phi::DataType::FLOAT32) computed = to_float16(computed);
    output.real->set_meta(computed.meta());
    device_.Alloc(output.real, computed.dtype());
    const std::size_t bytes = computed.numel() * phi::SizeOf(computed.dtype());
    if (bytes > 0) std::memcpy(output.real->data(), computed.data(), bytes);
  }
}

}  // namespace standin
