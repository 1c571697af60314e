// What one trial showed about a monotone predicate over sets of suspects: a set that hits still hits when it grows.
// The main search exposes active suspects and a failure is a hit; the search for suspects that cannot be neutralised
// exposes neutralised ones and a crash is a hit. The bisections do not know which of the two they serve.
#pragma once

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

enum class Outcome {
  hit,
  clear,
  nothing,  ///< no evidence either way
};

struct Observation {
  SuspectSet exposed;
  Outcome outcome = Outcome::nothing;
};

}  // namespace bisectd::strategies
