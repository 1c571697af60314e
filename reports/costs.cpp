#include "reports/costs.hpp"

#include <fmt/format.h>

namespace bisectd::reports {
namespace {

constexpr std::size_t kNamesInFix = 12;

std::string change_text(double from, double to) { return fmt::format("{:+.0f} %", (to / from - 1) * 100); }

std::string other_fix_text(const Record& record, const OtherFix& fix, Escape escape) {
  std::string text = fmt::format("In its place {}: {} ({})", set_text(record, fix.neutralised, kNamesInFix, escape),
                                 verdict_word(fix.verdict), percent_text(fix.delta));
  if (fix.step_time_s && record.fix_step_time_s)
    text += fmt::format(", step time {:.3f} s ({} against the fix)", *fix.step_time_s,
                        change_text(*record.fix_step_time_s, *fix.step_time_s));
  return text + ".";
}

}  // namespace

std::string cost_text(const Record& record) {
  if (!record.as_is_step_time_s || !record.fix_step_time_s) return "";
  return fmt::format("Step time {:.3f} s as it is, {:.3f} s with the fix ({}).", *record.as_is_step_time_s,
                     *record.fix_step_time_s, change_text(*record.as_is_step_time_s, *record.fix_step_time_s));
}

std::vector<std::string> other_fix_texts(const Record& record, Escape escape) {
  std::vector<std::string> texts;
  for (const OtherFix& fix : record.other_fixes) texts.push_back(other_fix_text(record, fix, escape));
  return texts;
}

}  // namespace bisectd::reports
