// The loss a planted training shows. Pure: options and what is active in, numbers out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "tests/hostile/options.hpp"

namespace hostile {

/// Small and the same everywhere, unlike the distributions of <random>.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform();  ///< in [0, 1)
  double normal();   ///< mean 0, standard deviation 1

 private:
  std::uint64_t state_;
};

/// The value of a setting or environment variable, if it has one.
using Lookup = std::function<std::optional<std::string>(const std::string&)>;

class Model {
 public:
  Model(const Options& options, std::set<std::string> off, const Lookup& lookup, std::uint64_t seed);

  /// Step 1 .. steps, asked in this order.
  double loss(std::int64_t step);
  /// Higher is better; from 0 towards 0.9.
  double score(std::int64_t step) const;

  /// Is this name neutralised by the list, to any effect?
  bool is_off(const std::string& name) const;
  bool all_off(const std::vector<std::string>& names) const;
  Random& random() { return random_; }
  bool is_perturbed() const { return sample_.has_value(); }

 private:
  bool is_active(const std::string& member, const Lookup& lookup) const;
  std::vector<Cause> active_of(const std::vector<Cause>& causes, const Lookup& lookup) const;
  double percent_off(const std::vector<Cause>& active, double share) const;
  double signed_percent(std::int64_t step) const;
  double chaos_percent(std::int64_t step) const;  ///< what the perturbation does there
  double batch_noise(std::int64_t step);          ///< a fraction

  const Options& options_;
  std::set<std::string> off_;
  std::vector<Cause> active_, active_on_score_;
  Random random_;
  double level_ = 1;
  std::optional<std::uint64_t> sample_;  ///< seed of the perturbation
  double growth_ = 2;                    ///< of it, from the first step to the last
};

}  // namespace hostile
