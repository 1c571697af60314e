// The options about output that commands share, the result of a run on stdout, and files that a person names for output.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

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

/// Before anything is run for it. Throws UsageError where it is a folder, belongs to a run (its reports may be replaced), is
/// there already and `replace` does not hold, or cannot be written. Makes its folder.
void check_output_file(const std::filesystem::path& file, bool replace);

/// Durably, whole or not at all. What a link leads to is replaced, not the link; into a device or a pipe (/dev/stdout) it is
/// written. Throws std::system_error.
void write_output_file(const std::filesystem::path& file, std::string_view content);

}  // namespace bisectd::driver::commands
