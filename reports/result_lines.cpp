#include "reports/result_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "configs/family.hpp"
#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {

namespace {

constexpr std::size_t kNamesInFix = 12;

std::string change_text(double from, double to) { return fmt::format("{:+.0f} %", (to / from - 1) * 100); }

std::string other_fix_text(const Record& record, const OtherFix& fix, Escape escape) {
  // It breaks every cause that is named.
  if (fix.verdict == strategies::Verdict::fail)
    return fmt::format(
        "There are further causes, which the culprit set mends too: {} in its place is not enough ({}, trial {}).",
        set_text(record, fix.neutralised, kNamesInFix, escape), percent_text(fix.delta), fix.trial);
  const std::string_view what = fix.verdict == strategies::Verdict::pass           ? "passes, too"
                                : fix.verdict == strategies::Verdict::inconclusive ? "is undecided"
                                                                                   : "gives no verdict";
  std::string text = fmt::format("Another fix, {} neutralised instead, {} ({})",
                                 set_text(record, fix.neutralised, kNamesInFix, escape), what, percent_text(fix.delta));
  if (fix.step_time_s && record.fix_step_time_s)
    text += fmt::format(", step time {:.3f} s ({} against the fix)", *fix.step_time_s,
                        change_text(*record.fix_step_time_s, *fix.step_time_s));
  return text + ".";
}

std::string kept_text(const std::vector<Kept>& kept, Escape escape) {
  std::string text;
  for (const Kept& one : kept)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", escape(one.family + ":" + one.name),
                        one.needed_by.empty() ? "`exclude` names it" : escape(one.needed_by) + " needs it in every run");
  return text;
}

}  // namespace

bool exceeds_step_time(const Costs& costs, double step_time_s) {
  constexpr double kSigmas = 2;  // one in forty fixes that keep within the limit looks like one that does not
  if (!costs.step_time_limit || !costs.as_is_step_time_s) return false;
  return step_time_s >
         *costs.as_is_step_time_s * (1 + *costs.step_time_limit) * (1 + kSigmas * costs.step_time_error.value_or(0));
}

std::string cost_text(const Record& record) {
  if (record.pruned || record.answer.culprit_set.empty()) return "";
  const std::string limit =
      record.step_time_limit ? fmt::format("the +{:.3g} % of accept.step_time", *record.step_time_limit * 100) : "";
  if (!record.as_is_step_time_s || !record.fix_step_time_s)
    return limit.empty()
               ? ""
               : fmt::format(
                     "Whether the fix keeps within {} is not known: the logs show too few steps to tell how long one takes.",
                     limit);
  std::string text = fmt::format("Step time {:.3f} s as it is, {:.3f} s with the fix ({}).", *record.as_is_step_time_s,
                                 *record.fix_step_time_s, change_text(*record.as_is_step_time_s, *record.fix_step_time_s));
  if (limit.empty()) return text;
  const std::string error =
      record.step_time_error ? fmt::format(" (step times differ by {:.0f} % from run to run)", *record.step_time_error * 100)
                             : "";
  return text + (exceeds_step_time(record, *record.fix_step_time_s)
                     ? fmt::format(" That is more than {}, and no fix that was found keeps within it{}.", limit, error)
                     : fmt::format(" That is within {}{}.", limit, error));
}

std::vector<std::string> other_fix_texts(const Record& record, Escape escape) {
  std::vector<std::string> texts;
  for (const OtherFix& fix : record.other_fixes) texts.push_back(other_fix_text(record, fix, escape));
  return texts;
}

std::string soak_text(const Record& record, Escape escape) {
  const Trial* soak = judged_trial(record, Role::soak);
  if (!soak || soak->neutralised != record.answer.culprit_set) return "";
  std::string text = fmt::format("Soak, the fix for longer than a trial (trial {}): {}: {}", soak->number,
                                 verdict_word(soak->verdict), escape(soak->text));
  for (const std::string& note : soak->notes) text += "; " + escape(note);
  text += ".";
  if (soak->verdict == strategies::Verdict::fail)
    text += " The culprit set is proved for the length of a trial; what goes wrong after it is something else.";
  return text;
}

std::vector<std::string> pruned_texts(const Record& record, Escape escape) {
  if (!record.pruned) return {};
  const Pruned& pruned = *record.pruned;
  if (!pruned.answered) return {"Nothing is known of what the workaround is needed for; keep it."};
  const auto names = [&](const std::vector<std::size_t>& ids) {
    std::string text;
    for (const std::size_t id : ids) text += (text.empty() ? "" : ", ") + suspect_text(record, id, escape);
    return text.empty() ? "none" : text;
  };
  std::vector<std::string> texts{"Still needed: " + names(pruned.needed), "No longer needed: " + names(pruned.over)};
  if (!pruned.kept.empty()) texts.push_back("Stays in use, not tried: " + kept_text(pruned.kept, escape));
  if (!pruned.over.empty() && pruned.in_use_step_time_s && pruned.needed_step_time_s)
    texts.push_back(fmt::format("Step time {:.3f} s with the workaround in use, {:.3f} s with what is needed of it ({}).",
                                *pruned.in_use_step_time_s, *pruned.needed_step_time_s,
                                change_text(*pruned.in_use_step_time_s, *pruned.needed_step_time_s)));
  return texts;
}

