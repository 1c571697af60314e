// Sums, means, maxima and norms.
#include "../forward.hpp"
#include "paddle/phi/kernels/reduce_sum_kernel.h"
#include "paddle/phi/kernels/reduce_sum_grad_kernel.h"
#include "paddle/phi/kernels/reduce_mean_kernel.h"
#include "paddle/phi/kernels/reduce_mean_grad_kernel.h"
#include "paddle/phi/kernels/mean_all_kernel.h"
#include "paddle/phi/kernels/mean_all_grad_kernel.h"
#include "paddle/phi/kernels/reduce_max_kernel.h"
#include "paddle/phi/kernels/reduce_max_grad_kernel.h"
#include "paddle/phi/kernels/squared_l2_norm_kernel.h"
#include "paddle/phi/kernels/add_n_kernel.h"
#include "paddle/phi/kernels/p_norm_kernel.h"
#include "paddle/phi/kernels/p_norm_grad_kernel.h"
#include "paddle/phi/kernels/cum_kernel.h"

ON_NPU(sum_grad, ReduceSumGradKernel, number)
ON_NPU(mean, MeanKernel, mean)
ON_NPU(mean_grad, ReduceMeanGradKernel, number)
ON_NPU(mean_all, MeanAllKernel, mean)
ON_NPU(mean_all_grad, MeanAllGradKernel, number)
ON_NPU(sum, SumKernel, sum)
ON_NPU(max, MaxKernel, never)
ON_NPU(max_grad, ReduceMaxGradKernel, never)
ON_NPU(squared_l2_norm, SquaredL2NormKernel, number)
ON_NPU(add_n, AddNKernel, tensor)
ON_NPU(p_norm, PNormKernel, never)
ON_NPU(p_norm_grad, PNormGradKernel, tensor)
ON_NPU(cumsum, CumsumKernel, tensor)
