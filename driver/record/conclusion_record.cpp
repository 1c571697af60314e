#include "driver/record/conclusion_record.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "driver/trial/journaled.hpp"

namespace bisectd::driver {

BOOST_DESCRIBE_STRUCT(Conclusion, (),
                      (outcome, answer, advice, warnings, agreed_checks, no_effect, workaround, workaround_unset,
                       workaround_arguments, workaround_config))

namespace {

/// Of a run that came to its end; the others are of one that has not.
bool is_a_conclusion(reports::Outcome outcome) {
  return outcome != reports::Outcome::unfinished && outcome != reports::Outcome::infrastructure;
}

}  // namespace

nlohmann::json json_of_conclusion(const Conclusion& conclusion) {
  if (!is_a_conclusion(conclusion.outcome)) throw std::logic_error("an outcome that no conclusion has");
  return keep::written(conclusion);
}

Conclusion conclusion_in(const nlohmann::json& from) {
  Conclusion conclusion = keep::read_as<Conclusion>(from);
  if (!is_a_conclusion(conclusion.outcome)) throw std::invalid_argument("an outcome that no conclusion has");
  return conclusion;
}

}  // namespace bisectd::driver
