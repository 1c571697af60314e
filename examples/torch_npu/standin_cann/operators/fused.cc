// Fused operators of large language models: attention, RMS norm, SwiGLU, rotary positions.
#include <limits>

#include "operator.hpp"

using namespace standin_cann;
using at::Tensor;

namespace {

// Tensors of attention as [batch, heads, sequence, of a head], in float32.
Tensor by_heads(const Tensor& t, const std::string& layout, std::int64_t heads) {
  const Tensor x = t.to(at::kFloat);
  if (layout == "BNSD") return x;
  if (layout == "BSND") return x.transpose(1, 2);
  const Tensor split = x.unflatten(2, {heads, x.size(2) / heads});
  if (layout == "BSH") return split.transpose(1, 2);
  TORCH_CHECK(layout == "SBH", "attention's layout is ", layout, "; BNSD, BSND, BSH and SBH are known");
  return split.permute({1, 2, 0, 3});
}

Tensor in_layout(const Tensor& x, const std::string& layout) {
  if (layout == "BNSD") return x;
  if (layout == "BSND") return x.transpose(1, 2);
  return (layout == "BSH" ? x.transpose(1, 2) : x.permute({2, 0, 1, 3})).flatten(2);
}

// Scores of attention, -inf where it is masked. sparse: 2 is causal from the upper left corner, 3 from the lower right one.
Tensor scores(const Tensor& q, const Tensor& k, const c10::optional<Tensor>& mask, double scale, std::int64_t sparse) {
  const Tensor s = at::matmul(q, k.transpose(-1, -2)) * scale;
  const float minus_infinity = -std::numeric_limits<float>::infinity();
  if (sparse == 2 || sparse == 3) {
    const Tensor above = at::ones({s.size(-2), s.size(-1)}, at::kBool).triu(sparse == 2 ? 1 : 1 + s.size(-1) - s.size(-2));
    return s.masked_fill(above, minus_infinity);
  }
  TORCH_CHECK(sparse <= 1, "attention's sparse mode is ", sparse, "; 0 to 3 are known");
  return mask ? s.masked_fill(mask->to(at::kBool), minus_infinity) : s;
}

Tensor dropped(const Tensor& s, const c10::optional<Tensor>& mask, double keep) {
  TORCH_CHECK(mask || keep == 1, "attention is to drop, and there is no mask");
  return mask ? s * unpacked(*mask, s.sizes()) / keep : s;
}

struct Heads {  // keys and values repeated, one for each head of the queries
  Tensor q, k, v;
  std::int64_t kept, repeats;
};
Heads heads_of(const Tensor& q, const Tensor& k, const Tensor& v, const std::string& layout, std::int64_t heads) {
  const bool flat = layout == "BSH" || layout == "SBH";
  const std::int64_t kept = flat ? heads * k.size(2) / q.size(2) : 0;
  const Tensor keys = by_heads(k, layout, kept), values = by_heads(v, layout, kept), queries = by_heads(q, layout, heads);
  const std::int64_t repeats = queries.size(1) / keys.size(1);
  return {queries, keys.repeat_interleave(repeats, 1), values.repeat_interleave(repeats, 1), keys.size(1), repeats};
}

Ints dimensions(std::int64_t from, std::int64_t to) {
  Ints all;
  for (; from < to; ++from) all.push_back(from);
  return all;
}

Tensor rotated(const Tensor& x, std::int64_t interleaved) {
  if (interleaved) return at::stack({-x.slice(-1, 1, c10::nullopt, 2), x.slice(-1, 0, c10::nullopt, 2)}, -1).flatten(-2);
  const auto halves = x.chunk(2, -1);
  return at::cat({-halves[1], halves[0]}, -1);
}

}  // namespace

OP_WITH_TEXT(tensor, FlashAttentionScore,
             (T q, T k, T v, T shift, T drop, T, T mask, I, double scale, double keep, std::int64_t, std::int64_t,
              std::int64_t heads, char* layout, std::int64_t, std::int64_t sparse, T most, T sum, T, T out),
             layout, TORCH_CHECK(!shift, "attention with position shifts is not there");
             const Heads by = heads_of(*q, *k, *v, text, heads); const Tensor s = scores(by.q, by.k, mask, scale, sparse);
             const Tensor greatest = s.amax(-1, true);
             const Tensor terms = (s - greatest).exp(), total = terms.sum(-1, true);
             if (most) most << greatest.expand(most.tensor->sizes); if (sum) sum << total.expand(sum.tensor->sizes);
             out << in_layout(at::matmul(dropped(terms / total, drop, keep), by.v), text))
OP_WITH_TEXT(
    tensor, FlashAttentionScoreGrad,
    (T q, T k, T v, T g, T, T drop, T, T mask, T, T, T, T, I, double scale, double keep, std::int64_t, std::int64_t,
     std::int64_t heads, char* layout, std::int64_t, std::int64_t sparse, T gq, T gk, T gv, T),
    layout, const Heads by = heads_of(*q, *k, *v, text, heads);
    const Tensor to_y = by_heads(*g, text, heads); const Tensor p = at::softmax(scores(by.q, by.k, mask, scale, sparse), -1);
    const Tensor to_p = dropped(at::matmul(to_y, by.v.transpose(-1, -2)), drop, keep);
    const Tensor to_scores = p * (to_p - (to_p * p).sum(-1, true)) * scale;
    const auto summed =
        [&](const Tensor& x) {
          return x.unflatten(1, {by.kept, by.repeats}).sum(2);
        };
    gq << in_layout(at::matmul(to_scores, by.k), text);
    gk << in_layout(summed(at::matmul(to_scores.transpose(-1, -2), by.q)), text);
    gv << in_layout(summed(at::matmul(dropped(p, drop, keep).transpose(-1, -2), to_y)), text))

OP(tensor, RmsNorm, (T x, T weight, double epsilon, T out, T scale), const Tensor a = (*x).to(at::kFloat), w = *weight;
   const Tensor s = (a.square().mean(dimensions(a.dim() - w.dim(), a.dim()), true) + epsilon).rsqrt(); out << a * s * w;
   scale << s)
OP(tensor, RmsNormGrad, (T g, T x, T scale, T weight, T gx, T gweight), const Tensor to_y = (*g).to(at::kFloat), s = *scale,
   w = *weight;
   const Tensor normal = (*x).to(at::kFloat) * s, scaled = to_y * w; const std::int64_t rows = normal.dim() - w.dim();
   gx << s * (scaled - normal * (scaled * normal).mean(dimensions(rows, normal.dim()), true));
   gweight << (rows ? (to_y * normal).sum(dimensions(0, rows)) : to_y * normal))
OP(number, SwiGlu, (T x, std::int64_t dimension, T out), const auto halves = (*x).chunk(2, dimension);
   out << at::silu(halves[0]) * halves[1])
OP(number, SwiGluGrad, (T g, T x, std::int64_t dimension, T gx), const auto halves = (*x).chunk(2, dimension);
   const Tensor to_y = *g;
   gx << at::cat({at::silu_backward(to_y * halves[1], halves[0]), to_y* at::silu(halves[0])}, dimension))
OP(tensor, RotaryPositionEmbedding, (T x, T cosine, T sine, std::int64_t mode, T out), const Tensor a = *x;
   out << a * *cosine + rotated(a, mode) * *sine)
