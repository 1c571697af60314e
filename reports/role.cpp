#include "reports/role.hpp"

#include <algorithm>
#include <array>

namespace bisectd::reports {
namespace {

using strategies::Purpose;
using enum Speaks;
constexpr unsigned kAsked = kJudged | kInSearch | kEvidence;

constexpr std::array kRoles{
    // In the order of Role.
    RoleTraits{"reference", "the trusted runs, whose spread is the noise floor", of_nothing, kReadAgain, 2},
    RoleTraits{"discovery", "what a run of the subject really uses", of_nothing, kReadAgain | kManyPerSet, 1},
    RoleTraits{"as-is", "the subject with nothing neutralised should fail", of_set,
               kJudged | kEvidence | kReadAgain | kManyPerSet, 2, Purpose::subject_as_is},
    RoleTraits{"end", "the reference does not decide; do the subject's own two ends differ?", of_nothing,
               kReadAgain | kManyPerSet, 1},
    RoleTraits{"overflow-check", "one run in which the framework names the first operator with an inf or a nan", of_nothing,
               0, 0},  // a framework may end the run at the first one
    RoleTraits{"ladder", "", of_subject, kJudged | kManyPerSet, 1},
    RoleTraits{"everything", "with all {} neutralised it should pass", of_set, kAsked, 1, Purpose::everything_neutralised},
    RoleTraits{"runnable", "which suspects break the run when they are neutralised", of_set, kAsked, 1, Purpose::runnable},
    RoleTraits{"signature", "what the first steps of trials have in common", of_set, kAsked, 0, Purpose::signature},
    RoleTraits{"search", "which of {} are guilty", of_set, kAsked, 0, Purpose::search},
    RoleTraits{"measurement", "how the effects of suspects add up", of_set, kAsked, 0, Purpose::measurement},
    RoleTraits{"certificate", "the trials that prove the answer", of_set, kAsked, 1, Purpose::certificate},
    RoleTraits{"proof", "", of_set, kAsked, 2},
    RoleTraits{"other-fix", "", of_set, kJudged | kEvidence, 1},
    RoleTraits{"control", "what the answer rests on, once more at the end of the run", of_subject, kJudged | kManyPerSet, 2},
    RoleTraits{"watched", "does the fault stay while suspects are looked at and nothing is neutralised", of_nothing, kJudged,
               2},
    RoleTraits{"soak", "the fix, for longer than a trial", of_nothing, kJudged | kManyPerSet, 1},
    RoleTraits{"by-hand", "", of_set, kAsked, 1},
};
static_assert(kRoles.size() == static_cast<std::size_t>(Role::by_hand) + 1);

}  // namespace

const RoleTraits& traits_of(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

bool is(Role role, Trait trait) { return (traits_of(role).traits & trait) != 0; }

std::string_view name_of(Role role) { return traits_of(role).word; }

Role role_of(Purpose purpose) {
  return static_cast<Role>(std::ranges::find(kRoles, purpose, &RoleTraits::purpose) - kRoles.begin());
}

}  // namespace bisectd::reports
