// What was read of a log that was brought, said in one line and as JSON, so that a wrong reading is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "driver/judge/verdict.hpp"
#include "driver/read/attempt_log.hpp"

namespace bisectd::driver::commands {

/// One metric of one log.
struct LogRead {
  std::string file;
  std::string metric;  ///< as the log calls it
  std::size_t values = 0;
  std::int64_t first_step = 0, last_step = 0;  ///< of the values, where there are any
  std::string like;                            ///< the first line that was read; empty where a format or a pattern says how
  std::vector<std::pair<std::size_t, std::string>> left_out;  ///< lines, "of validation"
  std::string said;                                           ///< all of it; foreign text
};

/// Of each metric that was asked for.
std::vector<LogRead> logs_read(const std::string& file, const read::AttemptLog& log,
                               const std::vector<judge::MetricRule>& metrics);

std::string text_of(const std::vector<LogRead>& logs);
nlohmann::json json_of(const std::vector<LogRead>& logs);

}  // namespace bisectd::driver::commands
