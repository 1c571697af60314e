#include "driver/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace bisectd::driver {
namespace {

constexpr std::chrono::milliseconds kRedrawEvery{100};
constexpr std::chrono::seconds kHeartbeatEvery{60};

bool is_live_terminal() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) && term && std::string_view(term) != "dumb";
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(is_live_terminal()) {}

Progress::~Progress() { clear_status(); }

void Progress::clear_status() {
  if (shown_.empty()) return;
  std::fputs("\r\x1b[K", stderr);
  shown_.clear();
}

void Progress::line(const std::string& text) {
  if (quiet_) return;
  clear_status();
  std::fprintf(stderr, "%s\n", text.c_str());
  std::fflush(stderr);
  last_status_ = Clock::now();
}

void Progress::running(const std::function<std::string(std::size_t)>& status,
                       const std::function<std::string()>& heartbeat) {
  if (quiet_) return;
  const Clock::time_point now = Clock::now();
  if (!terminal_) {
    if (now - last_status_ >= kHeartbeatEvery) line(heartbeat());
    return;
  }
  if (now - last_status_ < kRedrawEvery) return;
  last_status_ = now;
  const std::string text = status(terminal_width() - 1);
  if (text == shown_) return;
  clear_status();
  shown_ = text;
  std::fputs(shown_.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace bisectd::driver
