// Loss functions, which mixed precision keeps in float32, and the softmax before them.
#include "../forward.hpp"
#include "paddle/phi/kernels/cross_entropy_kernel.h"
#include "paddle/phi/kernels/cross_entropy_grad_kernel.h"
#include "paddle/phi/kernels/warpctc_kernel.h"
#include "paddle/phi/kernels/warpctc_grad_kernel.h"
#include "paddle/phi/kernels/softmax_kernel.h"
#include "paddle/phi/kernels/softmax_grad_kernel.h"
#include "paddle/phi/kernels/log_softmax_kernel.h"
#include "paddle/phi/kernels/log_softmax_grad_kernel.h"
#include "paddle/phi/kernels/bce_loss_kernel.h"
#include "paddle/phi/kernels/bce_loss_grad_kernel.h"
#include "paddle/phi/kernels/sigmoid_cross_entropy_with_logits_kernel.h"
#include "paddle/phi/kernels/sigmoid_cross_entropy_with_logits_grad_kernel.h"
#include "paddle/phi/kernels/nll_loss_kernel.h"
#include "paddle/phi/kernels/nll_loss_grad_kernel.h"
#include "paddle/phi/kernels/huber_loss_kernel.h"
#include "paddle/phi/kernels/huber_loss_grad_kernel.h"
#include "paddle/phi/kernels/kldiv_loss_kernel.h"
#include "paddle/phi/kernels/kldiv_loss_grad_kernel.h"

ON_NPU(softmax, SoftmaxKernel, number)
ON_NPU(softmax_grad, SoftmaxGradKernel, number)
ON_NPU_FLOAT32(log_softmax, LogSoftmaxKernel, tensor)
ON_NPU_FLOAT32(log_softmax_grad, LogSoftmaxGradKernel, tensor)
ON_NPU_FLOAT32(cross_entropy_with_softmax, CrossEntropyWithSoftmaxKernel, number)
ON_NPU_FLOAT32(cross_entropy_with_softmax_grad, CrossEntropyWithSoftmaxGradKernel, number)
ON_NPU_FLOAT32(warpctc, WarpctcKernel, number)
ON_NPU_FLOAT32(warpctc_grad, WarpctcGradKernel, number)
ON_NPU_FLOAT32(bce_loss, BCELossKernel, number)
ON_NPU_FLOAT32(bce_loss_grad, BCELossGradKernel, number)
ON_NPU_FLOAT32(sigmoid_cross_entropy_with_logits, SigmoidCrossEntropyWithLogitsKernel, number)
ON_NPU_FLOAT32(sigmoid_cross_entropy_with_logits_grad, SigmoidCrossEntropyWithLogitsGradKernel, number)
ON_NPU_FLOAT32(huber_loss, HuberLossKernel, number)
ON_NPU_FLOAT32(huber_loss_grad, HuberLossGradKernel, number)
ON_NPU_FLOAT32(kldiv_loss, KLDivLossKernel, number)
ON_NPU_FLOAT32(kldiv_loss_grad, KLDivLossGradKernel, number)
