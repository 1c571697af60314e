"""Presets of stacks that need CANN, with a stand-in training that honours CANN's documented files and variables: what
bisectd writes is read by json and configparser there, and what that training leaves is read by bisectd."""
import configparser
import json
import pathlib
import sys
import textwrap
import unittest

from space import SOURCE, Space, hostile_experiment

sys.path.insert(0, str(SOURCE / "tests/stacks"))
from ge_trainer import FIRED  # noqa: E402

TRAINER = SOURCE / "tests/stacks/ge_trainer.py"


class GraphEngine(Space):
    def experiment(self, guilty, suspects, *options, families="", extends="tensorflow-ge", arguments=""):
        words = ", ".join([f"guilty={guilty}", *options])
        self.write("experiment.yaml", f"""\
            version: 1
            name: ge
            extends: {extends}
            reference: {{command: [{sys.executable}, {TRAINER}, steps=40], repeats: 2}}
            subject:
              command: [{sys.executable}, {TRAINER}, npu, steps=40, "{words.replace(', ', '", "')}"{arguments}]
              devices: {{ids: [0, 1, 2]}}
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            {families}
            suspects: {suspects}
            """)

    def find(self, guilty, suspects, *options, code=1, **more):
        self.experiment(guilty, suspects, *options, **more)
        done = self.bisectd("run", "experiment.yaml", code=code)
        return self.report(), done

    def workaround_file(self, report, name):
        path = self.run_folder() / "workaround" / name
        told = [one["value"] for one in report["workaround"]["environment"]]
        self.assertTrue(any(str(path) in value for value in told), told)
        return path

    def test_one_pass_of_300_of_which_40_fire(self):
        for form in ("dict", "list", "concatenated"):
            report, _ = self.find(f"fusion:{FIRED[17]}", "{fusion: {discover: true}}", f"result={form}")
            self.assertEqual(self.culprits(report), [f"fusion:{FIRED[17]}"])
            self.assertEqual(len(report["suspects"]), 40)
            self.assertEqual(report["no_effect"], [])
        switch = json.loads(self.workaround_file(report, "fusion_switch.cfg").read_text())
        self.assertEqual(switch, {"Switch": {"GraphFusion": {FIRED[17]: "off"}, "UBFusion": {FIRED[17]: "off"}}})

    def test_the_old_text_form_of_the_switch_file_told_by_an_argument(self):
        family = ('families: {old: {kind: list, deliver: {argument: "--fusion-switch-file={file}", '
                  'file: {name: switch.txt, text: "{name}:off\\n"}}}}')
        report, _ = self.find(f"fusion:{FIRED[3]}", "{old: [" + ", ".join(FIRED[:6]) + "]}", families=family,
                              arguments=', "{arguments}"')
        self.assertEqual(self.culprits(report), [f"old:{FIRED[3]}"])

    def test_a_pass_that_the_switch_file_cannot_close_is_no_effect_and_the_option_closes_it(self):
        always = f"always_on={FIRED[2]}"
        report, done = self.find(f"fusion:{FIRED[2]}", "{fusion: [" + ", ".join(FIRED[:5]) + "]}", always, code=3)
        self.assertEqual(report["outcome"], "outside_suspects")
        self.assertEqual([one["name"] for one in report["no_effect"]], [FIRED[2]])
        report, _ = self.find(f"fusion:{FIRED[2]}", "{optimization_switch: [" + ", ".join(FIRED[:5]) + "]}", always)
        self.assertEqual(self.culprits(report), [f"optimization_switch:{FIRED[2]}"])

    def test_passes_known_to_stay_on_are_said_with_what_closes_them(self):
        report, done = self.find(f"fusion:{FIRED[2]}", f"{{fusion: [{FIRED[2]}, {FIRED[3]}, EinsumPass]}}")
        self.assertEqual(self.culprits(report), [f"fusion:{FIRED[2]}"])
        self.assertEqual([one["name"] for one in report["no_effect"]], ["EinsumPass"])
        self.assertIn("optimization_switch", report["no_effect"][0]["why"])

    def test_two_families_that_discover_the_same_passes(self):
        self.experiment("", "{fusion: {discover: true}, optimization_switch: {discover: true}}")
        said = self.bisectd("run", "experiment.yaml", code=2).err
        self.assertIn("families `fusion` and `optimization_switch` discover the same members", said)

    def test_a_run_that_does_not_leave_its_file(self):
        self.find(f"fusion:{FIRED[2]}", "{fusion: {discover: true}}", "result=none", code=4)
        self.assertIn("the discovery run left no file ascend/FE/*/fusion_result.json", self.report()["advice"])

    def test_operators_by_mixlist_and_by_the_ini_file_together(self):
        report, _ = self.find("mixlist:MatMul+precision:Softmax", "{mixlist: [MatMul, Cast, Add], op_precision: [Softmax, Mul]}")
        self.assertEqual(self.causes(report), [["MatMul", "Softmax"]])

    def test_per_operator_dtypes(self):
        family = ('families: {dtypes: {kind: list, deliver: {environment: BISECTD_GE_customize_dtypes, file: {name: dtypes.cfg, '
                  'text: "OpType::{name}:InputDtype:float32,float32,OutputDtype:float32\\n"}}}}')
        report, _ = self.find("dtype:MatMul", "{dtypes: [MatMul, Add, Mul, Sub]}", families=family)
        self.assertEqual(self.culprits(report), ["dtypes:MatMul"])
        text = self.workaround_file(report, "dtypes.cfg").read_text()
        self.assertEqual(text, "OpType::MatMul:InputDtype:float32,float32,OutputDtype:float32\n")

    def test_the_old_switch_file_as_the_page_shows_it(self):
        page = (SOURCE / "configs/presets/tensorflow-ge.md").read_text()
        shown = page.split("```yaml\n")[-1].split("```")[0]
        self.experiment("", f"{{fusion_text: [{FIRED[2]}]}}", families=textwrap.indent(shown, " " * 12).lstrip())
        self.bisectd("check", "experiment.yaml", code=0)


