// Standards by which others sign a migration, as they publish them. What they say stands beside a verdict and changes none.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bisectd::configs {

/// An error within either of these is accepted; 0: only the other one counts.
struct Tolerance {
  double absolute = 0;
  double relative = 0;  ///< a fraction
};

struct Standard {
  std::string_view name;
  std::string_view whose;          ///< for sentences: "the standard of ..."
  std::optional<Tolerance> first;  ///< of the first value
  std::optional<Tolerance> mean;   ///< of the mean error of all values, sizes only
  std::optional<Tolerance> each;   ///< of every value
};

inline constexpr std::array<Standard, 4> kStandards{{
    // mindspore-ai/docs, mindformers/docs/source_zh_cn/advanced_development/precision_optimization.md, "loss" standard
    {"mindformers", "MindFormers", Tolerance{0.005, 0.005}, Tolerance{0.01, 0.01}, std::nullopt},
    // Ascend/msprobe, docs/zh/best_practices/train_debug_guide.md, 1.3: a mean error over 1 % is out of line, be it of the
    // first steps (of which the first is taken here) or of a long run
    {"msprobe", "msprobe's guide", Tolerance{0, 0.01}, Tolerance{0, 0.01}, std::nullopt},
    // volcengine/verl, docs/ascend/ascend.md: the mean error of the loss over all steps is expected below 2 %
    {"verl", "verl", std::nullopt, Tolerance{0, 0.02}, std::nullopt},
    // Ascend/MindSpeed-LLM, tests/test_tools/test_ci_st.py: each lm loss within 2 % of its baseline
    {"mindspeed", "MindSpeed-LLM's CI", std::nullopt, std::nullopt, Tolerance{0, 0.02}},
}};

inline std::vector<std::string> names_of_standards() {
  std::vector<std::string> names;
  for (const Standard& standard : kStandards) names.emplace_back(standard.name);
  return names;
}

/// The one of this name; null if there is none.
constexpr const Standard* standard_named(std::string_view name) {
  const auto* found = std::ranges::find(kStandards, name, &Standard::name);
  return found == kStandards.end() ? nullptr : found;
}

}  // namespace bisectd::configs
