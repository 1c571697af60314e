#include "driver/trial/attempts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "driver/launch/interrupted.hpp"
#include "driver/log/log.hpp"
#include "driver/trial/attempt_files.hpp"
#include "driver/trial/last_words.hpp"
#include "driver/trial/memory_watch.hpp"
#include "driver/trial/outcome.hpp"
#include "driver/trial/step_time.hpp"

namespace bisectd::driver {
namespace {

/// How often the logs of running attempts are looked at. An attempt's end is noticed at once, whatever this is.
constexpr std::chrono::milliseconds kPollEvery{200};

/// A job gets ten seconds after TERM, the kernel five after KILL; a queue of another machine may take longer to answer.
constexpr std::chrono::seconds kStopAtMost{60};

/// Of an attempt's duration: trainings that began together end together, and the next trials are the better chosen the
/// more verdicts are in.
constexpr double kGatherShare = 0.03;

/// As the launcher calls it in the log.
std::string label_of(const AttemptRequest& request) { return fmt::format("{:04}-{}", request.trial, request.number); }

std::string seconds_text(std::chrono::milliseconds duration) {
  return fmt::format("{:g} s", static_cast<double>(duration.count()) / 1000.0);
}

bool logged_last_step(const AttemptRequest& request, const read::AttemptLog& log) {
  return !request.last_steps.empty() &&
         std::ranges::all_of(request.last_steps, [&](const auto& due) { return log.last_step(due.first) >= due.second; });
}

/// What follows how it ended: the line of its log that says why.
std::string why_it_died(const AttemptOutcome& outcome) {
  const std::string words = last_words(stdout_file(outcome.folder), stderr_file(outcome.folder), !outcome.last_step);
  return words.empty() ? "" : ": " + words;
}

}  // namespace

bool can_be_judged(const AttemptOutcome& outcome) { return is_whole(outcome.ending) && outcome.errors.empty(); }

double seconds_to_gather(const AttemptOutcome& first, std::span<const double> others_began_s, double now_s) {
  const double margin_s = kGatherShare * first.duration_s;
  const bool due =
      std::ranges::any_of(others_began_s, [&](double began_s) { return std::abs(began_s - first.started_s) <= margin_s; });
  return due ? first.started_s + first.duration_s + margin_s - now_s : 0.0;
}

struct Attempts::Running {
  AttemptRequest request;
  launch::Slot slot;
  read::AttemptLog log;
  Clock::time_point started;
  Clock::time_point last_output = started;
  std::optional<Clock::time_point> last_step_logged;
  std::vector<StepSeen> steps_seen;
  MemoryWatch memory;                  ///< of a long run
  std::optional<Ending> asked_to_end;  ///< why we asked it to stop, if we did
  std::string why;
  Clock::time_point submitted;
  launch::JobStatus status;
  bool waits = false;  ///< for its scheduler, or to be started

  Running(AttemptRequest wanted, launch::Slot at, const std::vector<configs::Metric>& metrics, const read::Readings& known,
          Clock::time_point now)
      : request(std::move(wanted)),
        slot(std::move(at)),
        log(log_of(*request.side->settings, request.folder, metrics, request.watched.patterns, known)),
        started(now),
        submitted(now),
        waits(request.side->scheduler != nullptr) {}

  void note_step(Clock::time_point now) {
    const std::optional<std::int64_t> step = log.last_step();
    if (step && (steps_seen.empty() || *step > steps_seen.back().step))
      steps_seen.push_back({std::chrono::duration<double>(now - started).count(), *step});
  }