constexpr std::size_t kNamesInSet = 4;

std::string controls_text(const Record& record, Escape escape) {
  struct Alike {
    std::string text;
    std::size_t first, last;  ///< trials
  };
  std::vector<Alike> all;
  for (const Trial& trial : record.trials) {
    if (trial.role != Role::control || trial.running) continue;
    std::string text = fmt::format("{} neutralised: {}", set_text(record, trial.neutralised, kNamesInSet, escape),
                                   verdict_word(trial.verdict));
    // Of larger sets only their size is told: of many causes each leaves out another one.
    if (!all.empty() && all.back().text == text && all.back().last + 1 == trial.number) all.back().last = trial.number;
    else all.push_back({std::move(text), trial.number, trial.number});
  }
  if (all.empty()) return "";
  std::string told;
  for (const auto& [text, first, last] : all)
    told += fmt::format("{}{} ({})", told.empty() ? "" : ", ", text,
                        first == last ? fmt::format("trial {}", first) : fmt::format("trials {} to {}", first, last));
  return fmt::format("Once more at the end of the run: {}.", told);
}

std::string ladder_sentence(const Ladder& ladder, Escape escape) {
  const std::string beside = ladder.alone ? "by itself" : "with everything else neutralised";
  if (!ladder.window) {
    std::string open;
    for (const Rung& rung : ladder.rungs)
      if (rung.verdict != strategies::Verdict::fail) open += (open.empty() ? "" : ", ") + escape(rung.value);
    return fmt::format("No value of {} {} {}{}.", escape(ladder.family), open.empty() ? "passes" : "is known to pass",
                       beside, open.empty() ? "" : fmt::format(" (without a verdict: {})", open));
  }
  const PassingWindow& window = *ladder.window;
  const std::string& first = ladder.rungs.at(window.first).value;
  if (!configs::Ladder::is_number(first))
    return fmt::format("{} passes {} with {}, and with no number.", escape(ladder.family), beside, escape(first));
  std::string also, apart;
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const Rung& rung = ladder.rungs[i];
    if (rung.verdict != strategies::Verdict::pass) continue;
    if (!configs::Ladder::is_number(rung.value)) also += fmt::format(" It passes with {}, too.", escape(rung.value));
    else if (i < window.first || i > window.last) apart += (apart.empty() ? "" : ", ") + escape(rung.value);
  }
  if (!apart.empty())
    also +=
        fmt::format(" It passes with {}, too, but not with all values between: some of these may pass by chance.", apart);
  if (window.first == window.last)
    return fmt::format("{} passes {} with {}.{}", escape(ladder.family), beside, escape(first), also);
  const char* why = window.taken != (window.first + window.last + 1) / 2 ? "taken, which by itself changes most"
                    : window.last - window.first == 1                    ? "taken"
                                                                         : "the middle of that window";
  return fmt::format("{} passes {} from {} to {}; {} is {}.{}", escape(ladder.family), beside, escape(first),
                     escape(ladder.rungs.at(window.last).value), escape(ladder.rungs.at(window.taken).value), why, also);
}

std::string_view rung_note(const Ladder& ladder, const Rung& rung) {
  return ladder.window && &rung == &ladder.rungs.at(ladder.window->taken) ? "recommended" : "";
}

bool shows_signatures(const Record& record) { return record.signature_groups.size() > 1; }

std::string signature_size_text(const SignatureGroup& group) {
  return group.size < 10 ? fmt::format("{:.1f} healthy spreads", group.size)
                         : fmt::format("{:.0f} healthy spreads", group.size);
}

std::string signature_causes_text(const Record& record, const SignatureGroup& group, Escape escape) {
  if (record.outcome != Outcome::culprits) return "not known yet";
  const auto list = [&](const std::vector<std::size_t>& numbers) {
    std::string text;
    for (const std::size_t number : numbers) {
      const auto& cause = record.answer.causes.at(number);
      text += (text.empty() ? "" : "; ") + suspects_text(record, cause, escape) + (cause.size() > 1 ? " together" : "");
    }
    return text;
  };
  const std::string of_all = list(group.causes);
  if (group.causes_of_some.empty()) return of_all.empty() ? "no cause" : of_all;
  return fmt::format("{}{}not in all of them: {}", of_all, of_all.empty() ? "" : "; ", list(group.causes_of_some));
}

