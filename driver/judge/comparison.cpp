// See comparison.hpp.
#include "driver/judge/comparison.hpp"

#include <algorithm>

#include "driver/judge/jury.hpp"

namespace bisectd::driver::judge {

tl::expected<ComparisonTable, Problem> compare(const configs::Acceptance& accept,
                                               std::span<const NamedCurve> references,
                                               std::span<const NamedCurve> candidates,
                                               std::span<const MetricRule> metrics) {
  if (metrics.empty()) return tl::unexpected(Problem{"no-metric", "there is no metric to compare", "name a metric"});
  if (candidates.empty()) return tl::unexpected(Problem{"no-candidate", "there is no candidate to compare", ""});
  std::vector<Curve> runs;
  for (const NamedCurve& reference : references) runs.push_back(reference.curve);
  // A log that exists cannot be repeated: the first look is the last.
  configs::Acceptance once = accept;
  once.max_repeats = 1;
  std::vector<Reference> prepared;
  ComparisonTable table;
  for (const MetricRule& metric : metrics) {
    auto reference = prepare_reference(once, runs, metric);
    if (!reference) return tl::unexpected(std::move(reference.error()));
    for (Finding& finding : preflight(*reference, {}).findings) table.findings.push_back(std::move(finding));
    prepared.push_back(*std::move(reference));
  }
  std::vector<Judgement> judgements;
  for (const NamedCurve& candidate : candidates) {
    for (const Reference& reference : prepared) {
      judgements.push_back(judge(reference, std::span(&candidate.curve, 1), {}));
      table.rows.push_back({candidate.name, reference.metric.name, judgements.back()});
    }
  }
  table.verdict = overall(judgements).verdict;
  return table;
}

}  // namespace bisectd::driver::judge
