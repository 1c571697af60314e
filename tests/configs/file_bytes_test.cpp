// Bytes of files: whole, only their beginning, and of what cannot be read.
#include "configs/file_bytes.hpp"

#include <system_error>

#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

using namespace bisectd::configs;

TEST_CASE("what is in a file, or only its beginning") {
  const Folder folder;
  const std::string large = std::string(100'000, 'a') + std::string(100'000, 'b');
  const auto file = folder.write("file", large);
  CHECK(bytes_in(file) == large);
  CHECK(bytes_in(file, 100'001) == std::string(100'000, 'a') + "b");
  CHECK(bytes_in(file, 0).empty());
  CHECK(bytes_in(file, 1'000'000) == large);
}

TEST_CASE("what cannot be read holds nothing, and is an error only for who needs it") {
  const Folder folder;
  for (const auto& file : {folder.path() / "missing", folder.path()}) {
    CHECK(bytes_in(file).empty());
    CHECK_THROWS_AS(read_bytes(file), std::system_error);
  }
}

TEST_CASE("of a file that a person wrote, one byte too many is enough to refuse it") {
  const Folder folder;
  CHECK(read_bytes(folder.write("file", std::string(3 * kLargestFile_bytes, 'a'))).size() == kLargestFile_bytes + 1);
}
