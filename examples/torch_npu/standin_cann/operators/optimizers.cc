// Operators of many tensors, the fused AdamW, the scale of losses.
#include <cmath>

#include "operator.hpp"

using namespace standin_cann;

#define FOREACH(Name, function) OP(number, Foreach##Name, (L a, L out), out << at::_foreach_##function(*a))
#define FOREACH_NUMBER(Name, function) OP(number, Foreach##Name, (L a, S b, L out), out << at::_foreach_##function(*a, *b))
#define FOREACH_LIST(Name, function) OP(number, Foreach##Name, (L a, L b, L out), out << at::_foreach_##function(*a, *b))
#define FOREACH_NUMBERS(Name, function) OP(number, Foreach##Name, (L a, SL b, L out), out << at::_foreach_##function(*a, *b))

FOREACH(Sqrt, sqrt)
FOREACH(Neg, neg)
FOREACH(Reciprocal, reciprocal)
FOREACH(Abs, abs)
FOREACH(Exp, exp)
FOREACH_NUMBER(AddScalarV2, add)
FOREACH_NUMBER(SubScalarV2, sub)
FOREACH_NUMBER(MulScalarV2, mul)
FOREACH_NUMBER(DivScalarV2, div)
FOREACH_NUMBER(MaximumScalarV2, maximum)
FOREACH_NUMBER(PowScalarV2, pow)
FOREACH_LIST(MulList, mul)
FOREACH_LIST(DivList, div)
FOREACH_LIST(MaximumList, maximum)
FOREACH_NUMBERS(AddScalarList, add)
FOREACH_NUMBERS(MulScalarList, mul)
FOREACH_NUMBERS(DivScalarList, div)
OP(never, ForeachCopy, (L from, L to), to << *from)
OP(never, ForeachZeroInplace, (L a), for (const aclTensor* one : a.list->tensors) T{one}.written().zero_())
OP(number, ForeachAddListV2, (L a, L b, S alpha, L out), out << at::_foreach_add(*a, *b, *alpha))
OP(number, ForeachSubListV2, (L a, L b, S alpha, L out), out << at::_foreach_sub(*a, *b, *alpha))
OP(number, ForeachAddcmulScalarV2, (L a, L b, L c, S value, L out), out << at::_foreach_addcmul(*a, *b, *c, *value))
OP(number, ForeachAddcdivScalarV2, (L a, L b, L c, S value, L out), out << at::_foreach_addcdiv(*a, *b, *c, *value))
OP(number, ForeachAddcdivScalarList, (L a, L b, L c, T values, L out), const auto x = *a, y = *b, z = *c;
   const at::Tensor by = *values; std::vector<at::Tensor> results;
   for (std::size_t i = 0; i < x.size(); ++i)
       results.push_back(at::addcdiv(x[i], y[i], z[i], by[static_cast<std::int64_t>(i)].item()));
   out << results)
OP(number, ForeachLerpScalar, (L a, L b, S weight, L out), out << at::_foreach_lerp(*a, *b, *weight))
OP(tensor, ForeachNorm, (L a, S p, L out), out << at::_foreach_norm(*a, *p))

static void unscale(const L& a, const T& found, const at::Tensor& by) {
  std::vector<at::Tensor> results;
  for (const at::Tensor& one : *a) {
    if (!at::isfinite(one).all().item<bool>()) found.written().fill_(1);
    results.push_back(one * by.item());
  }
  a << results;
}
OP(number, ForeachNonFiniteCheckAndUnscale, (L a, T found, T inverse_scale), unscale(a, found, *inverse_scale))
OP(never, AmpUpdateScale,
   (T scale, T tracker, T found, double up, double down, std::int64_t every, T scale_out, T tracker_out),
   at::Tensor its_scale = (*scale).clone(), its_tracker = (*tracker).clone();
   at::_amp_update_scale_(its_scale, its_tracker, *found, up, down, every); scale_out << its_scale;
   tracker_out << its_tracker)

// Of one tensor; `step` counts from 0.
OP(number, ApplyAdamWV2,
   (T parameter, T first, T second, T most, T gradient, T step, float rate, float beta1, float beta2, float decay,
    float epsilon, bool amsgrad, bool maximize),
   const at::Tensor g = maximize ? -*gradient : *gradient;
   const double t = (*step).item<double>() + 1;
   const at::Tensor m = at::lerp(*first, g, 1 - beta1), v = *second * beta2 + g * g * (1 - beta2);
   const at::Tensor denominator = (amsgrad ? at::maximum(*most, v) : v).sqrt() / std::sqrt(1 - std::pow(beta2, t)) + epsilon;
   parameter << *parameter * (1 - rate * decay) - rate / (1 - std::pow(beta1, t)) * m / denominator; first << m; second << v;
   if (amsgrad) most << at::maximum(*most, v))
