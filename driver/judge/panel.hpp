// One metric of an experiment: its references, and the judgement of runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "driver/judge/early_stop.hpp"
#include "driver/judge/preflight.hpp"
#include "driver/judge/verdict.hpp"

namespace bisectd::driver::judge {

/// Whether the repeats that teach something were judged before, and that judgement learnt.
enum class AlreadyLearnt { no, yes };

class Panel {
 public:
  /// Problems: those of prepare_reference.
  static tl::expected<Panel, Problem> seat(const configs::Acceptance& accept, const MetricRule& metric,
                                           std::span<const Curve> references);

  const Reference& whole() const { return whole_; }
  const NoisePool& pool() const { return pool_; }
  /// Runs differ by chance, so that repeats are what decides.
  bool by_chance() const { return judge::by_chance(whole_); }
  /// No run shows what rounding can grow to: repeats of the subject that are moved would.
  bool lacks_moved_runs() const { return !whole_.apart.known() && !by_chance(); }

  /// By this acceptance (the reference's own, or a stricter one).
  Judgement judge(std::span<const Curve> attempts, const configs::Acceptance& accept) const;
  Judgement judge(std::span<const Curve> attempts) const { return judge(attempts, whole_.accept); }
  /// How far the first attempt is off in these steps; empty where it has no value there.
  strategies::Size size_in(const Curve& attempt, const Steps& steps) const;

  /// Looks for a failure that is certain while a run goes on.
  EarlyStop early_stop() const { return EarlyStop(whole_, pool_); }
  /// Whether the target can be decided with these references; errors first.
  std::vector<Finding> findings() const;
  /// Run-to-run standard deviation of a run's level, as a fraction; 0 where nothing shows it.
  double noise() const { return preflight(whole_, pool_).noise; }

  /// Learns what repeats of one configuration showed.
  void learn(const Spread& spread) { pool_.add(spread); }
  void learn_identical(int repeats) { pool_.total.identical += repeats; }
  /// Learns from repeats of the subject how far rounding puts runs apart, where the references could not tell; or that the
  /// subject varies by itself, by more than rounding: then its repeats measure that noise.
  void learn_subject(std::span<const Curve> repeats, AlreadyLearnt learnt);

  /// The first so many logged steps, at which trials are compared with each other; none where runs differ by chance.
  void set_signature_steps(std::size_t count);
  /// Last of these; nothing without any.
  std::optional<std::int64_t> signature_until() const;
  /// Differences from the reference at these steps, in units of what healthy runs differ by there. Empty where one is
  /// missing.
  std::vector<double> signature(const Curve& run) const;

 private:
  explicit Panel(Reference whole) : whole_(std::move(whole)) {}

  Reference whole_;
  std::vector<double> units_;  ///< of a signature, by place on the grid of whole_; empty: no signature
  NoisePool pool_;
};

}  // namespace bisectd::driver::judge
