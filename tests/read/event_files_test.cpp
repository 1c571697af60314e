// Event files that the real writers made (tests/read/fixtures), whole, live, torn and damaged.
#include "driver/read/event_files.hpp"

#include <rapidcheck.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "driver/read/attempt_log.hpp"
#include "tests/catch.hpp"
#include "tests/driver/temporary_folder.hpp"
#include "tests/read/sample.hpp"
#include "tests/read/watched_opens.hpp"

namespace fs = std::filesystem;
using namespace bisectd;
using namespace bisectd::driver::read;

namespace {

const fs::path kFixtures = fs::path(BISECTD_SOURCE_FOLDER) / "tests/read/fixtures";
const fs::path kOneFile = kFixtures / "tensorboardx/events.out.tfevents.1000.named";
const fs::path kOneRecordFile = kFixtures / "visualdl/vdlrecords.1000.named.log";

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Events {
  Events(const fs::path& path, Framing framing, std::string_view tag) : files(path, framing, "loss", tag) {
    files.read_new(curve);
  }
  std::vector<std::int64_t> steps() {
    std::vector<std::int64_t> all;
    for (const auto& point : curve.series["loss"]) all.push_back(point.step);
    return all;
  }
  std::vector<double> values() {
    std::vector<double> all;
    for (const auto& point : curve.series["loss"]) all.push_back(point.value);
    return all;
  }

  EventFiles files;
  driver::judge::Curve curve;
};

/// A folder of its own, removed at the end.
struct EventsFolder {
  void append(const std::string& name, std::string_view bytes) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::app | std::ios::binary) << bytes;
  }
  tests::TemporaryFolder folder;
  fs::path path = folder.path();
};

using Steps = std::vector<std::int64_t>;

void check_written_values(Events& events) {
  REQUIRE(events.steps() == Steps{0, 1, 2, 3, 4, 5});
  const auto values = events.values();
  CHECK(values[0] == 0.0);
  CHECK(values[1] == 2.5);
  CHECK(values[2] == 2.25);
  CHECK(std::isnan(values[3]));
  CHECK(values[4] == INFINITY);
  CHECK(values[5] == -1.5);
  CHECK(events.files.last_step() == 5);
  CHECK(events.files.problems(true).empty());
}

/// Bytes of the masked CRC and the like.
std::string little_endian(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

}  // namespace

TEST_CASE("scalars of tensorboardX, by the tag before or after its cleaning") {
  for (const char* tag : {"train/lm loss", "train/lm_loss", "/train/lm loss"}) {
    Events events(kFixtures / "tensorboardx", Framing::tensorflow, tag);
    check_written_values(events);
  }
}

TEST_CASE("scalars of VisualDL") {
  Events events(kFixtures / "visualdl", Framing::visualdl, "train/loss");
  check_written_values(events);
}

TEST_CASE("scalars written as tensors of every shape") {
  Events events(kFixtures / "tensors", Framing::tensorflow, "loss");
  REQUIRE(events.steps() == Steps{1, 2, 3, 4, 5});
  CHECK(events.values() == std::vector<double>{2.5, 2.25, 0.1, INFINITY, -1.5});
}

TEST_CASE("a restarted training: the points of the later file come last") {
  Events events(kFixtures / "restarted", Framing::tensorflow, "loss");
  CHECK(events.steps() == Steps{0, 1, 2, 3, 4, 3, 4, 5, 6, 7});
  CHECK(events.values()[5] == 103);
}

TEST_CASE("a live file gives each record once, when it is whole") {
  const EventsFolder folder;
  const std::string bytes = contents(kOneFile);
  Events events(folder.path, Framing::tensorflow, "train/lm_loss");
  CHECK(events.steps().empty());
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    folder.append("run/events.out.tfevents.1", std::string_view(bytes).substr(at, 7));
    events.files.read_new(events.curve);
  }
  check_written_values(events);
}

TEST_CASE("at the end event files are opened anew, too, and no record is read twice") {
  const EventsFolder folder;
  folder.append("events.out.tfevents.1", contents(kOneFile));
  Events events(folder.path, Framing::tensorflow, "train/lm_loss");
  const tests::WatchedOpens opens(folder.path);
  events.files.read_new(events.curve);
  CHECK(opens.seen() == "");
  events.files.finish(events.curve);
  CHECK(opens.seen() == "open close ");
  check_written_values(events);
}

TEST_CASE("an unfinished record at the end is left out without a word") {
  const EventsFolder folder;
  for (const auto& [source, framing, tag] : {std::tuple(kOneFile, Framing::tensorflow, "train/lm_loss"),
                                             std::tuple(kOneRecordFile, Framing::visualdl, "train/loss")}) {
    const std::string bytes = contents(source);
    const std::string name = source.filename().string();
    folder.append(name, bytes.substr(0, bytes.size() / 2));
    Events events(folder.path / name, framing, tag);
    CHECK(!events.steps().empty());
    CHECK(events.steps().size() < 6);
    CHECK(events.files.problems(true).empty());
  }
}

TEST_CASE("damage in the middle keeps what was before it and is named") {
  const EventsFolder folder;
  std::string bytes = contents(kOneFile);
  bytes[bytes.size() / 2] ^= 1;
  folder.append("events.out.tfevents.1", bytes);
  Events events(folder.path, Framing::tensorflow, "train/lm_loss");
  CHECK(!events.steps().empty());
  REQUIRE(events.files.problems(false).size() == 1);
  CHECK_THAT(events.files.problems(false)[0], Catch::Contains("events.out.tfevents.1: the record at byte"));
}

