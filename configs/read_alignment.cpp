// Reads `align`: how one step is written down, and how much two sides may differ in it.
#include <fmt/format.h>

#include "configs/blocks.hpp"
#include "configs/placeholders.hpp"
#include "configs/reading.hpp"

namespace bisectd::configs {

std::optional<Alignment> read_alignment(const Value& block, Problems& problems) {
  Alignment alignment;
  alignment.place = block.place;
  MapReader reader(block, "align", problems);
  const Value* environment = reader.require(
      "environment", "the variable that tells a training where to write; presets of PaddlePaddle and PyTorch have it");
  if (environment && reader.read("environment", text_of, alignment.environment))
    check_variable_name(alignment.environment, environment->place, problems);
  if (const Value* needs = reader.find("needs"))
    for (const auto& [name, value] : read_environment(*needs, "align.needs", problems)) {
      placeholders_in(value, {kFamilyPlaceholders.begin(), kFamilyPlaceholders.end()}, problems);
      alignment.needs.emplace(name, value.value);
    }
  reader.read("bound", share_of, alignment.bound);
  reader.refuse_other_keys();
  return alignment;
}

}  // namespace bisectd::configs
