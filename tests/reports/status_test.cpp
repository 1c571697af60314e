#include "reports/status.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;
using nlohmann::json;

TEST_CASE("hostile text stays harmless in a status") {
  for (const std::string& text : sample::hostile()) {
    Record record = sample::with(text);
    record.finished = false;
    record.trials.back().running = true;
    for (const std::optional<int> process : {std::optional<int>(), std::optional(1)}) {
      CHECK(status_text(record, process).find_first_of("\x1b\a\r") == std::string::npos);
      CHECK(json::accept(status_json(record, process)));
    }
  }
}
