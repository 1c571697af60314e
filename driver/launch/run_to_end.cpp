#include "driver/launch/run_to_end.hpp"

#include <fmt/format.h>

namespace bisectd::driver::launch {

tl::expected<Ended, std::string> run_to_end(Launcher& launcher, const Job& job, std::chrono::milliseconds timeout) {
  if (launcher.signal_number() != 0) throw Interrupted(launcher.signal_number());
  launcher.start(job);
  std::vector<Ended> ended = launcher.wait(timeout);
  const bool in_time = !ended.empty();
  const bool well = in_time && ended.front().how == Ended::How::exited && ended.front().code == 0;
  if (in_time && !well) signal_follows(launcher, ended);
  if (!in_time) launcher.stop(job.id);
  while (ended.empty()) ended = launcher.wait(std::chrono::seconds{1});
  if (launcher.signal_number() != 0) throw Interrupted(launcher.signal_number());
  if (in_time || ended.front().how == Ended::How::not_started) return ended.front();
  return tl::unexpected(fmt::format("not finished after {:g} s", std::chrono::duration<double>(timeout).count()));
}

tl::expected<void, std::string> run_well(Launcher& launcher, const Job& job, std::chrono::milliseconds timeout) {
  const auto ended = run_to_end(launcher, job, timeout);
  if (!ended) return tl::unexpected(ended.error());
  if (ended->how == Ended::How::not_started) return tl::unexpected(ended->message);
  if (ended->how == Ended::How::signalled) return tl::unexpected(fmt::format("killed by signal {}", ended->code));
  if (ended->code != 0) return tl::unexpected(fmt::format("exited {}", ended->code));
  return {};
}

}  // namespace bisectd::driver::launch
