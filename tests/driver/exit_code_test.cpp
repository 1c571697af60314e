// Exit codes: what each outcome and error gives, and the table of docs/workflow.md.
#include "driver/commands/exit_code.hpp"

#include <csignal>
#include <set>
#include <sstream>
#include <string>

#include "driver/commands/command.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/launch/interrupted.hpp"
#include "tests/catch.hpp"

namespace bisectd::driver::commands {
namespace {

TEST_CASE("the table of exit codes in docs/workflow.md has those of the program") {
  const std::string page = keep::read_file(BISECTD_SOURCE_FOLDER "/docs/workflow.md");
  const std::string head = "| exit code | |\n|---|---|\n";
  const std::size_t at = page.find(head);
  REQUIRE(at != std::string::npos);
  std::istringstream rows(page.substr(at + head.size()));
  std::set<std::string> told;
  for (std::string row; std::getline(rows, row) && row.starts_with("| ");) told.insert(row.substr(2, row.find(" |", 2) - 2));
  std::set<std::string> known{"128+n"};
  for (const ExitCode code : {ExitCode::success, ExitCode::fails, ExitCode::usage, ExitCode::no_answer,
                              ExitCode::infrastructure, ExitCode::bug, ExitCode::nobody_reads})
    known.insert(std::to_string(static_cast<int>(code)));
  CHECK(told == known);
  CHECK(static_cast<int>(ExitCode::nobody_reads) == static_cast<int>(after_signal(SIGPIPE)));
}

TEST_CASE("what was thrown as exit code and message") {
  const auto failure = [](const auto& thrown) { return failure_of(std::make_exception_ptr(thrown)); };
  CHECK(failure(UsageError("wrong word")).code == ExitCode::usage);
  CHECK(failure(UsageError("wrong word")).message == "bisectd: wrong word");
  CHECK(static_cast<int>(failure(Interrupted(SIGTERM)).code) == 143);
  CHECK(failure(std::system_error(ENOSPC, std::generic_category())).code == ExitCode::infrastructure);
  CHECK(failure(std::bad_alloc()).code == ExitCode::infrastructure);
  CHECK(failure(std::system_error(EPIPE, std::generic_category())).code == ExitCode::nobody_reads);
  CHECK(failure(std::system_error(EPIPE, std::generic_category())).message.empty());
  CHECK(failure(std::logic_error("index")).message == "bisectd: this is a bug: index");
  CHECK(failure(std::logic_error("index")).code == ExitCode::bug);
}

}  // namespace
}  // namespace bisectd::driver::commands
