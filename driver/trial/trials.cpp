#include "driver/trial/trials.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "driver/launch/job_script.hpp"
#include "driver/log/log.hpp"
#include "driver/trial/attempt_files.hpp"
#include "driver/trial/samples.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {
namespace {

/// Of a trial that is not judged: its curves are there, which is all that was wanted.
judge::Judgement measured() {
  judge::Judgement judgement;
  judgement.verdict = strategies::Verdict::pass;
  judgement.reason = kMeasured;
  return judgement;
}

judge::Judgement unresolved(const AttemptOutcome& last) {
  judge::Judgement judgement;
  judgement.verdict = strategies::Verdict::unresolved;
  judgement.reason = name_of(*last.ending);
  judgement.text = last.errors.empty() ? last.text : last.errors.front();
  return judgement;
}

/// What breaks the subject may break it in some of its runs only, so one that came to its end shows nothing here.
judge::Judgement sometimes_breaks(const AttemptOutcome& last, int broken, std::size_t runs) {
  judge::Judgement judgement;
  judgement.verdict = strategies::Verdict::inconclusive;
  judgement.reason = "breaks-sometimes";
  judgement.text = fmt::format("it broke in {} of {} runs: {}", broken, runs, last.text);
  judgement.p_bad = 0.5;
  return judgement;
}

bool lacks_a_metric(const AttemptOutcome& attempt, const std::string& side_file) {
  return std::ranges::any_of(attempt.last_steps, [&](const auto& last) {
    return last.first != side_file && !attempt.curve.series.contains(last.first);
  });
}

/// A metric is in none of the logs of reference runs that came to their end: then its pattern is wrong, most likely, and
/// further runs take hours for the same.
bool cannot_be_read(const TrialPlan& plan, const std::vector<AttemptOutcome>& ended) {
  const std::string side_file = metrics_file({}).string();
  return plan.role == Role::reference &&
         std::ranges::all_of(ended, [&](const AttemptOutcome& each) { return lacks_a_metric(each, side_file); }) &&
         std::ranges::any_of(ended, [](const AttemptOutcome& attempt) {
           return attempt.ending == Ending::finished && attempt.errors.empty();
         });
}

/// Where one of the ends died twice before its first step, each time the same way but for numbers (of processes, lines,
/// times), it dies so again.
bool dies_at_once(const TrialPlan& plan, const std::vector<AttemptOutcome>& ended) {
  const auto words = [](std::string text) {
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
  };
  const bool is_end = plan.role == Role::reference || plan.role == Role::as_is;
  return is_end && ended.size() > 1 && std::ranges::all_of(ended, [&](const AttemptOutcome& each) {
           return each.ending == Ending::crashed && !each.last_step && words(each.text) == words(ended.front().text);
         });
}

/// The journal outlives a power cut; what a training wrote into its log, or into the file of one metric, just before may
/// not. What is gone of an attempt that ended, for people; nothing if all is there.
std::optional<std::string> cut_since(const AttemptOutcome& reread, const Attempt& journaled) {
  if (!journaled.ending) return std::nullopt;
  const auto text = [](std::string_view what, std::int64_t step) {
    return fmt::format("{} had step {} when it ended, and has not now (a power cut, or it is read otherwise)", what, step);
  };
  if (reread.last_step < journaled.last_step) return text("its log", *journaled.last_step);
  for (const auto& [metric, step] : journaled.last_steps)
    if (const auto now = reread.last_steps.find(metric); now != reread.last_steps.end() && now->second < step)
      return text(fmt::format("its log of {}", metric), *step);
  return std::nullopt;
}

}  // namespace

Trials::Trials(Attempts& attempts, keep::Journal& journal, const keep::RunDirectory& directory, Judge judge,
               Listener listener)
    : attempts_(attempts),
      journal_(journal),
      directory_(directory),
      judge_(std::move(judge)),
      listener_(std::move(listener)) {}

std::size_t Trials::free_slots(const LaunchSide& side) const {
  const std::size_t queued = static_cast<std::size_t>(
      std::ranges::count_if(queue_, [&](const AttemptRequest& request) { return request.side == &side; }));
  const std::size_t free = side.pool->free();
  return free > queued ? free - queued : 0;
}

void Trials::start(TrialPlan plan) {
  plan.number = next_number_;
  journal_.write(trial_record(plan));
  begin(std::move(plan));
}

void Trials::begin(TrialPlan plan) {
  next_number_ = std::max(next_number_, plan.number + 1);
  listener_(plan, nullptr);
  Open& open = open_[plan.number];
  open.plan = std::move(plan);
  log::debug(fmt::format("trial {} ({}): {} suspects neutralised, {} attempts: {}", open.plan.number,
                         name_of(open.plan.role), open.plan.neutralised.count(), open.plan.attempts, open.plan.reason));
  for (int i = 0; i < open.plan.attempts; ++i) launch_one(open, "the trial starts");
}

