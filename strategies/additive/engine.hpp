// The engine `additive`: uses the measured size of each difference, not only the verdict, and so needs fewer trials than
// there are bits to learn; and it finds culprits whose effects cancel, where more neutralised may be worse. It assumes
// that effects add; what it proves, it proves by trials of its own that do not rest on that.
#pragma once

#include <span>
#include <vector>

#include "strategies/additive/regression.hpp"
#include "strategies/engine.hpp"
#include "strategies/evidence_log.hpp"
#include "strategies/searched.hpp"

namespace bisectd::strategies::additive {

class Engine : public strategies::Engine {
 public:
  /// Suspects in `always_active` are active in every trial and not searched. Begins with what the log holds already;
  /// problem, relations and log must outlive the engine.
  Engine(const Problem& problem, const Relations& relations, Active always_active, const EvidenceLog& log);

  void hear() override;
  bool misfit() const override { return misfit_; }
  const Finding& finding() const override { return finding_; }
  std::vector<Question> ask(std::size_t count, std::span<const Active> pending) const override;
  std::vector<double> guilt() const override;  ///< 1 for those of the finding

 private:
  /// One measured difference.
  struct Row {
    SuspectSet active;  ///< by place
    double difference;
    std::optional<double> error;  ///< standard error; empty: not known
  };

  void take_rows();
  void explain();
  void review();
  bool clear_best() const;

  const Problem& problem_;
  const Relations& relations_;
  const Searched searched_;
  const EvidenceLog& log_;
  std::vector<Row> rows_;
  Regression sums_;        // of the rows, with the noise under which they are explained
  std::size_t heard_ = 0;  // of what the log was told
  std::vector<Regression::Fit> fits_;
  std::vector<Active> checks_;  // trials that prove the finding
  Finding finding_;
  bool misfit_ = false;
};

}  // namespace bisectd::strategies::additive
