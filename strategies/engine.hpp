// What an engine is: it hears the evidence, believes in an answer, and says which trials would tell it more. Engines do not
// know each other; which of them leads is decided in phases.hpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "strategies/evidence.hpp"
#include "strategies/finding.hpp"

namespace bisectd::strategies {

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;  // refers to the log
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// Takes in what was added to the log since, or is doubted otherwise than before.
  virtual void hear() = 0;
  /// Nothing it believes in explains what it heard, or nothing that it could ask would tell more: others must go on.
  virtual bool misfit() const = 0;
  /// The answer that is likeliest, or the one that is proved; of no worth where it misfits.
  virtual const Finding& finding() const = 0;
  /// Worth running now beside `pending`; empty if nothing would tell anything.
  virtual std::vector<Trial> ask(std::size_t count, std::span<const Neutralised> pending) const = 0;
  virtual std::vector<double> guilt() const = 0;  ///< per suspect
  /// Expected to the proof, if no surprise comes; nothing if it cannot tell.
  virtual std::optional<double> trials_left() const { return std::nullopt; }
};

}  // namespace bisectd::strategies
