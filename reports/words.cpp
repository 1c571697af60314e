#include "reports/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "reports/result_lines.hpp"

namespace bisectd::reports {

namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view last_separator) {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) result += i + 1 == parts.size() ? last_separator : std::string_view(", ");
    result += parts[i];
  }
  return result;
}

std::vector<std::string> names(const Record& record, std::span<const std::size_t> ids, Escape escape) {
  std::vector<std::string> result;
  for (const std::size_t id : ids) result.push_back(suspect_text(record, id, escape));
  return result;
}

/// "broke (killed by SIGSEGV after step 3)".
std::string how_it_broke(const Trial* trial, Escape escape) {
  return trial ? fmt::format("broke ({})", escape(trial->text)) : "broke";
}

/// By what it does before its end.
bool fails_on_the_way(const Record& record, const Trial* trial) {
  return trial && trial->verdict == strategies::Verdict::fail && !trial->decided_by && trial->delta &&
         std::abs(*trial->delta) <= record.target;
}

std::string culprits_sentence(const Record& record, Escape escape) {
  const auto culprits = names(record, record.answer.culprit_set, escape);
  const bool one = culprits.size() == 1;
  if (record.must_run_to)
    return fmt::format("{} {} the subject: as it is it {}, with {} neutralised it runs to step {}. Confidence {}.",
                       joined(culprits, " and "), one ? "breaks" : "break", how_it_broke(as_is_trial(record), escape),
                       one ? "it" : "them", *record.must_run_to, confidence_text(record.answer.confidence));
  const Trial* as_is = as_is_trial(record);
  if (as_is && as_is->decided_by)  // a pass was decided by no metric more than by another
    return fmt::format(
        "{} {} {} leave the reference: {} as it is; with {} neutralised every metric agrees (target {}). Confidence {}.",
        joined(culprits, " and "), one ? "makes" : "make", escape(as_is->decided_by->metric), escape(decided_text(*as_is)),
        one ? "it" : "them", unsigned_percent_text(record.target), confidence_text(record.answer.confidence));
  if (as_is && as_is->verdict == strategies::Verdict::inconclusive)
    return fmt::format(
        "{} {} {} from {} as it is to {} with {} neutralised. Which of these is right the reference does not decide (target "
        "{}). Confidence {}.",
        joined(culprits, " and "), one ? "moves" : "move", escape(record.metric), measured_text(as_is),
        measured_text(fix_trial(record)), one ? "it" : "them", unsigned_percent_text(record.target),
        confidence_text(record.answer.confidence));
  if (fails_on_the_way(record, as_is))
    return fmt::format(
        "{} {} the subject fail, though {} ends within the target ({}): {}. With {} neutralised it passes. Confidence {}.",
        joined(culprits, " and "), one ? "makes" : "make", escape(record.metric), measured_text(as_is), escape(as_is->text),
        one ? "it" : "them", confidence_text(record.answer.confidence));
  return fmt::format("{} {} {} leave the reference: {} as it is, {} with {} neutralised (target {}). Confidence {}.",
                     joined(culprits, " and "), one ? "makes" : "make", escape(record.metric), measured_text(as_is),
                     measured_text(fix_trial(record)), one ? "it" : "them", unsigned_percent_text(record.target),
                     confidence_text(record.answer.confidence));
}

/// Ids, ascending, of the suspects that no trial of the search could neutralise.
std::vector<std::size_t> always_active(const Record& record) {
  std::vector<std::size_t> ids = record.answer.not_neutralisable;
  ids.insert(ids.end(), record.answer.excluded.begin(), record.answer.excluded.end());
  std::ranges::sort(ids);
  return ids;
}

/// The same with those that nothing neutralises.
std::vector<std::size_t> never_neutralised(const Record& record) {
  std::vector<std::size_t> ids = always_active(record);
  for (std::size_t id = record.suspects.size() - record.always_on; id < record.suspects.size(); ++id) ids.push_back(id);
  return ids;
}

