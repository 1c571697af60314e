// Normalisations and dropout.
#include "../forward.hpp"
#include "paddle/phi/kernels/batch_norm_kernel.h"
#include "paddle/phi/kernels/batch_norm_grad_kernel.h"
#include "paddle/phi/kernels/layer_norm_kernel.h"
#include "paddle/phi/kernels/layer_norm_grad_kernel.h"
#include "paddle/phi/kernels/group_norm_kernel.h"
#include "paddle/phi/kernels/group_norm_grad_kernel.h"
#include "paddle/phi/kernels/instance_norm_kernel.h"
#include "paddle/phi/kernels/instance_norm_grad_kernel.h"
#include "paddle/phi/kernels/dropout_kernel.h"
#include "paddle/phi/kernels/dropout_grad_kernel.h"

ON_NPU(batch_norm, BatchNormKernel)
ON_NPU(batch_norm_grad, BatchNormGradKernel)
ON_NPU(layer_norm, LayerNormKernel)
ON_NPU(layer_norm_grad, LayerNormGradKernel)
ON_NPU(group_norm, GroupNormKernel)
ON_NPU(group_norm_grad, GroupNormGradKernel)
ON_NPU(instance_norm, InstanceNormKernel)
ON_NPU(instance_norm_grad, InstanceNormGradKernel)
ON_NPU(dropout, DropoutRawKernel)
ON_NPU(dropout_grad, DropoutGradRawKernel)
