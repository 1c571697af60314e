// A device kernel for an operator without its arithmetic: takes the declared signature of the CPU kernel, looks the kernel
// up in Paddle's own table, and forwards.  One line registers an operator; see kernels/.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "call.hpp"
#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "registration.hpp"

namespace standin {

// How one argument of a kernel is passed on.  Attributes go through as they are.
template <class A>
struct Argument {
  static A pass(Call&, A value) { return value; }
};
template <>
struct Argument<const std::string&> {
  static const std::string& pass(Call& call, const std::string& value) {
    if (value == "max") call.selects();  // pooling: its backward looks for the number that equals the maximum
    return value;
  }
};
template <>
struct Argument<const phi::DenseTensor&> {
  static const phi::DenseTensor& pass(Call& call, const phi::DenseTensor& tensor) { return call.input(tensor); }
};
template <>
struct Argument<const paddle::optional<phi::DenseTensor>&> {
  using Optional = paddle::optional<phi::DenseTensor>;
  static const Optional& pass(Call& call, const Optional& tensor) {
    return call.keep(tensor ? Optional(call.input(*tensor)) : Optional());
  }
};
template <>
struct Argument<const std::vector<const phi::DenseTensor*>&> {
  using List = std::vector<const phi::DenseTensor*>;
  static const List& pass(Call& call, const List& tensors) {
    List views;
    for (const auto* tensor : tensors) views.push_back(&call.input(*tensor));
    return call.keep(std::move(views));
  }
};
template <>
struct Argument<const paddle::optional<std::vector<const phi::DenseTensor*>>&> {
  using List = std::vector<const phi::DenseTensor*>;
  using Optional = paddle::optional<List>;
  static const Optional& pass(Call& call, const Optional& tensors) {
    return call.keep(tensors ? Optional(Argument<const List&>::pass(call, *tensors)) : Optional());
  }
};
template <>
struct Argument<phi::DenseTensor*> {
  static phi::DenseTensor* pass(Call& call, phi::DenseTensor* tensor) { return call.output(tensor); }
};
template <>
struct Argument<std::vector<phi::DenseTensor*>> {
  using List = std::vector<phi::DenseTensor*>;
  static List pass(Call& call, List tensors) {
    for (auto& tensor : tensors) tensor = call.output(tensor);
    return tensors;
  }
};

template <class Function, const char* Name, phi::DataType Type>
struct Forward;

template <class... A, const char* Name, phi::DataType Type>
struct Forward<void (*)(const phi::CPUContext&, A...), Name, Type> {
  using CpuKernel = void (*)(const phi::CPUContext&, A...);
  using NpuKernel = void (*)(const phi::CustomContext&, A...);

  static void kernel(const phi::CustomContext& device, A... arguments) {
    static Op& op = Ops::instance().add(Name);
    static const auto cpu_kernel = find_cpu_kernel(Name)->template GetVariadicKernelFn<CpuKernel>();
    Call call(device, op, Type == phi::DataType::FLOAT16);
    // Braces, because the call must see its inputs and outputs in their order.
    const std::tuple<A...> passed{Argument<A>::pass(call, arguments)...};
    call.train_master();
    std::apply([](const auto&... one) { cpu_kernel(cpu_context(), one...); }, passed);
    call.hand_back();
  }

  explicit Forward(Errors errors) {
    constexpr NpuKernel function = &kernel;
    const phi::KernelKey key = npu_key(Type);
    phi::Kernel npu_kernel(&phi::KernelImpl<NpuKernel, function>::Compute, reinterpret_cast<void*>(function));
    phi::KernelArgsParseFunctor<NpuKernel>::Parse(key, npu_kernel.mutable_args_def());
    register_kernel(Name, key, npu_kernel, errors);
  }
};

}  // namespace standin

#define STANDIN_KERNEL(op, Signature, type, rounds, spoils)                                                            \
  namespace {                                                                                                          \
  constexpr char op##_##type[] = #op;                                                                                  \
  const standin::Forward<Signature, op##_##type, phi::DataType::type> op##_##type##_kernel({standin::Rounds::rounds,   \
                                                                                            standin::Spoils::spoils}); \
  }
#define STANDIN_TYPED(Function) decltype(&phi::Function<float, phi::CPUContext>)
#define STANDIN_UNTYPED(Function) decltype(&phi::Function<phi::CPUContext>)

// float32 and float16; rounds: one of the enum
#define ON_NPU(op, Function, rounds)                                  \
  STANDIN_KERNEL(op, STANDIN_TYPED(Function), FLOAT32, rounds, value) \
  STANDIN_KERNEL(op, STANDIN_TYPED(Function), FLOAT16, rounds, value)
// the same, for a kernel that Paddle declares without a number type
#define ON_NPU_UNTYPED(op, Function, rounds)                            \
  STANDIN_KERNEL(op, STANDIN_UNTYPED(Function), FLOAT32, rounds, value) \
  STANDIN_KERNEL(op, STANDIN_UNTYPED(Function), FLOAT16, rounds, value)
// float32 only
#define ON_NPU_FLOAT32(op, Function, rounds) STANDIN_KERNEL(op, STANDIN_TYPED(Function), FLOAT32, rounds, value)
// float32 and float16; rounding and faults are of the change of a parameter and not of its value
#define ON_NPU_UPDATING(op, Function)                                  \
  STANDIN_KERNEL(op, STANDIN_TYPED(Function), FLOAT32, number, change) \
  STANDIN_KERNEL(op, STANDIN_TYPED(Function), FLOAT16, number, change)
