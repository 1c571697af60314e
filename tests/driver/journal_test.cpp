#include "driver/keep/journal.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "driver/keep/run_directory.hpp"
#include "tests/catch.hpp"
#include "tests/driver/temporary_folder.hpp"

using bisectd::driver::keep::begin_journal;
using bisectd::driver::keep::Journal;
using bisectd::driver::keep::JournalDamaged;
using bisectd::driver::keep::read_file;
using bisectd::driver::keep::read_journal;
using bisectd::tests::TemporaryFolder;
using nlohmann::json;

namespace {

std::vector<json> records_in(const std::filesystem::path& file) {
  std::vector<json> records;
  read_journal(file, [&](const json& record) { records.push_back(record); });
  return records;
}

void overwrite(const std::filesystem::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::string damage_of(const std::filesystem::path& file) {
  try {
    records_in(file);
  } catch (const JournalDamaged& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a journal gives back what was appended, in order") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "journal.jsonl";
  {
    Journal journal(file, 0);
    journal.append({{"kind", "a"}, {"n", 1}});
    journal.append({{"kind", "b"}, {"text", "bytes that are no UTF-8: \xff\xfe"}});
  }
  const auto records = records_in(file);
  REQUIRE(records.size() == 2);
  CHECK(records[0]["n"] == 1);
  CHECK(records[1]["kind"] == "b");
}

TEST_CASE("a torn last line is left out wherever it was torn, and overwritten by the next record") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "journal.jsonl";
  {
    Journal journal(file, 0);
    journal.append({{"n", 1}});
    journal.append({{"n", 2}});
  }
  const std::string whole = read_file(file);
  const std::size_t first = whole.find('\n') + 1;
  for (std::size_t length = first; length < whole.size(); ++length) {
    overwrite(file, whole.substr(0, length));
    std::vector<json> records;
    const auto bytes = read_journal(file, [&](const json& record) { records.push_back(record); });
    REQUIRE(records.size() == 1);
    REQUIRE(bytes == first);
    Journal(file, bytes).append({{"n", 3}});
    REQUIRE(records_in(file).back()["n"] == 3);
  }
}

TEST_CASE("a block that a power cut lost takes what is behind it along, which was not synced either") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "journal.jsonl";
  {
    Journal journal(file, 0);
    journal.append({{"n", 1}});
    journal.write({{"n", 2}});
    journal.write({{"n", 3}});
    journal.write({{"n", 4}});
  }
  const std::string whole = read_file(file);
  const std::size_t synced = whole.find('\n') + 1, third = whole.find('\n', synced) + 1;
  for (std::size_t lost = synced; lost < third + 5; ++lost) {
    std::string cut = whole;
    std::fill(cut.begin() + static_cast<std::ptrdiff_t>(synced), cut.begin() + static_cast<std::ptrdiff_t>(lost), '\0');
    overwrite(file, cut);
    REQUIRE(records_in(file).size() == (lost == synced ? 4 : 1));
  }
  overwrite(file, whole.substr(0, third) + std::string(third, '\0') + "\n");
  CHECK(records_in(file).size() == 2);
  overwrite(file, std::string(third, '\0') + whole);
  CHECK(damage_of(file).find("journal.jsonl:1: ") != std::string::npos);
}

TEST_CASE("a journal begins with its first record, and replaces what a crash left of one") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "journal.jsonl";
  overwrite(file, "{\"kind\":\"ru");
  const std::uintmax_t bytes = begin_journal(file, {{"kind", "run"}});
  CHECK(std::filesystem::file_size(file) == bytes);
  Journal(file, bytes).append({{"kind", "judged"}});
  CHECK(records_in(file).size() == 2);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  std::filesystem::create_directory(folder.path() / "folder");
  CHECK_THROWS_AS(begin_journal(folder.path() / "folder", {{"kind", "run"}}), std::system_error);
}

TEST_CASE("any flipped byte before the last line is refused with its line number") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "journal.jsonl";
  {
    Journal journal(file, 0);
    for (int n = 0; n < 3; ++n) journal.append({{"kind", "judged"}, {"verdict", "pass"}, {"n", n}});
  }
  const std::string whole = read_file(file);
  const std::size_t second = whole.find('\n') + 1, third = whole.find('\n', second);
  for (std::size_t at = second; at < third; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    overwrite(file, damaged);
    CHECK(damage_of(file).find("journal.jsonl:2: ") != std::string::npos);
  }
}

TEST_CASE("a journal that is not there, is empty, or is something else") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(records_in(folder.path() / "absent"), std::system_error);
  overwrite(folder.path() / "empty", "");
  CHECK(records_in(folder.path() / "empty").empty());
  overwrite(folder.path() / "other", "hello\n");
  CHECK(damage_of(folder.path() / "other").find("other:1: ") != std::string::npos);
}
