#include "reports/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/lookup.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
namespace {

using Json = nlohmann::ordered_json;  // keeps the keys in the order written here

Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json line(const Line& curve) {
  Json::array_t values;
  values.reserve(curve.values.size());
  for (const double value : curve.values) values.push_back(number(value));
  return {{"steps", curve.steps}, {"values", std::move(values)}};
}

Json curves(const Record& record) {
  Json others = Json::array();
  for (const OtherMetric& other : record.other_metrics)
    others.push_back({{"metric", other.name},
                      {"reference", line(other.reference)},
                      {"as_is", line(other.as_is)},
                      {"fix", line(other.fix)}});
  return {{"reference", line(record.reference_curve)},
          {"reference_low", line(record.reference_low)},
          {"reference_high", line(record.reference_high)},
          {"as_is", line(record.as_is_curve)},
          {"fix", line(record.fix_curve)},
          {"as_is_difference", line(record.as_is_difference)},
          {"fix_difference", line(record.fix_difference)},
          {"others", std::move(others)}};
}

Json by_standard(const std::optional<ByStandard>& said) {
  if (!said) return nullptr;
  return {{"met", said->met ? Json(*said->met) : Json(nullptr)}, {"text", said->text}};
}

Json suspect(const Record& record, std::size_t id) {
  const Name name = id < record.suspects.size() ? record.suspects[id] : Name{"", "#" + std::to_string(id)};
  return {{"family", name.family}, {"name", name.name}};
}

Json suspects(const Record& record, const std::vector<std::size_t>& ids) {
  Json list = Json::array();
  for (const std::size_t id : ids) list.push_back(suspect(record, id));
  return list;
}

Json causes(const Record& record, const strategies::Answer& answer) {
  Json list = Json::array();
  for (const auto& cause : answer.causes) list.push_back(suspects(record, cause));
  return list;
}

std::string_view kind_word(strategies::Claim::Kind kind) {
  switch (kind) {
    case strategies::Claim::Kind::fix_passes: return "fix_passes";
    case strategies::Claim::Kind::member_needed: return "member_needed";
    case strategies::Claim::Kind::cause_fails: return "cause_fails";
    case strategies::Claim::Kind::cause_minimal: break;
  }
  return "cause_minimal";
}

Json certificate(const Record& record, const strategies::Answer& answer) {
  Json list = Json::array();
  for (const strategies::Claim& claim : answer.certificate) {
    const Trial* trial = shown_by(record, claim);
    list.push_back({{"claim", kind_word(claim.kind)},
                    {"subject", suspects(record, claim.subject)},
                    {"neutralised", members(claim.neutralised)},
                    {"expected", verdict_word(claim.expected)},
                    {"proved", claim.proved},
                    {"trial", trial ? Json(trial->number) : Json(nullptr)},
                    {"delta", trial ? number(trial->delta) : Json(nullptr)}});
  }
  return list;
}

Json descent(const Record& record) {
  if (!record.descent) return nullptr;
  const Descent& descent = *record.descent;
  return {{"opened", suspects(record, descent.opened)},
          {"suspects", suspects(record, descent.suspects)},
          {"first_trial", descent.first_trial},
          {"first_causes", causes(record, descent.before)},
          {"first_certificate", certificate(record, descent.before)},
          {"stayed", descent.stayed}};
}

Json all_suspects(const Record& record) {
  Json list = Json::array();
  for (std::size_t id = 0; id < record.suspects.size(); ++id) {
    Json one = suspect(record, id);
    one["guilt"] = id < record.answer.guilt.size() ? number(record.answer.guilt[id]) : Json(nullptr);
    list.push_back(std::move(one));
  }
  return list;
}

Json no_effect(const Record& record) {
  Json list = Json::array();
  for (const NoEffect& entry : record.no_effect) {
    Json one = suspect(record, entry.suspect);
    one["why"] = entry.why;
    list.push_back(std::move(one));
  }
  return list;
}

Json ladder(const Ladder& one) {
  Json values = Json::array();
  for (const Rung& rung : one.rungs)
    values.push_back({{"value", rung.value},
                      {"trial", rung.trial},
                      {"verdict", verdict_word(rung.verdict)},
                      {"delta", number(rung.delta)}});
  const auto value = [&](std::size_t index) { return one.rungs.at(index).value; };
  return {{"family", one.family},
          {"alone", one.alone},
          {"values", std::move(values)},
          {"window", one.window ? Json{{"from", value(one.window->first)},
                                       {"to", value(one.window->last)},
                                       {"recommended", value(one.window->taken)}}
                                : Json(nullptr)}};
}

Json ladders(const Record& record) {
  Json list = Json::array();
  for (const Ladder& one : record.ladders) list.push_back(ladder(one));
  return list;
}

Json other_fixes(const Record& record) {
  Json list = Json::array();
  for (const OtherFix& fix : record.other_fixes)
    list.push_back({{"neutralised", suspects(record, fix.neutralised)},
                    {"trial", fix.trial},
                    {"verdict", verdict_word(fix.verdict)},
                    {"delta", number(fix.delta)},
                    {"step_time_s", number(fix.step_time_s)}});
  return list;
}

Json pruned(const Record& record) {
  if (!record.pruned) return nullptr;
  const Pruned& one = *record.pruned;
  Json kept = Json::array();
  for (const Kept& entry : one.kept)
    kept.push_back({{"family", entry.family},
                    {"name", entry.name},
                    {"needed_by", entry.needed_by.empty() ? Json(nullptr) : Json(entry.needed_by)}});
  return {{"answered", one.answered},
          {"needed", suspects(record, one.needed)},
          {"no_longer_needed", suspects(record, one.over)},
          {"kept", std::move(kept)},
          {"step_time_s", {{"in_use", number(one.in_use_step_time_s)}, {"needed", number(one.needed_step_time_s)}}}};
}

Json workaround(const Record& record) {
  Json environment = Json::array();
  for (const auto& [name, value] : record.workaround) environment.push_back({{"name", name}, {"value", value}});
  Json config = Json::array();
  for (const auto& [file, key, value] : record.workaround_config)
    config.push_back({{"file", file}, {"key", key}, {"value", value}});
  return {{"environment", std::move(environment)},
          {"unset", record.workaround_unset},
          {"arguments", record.workaround_arguments},
          {"config", std::move(config)}};
}

Json attempt(const Attempt& one) {
  return {{"folder", one.folder},
          {"exit", one.text},
          {"started_s", number(one.started_s)},
          {"duration_s", number(one.duration_s)},
          {"device", one.device},
          {"last_step", one.last_step ? Json(*one.last_step) : Json(nullptr)},
          {"last_value", number(one.last_value)},
          {"perturbed", one.perturbed},
          {"perturbation", one.perturbation},
          {"curve", line(one.curve)}};
}

Json decided_by(const Trial& one) {
  if (!one.decided_by) return nullptr;
  return {{"metric", one.decided_by->metric}, {"delta", number(one.decided_by->delta)}};
}

Json trial(const Trial& one) {
  Json attempts = Json::array();
  for (const Attempt& each : one.attempts) attempts.push_back(attempt(each));
  return {{"number", one.number},
          {"role", name_of(one.role)},
          {"neutralised", one.neutralised},
          {"running", one.running},
          {"verdict", one.running || is_measured_only(one) ? Json(nullptr) : Json(verdict_word(one.verdict))},
          {"reason", one.reason},
          {"text", one.text},
          {"delta", number(one.delta)},
          {"standard_error", number(one.standard_error)},
          {"comparable_until", one.comparable_until ? Json(*one.comparable_until) : Json(nullptr)},
          {"decided_by", decided_by(one)},
          {"p_bad", number(one.p_bad)},
          {"notes", one.notes},
          {"attempts", std::move(attempts)}};
}

Json deviations(const Record& record) {
  Json all = Json::array();
  for (const strategies::Deviation& each : harmless_deviations(record)) {
    Json one = suspect(record, each.suspect);
    one["size"] = number(each.size);
    all.push_back(std::move(one));
  }
  return all;
}

Json reproductions(const Record& record) {
  Json all = Json::array();
  for (const Reproduction& one : record.reproductions)
    all.push_back({{"cause", suspects(record, one.cause)}, {"trial", one.trial}, {"script", one.script}});
  return all;
}

Json signature_groups(const Record& record) {
  Json all = Json::array();
  for (const SignatureGroup& group : record.signature_groups) {
    Json causes = Json::array(), of_some = Json::array(), steps = Json::array();
    if (record.outcome == Outcome::culprits) {
      for (const std::size_t cause : group.causes) causes.push_back(suspects(record, record.answer.causes.at(cause)));
      for (const std::size_t cause : group.causes_of_some)
        of_some.push_back(suspects(record, record.answer.causes.at(cause)));
    }
    for (const double step : group.steps) steps.push_back(number(step));
    all.push_back({{"trials", group.trials},
                   {"active_causes", std::move(causes)},
                   {"causes_of_some", std::move(of_some)},
                   {"size", number(group.size)},
                   {"steps", std::move(steps)}});
  }
  return all;
}

Json all_but_trials(const Record& record) {
  const strategies::Answer& answer = record.answer;
  const bool accused = record.outcome == Outcome::culprits;
  const auto as_it_is = [](std::string_view text) { return std::string(text); };
  return {// For scripts, fixed for good.
          {"schema_version", kSchemaVersion},
          {"outcome", outcome_word(record.outcome)},
          {"culprit_set", accused ? suspects(record, answer.culprit_set) : Json::array()},
          {"causes", accused ? causes(record, answer) : Json::array()},
          {"confidence", number(answer.confidence)},
          {"trials", record.trials.size()},
          {"attempts", attempt_count(record)},
          // The rest of the record.
          {"verdict", verdict_sentence(record, as_it_is)},
          {"finished", record.finished},
          {"program_version", record.program_version},
          {"experiment", {{"name", record.experiment}, {"file", record.experiment_file}}},
          {"run_folder", record.run_folder},
          {"started_utc", record.started_utc},
          {"elapsed_s", number(record.elapsed_s)},
          {"metric", record.metric},
          {"goal", record.must_run_to ? "runs" : "agrees"},
          {"target", number(record.target)},
          {"references", record.references},
          {"noise", number(record.noise)},
          {"comparable_until", comparable_end(record) ? Json(*comparable_end(record)) : Json(nullptr)},
          {"certificate", certificate(record, answer)},
          {"descent", descent(record)},
          {"not_neutralisable", suspects(record, answer.not_neutralisable)},
          {"explanation", explanation_text(record, as_it_is)},
          {"trials_left", {{"low", number(answer.trials_left_low)}, {"high", number(answer.trials_left_high)}}},
          {"suspects", all_suspects(record)},
          {"no_effect", no_effect(record)},
          {"ladders", ladders(record)},
          {"workaround", workaround(record)},
          {"step_time_s",
           {{"as_is", number(record.as_is_step_time_s)},
            {"fix", number(record.fix_step_time_s)},
            {"limit", number(record.step_time_limit)},
            {"error", number(record.step_time_error)}}},
          {"by_standard", {{"as_is", by_standard(record.as_is_by_standard)}, {"fix", by_standard(record.fix_by_standard)}}},
          {"other_fixes", other_fixes(record)},
          {"pruned", pruned(record)},
          {"versions", record.versions},
          {"advice", record.advice},
          {"changes", record.changes},
          {"held", record.held},
          {"agreed_checks", record.agreed_checks},
          {"reproductions", reproductions(record)},
          {"warnings", record.warnings},
          {"harmless_deviations", deviations(record)},
          {"signature_groups", signature_groups(record)},
          {"curves", curves(record)}};
}

std::string text(const Json& value) { return value.dump(-1, ' ', true, Json::error_handler_t::replace); }

// A list with one element a line. Elements become JSON values one at a time: all curves of a night as one value take
// twice as long.
template <class List, class ToJson>
std::string lines(const List& list, ToJson to_value) {
  std::string result = "[";
  for (const auto& element : list) result += (result.size() > 1 ? ",\n    " : "\n    ") + text(to_value(element));
  return result + "\n  ]";
}

}  // namespace

std::string to_json(const Record& record) {
  const auto as_it_is = [](const Json& value) -> const Json& { return value; };
  const Json all = all_but_trials(record);
  std::string result = "{";
  for (const auto& [key, value] : all.items()) {
    const bool list = value.is_array() && !value.empty() && value.front().is_object();
    result += "\n  " + text(key) + ": " + (list ? lines(value, as_it_is) : text(value)) + ",";
  }
  return result + "\n  \"trial_list\": " + lines(record.trials, trial) + "\n}\n";
}

}  // namespace bisectd::reports
