#include "driver/commands/exit_code.hpp"

#include <fmt/format.h>

#include <new>

#include "configs/loader.hpp"
#include "driver/commands/command.hpp"
#include "driver/keep/journal.hpp"
#include "driver/keep/lock.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/launch/interrupted.hpp"
#include "driver/loop/loop.hpp"

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

namespace {

Failure failed(ExitCode code, const std::string& what) { return {code, "bisectd: " + what}; }

}  // namespace

Failure failure_of(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const configs::ConfigError& error) {
    std::string text = configs::render(error);
    if (text.ends_with('\n')) text.pop_back();
    return {ExitCode::usage, text};
  } catch (const Interrupted& interrupted) {
    return failed(after_signal(interrupted.signal_number()), interrupted.what());
  } catch (const UsageError& error) {
    return failed(ExitCode::usage, error.what());
  } catch (const keep::NoRunDirectory& error) {
    return failed(ExitCode::usage, error.what());
  } catch (const Infrastructure& error) {
    return failed(ExitCode::infrastructure, error.what());
  } catch (const keep::JournalDamaged& error) {
    return failed(ExitCode::infrastructure, error.what());
  } catch (const keep::Locked& error) {
    return failed(ExitCode::infrastructure, error.what());
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return {ExitCode::nobody_reads, ""};
    return failed(ExitCode::infrastructure, error.what());
  } catch (const std::bad_alloc&) {
    return failed(ExitCode::infrastructure, "there is not enough memory");
  } catch (const std::exception& error) {
    return failed(ExitCode::bug, fmt::format("this is a bug: {}", error.what()));
  }
}

}  // namespace bisectd::driver::commands
