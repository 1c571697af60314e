#include "configs/known_batches.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "configs/meaning.hpp"

namespace bisectd::configs {
namespace {

std::string in_one_text(const std::vector<Placed<std::string>>& command) {
  std::string text;
  for (const auto& word : command) text += (text.empty() ? "" : " ") + word.value;
  return text;
}

std::optional<std::string> found_in(const std::string& command, const Check& check) {
  for (const auto& argument : check.arguments) {
    const RE2 pattern(argument.value);
    std::vector<re2::StringPiece> groups(static_cast<std::size_t>(pattern.NumberOfCapturingGroups()) + 1);
    if (pattern.Match(command, 0, command.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size())))
      return std::string(groups[static_cast<std::size_t>(pattern.NamedCapturingGroups().at("value"))]);
  }
  return std::nullopt;
}

std::string times(const std::string& value, int devices) {
  double one = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), one);
  return error == std::errc{} && end == value.data() + value.size() ? fmt::format("{}", one * devices) : value;
}

std::string devices_text(int devices) { return fmt::format("{} device{}", devices, devices == 1 ? "" : "s"); }

}  // namespace

void warn_of_known_differences(const Experiment& experiment, Problems& problems) {
  const Side &reference = experiment.reference, &subject = experiment.subject;
  if (reference.command.empty() || subject.command.empty()) return;
  const std::string there = in_one_text(reference.command), here = in_one_text(subject.command);
  const int devices_there = devices_of_attempt(reference.devices), devices_here = devices_of_attempt(subject.devices);
  bool told = false;
  for (const Check& check : experiment.checks) {
    const auto a = found_in(there, check), b = found_in(here, check);
    if (!a || !b) continue;
    told = told || check.standard || check.per_device;  // the batch: no other standard check has an `argument`
    const std::string all_a = check.per_device ? times(*a, devices_there) : meaning(*a);
    const std::string all_b = check.per_device ? times(*b, devices_here) : meaning(*b);
    const auto text = [&](const std::string& value, const std::string& all, int devices) {
      return check.per_device ? fmt::format("{} x {} = {}", devices_text(devices), value, all) : value;
    };
    if (all_a != all_b)
      problems.warn(
          subject.devices.place,
          fmt::format(
              "checks.{}: the command of the reference says {}, that of the subject {}: these are two different trainings",
              check.name, text(*a, all_a, devices_there), text(*b, all_b, devices_here)));
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
