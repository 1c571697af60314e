#include "host_tensor.hpp"

#include <cstdlib>
#include <cstring>

#include "half.hpp"

namespace standin {
namespace {

constexpr std::size_t kPadding = 64;  // bytes; vectorised CPU kernels may read a little beyond the end

std::size_t bytes_of(const phi::DenseTensorMeta& meta) {
  return static_cast<std::size_t>(phi::product(meta.dims)) * phi::SizeOf(meta.dtype);
}

// Only the padding is cleared.
phi::DenseTensor host_empty(const phi::DenseTensorMeta& given) {
  phi::DenseTensorMeta meta = given;
  meta.offset = 0;
  const std::size_t bytes = bytes_of(meta);
  // Aligned as the device's own memory is: vectorised kernels add up in another order where it begins elsewhere, and then no
  // run repeats another.
  const std::size_t size = (bytes / kPadding + 2) * kPadding;
  auto* memory = static_cast<char*>(std::aligned_alloc(kPadding, size));
  std::memset(memory + bytes, 0, size - bytes);
  auto* allocation = new phi::Allocation(memory, bytes, phi::CPUPlace());
  std::shared_ptr<phi::Allocation> holder(allocation, [memory](phi::Allocation* gone) {
    std::free(memory);
    delete gone;
  });
  return phi::DenseTensor(holder, meta);
}

phi::DenseTensor with_type(const phi::DenseTensor& tensor, phi::DataType type) {
  phi::DenseTensorMeta meta = tensor.meta();
  meta.dtype = type;
  return host_empty(meta);
}

}  // namespace

phi::DenseTensor host_view(const phi::DenseTensor& tensor) {
  phi::DenseTensorMeta meta = tensor.meta();
  auto holder = std::make_shared<phi::Allocation>(const_cast<void*>(tensor.data()), bytes_of(meta), phi::CPUPlace());
  meta.offset = 0;  // data() has it in already
  return phi::DenseTensor(holder, meta);
}

phi::DenseTensor host_zeros(const phi::DenseTensorMeta& meta) {
  phi::DenseTensor zeros = host_empty(meta);
  std::memset(zeros.data(), 0, bytes_of(meta));
  return zeros;
}

phi::DenseTensor host_copy(const phi::DenseTensor& tensor) {
  phi::DenseTensor copy = host_empty(tensor.meta());
  std::memcpy(copy.data(), tensor.data(), bytes_of(tensor.meta()));
  return copy;
}

phi::DenseTensor to_float32(const phi::DenseTensor& half) {
  phi::DenseTensor single = with_type(half, phi::DataType::FLOAT32);
  widen(static_cast<const std::uint16_t*>(half.data()), static_cast<float*>(single.data()),
        static_cast<std::size_t>(half.numel()));
  return single;
}

phi::DenseTensor to_float16(const phi::DenseTensor& single) {
  phi::DenseTensor half = with_type(single, phi::DataType::FLOAT16);
  narrow(static_cast<const float*>(single.data()), static_cast<std::uint16_t*>(half.data()),
         static_cast<std::size_t>(single.numel()));
  return half;
}

}  // namespace standin
