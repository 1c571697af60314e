// The schema for editors, made from the same declarations as the loader.
#include <fstream>
#include <nlohmann/json.hpp>

#include "configs/file_bytes.hpp"
#include "configs/formats.hpp"
#include "configs/schema.hpp"
#include "tests/catch.hpp"

namespace bisectd::configs {
namespace {

const nlohmann::json& schema() {
  static const auto parsed =
      nlohmann::json::parse(std::ifstream(std::string(BISECTD_SOURCE_FOLDER) + "/configs/schema/experiment.schema.json"));
  return parsed;
}

}  // namespace

TEST_CASE("the schema in git is what the program prints") {
  CHECK(bytes_in(std::string(BISECTD_SOURCE_FOLDER) + "/configs/schema/experiment.schema.json") == experiment_schema());
}

TEST_CASE("each key says whether its change touches what was judged; what nobody decided about does") {
  for (const auto& [path, touches] : std::vector<std::pair<std::vector<std::string>, Touches>>{
           {{"accept", "target"}, Touches::verdicts},
           {{"accept", "max_repeats"}, Touches::nothing},
           {{"subject", "stall"}, Touches::unless_runs},
           {{"reference", "devices", "ids"}, Touches::nothing},
           {{"reference", "devices", "kind"}, Touches::verdicts},
           {{"subject", "launch", "slurm", "time"}, Touches::nothing},
           {{"subject", "launch", "slurm", "gres"}, Touches::verdicts},
           {{"families", "ops", "discover", "clock", "stamp"}, Touches::nothing},
           {{"families", "ops", "effect", "file"}, Touches::nothing},
           {{"families", "ops", "effect", "environment", "A"}, Touches::verdicts},
           {{"families", "flags", "toggles", "a", "safe"}, Touches::verdicts},
           {{"search", "budget", "trials"}, Touches::nothing},
           {{"metric", "loss", "format"}, Touches::verdicts},
           {{"what", "nobody", "knows"}, Touches::verdicts}}) {
    CAPTURE(path);
    CHECK(touched_by(path) == touches);
  }
}

TEST_CASE("the schema names the metric formats that exist") {
  const auto& named = schema().at("definitions").at("metric").at("properties").at("format").at("enum");
  REQUIRE(named.size() == metric_formats().size());
  for (std::size_t i = 0; i < named.size(); ++i) CHECK(named[i].get<std::string>() == metric_formats()[i].name);
}

}  // namespace bisectd::configs
