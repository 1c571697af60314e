#include "host_tensor.hpp"

#include <cstdlib>
#include <cstring>

#include "paddle/phi/common/float16.h"

namespace standin {
namespace {

constexpr std::size_t kPadding = 64;  // bytes; vectorised CPU kernels may read a little beyond the end

std::size_t bytes_of(const phi::DenseTensorMeta& meta) {
  return static_cast<std::size_t>(phi::product(meta.dims)) * phi::SizeOf(meta.dtype);
}

phi::DenseTensor with_type(const phi::DenseTensor& tensor, phi::DataType type) {
  phi::DenseTensorMeta meta = tensor.meta();
  meta.dtype = type;
  return host_zeros(meta);
}

template <class To, class From>
phi::DenseTensor converted(const phi::DenseTensor& tensor, phi::DataType type) {
  phi::DenseTensor result = with_type(tensor, type);
  const auto* from = static_cast<const From*>(tensor.data());
  auto* to = static_cast<To*>(result.data());
  for (std::int64_t i = 0; i < tensor.numel(); ++i) to[i] = static_cast<To>(from[i]);
  return result;
}

}  // namespace

phi::DenseTensor host_view(const phi::DenseTensor& tensor) {
  phi::DenseTensorMeta meta = tensor.meta();
  auto holder = std::make_shared<phi::Allocation>(const_cast<void*>(tensor.data()), bytes_of(meta), phi::CPUPlace());
  meta.offset = 0;  // data() has it in already
  return phi::DenseTensor(holder, meta);
}

phi::DenseTensor host_zeros(const phi::DenseTensorMeta& given) {
  phi::DenseTensorMeta meta = given;
  meta.offset = 0;
  const std::size_t bytes = bytes_of(meta);
  // Aligned as the device's own memory is: vectorised kernels add up in another order where it begins elsewhere, and then no
  // run repeats another.
  const std::size_t size = (bytes / kPadding + 2) * kPadding;
  void* memory = std::memset(std::aligned_alloc(kPadding, size), 0, size);
  auto* allocation = new phi::Allocation(memory, bytes, phi::CPUPlace());
  std::shared_ptr<phi::Allocation> holder(allocation, [memory](phi::Allocation* gone) {
    std::free(memory);
    delete gone;
  });
  return phi::DenseTensor(holder, meta);
}

phi::DenseTensor host_copy(const phi::DenseTensor& tensor) {
  phi::DenseTensor copy = host_zeros(tensor.meta());
  std::memcpy(copy.data(), tensor.data(), bytes_of(tensor.meta()));
  return copy;
}

phi::DenseTensor to_float32(const phi::DenseTensor& half) {
  return converted<float, phi::dtype::float16>(half, phi::DataType::FLOAT32);
}

phi::DenseTensor to_float16(const phi::DenseTensor& single) {
  return converted<phi::dtype::float16, float>(single, phi::DataType::FLOAT16);
}

}  // namespace standin
