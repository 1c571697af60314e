// The engine `signatures`: reads the first steps of every trial, which differ from the reference in a way of their own for
// each set of active causes (docs/search.md), and so learns of all causes at once. Which causes are likely is belief.hpp,
// who is accused and what has to be shown of them is accusation.hpp. It hands over where signatures do not explain the harm.
#pragma once

#include "strategies/engine.hpp"
#include "strategies/signatures/accusation.hpp"
#include "strategies/signatures/belief.hpp"

namespace bisectd::strategies::signatures {

class Engine : public strategies::Engine {
 public:
  /// Suspects in `always_active` are active in every trial and not searched. Begins with what the log holds already;
  /// problem and log must outlive the engine.
  Engine(const Problem& problem, Active always_active, const EvidenceLog& log);

  void hear() override;
  /// The causes that it believes in do not explain the harm, or it finds none.
  bool misfit() const override { return misfit_ || accusation_.gives_up(); }
  const Finding& finding() const override { return accusation_.finding(); }
  /// Once the likeliest causes have the mass kGate: the checks of what is claimed of them, at full length. Before that, in
  /// up to half of the slots (in the only one), causes that are certain, alone and at full length; then trials of a few
  /// steps, whose active sets split what is believed of every cause in half.
  std::vector<Trial> ask(std::size_t count, std::span<const Neutralised> pending) const override;
  std::vector<double> guilt() const override;
  std::optional<double> trials_left() const override;

 private:
  std::vector<Trial> checks(std::size_t count, std::span<const Neutralised> pending) const;
  std::vector<Trial> certain(std::size_t count, std::span<const Neutralised> pending) const;
  std::string reason_of_split(const Active& active) const;

  const Problem& problem_;
  Active always_active_;
  const EvidenceLog& log_;
  Belief belief_;
  Accusation accusation_;
  bool misfit_ = false;  // signatures tell nothing any more
};

}  // namespace bisectd::strategies::signatures
