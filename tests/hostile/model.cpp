#include "tests/hostile/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace hostile {
namespace {

constexpr double kBatchNoise = 0.0005;

}  // namespace

double Random::uniform() {  // splitmix64 (Steele, Lea, Flood 2014)
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1.0p-53;
}

double Random::normal() {  // Box and Muller
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

Model::Model(const Options& options, std::set<std::string> off, const Lookup& lookup, std::uint64_t seed)
    : options_(options), off_(std::move(off)), random_(seed) {
  active_ = active_of(options_.causes, lookup);
  active_on_score_ = active_of(options_.score_causes, lookup);
  for (const Window& window : options_.windows) {
    const double value = std::atof(lookup(window.variable).value_or("nan").c_str());
    if (!(value >= window.low && value <= window.high)) active_.push_back({{}, window.percent, 0, false});
  }
  if (const auto perturb = lookup("HOSTILE_PERTURB")) {
    sample_ = std::strtoull(perturb->c_str(), nullptr, 10);
  }
  level_ += options_.noise_percent / 100 * random_.normal();
}

bool Model::is_off(const std::string& name) const { return off_.contains(name) && !options_.no_effect.contains(name); }

bool Model::all_off(const std::vector<std::string>& names) const {
  return std::all_of(names.begin(), names.end(), [&](const auto& name) { return is_off(name); });
}

bool Model::is_active(const std::string& member, const Lookup& lookup) const {
  if (const auto colon = member.find(':'); colon != std::string::npos)
    return lookup(member.substr(0, colon)) == member.substr(colon + 1);
  if (member.starts_with('!')) return is_off(member.substr(1));
  return !is_off(member) && !options_.on_cpu.contains(member);
}

std::vector<Cause> Model::active_of(const std::vector<Cause>& causes, const Lookup& lookup) const {
  std::vector<Cause> active;
  for (const Cause& cause : causes)
    if (std::all_of(cause.members.begin(), cause.members.end(), [&](auto& m) { return is_active(m, lookup); }))
      active.push_back(cause);
  return active;
}

double Model::percent_off(const std::vector<Cause>& active, double share) const {
  double percent = 0;
  for (const Cause& cause : active)
    if (share > cause.onset) percent += cause.percent * (cause.grows ? (share - cause.onset) / (1 - cause.onset) : 1);
  return percent;
}

double Model::signed_percent(std::int64_t step) const {
  double percent = 0;
  for (const Cause& cause : active_) {
    std::uint64_t seed = static_cast<std::uint64_t>(step);
    for (const std::string& member : cause.members)
      for (const char letter : member) seed = seed * 131 + static_cast<unsigned char>(letter);
    percent += cause.percent * Random(seed).normal();
  }
  return percent;
}

// Rounding makes a run wobble: to which side a displaced run is off is another one at each batch.
double Model::chaos_percent(std::int64_t step) const {
  if (!sample_) return 0;
  const double share = static_cast<double>(step) / static_cast<double>(options_.steps);
  return options_.perturbed_percent * std::pow(growth_, share - 1) *
         Random(*sample_ * 1'000'003 + static_cast<std::uint64_t>(step)).normal();
}

// Each batch is easier or harder than the one before. Runs that differ by chance see them in another order.
double Model::batch_noise(std::int64_t step) {
  const bool by_chance = options_.noise_percent > 0 || options_.step_noise_percent > 0;
  return kBatchNoise * (by_chance ? random_.normal() : Random(static_cast<std::uint64_t>(step)).normal());
}

double Model::score(std::int64_t step) const {
  const double share = static_cast<double>(step) / static_cast<double>(options_.steps);
  return 0.9 * (1 - std::exp(-5 * share)) * level_ *
         (1 + (percent_off(active_on_score_, share) + chaos_percent(step)) / 100);
}

double Model::loss(std::int64_t step) {
  if (options_.nan_from && step >= *options_.nan_from) return std::nan("");
  const double share = static_cast<double>(step) / static_cast<double>(options_.steps);
  const double clean = options_.last_loss + (options_.first_loss - options_.last_loss) * std::exp(-5 * share);
  const double percent = options_.step_noise_percent * random_.normal() + chaos_percent(step) +
                         (step <= options_.signed_steps ? signed_percent(step) : percent_off(active_, share));
  return clean * (1 + batch_noise(step)) * level_ * (1 + percent / 100);
}

}  // namespace hostile
