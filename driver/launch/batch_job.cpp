#include "driver/launch/batch_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <utility>

namespace bisectd::driver::launch {
namespace {

using namespace std::chrono_literals;
using Phase = SeenJob::Phase;

constexpr auto kFirstPause = 5s, kLongestPause = 60s;  // between two tries of what the scheduler refuses
// A controller that answers again takes up the submissions that it had not read yet in any order with its queries: one
// answer in nine runs with a stopped controller (tests/end_to_end/test_slurm.py) came before the job that it denied.
constexpr int kUnknownAnswers = 2;
constexpr auto kOutcomeMayFollow = 15s;  // the scheduler says that a job is over; on NFS its outcome is seen later

std::string job_name_of(const std::string& tag) {
  std::string name = "bisectd-" + tag;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') c = '.';
  return name;
}

std::chrono::milliseconds age(std::filesystem::file_time_type when) {
  return std::max(
      0ms, std::chrono::duration_cast<std::chrono::milliseconds>(std::filesystem::file_time_type::clock::now() - when));
}

}  // namespace

BatchJob::BatchJob(const Job& job)
    : job_(job),
      name_(job_name_of(job.tag)),
      standing_(job.adopt ? Standing::unsure : Standing::to_submit),
      pause_(kFirstPause) {}

bool BatchJob::is_to_be_submitted(Clock::time_point now) const {
  return standing_ == Standing::to_submit && !stopped_at_ && now >= not_before_;
}

JobStatus BatchJob::status() const {
  // One that may be over has no clock: it would run out of time while its node's failure is not told yet.
  const bool surely_runs = begun_ && standing_ != Standing::unsure && !over_since_;
  if (surely_runs) return {.text = begun_->place, .ran = age(begun_->when)};
  if (id_.empty()) return {.waits = true, .text = "to be submitted"};
  return {.waits = true, .text = fmt::format("job {} {}", id_, seen_.text.empty() ? "PENDING" : seen_.text)};
}

void BatchJob::submitted_as(std::string id) {
  standing_ = Standing::submitted;
  id_ = std::move(id);
}

void BatchJob::not_taken(Clock::time_point now) {
  standing_ = Standing::unsure;  // it may have reached the scheduler all the same
  unknown_ = 0;
  not_before_ = now + pause_;
  pause_ = std::min<std::chrono::milliseconds>(pause_ * 2, kLongestPause);
}

void BatchJob::seen_as(const SeenJob* seen, Clock::time_point now) {
  if (!seen && standing_ == Standing::unsure && !job_.adopt) {
    if (++unknown_ == kUnknownAnswers) standing_ = Standing::to_submit;  // now it is certain that it is not there
    return;
  }
  seen_ = seen ? *seen : SeenJob{.phase = Phase::gone, .id = id_, .text = "it vanished"};
  if (seen) submitted_as(seen->id);
  const bool lives = seen_.phase == Phase::waiting || seen_.phase == Phase::running;
  if (lives) over_since_.reset();
  else if (!over_since_) over_since_ = now;
}

void BatchJob::stop(Clock::time_point now, std::string given_up) {
  if (stopped_at_) return;
  stopped_at_ = now;
  given_up_ = std::move(given_up);
}

bool BatchJob::waited_too_long(Clock::time_point now) const {
  return standing_ != Standing::to_submit && !begun_ && !stopped_at_ && now - since_ > job_.scheduler->longest_wait();
}

std::optional<Ended> BatchJob::look(Clock::time_point now) {
  if (standing_ == Standing::to_submit) return std::nullopt;
  const std::filesystem::path folder = folder_of(job_);
  if (!begun_) begun_ = job_started(folder);
  if (begun_ || over_since_)
    if (const auto outcome = job_outcome(folder)) return by_outcome(*outcome, now);
  if (outcome_is_overdue(now)) return without_outcome();
  return std::nullopt;
}

bool BatchJob::outcome_is_overdue(Clock::time_point now) const {
  return over_since_ && now - *over_since_ > kOutcomeMayFollow;
}

std::optional<Ended> BatchJob::by_outcome(const JobOutcome& outcome, Clock::time_point now) {
  using How = JobOutcome::How;
  Ended ended{.code = outcome.code};
  if (begun_)
    ended.duration = std::max(0ms, std::chrono::duration_cast<std::chrono::milliseconds>(outcome.when - begun_->when));
  switch (outcome.how) {
    case How::exited: break;
    case How::signalled: ended.how = Ended::How::signalled; break;
    case How::not_started:
      ended.how = Ended::How::not_started;
      ended.message = outcome.message;
      break;
    case How::started_twice:
      ended.how = Ended::How::lost;
      ended.message = "the scheduler started it a second time";
      break;
    case How::terminated:
      // By whom, only the scheduler knows: its time limit, a preemption, a person.
      if (!over_since_) over_since_ = now;
      if (seen_.phase != Phase::ended && seen_.phase != Phase::gone && !outcome_is_overdue(now)) return std::nullopt;
      return without_outcome();
  }
  return completed(std::move(ended));
}

Ended BatchJob::without_outcome() const {
  if (seen_.phase == Phase::ended)
    return completed({.how = Ended::How::signalled, .code = SIGTERM});  // a limit that it ran into
  return completed({.how = Ended::How::lost, .message = fmt::format("{}: {}", job_.scheduler->name(), seen_.text)});
}

Ended BatchJob::completed(Ended ended) const {
  ended.id = job_.id;
  ended.stopped = stopped_at_.has_value();
  if (begun_) {
    ended.place = begun_->place;
    if (ended.duration == 0ms) ended.duration = age(begun_->when);  // it left no outcome
  }
  if (!given_up_.empty()) {
    ended.how = Ended::How::not_started;
    ended.message = given_up_;
    ended.stopped = false;
  }
  return ended;
}

}  // namespace bisectd::driver::launch
