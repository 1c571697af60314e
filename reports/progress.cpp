#include "reports/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "configs/printable.hpp"
#include "reports/result_lines.hpp"
#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "reports/outlook.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
namespace {

constexpr std::size_t kNamesInLine = 3;

// "[ 7/~14]": trials judged of those expected, as far as the search knows.
std::string count_text(const Record& record, std::size_t judged) {
  const double left = std::ceil((record.answer.trials_left_low + record.answer.trials_left_high) / 2);
  if (!(left > 0)) return fmt::format("[{}]", judged);
  const std::string total = fmt::format("{:.0f}", static_cast<double>(judged) + left);
  return fmt::format("[{:>{}}/~{}]", judged, total.size(), total);
}

double duration_s(const Trial& trial) {
  double first = 0, last = 0;
  for (std::size_t i = 0; i < trial.attempts.size(); ++i) {
    const Attempt& attempt = trial.attempts[i];
    first = i == 0 ? attempt.started_s : std::min(first, attempt.started_s);
    last = std::max(last, attempt.started_s + attempt.duration_s);
  }
  return last - first;
}

// "loss +3.10 %"; "nan, loss nan"; "crash"; "acc:level, acc -2.00 %".
std::string measurement_text(const Record& record, const Trial& trial) {
  std::string text = trial.reason == "level" ? "" : plain(trial.reason);
  if (trial.decided_by) return text + ", " + measured_text(&trial);
  if (!trial.delta) return text;
  return text + (text.empty() ? "" : ", ") + plain(record.metric) + " " + percent_text(trial.delta);
}

// The reference runs neutralise nothing because there is nothing to neutralise in them.
std::string neutralised_text(const Record& record, const Trial& trial) {
  if (trial.role == Role::reference || trial.role == Role::discovery) return "";  // it is no set that is tried
  if (trial.role == Role::by_hand && trial.neutralised.size() <= kNamesInLine)
    return ": " + suspects_text(record, trial.neutralised, plain) + " neutralised";
  const std::string value = trial.value.empty() ? "" : " " + plain(trial.value);
  return value + ": " + set_text(record, trial.neutralised, kNamesInLine, plain) + " neutralised";
}

// "step 40 of 60, loss 7.103 (+3.10 % so far), 12.3 s"
std::string running_text(const Record& record, const Attempt* attempt) {
  if (!attempt) return "starting";
  std::string text;
  if (attempt->last_step) {
    text = fmt::format("step {}", *attempt->last_step);
    const auto& steps = record.reference_curve.steps;
    if (!steps.empty()) text += fmt::format(" of {}", steps.back());
    text += ", ";
  }
  if (attempt->last_value) {
    text += fmt::format("{} {:.4g}", plain(record.metric), *attempt->last_value);
    if (attempt->delta) text += fmt::format(" ({} so far)", percent_text(attempt->delta));
    text += ", ";
  }
  return text + duration_text(std::max(0.0, record.elapsed_s - attempt->started_s));
}

std::string running_line(const Record& record, const Underway& one) {
  const std::string device = one.attempt && !one.attempt->device.empty() ? plain(one.attempt->device) + "  " : "";
  return fmt::format("{}trial {} {}{}: {}", device, one.trial->number, name_of(one.trial->role),
                     neutralised_text(record, *one.trial), running_text(record, one.attempt));
}

}  // namespace

std::string phase_line(const Record& record, Role role) {
  const std::size_t suspects = chosen_from(record, {}).size();
  if (role == Role::search && suspects == 1) return "search: is the only suspect guilty";
  const RoleTraits& traits = traits_of(role);
  return fmt::format("{}: {}", traits.word, fmt::format(fmt::runtime(traits.phase), counted(suspects, "suspect")));
}

std::string judged_text(const Record& record, const Trial& trial) {
  const bool judged = !is_measured_only(trial);
  const std::string measurement = judged ? measurement_text(record, trial) : "";
  std::string text = fmt::format("trial {} {}{} -> {}", trial.number, name_of(trial.role), neutralised_text(record, trial),
                                 judged ? verdict_word(trial.verdict) : "measured");
  if (!measurement.empty()) text += " (" + measurement + ")";
  text += ", " + duration_text(duration_s(trial));
  if (trial.attempts.size() > 1) text += fmt::format(" in {} attempts", trial.attempts.size());
  return text;
}

std::string trial_line(const Record& record, const Trial& trial, std::size_t judged) {
  std::string text = count_text(record, judged) + " " + judged_text(record, trial);
  if (record.answer.trials_left_high > 0) text += "; " + more_trials_text(record);
  return text;
}

std::string heartbeat_line(const Record& record) {
  std::string text = fmt::format("running for {}", duration_text(record.elapsed_s));
  const char* separator = ": ";
  for (const auto& [trial, attempt] : underway(record)) {
    text += fmt::format("{}trial {} {} ({})", separator, trial->number, name_of(trial->role), running_text(record, attempt));
    separator = "; ";
  }
  return text;
}

std::vector<std::string> live_lines(const Record& record, std::size_t columns, std::size_t rows) {
  std::vector<std::string> lines;
  const std::string left = left_text(record), likely = likely_text(record);
  const auto add = [&](const std::string& text) { lines.push_back(configs::elided(text, columns)); };
  add(fmt::format("{} running for {}{}", count_text(record, judged_count(record)), duration_text(record.elapsed_s),
                  left.empty() ? "" : "; " + left));
  const auto running = underway(record);
  const std::size_t others = likely.empty() ? 1 : 2;
  const std::size_t room = rows > others ? rows - others : 0;
  const std::size_t shown = running.size() <= room ? running.size() : std::max<std::size_t>(room, 1) - 1;
  for (std::size_t i = 0; i < shown; ++i) add("  " + running_line(record, running[i]));
  if (shown < running.size() && lines.size() < rows) add(fmt::format("  and {} more", running.size() - shown));
  if (!likely.empty() && lines.size() < rows) add("  likely: " + likely);
  return lines;
}

}  // namespace bisectd::reports
