#include "reports/lookup.hpp"

#include <algorithm>
#include <numeric>

namespace bisectd::reports {

bool is_measured_only(const Trial& trial) { return !trial.running && trial.reason == "measured"; }

bool judges_subject(const Trial& trial) {
  return !trial.running && !is_measured_only(trial) && traits_of(trial.role).speaks != Speaks::of_nothing;
}

const Trial* judged_trial(const Record& record, Role role) {
  const Trial* last = nullptr;
  for (const Trial& trial : record.trials)
    if (!trial.running && trial.role == role) last = &trial;
  return last;
}

const Trial* as_is_trial(const Record& record) {
  const Trial *any = nullptr, *best = nullptr;
  const auto decided = record.outcome == Outcome::aligned ? strategies::Verdict::pass : strategies::Verdict::fail;
  for (const Trial& trial : record.trials) {
    if (trial.running || trial.role != Role::as_is) continue;
    any = &trial;
    if (trial.verdict == decided) best = &trial;
  }
  const bool is_decided = record.outcome == Outcome::aligned || record.outcome == Outcome::culprits ||
                          record.outcome == Outcome::outside_suspects;
  return is_decided && best ? best : any;
}

const Trial* judged_trial(const Record& record, const std::vector<std::size_t>& ids,
                          std::optional<strategies::Verdict> wanted) {
  const Trial* any = nullptr;
  const Trial* best = nullptr;
  for (const Trial& trial : record.trials) {
    if (!judges_subject(trial) || traits_of(trial.role).speaks != Speaks::of_set || trial.neutralised != ids) continue;
    any = &trial;
    if (trial.verdict == wanted) best = &trial;
  }
  return best ? best : any;
}

const Trial* shown_by(const Record& record, const strategies::Claim& claim) {
  return judged_trial(record, members(claim.neutralised), claim.proved ? std::optional(claim.expected) : std::nullopt);
}

const Attempt* attempt_to_run_again(const Trial& trial) {
  const Attempt* again = trial.attempts.empty() ? nullptr : &trial.attempts.back();
  for (const Attempt& attempt : trial.attempts)
    if (attempt.perturbed == 0) again = &attempt;
  return again;
}

bool stands(const strategies::Answer& answer) {
  using strategies::Hindrance;
  const Hindrance hindrance = answer.hindrance;
  return answer.state != strategies::State::contradictory &&
         (hindrance == Hindrance::noise || hindrance == Hindrance::none || hindrance == Hindrance::crashes);
}

const strategies::Claim* passing_fix(const strategies::Answer& answer) {
  const auto fix = std::ranges::find_if(answer.certificate, [](const strategies::Claim& claim) {
    return claim.kind == strategies::Claim::Kind::fix_passes && claim.proved && !claim.subject.empty();
  });
  return stands(answer) && fix != answer.certificate.end() ? &*fix : nullptr;
}

bool has_workaround(const Record& record) {
  return record.outcome == Outcome::culprits || (record.outcome == Outcome::inconclusive && passing_fix(record.answer));
}

const Trial* fix_trial(const Record& record) {
  if (record.answer.culprit_set.empty()) return nullptr;
  return judged_trial(record, record.answer.culprit_set, strategies::Verdict::pass);
}

std::string_view perturbation_of(const Record& record, bool reference) {
  for (const Trial& trial : record.trials)
    if ((trial.role == Role::reference) == reference)
      for (const Attempt& attempt : trial.attempts)
        if (!attempt.perturbation.empty()) return attempt.perturbation;
  return {};
}

std::optional<std::int64_t> comparable_end(const Record& record) {
  const Trial* as_is = as_is_trial(record);
  return as_is ? as_is->comparable_until : std::nullopt;
}

std::vector<strategies::Deviation> harmless_deviations(const Record& record) {
  if (record.outcome != Outcome::culprits) return {};  // what was proved may have been doubted since
  std::vector<strategies::Deviation> all = record.answer.harmless_deviations;
  if (record.descent)
    for (const strategies::Deviation& one : record.descent->before.harmless_deviations)
      if (std::ranges::count(all, one.suspect, &strategies::Deviation::suspect) == 0) all.push_back(one);
  return all;
}

std::size_t attempt_count(const Record& record) {
  return std::accumulate(record.trials.begin(), record.trials.end(), std::size_t{0},
                         [](std::size_t sum, const Trial& trial) { return sum + trial.attempts.size(); });
}

std::vector<std::size_t> members(const strategies::SuspectSet& set) {
  std::vector<std::size_t> ids;
  for (auto id = set.find_first(); id != strategies::SuspectSet::npos; id = set.find_next(id)) ids.push_back(id);
  return ids;
}

}  // namespace bisectd::reports
