// The log is one for the process: each case opens a file of its own and closes it. Descriptors are looked at in /proc.
#include "driver/log/log.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/driver/temporary_folder.hpp"

namespace bisectd::driver {
namespace {

using log::Level;
using tests::TemporaryFolder;

std::string text_in(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// stderr while it lives.
class Stderr {
 public:
  Stderr() {
    const int file = ::open((folder_.path() / "stderr").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  ~Stderr() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    log::show_on_stderr(Level::info);
  }
  std::string said() const { return text_in(folder_.path() / "stderr"); }

 private:
  TemporaryFolder folder_;
  int before_ = ::dup(STDERR_FILENO);
};

/// What is in the file for a call, without its time.
std::string line_of(const std::string& text) {
  const Stderr quiet;
  const TemporaryFolder folder;
  log::open_file(folder.path());
  const std::string before = text_in(folder.path() / "bisectd.log");
  log::debug(text);
  log::close_file();
  const std::string line = text_in(folder.path() / "bisectd.log").substr(before.size());
  REQUIRE(std::regex_search(line, std::regex(R"(^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z D )")));
  return line.substr(line.find(" D ") + 3);
}

}  // namespace

TEST_CASE("every level is in the file, which nobody else may read; a later run appends to it") {
  const Stderr quiet;
  const TemporaryFolder folder;
  const auto file = folder.path() / "bisectd.log";
  const mode_t before = ::umask(0);
  log::open_file(folder.path());
  ::umask(before);
  log::debug("a debug line");
  log::info("an info line");
  log::warning("a warning line");
  log::error("an error line");
  log::close_file();
  struct stat about {};
  REQUIRE(::stat(file.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  const std::string first = text_in(file);
  for (const char* line : {"Z D a debug line\n", "Z I an info line\n", "Z W a warning line\n", "Z E an error line\n"})
    CHECK(first.find(line) != std::string::npos);
  log::open_file(folder.path());
  log::debug("another run");
  log::close_file();
  const std::string both = text_in(file);
  CHECK(both.starts_with(first));
  CHECK(both.ends_with("Z D another run\n"));
}

TEST_CASE("a line is in the file as soon as it was told: whatever ends the program, it is there") {
  const Stderr quiet;
  const TemporaryFolder folder;
  log::open_file(folder.path());
  log::debug("told");
  CHECK(text_in(folder.path() / "bisectd.log").ends_with("told\n"));
  log::close_file();
}

TEST_CASE("what was told before there is a file comes first in it") {
  const Stderr quiet;
  const TemporaryFolder folder;
  log::debug("early");
  log::open_file(folder.path());
  log::debug("late");
  log::close_file();
  const std::string text = text_in(folder.path() / "bisectd.log");
  CHECK(text.find("early") < text.find("late"));
}

TEST_CASE("stderr shows a level and what is more serious, after what must be cleared before") {
  const auto said_at = [](Level level) {
    const Stderr captured;
    log::show_on_stderr(level);
    log::debug("process 12");
    log::info("trial 3 passes");
    log::warning("warning: odd");
    log::error("bisectd: no");
    return captured.said();
  };
  CHECK(said_at(Level::debug) == "debug: process 12\ntrial 3 passes\nwarning: odd\nbisectd: no\n");
  CHECK(said_at(Level::info) == "trial 3 passes\nwarning: odd\nbisectd: no\n");
  CHECK(said_at(Level::warning) == "warning: odd\nbisectd: no\n");
  CHECK(said_at(Level::error) == "bisectd: no\n");
  const Stderr captured;
  int cleared = 0;
  log::before_lines_on_stderr([&] { ++cleared; });
  log::debug("not shown");
  CHECK(cleared == 0);
  log::info("two\nlines");
  CHECK(cleared == 1);
  log::before_lines_on_stderr({});
  log::info("after");
  CHECK(cleared == 1);
  CHECK(captured.said() == "two\nlines\nafter\n");
}

TEST_CASE("text of a training can neither act on a terminal nor look like a line of the log") {
  CHECK(line_of("said \x1b[31m\xff\n2026-01-01T00:00:00.000Z E forged") ==
        "said \\x1b[31m\\xff\\n2026-01-01T00:00:00.000Z E forged\n");
  CHECK(line_of("\xe2\x80\xae gnp {} {:d} %v") == "\\u{202e} gnp {} {:d} %v\n");
  const std::string endless = line_of(std::string(100'000, 'x') + "\xc3\xa9");
  CHECK(endless.size() < 5000);
  CHECK(endless.ends_with("x... (100002 bytes)\n"));
  const Stderr captured;
  log::info("said \x1b[31m");
  CHECK(captured.said() == "said \\x1b[31m\n");
}

TEST_CASE("secrets are not written") {
  CHECK(line_of("asks http://me:hunter2@proxy/x") == "asks http://me:***@proxy/x\n");
  const std::string text = log::command_text(
      {"python", "train.py", "--token", "hunter2", "--api-key=hunter2", "https://me:hunter2@host/", "a b"});
  CHECK(text.find("hunter2") == std::string::npos);
  CHECK(text.starts_with("python train.py --token "));
  CHECK(text.ends_with(" 'a b'"));
  const Stderr captured;
  log::info("asks http://me:hunter2@proxy/x");
  CHECK(captured.said() == "asks http://me:***@proxy/x\n");
}

TEST_CASE("a log that cannot be opened is told once, and what is told later harms nothing") {
  const Stderr captured;
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "bisectd.log");
  log::open_file(folder.path());
  log::info("goes on");
  log::close_file();
  CHECK(captured.said() ==
        "warning: " + (folder.path() / "bisectd.log").string() + " is not written: Is a directory\ngoes on\n");
  const TemporaryFolder other;
  std::filesystem::create_symlink(other.path() / "elsewhere", other.path() / "bisectd.log");
  log::open_file(other.path());
  log::close_file();
  CHECK_FALSE(std::filesystem::exists(other.path() / "elsewhere"));
}

TEST_CASE("lines that a disk does not take are counted once it takes some again") {
  const Stderr quiet;
  const TemporaryFolder folder;
  const auto file = folder.path() / "bisectd.log";
  log::open_file(folder.path());
  log::debug("first");
  rlimit whole{};
  ::getrlimit(RLIMIT_FSIZE, &whole);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{std::filesystem::file_size(file) + 10, whole.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  log::debug("cut off");
  log::warning("warning: lost");
  ::setrlimit(RLIMIT_FSIZE, &whole);
  std::signal(SIGXFSZ, ignored);
  log::debug("last");
  log::close_file();
  const std::string text = text_in(file);
  CHECK(text.find("first\n") != std::string::npos);
  CHECK(text.find("\n(2 lines could not be written)\n") != std::string::npos);
  CHECK(text.find("warning: lost") == std::string::npos);
  CHECK(text.ends_with("Z D last\n"));
}

TEST_CASE("the file is not handed to programs that are started, and is never stderr") {
  const Stderr quiet;
  const TemporaryFolder folder;
  log::open_file(folder.path());
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry.path(), gone) != folder.path() / "bisectd.log") continue;
    ++found;
    CHECK((::fcntl(std::stoi(entry.path().filename().string()), F_GETFD) & FD_CLOEXEC) != 0);
  }
  CHECK(found == 1);
  log::close_file();
  ::close(STDERR_FILENO);
  log::open_file(folder.path());
  CHECK(::fcntl(STDERR_FILENO, F_GETFD) == -1);
  log::close_file();
}

}  // namespace bisectd::driver