/// Nobody may be cleared by a run that never was: what stayed active is under suspicion.
std::string outside_sentence(const Record& record, Escape escape) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::size_t> neutralised = chosen_from(record, {});
  const std::size_t suspects = neutralised.size();
  const std::vector<std::size_t> active = never_neutralised(record);
  std::erase_if(neutralised, [&](std::size_t id) { return std::ranges::binary_search(active, id); });
  const Trial* trial = judged_trial(record, neutralised, strategies::Verdict::fail);
  const std::string by = !trial ? "" : " by " + (trial->decided_by ? escape(decided_text(*trial)) : measured_text(trial));
  const std::string still = record.must_run_to
                                ? fmt::format("it still {}.", how_it_broke(trial, escape))
                                : fmt::format("{} still differs{} (target {}).", escape(deciding_metric(record, trial)), by,
                                              unsigned_percent_text(record.target));
  if (active.empty())
    return fmt::format("The cause is outside the {}: with all of them neutralised {}", counted(suspects, "suspect"), still);
  return fmt::format("The cause is {}, or outside the {}: with all others neutralised {}",
                     active.size() <= kNamed ? joined(names(record, active, escape), " or ")
                                             : fmt::format("among the {} suspects that stayed active", active.size()),
                     counted(suspects, "suspect"), still);
}

/// What stayed active beside this cause in the runs that show it, and which values ladders had: " (beside ..., which stayed
/// active; with loss_scale at 1024)".
std::string beside_text(const Record& record, std::span<const std::size_t> cause, Escape escape) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> parts;
  const std::vector<std::size_t> active = always_active(record);
  if (active.size() > kNamed) parts.push_back(fmt::format("beside {} suspects that stayed active", active.size()));
  else if (!active.empty())
    parts.push_back(fmt::format("beside {}, which stayed active", joined(names(record, active, escape), " and ")));
  for (const Ladder& ladder : record.ladders) {
    const bool in_cause =
        std::ranges::any_of(cause, [&](std::size_t id) { return record.suspects[id].family == ladder.family; });
    if (ladder.window && !in_cause)
      parts.push_back(
          fmt::format("with {} at {}", escape(ladder.family), escape(ladder.rungs.at(ladder.window->taken).value)));
  }
  return parts.empty() ? "" : fmt::format(" ({})", joined(parts, "; "));
}

std::string inconclusive_sentence(const Record& record, Escape escape) {
  using strategies::Claim;
  const std::vector<Claim>& claims = record.answer.certificate;
  const auto cause = std::ranges::find_if(
      claims, [](const Claim& claim) { return claim.kind == Claim::Kind::cause_fails && claim.proved; });
  const Claim* fix = passing_fix(record.answer);
  if (!stands(record.answer) || (!fix && cause == claims.end()))
    return "No answer: the evidence does not carry one. Nobody is accused.";
  return fmt::format(
      "No complete answer: {}, but {}.",
      fix ? fmt::format("with {} neutralised it passes", joined(names(record, fix->subject, escape), ", "))
          : fmt::format("with all neutralised but {} it fails{}", joined(names(record, cause->subject, escape), ", "),
                        beside_text(record, cause->subject, escape)),
      record.answer.hindrance == strategies::Hindrance::noise ? "the noise hides the rest of the proof"
                                                              : "the rest of the proof is open");
}

}  // namespace

std::string percent_text(std::optional<double> fraction) {
  if (!fraction) return "not measured";
  const double percent = *fraction * 100;
  if (!std::isfinite(percent)) return fmt::format("{}", percent);
  const double size = std::abs(percent);
  if (size == 0) return "0 %";
  return size < 0.01 || size >= 1e6 ? fmt::format("{:+.1g} %", percent) : fmt::format("{:+.2f} %", percent);
}

std::string deciding_metric(const Record& record, const Trial* trial) {
  return trial && trial->decided_by ? trial->decided_by->metric : record.metric;
}

std::string decided_text(const Trial& trial) {
  if (!trial.decided_by) return measured_text(&trial);
  return trial.decided_by->delta ? percent_text(trial.decided_by->delta) : trial.reason.substr(trial.reason.find(':') + 1);
}

std::string measured_text(const Trial* trial) {
  if (!trial) return percent_text(std::nullopt);
  if (trial->decided_by) return plain(trial->decided_by->metric) + " " + decided_text(*trial);
  constexpr std::array<std::string_view, 6> kOfRunning{"crashed", "stalled",   "timed-out",
                                                       "nan",     "truncated", "runs"};  // accept.goal: runs
  if (!trial->delta && std::ranges::count(kOfRunning, trial->reason) && trial->verdict != strategies::Verdict::unresolved)
    return trial->reason;
  if (!trial->delta && trial->verdict == strategies::Verdict::fail) return "ended early";
  return percent_text(trial->delta);
}

std::string error_text(double fraction) {
  constexpr double kLeastShown = 1e-6;
  if (!std::isfinite(fraction)) return "inf";
  if (fraction == 0) return "0 %";
  if (fraction < kLeastShown) return "<0.0001 %";
  return fraction < 1 ? fmt::format("{:.2g} %", 100 * fraction) : fmt::format("{:.0f} %", 100 * fraction);
}

