"""Presets of stacks that need CANN, with a stand-in training that honours CANN's documented files and variables: what
bisectd writes is read by json and configparser there, and what that training leaves is read by bisectd."""
import configparser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import unittest

from space import SOURCE, Space, hostile_experiment

sys.path.insert(0, str(SOURCE / "tests/stacks"))
import ge_fronts  # noqa: E402
from ge_trainer import FIRED  # noqa: E402

TRAINER = SOURCE / "tests/stacks/ge_trainer.py"
PRESETS = SOURCE / "configs/presets"


class GraphEngineSpace(Space):
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


class GraphEngine(GraphEngineSpace):
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

    def test_the_level_of_optimisation(self):
        report, _ = self.find("level:O3", "{flags: [oo_level, deterministic], mixlist: [MatMul]}")
        self.assertEqual(self.culprits(report), ["flags:oo_level"])

    def test_every_front_reads_options_in_their_types(self):
        for front in ("session", "estimator", "tf2"):
            with self.subTest(front):
                report, _ = self.find("deterministic:0", "{flags: [oo_level, deterministic]}", f"front={front}")
                self.assertEqual(self.culprits(report), ["flags:deterministic"])
                report, _ = self.find(f"fusion:{FIRED[17]}", "{fusion: {discover: true}}", f"front={front}")
                self.assertEqual(self.culprits(report), [f"fusion:{FIRED[17]}"])

    def test_a_session_ignores_an_option_of_another_type(self):
        parameters = ge_fronts.Parameters()
        parameters["deterministic"].s = b"1"
        self.assertEqual(parameters.as_read()["deterministic"], "0")
        with self.assertRaises(TypeError):
            ge_fronts.run_config(no_such=1)
        with self.assertRaises(TypeError):
            parameters["deterministic"].i = "1"

    def test_the_helper_gives_nothing_outside_bisectd(self):
        code = "import bisectd_ge; print(bisectd_ge.options())"
        given = lambda **more: subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                              env={**os.environ, "PYTHONPATH": str(PRESETS / "python"), **more}).stdout
        self.assertEqual(given(), "{}\n")
        self.assertEqual(given(BISECTD_GE_oo_level="O1", OTHER="x"), "{'oo_level': 'O1'}\n")
        self.assertEqual(given(BISECTD_GE_deterministic="1"), "{'deterministic': 1}\n")
        self.assertEqual(given(BISECTD_GE_oo_constant_folding="false"), "{'oo_constant_folding': False}\n")

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
        page = (SOURCE / "configs/presets/tensorflow-ge.md").read_text()
        shown = next(block for block in page.split("```yaml\n")[1:] if "customize_dtypes" in block).split("```")[0]
        report, _ = self.find("dtype:MatMul", "{dtypes: [MatMul, Add, Mul, Sub]}",
                              families=textwrap.indent(shown, " " * 12).lstrip())
        self.assertEqual(self.culprits(report), ["dtypes:MatMul"])
        text = self.workaround_file(report, "dtypes.cfg").read_text()
        self.assertEqual(text, "OpType::MatMul:InputDtype:float32,float32,OutputDtype:float32\n")

    def test_the_old_switch_file_as_the_page_shows_it(self):
        page = (SOURCE / "configs/presets/tensorflow-ge.md").read_text()
        shown = page.split("```yaml\n")[-1].split("```")[0]
        self.experiment("", f"{{fusion_text: [{FIRED[2]}]}}", families=textwrap.indent(shown, " " * 12).lstrip())
        self.bisectd("check", "experiment.yaml", code=0)


