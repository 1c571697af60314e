// What bisectd does, told to two places: stderr, for whoever watches, and bisectd.log in the run directory, for whoever asks
// later. One for the process, so that every room can tell. It is for people: nothing reads it, and what a run knows is in
// its journal.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bisectd::driver::log {

/// debug: what was done and why. info: progress. error: why the program ends.
enum class Level { debug, info, warning, error };

/// Text may come from anywhere: control characters and all that cannot be seen are escaped, and passwords in addresses taken
/// out, where it is written. One call is one line of the file, whatever is in it; on stderr newlines stay. Never throws.
void debug(std::string_view text);
void info(std::string_view text);
void warning(std::string_view text);
void error(std::string_view text);

/// stderr shows this level and what is more serious; `info` before the first call. The file has everything.
void show_on_stderr(Level least);
bool is_shown_on_stderr(Level level);
/// `call` comes before each line on stderr, to clear what stands there; an empty one ends that.
void before_lines_on_stderr(std::function<void()> call);

/// Appends to FOLDER/bisectd.log from now on, and first what was told before; nobody but its owner may read it. Lines are
/// written one by one, and synced from warnings on. A disk that takes none costs lines, which are counted there later, and
/// nothing else.
void open_file(const std::filesystem::path& folder);
/// Syncs and closes it.
void close_file();

/// The words of a command line as a shell takes them, without their secrets.
std::string command_text(const std::vector<std::string>& argv);

}  // namespace bisectd::driver::log
