// The program's exit codes: of what a command came to, and of what was thrown.
#pragma once

#include <exception>
#include <string>

#include "reports/record.hpp"
#include "strategies/evidence.hpp"

namespace bisectd::driver::commands {

/// In words: the table in docs/workflow.md, which a test compares.
enum class ExitCode : int {
  success = 0,
  fails = 1,
  usage = 2,
  no_answer = 3,
  infrastructure = 4,
  bug = 70,
  signal = 128,        ///< and the signal's number, as a shell says it: after_signal
  nobody_reads = 141,  ///< what a shell says of a program that a pipe without a reader has ended
};

/// Of a program that signal `number` has ended.
ExitCode after_signal(int number);
/// Whether the code is that of a program that a signal has ended.
bool is_after_signal(int code);

/// Of a search, or of a suite as a whole.
ExitCode exit_code(reports::Outcome outcome);
/// Of one trial that was asked for: without a curve it is the infrastructure's.
ExitCode trial_exit_code(strategies::Verdict verdict);
/// Of logs that are there already.
ExitCode compare_exit_code(strategies::Verdict verdict);

struct Failure {
  ExitCode code;
  std::string
      message;  ///< as it is shown, the program's name before it unless it begins with a place; empty for nobody_reads
};

Failure failure_of(std::exception_ptr thrown);

}  // namespace bisectd::driver::commands
