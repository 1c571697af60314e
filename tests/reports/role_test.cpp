#include "reports/role.hpp"

#include "tests/catch.hpp"

namespace bisectd::reports {
namespace {

using strategies::Purpose;

TEST_CASE("the table of roles: each row is its own role's, each purpose of the search has one") {
  for (const auto& [role, word] : {std::pair{Role::reference, "reference"},
                                   {Role::as_is, "as-is"},
                                   {Role::ladder, "ladder"},
                                   {Role::proof, "proof"},
                                   {Role::other_fix, "other-fix"},
                                   {Role::by_hand, "by-hand"}}) {
    CHECK(name_of(role) == word);
  }
  CHECK(role_of(Purpose::subject_as_is) == Role::as_is);
  CHECK(role_of(Purpose::everything_neutralised) == Role::everything);
  CHECK(role_of(Purpose::runnable) == Role::runnable);
  CHECK(role_of(Purpose::search) == Role::search);
  CHECK(role_of(Purpose::measurement) == Role::measurement);
  CHECK(role_of(Purpose::signature) == Role::signature);
  CHECK(role_of(Purpose::certificate) == Role::certificate);
}

TEST_CASE("the table of roles: what is told to a search was judged, and speaks of a set") {
  for (int i = 0; i <= static_cast<int>(Role::by_hand); ++i) {
    const auto role = static_cast<Role>(i);
    INFO(name_of(role));
    if (is(role, kEvidence)) CHECK((is(role, kJudged) && traits_of(role).speaks == Speaks::of_set));
    if (is(role, kInSearch)) CHECK(is(role, kEvidence));
  }
}

}  // namespace
}  // namespace bisectd::reports
