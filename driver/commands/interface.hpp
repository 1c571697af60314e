// The command line as data, read from its definition, so that completions and the manual page cannot get out of step
// with it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bisectd::driver::commands {

struct OptionDoc {
  std::string short_name, long_name;  ///< with their dashes; one may be empty; both are for a positional argument
  std::string value;                  ///< DIR, TEXT, ...; empty for a flag
  std::vector<std::string> choices;   ///< the only words it takes; empty: any
  std::string text;
  std::string default_value;
  bool required = false;
};

struct CommandDoc {
  std::string name, text;
  std::vector<OptionDoc> options, positionals;
};

/// Every command that help shows, in its order.
std::vector<CommandDoc> described(const CLI::App& app);

}  // namespace bisectd::driver::commands
