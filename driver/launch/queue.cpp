#include "driver/launch/queue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <csignal>
#include <map>
#include <set>
#include <unistd.h>
#include <utility>

#include "configs/file_bytes.hpp"
#include "driver/launch/batch_job.hpp"
#include "driver/launch/job_script.hpp"
#include "driver/launch/local.hpp"
#include "driver/log/log.hpp"

namespace bisectd::driver::launch {

namespace {

constexpr std::size_t kShownOfFailure_bytes = 500;

}  // namespace

std::string failure_printed_in(const std::filesystem::path& file) {
  std::string text = configs::bytes_in(file, kShownOfFailure_bytes);
  boost::trim(text);
  return boost::replace_all_copy(text, "\n", "; ");
}

namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 200ms;        // at files, as often as at the logs of running attempts
constexpr auto kQueryEvery = 5s;          // what sites ask for at least; ends are seen by their files at once
constexpr auto kLongestQueryPause = 30s;  // while the scheduler does not answer
constexpr auto kCancelAtMost = 30s;       // then the person is told how to do it
constexpr auto kDestroyAtMost = 10s;
constexpr std::size_t kShownIds = 50;
constexpr JobId kOwnId = JobId{1} << 63;  // the scheduler's programs have ids from here on
constexpr auto kAnswerAtMost = 30s;       // squeue gives up by itself after 10 s without a controller

/// What a program of the scheduler came to.
struct SchedulerAnswer {
  std::optional<std::string> failure;  ///< why it did not do what it was to do, in one line; nothing if it did
  std::string output;                  ///< what it printed
  std::set<JobId> about;               ///< the jobs that it was started for
};

/// Runs at most once at a time.
class SchedulerProgram {
 public:
  /// `id` is no job's; `what` names the files of what it prints.
  SchedulerProgram(LocalLauncher& launcher, JobId id, std::string what)
      : launcher_(launcher), id_(id), what_(std::move(what)) {}

  bool runs() const { return running_.has_value(); }
  bool runs_for(JobId job) const { return running_ && running_->about.contains(job); }

  /// Starts it; what it prints goes to `folder`, which is made.
  void start(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
             std::map<std::string, std::string> environment, std::set<JobId> about) {
    std::filesystem::create_directories(folder);
    running_ = Running{.output = folder / (what_ + ".txt"),
                       .errors = folder / (what_ + ".stderr.txt"),
                       .since = Clock::now(),
                       .about = std::move(about)};
    launcher_.start({.id = id_,
                     .command = arguments,
                     .environment = std::move(environment),
                     .directory = "/",
                     .stdout_file = running_->output,
                     .stderr_file = running_->errors,
                     .tag = "bisectd-scheduler",
                     .grace = 1s,
                     .logged = false});
  }

  /// Ends it if it has run for longer than a scheduler takes that answers at all.
  void stop_if_it_hangs() {
    if (!running_ || running_->stopped || Clock::now() - running_->since <= kAnswerAtMost) return;
    running_->stopped = true;
    launcher_.stop(id_);
  }

  /// Its answer, if what ended is this program.
  std::optional<SchedulerAnswer> answer(const Ended& ended) {
    if (!running_ || ended.id != id_) return std::nullopt;
    SchedulerAnswer answer{
        .failure = failure_of(ended), .output = configs::bytes_in(running_->output), .about = running_->about};
    running_.reset();
    return answer;
  }

 private:
  struct Running {
    std::filesystem::path output, errors;
    Clock::time_point since;
    std::set<JobId> about;
    bool stopped = false;
  };

  std::optional<std::string> failure_of(const Ended& ended) const {
    if (ended.how == Ended::How::exited && ended.code == 0) return std::nullopt;
    if (ended.how == Ended::How::not_started) return ended.message;
    if (running_->stopped) return fmt::format("no answer within {} s", kAnswerAtMost.count());
    const std::string said = failure_printed_in(running_->errors);
    return said.empty() ? fmt::format("its program ended with {}", ended.code) : said;
  }

