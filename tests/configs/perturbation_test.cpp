// `perturb` of a file and of its sides: what it settles, and what is wrong with it by file, line and column.
#include <string>

#include "configs/resolved.hpp"
#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

Experiment loaded(const Folder& folder, const std::string& text) { return load_experiment(folder.write("e.yaml", text)); }

std::string good(const std::string& perturb) { return with_line(kGood, 12, perturb); }

}  // namespace

TEST_CASE("a file's perturbation is that of both sides") {
  const Folder folder;
  const Experiment e = loaded(folder, good("perturb: {environment: SEED, made: 'moved (?P<value>.+)'}"));
  REQUIRE(e.reference.perturb);
  REQUIRE(e.subject.perturb);
  CHECK(e.reference.perturb->environment == "SEED");
  CHECK(e.subject.perturb->made->value == "moved (?P<value>.+)");
  CHECK(e.reference.repeats == 3);
  CHECK(e.warnings.empty());
  CHECK_THAT(resolved_yaml(e), Catch::Contains("perturb:\n    environment: \"SEED\"\n    made: \"moved (?P<value>.+)\""));
}

TEST_CASE("without a perturbation it is said what is lost") {
  const Folder folder;
  for (const std::string perturb : {"perturb: none", ""}) {
    const Experiment e = loaded(folder, good(perturb));
    CHECK_FALSE(e.subject.perturb);
    REQUIRE(e.warnings.size() == 1);
    CHECK(e.warnings[0].value ==
          "repeats of the reference and the subject are not perturbed: where they are bit-identical, healthy "
          "rounding cannot be told from faults (see `perturb` in docs/experiment.md)");
  }
  folder.write("curve.log", "loss: 1\n");
  const std::string recorded = with_line(good("perturb: {environment: SEED}"), 4, "  curve: curve.log");
  CHECK(loaded(folder, recorded).warnings.empty());
  CHECK_THAT(loaded(folder, with_line(recorded, 12, "")).warnings.at(0).value,
             Catch::StartsWith("repeats of the subject are"));
  CHECK_FALSE(loaded(folder, recorded).reference.perturb);
}

TEST_CASE("a perturbation replaces that of the preset as a whole") {
  const Folder folder;
  const Experiment preset = loaded(folder, std::string(kGoodPaddle));
  CHECK(preset.reference.perturb->environment == "BISECTD_PERTURB");
  CHECK(preset.reference.perturb->needs.at("PYTHONPATH") == "{presets}/python{and_inherited}");
  const Experiment own = loaded(folder, with_line(kGoodPaddle, 12, "perturb: {switches: [{OMP_NUM_THREADS: \"2\"}]}"));
  CHECK_FALSE(own.subject.perturb->environment);
  CHECK(own.subject.perturb->needs.empty());
  CHECK_FALSE(own.subject.perturb->made);
  CHECK_FALSE(loaded(folder, with_line(kGoodPaddle, 12, "perturb: none")).subject.perturb);
}

