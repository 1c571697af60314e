#include "driver/checks/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "driver/launch/run_to_end.hpp"
#include "driver/read/clean.hpp"
#include "driver/read/logged_values.hpp"
#include "driver/trial/attempt_files.hpp"

namespace bisectd::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostValues = 20;
constexpr std::size_t kShown_bytes = 200;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  boost::trim(text);
  return text;
}

std::string shown(const std::string& text) { return "'" + read::for_display(text, kShown_bytes) + "'"; }

std::string output_of(const configs::Check& check, const LaunchSide& side, const std::string& side_name,
                      launch::Launcher& launcher, const fs::path& folder, const std::string& tag) {
  launch::Job job;
  for (const configs::Placed<std::string>& word : check.command) job.command.push_back(word.value);
  job.environment = side.environment;
  job.directory = side.directory;
  job.stdout_file = folder / fmt::format("{}-{}.txt", check.name, side_name);
  job.stderr_file = folder / fmt::format("{}-{}.stderr.txt", check.name, side_name);
  job.tag = tag;
  if (const auto well = launch::run_well(launcher, job, side.settings->timeout); !well) {
    const std::string said = text_of(job.stderr_file);
    throw std::runtime_error(fmt::format("the check {} failed on the side of the {}: {}{}", check.name, side_name, well.error(),
                                         said.empty() ? "" : ": " + read::for_display(said, kShown_bytes)));
  }
  return text_of(job.stdout_file);
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

std::vector<fs::path> logs_of(const configs::Side& side, const fs::path& attempt) {
  if (side.log) return {attempt / *side.log};
  return {stdout_file(attempt), stderr_file(attempt)};
}

}  // namespace

std::vector<std::string> differing_commands(const configs::Experiment& experiment, const Sides& sides,
                                            launch::Launcher& launcher, const fs::path& folder, const std::string& tag) {
  std::vector<std::string> differences;
  for (const configs::Check& check : experiment.checks) {
    if (check.command.empty()) continue;
    fs::create_directories(folder);
    const std::string reference = output_of(check, sides.reference, "reference", launcher, folder, tag);
    const std::string subject = output_of(check, sides.subject, "subject", launcher, folder, tag);
    if (reference == subject) continue;
    const auto [a, b] = first_difference(reference, subject);
    differences.push_back(fmt::format("{}: the reference has {}, the subject {}", check.name, shown(a), shown(b)));
  }
  return differences;
}

std::vector<std::string> differing_logs(const configs::Experiment& experiment, const fs::path& reference,
                                        const fs::path& subject) {
  std::vector<std::string> differences;
  const std::vector<fs::path> trusted = experiment.reference.curve ? std::vector<fs::path>{experiment.reference.curve->value}
                                                                   : logs_of(experiment.reference, reference);
  for (const configs::Check& check : experiment.checks) {
    if (!check.pattern) continue;
    const auto a = read::logged_values(trusted, check.pattern->value, kMostValues);
    const auto b = read::logged_values(logs_of(experiment.subject, subject), check.pattern->value, kMostValues);
    const auto said = [](const std::vector<std::string>& values) {
      return values.empty() ? std::string("nothing") : shown(fmt::format("{}", fmt::join(values, ", ")));
    };
    if (a.empty() || a != b)
      differences.push_back(fmt::format("{}: the log of the reference says {}, that of the subject {}", check.name,
                                        said(a), said(b)));
  }
  return differences;
}

}  // namespace bisectd::driver
