#include "strategies/needless.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

namespace bisectd::strategies {
namespace {

// What is left must be less than a third of what is explained, as for one member (certificate.cpp).
constexpr double kExplained = 3;

// Sets of each kind that are tried, as each is a trial. Of 120 searches with a fault and three wrong replacements that
// cancel, 81 named all four, 44 with one set tried, 10 with two, none with three (the games of needless_test.cpp). Without a
// bound a search for twelve faults that are off by less together took 276 trials, as most sets of three could be what is
// missing.
constexpr std::size_t kMostSets = 3;
constexpr std::size_t kMostTried = 12;  // causes of which sets of three are looked at

double size_of(const std::vector<double>& off) {
  double most = 0;
  for (double each : off) most = std::max(most, std::abs(each));
  return most;
}

void add(std::vector<double>& to, const std::vector<double>& what, double times = 1) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += times * what[i];
}

/// Indices of the causes with one member.
std::vector<std::size_t> lone(const std::vector<std::vector<SuspectId>>& causes) {
  std::vector<std::size_t> lone;
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (causes[i].size() == 1) lone.push_back(i);
  return lone;
}

}  // namespace

std::optional<Effects> effects_of(const EvidenceLog& log, const Active& always_active, const Active& with_fix,
                                  std::vector<std::vector<SuspectId>> causes, bool by_signatures) {
  const Measured neutralised = log.measured(always_active), fix = log.measured(with_fix),
                 as_is = log.measured(as_it_is(always_active.size()));
  std::vector<Measured> alone;
  for (const std::vector<SuspectId>& cause : causes) alone.push_back(log.measured(only_active(cause, always_active)));
  const std::size_t steps = neutralised.signature.size();
  const auto has_signature = [&](const Measured& run) { return run.signature.size() == steps; };
  const bool by_signature =
      by_signatures && steps > 0 && std::ranges::all_of(alone, has_signature) && has_signature(as_is) && has_signature(fix);
  const auto known = [&](const Measured& run) { return by_signature || run.difference.has_value(); };
  if (!known(neutralised) || !std::ranges::all_of(alone, known)) return std::nullopt;
  const auto off = [&](const Measured& run) { return by_signature ? run.signature : std::vector<double>{*run.difference}; };

  Effects effects{std::move(causes), off(neutralised), {}, {}, {}};
  for (const Measured& run : alone) {
    effects.added.push_back(off(run));
    add(effects.added.back(), effects.neutralised, -1);
  }
  if (!known(as_is) || !known(fix)) return effects;
  effects.mended = off(as_is);
  add(effects.mended, off(fix), -1);
  effects.unexplained = effects.mended;
  for (const std::vector<double>& added : effects.added) add(effects.unexplained, added, -1);
  return effects;
}

std::vector<Active> to_be_measured(const EvidenceLog& log, const Active& always_active,
                                   const std::vector<std::vector<SuspectId>>& causes) {
  if (causes.size() < 2 || !log.measured(always_active).difference) return {};
  std::vector<Active> unmeasured;
  for (const std::vector<SuspectId>& cause : causes) {
    Active active = only_active(cause, always_active);
    if (log.measured(active).difference) continue;
    const LogEntry* entry = log.find(active);
    if (entry && entry->told() > 1) return {};  // in vain: it fails by what has no size
    unmeasured.push_back(std::move(active));
  }
  return unmeasured;
}

std::vector<std::vector<SuspectId>> needless_sets(const Effects& effects) {
  struct Choice {
    double left;
    std::vector<SuspectId> members;
  };
  std::vector<Choice> together, cancelling;
  const auto weigh = [&](const std::vector<std::size_t>& set) {
    std::vector<SuspectId> members;
    std::vector<double> sum(effects.neutralised.size()), unexplained = effects.unexplained, beside_fix = effects.neutralised;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t cause : set) {
      members.push_back(effects.causes[cause].front());
      add(sum, effects.added[cause]);
      least = std::min(least, size_of(effects.added[cause]));
    }
    std::ranges::sort(members);
    add(beside_fix, sum);
    if (least > kExplained * size_of(beside_fix)) return cancelling.push_back({size_of(beside_fix), std::move(members)});
    if (effects.as_is_known()) add(unexplained, sum);
    if (effects.as_is_known() && size_of(sum) > kExplained * size_of(unexplained))
      together.push_back({size_of(unexplained), std::move(members)});
  };
  const std::vector<std::size_t> members = lone(effects.causes);
  const bool threes = effects.causes.size() > 3 && members.size() <= kMostTried;
  for (std::size_t a : members)
    for (std::size_t b : members) {
      if (b >= a || effects.causes.size() < 3) break;
      weigh({a, b});
      for (std::size_t c : members) {
        if (c >= b || !threes) break;
        weigh({a, b, c});
      }
    }
  std::vector<std::vector<SuspectId>> sets;
  for (std::vector<Choice>* choices : {&together, &cancelling}) {
    std::ranges::stable_sort(*choices, {}, &Choice::left);
    for (Choice& choice : *choices | std::views::take(kMostSets)) sets.push_back(std::move(choice.members));
  }
  return sets;
}

bool do_not_add_up(const Effects& effects) {
  if (effects.causes.size() < 2 || !effects.as_is_known()) return false;
  double all = 0;
  for (const std::vector<double>& added : effects.added) all += size_of(added);
  const double unexplained = size_of(effects.unexplained);
  return unexplained > size_of(effects.mended) && unexplained > all / kExplained;
}

bool may_hold_innocent(const Effects& effects) {
  if (effects.causes.size() < 2 || !effects.as_is_known()) return false;
  const auto explains = [&](std::size_t cause, double times) {
    std::vector<double> left = effects.unexplained;
    add(left, effects.added[cause], times);
    return size_of(effects.added[cause]) > kExplained * size_of(left);
  };
  return do_not_add_up(effects) || std::ranges::any_of(lone(effects.causes), [&](std::size_t cause) {
           return explains(cause, 1) || explains(cause, 2);
         });
}

bool fix_only_makes_up(const Effects& effects) {
  if (!effects.as_is_known()) return false;
  std::vector<double> left = effects.mended;
  for (const std::vector<double>& added : effects.added) add(left, added);
  return size_of(effects.mended) > kExplained * size_of(left);
}

}  // namespace bisectd::strategies
