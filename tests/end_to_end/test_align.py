"""`bisectd align` and `likely: {from: ...}` without a framework: what is refused, and how it is said."""
import json
import unittest
import zipfile

from space import HOSTILE, Space

STEP = """\
import json, os, sys
off = float(sys.argv[1])
tensor = lambda factor: {"shape": [2], "dtype": "float32", "min": -1, "max": 1, "mean": 0, "norm": 1.5 * abs(factor), "zeros": 0,
                         "nonfinite": 0, "sample": [factor, -factor]}
lines = [{"bisectd": "align", "version": 1, "framework": "none"}, {"value": 0, **tensor(1)}, {"value": 1, **tensor(off)},
         {"call": "relu", "number": 1, "class": "Relu", "inside": "Net", "in": [0], "out": [1]},
         {"call": "Net", "number": 1, "class": "Net", "inside": None, "in": [0], "out": [1]}, {"end": True}]
with open(os.environ["STEP_FILE"] + ".new", "w") as file:
    file.writelines(json.dumps(line) + "\\n" for line in lines)
os.rename(os.environ["STEP_FILE"] + ".new", os.environ["STEP_FILE"])
"""


class Steps(Space):
    def experiment(self, off="1.5", align="align: {environment: STEP_FILE}", likely="", reference="command: [python3, step.py, \"1\"]"):
        self.write("step.py", STEP)
        return self.write("experiment.yaml", f"""\
            version: 1
            name: step
            {align}
            perturb: none
            reference: {{{reference}}}
            subject: {{command: [python3, step.py, "{off}"]}}
            metric: {{loss: {{format: paddleocr}}}}
            families: {{ops: {{kind: list, deliver: {{environment: OFF, separator: ","}}}}}}
            suspects: {{ops: {{members: [relu, gelu]{likely}}}}}
            """)

    def refused(self, *words, says, code=2, **experiment):
        self.experiment(**experiment)
        done = self.bisectd(*words, "experiment.yaml", code=code)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.err)
        return done

    def test_a_shim_of_ones_own(self):
        self.experiment()
        done = self.bisectd("align", "experiment.yaml", code=1)
        self.assertIn("forward: the first module that deviates is relu (Relu): its output is 50 % off", done.out)
        self.assertIn("no perturbed run", done.out)
        self.experiment("1.005")
        self.assertIn("forward: all 2 modules agree", self.bisectd("align", "experiment.yaml", code=0).out)
        self.experiment("1.005", align="align: {environment: STEP_FILE, bound: 0.1%}")
        self.bisectd("align", "experiment.yaml", code=1)

    def test_wrong_keys(self):
        self.refused("align", align="align: {bound: 0.01, environment: STEP_FILE}", says=["experiment.yaml:3:", "`align.bound`", "%"])
        self.refused("align", align="align: {bounds: 1%, environment: STEP_FILE}", says=["experiment.yaml:3:", "`bound`?"])
        self.refused("align", align="align: {bound: 1%}", says=["`environment`"])
        self.refused("align", align="align: {environment: A-B}", says=["experiment.yaml:3:"])
        self.refused("align", align="align: {environment: A, needs: {B: '{nothing}'}}", says=["experiment.yaml:3:", "{nothing}"])
        self.refused("align", align="", says="docs/align.md")

    def test_a_training_that_writes_down_no_step(self):
        done = self.refused("align", code=4, reference=f"command: [{HOSTILE}, steps=3]", says="the reference wrote down no step")
        self.assertIn("exited 0", done.err)

    def test_a_reference_file_of_another_kind(self):
        self.write("other.json", "{\"runs\": []}\n")
        for name, says in (("other.json", "other.json:1: this is no recording of `bisectd align`"), ("none.jsonl", "No such file")):
            self.experiment()
            self.assertIn(says, self.bisectd("align", "--reference", name, "experiment.yaml", code=2).err)

    def test_a_recorded_curve_is_no_step(self):
        self.write("curve.log", "loss: 1\n")
        self.refused("align", reference="curve: curve.log", says="--record FILE")

    def test_odds_from_files(self):
        for name, text, says in (("none.json", None, "No such file"), ("a.json", "{}", "no result of `bisectd align`"),
                                 ("a.json", "{\"bisectd\": \"align-result\", \"version\": 1}", "no whole result"),
                                 ("a.json", '{"bisectd":"align","version":1}\n{"end":true}\n', "a recording of one side"),
                                 ("a.csv", "step,loss\n1,2\n", "column `NPU Name`"), ("a.csv", "", "no header")):
            if text is not None:
                self.write(name, text)
            self.refused("check", likely=f", likely: {{from: {name}}}", says=["experiment.yaml:9:", "`likely.from`", says, "align.json"])
        self.refused("check", likely=", likely: {from: [a]}", says=["experiment.yaml:9:", "likely.from"])
        self.refused("check", likely=", likely: {from: /dev/zero}", says=["experiment.yaml:9:", "`likely.from`: /dev/zero: "])  # without end

    def test_spreadsheets_that_are_none(self):
        with zipfile.ZipFile(self.folder / "a.xlsx", "w") as book:
            book.writestr("xl/worksheets/sheet1.xml", "<worksheet/>")
        whole = (self.folder / "a.xlsx").read_bytes()
        for content, says in ((whole, "this is no spreadsheet: the archive has no _rels/.rels"), (whole[:-60], "no whole zip archive"),
                              (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "save it as .xlsx without")):
            (self.folder / "a.xlsx").write_bytes(content)
            self.refused("check", likely=", likely: {from: a.xlsx}", says=["experiment.yaml:9:", "a.xlsx: ", says])

    def test_a_file_beyond_all_measure_is_not_read(self):
        with open(self.write("a.csv", "NPU Name,Cosine,MaxAbsErr\n"), "a") as table:
            table.truncate(3 << 30)
        self.refused("check", likely=", likely: {from: a.csv}", says=["experiment.yaml:9:", "a.csv: it has 3072 MB"])

    def test_odds_of_what_align_found(self):
        self.experiment()
        self.bisectd("align", "experiment.yaml", code=1)
        found, = self.folder.glob("bisectd-out/*/align.json")
        self.experiment(likely=f", likely: {{from: {found}, gelu: 3}}")
        done = self.bisectd("check", "experiment.yaml", code=0)
        self.assertIn("relu (20), what computes Relu (20)", done.out)
        result = json.loads(found.read_text())
        self.assertEqual(result["forward"]["module"], "relu")


if __name__ == "__main__":
    unittest.main()
