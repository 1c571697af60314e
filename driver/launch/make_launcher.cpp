#include "driver/launch/make_launcher.hpp"

#include "driver/launch/local.hpp"
#include "driver/launch/queue.hpp"

namespace bisectd::driver::launch {

std::unique_ptr<Launcher> make_launcher(const configs::Experiment& experiment, const std::filesystem::path& folder,
                                        std::function<void(const std::string&)> say) {
  if (experiment.reference.slurm || experiment.subject.slurm)
    return std::make_unique<QueueLauncher>(folder / "scheduler", std::move(say));
  return std::make_unique<LocalLauncher>();
}

}  // namespace bisectd::driver::launch
