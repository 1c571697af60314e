"""`hold`: seeds and deterministic kernels, the same in every run of both sides, before a script draws its first number."""
import subprocess
import sys
import unittest

from space import SOURCE, Space, hostile_experiment

SHIMS = SOURCE / "configs/presets/python"


class Hold(Space):
    def held(self, hold, **more):
        return hostile_experiment("--cause", "op3=3", extra=f"hold: {hold}", **more).replace("name: hostile\n", "name: hostile\nextends: generic\n")

    def test_both_sides_have_it_and_the_report_says_so(self):
        self.write("experiment.yaml", self.held("{seed: 1024}"))
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.report()["held"], ["seed 1024"])
        scripts = list(self.run_folder().glob("trials/*/attempt-*/command.sh"))
        self.assertGreater(len(scripts), 3)
        for script in scripts:
            self.assertIn("export BISECTD_HOLD_SEED=1024\n", script.read_text())
            self.assertIn("export PYTHONHASHSEED=1024\n", script.read_text())
        self.assertIn("held on both sides: `seed 1024`", self.bisectd("report", self.run_folder(), "-f", "md", code=0).out)
        self.assertIn("seed 1024", (self.run_folder() / "report.html").read_text())

    def test_what_a_preset_cannot_hold(self):
        self.write("experiment.yaml", self.held("{deterministic: true}"))
        self.assertRegex(self.bisectd("run", "experiment.yaml", code=2).err, r"experiment.yaml:\d+:\d+: nothing says how `deterministic` is held")

    def python(self, code, **environment):
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True,
                              env=self.environment({"PYTHONPATH": str(SHIMS), **environment}))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def test_python_and_its_hashes(self):
        draw = "import random; print(random.random(), hash('a'))"
        first, said = self.python(draw, BISECTD_HOLD_SEED="7", PYTHONHASHSEED="7")
        self.assertIn("bisectd: held python: seed 7\n", said)
        self.assertEqual(self.python(draw, BISECTD_HOLD_SEED="7", PYTHONHASHSEED="7")[0], first)
        self.assertNotEqual(self.python(draw, BISECTD_HOLD_SEED="8", PYTHONHASHSEED="8")[0], first)
        self.assertNotEqual(self.python(draw)[0], first)

    def test_a_framework_is_held_once_it_is_imported(self):
        self.write("modules/torch/__init__.py", """
            calls = []
            def manual_seed(seed): calls.append(("seed", seed))
            def use_deterministic_algorithms(on, warn_only=False): calls.append(("deterministic", on, warn_only))
            class backends:
                class cudnn:
                    deterministic, benchmark = False, True
            """)
        self.write("modules/torch_npu.py", "import torch\ntorch.npu = type('npu', (), {'manual_seed_all': lambda seed: torch.calls.append(('npu', seed))})\n")
        path = f"{SHIMS}:{self.folder / 'modules'}"
        said, _ = self.python("import torch, torch_npu; print(torch.calls)", PYTHONPATH=path, BISECTD_HOLD_SEED="7")
        self.assertEqual(said, "[('seed', 7), ('npu', 7)]\n")
        said, _ = self.python("import torch; print(torch.calls, torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark)",
                              PYTHONPATH=path, BISECTD_HOLD_SEED="7", BISECTD_HOLD_DETERMINISTIC="1")
        self.assertEqual(said, "[('seed', 7), ('deterministic', True, True)] True False\n")
        self.assertEqual(self.python("import torch; print(torch.calls)", PYTHONPATH=path)[0], "[]\n")

    def test_a_seed_that_is_none_ends_the_training(self):
        done = subprocess.run([sys.executable, "-B", "-c", "print('trained')"], capture_output=True, text=True,
                              env=self.environment({"PYTHONPATH": str(SHIMS), "BISECTD_HOLD_SEED": "x"}))
        self.assertEqual((done.returncode, done.stdout), (3, ""))


if __name__ == "__main__":
    unittest.main()
