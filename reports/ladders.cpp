#include "reports/ladders.hpp"

#include <fmt/format.h>

namespace bisectd::reports {

std::string ladder_sentence(const Ladder& ladder, Escape escape) {
  const std::string beside = ladder.alone ? "by itself" : "with everything else neutralised";
  if (!ladder.window) return fmt::format("No value of {} passes {}.", escape(ladder.family), beside);
  const PassingWindow& window = *ladder.window;
  return fmt::format("{} passes {} from {} to {}; {} is the middle of that window.", escape(ladder.family), beside,
                     escape(ladder.rungs.at(window.first).value), escape(ladder.rungs.at(window.last).value),
                     escape(ladder.rungs.at(window.middle).value));
}

std::string_view rung_note(const Ladder& ladder, const Rung& rung) {
  return ladder.window && &rung == &ladder.rungs.at(ladder.window->middle) ? "recommended" : "";
}

}  // namespace bisectd::reports
