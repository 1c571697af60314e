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

ON_NPU(batch_norm, BatchNormKernel, tensor)
ON_NPU(batch_norm_grad, BatchNormGradKernel, sum)
ON_NPU(layer_norm, LayerNormKernel, tensor)
ON_NPU(layer_norm_grad, LayerNormGradKernel, sum)
ON_NPU(group_norm, GroupNormKernel, tensor)
ON_NPU(group_norm_grad, GroupNormGradKernel, sum)
ON_NPU(instance_norm, InstanceNormKernel, tensor)
ON_NPU(instance_norm_grad, InstanceNormGradKernel, sum)
ON_NPU(dropout, DropoutRawKernel, number)
ON_NPU(dropout_grad, DropoutGradRawKernel, number)
