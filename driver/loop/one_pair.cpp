#include "driver/loop/one_pair.hpp"

#include <fmt/format.h>

#include "driver/baseline/recorded_curve.hpp"
#include "driver/judge/preflight.hpp"
#include "driver/judge/panel.hpp"
#include "driver/trial/run_tag.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {
namespace {

constexpr std::size_t kReference = 1, kSubject = 2;  // numbers of the two trials

class Pair {
 public:
  Pair(const configs::Experiment& experiment, Sides& sides, launch::Launcher& launcher, const std::filesystem::path& folder)
      : experiment_(experiment), sides_(sides), folder_(folder),
        attempts_(launcher, experiment.metrics, make_run_tag(folder), 0, [](const RunningAttempt&) { return false; }) {}

  OnePair operator()() {
    if (!experiment_.reference.curve) start(sides_.reference, kReference, "reference");
    start(sides_.subject, kSubject, "subject");
    while (attempts_.any_running() && attempts_.signal_number() == 0)
      for (const AttemptOutcome& outcome : attempts_.wait()) take_in(outcome);
    result_.signal_number = attempts_.signal_number();
    if (result_.signal_number)
      attempts_.stop_all();
    else
      compare();
    return std::move(result_);
  }

 private:
  void start(LaunchSide& side, std::size_t number, const char* name) {
    AttemptRequest request{.trial = number, .side = &side, .folder = folder_ / name, .steps = experiment_.steps};
    if (experiment_.steps) request.last_steps[experiment_.metrics.front().name] = *experiment_.steps;
    if (number == kSubject)
      request.recipe = neutralise::recipe_for(experiment_, {}, {}, side.environment);
    attempts_.start(std::move(request), side.pool->acquire().value());
  }

  void take_in(const AttemptOutcome& outcome) {
    const char* name = outcome.trial == kReference ? "reference" : "subject";
    if (!can_be_judged(outcome)) {
      result_.problems.push_back(fmt::format("{}: {}", name, outcome.errors.empty() ? outcome.text : outcome.errors.front()));
      return;
    }
    for (const std::string& note : outcome.notes) result_.warnings.push_back(fmt::format("{}: {}", name, note));
    const auto series = outcome.curve.series.find(experiment_.metrics.front().name);
    if (series == outcome.curve.series.end() || series->second.empty()) {
      result_.problems.push_back(fmt::format("{}: it ended well, but logged no {}", name, experiment_.metrics.front().name));
      return;
    }
    const judge::Point& last = series->second.back();
    result_.lines.push_back(fmt::format("{}: {} points in {}, the last is step {}: {} {:g}", name, series->second.size(),
                                        reports::duration_text(outcome.duration_s), last.step, series->first, last.value));
    (outcome.trial == kReference ? references_.emplace_back() : subject_) = outcome.curve;
  }

  void compare() {
    if (experiment_.reference.curve) references_ = recorded_curves(experiment_);
    if (!result_.problems.empty()) return;
    const configs::Metric& metric = experiment_.metrics.front();
    const auto panel = judge::Panel::seat(
        experiment_.accept, {.name = metric.name, .higher_is_better = metric.higher_is_better}, references_);
    if (!panel) {
      result_.problems.push_back(fmt::format("the reference cannot be used: {}. {}", panel.error().message, panel.error().hint));
      return;
    }
    for (const judge::Finding& finding : panel->findings())
      if (finding.code != "no-repeats" && finding.code != "two-references")  // this was one run, a search makes more
        (finding.error ? result_.problems : result_.warnings).push_back(finding.text);
    const judge::Judgement judgement = panel->judge(std::span(&subject_, 1));
    const auto sentence = fmt::format("the subject differs by {}: {}", reports::percent_text(judgement.delta), judgement.text);
    (judgement.verdict == strategies::Verdict::unresolved ? result_.problems : result_.lines).push_back(sentence);
  }

  const configs::Experiment& experiment_;
  Sides& sides_;
  std::filesystem::path folder_;
  Attempts attempts_;
  std::vector<judge::Curve> references_;
  judge::Curve subject_;
  OnePair result_;
};

}  // namespace

OnePair run_one_pair(const configs::Experiment& experiment, Sides& sides, launch::Launcher& launcher,
                     const std::filesystem::path& folder) {
  return Pair(experiment, sides, launcher, folder)();
}

}  // namespace bisectd::driver
