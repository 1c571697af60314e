#include "reports/controls.hpp"
#include "reports/verdict_words.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace bisectd::reports {

constexpr std::size_t kNamesInSet = 4;

std::string controls_text(const Record& record, Escape escape) {
  struct Alike {
    std::string text;
    std::size_t first, last;  ///< trials
  };
  std::vector<Alike> all;
  for (const Trial& trial : record.trials) {
    if (trial.role != Role::control || trial.running) continue;
    std::string text = fmt::format("{} neutralised: {}", set_text(record, trial.neutralised, kNamesInSet, escape),
                                   verdict_word(trial.verdict));
    // Of larger sets only their size is told: of many causes each leaves out another one.
    if (!all.empty() && all.back().text == text && all.back().last + 1 == trial.number) all.back().last = trial.number;
    else all.push_back({std::move(text), trial.number, trial.number});
  }
  if (all.empty()) return "";
  std::string told;
  for (const auto& [text, first, last] : all)
    told += fmt::format("{}{} ({})", told.empty() ? "" : ", ", text,
                        first == last ? fmt::format("trial {}", first) : fmt::format("trials {} to {}", first, last));
  return fmt::format("Once more at the end of the run: {}.", told);
}

}  // namespace bisectd::reports
