"""`hold`: seeds and deterministic kernels, the same in every run of both sides, before a script draws its first number."""
import shutil
import subprocess
import sys
import unittest

from space import SOURCE, Space, hostile_experiment

SHIMS = SOURCE / "configs/presets/python"


# As strict as the real ones, whose errors these are: MindSpore 2.10, TensorFlow 2.21 (both tried by hand: docs of the presets).
MINDSPORE = """
    import os, random
    drawn, configured = random.Random(os.urandom(8)), []
    def set_seed(seed):
        if type(seed) is not int:
            raise TypeError("The argument 'seed' must be type of int, but got %s." % type(seed))
        if not 0 <= seed < 2 ** 32:
            raise ValueError("Seed must be between 0 and 2**32 - 1")
        drawn.seed(seed)
    def set_deterministic(deterministic):
        if type(deterministic) is not bool:
            raise TypeError("The parameter 'deterministic' must be <class 'bool'>, but got %s" % type(deterministic))
        if configured:
            raise RuntimeError("The 'mindspore.set_deterministic' can not be set repeatedly.")
        configured.append(deterministic)
    class context:
        @staticmethod
        def set_context(deterministic=None):
            if deterministic:
                configured[:] = [deterministic == "ON"]  # without a word
    set_context = context.set_context
    def noise():
        return 0 if configured == [True] else random.Random(os.urandom(8)).random()
    """
TENSORFLOW = """
    import os, random as python, sys
    class Graph:
        seed = None
        def draw(self):
            return python.Random(os.urandom(8) if self.seed is None else self.seed).random()
    eager = Graph()
    def set_global_seed(seed):
        eager.seed = int(seed)
    random = type(sys)("random")
    VERSION_1 = os.environ.get("TENSORFLOW") == "1"
    class compat:
        class v1:
            set_random_seed = staticmethod(set_global_seed)
    if not VERSION_1:
        random.set_seed = set_global_seed
    def noise():
        return 0 if os.environ.get("TF_DETERMINISTIC_OPS") == "1" else python.Random(os.urandom(8)).random()
    """


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

    def two_sides(self, preset, framework, script, hold, environment="{}"):
        """Both sides run the script on a framework that draws anew in each run without a seed, and whose kernels do without being
        deterministic."""
        name, module = framework
        self.write(f"modules/{name}.py", module)
        self.write("train.py", script + """
for step in range(1, 31):
    print(f"step {step} loss {3 / step + draw() + noise():.6f}", flush=True)
""")
        side = f"command: [{sys.executable}, -B, train.py], environment: {environment}"
        self.write("experiment.yaml", f"""\
            version: 1
            name: held
            extends: {preset}
            reference: {{{side}, repeats: 2}}
            subject: {{{side}, devices: {{ids: [0]}}}}
            steps: 30
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            perturb: none
            {hold}
            suspects: {{op_precision: [MatMul]}}
            """)
        self.bisectd("run", "experiment.yaml", code=None, environment={"PYTHONPATH": str(self.folder / "modules")})
        logs = [path.read_text() for path in sorted(self.run_folder().glob("trials/*/attempt-*/stdout.log"))]
        self.assertGreaterEqual(len(logs), 3)
        return [[line for line in log.splitlines() if line.startswith("step ")] for log in logs], logs

    def assert_held(self, preset, framework, script, **more):
        curves, _ = self.two_sides(preset, framework, script, "hold: {seed: 7, deterministic: true}", **more)
        self.assertEqual([curve for curve in curves if curve != curves[0] or len(curve) != 30], [])
        self.assertEqual(self.report()["outcome"], "aligned")
        alone = self.environment({"PYTHONPATH": str(self.folder / "modules")})
        once, again = (subprocess.run([sys.executable, "-B", "train.py"], cwd=self.folder, env=alone, capture_output=True).stdout for _ in "12")
        self.assertNotEqual(once, again)

    def test_mindspore_on_both_sides_by_its_preset(self):
        script = "import mindspore\nfrom mindspore import noise\ndraw = mindspore.drawn.random\n"
        self.assert_held("mindspore", ("mindspore", MINDSPORE), script)
        shutil.rmtree(self.folder / "bisectd-out")
        for own in ("mindspore.set_deterministic(deterministic=False)", "mindspore.context.set_context(deterministic='OFF')"):
            with self.subTest(own):
                curves, logs = self.two_sides("mindspore", ("mindspore", MINDSPORE), f"{script}{own}\n", "hold: {seed: 7, deterministic: true}")
                self.assertEqual([curve for curve in curves if curve != curves[0]], [])
                for log in logs:
                    self.assertIn("bisectd-mindspore: set deterministic to 1\nbisectd-mindspore: left out what the script sets deterministic to", log)
                shutil.rmtree(self.folder / "bisectd-out")

    def test_tensorflow_on_both_sides_by_its_preset(self):
        for version in "21":
            with self.subTest(version):
                script = "import tensorflow\nfrom tensorflow import noise\ndraw = tensorflow.eager.draw\n"
                self.assert_held("tensorflow-ge", ("tensorflow", TENSORFLOW), script, environment=f"{{TENSORFLOW: '{version}'}}")
                shutil.rmtree(self.folder / "bisectd-out")

    def test_graphs_that_tensorflow_makes_later(self):
        script = "import tensorflow\nfrom tensorflow import noise\ndraw = tensorflow.Graph().draw\n"
        curves, _ = self.two_sides("tensorflow-ge", ("tensorflow", TENSORFLOW), script, "hold: {seed: 7, deterministic: true}")
        self.assertEqual([curve for curve in curves if curve != curves[0]], [])

    def test_a_seed_that_the_script_gives_a_graph_stands(self):
        self.write("modules/tensorflow.py", TENSORFLOW)
        said, _ = self.python("import tensorflow as tf, random; g = tf.Graph(); g.seed = 5; print(g.draw() == random.Random(5).random())",
                              PYTHONPATH=f"{SHIMS}:{self.folder / 'modules'}", BISECTD_HOLD_SEED="7")
        self.assertEqual(said, "True\n")

    def test_deterministic_kernels_of_the_graph_engine_on_both_sides(self):
        """The helper that takes the option is on both sides, whatever the suspects are, and it is an integer there."""
        script = "import bisectd_ge\nprint(bisectd_ge.options())\ndraw = noise = lambda: 0\n"
        for hold in ("hold: {deterministic: true}", "hold: {seed: 7, deterministic: true}"):
            _, logs = self.two_sides("tensorflow-ge", ("tensorflow", TENSORFLOW), script, hold)
            for log in logs:
                self.assertIn("{'deterministic': 1}\n", log)
            shutil.rmtree(self.folder / "bisectd-out")

    def test_a_seed_that_is_none_ends_the_training(self):
        done = subprocess.run([sys.executable, "-B", "-c", "print('trained')"], capture_output=True, text=True,
                              env=self.environment({"PYTHONPATH": str(SHIMS), "BISECTD_HOLD_SEED": "x"}))
        self.assertEqual((done.returncode, done.stdout), (3, ""))


if __name__ == "__main__":
    unittest.main()
