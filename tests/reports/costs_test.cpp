#include "reports/result_lines.hpp"

#include "reports/escape.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

TEST_CASE("what pruning left in use is told, with why") {
  Record record = sample::culprits();
  record.pruned = Pruned{.answered = true, .needed = {0}, .over = {}, .kept = {}};
  const std::vector<std::string> without{"Still needed: ops:conv2d", "No longer needed: none"};
  CHECK(pruned_texts(record, plain) == without);
  record.pruned->kept = {{{"ops", "relu"}, ""}, {{"flags", "stride"}, "ops"}};
  std::vector<std::string> with = without;
  with.emplace_back("Stays in use, not tried: ops:relu (`exclude` names it), flags:stride (ops needs it in every run)");
  CHECK(pruned_texts(record, plain) == with);
  record.pruned->answered = false;
  CHECK(pruned_texts(record, plain).size() == 1);
}