class MindSpore(Space):
    """What its preset delivers, read back from the attempts of a training that ignores it."""

    def tried(self, suspects, off):
        text = hostile_experiment(suspects=2)
        text = text[:text.index("families:")].replace("name: hostile\n", "name: hostile\nextends: mindspore\n")
        self.write("experiment.yaml", text + f"suspects: {suspects}\n")
        judged = json.loads(self.bisectd("trial", "experiment.yaml", "--off", off, "--json", code=0).out)
        attempt = pathlib.Path(judged["attempts"][0])
        lines = (attempt / "environment.txt").read_text().splitlines()
        return attempt, dict(line.split("=", 1) for line in lines if "=" in line)

    def test_per_operator_precision(self):
        attempt, environment = self.tried("{op_precision: [MatMul, Cast, Softmax]}", "MatMul,Softmax")
        file = environment["BISECTD_MS_op_precision_mode"].strip("'\"")
        self.assertEqual(file, str(attempt / "op_precision.ini"))
        ini = configparser.ConfigParser()
        ini.optionxform = str
        ini.read(file)
        self.assertEqual({section: dict(ini[section]) for section in ini.sections()},
                         {"ByOpType": {"MatMul": "high_precision", "Softmax": "high_precision"}})

    def test_graph_kernel_flags_and_switches(self):
        _, environment = self.tried("{kernel_passes: [a_pass, b_pass], flags: all}", "a_pass,b_pass,flags:MS_FORMAT_MODE")
        self.assertEqual(environment["MS_DEV_GRAPH_KERNEL_FLAGS"].strip("'"), "--disable_pass=a_pass,b_pass")
        self.assertEqual(environment["MS_FORMAT_MODE"].strip("'"), "1")
        self.assertNotIn("MS_ENABLE_INTERNAL_BOOST", environment)

    def test_names_that_the_ini_file_could_not_hold(self):
        for name in ("#c", "[d]", "a:b", "a;b", "a=b"):
            with self.subTest(name):
                self.write("experiment.yaml", hostile_experiment(suspects=2).split("families:")[0].replace(
                    "name: hostile\n", "name: hostile\nextends: mindspore\n") + f"suspects: {{op_precision: ['{name}']}}\n")
                self.assertIn("where it is delivered" if "=" in name else "a meaning of its own in the file",
                              self.bisectd("check", "experiment.yaml", code=2).err)


if __name__ == "__main__":
    unittest.main()