class Torchair(GraphEngineSpace):
    """The same through torchair's CompilerConfig, which the shim of torch-npu fills in. No line in the script asks for it."""

    def find(self, guilty, suspects, *options, **more):
        return super().find(guilty, suspects, "front=torchair", *options, extends="torch-npu", **more)

    def test_a_pass_in_the_switch_file(self):
        report, _ = self.find(f"fusion:{FIRED[17]}", "{fusion: {discover: true}}")
        self.assertEqual(self.culprits(report), [f"fusion:{FIRED[17]}"])
        self.assertEqual(len(report["suspects"]), 40)

    def test_a_pass_that_only_the_option_closes(self):
        always = f"always_on={FIRED[2]}"
        members = "[" + ", ".join(FIRED[:5]) + "]"
        report, _ = self.find(f"fusion:{FIRED[2]}", f"{{fusion: {members}}}", always, code=3)
        self.assertEqual([one["name"] for one in report["no_effect"]], [FIRED[2]])
        report, _ = self.find(f"fusion:{FIRED[2]}", f"{{optimization_switch: {members}}}", always)
        self.assertEqual(self.culprits(report), [f"optimization_switch:{FIRED[2]}"])

    def test_passes_known_to_stay_on(self):
        report, _ = self.find(f"fusion:{FIRED[2]}", f"{{fusion: [{FIRED[2]}, {FIRED[3]}, EinsumPass]}}")
        self.assertEqual([one["name"] for one in report["no_effect"]], ["EinsumPass"])

    def test_the_level_of_optimisation(self):
        report, _ = self.find("level:O3", f"{{graph_flags: all, optimization_switch: [{FIRED[2]}]}}")
        self.assertEqual(self.culprits(report), ["graph_flags:oo_level"])


    def test_the_copy_within_torch_npu_and_a_configuration_made_in_another_way(self):
        for name in ("torch_npu/__init__.py", "torch_npu/dynamo/__init__.py"):
            self.write(name, "")
        shutil.copytree(SOURCE / "tests/stacks/torchair", self.folder / "torch_npu/dynamo/torchair")
        self.write("torch_npu/dynamo/torchair/__init__.py", "from .configs.compiler_config import CompilerConfig\n")
        code = ("from torch_npu.dynamo import torchair; import bisectd_torchair\n"
                "print(torchair.CompilerConfig().ge_config.oo_level.value)\n"
                "print(type(torchair.CompilerConfig()).__init__.__name__)\n"
                "import types; mine = types.SimpleNamespace(ge_config=types.SimpleNamespace())\n"
                "bisectd_torchair.configure(mine); print(mine.ge_config.oo_level)\n")
        said = lambda **more: subprocess.run([sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True,
                                             env={**os.environ, "PYTHONPATH": str(PRESETS / "python"), **more})
        done = said(BISECTD_TORCHAIR_oo_level="O1")
        lines = [line for line in done.stdout.splitlines() if line != "bisectd-torchair: set oo_level to O1"]
        self.assertEqual(lines, ["O1", "make_and_configure", "O1"], done.stderr)
        self.assertEqual(said().stdout.splitlines()[:2], ["O3", "__init__"])

    def test_a_value_that_the_option_cannot_have_ends_the_training(self):
        done = subprocess.run([sys.executable, TRAINER, "npu", "front=torchair"], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(PRESETS / "python"), "BISECTD_TORCHAIR_oo_level": "O7"})
        self.assertIn("'O7' is not one of", done.stderr)
        self.assertNotIn("step", done.stdout)


