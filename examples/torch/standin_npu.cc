// A device for PyTorch that computes like the CPU except for its rounding and where a fault is planted: memory of the
// device is host memory, and every operator runs the CPU's kernel on it. Made as a backend outside PyTorch is (dispatch
// key PrivateUse1), so that whatever works on the device of torch_npu is tried on the same machinery. Knows nothing of
// bisectd.
//
// STANDIN_NPU_FAULTS="gelu*1.05;native_batch_norm_backward*1.2;mul*1.01&relu": the floating outputs of an operator, and what
// one writes that returns nothing, are multiplied by a factor; after & an operator that must have run on the device before,
// else the fault sleeps. "rounding=1e-6" and "products=3e-4" among them: how coarsely it rounds; STANDIN_NPU_MAKE: which
// make of device it is. Both as in ../paddle/README.md, with the same arithmetic.
#include <ATen/ATen.h>
#include <ATen/NativeFunctions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>

#include "../paddle/standin_npu/rounding.hpp"
#include "operands.hpp"

namespace {

constexpr auto kDevice = c10::DeviceType::PrivateUse1;
using Stack = torch::jit::Stack;

struct Fault {
  double factor = 1;
  std::string with;  // an operator that must have run on the device; empty: none
};

class Faults {
 public:
  Faults() {
    const char *text = std::getenv("STANDIN_NPU_FAULTS"), *make = std::getenv("STANDIN_NPU_MAKE");
    if (make) make_ = make;
    std::istringstream all(text ? text : "");
    for (std::string one; std::getline(all, one, ';');) {
      if (const std::string crash = "crash="; one.compare(0, crash.size(), crash) == 0) {
        crashes_.insert(one.substr(crash.size()));
        continue;
      }
      if (const auto is = one.find('='); is != std::string::npos) {
        (one.substr(0, is) == "products" ? rounding_.products : rounding_.size) = std::stod(one.substr(is + 1));
        continue;
      }
      const auto star = one.find('*'), with = one.find('&');
      faults_[one.substr(0, star)] = {std::stod(one.substr(star + 1, with - star - 1)),
                                      with == std::string::npos ? "" : one.substr(with + 1)};
    }
  }
  // Ends the process if this operator is one that does.
  void crash_at(const std::string& op) const {
    if (!crashes_.count(op)) return;
    std::fprintf(stderr, "standin-npu: %s crashes, as planted\n", op.c_str());
    std::abort();
  }
  // The factor for an operator that runs now on the device.
  double factor(const std::string& op) {
    const std::lock_guard lock(mutex_);
    ran_.insert(op);
    const auto fault = faults_.find(op);
    if (fault == faults_.end() || (!fault->second.with.empty() && !ran_.count(fault->second.with))) return 1;
    return fault->second.factor;
  }

  const standin::Rounder& rounder(const std::string& op, standin::Rounds rounds) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = rounders_.try_emplace(op);
    if (is_new) {
      const bool product = rounds == standin::Rounds::product && rounding_.products > 0;
      known->second = standin::rounder(make_, 1, op, product ? rounding_.products : rounding_.size);
    }
    return known->second;
  }

 private:
  std::string make_ = "npu";
  standin::Rounding rounding_;
  std::map<std::string, standin::Rounder> rounders_;
  std::map<std::string, Fault> faults_;
  std::set<std::string> crashes_;
  std::set<std::string> ran_;
  std::mutex mutex_;
};

Faults& faults() {
  static Faults all;
  return all;
}

// A tensor of `device` over the memory of another one, which lives as long as this does.
at::Tensor alias(const at::Tensor& tensor, c10::Device device) {
  if (!tensor.defined()) return tensor;
  auto* owner = new c10::Storage(tensor.storage());
  c10::DataPtr data(
      owner->mutable_data(), owner, [](void* p) { delete static_cast<c10::Storage*>(p); }, device);
  c10::Storage storage(c10::Storage::use_byte_size_t(), owner->nbytes(), std::move(data), nullptr, false);
  const auto key = device.type() == kDevice ? c10::DispatchKey::PrivateUse1 : c10::DispatchKey::CPU;
  at::Tensor result = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), tensor.dtype());
  result.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  return result;
}

at::Tensor on_host(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == kDevice ? alias(tensor, c10::kCPU) : tensor;
}

// What an argument becomes on the host; the pairs remember which device tensor a host tensor stands for.
struct Moved {
  std::vector<std::pair<at::Tensor, at::Tensor>> pairs;  // host, device

