// Files that grow, tear, shrink and are replaced while they are followed.
#include "driver/read/follow.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "tests/catch.hpp"
#include "tests/driver/temporary_folder.hpp"
#include "tests/read/watched_opens.hpp"

namespace fs = std::filesystem;
using namespace bisectd::driver::read;

namespace {

/// A folder of its own for each test, removed at its end.
struct FollowedFolder {
  bisectd::tests::TemporaryFolder folder;
  fs::path path = folder.path();
};

void append(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::app | std::ios::binary) << text; }

/// The number of the descriptor by which this process has the file open; -1: by none.
int descriptor_of(const fs::path& path) {
  for (const fs::directory_entry& each : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the iterator's own
    if (fs::read_symlink(each.path(), gone) == path) return std::stoi(each.path().filename());
  }
  return -1;
}

/// The lines of a file as "number:text", "~" behind a torn one.
struct Follow {
  explicit Follow(const fs::path& path) : follower(path) {}

  std::vector<std::string> now() {
    lines.clear();
    anything = follower.read_new(take);
    return lines;
  }
  std::vector<std::string> end() {
    lines.clear();
    follower.finish(take);
    return lines;
  }

  Follower follower;
  bool anything = false;
  std::vector<std::string> lines;
  TakeBlock take = [this](const Block& block) {
    for_each_line(block, [&](const Line& line) {
      lines.push_back(std::to_string(line.number()) + ":" + std::string(line.text) + (block.torn ? "~" : ""));
    });
  };
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a growing file gives each line once, when it is whole") {
  FollowedFolder folder;
  const fs::path path = folder.path / "log";
  Follow log(path);
  CHECK(log.now() == Lines{});
  CHECK_FALSE(log.anything);
  append(path, "one\ntw");
  CHECK(log.now() == Lines{"1:one"});
  CHECK(log.anything);
  CHECK(log.now() == Lines{});
  CHECK_FALSE(log.anything);
  append(path, "o");
  CHECK(log.now() == Lines{});
  CHECK(log.anything);  // half a line is a sign of life
  append(path, "\nthree");
  CHECK(log.now() == Lines{"2:two"});
  CHECK(log.end() == Lines{"3:three~"});
}

TEST_CASE("carriage returns end lines but are not counted") {
  FollowedFolder folder;
  const fs::path path = folder.path / "log";
  append(path, "a\r\nb\r 10%\r 20%\rc\nd\n");
  Follow log(path);
  CHECK(log.now() == Lines{"1:a", "2:b", "2: 10%", "2: 20%", "2:c", "3:d"});
}

TEST_CASE("a file that became shorter is read from its start, with a note") {
  FollowedFolder folder;
  const fs::path path = folder.path / "log";
  append(path, "one\ntwo\nthr");
  Follow log(path);
  log.now();
  fs::resize_file(path, 0);
  append(path, "new\n");
  CHECK(log.now() == Lines{"1:new"});
  REQUIRE(log.follower.notes().size() == 1);
  CHECK_THAT(log.follower.notes()[0], Catch::Contains("log became shorter"));
}

TEST_CASE("a file that was replaced is read from its start, with a note") {
  FollowedFolder folder;
  const fs::path path = folder.path / "log";
  append(path, "one\n");
  Follow log(path);
  log.now();
  append(folder.path / "other", "longer than the first one\n");
  fs::rename(folder.path / "other", path);
  CHECK(log.now() == Lines{"1:longer than the first one"});
  REQUIRE(log.follower.notes().size() == 1);
  CHECK_THAT(log.follower.notes()[0], Catch::Contains("replaced"));
}

TEST_CASE("a deleted file that is still written is still read") {
  FollowedFolder folder;
  const fs::path path = folder.path / "log";
  std::ofstream writer(path);
  writer << "one\n" << std::flush;
  Follow log(path);
  log.now();
  fs::remove(path);
  writer << "two\n" << std::flush;
  CHECK(log.now() == Lines{"2:two"});
}

TEST_CASE("the end is read from the file opened anew, as NFS shows only then what another machine wrote") {
  const FollowedFolder folder;
  append(folder.path / "log", "one\n");
  Follow log(folder.path / "log");
  log.now();
  const bisectd::tests::WatchedOpens opens(folder.path);
  log.now();
  CHECK(opens.seen() == "");
  const int before = descriptor_of(folder.path / "log");
  CHECK(before >= 0);
  log.end();
  CHECK(opens.seen() == "open close ");
  CHECK(descriptor_of(folder.path / "log") != before);
}

TEST_CASE("what another file of the same name holds is read from its start at the end, too") {
  const FollowedFolder folder;
  append(folder.path / "log", "one\ntwo\n");
  Follow log(folder.path / "log");
  log.now();
  append(folder.path / "new", "longer than the first\n");
  fs::rename(folder.path / "new", folder.path / "log");
  CHECK(log.end() == std::vector<std::string>{"1:longer than the first"});
}

TEST_CASE("a line of a megabyte is cut and counted, and its neighbours are whole") {
  FollowedFolder folder;
  const fs::path path = folder.path / "log";
  append(path, "before\n" + std::string(1 << 20, 'x') + "\nafter\n");
  Follow log(path);
  const Lines lines = log.now();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "1:before");
  CHECK(lines[1].size() == 2 + kLongestLine);
  CHECK(lines[2] == "3:after");
  CHECK(log.follower.clipped_lines() == 1);
}

TEST_CASE("a progress bar of a megabyte is many short lines") {
  FollowedFolder folder;
  const fs::path path = folder.path / "log";
  std::string bar;
  while (bar.size() < (1 << 20)) bar += " 50%|#####     | loss=2.5\r";
  append(path, bar);
  Follow log(path);
  CHECK(log.now().size() == bar.size() / 26);
  CHECK(log.follower.clipped_lines() == 0);
}

TEST_CASE("a folder in place of the file is an error") {
  FollowedFolder folder;
  Follow log(folder.path);
  CHECK_THROWS_AS(log.now(), std::system_error);
}
