"""`bisectd align --from`: two folders that msprobe dumped into, without a framework."""
import json
import math
import shutil
import unittest

from browser import CHROMIUM, Browser
from space import HOSTILE, Space
from test_page import CONTRASTS


def tensor(size=1.0, count=4, **more):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [count], "Max": size, "Min": -size, "Mean": 0.0,
            "Norm": size * math.sqrt(count), "requires_grad": True, **more}


def step(conv=1.0, gelu=1.0, head=1.0, gelu_gradient=1.0, remnant=1e-9, data=1.0, forward=()):
    """A convolution, a function, a linear layer, their backward in its own order, and the optimizer."""
    scalar = {"type": "int", "value": 1}
    return {
        "Functional.conv2d.0.forward": {"input_args": [tensor(data), [scalar, scalar]], "input_kwargs": {}, "output": [tensor(conv)]},
        "Module.conv.Conv2d.forward.0": {"input_args": [tensor(data)], "input_kwargs": {}, "output": [tensor(conv)],
                                         "parameters": {"weight": tensor(0.5), "bias": tensor(0.25)}},
        **dict(forward),
        "Functional.gelu.0.forward": {"input_args": [tensor(conv)], "input_kwargs": {}, "output": [tensor(gelu)]},
        "Module.head.Linear.forward.0": {"input_args": [tensor(gelu)], "input_kwargs": {}, "output": [tensor(head)],
                                         "parameters": {"weight": tensor(0.5)}},
        "Module.head.Linear.parameters_grad.0": {"weight": [tensor(2.0)]},
        "Functional.gelu.0.backward": {"input": [tensor(1.0)], "output": [tensor(gelu_gradient)]},
        "Functional.conv2d.0.backward": {"input": [tensor(gelu_gradient)], "output": [None, tensor(2.0), tensor(remnant)]},
        "Module.conv.Conv2d.parameters_grad.0": {"weight": [tensor(2.0)], "bias": [tensor(remnant)]},
        "Tensor.add_.0.forward": {"input_args": [tensor(gelu_gradient)], "input_kwargs": {}, "output": [tensor(gelu_gradient)]},
    }


CONSTRUCT = {"Functional.conv2d.0.forward": "Module.conv.Conv2d.forward.0", "Module.conv.Conv2d.forward.0": None}


class Sides(Space):
    def dump(self, folder, data=None, construct=None):
        content = {"task": "statistics", "level": "mix", "framework": "pytorch", "dump_data_dir": None, "data": data or step()}
        self.write(f"{folder}/dump.json", json.dumps(content, indent=1))
        self.write(f"{folder}/construct.json", json.dumps(CONSTRUCT if construct is None else construct))

    def align(self, *options, code, **subject):
        for side in ("gpu", "npu"):
            shutil.rmtree(self.folder / side, ignore_errors=True)
        self.dump("gpu/step0/rank0")
        self.dump("npu/step0/rank0", step(**subject))
        return self.bisectd("align", "--from", "gpu", "npu", *options, code=code)

    def result(self, code, **subject):
        return json.loads(self.align("--json", code=code, **subject).out)


    def odds(self, found):
        self.write("experiment.yaml", f"""\
            version: 1
            name: odds
            reference: {{command: [{HOSTILE}]}}
            subject: {{command: [{HOSTILE}]}}
            metric: {{loss: {{format: paddleocr}}}}
            families: {{ops: {{kind: list, deliver: {{environment: OFF, separator: ","}}}}}}
            suspects: {{ops: {{members: [conv, conv2d, gelu], likely: {{from: {found}}}}}}}
            """)
        return self.bisectd("check", "experiment.yaml", code=0).out


