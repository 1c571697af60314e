#include "reports/role.hpp"

#include "tests/catch.hpp"

namespace bisectd::reports {
namespace {

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
