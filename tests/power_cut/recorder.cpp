// For LD_PRELOAD: what a program does to the files below a folder, one operation after the other. Written down, so that a
// test can say what a power cut after any of them leaves on the disk (tests/end_to_end/test_power_cut.py); or the program is
// killed in the middle of one of them, which no clock hits (test_kills.py); or one fails (test_failing_calls.py).
//
//   FILES_PROGRAM   only this program is looked at, not what it starts
//   FILES_ROOT      only what is below it
//   FILES_RECORDS   the file to write the operations into
//   FILES_KILL_AT   the number of the operation, from 1 on, in which it dies by SIGKILL; of a write, half is done
//   FILES_FAIL      "W 3 28": the third write fails by errno 28; "W 3+ 28": and all after it. F: of fork, whatever the root
//
// And the time of day can be made to jump (CLOCK_JUMPS), for test_hostile_training.py.
//
// A record: its kind, two paths and two numbers, which end in NUL each, and of a write the bytes. Only what bisectd calls is
// here: a file made or emptied (C), write (W), truncate (T), sync of a file or folder (S), rename (R), unlink (U), mkdir
// (M), symlink (L).
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_the_program() {
  static const bool is = [] {
    char self[4096];
    const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
    return length > 0 && std::string(self, static_cast<std::size_t>(length)) == setting("FILES_PROGRAM");
  }();
  return is;
}

bool is_in_root(const std::string& path) {
  static const std::string root = setting("FILES_ROOT");
  return is_the_program() && (path == root || path.starts_with(root + "/"));
}

/// Whether this operation, which is about to be done, is the one to die in.
bool dies_in(const std::string& path) {
  static const long kill_at = std::atol(setting("FILES_KILL_AT").c_str());
  static std::atomic<long> count{0};
  return kill_at > 0 && is_in_root(path) && ++count == kill_at;
}

/// Whether this operation is one to fail, with errno set then.
bool fails(char kind, const std::string& path) {
  static const std::string which = setting("FILES_FAIL");
  static std::atomic<long> count{0};
  if (which.empty() || which[0] != kind || !(kind == 'F' ? is_the_program() : is_in_root(path))) return false;
  char* end = nullptr;
  const long number = ++count, first = std::strtol(which.c_str() + 1, &end, 10);
  const bool goes_on = *end == '+';
  if (number != first && !(goes_on && number > first)) return false;
  errno = std::atoi(end + (goes_on ? 1 : 0));
  return true;
}

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  std::abort();
}

