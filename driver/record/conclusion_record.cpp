#include "driver/record/conclusion_record.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "driver/keep/whole_number.hpp"
#include "driver/trial/set_of.hpp"
#include "driver/trial/trial_plan.hpp"
#include "reports/verdict_words.hpp"

namespace bisectd::driver {
namespace {

using nlohmann::json;
using strategies::Answer;
using strategies::Claim;
using strategies::Hindrance;
using strategies::State;
using strategies::Verdict;

/// A word for each value; the journal holds words, so that values can be added without changing old ones.
template <class Value, std::size_t n>
using Words = std::array<std::pair<Value, const char*>, n>;

constexpr Words<State, 6> kStates{{{State::searching, "searching"},
                                   {State::aligned, "aligned"},
                                   {State::outside_suspects, "outside"},
                                   {State::proved, "proved"},
                                   {State::contradictory, "contradictory"},
                                   {State::stuck, "stuck"}}};
constexpr Words<Hindrance, 9> kHindrances{{{Hindrance::none, "none"},
                                           {Hindrance::noise, "noise"},
                                           {Hindrance::crashes, "crashes"},
                                           {Hindrance::outage, "outage"},
                                           {Hindrance::harm, "harm"},
                                           {Hindrance::change, "change"},
                                           {Hindrance::devices, "devices"},
                                           {Hindrance::watched, "watched"},
                                           {Hindrance::control, "control"}}};
constexpr Words<Claim::Kind, 4> kKinds{{{Claim::Kind::fix_passes, "fix-passes"},
                                        {Claim::Kind::member_needed, "member-needed"},
                                        {Claim::Kind::cause_fails, "cause-fails"},
                                        {Claim::Kind::cause_minimal, "cause-minimal"}}};

template <class Value, std::size_t n>
const char* word_of(const Words<Value, n>& words, Value value) {
  const auto found = std::ranges::find(words, value, &std::pair<Value, const char*>::first);
  if (found == words.end()) throw std::logic_error("a value that no conclusion has");
  return found->second;
}

template <class Value, std::size_t n>
Value value_of(const Words<Value, n>& words, const std::string& word) {
  for (const auto& [value, name] : words)
    if (word == name) return value;
  throw std::invalid_argument("unknown word: " + word);
}

/// Of a run that came to its end; the others are of one that has not.
bool is_a_conclusion(reports::Outcome outcome) {
  return outcome != reports::Outcome::unfinished && outcome != reports::Outcome::infrastructure;
}

json json_of(const Answer& answer) {
  json claims = json::array();
  for (const Claim& claim : answer.certificate)
    claims.push_back({{"kind", word_of(kKinds, claim.kind)},
                      {"subject", claim.subject},
                      {"neutralised", set_key(claim.neutralised)},
                      {"passes", claim.expected == Verdict::pass},
                      {"bits", claim.bits},
                      {"proved", claim.proved},
                      {"own_trial", claim.own_trial}});
  json deviations = json::array();
  for (const strategies::Deviation& one : answer.harmless_deviations) deviations.push_back({one.suspect, one.size});
  return {{"state", word_of(kStates, answer.state)},
          {"culprit_set", answer.culprit_set},
          {"causes", answer.causes},
          {"certificate", std::move(claims)},
          {"not_neutralisable", answer.not_neutralisable},
          {"excluded", answer.excluded},
          {"harmless_deviations", std::move(deviations)},
          {"confidence", answer.confidence},
          {"guilt", answer.guilt},
          {"left", {answer.trials_left_low, answer.trials_left_high}},
          {"hindrance", word_of(kHindrances, answer.hindrance)},
          {"explanation", answer.explanation}};
}

Answer answer_in(const json& from) {
  Answer answer;
  answer.state = value_of(kStates, from.at("state").get<std::string>());
  answer.culprit_set = keep::whole_numbers(from.at("culprit_set"));
  for (const json& cause : from.at("causes")) answer.causes.push_back(keep::whole_numbers(cause));
  for (const auto& one : from.at("certificate")) {
    Claim claim;
    claim.kind = value_of(kKinds, one.at("kind").get<std::string>());
    claim.subject = keep::whole_numbers(one.at("subject"));
    claim.neutralised = strategies::Neutralised(set_of(one.at("neutralised").get<std::string>()));
    claim.expected = one.at("passes").get<bool>() ? Verdict::pass : Verdict::fail;
    claim.bits = one.at("bits").is_null() ? 0 : one.at("bits").get<double>();
    one.at("proved").get_to(claim.proved);
    claim.own_trial =
        one.value("own_trial", claim.kind == Claim::Kind::fix_passes || claim.kind == Claim::Kind::cause_minimal);
    answer.certificate.push_back(std::move(claim));
  }
  answer.not_neutralisable = keep::whole_numbers(from.at("not_neutralisable"));
  answer.excluded = keep::whole_numbers(from.value("excluded", json::array()));
  for (const json& one : from.value("harmless_deviations", json::array()))
    answer.harmless_deviations.push_back({keep::whole_number(one.at(0)), one.at(1)});
  from.at("confidence").get_to(answer.confidence);
  from.at("guilt").get_to(answer.guilt);
  from.at("left").at(0).get_to(answer.trials_left_low);
  from.at("left").at(1).get_to(answer.trials_left_high);
  answer.hindrance = value_of(kHindrances, from.value("hindrance", "none"));
  from.at("explanation").get_to(answer.explanation);
  return answer;
}

}  // namespace

json json_of_conclusion(const Conclusion& conclusion) {
  if (!is_a_conclusion(conclusion.outcome)) throw std::logic_error("an outcome that no conclusion has");
  json no_effect = json::array(), config = json::array();
  for (const auto& [file, key, value] : conclusion.workaround_config) config.push_back(json::array({file, key, value}));
  for (const reports::NoEffect& entry : conclusion.no_effect) no_effect.push_back(json::array({entry.suspect, entry.why}));
  return {{"outcome", reports::outcome_word(conclusion.outcome)},
          {"answer", json_of(conclusion.answer)},
          {"advice", conclusion.advice},
          {"warnings", conclusion.warnings},
          {"agreed_checks", conclusion.agreed_checks},
          {"no_effect", std::move(no_effect)},
          {"workaround", conclusion.workaround},
          {"workaround_unset", conclusion.workaround_unset},
          {"workaround_arguments", conclusion.workaround_arguments},
          {"workaround_config", std::move(config)}};
}

Conclusion conclusion_in(const json& from) {
  Conclusion conclusion;
  conclusion.outcome = reports::outcome_of(from.at("outcome").get<std::string>());
  if (!is_a_conclusion(conclusion.outcome)) throw std::invalid_argument("an outcome that no conclusion has");
  conclusion.answer = answer_in(from.at("answer"));
  conclusion.advice = from.at("advice");
  from.at("warnings").get_to(conclusion.warnings);
  conclusion.agreed_checks = from.value("agreed_checks", std::vector<std::string>{});
  for (const json& entry : from.at("no_effect")) conclusion.no_effect.push_back({entry.at(0), entry.at(1)});
  from.at("workaround").get_to(conclusion.workaround);
  from.at("workaround_unset").get_to(conclusion.workaround_unset);
  from.at("workaround_arguments").get_to(conclusion.workaround_arguments);
  for (const json& entry : from.value("workaround_config", json::array()))
    conclusion.workaround_config.push_back({entry.at(0), entry.at(1), entry.at(2)});
  return conclusion;
}

}  // namespace bisectd::driver
