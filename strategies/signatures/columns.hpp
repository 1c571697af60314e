// Patterns of activity that may be those of a cause: of lone suspects and of pairs, with their prior. Suspects that were
// active in the same trials cannot be told apart and are one class.
#pragma once

#include <span>
#include <vector>

#include "strategies/signatures/likelihood.hpp"
#include "strategies/signatures/rows.hpp"

namespace bisectd::strategies::signatures {

inline constexpr double kTemper = 0.5;  // of every log likelihood: steps of one training are not independent

/// A cause, as far as its pattern tells.
struct Column {
  Pattern pattern;
  double log_prior = 0;
  std::vector<SuspectId> example;  ///< members that have this pattern, ascending
  bool operator==(const Column& other) const { return pattern == other.pattern; }
};

/// Members that cause a difference only together, or a lone one.
struct Hypothesis {
  std::vector<SuspectId> members;  ///< ascending
  double weight = 0;               ///< posterior share among the hypotheses for one cause; they sum to 1
};

class Columns {
 public:
  /// `odds`: of each suspect, in any unit.
  explicit Columns(std::vector<double> odds);

  /// Finds the classes; due whenever rows were added, before anything else.
  void sort(const Rows& rows);

  /// Up to `most` that would gain most beside what the likelihood has already, best first. `only_lone`: no pairs.
  std::vector<Column> candidates(const Rows& rows, const Likelihood& likelihood, std::size_t most, bool only_lone) const;

  /// Who may be the cause that this column stands for: everything with its pattern, and lone suspects whose pattern would do
  /// nearly as well in its place. `others`: the other columns of the model; `without`: its likelihood with these alone.
  std::vector<Hypothesis> hypotheses(const Rows& rows, const Likelihood& without, const std::vector<Column>& others,
                                     const Column& column) const;

 private:
  struct Class {  // suspects with one pattern
    Column column;
    double odds = 0;
    std::vector<SuspectId> members;
  };
  /// Of which pairs are looked at.
  std::vector<const Class*> likely(const Rows& rows, const Likelihood& likelihood, std::span<const double> gains) const;
  double log_prior_of_pair(SuspectId a, SuspectId b) const;

  std::vector<double> share_;  // odds, summing to 1
  std::vector<Class> classes_;
};

}  // namespace bisectd::strategies::signatures
