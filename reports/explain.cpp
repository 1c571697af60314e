#include "reports/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "reports/result_lines.hpp"
#include "reports/words.hpp"
#include "strategies/certificate.hpp"

namespace bisectd::reports {
namespace {

using strategies::Claim;
using strategies::State;
using strategies::SuspectSet;
using strategies::Verdict;

constexpr std::size_t kTrialsShown = 3;    ///< trials for one statement
constexpr std::size_t kSuspectsShown = 6;  ///< suspects in one line

/// One search of the run: what it came to, and the trials that it was told.
struct Told {
  const Record& record;
  bool first;  ///< and there is an answer of a second one
  const strategies::Answer& answer;
  std::vector<const Trial*> judged;
  std::vector<const Trial*> with_signature;
  std::size_t short_ones = 0;  ///< of which only the first steps were looked at
};

/// While the second search goes on its answer counts, and then only if it proved a part guilty.
bool is_of_second(const Record& record) {
  return record.descent && record.descent->stayed.empty() && record.answer.culprit_set != record.descent->before.culprit_set;
}

Told told(const Record& record, bool first) {
  const bool second = is_of_second(record);
  Told search{record, first && second, first && second ? record.descent->before : record.answer, {}, {}};
  for (const Trial& trial : record.trials) {
    if (trial.running || !is(trial.role, kEvidence)) continue;
    const bool of_second = record.descent && trial.number >= record.descent->first_trial;
    if (trial.role != Role::as_is && of_second != (second && !first)) continue;
    if (trial.role == Role::signature) ++search.short_ones;
    else search.judged.push_back(&trial);
    if (!trial.signature.empty()) search.with_signature.push_back(&trial);
  }
  return search;
}

SuspectSet set_of(const Record& record, const std::vector<std::size_t>& ids) {
  SuspectSet set(record.suspects.size() - record.always_on);
  for (const std::size_t id : ids) set.set(id);
  return set;
}

std::string trial_text(const Record& record, const Trial& trial) {
  return fmt::format("  trial {}: {} neutralised -> {}{}\n", trial.number,
                     set_text(record, trial.neutralised, kSuspectsShown, plain), verdict_word(trial.verdict),
                     trial.delta ? fmt::format(" ({})", percent_text(trial.delta)) : "");
}

std::string all_of(const Record& record, const std::vector<std::size_t>& ids) {
  std::string text;
  for (const std::size_t id : ids) text += (text.empty() ? "" : " and ") + suspect_text(record, id, plain);
  return text;
}

/// A claim, and some of the trials that show it.
std::string shown_claim(const Told& search, const Claim& claim) {
  std::string text = search.first ? first_claim_text(search.record, claim, plain) : claim_text(search.record, claim, plain);
  text += claim.proved ? "\n" : ": not proved\n";
  std::size_t shown = 0;
  for (const Trial* trial : search.judged) {
    const strategies::Neutralised set(set_of(search.record, trial->neutralised));
    if (strategies::shows(claim, search.answer, set, trial->verdict) && (!claim.proved || set == claim.neutralised) &&
        shown++ < kTrialsShown)
      text += trial_text(search.record, *trial);
  }
  return text;
}

/// Two trials that differ in this cause and in nothing else show what it does to the first steps: in others, what replaces
/// a suspect may be wrong, too, and change them as well.
std::string signature_text(const Told& search, const std::vector<std::size_t>& cause) {
  std::map<SuspectSet, std::size_t> first;  // trial, by its set
  for (const Trial* trial : search.with_signature) first.emplace(set_of(search.record, trial->neutralised), trial->number);
  for (const auto& [set, with] : first) {
    SuspectSet more = set;
    for (const std::size_t member : cause) more.set(member);
    const auto without = first.find(more);
    if (without != first.end() && more.count() - set.count() == cause.size())
      return fmt::format("its signature is the difference between the first steps of trials {} and {}\n", with,
                         without->second);
  }
  return "";
}

const char* state_text(State state) {
  switch (state) {
    case State::searching: return "the search has not ended";
    case State::aligned: return "the subject as it is passes";
    case State::outside_suspects: return "it fails even with everything neutralised";
    case State::proved: return "culprits found and proved";
    case State::contradictory: return "the verdicts contradict each other";
    case State::stuck: return "nothing left to ask, yet nothing proved";
  }
  return "";
}

std::string likeliest(const Record& record) {
  const std::vector<double>& guilt = record.answer.guilt;
  std::vector<std::size_t> order = is_of_second(record) ? record.descent->suspects : chosen_from(record, {});
  std::erase_if(order, [&](std::size_t id) { return id >= guilt.size(); });
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t id) { return guilt[id]; });
  std::string text = "likeliest so far:\n";
  for (std::size_t i = 0; i < std::min(kSuspectsShown, order.size()); ++i)
    text += fmt::format("  {:5.1f} %  {}\n", 100 * guilt[order[i]], suspect_text(record, order[i], plain));
  return text;
}

