// `hold` beside the other blocks: what it needs of both sides, and suspects that are held.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

std::string held(const std::string& preset, const std::string& suspects, const std::string& subject = "") {
  return "version: 1\nname: x\nextends: " + preset + "\nhold: {seed: 7, deterministic: true}\n" +
         "reference: {command: [a]}\nsubject: {command: [b], devices: {kind: npu, ids: [0]}" + subject + "}\n" +
         "metric: {loss: {format: paddleocr}}\nsuspects: " + suspects + "\n";
}

}  // namespace

TEST_CASE("a suspect that is held is refused by name, and no suspect among all") {
  CHECK(problem(held("paddle-npu", "{flags: [npu_deterministic, FLAGS_npu_jit_compile]}")) ==
        "8:20: `flags:npu_deterministic` is held (npu_deterministic=true), so it cannot be a suspect | leave it out: "
        "`suspects: {flags: {exclude: [npu_deterministic]}}`; or out of `hold`");
  for (const auto& [preset, toggle] : {std::pair("paddle-npu", "npu_deterministic"),
                                       {"torch-npu", "deterministic_algorithms"},
                                       {"torch-cuda", "cudnn_deterministic"},
                                       {"mindspore", "deterministic"}}) {
    CAPTURE(preset);
    const Folder folder;
    const Experiment experiment = load_experiment(folder.write("e.yaml", held(preset, "{flags: all}")));
    const Toggle& settled = experiment.families.at("flags").toggles.at(toggle);
    CHECK(settled.suspect == settled.safe);
    CHECK(experiment.hold.environment.at("PYTHONHASHSEED") == "7");
  }
  CHECK(problem("hold_by: {seed: {S: '{value}'}}\n" + held("paddle-npu", "{flags: [FLAGS_npu_jit_compile]}")).empty());
  const std::string own =
      "families: {own: {kind: toggle, toggles: {s: {environment: S, safe: off}}}}\nhold_by: {seed: {S: '{value}'}}\n";
  CHECK(problem(own + held("paddle-npu", "{own: all}"))
            .starts_with("10:17: `own:s` is held (S=7), so it cannot be a suspect"));
  const std::string list = "families: {own: {kind: list, deliver: {environment: S}}}\nhold_by: {seed: {S: '{value}'}}\n";
  CHECK(problem(list + held("paddle-npu", "{own: [x]}")).find("family `own` is switched by S, which `hold` sets") !=
        std::string::npos);
}

TEST_CASE("a side that sets what is held otherwise, or takes it away") {
  CHECK(problem(held("paddle-npu", "{flags: all}", ", environment: {HCCL_DETERMINISTIC: 'false'}")) ==
        "6:91: `hold` sets HCCL_DETERMINISTIC=true in every run | remove it here, or leave it out of `hold`");
  CHECK(problem(held("paddle-npu", "{flags: all}", ", environment: {HCCL_DETERMINISTIC: 'true'}")).empty());
  CHECK(problem(held("paddle-npu", "{flags: all}", ", unset: [PYTHONHASHSEED]")).find("`subject.unset` takes it away") !=
        std::string::npos);
}

}  // namespace bisectd::configs
