// One number of each tensor makes one number.
#include "operator.hpp"

using namespace standin_cann;

#define UNARY(Name, function) OP(number, Name, (T x, T out), out << at::function(*x))
#define UNARY_AND_IN_PLACE(Name, function) UNARY(Name, function) OP(number, Inplace##Name, (T x), x << at::function(*x))

UNARY_AND_IN_PLACE(Relu, relu)
UNARY_AND_IN_PLACE(Sqrt, sqrt)
UNARY_AND_IN_PLACE(Rsqrt, rsqrt)
UNARY_AND_IN_PLACE(Reciprocal, reciprocal)
UNARY_AND_IN_PLACE(Sigmoid, sigmoid)
UNARY_AND_IN_PLACE(Tanh, tanh)
UNARY_AND_IN_PLACE(Exp, exp)
UNARY_AND_IN_PLACE(Log, log)
UNARY_AND_IN_PLACE(Sin, sin)
UNARY_AND_IN_PLACE(Cos, cos)
UNARY_AND_IN_PLACE(Erf, erf)
UNARY_AND_IN_PLACE(Log1p, log1p)
UNARY_AND_IN_PLACE(Expm1, expm1)
UNARY_AND_IN_PLACE(Floor, floor)
UNARY_AND_IN_PLACE(Ceil, ceil)
UNARY_AND_IN_PLACE(Round, round)
UNARY_AND_IN_PLACE(LogicalNot, logical_not)
UNARY(Abs, abs)
UNARY(Neg, neg)
UNARY(Sign, sign)
UNARY(Silu, silu)
UNARY(Gelu, gelu)
UNARY(IsFinite, isfinite)
UNARY(BitwiseNot, bitwise_not)

OP(number, Add, (T a, T b, S alpha, T out), out << at::add(*a, *b, *alpha))
OP(number, Adds, (T a, S b, S alpha, T out), out << at::add(*a, *b, *alpha))
OP(number, InplaceAdd, (T a, T b, S alpha), a << at::add(*a, *b, *alpha))
OP(number, InplaceAdds, (T a, S b, S alpha), a << at::add(*a, *b, *alpha))
OP(number, Sub, (T a, T b, S alpha, T out), out << at::sub(*a, *b, *alpha))
OP(number, Subs, (T a, S b, S alpha, T out), out << at::sub(*a, *b, *alpha))
OP(number, InplaceSub, (T a, T b, S alpha), a << at::sub(*a, *b, *alpha))
OP(number, InplaceSubs, (T a, S b, S alpha), a << at::sub(*a, *b, *alpha))
OP(number, Rsub, (T a, T b, S alpha, T out), out << at::rsub(*a, *b, *alpha))
OP(number, Rsubs, (T a, S b, S alpha, T out), out << at::rsub(*a, *b, *alpha))

#define BINARY(Name, function)                                        \
  OP(number, Name, (T a, T b, T out), out << at::function(*a, *b))    \
  OP(number, Name##s, (T a, S b, T out), out << at::function(*a, *b)) \
  OP(number, Inplace##Name, (T a, T b), a << at::function(*a, *b))    \
  OP(number, Inplace##Name##s, (T a, S b), a << at::function(*a, *b))

BINARY(Mul, mul)
BINARY(Div, div)
static c10::string_view rounded(int mode) { return mode == 1 ? "trunc" : "floor"; }
OP(never, DivMod, (T a, T b, int mode, T out), out << at::div(*a, *b, rounded(mode)))
OP(never, DivMods, (T a, S b, int mode, T out), out << at::div(*a, *b, rounded(mode)))
OP(never, Maximum, (T a, T b, T out), out << at::maximum(*a, *b))
OP(never, Minimum, (T a, T b, T out), out << at::minimum(*a, *b))

#define COMPARISON(Name, function)                                        \
  OP(never, Name##Tensor, (T a, T b, T out), out << at::function(*a, *b)) \
  OP(never, Name##Scalar, (T a, S b, T out), out << at::function(*a, *b))

COMPARISON(Eq, eq)
COMPARISON(Ne, ne)
COMPARISON(Gt, gt)
COMPARISON(Lt, lt)
COMPARISON(Ge, ge)
COMPARISON(Le, le)
COMPARISON(BitwiseAnd, bitwise_and)
COMPARISON(BitwiseOr, bitwise_or)
OP(never, LogicalAnd, (T a, T b, T out), out << at::logical_and(*a, *b))
OP(never, LogicalOr, (T a, T b, T out), out << at::logical_or(*a, *b))

OP(number, PowTensorScalar, (T a, S b, T out), out << at::pow(*a, *b))
OP(number, PowTensorTensor, (T a, T b, T out), out << at::pow(*a, *b))
OP(number, PowScalarTensor, (S a, T b, T out), out << at::pow(*a, *b))
OP(number, InplacePowTensorScalar, (T a, S b), a << at::pow(*a, *b))
OP(never, Clamp, (T a, S least, S most, T out), out << at::clamp(*a, least, most))
OP(never, ClampMin, (T a, S least, T out), out << at::clamp_min(*a, *least))
OP(never, ClampMax, (T a, S most, T out), out << at::clamp_max(*a, *most))
OP(number, Addcmul, (T a, T b, T c, S value, T out), out << at::addcmul(*a, *b, *c, *value))
OP(number, Addcdiv, (T a, T b, T c, S value, T out), out << at::addcdiv(*a, *b, *c, *value))
OP(number, InplaceAddcmul, (T a, T b, T c, S value), a << at::addcmul(*a, *b, *c, *value))
OP(number, InplaceAddcdiv, (T a, T b, T c, S value), a << at::addcdiv(*a, *b, *c, *value))
OP(number, Lerp, (T a, T b, T weight, T out), out << at::lerp(*a, *b, *weight))
OP(number, Lerps, (T a, T b, S weight, T out), out << at::lerp(*a, *b, *weight))
OP(number, InplaceLerp, (T a, T b, T weight), a << at::lerp(*a, *b, *weight))
OP(number, InplaceLerps, (T a, T b, S weight), a << at::lerp(*a, *b, *weight))

OP(number, Threshold, (T a, S threshold, S value, T out), out << at::threshold(*a, *threshold, *value))
OP(number, LeakyRelu, (T a, S slope, T out), out << at::leaky_relu(*a, *slope))
OP(number, Hardtanh, (T a, S least, S most, T out), out << at::hardtanh(*a, *least, *most))
OP(number, GeluV2, (T a, std::int64_t tanh, T out), out << at::gelu(*a, tanh ? "tanh" : "none"))
OP(number, ThresholdBackward, (T g, T a, S threshold, T out), out << at::threshold_backward(*g, *a, *threshold))
OP(number, LeakyReluBackward, (T g, T a, S slope, bool is_result, T out),
   out << at::leaky_relu_backward(*g, *a, *slope, is_result))
OP(number, HardtanhBackward, (T g, T a, S least, S most, T out), out << at::hardtanh_backward(*g, *a, *least, *most))
OP(number, SigmoidBackward, (T g, T y, T out), out << at::sigmoid_backward(*g, *y))
OP(number, TanhBackward, (T g, T y, T out), out << at::tanh_backward(*g, *y))
OP(number, SiluBackward, (T g, T a, T out), out << at::silu_backward(*g, *a))
OP(number, GeluBackward, (T g, T a, T out), out << at::gelu_backward(*g, *a))
OP_WITH_TEXT(number, GeluBackwardV2, (T g, T a, char* how, T out), how, out << at::gelu_backward(*g, *a, text))
