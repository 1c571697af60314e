// One call of an operator as its rounding sees it. Knows the operators of ATen; the arithmetic is that of ../paddle.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../paddle/standin_npu/rounding.hpp"

namespace {

// Operators go by their names without overload, and in place they go by their names without the underscore.
inline standin::Rounds rounds_of(std::string name) {
  using standin::Rounds;
  static const std::map<std::string, Rounds> known = [] {
    std::map<std::string, Rounds> known;
    const auto all = [&](Rounds rounds, const char* names) {
      std::istringstream words(names);
      for (std::string word; words >> word;) known[word] = rounds;
    };
    all(Rounds::never,
        "clone copy _to_copy cat stack index_select gather index index_put scatter embedding masked_fill where relu "
        "threshold_backward clamp clamp_min clamp_max max min amax amin maximum minimum sort topk zeros_like ones_like fill "
        "zero set "
        "full ones zeros arange empty empty_strided resize constant_pad_nd max_pool2d_with_indices abs neg sign floor ceil "
        "round flip roll repeat uniform normal bernoulli random randn rand randperm tril triu upsample_nearest2d "
        "select_backward slice_backward max_pool2d_with_indices_backward _local_scalar_dense");
    all(Rounds::tensor,
        "cumsum native_layer_norm native_batch_norm native_group_norm _log_softmax _log_softmax_backward_data "
        "embedding_dense_backward avg_pool2d _adaptive_avg_pool2d index_add scatter_add lstm gru");
    all(Rounds::sum, "sum native_layer_norm_backward native_batch_norm_backward native_group_norm_backward");
    all(Rounds::mean, "mean");
    all(Rounds::product,
        "mm addmm bmm baddbmm addmv mv dot convolution convolution_overrideable convolution_backward "
        "convolution_backward_overrideable");
    return known;
  }();
  if (name.size() > 1 && name.back() == '_') name.pop_back();
  const auto found = known.find(name);
  return found == known.end() ? Rounds::number : found->second;
}

class Operands {
 public:
  // Before the call, with everything on the host.
  Operands(const c10::OperatorHandle& op, const std::string& name, const torch::jit::Stack& stack)
      : name_(name), rounds_(rounds_of(name)) {
    if (rounds_ == standin::Rounds::never) return;
    const auto& arguments = op.schema().arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const c10::IValue& value = stack[stack.size() - arguments.size() + i];
      if (!value.isTensor() || !rounds(value.toTensor()) || arguments[i].is_out()) continue;
      const at::Tensor tensor = value.toTensor();
      inputs_.push_back(tensor);
      if (arguments[i].alias_info() && arguments[i].alias_info()->isWrite())
        changed_.emplace_back(tensor, tensor.clone(at::MemoryFormat::Contiguous));
    }
  }

  standin::Rounds rounds() const { return rounds_; }

  // After the call. An operator in place, as those are that optimizers are made of, is off in the change that it makes.
  void round(const standin::Rounder& rounder, std::size_t place, const at::Tensor& output) const {
    if (rounds_ == standin::Rounds::never || rounder.size == 0 || !rounds(output)) return;
    const at::Tensor dense = output.contiguous();
    auto* x = dense.data_ptr<float>();
    const auto count = static_cast<std::size_t>(dense.numel());
    const float* before = nullptr;
    for (const auto& [tensor, old] : changed_)
      if (tensor.is_same(output)) before = old.data_ptr<float>();
    double least = 0;
    if (!before && rounds_ != standin::Rounds::number) {
      const standin::Measure all = standin::measure(x, count);
      least = std::max(all.both_signs ? all.rms : 0, uncancelled(place, static_cast<double>(count)));
    }
    standin::round_off(rounder, place, static_cast<float>(least), x, before, count);
    if (!dense.is_same(output)) output.copy_(dense);
  }

 private:
  static bool rounds(const at::Tensor& tensor) {
    return tensor.defined() && tensor.scalar_type() == at::kFloat && tensor.layout() == at::kStrided && tensor.numel() > 0;
  }
  static double rms(const at::Tensor& tensor) {
    const at::Tensor dense = tensor.contiguous();
    return standin::measure(dense.data_ptr<float>(), static_cast<std::size_t>(dense.numel())).rms;
  }

  double uncancelled(std::size_t place, double count) const {
    using standin::Rounds;
    if (rounds_ == Rounds::tensor || inputs_.empty()) return 0;
    const bool backward = name_.rfind("convolution_backward", 0) == 0;  // of gradient, input and weight
    if (rounds_ == Rounds::product && !(backward && place == 2)) {
      if (inputs_.size() < 2) return 0;
      const bool two_first = name_.rfind("convolution", 0) == 0;  // the others end with them
      const at::Tensor& one = two_first ? inputs_[0] : inputs_[inputs_.size() - 2];
      const at::Tensor& other = backward && place == 0 ? inputs_[2] : two_first ? inputs_[1] : inputs_.back();
      double counts = static_cast<double>(one.numel()) * static_cast<double>(other.numel()) * count;
      return standin::uncancelled_product(rms(one), rms(other), counts, count);
    }
    const at::Tensor* added = &inputs_[0];  // the gradient comes first
    for (const auto& input : inputs_)
      if (input.numel() > added->numel()) added = &input;
    return (rounds_ == Rounds::mean ? standin::uncancelled_mean : standin::uncancelled_sum)(
        rms(*added), static_cast<double>(added->numel()), count);
  }

  std::string name_;
  standin::Rounds rounds_;
  std::vector<at::Tensor> inputs_;
  std::vector<std::pair<at::Tensor, at::Tensor>> changed_;  // what the operator writes to, and what that was before
};

}  // namespace
