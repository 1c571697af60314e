#include "driver/commands/exit_code.hpp"

namespace bisectd::driver::commands {

using reports::Outcome;
using strategies::Verdict;

ExitCode after_signal(int number) { return static_cast<ExitCode>(static_cast<int>(ExitCode::signal) + number); }

bool is_after_signal(int code) { return code >= static_cast<int>(ExitCode::signal); }

ExitCode exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::aligned: return ExitCode::success;
    case Outcome::culprits: return ExitCode::fails;
    case Outcome::unfinished:
    case Outcome::outside_suspects:
    case Outcome::inconclusive: return ExitCode::no_answer;
    case Outcome::infrastructure: return ExitCode::infrastructure;
  }
  return ExitCode::bug;
}

ExitCode trial_exit_code(Verdict verdict) {
  return verdict == Verdict::unresolved ? ExitCode::infrastructure : compare_exit_code(verdict);
}

ExitCode compare_exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass: return ExitCode::success;
    case Verdict::fail: return ExitCode::fails;
    case Verdict::inconclusive:
    case Verdict::unresolved: return ExitCode::no_answer;
  }
  return ExitCode::bug;
}

}  // namespace bisectd::driver::commands
