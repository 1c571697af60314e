// Sequential Monte Carlo: reweigh, resample, move (Chopin, "A sequential particle filter method for static models",
// 2002).
#include "strategies/causes/particles.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace bisectd::strategies::causes {
namespace {

constexpr std::size_t kRejuvenations = 12;  // times the moves, when no particle is consistent

}  // namespace

Particles::Particles(const Tests& tests, std::vector<double> odds, bool exact, std::size_t count, std::uint64_t seed)
    : tests_(tests), chain_(tests, std::move(odds)), exact_(exact), random_(seed) {
  for (std::size_t i = 0; i < count; ++i) cloud_.push_back(chain_.from_prior(random_));
}

// Systematic resampling by the last test.
void Particles::resample() {
  const std::size_t test = tests_.size() - 1;
  const Word bit = Word{1} << (test % 64);
  std::vector<double> weight(cloud_.size());
  double total = 0;
  for (std::size_t i = 0; i < cloud_.size(); ++i) {
    const bool wrong = tests_.mismatches(tests_.covered(cloud_[i])).word[test / 64] & bit;
    total += weight[i] = wrong ? tests_.doubt(test) : 1.0;
  }
  std::vector<Explanation> next(cloud_.size());
  const double step = total / static_cast<double>(cloud_.size());
  double at = random_.unit() * step, sum = weight[0];
  std::size_t from = 0;
  for (Explanation& particle : next) {
    while (sum < at && from + 1 < cloud_.size()) sum += weight[++from];
    particle = cloud_[from];
    at += step;
  }
  cloud_ = std::move(next);
}

// Whether some particle predicts every test; the others are then replaced by copies of those that do.
bool Particles::keep_consistent() {
  std::vector<Explanation> good;
  for (const Explanation& particle : cloud_)
    if (chain_.mismatches(particle) == 0) good.push_back(particle);
  if (good.empty()) return false;
  if (good.size() < cloud_.size())
    for (std::size_t i = 0; i < cloud_.size(); ++i) cloud_[i] = good[i % good.size()];
  return true;
}

void Particles::absorb(std::size_t moves) {
  resample();
  for (Explanation& particle : cloud_) chain_.walk(particle, moves, random_);
  if (!exact_) return;
  bool consistent = keep_consistent();
  for (std::size_t i = 0; i < kRejuvenations && !consistent; ++i) {
    for (Explanation& particle : cloud_) chain_.walk(particle, 4 * moves, random_);
    consistent = keep_consistent();
  }
  misfit_ = !consistent;
}

double Particles::mean_mismatches(const TestSet& among) const {
  std::size_t count = 0;
  for (const Explanation& particle : cloud_) {
    const TestSet wrong = tests_.mismatches(tests_.covered(particle));
    for (std::size_t w = 0; w < tests_.words(); ++w)
      count += static_cast<std::size_t>(std::popcount(wrong.word[w] & among.word[w]));
  }
  return static_cast<double>(count) / static_cast<double>(cloud_.size());
}

std::vector<Particles::Likely> Particles::likely(double least) const {
  std::vector<Explanation> sorted = cloud_;
  for (Explanation& particle : sorted) particle.sort();
  std::sort(sorted.begin(), sorted.end());
  std::vector<Likely> found;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i;
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    const double mass = static_cast<double>(end - i) / static_cast<double>(sorted.size());
    if (mass >= least) found.push_back({sorted[i], mass});
    i = end;
  }
  std::stable_sort(found.begin(), found.end(), [](const Likely& a, const Likely& b) { return a.mass > b.mass; });
  return found;
}

}  // namespace bisectd::strategies::causes