void Trials::go_on(TrialPlan plan, PastTrial past) {
  plan.number = past.number;
  next_number_ = std::max(next_number_, plan.number + 1);
  listener_(plan, nullptr);
  Open& open = open_[plan.number];
  open.plan = std::move(plan);
  bool judged = past.judgement && !past.failed;
  if (!judged)
    log::debug(fmt::format("trial {} ({}): gone on with, {} attempts of it were started{}", past.number, name_of(past.role),
                           past.attempts.size(), past.failed ? "; the session before ended by it" : ""));
  for (const Attempt& attempt : past.attempts) {
    open.launched = std::max(open.launched, attempt.number);
    AttemptRequest request = request_for(open, attempt.number, attempt.perturbed);
    if (!attempt.ending && !judged && request.side->scheduler && launch::may_be_submitted(request.folder)) {
      take_up(open, std::move(request));
      continue;
    }
    AttemptOutcome outcome = attempts_.reread(request, attempt.ending);
    const auto cut = !judged || is(open.plan.role, reports::kReadAgain) ? cut_since(outcome, attempt) : std::nullopt;
    if (cut) {
      outcome.ending = Ending::lost;
      judged = false;
    }
    if (!judged)
      log::debug(fmt::format("{:04}-{}: read again: {}{}{}", past.number, attempt.number, name_of(*outcome.ending),
                             attempt.ending ? "" : ", it ran when bisectd ended", attempt.set_aside ? ", set aside" : ""));
    if (outcome.ending == Ending::interrupted) continue;
    if (attempt.ending) {  // what was known when it ended says more than its files do now
      outcome.text = attempt.text;
      outcome.notes = attempt.notes;
    }
    outcome.started_s = attempt.started_s;
    outcome.duration_s = attempt.duration_s;
    outcome.device = attempt.device;
    outcome.step_time_s = attempt.step_time_s;
    if (cut) outcome.text = *cut;
    if (cut || !attempt.ending) journal_.append(attempt_ended_record(outcome));
    listener_(open.plan, &outcome);
    if (outcome.ending != Ending::lost && !attempt.set_aside) open.ended.push_back(std::move(outcome));
  }
  if (judged) {
    finished_.push_back({std::move(open.plan), std::move(open.ended), *past.judgement});
    open_.erase(past.number);
  } else if (open.ended.empty())
    while (std::ssize(open.running) < open.plan.attempts) launch_one(open, "none of its attempts ended");
  else decide(open);
  pump();
}

/// An attempt that a scheduler has, or had when bisectd was killed.
void Trials::take_up(Open& open, AttemptRequest request) {
  open.running.push_back(request.perturbed);
  request.adopt = true;
  queue_.push_front(std::move(request));
}

void Trials::launch_one(Open& open, const std::string& why) {
  const int number = ++open.launched;
  log::debug(fmt::format("{:04}-{}: queued: {}", open.plan.number, number, why));
  const int seed = next_seed(open.plan.side->settings->perturb, open.ended, open.running);
  open.running.push_back(seed);
  queue_.push_back(request_for(open, number, seed));
  pump();
}

AttemptRequest Trials::request_for(const Open& open, int number, int perturbed) const {
  const auto folder = directory_.attempt(open.plan.number, number);
  AttemptRequest request{open.plan, open.plan.number, number, folder, perturbed};
  std::set<std::string> broke_on;
  for (const AttemptOutcome& attempt : open.ended)
    if (broke(attempt.ending) && !attempt.device.empty()) broke_on.insert(attempt.device);
  if (!broke_on.empty()) request.ran_on = std::move(broke_on);  // it may be the device
  return request;
}

void Trials::pump() {
  if (attempts_.signal_number() != 0) return;
  for (auto request = queue_.begin(); request != queue_.end();) {
    auto slot = request->side->pool->acquire(request->ran_on);
    if (!slot) {
      ++request;
      continue;
    }
    if (!request->adopt) journal_.append(attempt_started_record(*request, attempts_.now_s(), slot->name));
    attempts_.start(std::move(*request), std::move(*slot));
    request = queue_.erase(request);
  }
}

void Trials::note_end(const AttemptOutcome& outcome) {
  // Fails on a full disk, where what the training logged is cut off even if it ended well: on resume it runs again.
  if (std::filesystem::exists(outcome.folder)) keep::write_file(ending_file(outcome.folder), outcome.text + "\n");
  journal_.write(attempt_ended_record(outcome));
}

void Trials::take_in(AttemptOutcome outcome) {
  Open& open = open_.at(outcome.trial);
  open.running.erase(std::ranges::find(open.running, outcome.perturbed));
  if (outcome.ending != Ending::interrupted) {
    note_end(outcome);
    listener_(open.plan, &outcome);
    if (outcome.ending != Ending::lost) open.ended.push_back(std::move(outcome));
    if (cannot_be_read(open.plan, open.ended) || dies_at_once(open.plan, open.ended)) drop_queued(open);
  }
  pump();
}