  /// The first reason to end it, if there is one.
  std::optional<std::pair<Ending, std::string>> reason_to_end(Clock::time_point now) const {
    const configs::Side& side = *request.side->settings;
    if (last_step_logged && request.shortened) return {{Ending::whole, "as much as is needed was seen"}};
    if (last_step_logged && request.steps && log.last_step() > *request.steps)
      return {{Ending::whole, fmt::format("goes on after step {}, its last one", *request.steps)}};
    if (last_step_logged && now - *last_step_logged > side.exit_grace)
      return {{Ending::whole, fmt::format("did not leave within {} after its last step", seconds_text(side.exit_grace))}};
    const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(side.timeout * request.longer);
    if (now - started > timeout)
      return {{last_step_logged ? Ending::whole : Ending::timed_out, "timeout of " + seconds_text(timeout)}};
    if (!last_step_logged && now - last_output > side.stall)
      return {{Ending::stalled, "no output for " + seconds_text(side.stall)}};
    return std::nullopt;
  }
};

Attempts::Attempts(launch::Launcher& launcher, std::vector<configs::Metric> metrics, std::string run_tag,
                   double elapsed_before_s, read::Readings known, Watcher watcher)
    : launcher_(launcher),
      metrics_(std::move(metrics)),
      known_(std::move(known)),
      run_tag_(std::move(run_tag)),
      watcher_(std::move(watcher)),
      began_(launcher.now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(elapsed_before_s))) {
}

Attempts::~Attempts() = default;

double Attempts::now_s() const { return std::chrono::duration<double>(launcher_.now() - began_).count(); }

void Attempts::start(AttemptRequest request, launch::Slot slot) {
  const LaunchCommand command = launch_command(request, slot, run_tag_);
  std::filesystem::create_directories(request.folder);
  if (!request.adopt) write_attempt_files(request.folder, command);
  if (!request.adopt) write_recipe_files(request.folder, request.recipe);
  const launch::DevicePool& pool = *request.side->pool;
  const std::string devices = slot.visible.empty() ? "no device" : slot.name.empty() ? "what its job is given" : slot.name;
  log::debug(fmt::format("{}: {} on {}, {} of {} slots left, in {}", label_of(request),
                         request.adopt ? "taken up" : "starts", devices, pool.free(), pool.size(), request.folder.string()));
  const launch::JobId id = next_id_++;
  launcher_.start({.id = id,
                   .command = command.argv,
                   .environment = command.environment,
                   .directory = command.directory,
                   .stdout_file = stdout_file(request.folder),
                   .stderr_file = stderr_file(request.folder),
                   .tag = command.tag,
                   .scheduler = request.side->scheduler,
                   .device_variable = request.side->settings->devices.visible_variable,
                   .adopt = request.adopt});
  running_.emplace(id, std::make_unique<Running>(std::move(request), std::move(slot), metrics_, known_, launcher_.now()));
}

std::string Attempts::place_text(const configs::Side& side, const std::string& place) {
  return place.empty() ? "" : fmt::format("{} {}", side.devices.kind, place);
}

std::string Attempts::job_text(const Running& running) {
  return running.waits ? running.status.text : place_text(*running.request.side->settings, running.status.text);
}

/// Whether a job runs; its clocks stand still before that.
bool Attempts::begins(Running& running, launch::JobStatus status, Clock::time_point now) {
  running.status = std::move(status);
  if (running.status.waits) {
    running.waits = true;
    running.started = running.last_output = now;
    return false;
  }
  if (running.waits) running.started = running.last_output = now - running.status.ran;
  running.waits = false;
  return true;
}

RunningAttempt Attempts::seen_now(const Running& running) const {
  return {.request = running.request,
          .log = running.log,
          .started_s = std::chrono::duration<double>(running.started - began_).count(),
          .device = running.waits || running.request.side->scheduler ? job_text(running) : running.slot.name};
}

void Attempts::poll() {
  const Clock::time_point now = launcher_.now();
  for (auto& [id, running] : running_) {
    if (running->asked_to_end) continue;
    if (!begins(*running, launcher_.status(id), now)) {
      watcher_(seen_now(*running));
      continue;
    }
    if (running->log.poll()) running->last_output = now;
    running->note_step(now);
    if (running->request.longer > 1 && running->memory.due(now)) running->memory.take(now, launcher_.memory_bytes(id));
    if (!running->last_step_logged && logged_last_step(running->request, running->log)) running->last_step_logged = now;
    auto reason = running->reason_to_end(now);
    if (!reason && watcher_(seen_now(*running))) reason = {Ending::ended_early, "its verdict was certain"};
    if (!reason) continue;
    running->asked_to_end = reason->first;
    running->why = reason->second;
    log::debug(fmt::format("{}: ended: {}", label_of(running->request), running->why));
    launcher_.stop(id);
  }
}

