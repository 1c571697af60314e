// Options that take one of a few words, or a number within limits.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class Validator;
}

namespace bisectd::driver::commands {

/// Refuses every other word, and names the one that was meant. Completions offer the words (interface.hpp).
CLI::Validator one_of(const std::vector<std::string>& words);

/// CLI::Range takes nan for a number within any limits; this does not.
CLI::Validator number_in(double least, double most);

/// Of an option in percent: takes `2%` for 2.
CLI::Validator percent_sign();

}  // namespace bisectd::driver::commands
