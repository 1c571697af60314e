// Reads `overflow_check`: by which variables a framework is made to name the first operator that gives an inf or a nan.
#include "configs/blocks.hpp"
#include "configs/pattern.hpp"
#include "configs/read_observation.hpp"
#include "configs/reading.hpp"

namespace bisectd::configs {

std::optional<OverflowCheck> read_overflow_check(const Value& block, Problems& problems) {
  OverflowCheck check;
  check.place = block.place;
  MapReader reader(block, "overflow_check", problems);
  reader.require("environment",
                 "variables that turn the framework's own check on; presets of PaddlePaddle and PyTorch have them");
  check.environment = read_variables(reader, problems);
  if (const Value* first = reader.require("first", "RE2 with the group `value`: the line that names the operator"))
    check.first = read_pattern(*first, "overflow_check.first", "value", {}, problems);
  reader.refuse_other_keys();
  return check;
}

}  // namespace bisectd::configs
