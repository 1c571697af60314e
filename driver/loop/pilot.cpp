#include "driver/loop/pilot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "configs/printable.hpp"
#include "driver/baseline/recorded_curve.hpp"
#include "driver/judge/running.hpp"
#include "driver/log/log.hpp"
#include "driver/loop/first_runs.hpp"
#include "driver/trial/samples.hpp"
#include "driver/trial/unread_metric.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {
namespace {

using Mark = PilotLine::Mark;

constexpr int kSubjectRuns = 2, kSubjectRunsAlone = 3;  ///< as in a search; the latter where the references show no spread

/// The runs of one side.
struct SideRuns {
  std::size_t trial = 0;
  const char* name = "";
  LaunchSide* side = nullptr;
  const std::optional<configs::Perturbation>* perturb = nullptr;
  int wanted = 0, launched = 0;
  std::vector<int> seeds_running;
  std::vector<AttemptOutcome> ended;
  std::vector<PilotLine> lines;  ///< what its runs showed by themselves
};

std::string times(int runs) { return runs == 1 ? "once" : runs == 2 ? "twice" : fmt::format("{} times", runs); }

class PilotRuns {
 public:
  PilotRuns(const configs::Experiment& experiment, Sides& sides, launch::Launcher& launcher,
            const std::filesystem::path& folder, Progress& progress)
      : experiment_(experiment),
        folder_(folder),
        progress_(progress),
        sides_{SideRuns{.trial = 0, .name = "reference", .side = &sides.reference, .perturb = &experiment.reference.perturb},
               SideRuns{.trial = 1, .name = "subject", .side = &sides.subject, .perturb = &experiment.subject.perturb}},
        attempts_(launcher, experiment.metrics, keep::make_run_tag(folder), 0, {}, [this](const RunningAttempt& running) {
          show(running);
          return false;
        }) {}

  Pilot operator()() {
    const bool recorded = experiment_.reference.is_recorded() || !compares_;
    const bool perturbs = experiment_.reference.perturb && !recorded;
    reference().wanted = recorded ? 0 : perturbs ? experiment_.reference.repeats : 1;
    subject().wanted = perturbs || experiment_.subject.perturb ? kSubjectRuns : 1;
    announce();
    PilotFindings findings;
    std::vector<judge::Curve> trusted, seen;
    do {
      run_wanted();
      if (is_over() || !compares_) break;
      trusted = recorded ? recorded_curves(experiment_) : whole_curves(reference().ended);
      seen = whole_curves(subject().ended);
      findings = pilot_findings(experiment_, trusted, seen);
    } while (wants_more(findings));
    Pilot result{.signal_number = attempts_.signal_number()};
    attempts_.stop_all();
    const auto tell = [&](const std::vector<PilotLine>& lines) {
      result.lines.insert(result.lines.end(), lines.begin(), lines.end());
    };
    for (SideRuns& one : sides_) {
      if (!is_over()) warn_of_perturbation(one);
      tell(one.lines);
    }
    tell(findings.lines);
    if (is_over() || !compares_) return result;
    const bool logs_tell = compare_logs(result);
    if (trusted.empty() || seen.empty()) return result;
    compare_learning_rates(trusted.front(), seen.front(), result);
    if (!logs_tell) compare_first_step(trusted.front(), seen.front(), result);
    return result;
  }

 private:
  SideRuns& reference() { return sides_[0]; }
  SideRuns& subject() { return sides_[1]; }
  bool is_over() const {
    return attempts_.signal_number() != 0 || std::ranges::any_of(sides_, [](const SideRuns& one) {
             return std::ranges::count(one.lines, Mark::error, &PilotLine::mark) > 0;
           });
  }

