// What the program's exit code says: every code, its one-word name and its meaning, in one place; and of what was thrown.
#pragma once

#include <array>
#include <exception>
#include <string>
#include <string_view>

#include "reports/record.hpp"
#include "strategies/evidence.hpp"

namespace bisectd::driver::commands {

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

struct ExitCodeMeaning {
  std::string_view code;  ///< as the table in docs/workflow.md has it, which a test compares
  std::string_view text;
};

constexpr std::array<ExitCodeMeaning, 8> kExitCodes{{
    {"0",
     "done; of a search, a trial or a comparison: the subject agrees with the reference, perhaps only up to a step that "
     "is said"},
    {"1", "culprits found and proved; a trial fails, two sides differ, a model of a suite regressed"},
    {"2",
     "the command line or the experiment file is wrong; nothing was started (of `trial --off`, perhaps the run that "
     "shows which names there are)"},
    {"3",
     "no answer: the cause is outside the suspects, the budget is spent, the noise is too high, or the two sides are "
     "not given the same"},
    {"4", "infrastructure: a side gives no curve, a disk is full, the journal is damaged"},
    {"70", "a bug of bisectd"},
    {"128+n", "ended by signal n; can be resumed"},
    {"141",
     "the reader of stdout closed it, as `head` does; the run was finished all the same, and its reports are written"},
}};

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
