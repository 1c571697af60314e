#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "configs/consistency.hpp"
#include "configs/meaning.hpp"

namespace bisectd::configs {
namespace {

std::string in_one_text(const std::vector<Placed<std::string>>& command) {
  std::string text;
  for (const auto& word : command) text += (text.empty() ? "" : " ") + word.value;
  return text;
}

/// What the first of the patterns that fits has found.
std::optional<std::string> found_by(const std::vector<Placed<std::string>>& patterns, const std::string& command) {
  for (const auto& one : patterns) {
    const RE2 pattern(one.value);
    std::vector<re2::StringPiece> groups(static_cast<std::size_t>(pattern.NumberOfCapturingGroups()) + 1);
    if (pattern.Match(command, 0, command.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size())))
      return std::string(groups[static_cast<std::size_t>(pattern.NamedCapturingGroups().at("value"))]);
  }
  return std::nullopt;
}

std::string devices_text(int devices) { return fmt::format("{} device{}", devices, devices == 1 ? "" : "s"); }

/// What a command says of a check.
struct Said {
  std::string meant;  ///< to be compared
  std::string text;   ///< how it comes about
};

std::optional<Said> said_by(const std::string& command, const Check& check, int devices) {
  const auto value = found_by(check.arguments, command);
  if (!value) return std::nullopt;
  const auto number = number_in(*value);
  if (!number || !is_multiplied(check)) return Said{meaning(*value), *value};
  const double factor = number_in(found_by(check.factors, command).value_or("1")).value_or(1);
  const double all = *number * factor * (check.per_device ? devices : 1);
  std::string text = check.per_device ? devices_text(devices) + " x " + *value : *value;
  if (factor != 1) text += fmt::format(" x {}", factor);
  return Said{fmt::format("{}", all), fmt::format("{} = {}", text, all)};
}

}  // namespace

void warn_of_known_differences(const Experiment& experiment, Problems& problems) {
  const Side &reference = experiment.reference, &subject = experiment.subject;
  if (reference.command.empty() || subject.command.empty()) return;
  const std::string there = in_one_text(reference.command), here = in_one_text(subject.command);
  const int devices_there = devices_of_attempt(reference.devices), devices_here = devices_of_attempt(subject.devices);
  bool told = false;  // of the batch
  for (const Check& check : experiment.checks) {
    const auto a = said_by(there, check, devices_there), b = said_by(here, check, devices_here);
    if (!a || !b) continue;
    told = told || check.per_device || check.name.find("batch") != std::string::npos;
    if (a->meant != b->meant)
      problems.warn(
          subject.devices.place,
          fmt::format(
              "checks.{}: the command of the reference says {}, that of the subject {}: these are two different trainings",
              check.name, a->text, b->text));
  }
  if (!told && devices_there != devices_here && std::ranges::any_of(experiment.checks, &Check::standard))
    problems.warn(
        subject.devices.place,
        fmt::format(
            "an attempt of the reference trains on {}, one of the subject on {}; what all of them train on in one step "
            "must be the same on both sides",
            devices_text(devices_there), devices_text(devices_here)));
}

}  // namespace bisectd::configs