class Dumps(Sides):
    def test_a_forward_deviation(self):
        done = self.align(code=1, gelu=1.05, head=1.05)
        self.assertIn("forward: the first module that deviates is Functional.gelu (gelu): its output is 5 % off, the bound is 1 %", done.out)
        self.assertIn("only the bound decides", done.out)
        self.assertNotIn("healthy runs up to", done.out)
        for bound in ("10", "10%"):
            self.align("--bound", bound, code=0, gelu=1.05, head=1.05)
        self.align("--bound", "0.1%", code=1, gelu=1.005)
        for bound in ("0%", "x%", "%", "101%"):
            self.assertIn("--bound", self.align("--bound", bound, code=2).err)

    def test_a_function_is_computed_by_the_module_that_called_it(self):
        result = self.result(1, conv=1.05)
        self.assertEqual([result["forward"][key] for key in ("module", "caller")], ["Functional.conv2d", "conv"])
        found, = self.folder.glob("bisectd-out/dumps-align-*/align.json")
        self.assertEqual(json.loads(found.read_text()), result)
        self.assertIn("what computes conv2d (20), conv (20)", self.odds(found))

    def test_a_backward_deviation_and_what_follows_from_it(self):
        result = self.result(1, gelu_gradient=1.05)  # the optimizer's forward is off, too
        self.assertEqual((result["forward"], result["backward"]["module"]), (None, "Functional.gelu"))
        self.assertNotIn("Tensor.add_", [one["module"] for one in result["modules"]])

    def test_healthy_sides(self):
        self.align(code=0)
        # The gradient of a bias before a normalisation is rounding and nothing else.
        self.assertEqual(self.result(0, remnant=-3e-9)["verdict"], "agrees")

    def test_sides_that_do_not_start_alike(self):
        self.assertIn("the input of conv is 50 % off", self.align(code=3, data=1.5).out)

    def test_what_is_not_finite(self):
        result = self.result(1, gelu=float("nan"))
        self.assertEqual((result["forward"]["module"], result["forward"]["measured"]["error"]), ("Functional.gelu", "inf"))
        self.assertIn("NaN", (self.folder / "npu/step0/rank0/dump.json").read_text())

    def test_calls_on_one_side_only(self):
        extra = {"Tensor.__mul__.0.forward": {"input_args": [tensor()], "input_kwargs": {}, "output": [tensor()]},
                 "Functional.gelu.1.forward": {"input_args": [tensor()], "input_kwargs": {}, "output": [tensor()]}}
        done = self.align(code=0, forward=extra)
        self.assertIn("only on the subject: Functional.gelu (2 calls against 1), Tensor.__mul__", done.out)

    def test_a_wrong_input_that_nothing_compared_returned(self):
        """The product is not on the other side; only the layer behind it shows that it is wrong."""
        wrong = step(head=1.05, forward={
            "Tensor.__mul__.0.forward": {"input_args": [tensor()], "input_kwargs": {}, "output": [tensor(1.05)]}})
        wrong["Module.head.Linear.forward.0"]["input_args"] = [tensor(1.05)]
        self.dump("gpu")
        self.dump("npu", wrong)
        self.assertIn("it is computed between modules", self.bisectd("align", "--from", "gpu", "npu", code=1).out)
        self.assertIn("what computes __mul__ (20)", self.odds(next(self.folder.glob("bisectd-out/*/align.json"))))

    def test_a_module_that_calls_itself_through_another_one(self):
        """Its inner call ends first, so it is found first where somebody looks for who called the other one."""
        def nested(size):
            def call(name, size=size):
                return {name: {"input_args": [tensor(size)], "input_kwargs": {}, "output": [tensor(size)], "parameters": {"weight": tensor(0.5)}}}
            return {**call("Module.stem.Linear.forward.0", 1.0), **call("Module.node.Node.forward.1"), **call("Module.node.left.Linear.forward.0"), **call("Module.node.Node.forward.0")}
        construct = {"Module.stem.Linear.forward.0": None, "Module.node.Node.forward.0": None, "Module.node.left.Linear.forward.0": "Module.node.Node.forward.1",
                     "Module.node.Node.forward.1": "Module.node.left.Linear.forward.0"}
        self.dump("gpu", nested(1.0), construct)
        self.dump("npu", nested(1.05), construct)
        done = self.bisectd("align", "--from", "gpu", "npu", code=1, timeout=20)
        self.assertIn("the first module that deviates is node (Node)", done.out)

    def test_ranks_and_steps(self):
        for side in ("gpu", "npu"):
            for number in (2, 10):
                self.dump(f"{side}/step{number}/rank0")
                self.dump(f"{side}/step{number}/rank1", step(gelu=1.5) if side == "npu" and number == 2 else None)
        done = self.bisectd("align", "--from", "gpu", "npu", code=1)
        self.assertIn("Of several steps step2 was compared", done.out)
        self.assertIn("rank0: agrees\nrank1: deviates, shown here", done.out)
        self.bisectd("align", "--from", "gpu/step2/rank0", "npu/step2/rank0", code=0)
        self.bisectd("align", "--from", "gpu/step2/rank1/dump.json", "npu/step2/rank1", code=1)

    def refused(self, *sides, says, options=()):
        done = self.bisectd("align", "--from", *sides, *options, code=2)
        for text in says:
            self.assertIn(text, done.err)
        self.assertFalse((self.folder / "bisectd-out").exists())

    def test_folders_that_cannot_be_compared(self):
        self.dump("gpu/step0/rank0")
        self.dump("other/step1/rank0")
        self.dump("more/step0/rank0")
        self.dump("more/step0/rank1")
        self.dump("processes/step0/proc11")
        self.dump("processes/step0/proc12")
        self.write("cut/step0/rank0/stack.json", "{}")
        self.write("empty/notes.txt", "")
        for subject, says in (("none", ["none: no such folder"]), ("empty", ["empty: this is no dump of msprobe", "step0/rank0/dump.json"]),
                              (".", [".: this is no dump of msprobe; did you mean ./"]), ("empty/notes.txt", ["notes.txt: this is a file"]),
                              ("other", ["the steps differ: gpu has step0, other has step1"]), ("cut", ["cut/step0/rank0: there is no dump.json"]),
                              ("more", ["the ranks differ: gpu has rank0, more has rank0, rank1"]),
                              ("processes", ["several processes", "processes/step0/proc11"])):
            with self.subTest(subject):
                self.refused("gpu", subject, says=says)

    def test_files_that_are_no_dumps(self):
        self.dump("gpu")
        md5 = {"Functional.gelu.0.forward": {"input_args": [], "output": [{"type": "torch.Tensor", "shape": [2], "md5": "12ab"}]}}
        deep = "[" * 100_000 + "]" * 100_000
        word = {"Functional.gelu.0.forward": {"output": [{"type": "torch.Tensor", "shape": [2], "Max": 1.0, "Norm": "abc"}]}}
        for text, says in (("", "no whole dump"), ("[1]", "it has no `data`"), ('{"data": {"Functional.gelu.0.forward": {"output"', "no whole dump"),
                           ('{"data": {}}', "no call of a module"), (json.dumps({"data": md5}), "summary_mode: statistics"),
                           (json.dumps({"data": word}), 'Functional.gelu.0.forward: `Norm` is `"abc"`, which is no number'),
                           ('{"data": {"Functional.gelu.0.forward": {"output": %s}}}' % deep, "nested too deeply"),
                           ('{"data": {"Module.net.Net.forward.0": {}}}', "no module is on both sides")):
            with self.subTest(says):
                self.write("npu/dump.json", text)
                self.refused("gpu", "npu", says=["npu/dump.json", says])
        self.dump("npu")
        self.write("npu/construct.json", "{")
        self.refused("gpu", "npu", says=["npu/construct.json: this is no whole construct.json", "it ends in the middle of line 1"])

    def test_a_dump_that_is_broken_names_its_place(self):
        self.dump("gpu")
        for text, says in (('{"task": "statistics",\n "data": {,}}', "line 2, column 11: no JSON from here on"),
                           ('{"task": "statistics",\n "data": {', "it ends in the middle of line 2, as if cut off"), (" ", "it is empty")):
            self.write("npu/dump.json", text)
            self.refused("gpu", "npu", says=["npu/dump.json: this is no whole dump of msprobe: " + says])

    def test_options_that_do_not_go_together(self):
        for words, says in (([], "--from REFERENCE SUBJECT"), (["--from", "gpu"], "--from"), (["--from", "a", "b", "--record", "c"], "--record"),
                            (["--bound", "2", "experiment.yaml"], "--from")):
            self.assertIn(says, self.bisectd("align", *words, code=2).err)


