#include "driver/launch/scheduler_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <utility>

#include "configs/file_bytes.hpp"

namespace bisectd::driver::launch {
namespace {

using namespace std::chrono_literals;

constexpr auto kAnswerAtMost = 30s;  // squeue gives up by itself after 10 s without a controller
constexpr std::size_t kShownOfFailure_bytes = 500;

}  // namespace

std::string failure_printed_in(const std::filesystem::path& file) {
  std::string text = configs::bytes_in(file, kShownOfFailure_bytes);
  boost::trim(text);
  return boost::replace_all_copy(text, "\n", "; ");
}

void SchedulerProgram::start(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                             std::map<std::string, std::string> environment, std::set<JobId> about) {
  std::filesystem::create_directories(folder);
  running_ = Running{.output = folder / (what_ + ".txt"),
                     .errors = folder / (what_ + ".stderr.txt"),
                     .since = Clock::now(),
                     .about = std::move(about)};
  launcher_.start({.id = id_,
                   .command = arguments,
                   .environment = std::move(environment),
                   .directory = "/",
                   .stdout_file = running_->output,
                   .stderr_file = running_->errors,
                   .tag = "bisectd-scheduler",
                   .grace = 1s,
                   .logged = false});
}

void SchedulerProgram::stop_if_it_hangs() {
  if (!running_ || running_->stopped || Clock::now() - running_->since <= kAnswerAtMost) return;
  running_->stopped = true;
  launcher_.stop(id_);
}

std::optional<SchedulerAnswer> SchedulerProgram::answer(const Ended& ended) {
  if (!running_ || ended.id != id_) return std::nullopt;
  SchedulerAnswer answer{
      .failure = failure_of(ended), .output = configs::bytes_in(running_->output), .about = running_->about};
  running_.reset();
  return answer;
}

std::optional<std::string> SchedulerProgram::failure_of(const Ended& ended) const {
  if (ended.how == Ended::How::exited && ended.code == 0) return std::nullopt;
  if (ended.how == Ended::How::not_started) return ended.message;
  if (running_->stopped) return fmt::format("no answer within {} s", kAnswerAtMost.count());
  const std::string said = failure_printed_in(running_->errors);
  return said.empty() ? fmt::format("its program ended with {}", ended.code) : said;
}

std::map<std::string, std::string> scheduler_environment() {
  std::map<std::string, std::string> environment;
  for (char** entry = ::environ; *entry; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    const bool wanted = name == "PATH" || name == "HOME" || name == "USER" || name == "LOGNAME" || name == "KRB5CCNAME" ||
                        name == "SLURM_CONF" || name == "SLURM_CLUSTERS" || name.starts_with("SBATCH_");
    if (wanted && text.size() > name.size()) environment[name] = text.substr(name.size() + 1);
  }
  return environment;
}

}  // namespace bisectd::driver::launch
