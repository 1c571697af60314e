// What a run came to, as its journal keeps it: the answer of the search, and what followed from it and cannot be derived
// again, because the environment of the subject is gone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reports/record.hpp"

namespace bisectd::driver {

struct Conclusion {
  reports::Outcome outcome = reports::Outcome::unfinished;
  strategies::Answer answer;
  std::string advice;
  std::vector<std::string> warnings, agreed_checks;
  std::vector<reports::NoEffect> no_effect;  ///< ids of those that are always on are behind those of the catalogue
  std::vector<std::pair<std::string, std::string>> workaround;
  std::vector<std::string> workaround_unset, workaround_arguments;
  std::vector<reports::ConfigSetting> workaround_config;
};

nlohmann::json json_of_conclusion(const Conclusion& conclusion);

/// Inverse. Throws nlohmann::json::exception or std::invalid_argument for what cannot be one.
Conclusion conclusion_in(const nlohmann::json& from);

}  // namespace bisectd::driver
