// One metric of an experiment: its references, how far healthy runs are apart, and the judgement of whole runs and of
// shortened ones. Where healthy runs drift apart beyond what the target can bear, a run is judged by its comparable part;
// the rest can only fail it, by more than any rounding explains.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "driver/judge/early_stop.hpp"
#include "driver/judge/healthy_spread.hpp"
#include "driver/judge/preflight.hpp"
#include "driver/judge/verdict.hpp"

namespace bisectd::driver::judge {

/// Whether the repeats that teach something were judged before, and that judgement learnt. What an event decides tells
/// nothing of the noise, so then the repeats do; before, the noise would count twice.
enum class AlreadyLearnt { no, yes };

class Panel {
 public:
  /// Problems: those of prepare_reference.
  static tl::expected<Panel, Problem> seat(const configs::Acceptance& accept, const MetricRule& metric,
                                           std::vector<Curve> references);

  const Reference& whole() const { return whole_; }
  const NoisePool& pool() const { return pool_; }
  const std::optional<HealthySpread>& healthy() const { return healthy_; }
  /// No run shows how far a device drifts that rounds coarsely: repeats of the subject may.
  bool lacks_coarse_runs() const { return healthy_ ? !healthy_->coarse_seen : whole_.distinct() == 1; }

  /// Whole runs, by this acceptance (the reference's own, or a stricter one).
  Judgement judge(std::span<const Curve> attempts, const configs::Acceptance& accept) const;
  Judgement judge(std::span<const Curve> attempts) const { return judge(attempts, whole_.accept); }

  /// Whole runs by the part that ends at this step, whatever their own is. Only where healthy() is known.
  Judgement judge_until(std::span<const Curve> attempts, std::int64_t step) const;

  /// Runs that ended at the horizon or reached the end of the comparable part. Only where there is one of both.
  Judgement judge_shortened(std::span<const Curve> attempts) const;

  /// Last step of the part by which a run is judged that rounds like float32: the run's own last step where all of it is
  /// comparable, or where its noise is the same from the first steps on. Nothing if no part is comparable.
  std::optional<std::int64_t> comparable_until() const;
  /// All of the run is judged alike.
  bool is_comparable_throughout() const { return !healthy_; }

  /// Looks for a failure that is certain while a run goes on.
  EarlyStop early_stop() const;
  /// The curve reaches the end of the comparable part, by which judge_shortened() can judge it now.
  bool has_reached_comparable(const Curve& so_far) const;
  /// Whether the target can be decided with these references; errors first.
  std::vector<Finding> findings() const;

  /// Standard deviation of a run's level where it is judged, as a fraction; 0 where nothing shows it.
  double noise() const;
  /// One sentence on how far runs can be compared; only where healthy() is known and some part is comparable.
  std::string comparable_text() const;

  /// Learns what repeats of one configuration showed.
  void learn(const Spread& spread);
  void learn_identical(int repeats) { pool_.total.identical += repeats; }
  /// Learns from repeats of the subject how far healthy runs are apart, where the references could not tell; or that the
  /// subject varies by itself, by more than rounding: then its repeats measure that noise, as ever, once they are judged.
  void learn_subject(std::span<const Curve> repeats, AlreadyLearnt learnt);

  /// The first so many logged steps, at which trials are compared with each other; none where the comparable part is too
  /// short, or runs differ by more than rounding.
  void set_signature_steps(std::size_t count);
  /// Last of these; nothing without any.
  std::optional<std::int64_t> signature_until() const;
  /// Differences from the reference at these steps, in units of what healthy runs differ by there. Empty where one is
  /// missing.
  std::vector<double> signature(const Curve& run) const;

  /// The step that later trials must reach, learnt from the run that is known to be bad; nothing if it passes.
  std::optional<std::int64_t> needed_steps(const Curve& known_bad) const;
  void set_horizon(std::int64_t until);
  bool has_horizon() const { return shortened_.has_value(); }
  std::int64_t horizon() const { return shortened_->last_step(); }

 private:
  Panel(Reference whole, std::vector<Curve> references) : whole_(std::move(whole)), references_(std::move(references)) {}
  void learn_healthy_spread(std::span<const Curve> repeats);
  void bound_own_level(const Spread& spread);
  void say_if_coarse_runs_alone_are_noisy(std::vector<Finding>& findings) const;
  /// For a device that rounds like float32; the whole run where it has no such part.
  const Reference& comparable_part() const { return fine_ ? *fine_ : whole_; }
  double coarseness_of(std::span<const Curve> attempts) const;
  std::optional<Reference> cut(std::optional<std::int64_t> until) const;
  void look_earlier(std::span<const Curve> attempts, const configs::Acceptance& accept, std::int64_t until,
                    Judgement& judgement) const;
  void look_later(std::span<const Curve> attempts, const configs::Acceptance& accept, double coarseness,
                  std::optional<std::int64_t> horizon, Judgement& judgement) const;
  Judgement judge_whole(std::span<const Curve> attempts, const configs::Acceptance& accept) const;
  Judgement judge_part(std::span<const Curve> attempts, const configs::Acceptance& accept,
                       std::optional<std::int64_t> horizon) const;
  Judgement not_comparable(std::span<const Curve> attempts, const configs::Acceptance& accept) const;
  bool is_steadily_off(const Curve& curve) const;
  void condemn_if_steadily_off(std::span<const Curve> attempts, Judgement& judgement) const;
  std::optional<Judgement> beyond_comparable(std::span<const Curve> attempts) const;
  void note_end(std::span<const Curve> attempts, Judgement& judgement) const;
  /// Behind the comparable part: the standard error of one run's level, and by how much a run must be off to fail.
  double late_error(const Curve& curve, double variance) const;
  double late_limit(double error, double dof) const;

  Reference whole_;
  std::vector<Curve> references_;
  std::vector<Curve> coarse_;  ///< of the references, where healthy() tells them apart
  std::optional<HealthySpread> healthy_;
  std::optional<Reference> fine_;  ///< cut to the part that is comparable for a device that rounds like float32
  std::optional<Reference> shortened_;
  std::optional<Reference> beginning_;  ///< what signatures are differences from: the references that round finely, since
                                        ///< the mean with coarse ones is not where healthy runs begin
  std::vector<double> units_;           ///< of a signature, by place on the grid of whole_; empty: no signature
  NoisePool pool_;
};

}  // namespace bisectd::driver::judge
