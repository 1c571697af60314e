#include "strategies/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "strategies/standing.hpp"

namespace bisectd::strategies {
namespace {

constexpr std::size_t kLikely = 4;  // suspects named beside what is proved
constexpr std::size_t kShownOfFix = 8;
constexpr double kWorthNaming = 0.02;  // guilt

// Causes whose every claim is proved: true whatever else turns up.
std::string proved_causes(const Answer& answer) {
  std::string text;
  for (const std::vector<SuspectId>& cause : answer.causes) {
    bool shown = false, minimal = true;
    for (const Claim& claim : answer.certificate) {
      std::vector<SuspectId> subject = claim.subject;
      std::sort(subject.begin(), subject.end());
      if (subject != cause) continue;
      if (claim.kind == Claim::Kind::cause_fails) shown = claim.proved;
      if (claim.kind == Claim::Kind::cause_minimal) minimal = minimal && claim.proved;
    }
    if (shown && minimal)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", list_of(cause, " and "),
                          cause.size() == 1 ? "by itself" : "only together");
  }
  return text;
}

std::string beside(const Active& always_active) {
  if (always_active.none()) return "";
  if (always_active.count() > kShownOfFix) return fmt::format(", beside {} that stayed active", always_active.count());
  return fmt::format(", beside {}, which stayed active", list_of(members_of(always_active), " and "));
}

bool passes_with_fix(const Answer& answer) {
  return !answer.culprit_set.empty() && std::ranges::any_of(answer.certificate, [](const Claim& claim) {
    return claim.kind == Claim::Kind::fix_passes && claim.proved;
  });
}

// Where neutralising does harm by itself, what a cut search has so far may be an innocent whose harm makes up for the fault.
std::string doubted_fix(const Answer& answer) {
  if (!passes_with_fix(answer)) return {};
  return fmt::format(
      "With {} neutralised it passes, but that may only make up for a fault: the trials that would tell were not run yet.",
      list_of(answer.culprit_set, " and "));
}

// A fix that passes is worth having, even while it is not known why.
std::string proved_fix(const Answer& answer) {
  bool needed = true;
  for (const Claim& claim : answer.certificate)
    if (claim.kind == Claim::Kind::member_needed) needed = needed && claim.proved;
  if (!passes_with_fix(answer)) return {};
  const char* each = answer.culprit_set.size() == 1 ? "it is needed" : "each of them is needed";
  return fmt::format("Proved: with {} neutralised it passes{}.", list_of(answer.culprit_set, " and "),
                     needed ? fmt::format(", and {}", each) : "");
}

// Where no fix is proved, the one that noise hides the rest of may still be worth a try.
std::string smallest_that_passed(const Phases& phases) {
  std::optional<std::vector<SuspectId>> smallest;
  for (const LogEntry& entry : phases.log().entries()) {
    if (entry.verdict != Verdict::pass || entry.active.all()) continue;
    std::vector<SuspectId> members = members_of(neutralised_beside(entry.active));
    if (!smallest || members.size() < smallest->size()) smallest = std::move(members);
  }
  if (!smallest || smallest->size() > std::min(kShownOfFix, phases.size() / 2)) return {};
  return fmt::format(" The fewest with which it passed when they were neutralised: {}.", list_of(*smallest, " and "));
}

std::string fails_otherwise(const Phases& phases) {
  const auto percent_of = [&](const Active& active) {
    const auto difference = phases.log().mean_difference(active);
    return difference ? fmt::format("by {:+.2f} %", 100 * *difference) : "otherwise than in its final level";
  };
  return fmt::format("the subject as it is is off {}, and with everything neutralised it still fails, but {}: {}",
                     percent_of(phases.all_active()), percent_of(phases.always_active()),
                     phases.log().exact()
                         ? "neutralising a suspect may do harm by itself (its replacement is wrong, too), or there is a "
                           "fault that is none of the suspects; no trial that neutralises a part passed"
                         : "the fault may be none of the suspects, neutralising one may do harm by itself, or the few "
                           "references may lie off by chance");
}

std::string contradiction_text(const Phases& phases) {
  const Contradiction pair = *phases.contradiction();
  const LogEntry &fail = phases.log().entries()[pair.fail], &pass = phases.log().entries()[pair.pass];
  // Undecided looks that lean the same way add up to a pass, too: none of them is one.
  const std::string passes = pass.passes > 0
                                 ? fmt::format("passes ({} of {})", pass.passes, pass.judged())
                                 : fmt::format("leans to pass (undecided in each of {} trials)", pass.inconclusive);
  const std::vector<SuspectId> between = members_of(pass.active - fail.active);
  return fmt::format(
      "the trial with {} neutralised fails ({} of {} times), the one with only {} of these neutralised {}: "
      "either verdicts are noisier than they claim, or neutralising more makes the run worse{}",
      phases.size() - fail.active.count(), fail.fails, fail.judged(), phases.size() - pass.active.count(), passes,
      between.size() > kShownOfFix ? "" : fmt::format(". Only the first of them neutralises {}", list_of(between, " and ")));
}

std::string left_open_by_proof(const Phases& phases) {
  std::string text;
  if (phases.finding_proved())
    for (const std::vector<SuspectId>& cause : phases.finding()->only_beside_others)
      text += fmt::format(
          "Not part of the fix: {}. The run fails with this active and all others neutralised, but with the fix alone "
          "neutralised it does no harm. ",
          list_of(cause, " and "));
  for (const auto& cause : phases.cause_searches())
    if (!phases.finding_proved() && !cause->complete())
      text += cause->found().empty()
                  ? "a further cause could not be named: every trial that would tell says nothing. "
                  : fmt::format("whether #{} fails alone could not be shown: every trial that would tell says nothing. ",
                                cause->found().front());
  if (!phases.finding_proved() && phases.unexplained())
    text += "there are further causes, which the fix mends too and which were not named. ";
  if (Standing(phases).fix_makes_up())
    text +=
        "Even with everything neutralised the run is clearly off, by 3 % or more of what the subject as it is is off by: "
        "the "
        "fix may make up for a fault that is none of the suspects. ";
  return text;
}

std::string why_stuck(const Phases& phases, const Answer& answer, bool doubted) {
  const LogEntry* as_is = phases.entry_of(phases.all_active());
  if (as_is && as_is->disputed() && as_is->verdict == Verdict::pass)
    return fmt::format(
        "the subject as it is failed in {} of {} trials and passed in the others, the last ones: what makes it fail comes "
        "and "
        "goes (the state of the machine, other users of it, caches), so that no trial that passed clears a suspect",
        as_is->fails, as_is->judged());
  const Unmended unmended = Standing(phases).unmended();
  if (unmended == Unmended::comes_and_goes)
    return "with everything neutralised it fails, and yet it passed in some trial: something changed meanwhile, or "
           "what makes it fail comes and goes, so that neither clears or accuses anybody";
  if (unmended == Unmended::otherwise) return fails_otherwise(phases);
  if (answer.hindrance == Hindrance::harm)
    return "with everything neutralised it fails; parts of it pass, but are still clearly off, by 3 % or more of what the "
           "subject as it is is off by: what was neutralised there may make up for the fault, and mend nothing";
  if (answer.hindrance == Hindrance::noise) return progress(phases, answer, nullptr, doubted);
  if (phases.verdict_of(phases.all_active()) != Verdict::fail)
    return fmt::format("the subject as it is gave no verdict in {} trials",
                       phases.entry_of(phases.all_active()) ? phases.entry_of(phases.all_active())->told() : 0);
  if (!phases.ordered()) return "no verdict with everything neutralised";
  const std::size_t found = std::max(phases.ordered()->found().size(), answer.culprit_set.size());
  return fmt::format("every trial that would tell more says nothing; {} {} found so far", found,
                     found == 1 ? "culprit" : "culprits");
}

}  // namespace

