// Reads /proc with plain calls: these files are made while they are read, and a process may vanish at any point; every
// failure therefore means "no such process any more".
#include "driver/launch/strays.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "driver/keep/descriptor.hpp"

namespace bisectd::driver::launch {
namespace {

/// The whole file; nothing when it cannot be read.
std::optional<std::string> read_whole(const std::string& path) {
  const keep::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 16384> part{};
  ssize_t got = 0;
  while ((got = ::read(file.get(), part.data(), part.size())) > 0) text.append(part.data(), static_cast<std::size_t>(got));
  if (got < 0) return std::nullopt;
  return text;
}

/// The entries of a /proc folder that are numbers: processes or threads.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), &::closedir);
  if (!listing) return numbers;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

struct Stat {
  char state = 'X';
  pid_t parent = -1;
};

/// /proc/PID/stat: `pid (name) state parent ...`; the name may hold spaces and brackets.
std::optional<Stat> stat_of(pid_t pid) {
  const auto text = read_whole("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return std::nullopt;
  const auto bracket = text->rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  Stat stat;
  if (std::sscanf(text->c_str() + bracket + 1, " %c %d", &stat.state, &stat.parent) != 2) return std::nullopt;
  return stat;
}

/// For kernels without CONFIG_PROC_CHILDREN.
std::vector<pid_t> children_by_scan(pid_t pid) {
  std::vector<pid_t> children;
  for (const pid_t other : numbers_in("/proc")) {
    const auto stat = stat_of(other);
    if (stat && stat->parent == pid) children.push_back(other);
  }
  return children;
}

bool is_gone(pid_t pid) {
  ::waitpid(pid, nullptr, WNOHANG);  // it may be a child of ours
  const auto stat = stat_of(pid);
  return !stat || stat->state == 'Z' || stat->state == 'X';
}

/// Kills a process and its group if it still is what `is_meant` accepts: the pidfd is opened first, so that a number that
/// was reused between the look and the kill is not hit.
template <typename Predicate>
bool kill_if(pid_t pid, Predicate is_meant) {
  const keep::Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const pid_t group = ::getpgid(pid);
  const bool meant = is_meant(pid);
  if (meant) {
    kill_group(group);
    if (process) ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
    else ::kill(pid, SIGKILL);
  }
  return meant;
}

}  // namespace

std::vector<pid_t> children_of(pid_t pid) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  std::vector<pid_t> children;
  for (const pid_t task : numbers_in(tasks)) {
    const auto text = read_whole(tasks + "/" + std::to_string(task) + "/children");
    if (!text) return children_by_scan(pid);
    const char* at = text->data();
    const char* const end = at + text->size();
    for (pid_t child = 0; at < end; ++at) {
      const auto [after, error] = std::from_chars(at, end, child);
      if (error == std::errc{}) {
        children.push_back(child);
        at = after;
      }
    }
  }
  return children;
}

std::vector<pid_t> descendants_of(pid_t pid) {
  std::vector<pid_t> found = children_of(pid);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const pid_t child : children_of(found[i])) found.push_back(child);
  return found;
}

std::optional<std::string> attempt_tag(pid_t pid) {
  const auto environment = read_whole("/proc/" + std::to_string(pid) + "/environ");
  if (!environment) return std::nullopt;
  for (std::string_view rest = *environment; !rest.empty();) {
    const std::string_view variable = rest.substr(0, rest.find('\0'));
    if (variable.starts_with(kAttemptVariable) && variable.substr(kAttemptVariable.size()).starts_with('='))
      return std::string(variable.substr(kAttemptVariable.size() + 1));
    rest.remove_prefix(std::min(variable.size() + 1, rest.size()));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> memory_of(pid_t pid) {
  const auto text = read_whole("/proc/" + std::to_string(pid) + "/smaps_rollup");
  if (!text) return std::nullopt;
  constexpr std::string_view kKey = "\nPss:";
  const auto at = text->find(kKey);
  unsigned long long kilobytes = 0;
  if (at == std::string::npos || std::sscanf(text->c_str() + at + kKey.size(), " %llu kB", &kilobytes) != 1)
    return std::nullopt;
  return kilobytes * 1024;
}

std::string name_of(pid_t pid) {
  const auto name = read_whole("/proc/" + std::to_string(pid) + "/comm");
  return name ? name->substr(0, name->find('\n')) : "?";
}

void kill_group(pid_t group) {
  if (group > 1 && group != ::getpgrp()) ::kill(-group, SIGKILL);
}

bool sweep_strays(std::string_view tag_prefix) {
  using namespace std::chrono_literals;
  const auto is_meant = [&](pid_t pid) {
    const auto tag = attempt_tag(pid);
    return tag && tag->starts_with(tag_prefix);
  };
  const auto until = std::chrono::steady_clock::now() + 5s;
  std::vector<pid_t> killed;
  // A stray may have forked while we looked, and one that forks and leaves may be missed by a whole look: look again until
  // some in a row find none.
  constexpr int kLooksInVain = 3;
  for (int in_vain = 0; in_vain < kLooksInVain && std::chrono::steady_clock::now() < until;) {
    bool found = false;
    for (const pid_t pid : numbers_in("/proc")) {
      if (pid == ::getpid() || !kill_if(pid, is_meant)) continue;
      if (std::find(killed.begin(), killed.end(), pid) == killed.end()) killed.push_back(pid);
      found = true;
    }
    while (std::chrono::steady_clock::now() < until &&
           !std::all_of(killed.begin(), killed.end(), [](pid_t pid) { return is_gone(pid); }))
      std::this_thread::sleep_for(1ms);
    in_vain = found ? 0 : in_vain + 1;
  }
  return !killed.empty();
}

}  // namespace bisectd::driver::launch
