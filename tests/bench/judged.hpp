// What many judgements of known devices come to: how many of each verdict, and whether p_bad means what it says.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "driver/judge/verdict.hpp"

namespace bisectd::bench {

struct Count {
  int pass = 0, fail = 0, undecided = 0;
  std::map<std::string, int> reasons;  ///< of the fails
};

inline void add(Count& count, const driver::judge::Judgement& judgement) {
  if (judgement.verdict == strategies::Verdict::fail) ++count.reasons[judgement.reason];
  ++(judgement.verdict == strategies::Verdict::pass   ? count.pass
     : judgement.verdict == strategies::Verdict::fail ? count.fail
                                                      : count.undecided);
}

/// How often what was said with this probability was true.
struct Bin {
  double until;
  int judgements = 0, bad = 0;
  double said = 0;
};

struct Calibration {
  std::array<Bin, 5> bins{{{0.05}, {0.35}, {0.65}, {0.95}, {1.01}}};
  double log_score = 0;

  void add(double p_bad, bool bad) {
    Bin& bin = *std::ranges::find_if(bins, [&](const Bin& one) { return p_bad < one.until; });
    ++bin.judgements;
    bin.bad += bad;
    bin.said += p_bad;
    const double clear = std::clamp(p_bad, 0.001, 0.999);
    log_score += std::log(bad ? clear : 1 - clear);
  }
};

inline void print(const Calibration& calibration) {
  int all = 0, bad = 0;
  fmt::print("\np_bad          judgements   said on average   bad in truth\n");
  double from = 0;
  for (const Bin& bin : calibration.bins) {
    all += bin.judgements;
    bad += bin.bad;
    if (bin.judgements > 0)
      fmt::print("{:.2f} to {:.2f} {:12} {:17.3f} {:14.3f}\n", from, std::min(1.0, bin.until), bin.judgements,
                 bin.said / bin.judgements, static_cast<double>(bin.bad) / bin.judgements);
    from = bin.until;
  }
  const double base = static_cast<double>(bad) / all;
  fmt::print("log score per judgement {:.3f}; always saying the base rate of {:.2f}: {:.3f}\n", calibration.log_score / all,
             base, base > 0 && base < 1 ? base * std::log(base) + (1 - base) * std::log(1 - base) : 0.0);
}

inline void print(const char* title, const std::map<std::string, Count>& counts) {
  fmt::print("\n{:46} pass fail undecided   fails by\n", title);
  for (const auto& [label, count] : counts)
    fmt::print("{:46} {:4} {:4} {:9}   {}\n", label, count.pass, count.fail, count.undecided, fmt::join(count.reasons, " "));
}

/// A dose in multiples of the target, to the nearest of a quarter, a half, one, two and four.
inline std::string rounded(double dose) {
  return fmt::format("dose {:g}", std::clamp(std::exp2(std::round(std::log2(std::max(dose, 1e-9)))), 0.125, 4.0));
}

}  // namespace bisectd::bench
