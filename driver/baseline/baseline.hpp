// Recorded runs: a small JSON file for version control, one line per step, that can be the reference of later runs, here or
// on another machine. `accept` writes one of a finished run, `record` of the trusted side alone.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/judge/curve.hpp"

namespace bisectd::driver {

/// Why a file is no baseline, or not the right one: one sentence.
class BadBaseline : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Baseline {
  std::string model;   ///< name of the experiments it is for
  std::string metric;  ///< the one that decides
  std::string made_utc;
  bool recorded = false;        ///< by `record`: versions are those of the trusted side
  std::optional<double> noise;  ///< run-to-run standard deviation of the level
  std::map<std::string, std::string> versions;
  std::map<std::string, std::string> facts;  ///< what each check of the experiment said then, by its name
  std::vector<judge::Curve> runs;            ///< distinct ones, at least one; all that was logged
  int identical = 0;                         ///< further runs that gave the same bits
};

/// The file's text: ASCII, keys and steps in a fixed order, ends in a digest over all the rest.
std::string baseline_text(const Baseline& baseline);

/// Throws BadBaseline for text that is no baseline, is damaged, or was written by a newer bisectd.
Baseline parse_baseline(const std::string& text);

/// Whether a file's first bytes say that it is meant as a baseline.
bool looks_like_baseline(const std::filesystem::path& file);

/// Adds runs: distinct ones once, the others counted.
void add_runs(Baseline& baseline, const std::vector<judge::Curve>& curves);

/// The runs as curves for the judge; bit-identical repeats count again, because they show that there is no noise.
std::vector<judge::Curve> curves_of(const Baseline& baseline);

}  // namespace bisectd::driver
