#include "driver/launch/executable.hpp"

#include <cerrno>

#include "tests/catch.hpp"
#include "tests/launch/support.hpp"

using namespace support;
using launch::find_executable;

TEST_CASE("a bare name is looked up in PATH of the job, in order, past what cannot be executed") {
  const Folder folder;
  std::filesystem::create_directories(folder / "a/tool");  // a folder of that name is not it
  std::filesystem::create_directories(folder / "b");
  std::filesystem::create_directories(folder / "c");
  folder.write("b/tool", "");
  const auto tool = folder.write("c/tool", "", true);
  const std::string path = (folder / "a").string() + ":" + (folder / "b").string() + ":" + (folder / "c").string();
  CHECK(find_executable("tool", {{"PATH", path}}, "/") == tool.string());
  CHECK(find_executable("sh", {}, "/").value() == "/usr/bin/sh");  // without PATH
}

TEST_CASE("relative paths and relative PATH entries start at the job's directory") {
  const Folder folder;
  const auto tool = folder.write("tool", "", true);
  CHECK(find_executable("./tool", {}, folder.path()).has_value());
  CHECK(find_executable("tool", {{"PATH", "/usr/bin:."}}, folder.path()).has_value());
  CHECK_FALSE(find_executable("./tool", {}, "/").has_value());
}

TEST_CASE("what is wrong is said in words") {
  const Folder folder;
  folder.write("plain", "");
  const std::map<std::string, std::string> path{{"PATH", folder.path().string()}};
  CHECK(find_executable("nothing", path, "/").error() == "nothing: not found in PATH (" + folder.path().string() + ")");
  CHECK_THAT(find_executable("plain", path, "/").error(), Catch::Contains("not executable"));
  CHECK_THAT(find_executable("./nothing", path, "/").error(), Catch::Contains("No such file"));
  CHECK_THAT(find_executable("/usr", path, "/").error(), Catch::Contains("is a directory"));
  CHECK_THAT(find_executable("/dev/null", path, "/").error(), Catch::Contains("not executable"));
  CHECK(find_executable("", path, "/").error() == "the command is empty");
}

TEST_CASE("exec failures name the interpreter when it is to blame") {
  const Folder folder;
  const auto script = folder.write("script", "#! /no/such/python -u\nx").string();
  CHECK_THAT(launch::explain_exec_failure(script, ENOENT), Catch::Contains("interpreter /no/such/python (first line"));
  CHECK_THAT(launch::explain_exec_failure(folder.write("bare", "#!").string(), ENOENT), Catch::Contains("loader"));
  CHECK_THAT(launch::explain_exec_failure("x", ENOEXEC), Catch::Contains("exec format error"));
  CHECK_THAT(launch::explain_exec_failure("x", EACCES), Catch::Contains("Permission denied"));
}
