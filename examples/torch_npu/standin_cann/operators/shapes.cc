// What makes, casts, moves or selects numbers and changes none.
#include "operator.hpp"

using namespace standin_cann;

OP(never, InplaceCopy, (T to, T from), to.written().copy_(*from))
OP(never, Cast, (T a, aclDataType, T out), out << *a)
OP(never, InplaceZero, (T a), a.written().zero_())
OP(never, InplaceOne, (T a), a.written().fill_(1))
OP(never, InplaceFillScalar, (T a, S value), a.written().fill_(*value))
OP(never, InplaceFillTensor, (T a, T value), a.written().fill_(*value))
OP(never, Arange, (S from, S to, S step, T out), at::Tensor a = out.written();
   a.copy_(at::arange(*from, *to, *step, a.options())))
OP(never, Eye, (std::int64_t rows, std::int64_t columns, T out), at::Tensor a = out.written();
   a.copy_(at::eye(rows, columns, a.options())))
OP(never, Cat, (L list, std::int64_t dimension, T out), out << at::cat(*list, dimension))
OP(never, Stack, (L list, std::int64_t dimension, T out), out << at::stack(*list, dimension))
OP(never, ConstantPadNd, (T a, I pads, S value, T out), out << at::constant_pad_nd(*a, pads, *value))
OP(never, Tril, (T a, std::int64_t diagonal, T out), out << at::tril(*a, diagonal))
OP(never, Triu, (T a, std::int64_t diagonal, T out), out << at::triu(*a, diagonal))
OP(never, Repeat, (T a, I repeats, T out), out << (*a).repeat(repeats))
OP(never, SWhere, (T condition, T a, T b, T out), out << at::where(*condition, *a, *b))
OP(never, InplaceMaskedFillScalar, (T a, T mask, S value), a << at::masked_fill(*a, *mask, *value))
OP(never, InplaceMaskedFillTensor, (T a, T mask, T value), a << at::masked_fill(*a, *mask, *value))

OP(never, Embedding, (T weight, T indices, T out), out << at::embedding(*weight, *indices))
OP(sum, EmbeddingDenseBackward, (T g, T indices, std::int64_t rows, std::int64_t padding, bool by_frequency, T out),
   out << at::embedding_dense_backward(*g, *indices, rows, padding, by_frequency))
OP(never, IndexSelect, (T a, std::int64_t dimension, T indices, T out), out << at::index_select(*a, dimension, *indices))
OP(never, Gather, (T a, std::int64_t dimension, T indices, T out), out << at::gather(*a, dimension, *indices))
OP(tensor, ScatterAdd, (T a, std::int64_t dimension, T indices, T source, T out),
   out << at::scatter_add(*a, dimension, *indices, *source))

static c10::List<c10::optional<at::Tensor>> indices_of(const L& list) {
  c10::List<c10::optional<at::Tensor>> indices;  // an empty one stands for a whole dimension
  for (const at::Tensor& one : *list) indices.push_back(one.numel() ? c10::make_optional(one) : c10::nullopt);
  return indices;
}
OP(never, Index, (T a, L indices, T out), out << at::index(*a, indices_of(indices)))
OP(never, IndexPutImpl, (T a, L indices, T values, bool accumulate, bool),
   a << at::index_put(*a, indices_of(indices), *values, accumulate))
OP(never, MaskedSelect, (T a, T mask, T out), const at::Tensor found = at::masked_select(*a, *mask);
   out.written().flatten().narrow(0, 0, found.numel()).copy_(found);
   const_cast<aclTensor*>(out.tensor)->sizes = {found.numel()})  // torch_npu made room for all, and asks how many there are
OP(never, Sort, (T a, bool stable, std::int64_t dimension, bool descending, T values, T indices),
   const auto [sorted, from] = at::sort(*a, stable, dimension, descending);
   values << sorted; indices << from)