  /// What the patterns of `checks` find. Whether that tells of the batch or of the learning rate; also where nobody asked.
  bool compare_logs(Pilot& result) {
    const Facts trusted = logged_reference_facts(experiment_, folder_ / reference().name);
    const Facts seen = facts_in_logs(experiment_, experiment_.subject, folder_ / subject().name);
    const auto differences = differing_logs(experiment_, trusted, seen);
    for (const std::string& difference : differences) result.lines.push_back({Mark::error, "checks." + difference});
    result.unequal = !differences.empty();
    for (const std::string& line : one_sided_logs(experiment_, trusted, seen))
      result.lines.push_back({Mark::warning, "checks." + line});
    std::vector<std::string> nowhere;
    for (const configs::Check& check : experiment_.checks) {
      if (check.patterns.empty()) continue;
      if (!trusted.contains(check.name) && !seen.contains(check.name)) nowhere.push_back(check.name);
      else if (differences.empty() && is_compared(check, trusted, seen))
        result.lines.push_back({Mark::ok, fmt::format("checks.{}: the logs agree", check.name)});
    }
    if (!nowhere.empty())
      result.lines.push_back({Mark::ok, fmt::format("checks: neither log says anything of {}", fmt::join(nowhere, ", "))});
    const auto tells = [&](const configs::Check& check) {
      const bool meant = check.name.find("batch") != std::string::npos || check.name == "learning_rate";
      return meant && is_compared(check, trusted, seen);
    };
    return std::ranges::none_of(experiment_.checks, &configs::Check::standard) ||
           std::ranges::any_of(experiment_.checks, tells);
  }

  /// Where both sides print it with their values.
  static void compare_learning_rates(const judge::Curve& trusted, const judge::Curve& seen, Pilot& result) {
    constexpr double kPrinted = 2e-3;  // what three printed digits hide
    const auto there = trusted.series.find("learning_rate"), here = seen.series.find("learning_rate");
    if (there == trusted.series.end() || here == seen.series.end()) return;
    std::map<std::int64_t, double> wanted;
    for (const judge::Point& point : there->second) wanted[point.step] = point.value;
    std::size_t compared = 0;
    for (const judge::Point& point : here->second) {
      const auto at = wanted.find(point.step);
      if (at == wanted.end()) continue;
      ++compared;
      if (std::abs(point.value - at->second) <= kPrinted * std::abs(at->second)) continue;
      result.lines.push_back(
          {Mark::warning, fmt::format("checks: the learning rate is {:g} at step {} of the reference, and "
                                      "{:g} of the subject",
                                      at->second, point.step, point.value)});
      return;
    }
    if (compared > 0)
      result.lines.push_back({Mark::ok, fmt::format("checks: the learning rates agree at {} steps", compared)});
  }

  /// Two trainings that begin alike see the same data and the same initial parameters, whatever their logs say.
  void compare_first_step(const judge::Curve& trusted, const judge::Curve& seen, Pilot& result) const {
    const std::string& metric = experiment_.metrics.front().name;
    const auto there = trusted.series.find(metric), here = seen.series.find(metric);
    if (there == trusted.series.end() || here == seen.series.end() || there->second.empty() || here->second.empty()) return;
    const judge::Point &a = there->second.front(), &b = here->second.front();
    const double apart = std::abs(b.value - a.value) / std::max(std::abs(a.value), 1e-30);
    const bool alike = a.step == b.step && apart <= experiment_.accept.target;
    result.lines.push_back(
        {alike ? Mark::ok : Mark::warning,
         fmt::format("checks: neither log says anything of batch and learning rate, so the first {0} is compared: {1:g} at "
                     "step {2}, "
                     "{3:g} at step {4} of the subject, {5:.2g} % apart{6}",
                     metric, a.value, a.step, b.value, b.step, 100 * apart,
                     alike ? "" : ": other data, another batch, other initial parameters, or a fault in the first step")});
  }

  void announce() {
    std::string text = fmt::format("running the subject {}", times(subject().wanted));
    if (reference().wanted) text += fmt::format(" and the reference {}", times(reference().wanted));
    log::info(text + "; Ctrl-C ends them");
  }

