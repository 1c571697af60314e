// Convolutions, pooling, padding and interpolation.
#include "../forward.hpp"
#include "paddle/phi/kernels/conv_kernel.h"
#include "paddle/phi/kernels/conv_grad_kernel.h"
#include "paddle/phi/kernels/depthwise_conv_kernel.h"
#include "paddle/phi/kernels/conv_transpose_kernel.h"
#include "paddle/phi/kernels/conv_transpose_grad_kernel.h"
#include "paddle/phi/kernels/pool_kernel.h"
#include "paddle/phi/kernels/pool_grad_kernel.h"
#include "paddle/phi/kernels/pad3d_kernel.h"
#include "paddle/phi/kernels/pad3d_grad_kernel.h"
#include "paddle/phi/kernels/pad_kernel.h"
#include "paddle/phi/kernels/pad_grad_kernel.h"
#include "paddle/phi/kernels/interpolate_kernel.h"
#include "paddle/phi/kernels/interpolate_grad_kernel.h"

ON_NPU(conv2d, ConvKernel, product)
ON_NPU(conv2d_grad, ConvGradKernel, product)
ON_NPU(depthwise_conv2d, DepthwiseConvKernel, product)
ON_NPU(depthwise_conv2d_grad, DepthwiseConvGradKernel, product)
ON_NPU(conv2d_transpose, Conv2dTransposeKernel, product)
ON_NPU(conv2d_transpose_grad, Conv2dTransposeGradKernel, product)
ON_NPU(pool2d, Pool2dKernel, tensor)
ON_NPU(pool2d_grad, Pool2dGradKernel, number)
ON_NPU(pad3d, Pad3dKernel, never)
ON_NPU(pad3d_grad, Pad3dGradKernel, never)
ON_NPU(pad, PadKernel, never)
ON_NPU(pad_grad, PadGradKernel, never)
ON_NPU(max_pool2d_with_index, MaxPool2dWithIndexKernel, never)
ON_NPU(max_pool2d_with_index_grad, MaxPool2dWithIndexGradKernel, never)
ON_NPU(bilinear_interp, BilinearInterpKernel, number)
ON_NPU(bilinear_interp_grad, BilinearInterpGradKernel, tensor)
ON_NPU(nearest_interp, NearestInterpKernel, never)
ON_NPU(nearest_interp_grad, NearestInterpGradKernel, tensor)
