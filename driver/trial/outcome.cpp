#include "driver/trial/outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/read/line.hpp"
#include "driver/read/logged_values.hpp"
#include "driver/trial/attempt_files.hpp"

namespace bisectd::driver {
namespace {

/// Ranks say the same or, where each has a part of the model, a line each.
constexpr std::size_t kSaidOfPerturbation = 4, kSaidOfPerturbation_bytes = 300;

/// Not among the names that are watched: those are looked for where the metric is, and this line goes to stderr.
std::string said_of_perturbation(const configs::Side& side, const std::filesystem::path& folder,
                                 const std::optional<configs::Placed<std::string>>& pattern) {
  if (!pattern) return "";
  std::vector<std::filesystem::path> files{stdout_file(folder), stderr_file(folder)};
  if (side.log) files.push_back(folder / *side.log);
  const auto values = read::logged_values(files, pattern->value, kSaidOfPerturbation);
  return read::for_display(fmt::format("{}", fmt::join(values, "; ")), kSaidOfPerturbation_bytes);
}

/// What the judge is told of it. Harmless settings in place of a seed move nothing by a known size.
int moved_by(const configs::Side& side, int perturbed) {
  return side.perturb && side.perturb->switches.empty() ? perturbed : 0;
}

}  // namespace

void take_from_files(AttemptOutcome& outcome, const AttemptRequest& request, const std::vector<configs::Metric>& metrics,
                     const read::AttemptLog& log) {
  outcome.curve = judge::up_to(log.curve(), request.steps);
  outcome.perturbed = request.perturbed;
  if (request.perturbed) {
    const configs::Side& side = *request.side->settings;
    outcome.perturbation = said_of_perturbation(side, outcome.folder, side.perturb->made);
    outcome.undone = said_of_perturbation(side, outcome.folder, side.perturb->undone);
  }
  outcome.curve.perturbed = outcome.undone.empty() ? moved_by(*request.side->settings, request.perturbed) : 0;
  outcome.errors = log.errors();
  outcome.notes = log.notes();
  outcome.names.in_log = log.names();
  for (const read::NamesFile& file : request.watched.files) {
    outcome.names.in_files.push_back(read::read_names(request.folder, file));
    if (const std::string& problem = outcome.names.in_files.back().problem; !problem.empty())
      outcome.notes.push_back(problem);
  }
  outcome.last_step = log.last_step();
  // A watched value without a step of its own counts for the step that the log was at, which depends on how two files were
  // read beside each other: nothing to compare after a resume.
  for (const configs::Metric& metric : metrics)
    if (!metric.is_watched()) outcome.last_steps[metric.name] = log.last_step(metric.name);
  outcome.last_steps[metrics_file({}).string()] = log.last_side_step();
  for (const read::LearntMetric& learnt : log.learnt()) {
    if (learnt.is_new) outcome.learnt.emplace_back(learnt.metric, learnt.found->reading);
    outcome.said_of_log.push_back(learnt.found ? learn::said(*learnt.found) : learnt.refusal);
  }
}

read::AttemptLog log_of(const configs::Side& side, const std::filesystem::path& folder,
                        const std::vector<configs::Metric>& metrics, const std::vector<read::NamePattern>& watched,
                        const read::Readings& known) {
  read::AttemptFiles files{.stdout_file = stdout_file(folder),
                           .stderr_file = stderr_file(folder),
                           .metrics_file = metrics_file(folder),
                           .folder = folder};
  if (side.log) {
    files.stdout_file = folder / *side.log;
    files.stderr_file.clear();
  }
  return read::AttemptLog(files, metrics, watched, known);
}

judge::Curve logged_curve(const configs::Side& side, const std::filesystem::path& folder,
                          const std::vector<configs::Metric>& metrics, const read::Readings& known, int perturbed,
                          std::optional<std::int64_t> steps) {
  read::AttemptLog log = log_of(side, folder, metrics, {}, known);
  log.poll();
  log.finish();
  judge::Curve curve = judge::up_to(log.curve(), steps);
  curve.perturbed = moved_by(side, perturbed);
  return curve;
}

}  // namespace bisectd::driver
