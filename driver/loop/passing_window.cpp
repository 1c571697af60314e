#include "driver/loop/passing_window.hpp"

namespace bisectd::driver {

std::optional<PassingWindow> widest_window(const std::vector<strategies::Verdict>& verdicts) {
  std::optional<PassingWindow> widest;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] != strategies::Verdict::pass) continue;
    PassingWindow window{i, i};
    while (i + 1 < verdicts.size() && verdicts[i + 1] == strategies::Verdict::pass) window.last = ++i;
    if (!widest || window.last - window.first >= widest->last - widest->first) widest = window;
  }
  return widest;
}

}  // namespace bisectd::driver