AttemptOutcome Attempts::outcome_of(Running& running, const launch::Ended& ended) const {
  running.log.finish();
  AttemptOutcome outcome;
  outcome.trial = running.request.trial;
  outcome.number = running.request.number;
  outcome.folder = running.request.folder;
  const RunningAttempt seen = seen_now(running);
  outcome.started_s = seen.started_s;
  outcome.duration_s = std::chrono::duration<double>(launcher_.now() - running.started).count();
  outcome.device = seen.device;
  if (running.request.side->scheduler) {
    outcome.duration_s = std::chrono::duration<double>(ended.duration).count();
    outcome.started_s =
        std::max(0.0, now_s() - outcome.duration_s);  // while nobody waited the clock stood still, the job did not
    outcome.waited_s =
        std::max(0.0, std::chrono::duration<double>(launcher_.now() - running.submitted).count() - outcome.duration_s);
    outcome.device = place_text(*running.request.side->settings, ended.place);
  }
  take_from_files(outcome, running.request, metrics_, running.log);
  if (const auto memory = running.memory.text()) outcome.notes.push_back(*memory);
  outcome.step_time_s = step_time_s(running.steps_seen);
  // A run that was too slow because it was gone is no evidence.
  const bool vanished = ended.how == launch::Ended::How::lost &&
                        (running.asked_to_end == Ending::timed_out || running.asked_to_end == Ending::stalled);
  const bool as_asked = running.asked_to_end && !vanished;
  outcome.text = as_asked ? "stopped: " + running.why : launch::how_it_ended(ended);
  const bool left_with_zero = ended.how == launch::Ended::How::exited && ended.code == 0;
  const bool whole = logged_last_step(running.request, running.log);
  if (as_asked) outcome.ending = *running.asked_to_end;
  else if (ended.how == launch::Ended::How::not_started) outcome.ending = Ending::not_started;
  else if (ended.how == launch::Ended::How::lost) outcome.ending = whole ? Ending::whole : Ending::lost;
  else if (launcher_.signal_number() != 0 && !whole)
    outcome.ending =
        Ending::interrupted;  // whoever ended us may have ended the training too, which may leave with 0 on TERM
  else if (left_with_zero) outcome.ending = Ending::finished;
  else outcome.ending = whole ? Ending::whole : Ending::crashed;
  if (outcome.ending == Ending::crashed) outcome.text += why_it_died(outcome);
  const bool went_on = running.request.steps && outcome.last_step > *running.request.steps;  // as most trainings do
  if (outcome.ending == Ending::whole && !running.request.shortened && !went_on)
    outcome.notes.push_back(fmt::format("the last step was logged; then: {}", outcome.text));
  const bool left_by_itself = ended.how == launch::Ended::How::exited || ended.how == launch::Ended::How::signalled;
  if (left_by_itself && !ended.message.empty()) outcome.notes.push_back(ended.message);  // what it left running
  log::debug(fmt::format("{}: {} ({}) after {:.3f} s, last step {}{}{}", label_of(running.request), name_of(*outcome.ending),
                         outcome.text, outcome.duration_s, outcome.last_step ? std::to_string(*outcome.last_step) : "none",
                         outcome.errors.empty() ? "" : "; ", fmt::join(outcome.errors, "; ")));
  return outcome;
}

