#include "driver/align/statistics.hpp"

#include <cmath>

namespace bisectd::driver::align {

std::optional<Described> described(const Statistics& statistics) {
  if (!statistics.max && !statistics.min && !statistics.mean && !statistics.norm) return std::nullopt;
  Described tensor{.shape = statistics.shape, .dtype = statistics.dtype};
  const auto finite = [&tensor](const std::optional<double>& figure) {
    if (figure && !std::isfinite(*figure)) tensor.nonfinite = 1;
    return figure && std::isfinite(*figure) ? *figure : 0.0;
  };
  tensor.max = finite(statistics.max);
  tensor.min = finite(statistics.min);
  tensor.mean = finite(statistics.mean);
  tensor.norm = finite(statistics.norm);
  for (const auto& extreme : {statistics.max, statistics.min})
    if (extreme) tensor.sample.push_back(*extreme);
  if (tensor.sample.empty() && !statistics.norm) tensor.sample.push_back(*statistics.mean);
  return tensor;
}

}  // namespace bisectd::driver::align
