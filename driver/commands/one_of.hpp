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

}  // namespace bisectd::driver::commands
