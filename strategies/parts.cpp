#include "strategies/parts.hpp"

#include <algorithm>
#include <cmath>

#include "strategies/random.hpp"

namespace bisectd::strategies {

std::vector<Active> parts_left_active(const Active& always_active, std::uint64_t seed) {
  constexpr std::size_t kDraws = 20;  // for each part: with few suspects most parts were drawn before
  constexpr double kNeutralised[] = {1.0 / 2, 2.0 / 3, 1.0 / 3};
  std::vector<Active> parts;
  std::vector<SuspectId> others = members_of(neutralised_beside(always_active));
  if (others.size() < 2) return parts;
  Random random(seed);
  for (std::size_t draw = 0; draw < kDraws * kMostParts && parts.size() < kMostParts; ++draw) {
    const double share = kNeutralised[parts.size() % std::size(kNeutralised)];
    const auto neutralised = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::lround(share * static_cast<double>(others.size()))), 1, others.size() - 1);
    random.shuffle(std::span(others));
    Active active = always_active;
    for (std::size_t i = neutralised; i < others.size(); ++i) active.set(others[i]);
    if (std::ranges::count(parts, active) == 0) parts.push_back(std::move(active));
  }
  return parts;
}

std::vector<Active> small_parts_left_active(const Active& always_active, std::uint64_t seed) {
  std::vector<Active> parts;
  std::vector<SuspectId> others = members_of(neutralised_beside(always_active));
  const auto partition = [&](std::size_t blocks) {
    for (std::size_t block = 0; block < blocks; ++block) {
      Active active = always_active;
      for (std::size_t i = block; i < others.size(); i += blocks) active.set(others[i]);
      parts.push_back(std::move(active));
    }
  };
  if (others.size() <= kMostSingles) {
    partition(others.size());
    return parts;
  }
  Random random(seed);
  for (const std::size_t blocks : {8, 8, 16, 16}) {
    random.shuffle(std::span(others));
    partition(blocks);
  }
  return parts;
}

}  // namespace bisectd::strategies