namespace {

std::string causes_of(const Record& record, const strategies::Answer& answer, Escape escape) {
  std::vector<std::string> texts;
  for (const auto& cause : answer.causes) texts.push_back(cause_text(record, cause, escape));
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// "12 parts of modules:conv1".
std::string parts_of_opened(const Record& record, Escape escape) {
  const auto parts = std::ranges::count_if(record.descent->suspects,
                                           [&](std::size_t id) { return std::ranges::binary_search(record.parts, id); });
  return fmt::format("{} part{} of {}", parts, parts == 1 ? "" : "s", suspects_text(record, record.descent->opened, escape));
}

bool has_second_answer(const Record& record) { return record.descent && record.descent->stayed.empty(); }

}  // namespace

bool holds_parts(const Record& record, std::span<const std::size_t> ids) {
  return std::ranges::any_of(ids, [&](std::size_t id) { return std::ranges::binary_search(record.parts, id); });
}

std::vector<std::size_t> chosen_from(const Record& record, std::span<const std::size_t> ids) {
  if (record.descent && holds_parts(record, ids)) return record.descent->suspects;
  std::vector<std::size_t> all;
  for (std::size_t id = 0; id < record.suspects.size(); ++id)
    if (!std::ranges::binary_search(record.parts, id)) all.push_back(id);
  return all;
}

std::vector<std::size_t> searched_suspects(const Record& record) {
  std::vector<std::size_t> ids;
  for (std::size_t id = 0; id < record.suspects.size(); ++id)
    if (!std::ranges::binary_search(record.parts, id) ||
        (record.descent && std::ranges::binary_search(record.descent->suspects, id)))
      ids.push_back(id);
  return ids;
}

std::vector<std::string> descent_texts(const Record& record, Escape escape) {
  if (!record.descent) return {};
  const Descent& descent = *record.descent;
  std::vector<std::string> lines{fmt::format("first search, among {} suspects: {}", chosen_from(record, {}).size(),
                                             causes_of(record, descent.before, escape))};
  const std::string among =
      descent.suspects.empty() ? "second search" : "second search, among " + parts_of_opened(record, escape);
  if (!descent.stayed.empty())
    lines.push_back(fmt::format("no {}: {}. The answer stays that of the first search.",
                                descent.suspects.empty() ? among : "answer of the " + among, escape(descent.stayed)));
  else if (record.outcome == Outcome::culprits)
    lines.push_back(fmt::format("{}: {}", among, causes_of(record, record.answer, escape)));
  else lines.push_back(among + ": not finished");
  return lines;
}

std::string descent_line(const Record& record) {
  return "parts: which of " + parts_of_opened(record, plain) + " are guilty";
}

std::string first_claim_text(const Record& record, const strategies::Claim& claim, Escape escape) {
  if (claim.kind != strategies::Claim::Kind::fix_passes && claim.kind != strategies::Claim::Kind::member_needed)
    return claim_text(record, claim, escape);
  if (claim.neutralised.none()) return "nothing neutralised: fails";
  return fmt::format("{} neutralised: {}", suspects_text(record, members(claim.neutralised), escape),
                     claim.expected == strategies::Verdict::pass ? "passes" : "fails");
}

std::vector<ProofLine> proof_lines(const Record& record, Escape escape) {
  std::vector<ProofLine> lines;
  for (const strategies::Claim& claim : record.answer.certificate)
    lines.push_back({&claim, claim_text(record, claim, escape)});
  if (has_second_answer(record))
    for (const strategies::Claim& claim : record.descent->before.certificate)
      lines.push_back({&claim, "first search: " + first_claim_text(record, claim, escape)});
  return lines;
}

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

/// The weightiest first: claims without proof, suspects that could not be neutralised, why the search stopped without a
/// proof, trials without a verdict (grouped by reason).
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

/// What is to be known of a proved answer: how sure its verdicts are, what had to stay active.
std::vector<std::string> left_open(const Record& record, Escape escape) {
  if (!is_proved(record) || record.answer.explanation.empty()) return {};
  return {explanation_text(record, escape)};
}

std::vector<std::string> escaped(const std::vector<std::string>& lines, Escape escape) {
  std::vector<std::string> result;
  for (const std::string& line : lines) result.push_back(escape(line));
  return result;
}

/// Of a subject that agrees, or of what mends it: what was noted when that was judged, such as a deviation that does no
/// harm, a single NaN, or an end of the curve that proves nothing.
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

/// "ops:pad3d: no fall-back line in the log", for each neutralised suspect that left no trace where one is due.
std::vector<std::string> without_effect(const Record& record, Escape escape) {
  std::vector<std::string> lines;
  for (const NoEffect& entry : record.no_effect)
    lines.push_back(suspect_text(record, entry.suspect, escape) + ": " + escape(entry.why));
  return lines;
}

}  // namespace

std::vector<Notes> notes(const Record& record, Escape escape) {
  std::vector<Notes> all{{"by-standard", "By a named standard", by_standard_texts(record, escape)},
                         {"pruned", "The workaround in use", pruned_texts(record, escape)},
                         {"deviating", "Differs without harm", deviating(record, escape)},
                         {"no-effect", "Neutralised without effect", without_effect(record, escape)},
                         {"noted", "Noted of the subject", noted_beside(record, escape)},
                         {"left-open", "Left open by the proof", left_open(record, escape)},
                         {"undecided", "Not decided", undecided(record, escape)},
                         {"changes", "Changed since the baseline", escaped(record.changes, escape)},
                         {"warnings", "Warnings", escaped(record.warnings, escape)}};
  std::erase_if(all, [](const Notes& one) { return one.lines.empty(); });
  return all;
}

}  // namespace bisectd::reports
