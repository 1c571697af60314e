// All metrics of an experiment judged together: each has its references, and what is known of its noise. One verdict comes
// out: a trial passes when every metric does, and fails with one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "driver/judge/contrast.hpp"
#include "driver/judge/difference.hpp"
#include "driver/judge/panel.hpp"
#include "driver/judge/preflight.hpp"

namespace bisectd::driver::judge {

/// Watches one attempt while it runs; the jury must outlive it.
class AttemptWatch {
 public:
  explicit AttemptWatch(std::span<const Panel> panels);
  /// The first failure of any metric that is certain, or nothing: go on.
  std::optional<Judgement> look(const Curve& so_far);

 private:
  struct Watched {
    const Panel* panel;
    EarlyStop stop;
  };
  std::vector<Watched> watched_;
};

class Jury {
 public:
  /// One panel per metric; the first metric is the one whose difference is reported. Problems: those of
  /// prepare_reference, also for a metric that no reference logged. `metrics` is not empty.
  static tl::expected<Jury, Problem> seat(const configs::Acceptance& accept, std::span<const MetricRule> metrics,
                                          std::span<const Curve> references);

  /// One trial from the whole curves of its attempts; says also whether the verdict holds without a grey zone.
  Judgement judge(std::span<const Curve> attempts) const;

  /// The subject as it is, with up to decisive_attempts() attempts: without its verdict there is nothing to search.
  Judgement judge_as_is(std::span<const Curve> attempts) const;

  /// A trial that is to prove the answer, without a grey zone and with up to decisive_attempts() attempts. Where the noise
  /// puts that out of reach it falls back to judge(), and a note says so.
  Judgement judge_proof(std::span<const Curve> attempts) const;
  int decisive_attempts() const;
  /// So many attempts a proof is likely to need, given the noise known now: 1 .. decisive_attempts().
  int likely_proof_attempts() const;

  AttemptWatch watch() const;

  /// Takes in what the attempts of a trial teach about noise. Once per trial.
  void learn(const Judgement& judgement);
  /// So many repeats of one configuration gave the same bits in every metric.
  void learn_identical(int repeats);
  /// Learns from repeats of the subject (curves of one trial); see Panel.
  void learn_subject(std::span<const Curve> repeats, AlreadyLearnt learnt);
  /// A repeat of a trial would show nothing new: runs repeat themselves bit for bit, as far as repeats show, or all that
  /// sets them apart is how a device rounds, which its repeats share.
  bool repeats_show_nothing() const;

  /// From now on judgements carry signatures: of every metric with so many steps that are comparable.
  void set_signature_steps(std::size_t count);
  /// Of all metrics, in their order; empty where one is missing.
  std::vector<double> signature(const Curve& run) const;
  /// Per metric, the step that an attempt must have logged for it.
  std::map<std::string, std::int64_t> signature_steps() const;

  /// The subject as it is, which fails: an undecided trial that does the same at every step fails as well.
  void compare_with_failing(const Curve& as_is, double p_bad);

  /// From now on trials are judged by which of the subject's two ends they look like (of the first metric).
  void judge_by(Contrast contrast) { contrast_ = std::move(contrast); }

  /// Per metric, the step that an attempt must have logged to be whole.
  std::map<std::string, std::int64_t> last_steps() const;

  /// Preflight of every metric; errors first.
  std::vector<Finding> findings() const;

  std::span<const Panel> panels() const { return panels_; }
  const Panel& first_panel() const { return panels_.front(); }
  const Reference& first() const { return first_panel().whole(); }

 private:
  explicit Jury(std::vector<Panel> panels) : panels_(std::move(panels)) {}
  void decide_by_failing(Judgement& judgement, const Curve& run) const;
  Judgement judge_whole(std::span<const Curve> attempts, configs::Acceptance (*accept_of)(const configs::Acceptance&)) const;

  std::vector<Panel> panels_;
  std::optional<Contrast> contrast_;
  struct Failing {
    Difference difference;  ///< from the references of the first metric
    double p_bad = 1;
  };
  std::optional<Failing> failing_;
};

/// One verdict over several metrics: the first of fail, unresolved, inconclusive, pass decides; ties go to the metric
/// named first. The difference stays that of the first metric, and so does the reason's form: that of another metric
/// has its name before it ("acc:level"). Not empty.
Judgement overall(std::span<const Judgement> by_metric);

}  // namespace bisectd::driver::judge