/// The trials in which the suspect took part and the subject passed, the most telling (fewest neutralised) first.
std::string acquittal(const Told& search, std::size_t suspect) {
  std::vector<const Trial*> passed;
  for (const Trial* trial : search.judged)
    if (trial->verdict == Verdict::pass && !std::ranges::binary_search(trial->neutralised, suspect)) passed.push_back(trial);
  std::ranges::stable_sort(passed, {}, [](const Trial* trial) { return trial->neutralised.size(); });
  const std::string name = suspect_text(search.record, suspect, plain);
  const double guilt = suspect < search.answer.guilt.size() ? search.answer.guilt[suspect] : 0.0;
  if (passed.empty())
    return fmt::format("{} is not cleared: no trial passed while it was active.{}\n", name,
                       guilt > 0 ? fmt::format(" It is guilty with a probability of {:.1f} %.", 100 * guilt) : "");
  const bool proved = search.answer.state == State::proved;
  std::string text = fmt::format("{} {}: it was active and the subject passed in\n", name,
                                 proved ? "is cleared" : "does no harm by itself");
  for (std::size_t i = 0; i < std::min(kTrialsShown, passed.size()); ++i) text += trial_text(search.record, *passed[i]);
  if (!proved) text += fmt::format("Together with others it is guilty with a probability of {:.1f} %.\n", 100 * guilt);
  return text;
}

}  // namespace

std::string why_text(const Record& record) {
  const Told search = told(record, false);
  const strategies::Answer& answer = record.answer;
  const bool proved = answer.state == State::proved;
  std::string text = fmt::format(
      "{}{}, from {} trials{}\n", state_text(answer.state),
      proved && !record.finished ? " by the search, but not yet tried once more at the end of the run" : "",
      search.judged.size(), search.short_ones == 0 ? "" : fmt::format(" and the first steps of {} more", search.short_ones));
  if (!answer.explanation.empty()) text += explanation_text(record, plain) + "\n";
  if (proved)
    for (const strategies::Deviation& one : answer.harmless_deviations)
      text += deviation_text(suspect_text(record, one.suspect, plain), one.size) + "\n";
  for (const std::string& line : descent_texts(record, plain)) text += line + "\n";
  if (proved) {
    for (const auto& cause : answer.causes) text += fmt::format("cause: {}\n", cause_text(record, cause, plain));
    for (const Claim& claim : answer.certificate) text += shown_claim(search, claim);
  } else if (answer.state == State::searching) {
    text += likeliest(record);
  } else {
    for (const Trial* trial : search.judged) text += trial_text(record, *trial);
  }
  return text;
}

std::string why_text(const Record& record, std::size_t suspect) {
  const bool in_second = is_of_second(record) && std::ranges::binary_search(record.descent->suspects, suspect);
  const std::string name = suspect_text(record, suspect, plain);
  if (!in_second && std::ranges::binary_search(record.parts, suspect))
    return fmt::format("{} is a part of another suspect, and was not searched\n", name);
  const Told search = told(record, !in_second);
  const strategies::Answer& answer = search.answer;
  const auto holds = [&](const std::vector<std::size_t>& ids) { return std::ranges::count(ids, suspect) > 0; };
  if (holds(answer.not_neutralisable)) {
    std::string text = fmt::format(
        "{} cannot be neutralised: runs without it give no verdict. It stayed active and may hide a cause.\n", name);
    for (const Trial* trial : search.judged)
      if (trial->verdict == Verdict::unresolved && holds(trial->neutralised)) text += trial_text(record, *trial);
    return text;
  }
  if (holds(answer.excluded))
    return fmt::format("{} stayed active in every trial that the answer rests on, and may hide a cause.\n", name);
  const auto cause = std::ranges::find_if(answer.causes, holds);
  const bool caused = cause != answer.causes.end();
  if (answer.state != State::proved || (!caused && !holds(answer.culprit_set))) return acquittal(search, suspect);
  std::string text;
  if (holds(answer.culprit_set))
    text = fmt::format("{} is guilty{}\n", name, caused && cause->size() == 1 ? ", by itself" : "");
  else if (cause->size() == 1)
    text = fmt::format("{} is guilty, by itself; the culprit set neutralises others instead\n", name);
  else
    text = fmt::format("{} is guilty only together with others, of which the culprit set neutralises another one\n", name);
  for (const auto& each : answer.causes)
    if (holds(each) && each.size() > 1) text += all_of(record, each) + " fail only together\n";
  if (caused) text += signature_text(search, *cause);
  for (const Claim& claim : answer.certificate)
    if (holds(claim.subject) || claim.kind == Claim::Kind::fix_passes) text += shown_claim(search, claim);
  return text;
}

}  // namespace bisectd::reports