std::string explanation(const Phases& phases, const Answer& answer, bool doubted) {
  const State state = answer.state;
  if (state == State::contradictory) return contradiction_text(phases);
  if (state == State::outside_suspects && phases.always_active().any())
    return phases.always_active().count() == 1
               ? "one suspect stayed active; the cause may hide in it"
               : fmt::format("{} suspects stayed active; the cause may hide among them", phases.always_active().count());
  if (state == State::proved) return left_open_by_proof(phases);
  return state == State::stuck ? why_stuck(phases, answer, doubted) : "";
}

std::string doubts_of_proof(const SuspectSet& harmful, const SuspectSet& kept, bool may_hold_innocent, double surety) {
  std::string text;
  if (const std::vector<SuspectId> members = members_of(harmful); !members.empty())
    text +=
        fmt::format("Not neutralised: {}. With everything neutralised the run was off, too, so neutralising {} may do harm.",
                    members.size() <= kLikely ? list_of(members, ", ") : fmt::format("{} of the suspects", members.size()),
                    members.size() == 1 ? "it, alone or beside others," : "one of them, alone or beside others,");
  if (kept.any())
    text += fmt::format(
        "Not part of the fix: {}. Each of them fails alone, and the run passes with {} of them active: they have to run on "
        "the same side, or they are at fault and cancel each other, or their replacements do.",
        list_of(members_of(kept), " and "), kept.count() == 2 ? "both" : "all");
  if (may_hold_innocent)
    text +=
        "What the causes add to the run, each alone, is not what the subject as it is is off by: some of them may be right "
        "in "
        "themselves, and only do harm while another one is neutralised and they are not, or one hides another. The fix "
        "needs "
        "them even so. ";
  if (surety < 1)
    text += fmt::format(
        "Not certain: one of the verdicts that the proof rests on has a probability of {:.0f} % only, as some healthy "
        "devices "
        "differ by as much. ",
        100 * surety);
  return text;
}

