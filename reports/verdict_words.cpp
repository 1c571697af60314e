#include "reports/verdict_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace bisectd::reports {
namespace {

using strategies::Verdict;

constexpr std::array<std::pair<Verdict, std::string_view>, 4> kVerdicts{{{Verdict::pass, "pass"},
                                                                         {Verdict::fail, "fail"},
                                                                         {Verdict::inconclusive, "inconclusive"},
                                                                         {Verdict::unresolved, "unresolved"}}};
constexpr std::array<std::pair<Outcome, std::string_view>, 6> kOutcomes{{{Outcome::unfinished, "unfinished"},
                                                                         {Outcome::culprits, "culprits"},
                                                                         {Outcome::aligned, "aligned"},
                                                                         {Outcome::outside_suspects, "outside_suspects"},
                                                                         {Outcome::inconclusive, "inconclusive"},
                                                                         {Outcome::infrastructure, "infrastructure"}}};

}  // namespace

std::string_view verdict_word(Verdict verdict) {
  return std::ranges::find(kVerdicts, verdict, &decltype(kVerdicts)::value_type::first)->second;
}

std::string_view outcome_word(Outcome outcome) {
  return std::ranges::find(kOutcomes, outcome, &decltype(kOutcomes)::value_type::first)->second;
}

}  // namespace bisectd::reports
