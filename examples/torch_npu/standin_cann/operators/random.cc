// Random numbers of the device's own, and dropout, whose mask is packed bits.
#include <ATen/CPUGeneratorImpl.h>

#include "hash.hpp"
#include "operator.hpp"

using namespace standin_cann;

static at::Generator generator(std::int64_t seed, std::int64_t offset) {
  return at::detail::createCPUGenerator(
      standin::mix(standin::mix(static_cast<std::uint64_t>(seed)) + static_cast<std::uint64_t>(offset)));
}
OP(never, InplaceNormal, (T a, float mean, float deviation, std::int64_t seed, std::int64_t offset),
   a.written().normal_(mean, deviation, generator(seed, offset)))
OP(never, InplaceUniform, (T a, double from, double to, std::int64_t seed, std::int64_t offset),
   a.written().uniform_(from, to, generator(seed, offset)))
OP(never, InplaceRandom, (T a, std::int64_t from, std::int64_t to, std::int64_t seed, std::int64_t offset),
   a.written().random_(from, to, generator(seed, offset)))

at::Tensor standin_cann::unpacked(const at::Tensor& mask, at::IntArrayRef sizes) {
  const std::int64_t numbers = c10::multiply_integers(sizes);
  TORCH_CHECK(mask.nbytes() * 8 >= static_cast<std::size_t>(numbers), "the mask of ", mask.nbytes(),
              " bytes is too short for ", sizes);
  const at::Tensor bits =
      mask.view(at::kByte).flatten().unsqueeze(1).bitwise_right_shift(at::arange(8, at::kByte)).bitwise_and(1);
  return bits.flatten().narrow(0, 0, numbers).view(sizes);
}
// A bit for each number; 1 keeps it.
OP(never, DropoutGenMaskV2, (I, double p, std::int64_t seed, std::int64_t offset, aclDataType, T mask),
   const at::Tensor to = mask.written();
   const at::Tensor keeps = at::rand({to.numel(), 8}, generator(seed, offset)) >= p; to.view(at::kByte).copy_(
       (keeps.to(at::kByte) * at::pow(2, at::arange(8, at::kInt)).to(at::kByte)).sum(1).view(to.sizes())))
OP(number, DropoutDoMask, (T x, T mask, double p, T out), const at::Tensor a = *x;
   out << a * unpacked(*mask, a.sizes()) / (1 - p))
