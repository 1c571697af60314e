#include "driver/keep/run_directory.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace bisectd::driver::keep {
namespace fs = std::filesystem;
namespace {

std::string utc(const char* layout) {
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", layout)), fmt::gmtime(std::time(nullptr)));
}

}  // namespace

RunDirectory RunDirectory::create(const fs::path& out, std::string_view name) {
  fs::create_directories(out);
  const std::string base = fmt::format("{}-{}", name, utc("%Y%m%dT%H%M%SZ"));
  fs::path folder = fs::absolute(out) / base;
  for (int n = 2; !fs::create_directory(folder); ++n) folder = fs::absolute(out) / fmt::format("{}-{}", base, n);
  return RunDirectory(fs::canonical(folder));
}

RunDirectory RunDirectory::open(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw std::runtime_error(fmt::format("{}: there is no such folder", folder.string()));
  if (!is_one(folder))
    throw std::runtime_error(fmt::format("{}: not a run directory of bisectd (no journal.jsonl in it)", folder.string()));
  return RunDirectory(fs::canonical(folder));
}

bool RunDirectory::is_one(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "journal.jsonl", ignored);
}

void RunDirectory::point_latest_here() const {
  const fs::path temporary = folder_.parent_path() / fmt::format(".latest-{}", ::getpid());
  std::error_code ignored;
  fs::create_directory_symlink(folder_.filename(), temporary, ignored);
  fs::rename(temporary, folder_.parent_path() / "latest", ignored);
}

std::string RunDirectory::attempt_name(std::size_t trial, std::string_view key, int attempt) {
  const auto hash = static_cast<std::uint32_t>(XXH3_64bits(key.data(), key.size()));
  return fmt::format("trials/{:04}-{:08x}/attempt-{}", trial, hash, attempt);
}

fs::path RunDirectory::attempt(std::size_t trial, std::string_view key, int attempt) const {
  return folder_ / attempt_name(trial, key, attempt);
}

std::string RunDirectory::relative(const fs::path& inside) const { return inside.lexically_relative(folder_).string(); }

void write_file(const fs::path& file, std::string_view content) {
  const fs::path temporary = fmt::format("{}.{}.part", file.string(), ::getpid());
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream) {
    const int error = errno;
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw std::system_error(error, std::generic_category(), fmt::format("{}: cannot be written", file.string()));
  }
  fs::rename(temporary, file);
}

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::system_error(errno, std::generic_category(), fmt::format("{}: cannot be read", file.string()));
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string utc_now() { return utc("%Y-%m-%dT%H:%M:%SZ"); }

}  // namespace bisectd::driver::keep
