// A set of active suspects and a set of neutralised ones: who mixes them up does not compile.
#include <type_traits>

#include "strategies/evidence_log.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

template <class Set>
concept Complemented = requires(const Set& set) { ~set; };

static_assert(!std::is_convertible_v<SuspectSet, Active> && !std::is_convertible_v<SuspectSet, Neutralised>);
static_assert(!std::is_constructible_v<Active, Neutralised> && !std::is_constructible_v<Neutralised, Active>);
static_assert(!std::is_assignable_v<Active&, Neutralised> && !std::is_assignable_v<Neutralised&, Active>);
static_assert(Complemented<SuspectSet> && !Complemented<Active> && !Complemented<Neutralised>);
static_assert(!std::is_invocable_v<decltype(&EvidenceLog::find), const EvidenceLog&, const Neutralised&>);
static_assert(std::is_same_v<decltype(Trial::neutralised), Neutralised> &&
              std::is_same_v<decltype(LogEntry::active), Active>);

}  // namespace

TEST_CASE("of one trial the active suspects are all but the neutralised ones, and back") {
  const Active some = active(5, {1, 4});
  CHECK(neutralised_beside(some) == neutralised(5, {0, 2, 3}));
  CHECK(active_beside(neutralised_beside(some)) == some);
  CHECK(neutralised_beside(as_it_is(5)).none());
  CHECK(as_it_is(5).count() == 5);
}
