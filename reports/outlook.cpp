#include "reports/outlook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "reports/escape.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
namespace {

constexpr double kMentioned = 0.05;
constexpr std::size_t kMostLikely = 4;

}  // namespace

std::vector<Underway> underway(const Record& record) {
  std::vector<Underway> all;
  for (const Trial& trial : record.trials) {
    if (!trial.running) continue;
    const std::size_t before = all.size();
    for (const Attempt& attempt : trial.attempts)
      if (attempt.text.empty()) all.push_back({&trial, &attempt});
    if (all.size() == before) all.push_back({&trial, nullptr});
  }
  // By length first: "npu 2" stands before "npu 10".
  std::ranges::stable_sort(all, {}, [](const Underway& one) {
    const std::string device = one.attempt ? one.attempt->device : "";
    return std::tuple(one.attempt == nullptr, device.size(), device);
  });
  return all;
}

std::size_t judged_count(const Record& record) {
  return static_cast<std::size_t>(std::ranges::count(record.trials, false, &Trial::running));
}

std::optional<std::pair<double, double>> time_left_s(const Record& record) {
  if (!(record.answer.trials_left_high > 0)) return std::nullopt;
  std::size_t judged = 0;
  double began_s = record.elapsed_s;
  for (const Trial& trial : record.trials) {
    if (!is(trial.role, kInSearch)) continue;
    if (!trial.running) ++judged;
    for (const Attempt& attempt : trial.attempts) began_s = std::min(began_s, attempt.started_s);
  }
  if (judged == 0) return std::nullopt;
  const double pace_s = (record.elapsed_s - began_s) / static_cast<double>(judged);
  return std::pair(record.answer.trials_left_low * pace_s, record.answer.trials_left_high * pace_s);
}

std::string left_text(const Record& record) {
  if (std::ranges::any_of(record.trials, [](const Trial& trial) { return trial.running && trial.role == Role::control; }))
    return "controls: what the answer rests on, once more";
  if (!(record.answer.trials_left_high > 0)) return "";
  std::string text = more_trials_text(record);
  if (const auto left = time_left_s(record))
    text += fmt::format(", {} to {}", duration_text(left->first), duration_text(left->second));
  return text;
}

std::vector<std::size_t> likely_culprits(const Record& record, std::size_t limit) {
  std::vector<std::size_t> ids(std::min(record.answer.guilt.size(), record.suspects.size()));
  std::iota(ids.begin(), ids.end(), std::size_t{0});
  std::erase_if(ids, [&](std::size_t id) { return !(record.answer.guilt[id] >= kMentioned); });
  std::ranges::stable_sort(ids, std::ranges::greater{}, [&](std::size_t id) { return record.answer.guilt[id]; });
  if (ids.size() > limit) ids.resize(limit);
  return ids;
}

std::string likely_text(const Record& record) {
  std::string text;
  for (const std::size_t id : likely_culprits(record, kMostLikely))
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", suspect_text(record, id, plain),
                        record.answer.guilt[id] * 100);
  return text;
}

}  // namespace bisectd::reports
