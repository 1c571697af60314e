// What the curves of a few runs show of the night to come. Pure: curves in, lines out.
#include "driver/loop/pilot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/judge/length.hpp"
#include "driver/trial/samples.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {
namespace {

using Mark = PilotLine::Mark;
using strategies::Verdict;

constexpr std::int64_t kPlaces = 100;  ///< at which it is looked whether the failure is certain

/// What is known of the runs of one metric.
void say_spread(const judge::Panel& panel, std::vector<PilotLine>& lines) {
  const judge::Reference& reference = panel.whole();
  const std::string& metric = reference.metric.name;
  if (panel.by_chance())
    lines.push_back(
        {Mark::ok,
         fmt::format("{} varies from run to run by {:.2g} % (standard deviation), from the first steps on: that is "
                     "no rounding, and repeats measure it",
                     metric, 100 * panel.noise())});
  else if (reference.apart.known())
    lines.push_back({Mark::ok, fmt::format("{}: runs moved by more than any rounding end {:.2g} % apart", metric,
                                           100 * reference.apart.in(reference.window))});
}

PilotLine verdict_line(const judge::Judgement& judgement) {
  const std::string deviation = judgement.decided_by
                                    ? judgement.decided_by->metric + " " + reports::percent_text(judgement.decided_by->delta)
                                    : reports::percent_text(judgement.delta);
  const auto said = [&](Mark mark, const char* what) {
    return PilotLine{mark, fmt::format("the subject as it is {} ({}): {}", what, deviation, judgement.text)};
  };
  switch (judgement.verdict) {
    case Verdict::pass: return said(Mark::ok, "passes, so there is nothing to search");
    case Verdict::fail: return said(Mark::ok, "fails");
    case Verdict::inconclusive:
      return said(Mark::warning, "is undecided; a search compares trials with each other, and may need many");
    case Verdict::unresolved: break;
  }
  return said(Mark::error, "gives no verdict");
}

judge::Curve until(judge::Curve curve, std::int64_t step) {
  for (auto& [name, series] : curve.series)
    std::erase_if(series, [&](const judge::Point& point) { return point.step > step; });
  return curve;
}

/// The step at which a run was certain to fail, while it went on.
std::optional<std::int64_t> certain_at(const judge::Jury& jury, const judge::Curve& curve) {
  const std::int64_t start = jury.first().steps.front() - jury.first().stride, run = jury.first().last_step() - start;
  judge::AttemptWatch watch = jury.watch();
  for (std::int64_t place = 1; place < kPlaces; ++place)
    if (const std::int64_t step = start + place * run / kPlaces; watch.look(until(curve, step))) return step;
  return std::nullopt;
}

/// How short a run shows the failure.
void say_shortest(const configs::Experiment& experiment, const judge::Jury& jury, const judge::Curve& failing,
                  std::vector<PilotLine>& lines) {
  const std::int64_t last = jury.first().last_step(), start = jury.first().steps.front() - jury.first().stride;
  const auto certain = certain_at(jury, failing);
  const std::int64_t enough = std::max(certain ? 2 * *certain - start : last, start + (last - start) * 3 / 10);
  if (4 * (enough - start) > 3 * (last - start)) {
    lines.push_back({Mark::ok, certain
                                   ? fmt::format("the failure is certain at step {} of {}, where trials that fail end; to "
                                                 "pass they need the whole run, so no shorter one is proposed",
                                                 *certain, last)
                                   : fmt::format("the failure is not certain before the last step, {}, so no shorter "
                                                 "run shows it",
                                                 last)});
    return;
  }
  const std::string setting = experiment.steps ? fmt::format(" (`steps: {}`)", enough) : "";
  lines.push_back(
      {Mark::ok, fmt::format("a run of {} steps shows it with a margin{}: the failure is certain at step {} of {}, "
                             "where trials that fail end by themselves. It saves {} % of a trial that passes; where "
                             "the learning rate follows the length of the run, it is another training",
                             enough, setting, *certain, last, 100 * (last - enough) / last)});
}

}  // namespace

std::vector<PilotLine> pilot_findings(const configs::Experiment& experiment, judge::Jury jury,
                                      std::span<const judge::Curve> subject, const judge::Judgement& judgement) {
  std::vector<PilotLine> lines;
  jury.learn_identical(identical_repeats(subject));
  jury.learn_subject(subject, judge::AlreadyLearnt::yes);
  for (const judge::Panel& panel : jury.panels()) {
    say_spread(panel, lines);
    if (const auto behind = judge::uncovered(panel.whole(), subject.front()))
      lines.push_back({behind->not_finite ? Mark::error : Mark::warning, behind->text});
  }
  bool stops = judgement.verdict == Verdict::unresolved;
  for (const judge::Finding& finding : jury.findings()) {
    if (finding.code == "two-references") continue;  // of few runs
    const bool error =
        finding.error && !(finding.code == "too-noisy" && judgement.verdict == Verdict::fail);  // as in the night
    stops = stops || error;
    const std::string what_to_do = finding.options.empty() ? "" : fmt::format("; {}", fmt::join(finding.options, "; "));
    lines.push_back({error ? Mark::error : Mark::warning, finding.text + what_to_do});
  }
  lines.push_back(verdict_line(judgement));
  if (!stops && judgement.verdict == Verdict::fail) say_shortest(experiment, jury, subject.front(), lines);
  return lines;
}

}  // namespace bisectd::driver
