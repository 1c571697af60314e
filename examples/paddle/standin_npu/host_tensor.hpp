// Tensors in host memory: views, fresh ones, and the way between float16 and float32.
#pragma once

#include <memory>

#include "paddle/phi/core/dense_tensor.h"

namespace standin {

phi::DenseTensor host_view(const phi::DenseTensor& tensor);
phi::DenseTensor host_zeros(const phi::DenseTensorMeta& meta);
phi::DenseTensor host_copy(const phi::DenseTensor& tensor);

phi::DenseTensor to_float32(const phi::DenseTensor& half);
phi::DenseTensor to_float16(const phi::DenseTensor& single);

}  // namespace standin