  LocalLauncher& launcher_;
  JobId id_;
  std::string what_;
  std::optional<Running> running_;
};

/// All jobs of one launcher go to schedulers of the same kind. Whatever asks the scheduler is a child that is waited for
/// like any job, so a controller that does not answer blocks nothing.
class QueueLauncher final : public Launcher {
 public:
  QueueLauncher(std::filesystem::path folder, Say say) : folder_(std::move(folder)), say_(std::move(say)) {}

  /// Cancels what was submitted and has not ended.
  ~QueueLauncher() override {
    try {
      for (auto& [id, job] : jobs_) job.stop(Clock::now());
      for (const auto until = Clock::now() + kDestroyAtMost; !jobs_.empty() && Clock::now() < until;) (void)wait(kLookEvery);
    } catch (const std::exception&) {  // the disk may be what ended us; jobs are then found again by their names
    }
  }

  void start(const Job& job) override {
    if (!job.scheduler) return local_.start(job);
    const BatchJob& queued = jobs_.emplace(job.id, BatchJob(job)).first->second;
    log::debug(fmt::format("{}: {} {} as {}: {}", label_of(job), job.adopt ? "looked for in" : "to be a job of",
                           job.scheduler->name(), queued.name(), log::command_text(job.command)));
  }

  std::vector<Ended> wait(std::chrono::milliseconds at_most) override {
    const auto until = Clock::now() + std::min<std::chrono::milliseconds>(at_most, std::chrono::hours{24 * 365});
    while (true) {
      move_on();
      const auto now = Clock::now();
      if (!ended_.empty() || now >= until) return std::exchange(ended_, {});
      auto slice = std::chrono::ceil<std::chrono::milliseconds>(until - now);
      if (!jobs_.empty()) slice = std::min<std::chrono::milliseconds>(slice, kLookEvery);
      const int signal_before = local_.signal_number();
      const std::vector<Ended> local = local_.wait(slice);
      for (const Ended& ended : local) take_in(ended);
      const bool woken_by_signal = local.empty() && Clock::now() < now + slice;
      if (woken_by_signal || local_.signal_number() != signal_before) return std::exchange(ended_, {});
    }
  }

  void stop(JobId id) override {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return local_.stop(id);
    log::debug(fmt::format("{}: to be cancelled", label_of(found->second.job())));
    found->second.stop(Clock::now());
  }

  JobStatus status(JobId id) const override {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? local_.status(id) : found->second.status();
  }

  std::optional<std::uint64_t> memory_bytes(JobId id) const override { return local_.memory_bytes(id); }
  int signal_number() const override { return local_.signal_number(); }

 private:
  /// What ended on this machine: a job without a scheduler, or one of the scheduler's programs.
  void take_in(const Ended& ended) {
    if (ended.id < kOwnId) ended_.push_back(ended);
    if (const auto answer = submit_.answer(ended)) submitted(*answer);
    if (const auto answer = query_.answer(ended)) answered(*answer);
    if (const auto answer = cancel_.answer(ended)) cancelled(*answer);
  }

  /// Reports what has ended, and starts what is due of the scheduler's programs.
  void move_on() {
    for (SchedulerProgram* program : {&submit_, &query_, &cancel_}) program->stop_if_it_hangs();
    std::vector<Ended> ended;
    for (auto& [id, job] : jobs_) {
      if (auto end = job.look(Clock::now())) ended.push_back(std::move(*end));
      else if (job.waited_too_long(Clock::now()))
        job.stop(Clock::now(), fmt::format("waiting for {}: {}", job.job().scheduler->name(), job.status().text));
    }
    for (Ended& end : ended) report(std::move(end));
    give_up_stopped();
    if (jobs_.empty()) return;
    cancel_stopped();
    submit_next();
    ask();
  }

