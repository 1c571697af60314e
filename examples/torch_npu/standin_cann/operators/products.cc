// Matrix products and convolutions; where the last parameter, cubeMathType, allows it, their factors are read as HF32.
#include "operator.hpp"

using namespace standin_cann;

using Type = std::int8_t;

static at::Tensor hf(const T& factor, Type type) { return in_hf32(*factor, type); }

OP(product, Mm, (T a, T b, T out, Type type), out << at::mm(hf(a, type), hf(b, type)))
OP(product, Matmul, (T a, T b, T out, Type type), out << at::matmul(hf(a, type), hf(b, type)))
OP(product, BatchMatMul, (T a, T b, T out, Type type), out << at::bmm(hf(a, type), hf(b, type)))
OP(product, Addmm, (T c, T a, T b, S beta, S alpha, T out, Type type),
   out << at::addmm(*c, hf(a, type), hf(b, type), *beta, *alpha))
OP(product, InplaceAddmm, (T c, T a, T b, S beta, S alpha, Type type),
   c << at::addmm(*c, hf(a, type), hf(b, type), *beta, *alpha))
OP(product, Baddbmm, (T c, T a, T b, S beta, S alpha, T out, Type type),
   out << at::baddbmm(*c, hf(a, type), hf(b, type), *beta, *alpha))
OP(product, Mv, (T a, T b, T out, Type type), out << at::mv(hf(a, type), hf(b, type)))
OP(product, Dot, (T a, T b, T out), out << at::dot(*a, *b))
OP(product, Convolution,
   (T x, T weight, T bias, I stride, I padding, I dilation, bool transposed, I output_padding, std::int64_t groups, T out,
    Type type),
   out << at::convolution(hf(x, type), hf(weight, type), bias, stride, padding, dilation, transposed, output_padding,
                          groups))
OP(product, ConvolutionBackward,
   (T g, T x, T weight, I bias_sizes, I stride, I padding, I dilation, bool transposed, I output_padding, int groups, B mask,
    Type type, T gx, T gweight, T gbias),
   const auto [to_x, to_weight, to_bias] = at::convolution_backward(hf(g, type), hf(x, type), hf(weight, type),
                                                                    at::OptionalIntArrayRef(bias_sizes), stride, padding,
                                                                    dilation, transposed, output_padding, groups, mask);
   if (mask[0]) gx << to_x; if (mask[1]) gweight << to_weight; if (mask[2]) gbias << to_bias)
