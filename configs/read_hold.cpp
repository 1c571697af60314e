// Reads `hold`, and `hold_by` of a preset, which says by which variables.
#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>

#include "configs/blocks.hpp"
#include "configs/placeholders.hpp"
#include "configs/reading.hpp"

namespace bisectd::configs {
namespace {

constexpr std::int64_t kLargestSeed = 4'294'967'295;  ///< NumPy and Python's hash take no larger one

std::map<std::string, std::string> read_means(const Value* block, const std::string& what, std::vector<std::string> words,
                                              Problems& problems) {
  std::map<std::string, std::string> means;
  if (!block) return means;
  words.insert(words.end(), kFamilyPlaceholders.begin(), kFamilyPlaceholders.end());
  for (const auto& [name, value] : read_environment(*block, what, problems)) {
    placeholders_in(value, words, problems);
    means.emplace(name, value.value);
  }
  return means;
}

}  // namespace

HoldMeans read_hold_means(const Value& block, Problems& problems) {
  MapReader reader(block, "hold_by", problems);
  HoldMeans means{.seed = read_means(reader.find("seed"), "hold_by.seed", {"value"}, problems),
                  .deterministic = read_means(reader.find("deterministic"), "hold_by.deterministic", {}, problems)};
  reader.refuse_other_keys();
  return means;
}

Hold read_hold(const Value& block, const HoldMeans& means, Problems& problems) {
  Hold hold;
  hold.place = block.place;
  MapReader reader(block, "hold", problems);
  std::int64_t seed = 0;
  if (reader.read(
          "seed", [](const Value& value) { return whole_number_of(value, 0, kLargestSeed); }, seed))
    hold.seed = seed;
  reader.read("deterministic", boolean_of, hold.deterministic);
  if (reader.is_map() && block.entries.empty())
    problems.add(block.place, "`hold` holds nothing", "for example {seed: 1024, deterministic: true}");
  reader.refuse_other_keys();
  const auto take = [&](const char* key, const std::map<std::string, std::string>& variables) {
    if (variables.empty())
      problems.add(
          reader.find(key)->place, fmt::format("nothing says how `{}` is held", key),
          "a preset does, for example `extends: paddle-npu`; or `hold_by: {" + std::string(key) + ": {VARIABLE: value}}`");
    for (const auto& [name, value] : variables)
      hold.environment[name] = hold.seed ? boost::replace_all_copy(value, "{value}", std::to_string(*hold.seed)) : value;
  };
  if (hold.seed) take("seed", means.seed);
  if (hold.deterministic) take("deterministic", means.deterministic);
  return hold;
}

}  // namespace bisectd::configs
