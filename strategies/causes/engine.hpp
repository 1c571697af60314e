// The engine `causes`: the explanations of belief.hpp, sets that split them, and the checks of what the likeliest of them
// claim. It stops on the certificate, never on its own belief; a misfit is said, and the caller goes on with `ordered`.
#pragma once

#include <span>
#include <vector>

#include "strategies/answer.hpp"
#include "strategies/causes/belief.hpp"
#include "strategies/engine.hpp"
#include "strategies/evidence_log.hpp"

namespace bisectd::strategies::causes {

class Engine : public strategies::Engine {
 public:
  /// Suspects in `always_active` are active in every trial and not searched. Begins with what the log holds already; problem
  /// and log must outlive the engine.
  Engine(const Problem& problem, Active always_active, const EvidenceLog& log);

  void hear() override;
  /// Also where it has heard so much that it would be slow, or what it asks says nothing.
  bool misfit() const override {
    return belief_.misfit() || belief_.votes().size() >= kMostVotes || silent_in_a_row_ >= most_silent_;
  }
  const Finding& finding() const override { return finding_; }
  std::vector<Trial> ask(std::size_t count, std::span<const Neutralised> pending) const override;
  std::vector<double> guilt() const override;

 private:
  static constexpr std::size_t kMostVotes = 512;  // searches ask fewer
  void weigh_again();
  void review();
  std::size_t votes_missing(const Claim& claim) const;
  bool may_decide(const Active& active) const;

  const Problem& problem_;
  const Active always_active_;
  const EvidenceLog& log_;
  Belief belief_;
  std::size_t heard_ = 0;             // of what the log was told
  std::vector<std::size_t> of_vote_;  // by vote: which of that
  Finding finding_;                   // the one that is proved, else the likeliest
  std::vector<Claim> checks_;         // what the likely findings still want judged
  std::size_t most_silent_;           // sets
  std::size_t silent_in_a_row_ = 0;   // of them, so far
};

}  // namespace bisectd::strategies::causes