int records() {
  static const int file = static_cast<int>(
      ::syscall(SYS_openat, AT_FDCWD, setting("FILES_RECORDS").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  return file;
}

std::string absolute(const char* path) {
  if (*path == '/') return path;
  char folder[4096];
  return std::string(::getcwd(folder, sizeof folder) ? folder : "") + "/" + path;
}

std::string path_of(int file) {
  char path[4096];
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  return length < 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

void record(char kind, const std::string& path, const std::string& other = "", off_t place = 0, const void* bytes = nullptr,
            std::size_t size = 0) {
  const int error = errno;
  if (is_in_root(path) && records() >= 0) {
    std::string text{kind, '\0'};
    for (const std::string& field : {path, other, std::to_string(place), std::to_string(size)})
      text.append(field).push_back('\0');
    text.append(static_cast<const char*>(bytes), size);
    if (::syscall(SYS_write, records(), text.data(), text.size()) != static_cast<long>(text.size())) std::abort();
  }
  errno = error;
}

bool exists(const char* path) { return ::faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0; }

mode_t mode_in(int flags, va_list arguments) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0; }

}  // namespace

extern "C" {

#define OPENS(name)                                                                 \
  int name(const char* path, int flags, ...) {                                      \
    va_list arguments;                                                              \
    va_start(arguments, flags);                                                     \
    const mode_t mode = mode_in(flags, arguments);                                  \
    va_end(arguments);                                                              \
    const bool changes = (flags & O_TRUNC) || ((flags & O_CREAT) && !exists(path)); \
    if (changes && dies_in(absolute(path))) die();                                  \
    if (changes && fails('C', absolute(path))) return -1;                           \
    const int file = next<int(const char*, int, ...)>(#name)(path, flags, mode);    \
    if (changes && file >= 0) record('C', absolute(path));                          \
    return file;                                                                    \
  }
OPENS(open)
OPENS(open64)

ssize_t write(int file, const void* bytes, size_t size) {
  auto* real = next<ssize_t(int, const void*, size_t)>("write");
  struct stat before;
  if (::fstat(file, &before) != 0 || !S_ISREG(before.st_mode)) return real(file, bytes, size);
  const std::string path = path_of(file);
  if (dies_in(path)) real(file, bytes, size / 2), die();
  if (fails('W', path)) return -1;
  const off_t place = (::fcntl(file, F_GETFL) & O_APPEND) ? before.st_size : ::lseek(file, 0, SEEK_CUR);
  const ssize_t written = real(file, bytes, size);
  if (written > 0) record('W', path, "", place, bytes, static_cast<std::size_t>(written));
  return written;
}

ssize_t writev(int file, const iovec* parts, int count) {
  ssize_t all = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t written = ::write(file, parts[i].iov_base, parts[i].iov_len);
    if (written < 0) return all ? all : written;
    all += written;
  }
  return all;
}

#define WRITES_AT(name)                                                                      \
  ssize_t name(int file, const void* bytes, size_t size, off_t place) {                      \
    auto* real = next<ssize_t(int, const void*, size_t, off_t)>(#name);                      \
    const std::string path = path_of(file);                                                  \
    if (dies_in(path)) real(file, bytes, size / 2, place), die();                            \
    if (fails('W', path)) return -1;                                                         \
    const ssize_t written = real(file, bytes, size, place);                                  \
    if (written > 0) record('W', path, "", place, bytes, static_cast<std::size_t>(written)); \
    return written;                                                                          \
  }
WRITES_AT(pwrite)
WRITES_AT(pwrite64)

// CHANGES(function, parameters, arguments, kind, path, more of the record)
#define CHANGES(name, parameters, arguments, kind, path, ...)       \
  int name parameters {                                             \
    if (dies_in(path)) die();                                       \
    if (fails(kind, path)) return -1;                               \
    const int result = next<int parameters>(#name) arguments;       \
    if (result == 0) record(kind, path __VA_OPT__(, ) __VA_ARGS__); \
    return result;                                                  \
  }
CHANGES(ftruncate, (int file, off_t length), (file, length), 'T', path_of(file), "", length)
CHANGES(ftruncate64, (int file, off_t length), (file, length), 'T', path_of(file), "", length)
CHANGES(fsync, (int file), (file), 'S', path_of(file))
CHANGES(fdatasync, (int file), (file), 'S', path_of(file))
CHANGES(rename, (const char* from, const char* to), (from, to), 'R', absolute(from), absolute(to))
CHANGES(unlink, (const char* name), (name), 'U', absolute(name))
CHANGES(rmdir, (const char* name), (name), 'U', absolute(name))
CHANGES(mkdir, (const char* name, mode_t mode), (name, mode), 'M', absolute(name))
CHANGES(symlink, (const char* target, const char* name), (target, name), 'L', absolute(name), target)

pid_t fork() { return fails('F', "") ? -1 : next<pid_t()>("fork")(); }

/// CLOCK_JUMPS: the time of day is another one at each look, up to four days off.
int clock_gettime(clockid_t clock, timespec* now) {
  static const bool jumps = std::getenv("CLOCK_JUMPS");
  static std::atomic<unsigned> looks{0};
  const int result = next<int(clockid_t, timespec*)>("clock_gettime")(clock, now);
  if (jumps && result == 0 && clock == CLOCK_REALTIME)
    now->tv_sec += static_cast<time_t>(looks++ * 2654435761U % 691'200) - 345'600;
  return result;
}

time_t time(time_t* out) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return out ? *out = now.tv_sec : now.tv_sec;
}

}  // extern "C"
