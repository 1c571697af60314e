// `then` and `parts`: which family is searched behind another one.
#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

std::string with(const std::string& suspects, const std::string& parts = "{ops: layer_ops}") {
  return "version: 1\nname: x\nreference: {command: [a]}\nsubject: {command: [b], devices: {kind: npu, ids: [0]}}\n"
         "metric: {loss: {format: paddleocr}}\nfamilies:\n"
         "  layers: {kind: list, deliver: {environment: L}, discover: {ran: 'l (?P<name>x)'}, parts: " +
         parts +
         "}\n"
         "  layer_ops: {kind: list, deliver: {environment: O}, discover: {ran: 'o (?P<name>x)'}}\n"
         "  named: {kind: list, deliver: {environment: N}}\n"
         "suspects: " +
         suspects + "\n";
}

}  // namespace

TEST_CASE("wrong words of `then` and `parts`") {
  CHECK(problem(with("{layers: {discover: true, then: opps}}")) ==
        "10:43: `suspects.layers.then`: there is no `opps` in a member of `layers` | did you mean `ops`?");
  CHECK(problem(with("{layer_ops: {discover: true, then: ops}}")).find("have no parts that could be searched then") !=
        std::string::npos);
  CHECK(problem(with("{layers: {discover: true, then: ops}, layer_ops: [a/b]}")).find("must be `{discover: true}`") !=
        std::string::npos);
  CHECK(problem(with("{layers: {discover: true}}", "{ops: layerops}")) ==
        "7:98: `families.layers.parts.ops`: unknown family `layerops` | did you mean `layer_ops`?");
  CHECK(problem(with("{layers: {discover: true}}", "{ops: named}")).find("cannot discover its members") !=
        std::string::npos);
  CHECK(problem(with("{layers: {discover: true}}", "{ops: layers}")).find("cannot be a part of itself") !=
        std::string::npos);
}

}  // namespace bisectd::configs
