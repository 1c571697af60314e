// Finds processes by kinship and by the attempt tag in their environment, through /proc. Knows no jobs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bisectd::driver::launch {

/// The variable that marks every process of an attempt; inherited by whatever it starts.
inline constexpr std::string_view kAttemptVariable = "BISECTD_ATTEMPT";

/// Direct children of a process, zombies included. Empty when there is no such process.
std::vector<pid_t> children_of(pid_t pid);

/// Everything below a process, nearest first, without itself.
std::vector<pid_t> descendants_of(pid_t pid);

/// The attempt a process was started in. Absent when it has no tag or does not show its environment: it belongs to
/// another user, is a zombie, or wrote its title over it (setproctitle).
std::optional<std::string> attempt_tag(pid_t pid);

/// The memory that a process takes, in bytes; its share of what it has in common with others. Absent: it does not show it.
std::optional<std::uint64_t> memory_of(pid_t pid);

/// The short name of a process, as ps shows it; "?" when there is none.
std::string name_of(pid_t pid);

/// SIGKILL to a whole process group, unless it is ours or none. The kernel lets no fork slip through a signal to a group,
/// while a list of processes is old before it is walked: of a chain in which each process forks and leaves, it holds only
/// those that are gone. A zombie still has its group (getpgid).
void kill_group(pid_t group);

/// Kills every process on this machine whose attempt tag starts with `tag_prefix` (never this one) and waits, at most
/// 5 s, until they are gone. Whether there were any. For what a killed bisectd left behind: end the prefix with a
/// separator, or "run-1" takes "run-10" with it. Costs one look at every process: for resume, not for every attempt.
bool sweep_strays(std::string_view tag_prefix);

}  // namespace bisectd::driver::launch