bool Trials::launch_lost_again(Open& open, const std::string& why) {
  if (++open.lost > kMostLost) return false;
  launch_one(open, why);
  return true;
}

void Trials::drop_queued(Open& open) {
  std::erase_if(queue_, [&](const AttemptRequest& request) {
    if (request.trial != open.plan.number || request.adopt) return false;
    --open.launched;
    open.running.erase(std::ranges::find(open.running, request.perturbed));
    return true;
  });
}

void Trials::decide(Open& open) {
  std::ranges::sort(open.ended, {}, &AttemptOutcome::number);  // a resumed run has them so, whichever ended first
  const bool unreadable = cannot_be_read(open.plan, open.ended);
  const auto early = std::ranges::find(open.ended, Ending::ended_early, &AttemptOutcome::ending);
  if (early != open.ended.end()) return finish(open, judge_.ended_early(early->curve));
  const std::vector<judge::Curve> curves = whole_curves(open.ended);
  const int missing = open.plan.attempts - static_cast<int>(curves.size()), running = static_cast<int>(open.running.size());
  const int broken = static_cast<int>(open.ended.size() - curves.size());
  const AttemptOutcome& last = last_broken(open.ended);
  const bool may_retry =
      broken <= open.plan.crash_retries && last.ending != Ending::not_started && !dies_at_once(open.plan, open.ended);
  if (!unreadable && missing > running && (broken == 0 || may_retry)) {
    std::string why = "curves are missing";
    if (broken > 0)
      why = fmt::format("retry {} of {}, attempt {} {}: {}", broken, open.plan.crash_retries, last.number,
                        name_of(*last.ending), last.text);
    for (int more = missing - running; more > 0; --more) launch_one(open, why);
    return;
  }
  if (running > 0) return;
  if (!unreadable && missing > 0 && !only_perturbed_broke(open.ended))
    return finish(open, judge_.broken(open.plan, last).value_or(unresolved(last)));
  if (!is(open.plan.role, reports::kJudged)) return finish(open, measured());
  judge::Judgement judgement = judge_.whole(open.plan, curves);
  const bool asks_if_it_breaks = open.plan.role != Role::as_is && broken > 0 && judge_.broken(open.plan, last);
  if (asks_if_it_breaks && judgement.verdict == strategies::Verdict::pass)
    judgement = sometimes_breaks(last, broken, open.ended.size());
  const bool again =
      judgement.verdict == strategies::Verdict::inconclusive && judgement.repeat_helps &&
      static_cast<int>(curves.size()) < open.plan.max_attempts &&
      static_cast<int>(open.ended.size()) <= open.plan.max_attempts;  // crashes in between must not make this endless
  if (again) return launch_one(open, "inconclusive so far: " + judgement.text);
  finish(open, std::move(judgement));
}

void Trials::finish(Open& open, judge::Judgement judgement) {
  FinishedTrial finished{std::move(open.plan), std::move(open.ended), std::move(judgement)};
  open_.erase(finished.plan.number);
  log::debug(fmt::format("trial {}: {} ({}) {}", finished.plan.number, reports::verdict_word(finished.judgement.verdict),
                         finished.judgement.reason, finished.judgement.text));
  if (before_judged_) before_judged_(finished);
  journal_.write(judged_record(finished.plan.number, finished.judgement));
  finished_.push_back(std::move(finished));
}

std::vector<FinishedTrial> Trials::wait() {
  std::string too_many_lost;
  while (finished_.empty() && !open_.empty() && attempts_.signal_number() == 0) {
    journal_.sync();  // the wait may take hours
    for (AttemptOutcome& outcome : attempts_.wait()) {
      Open& open = open_.at(outcome.trial);
      const std::optional<Ending> ending = outcome.ending;
      const std::string text = outcome.text;
      take_in(std::move(outcome));
      if (ending == Ending::lost && !launch_lost_again(open, text))
        too_many_lost = fmt::format("attempts of trial {} were lost {} times: {}", open.plan.number, open.lost, text);
      else if (ending != Ending::interrupted && ending != Ending::lost) decide(open);
    }
    if (!too_many_lost.empty()) throw TooManyLost(too_many_lost);  // now that all that ended with it is in the journal
  }
  return finished();
}

void Trials::stop_all(const std::string& why) {
  queue_.clear();
  for (const auto& [number, open] : open_)
    log::debug(fmt::format("trial {}: it gets no verdict and is not counted: {}", number, why));
  if (attempts_.any_running()) log::debug("all attempts are ended");
  for (const AttemptOutcome& outcome : attempts_.stop_all(why)) {
    if (outcome.ending != Ending::interrupted) note_end(outcome);  // it was to end before that, for a reason of its own
    listener_(open_.at(outcome.trial).plan, &outcome);
  }
  open_.clear();
}

}  // namespace bisectd::driver
