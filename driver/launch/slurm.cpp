#include "driver/launch/slurm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/split.hpp>
#include <sstream>

namespace bisectd::driver::launch {
namespace {

using Phase = SeenJob::Phase;

/// States in which a job still waits or runs, and those in which it failed by its own fault. Every other state took the job
/// away: NODE_FAIL, PREEMPTED, CANCELLED by somebody, and what later versions may have. COMPLETED and FAILED are among them,
/// because a job whose script ran to its end has left its outcome, and is not asked for.
constexpr std::array kWaiting{"PENDING",     "CONFIGURING",  "REQUEUED",     "REQUEUE_HOLD",
                              "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD"};
constexpr std::array kRunning{"RUNNING", "COMPLETING", "SIGNALING", "STAGE_OUT", "SUSPENDED", "STOPPED", "RESIZING"};
constexpr std::array kByItself{"TIMEOUT", "DEADLINE", "OUT_OF_MEMORY"};
/// Reasons to wait that last until somebody changes the job or the partition.
constexpr std::array kForEver{"PartitionTimeLimit", "PartitionNodeLimit", "PartitionConfig",   "BadConstraints",
                              "InvalidAccount",     "InvalidQOS",         "AccountNotAllowed", "QOSNotAllowed",
                              "JobHeldUser",        "JobHeldAdmin"};

bool is_in(const auto& words, const std::string& word) { return std::ranges::find(words, word) != words.end(); }

Phase phase_of(const std::string& state) {
  return is_in(kWaiting, state)    ? Phase::waiting
         : is_in(kRunning, state)  ? Phase::running
         : is_in(kByItself, state) ? Phase::ended
                                   : Phase::gone;
}

/// "npu" of "npu:2" or "npu:910b:2".
std::string resource_of(const std::string& gres) { return gres.substr(0, gres.find(':')); }

}  // namespace

std::vector<std::string> Slurm::submit(const std::string& job_name, const std::filesystem::path& folder,
                                       const std::filesystem::path& script, bool only_test) const {
  std::vector<std::string> command{"sbatch", "--parsable", "--job-name=" + job_name, "--no-requeue", "--nodes=1",
                                   "--output=" + (folder / "job.log").string(), "--open-mode=append",
                                   "--chdir=" + folder.string(),
                                   // Of the environment that sbatch has, which is only what it needs itself; NONE would load
                                   // the login environment on the node, which can take minutes.
                                   "--export=ALL"};
  if (jobs_.time) command.push_back(fmt::format("--time={}", jobs_.time->count()));
  if (only_test) command.emplace_back("--test-only");
  if (jobs_.partition) command.push_back("--partition=" + jobs_.partition->value);
  if (jobs_.gres) command.push_back("--gres=" + jobs_.gres->value);
  for (const auto& argument : jobs_.arguments) command.push_back(argument.value);
  command.push_back(script.string());
  return command;
}

tl::expected<std::string, std::string> Slurm::id_in(const std::string& output) const {
  // "17" or "17;cluster" in a line of its own: a site's own sbatch may print more around it.
  std::istringstream lines(output);
  std::string id;
  for (std::string line; std::getline(lines, line);) {
    const std::string word = line.substr(0, line.find(';'));
    if (!word.empty() && word.find_first_not_of("0123456789") == std::string::npos) id = word;
  }
  if (id.empty()) return tl::unexpected(std::string("sbatch printed no job id"));
  return id;
}

std::vector<std::string> Slurm::query(std::span<const std::string> job_names) const {
  return {"squeue", "--noheader", "--states=all", fmt::format("--name={}", fmt::join(job_names, ",")),
          "--format=%i|%T|%N|%r|%j"};
}

std::map<std::string, SeenJob> Slurm::jobs_in(const std::string& output) const {
  std::map<std::string, SeenJob> jobs;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> parts;
    boost::split(parts, line, [](char c) { return c == '|'; });
    if (parts.size() != 5) continue;  // a warning of the site
    SeenJob job{.phase = phase_of(parts[1]), .id = parts[0], .text = parts[1]};
    if (!parts[2].empty()) job.text += " on " + parts[2];
    if (job.phase == Phase::waiting && parts[3] != "None")
      job.text += ": " + parts[3] + (is_in(kForEver, parts[3]) ? ", which does not end by itself" : "");
    const bool lives = job.phase == Phase::waiting || job.phase == Phase::running;
    const auto [known, is_new] = jobs.try_emplace(parts[4], job);
    if (is_new || !lives || known->second.phase == Phase::running) continue;
    known->second = std::move(job);  // submitted twice, and this one trains
  }
  return jobs;
}

std::vector<std::string> Slurm::cancel(std::span<const std::string> ids) const {
  std::vector<std::string> command{"scancel"};
  command.insert(command.end(), ids.begin(), ids.end());
  return command;
}

std::string Slurm::device_lines() const {
  if (!jobs_.gres) return "";
  const std::string resource = resource_of(jobs_.gres->value);
  // Slurm itself shows a job its GPUs, in CUDA_VISIBLE_DEVICES. Of any other resource only scontrol tells which, as
  // GRES=npu:2(IDX:0-1,4), and only where gres.conf names device files.
  if (resource == "gpu") return "ids=${CUDA_VISIBLE_DEVICES:-}\n";
  // A job that is being taken away has no such line any more, and a controller that is down says nothing.
  return fmt::format(
      R"sh(tries=0
while [ -z "$ids$why$terminated" ]; do
  said=$(scontrol show job -d "$SLURM_JOB_ID" 2>/dev/null | grep ' GRES=')
  indices=$(printf '%s\n' "$said" | sed -n 's/.* GRES=.*{0}[^( ]*(IDX:\([0-9,-]*\)).*/\1/p' | head -n 1)
  for part in $(printf %s "$indices" | tr , ' '); do
    first=${{part%-*}}; last=${{part#*-}}
    while [ "$first" -le "$last" ]; do ids=${{ids:+$ids,}}$first; first=$((first + 1)); done
  done
  case $ids,$said in
    ,*{0}*) why='Slurm does not say which {0} this job has: gres.conf must name them with File=' ;;
    ,*) tries=$((tries + 1)); [ $tries -lt 30 ] || terminated=1; sleep 2 ;;
  esac
done
)sh",
      resource);
}

}  // namespace bisectd::driver::launch
