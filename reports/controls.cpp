#include "reports/controls.hpp"
#include "reports/verdict_words.hpp"

#include <fmt/format.h>

namespace bisectd::reports {

constexpr std::size_t kNamesInSet = 4;

std::string controls_text(const Record& record, Escape escape) {
  std::string text;
  for (const Trial& trial : record.trials) {
    if (trial.role != "control" || trial.running) continue;
    text += fmt::format("{}{} neutralised: {} (trial {})", text.empty() ? "Once more at the end of the run: " : ", ",
                        set_text(record, trial.neutralised, kNamesInSet, escape), verdict_word(trial.verdict), trial.number);
  }
  return text.empty() ? text : text + ".";
}

}  // namespace bisectd::reports
