#include "driver/keep/run_directory.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <re2/re2.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>
#include <tuple>

#include "driver/keep/descriptor.hpp"

namespace bisectd::driver::keep {
namespace fs = std::filesystem;
namespace {

constexpr const char* kJournal = "journal.jsonl";

std::string utc(const char* layout) {
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", layout)), fmt::gmtime(std::time(nullptr)));
}

/// What is in a folder stays after a power cut only if the folder itself does, and those that hold it.
void make_folders_durably(const fs::path& folder) {
  std::vector<fs::path> holders;
  std::error_code ignored;
  for (fs::path at = fs::absolute(folder).lexically_normal(); at.has_relative_path() && !fs::exists(at, ignored);
       at = at.parent_path())
    holders.push_back(at.parent_path());
  fs::create_directories(folder);
  for (const fs::path& holder : holders) sync_folder(holder);
}

}  // namespace

RunDirectory RunDirectory::create(const fs::path& out, std::string_view name) try {
  make_folders_durably(out);
  const std::string base = fmt::format("{}-{}", name, utc("%Y%m%dT%H%M%SZ"));
  fs::path folder = fs::absolute(out) / base;
  for (int n = 2; !fs::create_directory(folder); ++n) folder = fs::absolute(out) / fmt::format("{}-{}", base, n);
  sync_folder(out);
  return RunDirectory(fs::canonical(folder));
} catch (const fs::filesystem_error& error) {
  throw NoRunDirectory(fmt::format("cannot make a folder in {}: {}", out.string(), error.code().message()));
}

RunDirectory RunDirectory::open(const fs::path& folder) {
  std::error_code unreadable;
  if (!fs::is_directory(folder, unreadable))
    throw std::runtime_error(fmt::format(
        "{}: {}", folder.string(),
        fs::exists(folder, unreadable) ? "this is a file; name the folder of a run" : "there is no such folder"));
  if (!is_one(folder))
    throw std::runtime_error(
        fmt::format("{}: not a run directory of bisectd (no journal.jsonl in it){}", folder.string(),
                    is_one(folder / "latest") ? "; the last run in it is " + (folder / "latest").string() : ""));
  return RunDirectory(fs::canonical(folder));
}

std::optional<RunDirectory> RunDirectory::newest(const fs::path& out, std::string_view name) {
  const std::vector<fs::path> runs = begun_in(out, name, kJournal);
  return runs.empty() ? std::nullopt : std::optional(open(runs.back()));
}

std::optional<RunDirectory> RunDirectory::latest(const fs::path& out, std::string_view name) {
  std::error_code ignored;
  const fs::path run = out / fs::read_symlink(out / "latest", ignored).filename();
  const std::vector<fs::path> runs = begun_in(out, name, kJournal);
  return std::ranges::count(runs, run) ? std::optional(open(run)) : std::nullopt;
}

bool RunDirectory::is_one(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kJournal, ignored);
}

std::vector<fs::path> begun_in(const fs::path& out, std::string_view name, const char* file) {
  static const RE2 time_and_number(R"(-(\d{8}T\d{6}Z)(?:-(\d+))?)");            // behind the name
  std::map<std::tuple<std::string, std::size_t, std::string>, fs::path> found;  // by time, digits of the number, the number
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(out, ignored)) {
    const std::string folder = entry.path().filename().string();
    std::string time, number;  // the latter of those that began in the same second
    if (folder.starts_with(name) && RE2::FullMatch(folder.substr(name.size()), time_and_number, &time, &number) &&
        fs::is_regular_file(entry.path() / file, ignored))
      found[{time, number.size(), number}] = entry.path();
  }
  std::vector<fs::path> folders;
  for (auto& [began, folder] : found) folders.push_back(std::move(folder));
  return folders;
}

void RunDirectory::point_latest_here() const {
  const fs::path temporary = folder_.parent_path() / fmt::format(".latest-{}", ::getpid());
  std::error_code ignored;
  fs::create_directory_symlink(folder_.filename(), temporary, ignored);
  fs::rename(temporary, folder_.parent_path() / "latest", ignored);
  sync_folder(folder_.parent_path());
}

std::string RunDirectory::attempt_name(std::size_t trial, int attempt) {
  return fmt::format("trials/{:04}/attempt-{}", trial, attempt);
}

fs::path RunDirectory::attempt(std::size_t trial, int attempt) const { return folder_ / attempt_name(trial, attempt); }

std::string RunDirectory::relative(const fs::path& inside) const { return inside.lexically_relative(folder_).string(); }

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

namespace {

enum class Sync { no, yes };

void write_whole(const fs::path& file, std::string_view content, mode_t mode, Sync sync) {
  const std::string temporary = fmt::format("{}.{}.part", file.string(), ::getpid());
  ::unlink(temporary.c_str());  // of a process that had this number and was killed
  int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  bool good = descriptor >= 0 && write_all(descriptor, content);
  if (good && sync == Sync::yes) good = ::fsync(descriptor) == 0;
  int error = errno;
  if (descriptor >= 0 && ::close(descriptor) != 0 && good) {
    good = false;
    error = errno;
  }
  if (good && ::rename(temporary.c_str(), file.c_str()) != 0) {
    good = false;
    error = errno;
  }
  if (!good) {
    if (descriptor >= 0) ::unlink(temporary.c_str());
    throw std::system_error(error, std::generic_category(), fmt::format("{}: cannot be written", file.string()));
  }
  if (sync == Sync::yes) sync_folder(fs::absolute(file).parent_path());
}

}  // namespace

void write_file(const fs::path& file, std::string_view content) { write_whole(file, content, 0666, Sync::no); }
void write_file_durably(const fs::path& file, std::string_view content) { write_whole(file, content, 0666, Sync::yes); }
void write_private_file(const fs::path& file, std::string_view content) { write_whole(file, content, 0600, Sync::no); }

void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor) ::fsync(descriptor.get());
}

std::string read_file(const fs::path& file) {
  if (fs::is_character_file(file))  // /dev/zero has no end
    throw std::system_error(std::make_error_code(std::errc::not_supported),
                            fmt::format("{}: this is a device and no file", file.string()));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::system_error(errno, std::generic_category(), fmt::format("{}: cannot be read", file.string()));
  return {std::istreambuf_iterator<char>(stream), {}};
}

TemporaryFolder::TemporaryFolder(const fs::path& within) {
  std::string name = (within / "bisectd-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), within.string());
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string make_run_tag(const fs::path& folder) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string unique = fmt::format("{} {} {}", folder.string(), now, ::getpid());
  return fmt::format("{:016x}", XXH3_64bits(unique.data(), unique.size()));
}

std::string utc_now() { return utc("%Y-%m-%dT%H:%M:%SZ"); }

}  // namespace bisectd::driver::keep