TEST_CASE("a length of 2^63 is not believed") {
  const std::string length = little_endian(std::uint64_t{1} << 63, 8);
  RecordFrames plain(Framing::visualdl);
  plain.feed(length + "x", [](std::string_view) { FAIL("no record is there"); });
  CHECK(plain.problem() == "the record at byte 0 claims to have 9223372036854775808 bytes");
  RecordFrames checked(Framing::tensorflow);
  checked.feed(length + little_endian(masked_crc32c(length), 4), [](std::string_view) { FAIL("no record is there"); });
  CHECK(checked.problem() == plain.problem());
}

TEST_CASE("a record too long for a scalar is passed over") {
  constexpr std::uint64_t kTooLong = RecordFrames::kLongestKept + 1;
  const std::string big = little_endian(kTooLong, 8) + std::string(kTooLong, 'x');
  RecordFrames frames(Framing::visualdl);
  std::vector<std::string> records;
  const auto take = [&](std::string_view record) { records.emplace_back(record); };
  for (std::size_t at = 0; at < big.size(); at += 1000) frames.feed(std::string_view(big).substr(at, 1000), take);
  frames.feed(little_endian(3, 8) + "abc", take);
  CHECK(records == std::vector<std::string>{"abc"});
  CHECK(frames.problem().empty());
}

TEST_CASE("a tag in two folders is a problem, not a mixture") {
  const EventsFolder folder;
  folder.append("a/events.out.tfevents.1", contents(kOneFile));
  folder.append("b/events.out.tfevents.1", contents(kOneFile));
  Events events(folder.path, Framing::tensorflow, "train/lm_loss");
  CHECK(events.steps().size() == 6);
  REQUIRE(events.files.problems(false).size() == 1);
  CHECK_THAT(events.files.problems(false)[0], Catch::Contains("name one of the two folders"));
}

TEST_CASE("two tags that are shown by one name are a problem, not a mixture") {
  const auto with_tag = [](const std::string& tag) {  // in VisualDL's framing nothing is summed
    std::string bytes = contents(kOneRecordFile);
    for (std::size_t at = 0; (at = bytes.find("train/loss", at)) != std::string::npos;) bytes.replace(at, tag.size(), tag);
    return bytes;
  };
  const EventsFolder folder;
  folder.append("vdlrecords.1000.named.log", with_tag("train loss"));
  folder.append("vdlrecords.1001.named.log", with_tag("train:loss"));
  Events events(folder.path, Framing::visualdl, "train loss");
  CHECK(events.steps().size() == 6);
  REQUIRE(events.files.problems(false).size() == 1);
  CHECK_THAT(events.files.problems(false)[0],
             Catch::Contains("holds 'train loss' and 'train:loss', which are both shown as 'train_loss'"));
}

TEST_CASE("a tag that never came is named with those that did") {
  Events events(kFixtures / "tensorboardx", Framing::tensorflow, "loss");
  CHECK(events.files.problems(false).empty());
  REQUIRE(events.files.problems(true).size() == 1);
  CHECK_THAT(events.files.problems(true)[0], Catch::Contains("no value has the tag 'loss'; there are: grad_norm, "));
  CHECK_THAT(Events(kFixtures / "nowhere", Framing::tensorflow, "loss").files.problems(true).at(0),
             Catch::Contains("no tfevents file is there"));
}

TEST_CASE("CRC-32C is Castagnoli's") {
  // RFC 3720, appendix B.4: 32 bytes of zero have the CRC 0x8a9136aa; masked as TensorFlow's record writer does.
  const std::uint32_t plain = 0x8a9136aa;
  CHECK(masked_crc32c(std::string(32, '\0')) == ((plain >> 15) | (plain << 17)) + 0xa282ead8U);
}

TEST_CASE("event files of an attempt, beside its output") {
  const EventsFolder folder;
  folder.append("logs/events.out.tfevents.1", contents(kOneFile));
  configs::Metric metric = driver::read::test::metric("loss", "tfevents");
  metric.file = "logs";
  metric.value_key = "train/lm loss";
  AttemptLog log({.stdout_file = folder.path / "stdout.log", .stderr_file = {}, .folder = folder.path}, {metric}, {});
  CHECK(log.poll());
  log.finish();
  CHECK(log.curve().series.at("loss").size() == 6);
  CHECK(log.last_step() == 5);
  CHECK(log.errors().empty());
}

TEST_CASE("any bytes in any pieces: the same records, and no crash") {
  CHECK(rc::check([] {
    const auto framing = *rc::gen::element(Framing::tensorflow, Framing::visualdl);
    std::string bytes = contents(framing == Framing::tensorflow ? kOneFile : kOneRecordFile);
    for (const auto& [at, bit] : *rc::gen::container<std::vector<std::pair<std::size_t, int>>>(
             rc::gen::pair(rc::gen::inRange<std::size_t>(0, bytes.size()), rc::gen::inRange(0, 8))))
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
    const auto read = [&](std::size_t piece) {
      RecordFrames frames(framing);
      std::vector<std::string> seen;
      for (std::size_t at = 0; at < bytes.size(); at += piece)
        frames.feed(std::string_view(bytes).substr(at, piece), [&](std::string_view record) {
          const auto scalars = scalars_of(record, framing);
          seen.push_back(scalars ? std::to_string(scalars->size()) : "broken");
        });
      seen.push_back(frames.problem());
      return seen;
    };
    RC_ASSERT(read(*rc::gen::inRange<std::size_t>(1, 50)) == read(bytes.size()));
  }));
}
