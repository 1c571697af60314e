// Optimizers, and the two operators of the loss scale.
#include "../forward.hpp"
#include "paddle/phi/kernels/sgd_kernel.h"
#include "paddle/phi/kernels/momentum_kernel.h"
#include "paddle/phi/kernels/adam_kernel.h"
#include "paddle/phi/kernels/adamw_kernel.h"
#include "paddle/phi/kernels/amp_kernel.h"
#include "paddle/phi/kernels/adagrad_kernel.h"

ON_NPU(check_finite_and_unscale, CheckFiniteAndUnscaleKernel, never)
ON_NPU(update_loss_scaling, UpdateLossScalingKernel, never)
ON_NPU_UPDATING(sgd, SGDDenseKernel)
ON_NPU_UPDATING(momentum, MomentumDenseKernel)
ON_NPU_UPDATING(adam, AdamDenseKernel)
ON_NPU_UPDATING(adamw, AdamwDenseKernel)
ON_NPU_UPDATING(adagrad, AdagradDenseKernel)
