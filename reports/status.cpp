#include "reports/status.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/result_lines.hpp"
#include "reports/escape.hpp"
#include "reports/outlook.hpp"
#include "reports/progress.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLikely = 10, kAnyLength = 10'000;

std::string_view state_of(const Record& record, std::optional<int> process, bool by_hand) {
  if (record.finished) return "finished";
  if (process) return "running";
  if (by_hand) return "by-hand";  // whether the command came to its end is not known here
  return record.outcome == Outcome::infrastructure ? "failed" : "interrupted";
}

const Trial* last_judged(const Record& record) {
  const Trial* last = nullptr;
  for (const Trial& trial : record.trials)
    if (!trial.running) last = &trial;
  return last;
}

Json number(std::optional<double> value) {
  if (!value) return nullptr;
  if (std::isfinite(*value)) return *value;
  return std::isnan(*value) ? "nan" : *value > 0 ? "inf" : "-inf";
}

Json range(std::optional<std::pair<double, double>> range) {
  return range ? Json{{"low", range->first}, {"high", range->second}} : Json(nullptr);
}

Json running(const Record& record, const Trial& trial, const Attempt* attempt) {
  const auto& steps = record.reference_curve.steps;
  return {{"trial", trial.number},
          {"role", name_of(trial.role)},
          {"neutralised", trial.neutralised.size()},
          {"device", attempt ? attempt->device : ""},
          {"step", attempt && attempt->last_step ? Json(*attempt->last_step) : Json(nullptr)},
          {"last_step", steps.empty() ? Json(nullptr) : Json(steps.back())},
          {"value", number(attempt ? attempt->last_value : std::nullopt)},
          {"difference", number(attempt ? attempt->delta : std::nullopt)},
          {"seconds", number(attempt ? std::optional(record.elapsed_s - attempt->started_s) : std::nullopt)}};
}

}  // namespace

std::string status_text(const Record& record, std::optional<int> process, bool by_hand) {
  const std::string_view state = state_of(record, process, by_hand);
  const std::string folder = plain(shell_word(record.run_folder));
  std::string text = fmt::format("{}: {}{}\n", plain(record.experiment), state == "by-hand" ? "tried by hand" : state,
                                 process ? fmt::format(" (process {})", *process) : "");
  if (state == "running") {
    for (const std::string& line : live_lines(record, kAnyLength, kAnyLength)) text += line + "\n";
  } else {
    if (!by_hand) text += verdict_sentence(record, plain) + "\n";
    if (!record.advice.empty()) text += plain_lines(record.advice) + "\n";
    for (const std::string& line : pruned_texts(record, plain)) text += line + "\n";
    text += fmt::format("{} judged in {}\n", counted(judged_count(record), "trial"), duration_text(record.elapsed_s));
  }
  if (const Trial* last = last_judged(record); last && !record.finished)
    text += "last judged: " + judged_text(record, *last) + "\n";
  for (const std::string& warning : record.warnings) text += "warning: " + plain(warning) + "\n";
  if (state == "interrupted" || state == "failed") text += "go on with: bisectd resume " + folder + "\n";
  if (by_hand) return text + "again with its own command, not with `resume`; report: bisectd report " + folder + "\n";
  return text + "reports: " + plain(record.run_folder) + "/report.html\n";
}

std::string status_json(const Record& record, std::optional<int> process, bool by_hand) {
  Json runs = Json::array(), likely = Json::array();
  for (const auto& [trial, attempt] : underway(record)) runs.push_back(running(record, *trial, attempt));
  for (const std::size_t id : likely_culprits(record, kLikely))
    likely.push_back({{"family", record.suspects[id].family},
                      {"name", record.suspects[id].name},
                      {"guilt", number(record.answer.guilt[id])}});
  const Trial* last = last_judged(record);
  const bool more = record.answer.trials_left_high > 0;
  const Json all{{"state", state_of(record, process, by_hand)},
                 {"process", process ? Json(*process) : Json(nullptr)},
                 {"experiment", record.experiment},
                 {"run_folder", record.run_folder},
                 {"started_utc", record.started_utc},
                 {"elapsed_s", number(record.elapsed_s)},
                 {"outcome", outcome_word(record.outcome)},
                 {"trials_judged", judged_count(record)},
                 {"trials_left",
                  more ? range(std::pair(record.answer.trials_left_low, record.answer.trials_left_high)) : Json(nullptr)},
                 {"time_left_s", range(time_left_s(record))},
                 {"running", std::move(runs)},
                 {"last_judged", last ? Json(last->number) : Json(nullptr)},
                 {"likely", std::move(likely)},
                 {"warnings", record.warnings}};
  return all.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace bisectd::reports
