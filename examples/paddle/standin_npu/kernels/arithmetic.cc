// Arithmetic, number by number, and matrix products.
#include "../forward.hpp"
#include "paddle/phi/kernels/activation_kernel.h"
#include "paddle/phi/kernels/activation_grad_kernel.h"
#include "paddle/phi/kernels/elementwise_add_kernel.h"
#include "paddle/phi/kernels/elementwise_add_grad_kernel.h"
#include "paddle/phi/kernels/elementwise_subtract_kernel.h"
#include "paddle/phi/kernels/elementwise_subtract_grad_kernel.h"
#include "paddle/phi/kernels/elementwise_multiply_kernel.h"
#include "paddle/phi/kernels/elementwise_multiply_grad_kernel.h"
#include "paddle/phi/kernels/elementwise_divide_kernel.h"
#include "paddle/phi/kernels/elementwise_divide_grad_kernel.h"
#include "paddle/phi/kernels/elementwise_kernel.h"
#include "paddle/phi/kernels/elementwise_grad_kernel.h"
#include "paddle/phi/kernels/scale_kernel.h"
#include "paddle/phi/kernels/clip_kernel.h"
#include "paddle/phi/kernels/clip_grad_kernel.h"
#include "paddle/phi/kernels/cast_kernel.h"
#include "paddle/phi/kernels/matmul_kernel.h"
#include "paddle/phi/kernels/matmul_grad_kernel.h"
#include "paddle/phi/kernels/bmm_kernel.h"
#include "paddle/phi/kernels/bmm_grad_kernel.h"

ON_NPU(add, AddKernel, number)
ON_NPU(add_grad, AddGradKernel, sum)
ON_NPU(subtract, SubtractKernel, number)
ON_NPU(subtract_grad, SubtractGradKernel, sum)
ON_NPU(multiply, MultiplyKernel, number)
ON_NPU(multiply_grad, MultiplyGradKernel, tensor)
ON_NPU(divide, DivideKernel, number)
ON_NPU(divide_grad, DivideGradKernel, tensor)
ON_NPU(maximum, MaximumKernel, never)
ON_NPU(maximum_grad, MaximumGradKernel, sum)
ON_NPU(minimum, MinimumKernel, never)
ON_NPU(minimum_grad, MinimumGradKernel, sum)
ON_NPU(scale, ScaleKernel, number)
ON_NPU(matmul, MatmulKernel, product)
ON_NPU(matmul_grad, MatmulGradKernel, product)
ON_NPU(bmm, BmmKernel, product)
ON_NPU(bmm_grad, BmmGradKernel, product)
ON_NPU(cast, CastKernel, never)
ON_NPU(exp, ExpKernel, number)
ON_NPU(exp_grad, ExpGradKernel, number)
ON_NPU(sqrt, SqrtKernel, number)
ON_NPU(sqrt_grad, SqrtGradKernel, number)
ON_NPU(square, SquareKernel, number)
ON_NPU(square_grad, SquareGradKernel, number)
ON_NPU(log, LogKernel, number)
ON_NPU(log_grad, LogGradKernel, number)
ON_NPU(pow, PowKernel, number)
ON_NPU(pow_grad, PowGradKernel, number)
ON_NPU(rsqrt, RsqrtKernel, number)
ON_NPU(rsqrt_grad, RsqrtGradKernel, number)
ON_NPU(clip, ClipKernel, never)
ON_NPU(clip_grad, ClipGradKernel, never)