std::string unsigned_percent_text(double fraction) { return fmt::format("{:.3g} %", fraction * 100); }

std::string confidence_text(double confidence) {
  const double percent = std::floor(std::clamp(confidence, 0.0, 1.0) * 1e4 + 1e-6) / 1e2;  // 0.57 is just below 0.57
  return fmt::format("{:.4g} %", confidence < 1 ? std::min(percent, 99.99) : percent);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string counted(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string more_trials_text(const strategies::Answer& answer) {
  const double low = std::ceil(answer.trials_left_low), high = std::ceil(answer.trials_left_high);
  if (low != high) return fmt::format("{:.0f} to {:.0f} more trials", low, high);
  return fmt::format("{:.0f} more {}", low, low == 1 ? "trial" : "trials");
}

std::string more_trials_text(const Record& record) {
  const std::string text = more_trials_text(record.answer);
  return record.why_more_trials.empty() ? text : text + ", more than before: " + record.why_more_trials;
}

std::string_view state_word(const Trial& trial) {
  if (trial.running) return "running";
  return is_measured_only(trial) ? "measured" : verdict_word(trial.verdict);
}

std::string_view outcome_title(const Record& record) {
  switch (record.outcome) {
    case Outcome::culprits: return "culprits found";
    case Outcome::aligned: return record.must_run_to ? "runs" : "agrees with the reference";
    case Outcome::outside_suspects:
      return never_neutralised(record).empty() ? "cause outside the suspects" : "cause not found";
    case Outcome::inconclusive: return "inconclusive";
    case Outcome::infrastructure: return "infrastructure failed";
    case Outcome::unfinished: break;
  }
  return "not finished";
}

std::string suspect_text(const Record& record, std::size_t id, Escape escape) {
  if (id >= record.suspects.size()) return fmt::format("#{}", id);
  return escape(record.suspects[id].family + ":" + record.suspects[id].name);
}

std::string suspects_text(const Record& record, std::span<const std::size_t> ids, Escape escape) {
  return joined(names(record, ids, escape), ", ");
}

std::string set_text(const Record& record, std::span<const std::size_t> ids, std::size_t limit, Escape escape) {
  std::vector<std::size_t> active = chosen_from(record, ids);
  const std::size_t all = active.size();
  const std::string_view parts = record.descent && holds_parts(record, ids) ? " parts" : "";
  if (ids.empty()) return "nothing";
  if (ids.size() == all && all > 1) return fmt::format("all {}{}", all, parts);
  std::erase_if(active, [&](std::size_t id) { return std::ranges::binary_search(ids, id); });
  if (!active.empty() && active.size() < ids.size() && active.size() <= limit)
    return fmt::format("all{} but {}", parts, suspects_text(record, active, escape));
  if (ids.size() <= limit) return suspects_text(record, ids, escape);
  return fmt::format("{} of {}{}", ids.size(), all, parts);
}

std::string cause_text(const Record& record, std::span<const std::size_t> cause, Escape escape) {
  const auto is_open = [&](const strategies::Claim& claim) {
    const bool of_cause =
        claim.kind == strategies::Claim::Kind::cause_fails || claim.kind == strategies::Claim::Kind::cause_minimal;
    return of_cause && !claim.proved && std::ranges::is_permutation(claim.subject, cause);
  };
  return joined(names(record, cause, escape), " and ") + (cause.size() > 1 ? " only together" : " alone") +
         (std::ranges::any_of(record.answer.certificate, is_open) ? " (not shown)" : "") +
         beside_text(record, cause, escape);
}

std::string claim_text(const Record& record, const strategies::Claim& claim, Escape escape) {
  const auto subject = names(record, claim.subject, escape);
  const std::string all = joined(subject, " and ");
  const bool of_parts = holds_parts(record, members(claim.neutralised)) || holds_parts(record, claim.subject);
  const std::string_view only = of_parts                        ? "of the parts only"
                                : always_active(record).empty() ? "only"
                                                                : "of those searched only";
  switch (claim.kind) {
    case strategies::Claim::Kind::fix_passes: return "the culprit set neutralised: passes";
    case strategies::Claim::Kind::member_needed:
      if (claim.neutralised.none()) return "nothing neutralised: fails";
      return fmt::format("the culprit set but for {} neutralised: fails", all);
    case strategies::Claim::Kind::cause_fails: return fmt::format("{} {} active: fails", only, all);
    case strategies::Claim::Kind::cause_minimal: break;
  }
  if (subject.size() < 2) return fmt::format("{} what {} needs active, not itself: passes", only, all);
  return fmt::format("{} {} active, without {}: passes", only, joined({subject.begin(), subject.end() - 1}, " and "),
                     subject.back());
}

std::string verdict_sentence(const Record& record, Escape escape) {
  const std::string metric = escape(record.metric);
  const std::string target = unsigned_percent_text(record.target);
  switch (record.outcome) {
    case Outcome::culprits: return culprits_sentence(record, escape);
    case Outcome::aligned:
      if (record.must_run_to)
        return fmt::format(
            "Nothing to find: the subject as it is runs to step {}, in each of {}.", *record.must_run_to,
            counted(static_cast<std::size_t>(std::ranges::count(record.trials, Role::as_is, &Trial::role)), "run"));
      if (const Trial* as_is = as_is_trial(record);
          record.worse_only && as_is && (record.higher_is_better ? 1 : -1) * as_is->delta.value_or(0) > record.target)
        return fmt::format(
            "Nothing to find: {} of the subject as it is is better than that of the reference ({}, target {}), which "
            "accept.worse_only accepts.",
            metric, measured_text(as_is), target);
      if (const Trial* as_is = as_is_trial(record); as_is && as_is->comparable_until)
        return fmt::format(
            "Nothing to find: {} of the subject as it is agrees with the reference up to step {} ({}, target {}); behind "
            "that, this log cannot tell.",
            metric, *as_is->comparable_until, measured_text(as_is), target);
      return fmt::format("Nothing to find: {} of the subject as it is agrees with the reference ({}, target {}).", metric,
                         measured_text(as_is_trial(record)), target);
    case Outcome::outside_suspects: return outside_sentence(record, escape);
    case Outcome::inconclusive: return inconclusive_sentence(record, escape);
    case Outcome::infrastructure: return "No answer: the trials could not be run. Nobody is accused.";
    case Outcome::unfinished: break;
  }
  if (!(record.answer.trials_left_high > 0)) return "Not finished. Nobody is accused yet.";
  return fmt::format("Not finished: {}. Nobody is accused yet.", more_trials_text(record.answer));
}

std::string deviation_text(std::string_view suspect, double size) {
  return fmt::format(
      "{} changes the first steps, by up to {:.0f} times what healthy runs differ by, and does no harm by itself.", suspect,
      size);
}

std::vector<std::string> by_standard_texts(const Record& record, Escape escape) {
  std::vector<std::string> texts;
  if (record.as_is_by_standard) texts.push_back("as it is: " + escape(record.as_is_by_standard->text));
  if (record.fix_by_standard) texts.push_back("with the fix: " + escape(record.fix_by_standard->text));
  return texts;
}

std::string explanation_text(const Record& record, Escape escape) {
  const std::string& text = record.answer.explanation;
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto as_it_is = [](std::string_view name) { return std::string(name); };
  std::string result;
  for (auto at = text.begin(); at != text.end();) {
    const auto end = *at == '#' ? std::find_if_not(at + 1, text.end(), is_digit) : at;
    if (end <= at + 1 || end - at > 9) {
      result += *at++;
    } else {
      result += suspect_text(record, std::stoul(std::string(at + 1, end)), as_it_is);
      at = end;
    }
  }
  return escape(result);
}

namespace {

using strategies::Verdict;

constexpr std::array<std::pair<Verdict, std::string_view>, 4> kVerdicts{{{Verdict::pass, "pass"},
                                                                         {Verdict::fail, "fail"},
                                                                         {Verdict::inconclusive, "inconclusive"},
                                                                         {Verdict::unresolved, "unresolved"}}};
constexpr std::array<std::pair<Outcome, std::string_view>, 6> kOutcomes{{{Outcome::unfinished, "unfinished"},
                                                                         {Outcome::culprits, "culprits"},
                                                                         {Outcome::aligned, "aligned"},
                                                                         {Outcome::outside_suspects, "outside_suspects"},
                                                                         {Outcome::inconclusive, "inconclusive"},
                                                                         {Outcome::infrastructure, "infrastructure"}}};

}  // namespace

std::string_view verdict_word(Verdict verdict) {
  return std::ranges::find(kVerdicts, verdict, &decltype(kVerdicts)::value_type::first)->second;
}

std::string_view outcome_word(Outcome outcome) {
  return std::ranges::find(kOutcomes, outcome, &decltype(kOutcomes)::value_type::first)->second;
}

}  // namespace bisectd::reports