class Inductor(Space):
    """What the preset torch-npu does to torch.compile, with a stand-in that honours torch_npu's variables."""

    def find(self, guilty, suspects):
        trainer = SOURCE / "tests/stacks/inductor_trainer.py"
        self.write("experiment.yaml", f"""\
            version: 1
            name: inductor
            extends: torch-npu
            reference: {{command: [{sys.executable}, {trainer}], repeats: 2}}
            subject: {{command: [{sys.executable}, {trainer}, npu, guilty={guilty}], devices: {{ids: [0, 1, 2]}}}}
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            suspects: {suspects}
            """)
        self.bisectd("run", "experiment.yaml", code=1)
        return self.report()

    def test_a_pass_that_a_run_showed(self):
        report = self.find("pass:fold_clone", "{fx_passes: {discover: true}}")
        self.assertEqual(self.culprits(report), ["fx_passes:fold_clone"])
        self.assertEqual(len(report["suspects"]), 5)
        self.assertEqual(report["no_effect"], [])

    def test_all_passes_that_the_preset_knows(self):
        report = self.find("pass:view_fold_pass", "{fx_passes: all}")
        self.assertEqual(self.culprits(report), ["fx_passes:view_fold_pass"])
        self.assertEqual(len(report["suspects"]), 25)

    def test_an_operator_left_to_aten(self):
        report = self.find("op:aten.div", "{inductor_fallback: [aten.div, aten.add.Tensor, aten.mul.Tensor]}")
        self.assertEqual(self.culprits(report), ["inductor_fallback:aten.div"])
        environment = {one["name"]: one["value"] for one in report["workaround"]["environment"]}
        self.assertEqual(environment["NPU_INDUCTOR_FALLBACK_LIST"], "aten.div")


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

    def test_settings_that_are_calls(self):
        self.write("mindspore.py", """\
            def recorder(name):
                return lambda value: print(name, repr(value))
            class device_context:
                class ascend:
                    class op_precision:
                        pass
            for name in ("precision_mode", "op_precision_mode", "matmul_allow_hf32", "conv_allow_hf32"):
                setattr(device_context.ascend.op_precision, name, staticmethod(recorder(name)))
            def set_deterministic(value):
                import os
                print("deterministic", value)
                os.environ["HCCL_DETERMINISTIC"] = os.environ["TE_PARALLEL_COMPILER"] = "true"  # as mindspore 2.7.1 does
            class context:
                set_context = staticmethod(lambda **settings: print("context", settings))
            set_context = context.set_context
            """)
        switches = json.loads(self.bisectd("families", "mindspore", "--json", code=0).out)["flags"]["switches"].values()
        called = {one["delivery"].removeprefix("variable "): one["safe"] for one in switches
                  if "BISECTD_MS_" in one["delivery"]}
        said = lambda code="import mindspore", **more: subprocess.run([sys.executable, "-c", code], cwd=self.folder, capture_output=True,
                                             text=True, env={**os.environ, "PYTHONPATH": str(PRESETS / "python"), **more})
        done = said(**called, BISECTD_MS_op_precision_mode="/x/op_precision.ini")
        lines = [line for line in done.stdout.splitlines() if not line.startswith("bisectd-mindspore: set ")]
        self.assertEqual(sorted(lines), ["conv_allow_hf32 False", "deterministic True", "matmul_allow_hf32 False",
                                         "op_precision_mode '/x/op_precision.ini'", "precision_mode 'must_keep_origin_dtype'"],
                         done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 10)
        self.assertEqual(said().stdout, "")

        collectives = lambda **more: said("import mindspore, os; print(os.environ.get('HCCL_DETERMINISTIC'))", BISECTD_MS_deterministic="1",
                                          **more).stdout.splitlines()[-1]
        self.assertEqual([collectives(), collectives(HCCL_DETERMINISTIC="false")], ["None", "false"], "a suspect of its own")

    def test_the_level_of_amp_as_the_page_shows_it(self):
        page = (PRESETS / "mindspore.md").read_text()
        shown = page.split("```yaml\n")[1].split("```")[0]
        text = hostile_experiment("--noise", "0", suspects=2).replace("name: hostile\n", "name: hostile\nextends: mindspore\n")
        end = text.index("]", text.index("subject:"))
        text = text[:end] + ', "{arguments}"' + text[end:]
        text = text[:text.index("families:")] + shown
        self.write("experiment.yaml", text + "suspects: {amp: all, amp_black: [BatchNorm, Softmax]}\n")
        # The training has no such options and leaves: what it was given is what counts.
        judged = json.loads(self.bisectd("trial", "experiment.yaml", "--off", "amp:amp_level,Softmax", "--json", code=4).out)
        command = (pathlib.Path(judged["attempts"][0]) / "command.sh").read_text()
        self.assertIn("--amp-level=O0", command)
        self.assertIn("--amp-black-list=Softmax", command)

    def test_the_precision_mode_of_a_device_without_float32_products(self):
        """As the pages show it: must_keep_origin_dtype ends a run there."""
        for preset, variable, value in (("mindspore", "BISECTD_MS_precision_mode", "force_fp32"),
                                        ("tensorflow-ge", "BISECTD_GE_precision_mode", "cube_fp16in_fp32out")):
            with self.subTest(preset):
                shown = re.search(r"`(families: .*precision_mode: .*)`", (PRESETS / f"{preset}.md").read_text())
                text = hostile_experiment(suspects=2).split("families:")[0].replace("name: hostile\n", f"name: hostile\nextends: {preset}\n")
                self.write("experiment.yaml", text + shown[1] + "\nsuspects: {flags: all}\n")
                judged = json.loads(self.bisectd("trial", "experiment.yaml", "--off", "precision_mode", "--json", code=0).out)
                lines = (pathlib.Path(judged["attempts"][0]) / "environment.txt").read_text().replace("'", "").splitlines()
                self.assertIn(f"{variable}={value}", lines)

    def test_names_that_the_ini_file_could_not_hold(self):
        for name in ("#c", "[d]", "a:b", "a;b", "a=b"):
            with self.subTest(name):
                self.write("experiment.yaml", hostile_experiment(suspects=2).split("families:")[0].replace(
                    "name: hostile\n", "name: hostile\nextends: mindspore\n") + f"suspects: {{op_precision: ['{name}']}}\n")
                self.assertIn("where it is delivered" if "=" in name else "a meaning of its own in the file",
                              self.bisectd("check", "experiment.yaml", code=2).err)


if __name__ == "__main__":
    unittest.main()
