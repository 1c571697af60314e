// Reads `launch`: where the attempts of one side run.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "configs/blocks.hpp"
#include "configs/printable.hpp"
#include "configs/reading.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

constexpr std::chrono::minutes kMargin{1};  ///< by which bisectd ends an attempt before Slurm would, so that it knows why

/// Options of sbatch that bisectd needs for itself.
constexpr const char* kOwnOptions[] = {"--job-name", "-J",        "--output", "-o",     "--error",    "-e",
                                       "--parsable", "--array",   "-a",       "--wait", "-W",         "--test-only",
                                       "--wrap",     "--requeue", "--chdir",  "-D",     "--open-mode"};

void check_own_options(const SlurmJobs& jobs, Problems& problems) {
  for (const auto& argument : jobs.arguments) {
    const std::string name = argument.value.substr(0, argument.value.find('='));
    const bool is_short = name.size() > 2 && name[0] == '-' && name[1] != '-';  // -o/tmp/x
    if (std::ranges::find(kOwnOptions, is_short ? name.substr(0, 2) : name) != std::end(kOwnOptions))
      problems.add(argument.place,
                   fmt::format("{} is set by bisectd for every job", in_quotes(is_short ? argument.value : name)),
                   "remove it here");
    else if (!argument.value.starts_with("-"))
      problems.add(argument.place, in_quotes(argument.value) + " would be taken for the job's script",
                   "write an option and its value as one element, for example --account=team");
  }
}

/// An attempt ends before its job does.
void settle_time(MapReader& reader, Side& side, SlurmJobs& jobs, Problems& problems) {
  using std::chrono::milliseconds, std::chrono::minutes, std::chrono::ceil;
  milliseconds time{0};
  if (!reader.read("time", duration_of, time)) return;
  jobs.time = ceil<minutes>(time);
  if (*jobs.time < 2 * kMargin)
    problems.add(reader.find("time")->place, "`time` is less than 2m",
                 "Slurm counts whole minutes, and an attempt is ended one minute before its job would be");
  side.timeout = std::min<milliseconds>(side.timeout, *jobs.time - kMargin);
}

SlurmJobs read_slurm(const Value& block, const std::string& what, Side& side, Problems& problems) {
  SlurmJobs jobs;
  jobs.place = block.place;
  MapReader reader(block, what, problems);
  if (reader.find("partition")) reader.read("partition", placed_text_of, jobs.partition.emplace());
  if (reader.find("gres") && reader.read("gres", placed_text_of, jobs.gres.emplace())) {
    boost::replace_all(jobs.gres->value, "{per_trial}", std::to_string(side.devices.per_trial));
    const std::string& text = jobs.gres->value;
    if (text.empty() ||
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.-") != std::string::npos)
      problems.add(jobs.gres->place, in_quotes(text) + " is no generic resource", "for example npu:{per_trial}");
  } else if (side.devices.kind != "cpu") {
    problems.add(
        block.place,
        fmt::format("`{}` says no `gres`, and the job needs devices of kind {}", what, in_quotes(side.devices.kind)),
        "for example gres: \"npu:{per_trial}\"");
  }
  settle_time(reader, side, jobs, problems);
  std::int64_t most = jobs.max_jobs;
  reader.read(
      "max_jobs", [](const Value& v) { return whole_number_of(v, 1, 10'000); }, most);
  jobs.max_jobs = static_cast<int>(most);
  if (reader.read("pending", duration_of, jobs.pending) && jobs.pending.count() == 0)
    problems.add(reader.find("pending")->place, "`pending` must be longer than 0");
  if (const Value* arguments = reader.find("arguments"))
    jobs.arguments = texts_of(*arguments, what + ".arguments", problems);
  check_own_options(jobs, problems);
  reader.refuse_other_keys();
  return jobs;
}

}  // namespace

void read_launch(const Value& launch, const std::string& what, Side& side, Problems& problems) {
  if (launch.kind == Value::Kind::scalar) {
    if (launch.text != "local")
      problems.add(launch.place, fmt::format("`{}`: {} is no way to launch", what, in_quotes(launch.text)),
                   "local, or {slurm: {partition: npu, gres: \"npu:{per_trial}\"}}");
    return;
  }
  MapReader reader(launch, what, problems);
  if (const Value* slurm = reader.require("slurm", "for example {partition: npu, gres: \"npu:{per_trial}\"}"))
    side.slurm = read_slurm(*slurm, what + ".slurm", side, problems);
  reader.refuse_other_keys();
}

}  // namespace bisectd::configs
