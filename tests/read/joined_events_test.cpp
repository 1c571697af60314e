// Event files that several writers leave in one folder: what was followed while they wrote is what is found there
// afterwards.
#include <rapidcheck.h>

#include <bit>
#include <fstream>

#include "driver/read/event_files.hpp"
#include "tests/catch.hpp"
#include "tests/driver/temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace bisectd;
using namespace bisectd::driver::read;

namespace {

/// What a VisualDL writer appends for one value; steps below 128.
std::string scalar_record(std::string_view tag, char step, float value) {
  std::string scalar{'\x08', step, '\x12', static_cast<char>(tag.size())};
  scalar += tag;
  scalar += '\x25';
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int byte = 0; byte < 4; ++byte) scalar += static_cast<char>(bits >> (8 * byte));
  const std::string record = std::string{'\x0a', static_cast<char>(scalar.size())} + scalar;
  return std::string{static_cast<char>(record.size()), 0, 0, 0, 0, 0, 0, 0} + record;
}

std::string records(const std::vector<std::pair<char, float>>& points, std::string_view tag = "train loss") {
  std::string bytes;
  for (const auto& [step, value] : points) bytes += scalar_record(tag, step, value);
  return bytes;
}

void grow(const fs::path& file, std::string_view bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::app | std::ios::binary) << bytes;
}

using Points = std::vector<std::pair<std::int64_t, double>>;

struct Followed {
  explicit Followed(const fs::path& folder) : files(folder, Framing::visualdl, "loss", "train loss") {}

  void look() { files.read_new(curve); }
  Points points() const {
    Points all;
    if (const auto loss = curve.series.find("loss"); loss != curve.series.end())
      for (const auto& point : loss->second) all.emplace_back(point.step, point.value);
    return all;
  }

  EventFiles files;
  driver::judge::Curve curve;
};

Followed at_rest(const fs::path& folder) {
  Followed found(folder);
  found.look();
  found.files.finish(found.curve);
  return found;
}

}  // namespace

TEST_CASE("event files: whichever of several grows first, the curve is that of the folder at rest") {
  CHECK(rc::check([] {
    const tests::TemporaryFolder folder;
    const std::vector<std::string> names{"vdlrecords.1000.log", "vdlrecords.1001.log", "vdlrecords.999.log",
                                         "another/vdlrecords.1.log"};
    const auto written = rc::gen::pair(rc::gen::inRange<char>(0, 20), rc::gen::inRange(0, 50));
    std::vector<std::string> unwritten;
    for (std::size_t file = 0; file < names.size(); ++file) {
      const bool is_there = file < 2 || *rc::gen::weightedElement<bool>({{2, true}, {3, false}});
      const std::string tag = *rc::gen::weightedElement<std::string>({{9, "train loss"}, {1, "train:loss"}});
      std::vector<std::pair<char, float>> points;
      if (is_there)
        for (const auto& [step, value] : *rc::gen::container<std::vector<std::pair<char, int>>>(written))
          points.emplace_back(step, static_cast<float>(value));
      unwritten.push_back(records(points, tag));
    }
    Followed followed(folder.path());
    const auto write = [&](std::size_t file, std::size_t most) {
      const std::size_t piece = std::min(most, unwritten[file].size());
      if (piece > 0) grow(folder.path() / names[file], unwritten[file].substr(0, piece));
      unwritten[file].erase(0, piece);
    };
    const auto turn = rc::gen::pair(rc::gen::inRange<std::size_t>(0, names.size()), rc::gen::inRange<std::size_t>(1, 200));
    for (const auto& [file, bytes] : *rc::gen::container<std::vector<std::pair<std::size_t, std::size_t>>>(turn)) {
      write(file, bytes);
      followed.look();
    }
    for (std::size_t file = 0; file < names.size(); ++file) write(file, unwritten[file].size());
    followed.files.finish(followed.curve);
    const Followed found = at_rest(folder.path());
    RC_ASSERT(followed.points() == found.points());
    RC_ASSERT(followed.files.problems(true) == found.files.problems(true));
    RC_ASSERT(followed.files.last_step() == found.files.last_step());
  }));
}

TEST_CASE("event files: what the later file says of a step stays, though the earlier one still writes") {
  const tests::TemporaryFolder folder;
  Followed followed(folder.path());
  grow(folder.path() / "vdlrecords.1000.log", records({{1, 10}, {2, 20}}));
  followed.look();
  grow(folder.path() / "vdlrecords.1001.log", records({{2, 21}, {3, 31}}));
  followed.look();
  grow(folder.path() / "vdlrecords.1000.log", records({{3, 30}}));
  followed.look();
  CHECK(followed.points() == Points{{1, 10}, {2, 20}, {3, 30}, {2, 21}, {3, 31}});
  CHECK(followed.points() == at_rest(folder.path()).points());
}

TEST_CASE("event files: of one that was written anew only what it holds now") {
  const tests::TemporaryFolder folder;
  const fs::path file = folder.path() / "vdlrecords.1000.log";
  Followed followed(folder.path());
  grow(file, records({{1, 10}, {2, 20}}));
  followed.look();
  fs::resize_file(file, 0);
  followed.look();
  CHECK(followed.points().empty());
  grow(file, records({{1, 11}}));
  followed.look();
  CHECK(followed.points() == Points{{1, 11}});
}
