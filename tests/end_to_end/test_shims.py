"""The shims that presets put on PYTHONPATH, without a framework: when they are installed, and what modules are called."""
import gc
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import types
import unittest
from importlib.machinery import SourceFileLoader

SHIMS = pathlib.Path(__file__).resolve().parents[2] / "configs/presets/python"

# By its path: with the folder on sys.path, Python would take its sitecustomize for everybody's.
bisectd_modules = SourceFileLoader("bisectd_modules", str(SHIMS / "bisectd_modules.py")).load_module()

MINDSPORE = """\
class device_context:
    class ascend:
        class op_precision:
            conv_allow_hf32 = staticmethod(lambda value: print("conv_allow_hf32", value))
class context:
    set_context = staticmethod(lambda **settings: print("context", settings))
set_context = context.set_context
VERSION = "stub"
"""


class Installing(unittest.TestCase):
    """With a module that stands in for mindspore, whose shim makes calls that can be seen."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("mindspore.py", MINDSPORE)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def run_code(self, code, *folders, first=(), **environment):
        path = os.pathsep.join(map(str, [*(first or [SHIMS]), *folders, self.folder]))
        environment = {"BISECTD_MS_conv_allow_hf32": "0", **environment}
        self.last = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
                                   env={**os.environ, "PYTHONPATH": path, **environment})
        return [line for line in self.last.stdout.splitlines() if not line.startswith("bisectd-mindspore: ")]

    def test_the_older_call_of_a_script_does_not_undo_what_is_set(self):
        """MindSpore takes both, and the last one counts."""
        said = self.run_code("""\
            import mindspore
            from mindspore import context
            mindspore.set_context(ascend_config={"conv_allow_hf32": True})
            context.set_context(mode=1, ascend_config={"conv_allow_hf32": True, "op_debug_config": "x"}, deterministic="OFF")
            context.set_context()""")
        self.assertEqual(said, ["conv_allow_hf32 False",
                                "context {'mode': 1, 'ascend_config': {'op_debug_config': 'x'}, 'deterministic': 'OFF'}", "context {}"])
        self.assertEqual(self.last.stdout.count("left out what the script sets conv_allow_hf32 to: it is 0 in this run"), 2)

    def test_what_bisectd_set_and_the_training_has_otherwise(self):
        code = "import os; os.environ['A'] = '2'; import mindspore"
        settings = '{"A": "0", "B": "1", "C": null, "D": null, "E": "x"}'
        said = self.run_code(code, BISECTD_SETTINGS=settings, B="1", C="3")
        self.assertEqual([line for line in said if line.startswith("bisectd: ")],
                         ["bisectd: cannot set A: it was set to '0', and the training has '2'",
                          "bisectd: cannot set C: it was unset, and the training has '3'",
                          "bisectd: cannot set E: it was set to 'x', and the training does not have it"])

    def test_after_the_import(self):
        self.assertEqual(self.run_code("import mindspore; print('trains')"), ["conv_allow_hf32 False", "trains"])

    def test_after_somebody_looked_whether_there_is_such_a_module(self):
        code = """\
            import importlib.util
            for _ in range(2):
                found = importlib.util.find_spec("mindspore")
                print(found.name, found.origin.endswith("mindspore.py"), "VERSION" in found.loader.get_source("mindspore"))
            import mindspore
            import mindspore, importlib
            importlib.reload(mindspore)
            print(type(mindspore.__loader__).__name__, type(mindspore.__spec__.loader).__name__)"""
        self.assertEqual(self.run_code(code), ["mindspore True True"] * 2 + ["conv_allow_hf32 False"] +
                         ["SourceFileLoader SourceFileLoader"], self.last.stderr)

    def test_an_import_that_fails_at_first(self):
        self.write("mindspore.py", "import os\nassert os.environ.pop('BROKEN', None) is None\n" + MINDSPORE)
        code = """\
            try: import mindspore
            except AssertionError: print("broken")
            import mindspore"""
        self.assertEqual(self.run_code(code, BROKEN="1"), ["broken", "conv_allow_hf32 False"])

    def test_a_lazy_import(self):
        code = """\
            import importlib.util, sys
            spec = importlib.util.find_spec("mindspore")
            spec.loader = importlib.util.LazyLoader(spec.loader)
            module = importlib.util.module_from_spec(spec)
            sys.modules["mindspore"] = module
            spec.loader.exec_module(module)
            print("not yet")
            print(module.VERSION)"""
        self.assertEqual(self.run_code(code), ["not yet", "conv_allow_hf32 False", "stub"], self.last.stderr)

    def test_a_module_that_was_there_before(self):
        self.write("site/sitecustomize.py", "import mindspore\n")
        self.assertEqual(self.run_code("print('trains')", self.folder / "site"), ["conv_allow_hf32 False", "trains"])

    def test_a_hidden_sitecustomize_that_fails_is_shown_and_ends_no_shim(self):
        self.write("site/sitecustomize.py", "print('hidden')\nraise ValueError('of the site')\n")
        self.assertEqual(self.run_code("import mindspore; print('trains')", self.folder / "site"),
                         ["hidden", "conv_allow_hf32 False", "trains"])
        self.assertIn("of the site", self.last.stderr)

    def test_several_folders_of_bisectds_install_once(self):
        """A workaround that was exported names the folder of the bisectd that found it: that of the run by another name, or of another version."""
        self.write("site/sitecustomize.py", "print('hidden')\n")
        shutil.copytree(SHIMS, self.folder / "copy")
        shutil.copytree(SHIMS, self.folder / "older")
        older = (SHIMS / "sitecustomize.py").read_text().replace("not is_of_a_bisectd(entry)", "os.path.abspath(entry) != os.path.dirname(__file__)")
        self.write("older/sitecustomize.py", older.replace("if not is_second():", "if True:"))
        (self.folder / "link").symlink_to(SHIMS)
        for names in ["link", "link", "copy", "older"], ["copy", "older"], ["older", "link"], ["older", "copy", "link"]:
            first, *folders = (self.folder / name for name in [*names, "site"])
            said = self.run_code("import mindspore; print('trains')", *folders, first=[first])
            self.assertEqual((said, self.last.stderr), (["hidden", "conv_allow_hf32 False", "trains"], ""), names)

    def test_a_shim_that_cannot_be_installed_ends_the_training_whatever_it_catches(self):
        self.write("mindspore.py", "")
        code = """\
            try: import mindspore
            except Exception: pass
            print("trains")"""
        self.assertEqual(self.run_code(code), [])
        self.assertEqual(self.last.returncode, 3)
        self.assertIn("bisectd: the shim bisectd_mindspore cannot be installed", self.last.stderr)

    def test_nothing_is_asked_for(self):
        self.assertEqual(self.run_code("import mindspore, sys; print(len(sys.meta_path))", BISECTD_MS_conv_allow_hf32=""),
                         [str(len(sys.meta_path))])


class Module:
    """Calls the modules within it, in order, then does what `then` says."""

    training = True

    def __init__(self, then=None, **inner):
        self.then, self.inner = then, inner

    def named(self, prefix=""):
        for name, module in self.inner.items():
            yield prefix + name, module
            yield from module.named(f"{prefix}{name}.")

    def forward(self):
        for module in self.inner.values():
            modules(module)
        if self.then:
            self.then()


class Generator(Module):
    pass


class Discriminator(Module):
    pass


class Dropout(Module):
    p = 0.5


class Sequential(Module):
    pass


class Framework(bisectd_modules.Framework):
    kind, tensor, module, parts, sequential, dropouts = "module", types.SimpleNamespace, Module, "inner", Sequential, Dropout

    def __init__(self):
        self.drawn, self.lines = 0, []

    def named(self, root):
        return root.named()

    def random_states(self):
        return self.drawn

    def say(self, text):
        self.lines.append(text)

    def draw(self):
        self.drawn += 1


modules = None


class Calling(unittest.TestCase):
    def setUp(self):
        global modules
        self.framework = Framework()
        modules = bisectd_modules.Modules(self.framework, lambda module: module.forward(), [], listing=True)

    def listed(self, *called):
        for module in called:
            modules(module)
        names = [line.split()[2] for line in self.framework.lines]
        self.framework.lines.clear()
        return names

    def test_the_class_stands_before_a_name_that_another_outermost_module_gave(self):
        generator, discriminator = Generator(conv1=Module(), out=Module()), Discriminator(conv1=Module(), judge=Module())
        self.assertEqual(self.listed(generator, discriminator, generator),
                         ["conv1", "out", "Generator", "Discriminator.conv1", "judge", "Discriminator"])
        self.assertEqual(self.listed(generator, discriminator), [])

    def test_two_that_are_only_called_sequential(self):
        self.assertEqual(self.listed(Sequential(a=Module()), Sequential(a=Module(), b=Module())), ["a", "Sequential.a", "b"])

    def test_parts_that_are_called_past_their_model_have_its_names(self):
        model = Generator(encoder=Sequential(a=Module()), decoder=Sequential(a=Module()))  # as Lightning's training_step
        around = Discriminator(model=model)
        self.assertEqual(self.listed(model.inner["encoder"], model.inner["decoder"]), ["model.encoder.a", "model.decoder.a"])
        self.assertEqual(self.listed(around), ["model", "Discriminator"])

    def test_a_module_made_anew_in_every_step_has_one_name_and_is_not_kept_alive(self):
        class Loss(Module):
            pass

        kept = Generator(conv1=Module())
        for _ in range(100):
            modules(kept)
            modules(Loss(part=Module()))
        gc.collect()
        self.assertEqual(self.listed(), ["conv1", "Generator", "part", "Loss"])
        self.assertEqual(len(modules.names.by_id), 2)
        self.assertEqual(sum(isinstance(one, Loss) for one in gc.get_objects()), 0)

    def test_what_draws_random_numbers_is_not_offered(self):
        draw = self.framework.draw
        inner = Module(draw)
        model = Module(named=Dropout(), draws=inner, around=Module(calls=inner), safe=Module())
        self.assertEqual(self.listed(model, model), ["around", "safe", "Module"])
        off = Dropout()
        off.training = False
        self.assertEqual(self.listed(Module(off=off)), ["off", "Module.Module"])

    def test_a_module_that_draws_after_one_within_it_was_seen_before(self):
        seen = Module(self.framework.draw)
        self.assertEqual(self.listed(seen), [])
        self.assertEqual(self.listed(Generator(inner=seen)), ["Generator"])
        self.assertEqual(self.listed(Discriminator(self.framework.draw, inner=seen)), [])

    def test_what_ends_the_training_is_listed(self):
        def die():
            raise RuntimeError

        with self.assertRaises(RuntimeError):
            modules(Generator(conv1=Module(), broken=Module(die)))
        self.assertEqual(self.listed(), ["conv1", "broken", "Generator"])

    def test_threads_do_not_see_each_other_s_calls(self):
        entered, go = threading.Event(), threading.Event()

        def wait():
            entered.set()
            go.wait(10)

        thread = threading.Thread(target=lambda: modules(Generator(wait)))
        thread.start()
        entered.wait(10)
        levels = []
        modules(Discriminator(lambda: levels.extend(level.name for level in modules.calls.levels)))
        go.set()
        thread.join()
        self.assertEqual(levels, ["Discriminator"])


if __name__ == "__main__":
    unittest.main()
