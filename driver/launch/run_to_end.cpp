#include "driver/launch/run_to_end.hpp"

#include <fmt/format.h>

namespace bisectd::driver::launch {

tl::expected<Ended, std::string> run_to_end(Launcher& launcher, const Job& job, std::chrono::milliseconds timeout) {
  launcher.start(job);
  std::vector<Ended> ended = launcher.wait(timeout);
  if (!ended.empty()) return ended.front();
  std::string why = launcher.signal_number() != 0
                        ? fmt::format("interrupted by signal {}", launcher.signal_number())
                        : fmt::format("not finished after {:g} s", std::chrono::duration<double>(timeout).count());
  launcher.stop(job.id);
  while (ended.empty()) ended = launcher.wait(std::chrono::seconds{1});
  return tl::unexpected(std::move(why));
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
