// Options that take one of a few words.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class Validator;
}

namespace bisectd::driver::commands {

/// Refuses every other word, and names the one that was meant. Completions offer the words (interface.hpp).
CLI::Validator one_of(const std::vector<std::string>& words);

/// Of an option in percent: takes `2%` for 2.
CLI::Validator percent_sign();

}  // namespace bisectd::driver::commands
