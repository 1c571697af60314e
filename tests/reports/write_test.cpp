#include "reports/write.hpp"

#include <fstream>

#include "tests/catch.hpp"
#include "tests/reports/folder.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;
namespace fs = std::filesystem;

TEST_CASE("all reports are written and replaced") {
  const Folder folder;
  CHECK(write_reports(sample::unfinished(), folder.path()).empty());
  CHECK(write_reports(sample::culprits(), folder.path()).empty());
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) files += entry.is_regular_file() ? 1 : 0;
  CHECK(files == renderers().size());
  for (const Renderer& renderer : renderers())
    CHECK(content(folder.path() / renderer.file) == renderer.render(sample::culprits()));
}

TEST_CASE("a missing folder is a problem, not an exception") {
  const Folder folder;
  const auto problems = write_reports(sample::culprits(), folder.path() / "gone");
  REQUIRE(problems.size() == renderers().size());
  CHECK(problems[0].find("report.json was not written: No such file or directory") != std::string::npos);
}

TEST_CASE("a left-over temporary file does not disturb") {
  const Folder folder;
  std::ofstream(folder.path() / "report.json.new") << std::string(1 << 20, 'x');
  CHECK(write_reports(sample::aligned(), folder.path()).empty());
  CHECK(content(folder.path() / "report.json") == renderers()[0].render(sample::aligned()));
}
