#include "driver/checks/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <sstream>
#include <stdexcept>

#include "configs/file_bytes.hpp"
#include "configs/meaning.hpp"
#include "configs/secret.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/launch/run_to_end.hpp"
#include "driver/read/line.hpp"
#include "driver/read/logged_values.hpp"
#include "driver/trial/attempt_files.hpp"

namespace bisectd::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostValues = 20;
constexpr std::size_t kShown_bytes = 200;
constexpr std::size_t kMostOutput_bytes = 64 << 10;  ///< a recorded reference carries it; what is longer can print a digest

const char* word_of(SideName name) { return name == SideName::reference ? "reference" : "subject"; }

fs::path output_file(const configs::Check& check, SideName name, const fs::path& folder) {
  return folder / fmt::format("{}-{}.txt", check.name, word_of(name));
}

std::string trimmed(std::string text) {
  boost::trim(text);
  return text;
}

std::string shown(const std::string& text) { return "'" + read::for_display(text, kShown_bytes) + "'"; }

std::string output_of(const configs::Check& check, const LaunchSide& side, SideName name, launch::Launcher& launcher,
                      const fs::path& folder, const std::string& tag) {
  launch::Job job;
  for (const configs::Placed<std::string>& word : check.command) job.command.push_back(word.value);
  job.environment = side.environment;
  job.directory = side.directory;
  job.stdout_file = output_file(check, name, folder);
  job.stderr_file = folder / fmt::format("{}-{}.stderr.txt", check.name, word_of(name));
  job.tag = tag;
  if (const auto well = launch::run_well(launcher, job, side.settings->timeout); !well) {
    const std::string said = trimmed(configs::bytes_in(job.stderr_file, kMostOutput_bytes));
    throw std::runtime_error(fmt::format("the check {} failed on the side of the {}: {}{}", check.name, word_of(name),
                                         well.error(), said.empty() ? "" : ": " + read::for_display(said, kShown_bytes)));
  }
  if (fs::file_size(job.stdout_file) > kMostOutput_bytes)
    throw std::runtime_error(
        fmt::format("the check {} prints more than {} KiB on the side of the {}: let it print a digest, "
                    "for example by sha256sum",
                    check.name, kMostOutput_bytes >> 10, word_of(name)));
  return trimmed(keep::read_file(job.stdout_file));
}

/// The first line in which two texts differ, from each.
std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b) {
  std::istringstream lines_a(a), lines_b(b);
  std::string line_a, line_b;
  while (true) {
    const bool more_a = static_cast<bool>(std::getline(lines_a, line_a));
    const bool more_b = static_cast<bool>(std::getline(lines_b, line_b));
    if (!more_a) line_a.clear();
    if (!more_b) line_b.clear();
    if (line_a != line_b || (!more_a && !more_b)) return {line_a, line_b};
  }
}

/// What all devices have in a step that an optimiser makes. Empty for what is no number, or where the devices are not known.
std::string in_whole_step(const std::string& value, const configs::Check& check, std::span<const fs::path> files,
                          int devices) {
  const auto number = configs::number_in(value);
  if (!number || (check.per_device && devices == 0)) return {};
  double factor = check.per_device ? devices : 1;
  for (const auto& pattern : check.factors)
    if (const auto said = read::logged_values(files, pattern.value, 1); !said.empty()) {
      factor *= configs::number_in(said.front()).value_or(1);
      break;
    }
  return fmt::format("{}", *number * factor);
}

std::vector<std::string> values_of(const configs::Check& check, std::span<const fs::path> files, int devices) {
  std::vector<std::string> values;
  for (const auto& pattern : check.patterns) {
    if (check.standard && !values.empty()) break;
    for (std::string& value : read::logged_values(files, pattern.value, check.standard ? 1 : kMostValues,
                                                  check.after ? check.after->value : "")) {
      if (configs::is_multiplied(check)) value = in_whole_step(value, check, files, devices);
      if (!value.empty() && std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
    }
  }
  return values;
}

const std::string& fact(const Facts& facts, const configs::Check& check) {
  static const std::string nothing;
  const auto found = facts.find(check.name);
  return found == facts.end() ? nothing : found->second;
}

}  // namespace

