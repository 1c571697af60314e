// See the header; what makes this complete is explained in local.hpp.
#include "driver/launch/orphans.hpp"

#include <signal.h>
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

std::vector<Orphans::Orphan> Orphans::collect(const std::vector<JobIdentity>& jobs) {
  if (has_no_children()) return {};
  std::vector<Orphan> found;
  for (const pid_t pid : children_of(::getpid())) {
    const auto leads = [&](const JobIdentity& job) { return job.leader_lives && job.leader == pid; };
    if (strangers_.contains(pid) || std::any_of(jobs.begin(), jobs.end(), leads)) continue;
    Orphan orphan{.pid = pid, .group = ::getpgid(pid), .session = ::getsid(pid)};  // a zombie has them, too
    orphan.dead = ::waitpid(pid, nullptr, WNOHANG) != 0;
    if (orphan.dead) given_up_.erase(pid);
    if (!given_up_.contains(pid)) found.push_back(orphan);
  }
  return found;
}

Orphans::Left Orphans::of(const JobIdentity& job, const std::vector<JobIdentity>& jobs) {
  Left left;
  for (const Orphan& orphan : collect(jobs)) {
    const auto shown = orphan.dead ? std::nullopt : attempt_tag(orphan.pid);
    if (shown && orphan.group > 1) groups_[orphan.group] = *shown;
    const auto known = groups_.find(orphan.group);
    const auto is_of = [&](const JobIdentity& one) {
      return known != groups_.end() ? known->second == one.tag : orphan.session == one.leader;
    };
    const bool is_ours = is_of(job);
    if (!is_ours && std::any_of(jobs.begin(), jobs.end(), is_of)) continue;
    if (is_ours || known != groups_.end() ||
        (jobs.size() == 1 && !adopts_foreigners_)) {  // of a job that is gone; or nobody else's
      if (orphan.group > 1) groups_[orphan.group] = job.tag;
      if (!orphan.dead) left.own.push_back(orphan.pid);
      left.any_died = left.any_died || orphan.dead;
    } else if (!orphan.dead) {
      left.unknown.push_back(orphan.pid);
    }
  }
  std::erase_if(groups_, [](const auto& group) { return ::kill(-group.first, 0) != 0; });
  for (const auto& [group, tag] : groups_)
    if (tag == job.tag) left.groups.push_back(group);
  return left;
}

}  // namespace bisectd::driver::launch