  /// Until everything that is wanted has ended, or something is wrong.
  void run_wanted() {
    do {
      for (SideRuns& one : sides_)
        while (!is_over() && !waits_for_other_side(one) && one.launched < one.wanted) {
          auto slot = one.side->pool->acquire();
          if (!slot) break;
          start(one, *std::move(slot));
        }
      for (const AttemptOutcome& outcome : attempts_.wait()) take_in(outcome);
    } while (attempts_.signal_number() == 0 &&
             (attempts_.any_running() ||
              (!is_over() && std::ranges::any_of(sides_, [](const SideRuns& one) { return one.launched < one.wanted; }))));
  }

  /// Two trainings on one device share its memory and its time, and show neither side as it is.
  bool waits_for_other_side(const SideRuns& one) {
    const SideRuns& other = &one == &subject() ? reference() : subject();
    const auto devices = launch::device_names(one.side->settings->devices);
    return !other.seeds_running.empty() &&
           std::ranges::any_of(launch::device_names(other.side->settings->devices),
                               [&](const std::string& device) { return devices.contains(device); });
  }

  void start(SideRuns& one, launch::Slot slot) {
    const int number = ++one.launched;
    const auto folder = folder_ / (number == 1 ? one.name : fmt::format("{}-{}", one.name, number));
    AttemptRequest request{{.side = one.side, .steps = experiment_.steps}, one.trial, number, folder};
    if (experiment_.steps) request.last_steps[experiment_.metrics.front().name] = *experiment_.steps;
    if (&one == &subject()) request.recipe = neutralise::recipe_for(experiment_, {}, {}, one.side->environment);
    request.perturbed = next_seed(*one.perturb, one.ended, one.seeds_running);
    one.seeds_running.push_back(request.perturbed);
    attempts_.start(std::move(request), std::move(slot));
  }

  void take_in(const AttemptOutcome& outcome) {
    SideRuns& one = sides_[outcome.trial];
    const auto seed = std::ranges::find(one.seeds_running, outcome.perturbed);  // one of them: others may have the same
    if (seed != one.seeds_running.end()) one.seeds_running.erase(seed);
    running_.erase({outcome.trial, outcome.number});
    if (outcome.ending == Ending::lost && outcome.number > 1) {  // it says nothing of what was perturbed, or breaks
      one.lines.push_back({Mark::warning, fmt::format("{}: a repeat is not counted: {}", one.name, outcome.text)});
      return log::info(fmt::format("{}: {}", title(one, outcome.number), outcome.text));
    }
    one.ended.push_back(outcome);
    const configs::Metric& metric = experiment_.metrics.front();
    const auto series = outcome.curve.series.find(metric.name);
    const bool logged = series != outcome.curve.series.end() && !series->second.empty();
    const std::string text = !outcome.errors.empty()   ? outcome.errors.front()
                             : !can_be_judged(outcome) ? outcome.text
                             : !logged                 ? without_values(one, outcome)
                                                       : what_it_logged(outcome, series->second);
    const bool works = can_be_judged(outcome) && logged;
    const auto say = [&](Mark mark, const std::string& what) {
      one.lines.push_back({mark, fmt::format("{}: {}", one.name, what)});
    };
    if (!works && !compares_ && outcome.ending != Ending::not_started && outcome.ending != Ending::lost)
      say(Mark::ok, fmt::format("it breaks, which a search is to explain: {}", text));
    else if (outcome.number == 1) say(works ? Mark::ok : Mark::error, text);
    else if (!works && !outcome.perturbed)  // of those that are, samples.hpp says what is odd
      say(Mark::warning, fmt::format("its repeat broke: {}", text));
    if (outcome.number == 1 && works &&
        !compares_) {  // a trial must come to its last step, and would be told otherwise then
      const std::array rules{judge::MetricRule{metric.name, metric.higher_is_better}};
      const judge::Judgement judged = judge::judge_running(rules, *experiment_.steps, std::span(&outcome.curve, 1));
      if (judged.verdict == strategies::Verdict::fail)
        say(Mark::warning, fmt::format("so it does not run, which a search is to explain: {}", judged.text));
    }
    if (outcome.number == 1 && works)
      for (const std::string& note : outcome.notes) say(Mark::warning, note);
    log::info(fmt::format("{}: {}{}", title(one, outcome.number), text, time_left(one, outcome)));
  }

