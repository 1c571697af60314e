#include "operator.hpp"

#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "faults.hpp"

namespace standin_cann {
namespace {

std::map<std::string, const Operator*>& table() {
  static std::map<std::string, const Operator*> table;
  return table;
}

const Plan& plan() {
  static const Plan plan = [] {
    std::vector<std::string> names;
    for (const auto& [name, one] : table()) names.push_back(name);
    return read_plan(std::getenv("STANDIN_CANN_FAULTS"), names);
  }();
  return plan;
}

standin::Rounder rounder_of(const Operator& op) {
  static const char* make = std::getenv("STANDIN_CANN_MAKE");
  const double products = op.rounds == Rounds::product ? plan().rounding.products : 0;
  return standin::rounder(make ? make : "npu", plan().seed, op.name, products > 0 ? products : plan().rounding.size);
}

standin::Measure measure(const at::Tensor& tensor) {
  const at::Tensor numbers = tensor.to(at::kFloat).contiguous();
  return standin::measure(numbers.data_ptr<float>(), static_cast<std::size_t>(numbers.numel()));
}

// What errors are measured against where a number is smaller (Rounds): numbers of a sum whose terms cancel are off by what
// the terms are. What is read is not told apart, so a sum and a mean are of operators that read one tensor of floats, and a
// product of those that read factors alone.
float least(Rounds rounds, const at::Tensor& result, std::vector<at::Tensor> terms) {
  if (rounds == Rounds::number) return 0;
  const double rms = measure(result).rms, count = static_cast<double>(result.numel());
  std::erase_if(terms, [](const at::Tensor& term) { return !term.is_floating_point() || term.numel() == 0; });
  if (rounds == Rounds::tensor || terms.empty()) return static_cast<float>(rms);
  // Of a gradient the factors are those tensors that are not like it; a bias is the smallest of three.
  const auto like =
      std::find_if(terms.begin(), terms.end(), [&](const at::Tensor& term) { return term.sizes() == result.sizes(); });
  if (terms.size() > 2 && like != terms.end()) terms.erase(like);
  std::sort(terms.begin(), terms.end(), [](const at::Tensor& a, const at::Tensor& b) { return a.numel() > b.numel(); });
  const double added = static_cast<double>(terms[0].numel()), its_rms = measure(terms[0]).rms;
  double uncancelled = 0;
  if (rounds == Rounds::sum) uncancelled = standin::uncancelled_sum(its_rms, added, count);
  if (rounds == Rounds::mean) uncancelled = standin::uncancelled_mean(its_rms, added, count);
  if (rounds == Rounds::product && terms.size() > 1)
    uncancelled = standin::uncancelled_product(its_rms, measure(terms[1]).rms,
                                               added * static_cast<double>(terms[1].numel()) * count, count);
  return static_cast<float>(std::max(rms, uncancelled));
}

void round_and_spoil(const Operator& op, long call) {
  const standin::Rounder rounder = rounder_of(op);
  const Traffic& all = traffic();
  for (std::size_t i = 0; i < all.written.size(); ++i) {
    const auto& [tensor, was] = all.written[i];
    if (!tensor.is_floating_point() || tensor.scalar_type() == at::kDouble) continue;
    const at::Tensor numbers = tensor.to(at::kFloat).contiguous();
    const at::Tensor before = was ? was->to(at::kFloat).contiguous() : at::Tensor();
    float* x = numbers.data_ptr<float>();
    const float* from = was ? before.data_ptr<float>() : nullptr;
    const auto count = static_cast<std::size_t>(numbers.numel());
    if (op.rounds != Rounds::never && rounder.size > 0)
      standin::round_off(rounder, i, least(op.rounds, numbers, all.read), x, from, count);
    for (const Fault& fault : plan().faults)
      if (fault.op == op.name) spoil(fault, plan().seed, call, x, from, count);
    if (numbers.data_ptr() != tensor.data_ptr()) tensor.copy_(numbers);
  }
}

}  // namespace

Operator::Operator(const char* name, Rounds rounds) : name(name), rounds(rounds) { table()[name] = this; }

// Kept are 11 of 24 bits; cubeMathType 1 allows HF32, 3 demands it.
at::Tensor in_hf32(const at::Tensor& factor, std::int8_t cube_math_type) {
  const int lost = plan().hf32_bits_lost;
  if (lost == 0 || (cube_math_type != 1 && cube_math_type != 3) || factor.scalar_type() != at::kFloat) return factor;
  const at::Tensor bits = factor.contiguous().view(at::kInt);
  return (bits + (1 << lost >> 1)).bitwise_and(~((1 << lost) - 1)).view(at::kFloat);
}

}  // namespace standin_cann

int aclOpExecutor::run() {
  using namespace standin_cann;
  constexpr int kInnerError = 561103;
  const std::unique_ptr<aclOpExecutor> mine(this);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const long call = ++of.calls;
  int status = 0;
  try {
    for (const Fault& fault : plan().faults)
      if (fault.op == of.name) interrupt(fault, call);
    compute();
    round_and_spoil(of, call);
  } catch (const std::exception& error) {
    // No stack of ATen's below it.
    const std::string text = error.what();
    std::fprintf(stderr, "standin-cann: %s: %s\n", of.name, text.substr(0, text.find('\n')).c_str());
    status = kInnerError;
  }
  traffic() = {};
  return status;
}
