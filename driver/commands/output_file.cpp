#include "driver/commands/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "driver/commands/command.hpp"
#include "driver/keep/descriptor.hpp"
#include "driver/keep/run_directory.hpp"

namespace bisectd::driver::commands {
namespace {

namespace fs = std::filesystem;

/// Of what a link leads to.
bool takes_bytes_as_they_come(const fs::path& file) {
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

bool belongs_to_a_run(const fs::path& file) {
  const fs::path target = fs::weakly_canonical(file);
  for (fs::path folder = target.parent_path(); folder != folder.parent_path(); folder = folder.parent_path()) {
    if (!fs::exists(folder / "journal.jsonl")) continue;
    const std::string within = target.lexically_relative(folder).string();
    return !within.starts_with("report.") && within != "workaround.sh";
  }
  return false;
}

void write_through(const fs::path& file, std::string_view content) {
  const keep::Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!descriptor || !keep::write_all(descriptor.get(), content))
    throw std::system_error(errno, std::generic_category(), fmt::format("{}: cannot be written", file.string()));
}

}  // namespace

void check_output_file(const fs::path& file, bool replace) {
  if (takes_bytes_as_they_come(file)) return;
  try {
    if (fs::is_directory(file)) throw UsageError(fmt::format("{} is a folder; name a file in it", file.string()));
    const bool there = fs::exists(file);
    if (there && belongs_to_a_run(file))
      throw UsageError(fmt::format("{} belongs to the run and is not replaced", file.string()));
    if (there && !replace) throw UsageError(fmt::format("{} is there already; replace it with --yes", file.string()));
    const fs::path folder = fs::absolute(there ? fs::canonical(file) : file).parent_path();
    fs::create_directories(folder);
    const keep::TemporaryFolder probe(folder);  // asking for rights misleads root
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("{} cannot be written: {}", file.string(), error.code().message()));
  }
}

void write_output_file(const fs::path& file, std::string_view content) {
  if (takes_bytes_as_they_come(file)) return write_through(file, content);
  keep::write_file_durably(fs::exists(file) ? fs::canonical(file) : file, content);
}

}  // namespace bisectd::driver::commands
