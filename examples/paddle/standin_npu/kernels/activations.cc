// Activations, forward and backward.
#include "../forward.hpp"
#include "paddle/phi/kernels/activation_kernel.h"
#include "paddle/phi/kernels/activation_grad_kernel.h"
#include "paddle/phi/kernels/gelu_kernel.h"
#include "paddle/phi/kernels/gelu_grad_kernel.h"

ON_NPU_WITH_HALF(relu, ReluKernel)
ON_NPU_WITH_HALF(relu_grad, ReluGradKernel)
ON_NPU_WITH_HALF(gelu, GeluKernel)
ON_NPU_WITH_HALF(gelu_grad, GeluGradKernel)
ON_NPU_WITH_HALF(sigmoid, SigmoidKernel)
ON_NPU_WITH_HALF(sigmoid_grad, SigmoidGradKernel)
ON_NPU_WITH_HALF(tanh, TanhKernel)
ON_NPU_WITH_HALF(tanh_grad, TanhGradKernel)
ON_NPU_WITH_HALF(hardswish, HardSwishKernel)
ON_NPU_WITH_HALF(hardswish_grad, HardSwishGradKernel)
ON_NPU_WITH_HALF(hardsigmoid, HardSigmoidKernel)
ON_NPU_WITH_HALF(hardsigmoid_grad, HardSigmoidGradKernel)
ON_NPU_WITH_HALF(silu, SiluKernel)
ON_NPU_WITH_HALF(silu_grad, SiluGradKernel)
ON_NPU_WITH_HALF(swish, SwishKernel)
ON_NPU_WITH_HALF(swish_grad, SwishGradKernel)
ON_NPU_WITH_HALF(leaky_relu, LeakyReluKernel)
ON_NPU_WITH_HALF(leaky_relu_grad, LeakyReluGradKernel)
ON_NPU_WITH_HALF(relu6, Relu6Kernel)
ON_NPU_WITH_HALF(relu6_grad, Relu6GradKernel)
