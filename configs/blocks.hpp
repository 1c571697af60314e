// The blocks of an experiment file, each read from its Value. What a block says about another one is checked later
// (consistency.hpp). Internal to this room.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "configs/problems.hpp"
#include "configs/value.hpp"

namespace bisectd::configs {

Reference read_reference(const Value& block, Problems& problems);
Side read_subject(const Value& block, Problems& problems);
/// Needs the side's devices and times; sets `slurm`, and a timeout that fits into a job.
void read_launch(const Value& launch, const std::string& what, Side& side, Problems& problems);
/// Empty for the word `none`.
std::optional<Perturbation> read_perturbation(const Value& block, const std::string& what, Problems& problems);
std::optional<Alignment> read_alignment(const Value& block, Problems& problems);
/// Empty for the word `none`.
std::optional<OverflowCheck> read_overflow_check(const Value& block, Problems& problems);
std::vector<Metric> read_metrics(const Value& block, Problems& problems);
Acceptance read_acceptance(const Value& block, Problems& problems);
/// The block `standard_checks`: what a preset knows how to compare.
std::vector<Check> read_standard_checks(const Value& block, Problems& problems);
/// The file's own, then those of the standard ones that it asks for.
std::vector<Check> read_checks(const Value& block, const std::vector<Check>& standard, Problems& problems);

/// By which variables a preset holds what.
struct HoldMeans {
  std::map<std::string, std::string> seed, deterministic;
};
HoldMeans read_hold_means(const Value& block, Problems& problems);
Hold read_hold(const Value& block, const HoldMeans& means, Problems& problems);

SearchSettings read_search(const Value& block, Problems& problems);
std::map<std::string, VersionSource> read_versions(const Value& block, Problems& problems);
std::map<std::string, Family> read_families(const Value& block, Problems& problems);
/// Needs the families, for the names that exist.
std::map<std::string, Selection> read_suspects(const Value& block, const std::map<std::string, Family>& families,
                                               Problems& problems);

/// A list of names, none of them twice, at least one.
std::vector<Placed<std::string>> read_member_names(const Value& value, const std::string& what, Problems& problems);

/// NAME: value pairs of environment variables; values are scalars, kept exactly as written.
std::map<std::string, Placed<std::string>> read_environment(const Value& block, const std::string& what, Problems& problems);
/// Whether a path is relative and stays in the folder it is relative to.
bool lies_in_folder(const std::string& path);
/// A problem if the text is no name for an environment variable, or one of bisectd's own.
void check_variable_name(const std::string& name, const Place& place, Problems& problems);

}  // namespace bisectd::configs
