// One job of a scheduler, from its submission to its end. Knows what its files and the last query say, and what both
// together mean; runs nothing.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "driver/launch/job_script.hpp"
#include "driver/launch/launcher.hpp"
#include "driver/launch/scheduler.hpp"

namespace bisectd::driver::launch {

class BatchJob {
 public:
  /// Whether the scheduler has it. `unsure`: only a query by its name can tell, after a submission that failed or another
  /// bisectd.
  enum class Standing { to_submit, unsure, submitted };

  explicit BatchJob(const Job& job);

  const Job& job() const { return job_; }
  const std::string& name() const { return name_; }  ///< that no other job has
  const std::string& id() const { return id_; }      ///< the scheduler's; empty until it is known
  Standing standing() const { return standing_; }
  bool is_to_be_submitted(Clock::time_point now) const;
  JobStatus status() const;

  // What happens to it.
  void submitted_as(std::string id);
  /// A submission failed; the next is not before a pause, each longer than the one before.
  void not_taken(Clock::time_point now);
  /// What a query said of it; nullptr: the scheduler does not know it. Queries are seconds apart.
  void seen_as(const SeenJob* seen, Clock::time_point now);
  /// It is to end. `given_up`: why it never ran, if that is the reason; else empty.
  void stop(Clock::time_point now, std::string given_up = "");
  std::optional<Clock::time_point> stopped_at() const { return stopped_at_; }
  bool waited_too_long(Clock::time_point now) const;

  /// Looks at its files. How it ended, once that is known: by its own outcome; where it left none, by what the scheduler
  /// says, after a while in which the outcome may still be seen.
  std::optional<Ended> look(Clock::time_point now);
  /// `ended` with all else that is known of the job.
  Ended completed(Ended ended) const;

 private:
  std::optional<Ended> by_outcome(const JobOutcome& outcome, Clock::time_point now);
  Ended without_outcome() const;
  bool outcome_is_overdue(Clock::time_point now) const;

  Job job_;
  std::string name_, id_;
  Clock::time_point since_ = Clock::now();  ///< it waits
  Standing standing_;
  int unknown_ = 0;                  ///< answers that did not know it since a submission failed
  Clock::time_point not_before_{};   ///< when it may be submitted
  std::chrono::milliseconds pause_;  ///< after the next submission that fails
  SeenJob seen_;
  std::optional<Clock::time_point>
      over_since_;  ///< the scheduler shows it as ended, gone or not at all, or it was terminated
  std::optional<JobStarted> begun_;
  std::optional<Clock::time_point> stopped_at_;
  std::string given_up_;
};

}  // namespace bisectd::driver::launch
