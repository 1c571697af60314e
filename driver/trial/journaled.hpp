// What a journal keeps of the types that it has in common with the search, the judge and the reports.
#pragma once

#include "driver/judge/verdict.hpp"
#include "driver/keep/record.hpp"
#include "driver/learn/reading.hpp"
#include "driver/trial/trial_plan.hpp"
#include "reports/record.hpp"

namespace bisectd::strategies {

BOOST_DESCRIBE_ENUM(Verdict, pass, fail, inconclusive, unresolved)
BOOST_DESCRIBE_STRUCT(DecidedBy, (), (metric, delta))
BOOST_DESCRIBE_STRUCT(Size, (), (delta, standard_error))
BOOST_DESCRIBE_STRUCT(Judged, (),
                      (verdict, reason, text, delta, standard_error, decided_by, p_bad, comparable_until, signature))
BOOST_DESCRIBE_ENUM(State, searching, aligned, outside_suspects, proved, contradictory, stuck)
BOOST_DESCRIBE_ENUM(Hindrance, none, noise, crashes, outage, harm, change, devices, watched, control)
BOOST_DESCRIBE_ENUM(Claim::Kind, fix_passes, member_needed, cause_fails, cause_minimal)
BOOST_DESCRIBE_STRUCT(Claim, (), (kind, subject, neutralised, expected, bits, proved, own_trial))
BOOST_DESCRIBE_STRUCT(Deviation, (), (suspect, size))
BOOST_DESCRIBE_STRUCT(Answer, (),
                      (state, culprit_set, causes, certificate, not_neutralisable, excluded, harmless_deviations, hindrance,
                       confidence, guilt, trials_left_low, trials_left_high, explanation))

}  // namespace bisectd::strategies

namespace bisectd::reports {

BOOST_DESCRIBE_ENUM(Role, reference, discovery, as_is, end, overflow_check, ladder, everything, runnable, signature, search,
                    measurement, certificate, proof, other_fix, control, watched, soak, by_hand)
BOOST_DESCRIBE_ENUM(Outcome, unfinished, culprits, aligned, outside_suspects, inconclusive, infrastructure)
BOOST_DESCRIBE_STRUCT(AttemptSummary, (),
                      (text, started_s, duration_s, device, last_step, step_time_s, perturbed, perturbation))
BOOST_DESCRIBE_STRUCT(Name, (), (family, name))
BOOST_DESCRIBE_STRUCT(Kept, (Name), (needed_by))
BOOST_DESCRIBE_STRUCT(NoEffect, (), (suspect, why))
BOOST_DESCRIBE_STRUCT(ConfigSetting, (), (file, key, value))
BOOST_DESCRIBE_STRUCT(Conclusion, (),
                      (outcome, answer, advice, warnings, agreed_checks, no_effect, workaround, workaround_unset,
                       workaround_arguments, workaround_config))
BOOST_DESCRIBE_STRUCT(Descent, (), (opened, suspects, first_trial, stayed))

}  // namespace bisectd::reports

namespace bisectd::driver::judge {

BOOST_DESCRIBE_STRUCT(Steps, (), (first, last))
BOOST_DESCRIBE_STRUCT(Spread, (), (last, before, both, dof, identical))
BOOST_DESCRIBE_STRUCT(Judgement, (strategies::Judged),
                      (metric, window, noise, detectable, first_bad_step, strict, spreads, beside_as_is, notes))

}  // namespace bisectd::driver::judge

namespace bisectd::driver::learn {

BOOST_DESCRIBE_STRUCT(Reading, (),
                      (metric, keys, step, step_elsewhere, of, epoch, begins_again, steps_of_epoch, first_epoch,
                       lines_of_value, process_key, process, signs, refused, line))

}  // namespace bisectd::driver::learn

namespace bisectd::driver::keep {

/// A bit for each suspect, the last one first, as where a set is made from text.
template <>
struct Text<strategies::SuspectSet> {
  static std::string text(const strategies::SuspectSet& set) {
    std::string bits(set.size(), '0');
    for (auto id = set.find_first(); id != strategies::SuspectSet::npos; id = set.find_next(id))
      bits[set.size() - 1 - id] = '1';
    return bits;
  }
  static strategies::SuspectSet value(const std::string& bits) {
    if (bits.find_first_not_of("01") != std::string::npos) throw std::invalid_argument("no set of suspects: " + bits);
    return strategies::SuspectSet(bits);
  }
};
template <>
struct Text<strategies::Neutralised> : Text<strategies::SuspectSet> {
  static strategies::Neutralised value(const std::string& bits) {
    return strategies::Neutralised(Text<strategies::SuspectSet>::value(bits));
  }
};

}  // namespace bisectd::driver::keep
