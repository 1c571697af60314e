// The part of registering a kernel that needs no template.
#pragma once

#include "ops.hpp"
#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_factory.h"

namespace standin {

// The float32 kernel that every device kernel forwards to; null if Paddle has none.
const phi::Kernel* find_cpu_kernel(const char* phi_name);

const phi::CPUContext& cpu_context();

// The device's name in Paddle: npu, or what STANDIN_NPU_TYPE says, to play another custom device.
const char* device_type();

phi::KernelKey npu_key(phi::DataType type);

// Ends the process when the signature is not that of the CPU kernel: a call through a wrong one would be undefined.
void register_kernel(const char* phi_name, const phi::KernelKey& key, phi::Kernel& npu_kernel, Errors errors);

}  // namespace standin