std::string progress(const Phases& phases, const Answer& answer, const Trial* next, bool doubted) {
  const std::string causes = doubted ? "" : proved_causes(answer);
  std::string text = doubted ? doubted_fix(answer) : proved_fix(answer);
  if (!causes.empty())
    text += fmt::format("{}Proved to be guilty: {}{}.", text.empty() ? "" : " ", causes, beside(phases.always_active()));
  const bool fix_proved = passes_with_fix(answer);
  if (text.empty()) text = "Nothing is proved yet.";
  if (!fix_proved) text += smallest_that_passed(phases);

  std::vector<SuspectId> order(phases.size());
  std::iota(order.begin(), order.end(), SuspectId{0});
  std::stable_sort(order.begin(), order.end(), [&](SuspectId a, SuspectId b) { return answer.guilt[a] > answer.guilt[b]; });
  std::string likely;
  for (std::size_t i = 0; i < std::min(kLikely, order.size()) && answer.guilt[order[i]] >= kWorthNaming; ++i)
    likely += fmt::format("{}#{} ({:.0f} %)", likely.empty() ? "" : ", ", order[i], 100 * answer.guilt[order[i]]);
  if (!likely.empty()) text += fmt::format(" Likeliest members of the culprit set: {}.", likely);

  SuspectSet cleared(phases.size());
  for (const LogEntry& entry : phases.log().entries())
    if (entry.verdict == Verdict::pass) cleared |= entry.active;
  text +=
      fmt::format(" {} of {} suspects do no harm by themselves: a run with them passed.", cleared.count(), phases.size());
  const std::size_t untouched = phases.size() - (cleared | phases.always_active()).count();
  if (untouched > 0) text += fmt::format(" {} have not been cleared by any run.", untouched);
  if (answer.hidden) text += " " + text_of(*answer.hidden);
  if (answer.hindrance == Hindrance::outage)
    text += " Nothing runs any more, not even the subject as it is, which ran before: what broke since then shows nothing.";
  if (next)
    text += fmt::format(" The next trial would neutralise {} of {} ({}).", next->neutralised.count(), phases.size(),
                        next->reason);
  return text;
}

}  // namespace bisectd::strategies
