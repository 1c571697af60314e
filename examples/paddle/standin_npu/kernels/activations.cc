// Activations, forward and backward.
#include "../forward.hpp"
#include "paddle/phi/kernels/activation_kernel.h"
#include "paddle/phi/kernels/activation_grad_kernel.h"
#include "paddle/phi/kernels/gelu_kernel.h"
#include "paddle/phi/kernels/gelu_grad_kernel.h"

ON_NPU(relu, ReluKernel, never)
ON_NPU(relu_grad, ReluGradKernel, never)
ON_NPU(gelu, GeluKernel, number)
ON_NPU(gelu_grad, GeluGradKernel, number)
ON_NPU(sigmoid, SigmoidKernel, number)
ON_NPU(sigmoid_grad, SigmoidGradKernel, number)
ON_NPU(tanh, TanhKernel, number)
ON_NPU(tanh_grad, TanhGradKernel, number)
ON_NPU(hardswish, HardSwishKernel, number)
ON_NPU(hardswish_grad, HardSwishGradKernel, number)
ON_NPU(hardsigmoid, HardSigmoidKernel, number)
ON_NPU(hardsigmoid_grad, HardSigmoidGradKernel, number)
ON_NPU(silu, SiluKernel, number)
ON_NPU(silu_grad, SiluGradKernel, number)
ON_NPU(swish, SwishKernel, number)
ON_NPU(swish_grad, SwishGradKernel, number)
ON_NPU(leaky_relu, LeakyReluKernel, number)
ON_NPU(leaky_relu_grad, LeakyReluGradKernel, number)
ON_NPU(relu6, Relu6Kernel, never)
ON_NPU(relu6_grad, Relu6GradKernel, never)
