// Normalisations, pooling, softmax, losses.
#include <cstring>

#include "operator.hpp"

using namespace standin_cann;

OP(
    tensor, BatchNorm,
    (T x, T weight, T bias, T mean, T variance, bool train, double momentum, double epsilon, T out, T saved_mean,
     T saved_scale),
    const auto [y, used_mean, used_scale] =
        at::native_batch_norm(*x, weight, bias, mean ? c10::make_optional(mean.written()) : c10::nullopt,
                              variance ? c10::make_optional(variance.written()) : c10::nullopt, train, momentum, epsilon);
    out << y; if (train) {
      saved_mean << used_mean;
      saved_scale << used_scale;
    })
OP(tensor, BatchNormBackward,
   (T g, T x, T weight, T mean, T variance, T saved_mean, T saved_scale, bool train, double epsilon, B mask, T gx, T gweight,
    T gbias),
   const auto [to_x, to_weight, to_bias] = at::native_batch_norm_backward(*g, *x, weight, mean, variance, saved_mean,
                                                                          saved_scale, train, epsilon, mask);
   if (mask[0]) gx << to_x; if (mask[1]) gweight << to_weight; if (mask[2]) gbias << to_bias)
// The fast one is what torch_npu calls where high precision or a compatible implementation is asked for.
#define LAYER_NORM(Name)                                                                            \
  OP(tensor, Name, (T x, I shape, T weight, T bias, double epsilon, T out, T mean, T scale),        \
     const auto [y, its_mean, its_scale] = at::native_layer_norm(*x, shape, weight, bias, epsilon); \
     out << y; mean << its_mean; scale << its_scale)
LAYER_NORM(LayerNorm)
LAYER_NORM(FastLayerNorm)
OP(tensor, LayerNormBackward, (T g, T x, I shape, T mean, T scale, T weight, T bias, B mask, T gx, T gweight, T gbias),
   const auto [to_x, to_weight, to_bias] = at::native_layer_norm_backward(*g, *x, shape, *mean, *scale, weight, bias, mask);
   if (mask[0]) gx << to_x; if (mask[1]) gweight << to_weight; if (mask[2]) gbias << to_bias)

// Its mask is in a format of the device's own, int8 of another shape than the indices: here these, as int32, in the mask's
// bytes.
OP(never, MaxPool2dWithMask, (T x, I kernel, I stride, I padding, I dilation, bool ceil, T out, T mask),
   const auto [y, indices] = at::max_pool2d_with_indices(*x, kernel, stride, padding, dilation, ceil);
   const at::Tensor from = indices.to(at::kInt).contiguous(), to = mask.written();
   TORCH_CHECK(to.dtype() == at::kChar && to.is_contiguous() && to.nbytes() >= from.nbytes(), "the mask is ", to.dtype(),
               " of ", to.sizes());
   out << y; std::memcpy(to.data_ptr(), from.data_ptr(), from.nbytes()))
OP(tensor, MaxPool2dWithMaskBackward, (T g, T x, T mask, I kernel, I stride, I padding, I dilation, bool ceil, T gx),
   const at::Tensor to_y = *g, bytes = *mask;
   TORCH_CHECK(bytes.dtype() == at::kChar && bytes.nbytes() >= 4 * static_cast<std::size_t>(to_y.numel()), "the mask is ",
               bytes.dtype(), " of ", bytes.sizes());
   const at::Tensor indices = at::from_blob(bytes.data_ptr(), to_y.sizes(), at::kInt).to(at::kLong);
   gx << at::max_pool2d_with_indices_backward(to_y, *x, kernel, stride, padding, dilation, ceil, indices))
OP(never, MaxPool2dWithIndices, (T x, I kernel, I stride, I padding, I dilation, bool ceil, T out, T indices),
   const auto [y, from] = at::max_pool2d_with_indices(*x, kernel, stride, padding, dilation, ceil);
   out << y; indices << from)
OP(tensor, MaxPool2dWithIndicesBackward, (T g, T x, T indices, I kernel, I stride, I padding, I dilation, bool ceil, T gx),
   gx << at::max_pool2d_with_indices_backward(*g, *x, kernel, stride, padding, dilation, ceil, (*indices).to(at::kLong)))
static c10::optional<std::int64_t> if_set(std::int64_t divisor) {
  return divisor ? c10::make_optional(divisor) : c10::nullopt;
}
OP(tensor, AvgPool2d,
   (T x, I kernel, I stride, I padding, bool ceil, bool with_padding, std::int64_t divisor, std::int8_t, T out),
   out << at::avg_pool2d(*x, kernel, stride, padding, ceil, with_padding, if_set(divisor)))
OP(tensor, AvgPool2dBackward,
   (T g, T x, I kernel, I stride, I padding, bool ceil, bool with_padding, std::int64_t divisor, std::int8_t, T gx),
   gx << at::avg_pool2d_backward(*g, *x, kernel, stride, padding, ceil, with_padding, if_set(divisor)))
OP(tensor, AdaptiveAvgPool2d, (T x, I sizes, T out), out << at::adaptive_avg_pool2d(*x, sizes))
OP(tensor, AdaptiveAvgPool2dBackward, (T g, T x, T gx), gx << at::_adaptive_avg_pool2d_backward(*g, *x))

OP(number, Softmax, (T x, std::int64_t dimension, T out), out << at::softmax(*x, dimension, out.type()))
OP(tensor, SoftmaxBackward, (T g, T y, std::int64_t dimension, T out), const at::Tensor to_y = *g;
   out << at::_softmax_backward_data(to_y, *y, dimension, to_y.scalar_type()))
OP(tensor, LogSoftmax, (T x, std::int64_t dimension, T out), out << at::log_softmax(*x, dimension, out.type()))
OP(tensor, LogSoftmaxBackward, (T g, T y, std::int64_t dimension, T out), const at::Tensor to_y = *g;
   out << at::_log_softmax_backward_data(to_y, *y, dimension, to_y.scalar_type()))
OP(mean, NLLLoss, (T x, T target, T weight, std::int64_t reduction, std::int64_t ignored, T out, T total),
   const auto [loss, weights] = at::nll_loss_forward(*x, (*target).to(at::kLong), weight, reduction, ignored);
   out << loss; total << weights)
OP(tensor, NLLLossBackward, (T g, T x, T target, T weight, std::int64_t reduction, std::int64_t ignored, T total, T gx),
   gx << at::nll_loss_backward(*g, *x, (*target).to(at::kLong), weight, reduction, ignored, *total))
OP(mean, MseLoss, (T x, T target, std::int64_t reduction, T out), out << at::mse_loss(*x, *target, reduction))
OP(tensor, MseLossBackward, (T g, T x, T target, std::int64_t reduction, T gx),
   gx << at::mse_loss_backward(*g, *x, *target, reduction))
OP(mean, BinaryCrossEntropyWithLogits, (T x, T target, T weight, T positive, std::int64_t reduction, T out),
   out << at::binary_cross_entropy_with_logits(*x, *target, weight, positive, reduction))
OP(tensor, BinaryCrossEntropyWithLogitsBackward, (T g, T x, T target, T weight, T positive, std::int64_t reduction, T gx),
   const at::Tensor wanted = positive ? *target * *positive : *target;
   const at::Tensor each = (at::sigmoid(*x) * (wanted + 1 - *target) - wanted) * *g;
   gx << (weight ? each * *weight : each) / (reduction == at::Reduction::Mean ? each.numel() : 1))
