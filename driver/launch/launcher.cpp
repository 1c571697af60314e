#include "driver/launch/launcher.hpp"

#include <fmt/format.h>

namespace bisectd::driver::launch {

std::string label_of(const Job& job) { return job.tag.substr(job.tag.find('/') + 1); }

std::string how_it_ended(const Ended& ended) {
  switch (ended.how) {
    case Ended::How::exited: return fmt::format("exited {}", ended.code);
    case Ended::How::signalled:
      return fmt::format("killed by SIG{}", ::sigabbrev_np(ended.code) ? ::sigabbrev_np(ended.code) : "?");
    case Ended::How::not_started: return "not started: " + ended.message;
    case Ended::How::lost: return "lost: " + ended.message;
    case Ended::How::unknown: return "ended, nobody knows how: " + ended.message;
  }
  return {};
}

}  // namespace bisectd::driver::launch