@unittest.skipUnless(CHROMIUM, "no chromium is installed")
class Picture(Sides):
    def test_it_shows_what_deviates_first_at_every_width_and_in_both_themes(self):
        name = "<img src=x onerror=alert(1)>'\"&"
        hostile = {f"Module.{name}.Linear.forward.0": {"input_args": [tensor()], "input_kwargs": {}, "output": [tensor(1.5)]}}
        right = {f"Module.{name}.Linear.forward.0": {"input_args": [tensor()], "input_kwargs": {}, "output": [tensor()]}}
        self.dump("gpu", step(forward=right))
        self.dump("npu", step(forward=hostile))
        done = self.bisectd("align", "--from", "gpu", "npu", code=1)
        file, = self.folder.glob("bisectd-out/*/align.html")
        self.assertIn(f"Picture: {file}", done.out)
        browser = self.enterContext(Browser())
        for width in (1200, 390):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    page = browser.open(file, width=width, dark=dark)
                    self.assertEqual(page.complaints(), [])
                    self.assertEqual(page.requests(), [file.as_uri()])
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    self.assertEqual(page.evaluate(CONTRASTS), [])
        self.assertEqual(page.evaluate("document.querySelectorAll('img, script').length"), 0)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('svg')].map(one => one.querySelectorAll('.off').length)"), [1, 0])
        self.assertEqual(page.evaluate("document.querySelector('text.first').textContent"), "first: " + name)
        # What the mark says is also in the table, in words.
        self.assertEqual(page.evaluate("""[...document.querySelectorAll('#modules tr')].filter(row => row.textContent.includes('first forward'))
            .map(row => [...row.cells].slice(0, 6).map(cell => cell.textContent))"""), [["3", name, "Linear", "50 %", "unknown", "off"]])
        nodes = [node for node in page.call("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
        named = [node["name"]["value"] for node in nodes if node["role"]["value"] in ("image", "img")]
        self.assertEqual(named, [f"error of 5 modules, forward: 1 off, first {name}", "error of 5 modules, backward: 0 off"])

    def test_what_cannot_be_drawn_is_at_the_edge(self):
        self.align(code=1, conv=float("nan"))
        page = self.enterContext(Browser()).open(next(self.folder.glob("bisectd-out/*/align.html")))
        self.assertEqual(page.complaints(), [])
        self.assertNotIn("nan", page.evaluate("[...document.querySelectorAll('path')].map(one => one.getAttribute('d')).join(' ')"))
        self.assertIn("inf", page.evaluate("document.querySelector('#modules').textContent"))


if __name__ == "__main__":
    unittest.main()
