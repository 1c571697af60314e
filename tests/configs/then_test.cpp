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

TEST_CASE("what `then` leads to is discovered and a suspect, too") {
  const Folder folder;
  const Experiment plain = load_experiment(folder.write("e.yaml", with("{layers: {discover: true, then: ops}}")));
  CHECK(plain.suspects.at("layers").then->value == "layer_ops");
  CHECK(plain.suspects.at("layer_ops").discover);
  const Experiment own = load_experiment(
      folder.write("e.yaml", with("{layers: {discover: true, then: ops}, layer_ops: {discover: true, exclude: [a/b]}}")));
  CHECK(own.suspects.at("layer_ops").exclude.size() == 1);
  for (const auto& [preset, suspects] : {std::pair("paddle-npu", "{layers: {discover: true, then: ops}}"),
                                         {"torch-npu", "{modules: {discover: true, then: ops}}"},
                                         {"torch-cuda", "{module_passes: {discover: true, then: ops}}"}}) {
    CAPTURE(preset);
    CHECK(
        problem("version: 1\nname: x\nextends: " + std::string(preset) + "\nreference: {command: [a]}\n" +
                "subject: {command: [b], devices: {kind: npu, ids: [0]}}\nmetric: {loss: {format: paddleocr}}\nsuspects: " +
                suspects + "\n") == "");
  }
}

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