  std::string without_values(const SideRuns& one, const AttemptOutcome& outcome) const {
    const std::string advice = how_to_read(experiment_.metrics, *one.side->settings, outcome);
    return fmt::format("it ended well, but logged no {}{}{}", experiment_.metrics.front().name, advice.empty() ? "" : "; ",
                       advice);
  }

  std::string what_it_logged(const AttemptOutcome& outcome, const judge::Series& series) const {
    std::string text = fmt::format("{} points in {}, the last is step {}: {} {:g}", series.size(),
                                   reports::duration_text(outcome.duration_s), series.back().step,
                                   experiment_.metrics.front().name, series.back().value);
    for (const std::string& said : outcome.said_of_log) text += fmt::format("\n  {}", configs::printable(said));
    return text;
  }

  std::string title(const SideRuns& one, int number) const {
    return one.wanted > 1 ? fmt::format("{}, run {} of {}", one.name, number, one.wanted) : one.name;
  }

  std::string time_left(const SideRuns& one, const AttemptOutcome& outcome) const {
    const int left = one.wanted - one.launched + static_cast<int>(one.seeds_running.size());
    const double rounds = std::ceil(static_cast<double>(left) / static_cast<double>(one.side->pool->size()));
    return left && !is_over() ? fmt::format("; about {} to go", reports::duration_text(rounds * outcome.duration_s)) : "";
  }

  void show(const RunningAttempt& running) {
    const SideRuns& one = sides_[running.request.trial];
    const auto step = running.log.last_step();
    running_[{running.request.trial, running.request.number}] = fmt::format(
        "{}: {}", title(one, running.request.number), step ? fmt::format("step {}", *step) : "nothing logged yet");
    progress_.running(
        [&](std::size_t columns, std::size_t rows) {
          std::vector<std::string> lines;
          for (const auto& [which, line] : running_)
            if (lines.size() < rows) lines.push_back(line.substr(0, columns));
          return lines;
        },
        [&] {
          std::string text;
          for (const auto& [which, line] : running_) text += (text.empty() ? "" : "; ") + line;
          return text;
        });
  }

  /// Raises what is wanted of a side, where the answer depends on more of its runs.
  bool wants_more(const PilotFindings& findings) {
    if (!findings.usable || findings.spread_known || !experiment_.subject.perturb || subject().wanted >= kSubjectRunsAlone)
      return false;
    subject().wanted = kSubjectRunsAlone;
    return true;
  }

  void warn_of_perturbation(SideRuns& one) {
    if (!*one.perturb) return;
    for (const OddPerturbation& odd :
         odd_perturbations(one.ended, **one.perturb, one.name, experiment_.metrics.front().name))
      one.lines.push_back({Mark::warning, odd.text});
  }

  const configs::Experiment& experiment_;
  const bool compares_ = experiment_.accept.goal == configs::Goal::agrees;
  std::filesystem::path folder_;
  Progress& progress_;
  std::array<SideRuns, 2> sides_;
  std::map<std::pair<std::size_t, int>, std::string> running_;
  Attempts attempts_;
};

}  // namespace

Pilot run_pilot(const configs::Experiment& experiment, Sides& sides, launch::Launcher& launcher,
                const std::filesystem::path& folder, Progress& progress) {
  return PilotRuns(experiment, sides, launcher, folder, progress)();
}

}  // namespace bisectd::driver
