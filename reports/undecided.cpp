#include "reports/undecided.hpp"

#include <fmt/format.h>

#include <map>

#include "reports/lookup.hpp"
#include "reports/verdict_words.hpp"

namespace bisectd::reports {
namespace {

std::vector<std::string> trials_without_verdict(const Record& record, Escape escape) {
  std::map<std::pair<std::string_view, std::string>, std::string> numbers;  // by verdict and reason
  for (const Trial& trial : record.trials) {
    if (trial.running || is_measured_only(trial) || trial.verdict == strategies::Verdict::pass ||
        trial.verdict == strategies::Verdict::fail)
      continue;
    std::string& list = numbers[{verdict_word(trial.verdict), trial.reason}];
    list += (list.empty() ? "" : ", ") + std::to_string(trial.number);
  }
  std::vector<std::string> sentences;
  for (const auto& [key, list] : numbers) {
    const std::string why = key.second.empty() ? "" : " (" + escape(key.second) + ")";
    sentences.push_back(fmt::format("Without a verdict, {}{}: trial {}.", key.first, why, list));
  }
  return sentences;
}

bool is_proved(const Record& record) {
  return record.outcome == Outcome::culprits && record.answer.state == strategies::State::proved;
}

}  // namespace

std::vector<std::string> undecided(const Record& record, Escape escape) {
  std::vector<std::string> sentences;
  if (record.outcome == Outcome::culprits)
    for (const strategies::Claim& claim : record.answer.certificate)
      if (!claim.proved) sentences.push_back("Not proved: " + claim_text(record, claim, escape) + ".");
  for (const std::size_t id : record.answer.not_neutralisable) {
    const auto why = record.refused.find(id);
    sentences.push_back(
        suspect_text(record, id, escape) +
        (why == record.refused.end()
             ? " is not acquitted: runs break when it is neutralised, alone or with others, so it stayed active."
             : " is not acquitted: it cannot be neutralised, so it stayed active: " + escape(why->second) + "."));
  }
  if (!is_proved(record) && !record.answer.explanation.empty()) sentences.push_back(explanation_text(record, escape));
  for (std::string& sentence : trials_without_verdict(record, escape)) sentences.push_back(std::move(sentence));
  return sentences;
}

std::vector<std::string> left_open(const Record& record, Escape escape) {
  if (!is_proved(record) || record.answer.explanation.empty()) return {};
  return {explanation_text(record, escape)};
}

std::vector<std::string> escaped(const std::vector<std::string>& lines, Escape escape) {
  std::vector<std::string> result;
  for (const std::string& line : lines) result.push_back(escape(line));
  return result;
}

std::vector<std::string> noted_beside(const Record& record, Escape escape) {
  const bool mended = record.outcome == Outcome::culprits;
  const Trial* trial = mended ? fix_trial(record) : record.outcome == Outcome::aligned ? as_is_trial(record) : nullptr;
  if (trial == nullptr) return {};
  std::vector<std::string> lines = escaped(trial->notes, escape);
  if (mended)
    for (std::string& line : lines) line.insert(0, "with the culprit set neutralised: ");
  return lines;
}

std::vector<std::string> deviating(const Record& record, Escape escape) {
  std::vector<std::string> lines;
  for (const strategies::Deviation& one : harmless_deviations(record))
    lines.push_back(deviation_text(suspect_text(record, one.suspect, escape), one.size));
  return lines;
}

std::vector<std::string> without_effect(const Record& record, Escape escape) {
  std::vector<std::string> lines;
  for (const NoEffect& entry : record.no_effect)
    lines.push_back(suspect_text(record, entry.suspect, escape) + ": " + escape(entry.why));
  return lines;
}

}  // namespace bisectd::reports