  /// A job that ended goes to whoever waits, and is forgotten here.
  void report(Ended ended) {
    if (const BatchJob* job = find(ended.id))
      log::debug(fmt::format("{}: job {} {} after {:g} s{}{}", label_of(job->job()),
                             job->id().empty() ? "without a number" : job->id(), how_it_ended(ended),
                             std::chrono::duration<double>(ended.duration).count(), ended.place.empty() ? "" : " on ",
                             ended.place));
    jobs_.erase(ended.id);
    last_said_.erase(ended.id);
    ended_.push_back(std::move(ended));
  }

  BatchJob* find(JobId id) {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : &found->second;
  }

  const Scheduler& scheduler() const { return *jobs_.begin()->second.job().scheduler; }

  void say_once(const std::string& text) {
    if (text != said_) say_(text);
    said_ = text;
  }

  void submit_next() {
    if (submit_.runs() || signal_number() != 0) return;
    const auto next =
        std::ranges::find_if(jobs_, [&](const auto& entry) { return entry.second.is_to_be_submitted(Clock::now()); });
    if (next == jobs_.end()) return;
    const Job& job = next->second.job();
    auto environment = scheduler_environment();
    const auto folder = folder_of(job), script = write_job_script(job, *job.scheduler, environment);
    environment.merge(secrets_of(job));
    const std::vector<std::string> command = job.scheduler->submit(next->second.name(), folder, script, false);
    log::debug(fmt::format("{}: {}", label_of(job), log::command_text(command)));
    submit_.start(command, folder, std::move(environment), {next->first});
  }

  void submitted(const SchedulerAnswer& answer) {
    BatchJob* job = find(*answer.about.begin());
    if (!job) return;
    auto why = answer.failure;
    if (!why) {
      auto id = job->job().scheduler->id_in(answer.output);
      if (id) {
        log::debug(fmt::format("{}: {} took it as job {}", label_of(job->job()), job->job().scheduler->name(), *id));
        return job->submitted_as(std::move(*id));
      }
      why = id.error();
    }
    log::debug(fmt::format("{}: not submitted: {}", label_of(job->job()), *why));
    job->not_taken(Clock::now());
    say_once(fmt::format("{} took no job: {}; tried again until it does", job->job().scheduler->name(), *why));
  }

  /// Asks how all jobs are that the scheduler has or may have.
  void ask() {
    if (query_.runs() || Clock::now() < next_query_) return;
    std::vector<std::string> names;
    std::set<JobId> about;
    for (const auto& [id, job] : jobs_)
      if (job.standing() != BatchJob::Standing::to_submit) {
        names.push_back(job.name());
        about.insert(id);
      }
    if (names.empty()) return;
    query_.start(scheduler().query(names), folder_, scheduler_environment(), std::move(about));
    next_query_ = Clock::now() + query_pause_;
  }

  void answered(const SchedulerAnswer& answer) {
    query_pause_ = answer.failure ? std::min<std::chrono::milliseconds>(query_pause_ * 2, kLongestQueryPause) : kQueryEvery;
    next_query_ = Clock::now() + query_pause_;  // from the answer on: it may have been long in coming
    if (jobs_.empty()) return;
    if (answer.failure) {
      silent_ = true;
      log::debug(fmt::format("{}: no answer: {}", scheduler().name(), *answer.failure));
      return say_once(
          fmt::format("{} does not say how its jobs are: {}; they are waited for", scheduler().name(), *answer.failure));
    }
    if (std::exchange(silent_, false)) say_once(fmt::format("{} answers again", scheduler().name()));
    const auto seen = scheduler().jobs_in(answer.output);
    std::string news;
    for (const JobId id : answer.about)
      if (BatchJob* job = find(id)) {
        const auto found = seen.find(job->name());
        job->seen_as(found == seen.end() ? nullptr : &found->second, Clock::now());
        const std::string said =
            found == seen.end() ? "not known" : fmt::format("job {} {}", found->second.id, found->second.text);
        if (std::exchange(last_said_[id], said) != said) news += fmt::format("; {} {}", label_of(job->job()), said);
      }
    log::debug(fmt::format("{} was asked for {} jobs, tells of {}{}", scheduler().name(), answer.about.size(), seen.size(),
                           news.empty() ? ", nothing new" : news));
  }

