// Sums, means, norms and extremes.
#include "operator.hpp"

using namespace standin_cann;

OP(mean, Mean, (T a, I dimensions, bool keep, aclDataType type, T out),
   out << at::mean(*a, dimensions.if_any(), keep, scalar_type(type)))
OP(sum, ReduceSum, (T a, I dimensions, bool keep, aclDataType type, T out),
   out << at::sum(*a, at::OptionalIntArrayRef(dimensions), keep, scalar_type(type)))
OP(never, Amax, (T a, I dimensions, bool keep, T out), out << at::amax(*a, dimensions, keep))
OP(never, Amin, (T a, I dimensions, bool keep, T out), out << at::amin(*a, dimensions, keep))
OP(never, Max, (T a, T out), out << at::max(*a))
OP(never, Min, (T a, T out), out << at::min(*a))
OP(never, MaxDim, (T a, std::int64_t dimension, bool keep, T out, T indices),
   const auto [values, from] = at::max(*a, dimension, keep);
   out << values; indices << from)
OP(never, ArgMax, (T a, std::int64_t dimension, bool keep, T out), out << at::argmax(*a, dimension, keep))
OP(never, Equal, (T a, T b, T out), out.written().fill_(at::equal(*a, *b)))
OP(tensor, Norm, (T a, S p, I dimensions, bool keep, T out),
   out << at::norm(*a, c10::optional<at::Scalar>(p), at::IntArrayRef(dimensions), keep))
OP(tensor, LinalgVectorNorm, (T a, S p, I dimensions, bool keep, aclDataType type, T out),
   out << at::linalg_vector_norm(*a, *p, dimensions.if_any(), keep, scalar_type(type)))
OP(tensor, VarCorrection, (T a, I dimensions, std::int64_t correction, bool keep, T out),
   out << at::var(*a, at::OptionalIntArrayRef(dimensions), c10::optional<at::Scalar>(correction), keep))
OP(sum, Cumsum, (T a, std::int64_t dimension, aclDataType type, T out), out << at::cumsum(*a, dimension, scalar_type(type)))

static at::Tensor of_all(at::Tensor a, at::IntArrayRef dimensions, bool keep, bool any) {
  if (dimensions.empty()) return any ? at::any(a) : at::all(a);
  for (std::size_t i = dimensions.size(); i--;) a = any ? at::any(a, dimensions[i], keep) : at::all(a, dimensions[i], keep);
  return a;
}
OP(never, All, (T a, I dimensions, bool keep, T out), out << of_all(*a, dimensions, keep, false))
OP(never, Any, (T a, I dimensions, bool keep, T out), out << of_all(*a, dimensions, keep, true))
