#include "driver/launch/interrupted.hpp"

#include <fmt/format.h>

namespace bisectd::driver {

Interrupted::Interrupted(int signal_number, const std::string& how_to_go_on)
    : signal_number_(signal_number),
      text_(fmt::format("interrupted by SIG{}{}{}", ::sigabbrev_np(signal_number) ? ::sigabbrev_np(signal_number) : "?",
                        how_to_go_on.empty() ? "" : "; ", how_to_go_on)) {}

namespace launch {

bool signal_follows(Launcher& launcher, std::vector<Ended>& ended) {
  for (const auto until = launcher.now() + kSignalMayFollow; launcher.signal_number() == 0 && launcher.now() < until;)
    for (Ended& one : launcher.wait(std::chrono::ceil<std::chrono::milliseconds>(until - launcher.now())))
      ended.push_back(std::move(one));
  return launcher.signal_number() != 0;
}

}  // namespace launch
}  // namespace bisectd::driver
