#include "reports/costs.hpp"

#include <fmt/format.h>

#include "reports/lookup.hpp"
#include "reports/verdict_words.hpp"

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

}  // namespace bisectd::reports
