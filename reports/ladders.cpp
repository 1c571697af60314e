#include "reports/ladders.hpp"

#include <fmt/format.h>

#include "configs/family.hpp"

namespace bisectd::reports {

std::string ladder_sentence(const Ladder& ladder, Escape escape) {
  const std::string beside = ladder.alone ? "by itself" : "with everything else neutralised";
  if (!ladder.window) {
    std::string open;
    for (const Rung& rung : ladder.rungs)
      if (rung.verdict != strategies::Verdict::fail) open += (open.empty() ? "" : ", ") + escape(rung.value);
    return fmt::format("No value of {} {} {}{}.", escape(ladder.family), open.empty() ? "passes" : "is known to pass",
                       beside, open.empty() ? "" : fmt::format(" (without a verdict: {})", open));
  }
  const PassingWindow& window = *ladder.window;
  const std::string& first = ladder.rungs.at(window.first).value;
  if (!configs::Ladder::is_number(first))
    return fmt::format("{} passes {} with {}, and with no number.", escape(ladder.family), beside, escape(first));
  std::string also, apart;
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const Rung& rung = ladder.rungs[i];
    if (rung.verdict != strategies::Verdict::pass) continue;
    if (!configs::Ladder::is_number(rung.value)) also += fmt::format(" It passes with {}, too.", escape(rung.value));
    else if (i < window.first || i > window.last) apart += (apart.empty() ? "" : ", ") + escape(rung.value);
  }
  if (!apart.empty())
    also +=
        fmt::format(" It passes with {}, too, but not with all values between: some of these may pass by chance.", apart);
  if (window.first == window.last)
    return fmt::format("{} passes {} with {}.{}", escape(ladder.family), beside, escape(first), also);
  const char* why = window.taken != (window.first + window.last + 1) / 2 ? "taken, which by itself changes most"
                    : window.last - window.first == 1                    ? "taken"
                                                                         : "the middle of that window";
  return fmt::format("{} passes {} from {} to {}; {} is {}.{}", escape(ladder.family), beside, escape(first),
                     escape(ladder.rungs.at(window.last).value), escape(ladder.rungs.at(window.taken).value), why, also);
}

std::string_view rung_note(const Ladder& ladder, const Rung& rung) {
  return ladder.window && &rung == &ladder.rungs.at(ladder.window->taken) ? "recommended" : "";
}

}  // namespace bisectd::reports
