// The suspects that one search is among, and their numbers there: a search knows no others, all of which stay active. Pure.
#pragma once

#include <string>
#include <vector>

#include "strategies/answer.hpp"

namespace bisectd::driver {

/// Ids of the run, ascending; the place of one is its number in the search.
using Scope = std::vector<strategies::SuspectId>;

/// The problem among the scope.
strategies::Problem narrowed(strategies::Problem problem, const Scope& scope);
strategies::Neutralised narrowed(const strategies::Neutralised& set, const Scope& scope);

/// `size`: the number of suspects of the run.
strategies::Neutralised widened(const strategies::Neutralised& set, const Scope& scope, std::size_t size);
strategies::Answer widened(strategies::Answer answer, const Scope& scope, std::size_t size);

/// A text of the search, with ids as #3.
std::string renumbered(const std::string& text, const Scope& scope);

}  // namespace bisectd::driver
