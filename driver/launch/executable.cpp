// The lookup happens in the parent, before fork: a child of Boost.Process that cannot exec calls exit() and flushes the
// parent's buffers a second time (boostorg/process #514), and PATH of the job is not PATH of bisectd.
#include "driver/launch/executable.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "configs/file_bytes.hpp"

namespace bisectd::driver::launch {
namespace {

constexpr std::string_view kDefaultPath = "/usr/bin:/bin";

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool may_execute(const std::string& path) { return ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0; }

std::string not_executable(const std::string& path) {
  return fmt::format("{}: not executable (chmod +x, or name its interpreter first)", path);
}

tl::expected<std::string, std::string> check_path(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return tl::unexpected(fmt::format("{}: {}", path, std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) return tl::unexpected(fmt::format("{}: is a directory, not a program", path));
  if (!is_file(path) || !may_execute(path)) return tl::unexpected(not_executable(path));
  return path;
}

/// The interpreter named by a first line `#!...`; empty without one.
std::string interpreter_of(const std::string& file) {
  std::string line = configs::bytes_in(file, 256);
  if (!line.starts_with("#!")) return {};
  line.resize(std::min(line.find('\n'), line.size()));
  const auto begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_first_of(" \t", begin) - begin);
}

}  // namespace

tl::expected<std::string, std::string> find_executable(const std::string& name,
                                                       const std::map<std::string, std::string>& environment,
                                                       const std::filesystem::path& directory) {
  if (name.empty()) return tl::unexpected(std::string("the command is empty"));
  if (name.find('/') != std::string::npos) return check_path((directory / name).string());

  const auto variable = environment.find("PATH");
  const std::string path = variable == environment.end() ? std::string(kDefaultPath) : variable->second;
  std::string not_quite;  // found, but not executable: a better message than "not found"
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string candidate = (directory / path.substr(begin, end - begin) / name).string();
    if (is_file(candidate)) {
      if (may_execute(candidate)) return candidate;
      if (not_quite.empty()) not_quite = candidate;
    }
    begin = end + 1;
  }
  if (!not_quite.empty()) return tl::unexpected(not_executable(not_quite));
  return tl::unexpected(fmt::format("{}: not found in PATH ({})", name, path));
}

std::string explain_exec_failure(const std::string& file, int error) {
  const std::string interpreter = interpreter_of(file);
  if (error == ENOENT && !interpreter.empty())
    return fmt::format("{}: its interpreter {} (first line of the file) was not found", file, interpreter);
  if (error == ENOENT) return fmt::format("{}: it, or the dynamic loader it names, was not found", file);
  if (error == ENOEXEC)
    return fmt::format("{}: exec format error (a script without a #! line, or built for another machine)", file);
  if (error == E2BIG) return fmt::format("{}: the command line and environment are too long for this system", file);
  return fmt::format("{}: {}", file, std::strerror(error));
}

}  // namespace bisectd::driver::launch
