#include "driver/align/odds_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "configs/file_bytes.hpp"
#include "configs/loader.hpp"
#include "driver/align/dump_comparison.hpp"
#include "driver/align/spreadsheet.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/keep/whole_number.hpp"
#include "driver/read/json_fault.hpp"

namespace bisectd::driver::align {

namespace {

using configs::Hint;
using nlohmann::json;

constexpr const char* kKinds = "it is the align.json of `bisectd align`, or what `msprobe compare` writes (CSV or xlsx)";
constexpr const char* kCompoundFile = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";  ///< [MS-CFB] 2.2, what such files begin with
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;             ///< half a million tensors with their stacks

/// The module itself, and the operators that compute what its class does.
void add_module(std::vector<Hint>& hints, const json& module, bool backward, double odds) {
  hints.push_back({.name = module.at("module"), .computes = false, .backward = backward, .odds = odds});
  hints.push_back({.name = module.at("class"), .computes = true, .backward = backward, .odds = odds});
}

/// A function is computed by the module that called it.
void add_first(std::vector<Hint>& hints, const json& first, bool backward) {
  add_module(hints, first, backward, kOddsOfFirst);
  if (const auto caller = first.find("caller"); caller != first.end() && caller->is_string())
    hints.push_back({.name = *caller, .computes = false, .backward = backward, .odds = kOddsOfFirst});
}

bool is_off(const json& error) { return error.is_object() && error.at("off").get<bool>(); }

/// What got a wrong input that no module returned got it from what only the subject calls, as like as not.
void add_strangers(std::vector<Hint>& hints, const json& result) {
  if (!result.at("forward").value("inherited", false)) return;
  for (const std::string stranger : result.at("only_subject")) {
    const std::string name = stranger.substr(0, stranger.find(" ("));  // "gelu (3 calls against 2)"
    hints.push_back({.name = name, .computes = false, .backward = false, .odds = kOddsOfFirst});
    hints.push_back({.name = name.substr(name.rfind('.') + 1), .computes = true, .backward = false, .odds = kOddsOfFirst});
  }
}

std::vector<Hint> hints_in_result(const json& result) {
  std::vector<Hint> hints;
  const json &forward = result.at("forward"), &backward = result.at("backward");
  if (forward.is_object()) {
    add_first(hints, forward, false);
    add_strangers(hints, result);
  }
  if (backward.is_object()) add_first(hints, backward, true);
  for (const json& module : result.at("modules")) {
    if (forward.is_object() && is_off(module.at("output")) && !is_off(module.at("input")))
      add_module(hints, module, false, kOddsOfOthers);
    const bool gradient_off = is_off(module.at("input_gradient")) || is_off(module.at("parameter_gradient"));
    if (backward.is_object() && gradient_off && !is_off(module.at("output_gradient")))
      add_module(hints, module, true, kOddsOfOthers);
  }
  return hints;
}

json whole(const std::string& text) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    throw std::invalid_argument("this is no whole result of `bisectd align`: " + read::json_fault(text, error));
  }
}

DumpFindings findings_in(const std::string& file) {
  const std::string start = configs::bytes_in(file, std::string_view(kCompoundFile).size());
  if (is_zip(start)) return findings_in_dump_spreadsheet(file);
  if (start == kCompoundFile)
    throw std::invalid_argument(
        "this is a spreadsheet of the old kind (.xls) or one with a password; save it as .xlsx without");
  const std::string text = keep::read_file(file);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') return findings_in_dump_comparison(text);
  if (text.starts_with(R"({"bisectd":"align",)") || text.starts_with(R"({"perturbed")"))
    throw std::invalid_argument("this is a recording of one side, compared with nothing yet");
  const json result = whole(text);
  if (!result.is_object() || result.value("bisectd", "") != "align-result")
    throw std::invalid_argument("this is no result of `bisectd align`");
  if (keep::whole_number<int>(result.at("version")) > 1) throw std::invalid_argument("it was written by a newer bisectd");
  if (result.at("verdict") == "unequal")
    throw std::invalid_argument("the sides did not start alike, so it says nothing of modules");
  return {.hints = hints_in_result(result), .remark = {}};
}

[[noreturn]] void refuse_odds(const configs::Placed<std::string>& file, const std::string& why,
                              const std::string& hint = kKinds) {
  throw configs::ConfigError({{file.place, fmt::format("`likely.from`: {}: {}", file.value, why), hint}});
}

/// Judged by its size, before it is read.
void require_readable(const configs::Placed<std::string>& file) {
  std::error_code unknown;
  if (const auto size = std::filesystem::file_size(file.value, unknown); !unknown && size > kMostBytes)
    refuse_odds(file, fmt::format("it has {} MB, and more than {} MB are not read", size >> 20, kMostBytes >> 20));
}

}  // namespace

void read_odds_files(configs::Experiment& experiment) {
  for (auto& [name, selection] : experiment.suspects) {
    if (!selection.likely_from) continue;
    require_readable(*selection.likely_from);
    try {
      DumpFindings findings = findings_in(selection.likely_from->value);
      selection.hints = std::move(findings.hints);
      if (!findings.remark.empty())
        experiment.warnings.push_back(
            {fmt::format("{}: {}", selection.likely_from->value, findings.remark), selection.likely_from->place});
    } catch (const std::system_error& error) {
      refuse_odds(*selection.likely_from, error.code().message());
    } catch (const json::exception& error) {
      refuse_odds(*selection.likely_from, "this is no whole result of `bisectd align`: " + read::json_fault("", error));
    } catch (const std::invalid_argument& error) {
      refuse_odds(*selection.likely_from, error.what());
    }
    if (selection.hints.empty())
      experiment.warnings.push_back(
          {fmt::format("{}: nothing deviates there, so it tells no odds", selection.likely_from->value),
           selection.likely_from->place});
  }
}

}  // namespace bisectd::driver::align
