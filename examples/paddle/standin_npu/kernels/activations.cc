// Activations, forward and backward.
#include "../forward.hpp"
#include "paddle/phi/kernels/activation_kernel.h"
#include "paddle/phi/kernels/activation_grad_kernel.h"
#include "paddle/phi/kernels/gelu_kernel.h"
#include "paddle/phi/kernels/gelu_grad_kernel.h"

ON_NPU(relu, ReluKernel)
ON_NPU(relu_grad, ReluGradKernel)
ON_NPU(gelu, GeluKernel)
ON_NPU(gelu_grad, GeluGradKernel)
ON_NPU(sigmoid, SigmoidKernel)
ON_NPU(sigmoid_grad, SigmoidGradKernel)
ON_NPU(tanh, TanhKernel)
ON_NPU(tanh_grad, TanhGradKernel)
ON_NPU(hardswish, HardSwishKernel)
ON_NPU(hardswish_grad, HardSwishGradKernel)
ON_NPU(hardsigmoid, HardSigmoidKernel)
ON_NPU(hardsigmoid_grad, HardSigmoidGradKernel)
ON_NPU(silu, SiluKernel)
ON_NPU(silu_grad, SiluGradKernel)
ON_NPU(swish, SwishKernel)
ON_NPU(swish_grad, SwishGradKernel)
ON_NPU(leaky_relu, LeakyReluKernel)
ON_NPU(leaky_relu_grad, LeakyReluGradKernel)
ON_NPU(relu6, Relu6Kernel)
ON_NPU(relu6_grad, Relu6GradKernel)