/// Whether it ended by itself before its last step. Where nobody knows which step that is, one that left with 0 and got as
/// far as another that did is whole: five references in a row need not wait for a signal five times.
bool Attempts::may_be_cut(const launch::Ended& ended) {
  const auto found = running_.find(ended.id);
  if (found == running_.end() || found->second->asked_to_end || ended.how == launch::Ended::How::not_started) return false;
  Running& running = *found->second;
  running.log.poll();
  const bool left_with_zero = ended.how == launch::Ended::How::exited && ended.code == 0;
  if (!running.request.last_steps.empty() || !left_with_zero) return !logged_last_step(running.request, running.log);
  const auto last_step = finished_at_.find(running.request.side);
  return last_step == finished_at_.end() || running.log.last_step() < last_step->second;
}

void Attempts::collect(std::vector<AttemptOutcome>& outcomes, std::chrono::milliseconds at_most) {
  std::vector<launch::Ended> all_ended = launcher_.wait(at_most);
  if (std::ranges::any_of(all_ended, [&](const launch::Ended& ended) { return may_be_cut(ended); }))
    launch::signal_follows(launcher_, all_ended);
  for (const launch::Ended& ended : all_ended) {
    const auto found = running_.find(ended.id);
    if (found == running_.end()) continue;
    Running& running = *found->second;
    outcomes.push_back(outcome_of(running, ended));
    learn_from(outcomes.back());
    const AttemptOutcome& outcome = outcomes.back();
    if (outcome.ending == Ending::finished && outcome.last_step) {
      std::int64_t& step = finished_at_[running.request.side];
      step = std::max(step, *outcome.last_step);
    }
    running.request.side->pool->release(running.slot);
    running_.erase(found);
  }
}

std::vector<AttemptOutcome> Attempts::wait() {
  std::vector<AttemptOutcome> outcomes;
  while (!running_.empty() && launcher_.signal_number() == 0) {
    std::chrono::milliseconds at_most = kPollEvery;
    if (!outcomes.empty()) {
      std::vector<double> began_s;
      for (const auto& [id, running] : running_) began_s.push_back(seen_now(*running).started_s);
      const std::chrono::duration<double> rest(seconds_to_gather(outcomes.front(), began_s, now_s()));
      if (rest.count() <= 0) break;
      at_most = std::min(at_most, std::chrono::ceil<std::chrono::milliseconds>(rest));
    }
    collect(outcomes, at_most);
    poll();
  }
  return outcomes;
}

std::vector<AttemptOutcome> Attempts::stop_all(const std::string& why) {
  std::vector<AttemptOutcome> outcomes;
  for (auto& [id, running] : running_) {
    if (running->asked_to_end) continue;  // for a reason of its own
    running->asked_to_end = Ending::interrupted;
    running->why = why;
    launcher_.stop(id);
  }
  for (const auto until = launcher_.now() + kStopAtMost; !running_.empty() && launcher_.now() < until;)
    collect(outcomes, kPollEvery);
  for (const auto& [id, running] : running_) {
    outcomes.push_back(outcome_of(*running, {.id = id, .how = launch::Ended::How::unknown}));
    outcomes.back().notes.push_back("it could not be ended, and may still run");
  }
  running_.clear();
  return outcomes;
}

/// What a whole run taught holds for all that follow; one that broke off may be read wrongly.
void Attempts::learn_from(AttemptOutcome& outcome) {
  if (is_whole(outcome.ending)) known_.insert(known_.end(), outcome.learnt.begin(), outcome.learnt.end());
  else outcome.learnt.clear();
}

AttemptOutcome Attempts::reread(const AttemptRequest& request, std::optional<Ending> ending) {
  read::AttemptLog log = log_of(*request.side->settings, request.folder, metrics_, request.watched.patterns, known_);
  log.poll();
  log.finish();
  AttemptOutcome outcome;
  outcome.trial = request.trial;
  outcome.number = request.number;
  outcome.folder = request.folder;
  take_from_files(outcome, request, metrics_, log);
  outcome.ending = ending.value_or(logged_last_step(request, log) ? Ending::whole : Ending::interrupted);
  if (!ending) outcome.text = "bisectd was killed while it ran";
  learn_from(outcome);
  return outcome;
}

}  // namespace bisectd::driver
