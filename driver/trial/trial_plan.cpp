#include "driver/trial/trial_plan.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace bisectd::driver {
namespace {

constexpr std::array<std::pair<Role, const char*>, 18> kRoleNames{{{Role::reference, "reference"},
                                                                   {Role::discovery, "discovery"},
                                                                   {Role::as_is, "as-is"},
                                                                   {Role::end, "end"},
                                                                   {Role::overflow_check, "overflow-check"},
                                                                   {Role::ladder, "ladder"},
                                                                   {Role::everything, "everything"},
                                                                   {Role::runnable, "runnable"},
                                                                   {Role::signature, "signature"},
                                                                   {Role::search, "search"},
                                                                   {Role::measurement, "measurement"},
                                                                   {Role::certificate, "certificate"},
                                                                   {Role::proof, "proof"},
                                                                   {Role::other_fix, "other-fix"},
                                                                   {Role::control, "control"},
                                                                   {Role::watched, "watched"},
                                                                   {Role::soak, "soak"},
                                                                   {Role::by_hand, "by-hand"}}};

}  // namespace

const char* name_of(Role role) { return std::ranges::find(kRoleNames, role, &std::pair<Role, const char*>::first)->second; }

Role role_of(const std::string& name) {
  for (const auto& [role, word] : kRoleNames)
    if (name == word) return role;
  throw std::invalid_argument("no such role: " + name);
}

Role role_of(strategies::Purpose purpose) {
  switch (purpose) {
    case strategies::Purpose::subject_as_is: return Role::as_is;
    case strategies::Purpose::everything_neutralised: return Role::everything;
    case strategies::Purpose::runnable: return Role::runnable;
    case strategies::Purpose::signature: return Role::signature;
    case strategies::Purpose::search: return Role::search;
    case strategies::Purpose::measurement: return Role::measurement;
    case strategies::Purpose::certificate: return Role::certificate;
  }
  return Role::search;
}

bool is_search(Role role) {
  switch (role) {
    case Role::everything:
    case Role::runnable:
    case Role::signature:
    case Role::search:
    case Role::measurement:
    case Role::certificate:
    case Role::proof:
    case Role::by_hand: return true;
    case Role::reference:
    case Role::discovery:
    case Role::as_is:
    case Role::end:
    case Role::overflow_check:
    case Role::ladder:
    case Role::other_fix:
    case Role::control:
    case Role::watched:
    case Role::soak: return false;
  }
  return false;
}

bool is_evidence(Role role) { return is_search(role) || role == Role::as_is || role == Role::other_fix; }

std::string set_key(const strategies::SuspectSet& set) {
  std::string bits(set.size(), '0');  // suspect 0 is the last character, as where a set is made from text
  for (auto id = set.find_first(); id != strategies::SuspectSet::npos; id = set.find_next(id))
    bits[set.size() - 1 - id] = '1';
  return bits;
}

}  // namespace bisectd::driver
