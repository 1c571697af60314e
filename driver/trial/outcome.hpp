// What the files of an attempt say: its curve, names, notes.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "driver/trial/attempts.hpp"

namespace bisectd::driver {

/// The log of an attempt in `folder`, nothing of it read yet.
read::AttemptLog log_of(const configs::Side& side, const std::filesystem::path& folder,
                        const std::vector<configs::Metric>& metrics, const std::vector<read::NamePattern>& watched,
                        const read::Readings& known);

/// What an ended attempt logged up to its last step, if that was told; it was started with this perturbation (0: none).
judge::Curve logged_curve(const configs::Side& side, const std::filesystem::path& folder,
                          const std::vector<configs::Metric>& metrics, const read::Readings& known, int perturbed,
                          std::optional<std::int64_t> steps);

/// Puts what the attempt logged and left in files into its outcome. `log` is read to its end.
void take_from_files(AttemptOutcome& outcome, const AttemptRequest& request, const std::vector<configs::Metric>& metrics,
                     const read::AttemptLog& log);

}  // namespace bisectd::driver