  /// Cancels all jobs that are to end, in one call; tried again until it is too late.
  void cancel_stopped() {
    if (cancel_.runs() || Clock::now() < next_cancel_) return;
    std::vector<std::string> ids;
    std::set<JobId> about;
    for (const auto& [id, job] : jobs_)
      if (job.stopped_at() && !job.id().empty()) {
        ids.push_back(job.id());
        about.insert(id);
      }
    if (ids.empty()) return;
    log::debug(log::command_text(scheduler().cancel(ids)));
    cancel_.start(scheduler().cancel(ids), folder_, scheduler_environment(), std::move(about));
    next_cancel_ = Clock::now() + kQueryEvery;
  }

  void cancelled(const SchedulerAnswer& answer) {
    if (answer.failure) return log::debug("not cancelled: " + *answer.failure);
    next_cancel_ = {};
    for (const JobId id : answer.about)
      if (const BatchJob* job = find(id)) {
        note_cancelled(folder_of(job->job()));
        report(job->completed({.how = Ended::How::signalled, .code = SIGTERM}));
      }
  }

  /// What is to end and was never submitted, or cannot be cancelled because the scheduler does not answer.
  void give_up_stopped() {
    std::vector<Ended> ended;
    std::vector<std::string> ids;
    std::size_t late = 0;
    for (const auto& [id, job] : jobs_) {
      if (!job.stopped_at()) continue;
      if (job.standing() == BatchJob::Standing::to_submit && !submit_.runs_for(id)) {
        ended.push_back(job.completed({.how = Ended::How::signalled, .code = SIGTERM}));
      } else if (Clock::now() - *job.stopped_at() > kCancelAtMost) {
        ++late;
        if (!job.id().empty() && ids.size() < kShownIds) ids.push_back(job.id());
        ended.push_back(job.completed({.how = Ended::How::unknown, .message = "it could not be cancelled"}));
      }
    }
    if (!ids.empty())
      say_(fmt::format("{} jobs could not be cancelled; this does it: {}", late, fmt::join(scheduler().cancel(ids), " ")));
    for (Ended& end : ended) report(std::move(end));
  }

  std::filesystem::path folder_;
  Say say_;
  LocalLauncher local_;
  SchedulerProgram submit_{local_, kOwnId, "submit"}, query_{local_, kOwnId + 1, "query"},
      cancel_{local_, kOwnId + 2, "cancel"};
  std::map<JobId, BatchJob> jobs_;
  std::vector<Ended> ended_;  ///< not yet handed on
  Clock::time_point next_query_{}, next_cancel_{};
  std::chrono::milliseconds query_pause_ = kQueryEvery;
  bool silent_ = false;                     ///< the last query was not answered
  std::map<JobId, std::string> last_said_;  ///< by the scheduler, of each job
  std::string said_;
};

}  // namespace

std::unique_ptr<Launcher> make_launcher(std::filesystem::path folder, Say say) {
  return std::make_unique<QueueLauncher>(std::move(folder), std::move(say));
}

std::map<std::string, std::string> scheduler_environment() {
  std::map<std::string, std::string> environment;
  for (char** entry = ::environ; *entry; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    const bool wanted = name == "PATH" || name == "HOME" || name == "USER" || name == "LOGNAME" || name == "KRB5CCNAME" ||
                        name == "SLURM_CONF" || name == "SLURM_CLUSTERS" || name.starts_with("SBATCH_");
    if (wanted && text.size() > name.size()) environment[name] = text.substr(name.size() + 1);
  }
  return environment;
}

}  // namespace bisectd::driver::launch
