// See the header; what makes this complete is explained in local.hpp.
#include "driver/launch/orphans.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "driver/launch/strays.hpp"

namespace bisectd::driver::launch {
namespace {

bool has_no_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == -1 && errno == ECHILD;
}

}  // namespace

Orphans::Orphans() {
  for (const pid_t pid : children_of(::getpid())) strangers_.insert(pid);
  adopts_foreigners_ = !strangers_.empty() || ::getpid() == 1;
}

std::vector<pid_t> Orphans::living(const std::vector<JobIdentity>& jobs) {
  if (has_no_children()) return {};
  std::vector<pid_t> found;
  for (const pid_t pid : children_of(::getpid())) {
    const auto leads = [&](const JobIdentity& job) { return job.leader_lives && job.leader == pid; };
    if (strangers_.contains(pid) || std::any_of(jobs.begin(), jobs.end(), leads)) continue;
    if (::waitpid(pid, nullptr, WNOHANG) != 0) given_up_.erase(pid);
    else if (!given_up_.contains(pid)) found.push_back(pid);
  }
  return found;
}

Orphans::Left Orphans::of(const JobIdentity& job, const std::vector<JobIdentity>& jobs) {
  Left left;
  for (const pid_t pid : living(jobs)) {
    const auto tag = attempt_tag(pid);
    const pid_t session = session_of(pid);
    const auto is_of = [&](const JobIdentity& one) { return tag ? *tag == one.tag : session == one.leader; };
    if (is_of(job)) left.own.push_back(pid);
    else if (std::any_of(jobs.begin(), jobs.end(), is_of)) continue;
    else if (tag || (jobs.size() == 1 && !adopts_foreigners_))  // of a job that is gone; or nobody else's
      left.own.push_back(pid);
    else left.unknown.push_back(pid);
  }
  return left;
}

}  // namespace bisectd::driver::launch
