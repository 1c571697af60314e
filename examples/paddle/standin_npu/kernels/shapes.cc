// Operators that move numbers without changing them.
#include "../forward.hpp"
#include "paddle/phi/kernels/concat_kernel.h"
#include "paddle/phi/kernels/concat_grad_kernel.h"
#include "paddle/phi/kernels/split_kernel.h"
#include "paddle/phi/kernels/stack_kernel.h"
#include "paddle/phi/kernels/stack_grad_kernel.h"
#include "paddle/phi/kernels/slice_kernel.h"
#include "paddle/phi/kernels/slice_grad_kernel.h"
#include "paddle/phi/kernels/transpose_kernel.h"
#include "paddle/phi/kernels/transpose_grad_kernel.h"
#include "paddle/phi/kernels/expand_kernel.h"
#include "paddle/phi/kernels/expand_grad_kernel.h"
#include "paddle/phi/kernels/tile_kernel.h"
#include "paddle/phi/kernels/tile_grad_kernel.h"
#include "paddle/phi/kernels/reshape_kernel.h"
#include "paddle/phi/kernels/reshape_grad_kernel.h"
#include "paddle/phi/kernels/squeeze_kernel.h"
#include "paddle/phi/kernels/squeeze_grad_kernel.h"
#include "paddle/phi/kernels/unsqueeze_kernel.h"
#include "paddle/phi/kernels/unsqueeze_grad_kernel.h"
#include "paddle/phi/kernels/flatten_kernel.h"
#include "paddle/phi/kernels/flatten_grad_kernel.h"
#include "paddle/phi/kernels/full_kernel.h"
#include "paddle/phi/kernels/roll_kernel.h"
#include "paddle/phi/kernels/roll_grad_kernel.h"
#include "paddle/phi/kernels/flip_kernel.h"
#include "paddle/phi/kernels/contiguous_kernel.h"

ON_NPU(concat, ConcatKernel, never)
ON_NPU(concat_grad, ConcatGradKernel, never)
ON_NPU(split, SplitKernel, never)
ON_NPU(split_with_num, SplitWithNumKernel, never)
ON_NPU(stack, StackKernel, never)
ON_NPU(stack_grad, StackGradKernel, tensor)
ON_NPU(slice, SliceKernel, never)
ON_NPU(slice_grad, SliceGradKernel, never)
ON_NPU(transpose, TransposeKernel, never)
ON_NPU(transpose_grad, TransposeGradKernel, never)
ON_NPU(contiguous, ContiguousKernel, never)
ON_NPU(expand, ExpandKernel, never)
ON_NPU(expand_grad, ExpandGradKernel, tensor)
ON_NPU(tile, TileKernel, never)
ON_NPU(tile_grad, TileGradKernel, tensor)
ON_NPU(squeeze, SqueezeKernel, never)
ON_NPU(squeeze_grad, SqueezeGradKernel, never)
ON_NPU(unsqueeze, UnsqueezeKernel, never)
ON_NPU(unsqueeze_grad, UnsqueezeGradKernel, never)
ON_NPU(flatten, FlattenKernel, never)
ON_NPU(flatten_grad, FlattenGradKernel, never)
ON_NPU(full_like, FullLikeKernel, never)
ON_NPU(roll, RollKernel, never)
ON_NPU(roll_grad, RollGradKernel, never)
ON_NPU(flip, FlipKernel, never)
ON_NPU_UNTYPED(reshape, ReshapeKernel, never)
ON_NPU_UNTYPED(reshape_grad, ReshapeGradKernel, never)
