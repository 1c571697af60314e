// The same verdict for logs that already exist, as a small table; what `bisectd compare` shows. Renders nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "driver/judge/preflight.hpp"
#include "driver/judge/standard.hpp"
#include "driver/judge/verdict.hpp"

namespace bisectd::driver::judge {

/// A curve with the name people know it by (a file, a run).
struct NamedCurve {
  std::string name;
  Curve curve;
};

inline constexpr std::size_t kCourse = 60;

/// One candidate and one metric.
struct ComparisonRow {
  std::string candidate, metric;
  Judgement judgement;
  std::optional<ByStandard> by_standard;  ///< of the standard that is named; empty: none is
  std::vector<double> course;  ///< mean difference in each of kCourse equal stretches of the run; NaN where there is none
};

struct ComparisonTable {
  std::vector<ComparisonRow> rows;                                ///< by candidate, then by metric, in the order given
  std::vector<Finding> findings;                                  ///< of the references, for every metric
  strategies::Verdict verdict = strategies::Verdict::unresolved;  ///< of all: fail, then unresolved, inconclusive, pass
};

/// Judges each candidate on its own against all references. Problems: those of prepare_reference, and no-metric or
/// no-candidate for empty lists. Candidates are no repeats of each other: nothing is pooled.
tl::expected<ComparisonTable, Problem> compare(const configs::Acceptance& accept, std::span<const NamedCurve> references,
                                               std::span<const NamedCurve> candidates, std::span<const MetricRule> metrics);

}  // namespace bisectd::driver::judge