  at::Tensor down(const at::Tensor& tensor) {
    const at::Tensor host = on_host(tensor);
    if (host.defined() && !host.is_same(tensor)) pairs.emplace_back(host, tensor);
    return host;
  }
  c10::IValue down(const c10::IValue& value) {
    if (value.isTensor()) return down(value.toTensor());
    if (value.isDevice()) return c10::Device(c10::kCPU);
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(down(tensor));
      return list;
    }
    if (value.isOptionalTensorList()) {
      c10::List<c10::optional<at::Tensor>> list;
      for (const c10::optional<at::Tensor> tensor : value.toOptionalTensorList())
        list.push_back(tensor ? c10::optional<at::Tensor>(down(*tensor)) : c10::nullopt);
      return list;
    }
    return value;
  }
  at::Tensor up(const at::Tensor& host, double factor) {
    if (!host.defined()) return host;
    if (factor != 1 && host.is_floating_point()) host.mul_(factor);
    for (const auto& [down, device] : pairs)
      if (down.is_same(host)) return device;
    return alias(host, c10::Device(kDevice, 0));
  }
  c10::IValue up(const c10::IValue& value, double factor) {
    if (value.isTensor()) return up(value.toTensor(), factor);
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(up(tensor, factor));
      return list;
    }
    return value;
  }
};

// Convolutions of a device outside PyTorch have names of their own, which have no kernel on the CPU.
void call_on_host(const c10::OperatorHandle& op, const std::string& name, Stack* stack) {
  const auto call = [stack](const char* other) {
    c10::Dispatcher::singleton().findSchemaOrThrow(other, "").callBoxed(stack);
  };
  if (name == "convolution_overrideable") return call("aten::convolution");
  if (name != "convolution_backward_overrideable") return op.callBoxed(stack);
  const at::Tensor gradient = (*stack)[stack->size() - op.schema().arguments().size()].toTensor();
  stack->insert(stack->end() - 7, c10::IValue(std::vector<int64_t>{gradient.size(1)}));  // the shape of the bias
  call("aten::convolution_backward");
}

void run_on_host(const c10::OperatorHandle& op, Stack* stack) {
  const auto& schema = op.schema();
  const std::string name = schema.name().substr(schema.name().find("::") + 2);
  faults().crash_at(name);
  Moved moved;
  const std::size_t first = stack->size() - schema.arguments().size();
  for (std::size_t i = first; i < stack->size(); ++i) (*stack)[i] = moved.down((*stack)[i]);
  std::vector<c10::IValue> written;  // by an operator that returns nothing
  for (std::size_t i = 0; schema.returns().empty() && i < schema.arguments().size(); ++i)
    if (const auto* alias = schema.arguments()[i].alias_info(); alias && alias->isWrite())
      written.push_back((*stack)[first + i]);
  const Operands operands(op, name, *stack);
  call_on_host(op, name, stack);
  const standin::Rounder& rounder = faults().rounder(name, operands.rounds());
  const double factor = faults().factor(name);
  for (const c10::IValue& value : written) moved.up(value, factor);
  const std::size_t results = stack->size() - schema.returns().size();
  for (std::size_t i = results; i < stack->size(); ++i) {
    if ((*stack)[i].isTensor()) operands.round(rounder, i - results, (*stack)[i].toTensor());
    (*stack)[i] = moved.up((*stack)[i], factor);
  }
}

at::Tensor& copy_(at::Tensor& self, const at::Tensor& source, bool) {
  at::Tensor to = on_host(self);
  to.copy_(on_host(source));
  return self;
}

at::Tensor as_strided(const at::Tensor& self, at::IntArrayRef size, at::IntArrayRef stride, c10::optional<int64_t> offset) {
  return at::native::as_strided_tensorimpl(self, size, stride, offset);
}
at::Tensor view(const at::Tensor& self, at::IntArrayRef size) { return at::native::view(self, size); }
at::Tensor reshape_alias(const at::Tensor& self, at::IntArrayRef size, at::IntArrayRef stride) {
  return at::native::_reshape_alias(self, size, stride);
}
at::Scalar local_scalar(const at::Tensor& self) { return on_host(self).item(); }

// One device with one stream.
struct Guard final : c10::impl::DeviceGuardImplInterface {
  Guard() = default;
  explicit Guard(c10::DeviceType) {}
  c10::DeviceType type() const override { return kDevice; }
  c10::Device getDevice() const override { return {kDevice, 0}; }
  c10::Device exchangeDevice(c10::Device) const override { return getDevice(); }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::Stream getStream(c10::Device device) const noexcept override { return c10::Stream(c10::Stream::DEFAULT, device); }
  c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>()); }

// PyTorch has kernels of its own for these, which say that the device must bring one.
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("convolution_overrideable", torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
  m.impl("convolution_backward_overrideable", torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}

// Views share memory and are nothing to compute; a copy of them would not be a view.
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("copy_", copy_);
  m.impl("as_strided", as_strided);
  m.impl("view", view);
  m.impl("_reshape_alias", reshape_alias);
  m.impl("_local_scalar_dense", local_scalar);
}

}  // namespace
