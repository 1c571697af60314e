// See comparison.hpp.
#include "driver/judge/comparison.hpp"

#include "driver/judge/jury.hpp"
#include "driver/judge/length.hpp"

namespace bisectd::driver::judge {
namespace {

std::vector<double> course_of(const Reference& reference, const Curve& candidate) {
  const Difference course = difference(reference, candidate);
  const std::size_t points = reference.steps.size();
  std::vector<double> means;
  for (std::size_t i = 0; i < kCourse; ++i) {
    // With fewer points than stretches some points fill several.
    const std::size_t from = i * points / kCourse;
    const Places places{from, std::max(from + 1, (i + 1) * points / kCourse)};
    means.push_back(values_in(course, places).empty() ? std::nan("") : level_in(reference, course, places));
  }
  return means;
}

/// A run may end well where its reference ends, and be lost after that.
void require_reference_to_the_end(const Panel& panel, const Curve& candidate, Judgement& judgement) {
  const auto behind = uncovered(panel.whole(), candidate);
  if (!behind) return;
  if (!behind->not_finite || judgement.verdict != strategies::Verdict::pass) {
    judgement.notes.push_back(behind->text);
    return;
  }
  judgement.verdict = strategies::Verdict::inconclusive;
  judgement.reason = "reference-too-short";
  judgement.text = behind->text;
  judgement.p_bad = 0.5;
}

}  // namespace

tl::expected<ComparisonTable, Problem> compare(const configs::Acceptance& accept, std::span<const NamedCurve> references,
                                               std::span<const NamedCurve> candidates, std::span<const MetricRule> metrics) {
  if (metrics.empty()) return tl::unexpected(Problem{"no-metric", "there is no metric to compare", "name a metric"});
  if (candidates.empty()) return tl::unexpected(Problem{"no-candidate", "there is no candidate to compare", ""});
  std::vector<Curve> runs;
  for (const NamedCurve& reference : references) runs.push_back(reference.curve);
  // A log that exists cannot be repeated: the first look is the last.
  configs::Acceptance once = accept;
  once.max_repeats = 1;
  std::vector<Panel> panels;
  ComparisonTable table;
  for (const MetricRule& metric : metrics) {
    auto panel = Panel::seat(once, metric, runs);
    if (!panel) return tl::unexpected(std::move(panel.error()));
    for (Finding& finding : panel->findings()) table.findings.push_back(std::move(finding));
    panels.push_back(*std::move(panel));
  }
  std::vector<Judgement> judgements;
  for (const NamedCurve& candidate : candidates) {
    for (const Panel& panel : panels) {
      judgements.push_back(panel.judge(std::span(&candidate.curve, 1)));
      require_reference_to_the_end(panel, candidate.curve, judgements.back());
      table.rows.push_back({candidate.name, panel.whole().metric.name, judgements.back(),
                            by_standard(panel.whole(), candidate.curve), course_of(panel.whole(), candidate.curve)});
    }
  }
  table.verdict = overall(judgements).verdict;
  return table;
}

}  // namespace bisectd::driver::judge