TEST_CASE("a wrong perturbation is named with its place") {
  const auto side = [](const std::string& line) {
    return with_line(good("perturb: {environment: SEED}"), 7, "  devices: {kind: npu, ids: [0, 1]}\n" + line);
  };
  CHECK(problem(good("pertrub: none")) == "12:1: unknown key `pertrub` | did you mean `perturb`?");
  CHECK(problem(good("perturb: {enviroment: SEED}")) ==
        "12:11: unknown key `enviroment` in `perturb` | did you mean `environment`?");
  CHECK(problem(good("perturb: yes")) ==
        "12:10: `perturb`: expected how a repeat is perturbed | for example {environment: TRAIN_PERTURB}, {argument: "
        "\"--perturb={seed}\"} or {switches: [{OMP_NUM_THREADS: \"2\"}]}; or `none`");
  CHECK_THAT(problem(good("perturb: {}")),
             Catch::StartsWith("12:10: `perturb` needs one of `environment`, `argument` and `switches`"));
  CHECK_THAT(problem(good("perturb: {environment: A, switches: [{B: 1}]}")),
             Catch::StartsWith("12:10: `perturb` needs one of"));
  CHECK(problem(good("perturb: {environment: A-B}")) ==
        "12:24: `A-B` is no name for an environment variable | letters, digits and _ only");
  CHECK(problem(good("perturb: {argument: --perturb}")) ==
        "12:21: `perturb.argument` lacks {seed}: every repeat would be the same | for example --perturb={seed}");
  CHECK(problem(good("perturb: {argument: \"--p={sed}\"}")) ==
        "12:21: unknown placeholder `{sed}` | did you mean `{seed}`?");
  CHECK(problem(good("perturb: {switches: []}")) ==
        "12:21: `perturb.switches`: expected a list of harmless settings | for example [{OMP_NUM_THREADS: \"2\"}, "
        "{MKL_CBWR: COMPATIBLE}]");
  CHECK(problem(good("perturb: {switches: [{}]}")) ==
        "12:22: `perturb.switches`: this entry sets nothing | the first run is the one without settings");
  CHECK(problem(good("perturb: {switches: [{A: 1}, {A: 1}]}")) == "12:30: `perturb.switches`: entries 1 and 2 are the same");
  CHECK_THAT(problem(good("perturb: {environment: A, made: 'x(.*)'}")),
             Catch::StartsWith("12:33: `perturb.made` lacks the group `value`"));
  CHECK_THAT(problem(good("perturb: {environment: A, needs: {B: \"{preset}\"}}")),
             Catch::StartsWith("12:38: unknown placeholder `{preset}`"));
  CHECK(problem(side("  environment: {SEED: 3}")) ==
        "8:23: `SEED` is set for each repeat by `perturb` | remove it here: the first run is the one without it");
  CHECK(problem(side("  unset: [SEED]")) ==
        "13:10: `SEED` cannot perturb the repeats of the subject: `subject.unset` takes it away");
  CHECK(problem(good("perturb: {environment: OFF}")) ==
        "12:10: `OFF` cannot perturb the repeats of the subject: family ops is neutralised by it");
  CHECK(problem(good("perturb: {switches: [{OFF: a}]}")) ==
        "12:28: `OFF` cannot perturb a repeat of the subject: family ops is neutralised by it");
  CHECK(
      problem(good("perturb: {switches: [{ASCEND_RT_VISIBLE_DEVICES: 0}]}")) ==
      "12:50: `ASCEND_RT_VISIBLE_DEVICES` cannot perturb a repeat of the subject: it is set from the devices of an attempt");
  CHECK(problem(good("perturb: {argument: \"--p={seed}\"}")) ==
        "4:13: `reference.command` lacks the element \"{arguments}\": its repeats are perturbed by an argument | put it "
        "where the training takes options");
  CHECK(problem(with_line(good("perturb: {switches: [{A: 1}]}"), 7,
                          "  devices: {kind: npu, ids: [0]}\n  environment: {A: 1}")) ==
        "13:26: every run of the subject has A=1: the repeat would not be perturbed");
  CHECK(problem(with_line(good("perturb: {environment: S, needs: {A: x}}"), 7,
                          "  devices: {kind: npu, ids: [0]}\n  environment: {A: 1}")) ==
        "8:20: the perturbation of the subject needs A=x | remove it here, or change `perturb.needs`");
}

TEST_CASE("the reference takes arguments if its repeats are perturbed by one") {
  const Folder folder;
  const std::string text = with_line(good("perturb: {argument: \"--p={seed}\"}"), 4, "  command: [python, \"{arguments}\"]");
  CHECK(loaded(folder, with_line(text, 6, "  command: [python, \"{arguments}\"]")).reference.perturb->argument->value ==
        "--p={seed}");
}

}  // namespace bisectd::configs
