#include "reports/write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "reports/html/page.hpp"
#include "reports/json.hpp"
#include "reports/junit.hpp"
#include "reports/markdown.hpp"
#include "reports/workaround.hpp"

namespace bisectd::reports {
namespace {

/// What is in it is safe from a power cut; false: that is not known, errno says why.
bool sync(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool good = ::fsync(descriptor) == 0;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return good;
}

// Throws std::system_error. One driver at a time writes a run directory (its lock says so), hence the fixed name.
void replace(const std::filesystem::path& file, const std::string& content, bool durably) {
  std::filesystem::path temporary = file;
  temporary += ".new";
  try {
    errno = 0;
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    stream.close();  // a full disk may show only here
    if (!stream) throw std::system_error(errno ? errno : EIO, std::generic_category());
    // Else the name could come to the disk without the bytes: an empty workaround that was a whole one before.
    if (durably && !sync(temporary)) throw std::system_error(errno, std::generic_category());
    std::filesystem::rename(temporary, file);
  } catch (const std::system_error&) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

}  // namespace

const std::vector<Renderer>& renderers() {
  static const std::vector<Renderer> all{{"report.json", to_json},
                                         {"report.md", to_markdown},
                                         {"workaround.sh", to_workaround},
                                         {"junit.xml", to_junit},
                                         {"report.html", to_html}};
  return all;
}

std::vector<std::string> write_reports(const Record& record, const std::filesystem::path& folder) {
  std::vector<std::string> problems;
  for (const Renderer& renderer : renderers()) {
    const std::filesystem::path file = folder / renderer.file;
    try {
      replace(file, renderer.render(record), record.finished);
    } catch (const std::system_error& error) {
      problems.push_back(fmt::format("{} was not written: {}", file.string(), error.code().message()));
    }
  }
  if (record.finished) sync(folder);  // not every file system can
  return problems;
}

}  // namespace bisectd::reports
