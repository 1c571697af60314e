// The options about output that commands share, and the result of a run on stdout.
#pragma once

#include <string>

namespace CLI {
class App;
}
namespace bisectd::reports {
struct Record;
}

namespace bisectd::driver::commands {

struct OutputOptions {
  bool json = false;
  std::string color = "auto";
};

/// How much stderr shows of what is going on: -q, -v, --log-level.
void add_stderr_options(CLI::App& command);
/// These, and how the result is printed.
void add_output_options(CLI::App& command, OutputOptions& output);

/// Whether text on stdout is to be coloured.
bool wants_colour(const OutputOptions& output);

void print_result(const reports::Record& record, const OutputOptions& output);

}  // namespace bisectd::driver::commands
