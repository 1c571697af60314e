#include "registration.hpp"

#include <cstdio>
#include <cstdlib>

#include "paddle/phi/backends/context_pool.h"
#include "paddle/phi/common/backend.h"
#include "paddle/phi/core/custom_kernel.h"

namespace standin {
namespace {

bool same_signature(const phi::KernelArgsDef& a, const phi::KernelArgsDef& b) {
  if (a.input_defs().size() != b.input_defs().size() || a.output_defs().size() != b.output_defs().size() ||
      a.attribute_defs().size() != b.attribute_defs().size())
    return false;
  for (std::size_t i = 0; i < a.input_defs().size(); ++i)
    if (a.input_defs()[i].type_index != b.input_defs()[i].type_index) return false;
  for (std::size_t i = 0; i < a.attribute_defs().size(); ++i)
    if (a.attribute_defs()[i].type_index != b.attribute_defs()[i].type_index) return false;
  for (std::size_t i = 0; i < a.output_defs().size(); ++i)
    if (a.output_defs()[i].type_index != b.output_defs()[i].type_index) return false;
  return true;
}

[[noreturn]] void refuse(const char* phi_name, const char* why) {
  std::fprintf(stderr, "standin-npu: %s: %s; the stand-in was built for another version of Paddle\n", phi_name, why);
  std::_Exit(2);
}

}  // namespace

const phi::Kernel* find_cpu_kernel(const char* phi_name) {
  auto& kernels = phi::KernelFactory::Instance().kernels();
  const auto named = kernels.find(phi_name);
  if (named == kernels.end()) return nullptr;
  for (const auto& [key, kernel] : named->second)
    if (key.backend() == phi::Backend::CPU && key.layout() == phi::DataLayout::ALL_LAYOUT &&
        key.dtype() == phi::DataType::FLOAT32)
      return &kernel;
  return nullptr;
}

const phi::CPUContext& cpu_context() {
  return *static_cast<phi::CPUContext*>(phi::DeviceContextPool::Instance().Get(phi::CPUPlace()));
}

const char* device_type() {
  const char* chosen = std::getenv("STANDIN_NPU_TYPE");
  return chosen && *chosen ? chosen : "npu";
}

phi::KernelKey npu_key(phi::DataType type) {
  return phi::KernelKey(paddle::experimental::StringToBackend(device_type()), phi::DataLayout::ALL_LAYOUT, type);
}

void register_kernel(const char* phi_name, const phi::KernelKey& key, phi::Kernel& npu_kernel, Errors errors) {
  const phi::Kernel* cpu_kernel = find_cpu_kernel(phi_name);
  if (!cpu_kernel) refuse(phi_name, "Paddle has no float32 kernel for the CPU");
  if (!same_signature(npu_kernel.args_def(), cpu_kernel->args_def())) refuse(phi_name, "the signature is not Paddle's");

  // Static graphs need to know which outputs have another type than the inputs.  In float16 the call itself decides.
  const auto& cpu_outputs = cpu_kernel->args_def().output_defs();
  auto& npu_outputs = npu_kernel.mutable_args_def()->output_defs();
  for (std::size_t i = 0; i < npu_outputs.size(); ++i)
    npu_outputs[i].SetDataType(key.dtype() == phi::DataType::FLOAT16 ? phi::DataType::UNDEFINED : cpu_outputs[i].dtype);

  phi::CustomKernelMap::Instance().RegisterCustomKernel(phi_name, key, npu_kernel);
  Ops::instance().add(phi_name).errors = errors;
}

}  // namespace standin