Facts facts_of_commands(const configs::Experiment& experiment, const LaunchSide& side, SideName name,
                        launch::Launcher& launcher, const fs::path& folder, const std::string& tag) {
  Facts facts;
  for (const configs::Check& check : experiment.checks) {
    if (check.command.empty()) continue;
    fs::create_directories(folder);
    facts[check.name] = output_of(check, side, name, launcher, folder, tag);
  }
  return facts;
}

Facts facts_of_commands_again(const configs::Experiment& experiment, SideName name, const fs::path& folder) {
  Facts facts;
  for (const configs::Check& check : experiment.checks)
    if (const fs::path file = output_file(check, name, folder); !check.command.empty() && fs::exists(file))
      facts[check.name] = trimmed(keep::read_file(file));
  return facts;
}

Facts facts_in_files(const configs::Experiment& experiment, std::span<const fs::path> files, int devices) {
  Facts facts;
  for (const configs::Check& check : experiment.checks) {
    if (check.patterns.empty()) continue;
    const std::string said = fmt::format("{}", fmt::join(values_of(check, files, devices), ", "));
    if (!said.empty() || !check.standard) facts[check.name] = said;
  }
  return facts;
}

Facts facts_in_logs(const configs::Experiment& experiment, const configs::Side& side, const fs::path& attempt) {
  return facts_in_files(experiment, log_files(side, attempt), configs::devices_of_attempt(side.devices));
}

std::vector<std::string> differing_commands(const configs::Experiment& experiment, const Facts& reference,
                                            const Facts& subject) {
  std::vector<std::string> differences;
  for (const configs::Check& check : experiment.checks) {
    if (check.command.empty() || fact(reference, check) == fact(subject, check)) continue;
    const auto [a, b] = first_difference(fact(reference, check), fact(subject, check));
    differences.push_back(fmt::format("{}: the reference has {}, the subject {}", check.name,
                                      configs::without_secrets_in(shown(a)), configs::without_secrets_in(shown(b))));
  }
  return differences;
}

std::vector<std::string> differing_logs(const configs::Experiment& experiment, const Facts& reference,
                                        const Facts& subject) {
  std::vector<std::string> differences;
  for (const configs::Check& check : experiment.checks) {
    if (check.patterns.empty() || !is_compared(check, reference, subject)) continue;
    const std::string &a = fact(reference, check), &b = fact(subject, check);
    const auto said = [](const std::string& values) { return values.empty() ? std::string("nothing") : shown(values); };
    if (a.empty() && b.empty()) {
      differences.push_back(fmt::format("{}: its pattern finds no value in either log", check.name));
      continue;
    }
    if (a.empty() || (check.standard ? configs::meaning(a) != configs::meaning(b) : a != b))
      differences.push_back(fmt::format("{}: the log of the reference says {}, that of the subject {}{}", check.name,
                                        said(a), said(b),
                                        configs::is_multiplied(check) ? " (in a step of all devices of an attempt)" : ""));
  }
  return differences;
}

std::vector<std::string> one_sided_logs(const configs::Experiment& experiment, const Facts& reference,
                                        const Facts& subject) {
  std::vector<std::string> lines;
  for (const configs::Check& check : experiment.checks) {
    const std::string &a = fact(reference, check), &b = fact(subject, check);
    if (check.standard && a.empty() != b.empty())
      lines.push_back(fmt::format("{}: only the log of the {} says it: {}", check.name, a.empty() ? "subject" : "reference",
                                  shown(a + b)));
  }
  return lines;
}

bool is_compared(const configs::Check& check, const Facts& reference, const Facts& subject) {
  return !check.standard || (!fact(reference, check).empty() && !fact(subject, check).empty());
}

}  // namespace bisectd::driver
