"""Loss scales that are no numbers, and the run in which a framework names the first operator with an inf or a nan."""
import json
import sys
import unittest

from space import Space

# Right with the scales of RIGHT and on the reference; else the loss becomes nan, or is too high, with OVERFLOW after a scale that
# falls and falls. CHECK: the framework's own check.
TRAIN = """\
import os, sys
scale = next((word.split("=")[1] for word in sys.argv if word.startswith("scale=")), "dynamic" if "--dynamic" in sys.argv else "65536")
good = sys.argv[1] == "reference" or scale in os.environ["RIGHT"].split()
kind = os.environ.get("OVERFLOW", "")
if os.environ.get("CHECK") and not good:
    print("step 1 loss 2.0")
    print("in [device=npu:0, op=" + os.environ.get("NAMED", "matmul_grad") + ", tensor=, dtype=fp16]", flush=True)
    print("in [device=npu:0, op=second, tensor=, dtype=fp16]"); sys.exit("RuntimeError: There are NAN or INF")
for step in range(1, 101):
    if kind == "scale" and not good and step > 50: print("Loss scaler reducing loss scale to", 2.0 ** (60 - step))
    print("step", step, "loss", "nan" if kind == "nan" and not good and step > 50 else (2 / step + 1) * (1 if good else 1.5))
"""
CHECK = """overflow_check: {environment: {CHECK: "1"}, first: 'in \\[device=[^,]+, op=(?P<value>[^,]+), '}"""


class Overflow(Space):
    def experiment(self, environment, check=CHECK, values="[1, 64, dynamic]", more=""):
        self.write("train.py", TRAIN)
        self.write("experiment.yaml", f"""\
            version: 1
            name: overflow
            reference: {{command: [{sys.executable}, train.py, reference], repeats: 2}}
            subject:
              command: [{sys.executable}, train.py, subject, "{{arguments}}"]
              environment: {{{environment}}}
              devices: {{kind: npu, ids: [0, 1], visible_variable: none}}
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            families:
              scale:
                kind: ladder
                deliver: {{argument: "scale={{value}}"}}
                values: {values}
                delivered_as: {{dynamic: --dynamic}}
            suspects: {{scale: all}}
            {check}
            {more}
            """)

    def find(self, environment, code=1, **settings):
        self.experiment(environment, **settings)
        done = self.bisectd("run", "experiment.yaml", code=code)
        return self.report(), done

    def checks(self, report):
        return [trial for trial in report["trial_list"] if trial["role"] == "overflow-check"]

    def test_dynamic_is_taken_where_no_number_passes_and_only_then(self):
        report, done = self.find("RIGHT: dynamic")
        self.assertEqual(report["workaround"]["arguments"], ["--dynamic"])
        self.assertIn("scale passes by itself with dynamic, and with no number.", done.out)
        report, done = self.find("RIGHT: 64 dynamic")
        self.assertEqual(report["workaround"]["arguments"], ["scale=64"])
        self.assertIn("scale passes by itself with 64. It passes with dynamic, too.", done.out)
        self.assertEqual(self.checks(report), [])  # it only differs

    def test_phases_are_a_value_like_any_other(self):
        report, _ = self.find('RIGHT: "0:64,9:1"', values='[1, 64, dynamic, "0:64,9:1"]')
        self.assertEqual(report["workaround"]["arguments"], ["scale=0:64,9:1"])

    def test_an_overflow_has_its_first_operator_named_by_one_run(self):
        for kind in "nan", "scale":
            with self.subTest(kind):
                report, done = self.find(f"RIGHT: 64, OVERFLOW: {kind}")
                self.assertEqual(self.culprits(report), ["scale:scale"])
                check, = self.checks(report)
                self.assertEqual(len(check["attempts"]), 1)
                told = (f"matmul_grad is the first operator with an inf or a nan, by the framework's own check "
                        f"(trial {check['number']}); what it was given may be the cause")
                self.assertIn(told, report["warnings"])
                self.assertIn("matmul_grad is the first operator with an inf or a nan", done.out)

    def test_what_is_named_is_foreign_text(self):
        report, done = self.find(r'RIGHT: 64, OVERFLOW: nan, NAMED: "<b>|`\e[31m"')
        page = (self.run_folder() / "report.html").read_text()
        self.assertNotIn("\x1b", done.out + done.err + page)
        self.assertNotIn("<b>|", page)
        self.assertTrue(any("<b>|" in warning for warning in report["warnings"]), report["warnings"])

    def test_a_check_that_names_nothing_and_none_at_all(self):
        report, _ = self.find("RIGHT: 64, OVERFLOW: nan", check=CHECK.replace("op=", "operator="))
        self.assertIn("broke and names no operator (see trials/0003/", " ".join(report["warnings"]))
        report, _ = self.find("RIGHT: 64, OVERFLOW: nan", check="overflow_check: none")
        self.assertEqual(self.checks(report), [])

    def test_it_is_journaled_and_not_run_again(self):
        report, _ = self.find("RIGHT: 64, OVERFLOW: nan")
        folder = self.run_folder()
        attempts = list(folder.glob("trials/*/attempt-*/stdout.log"))
        journal = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
        index = next(i for i, line in enumerate(journal) if json.loads(line)["kind"] == "suspects")
        (folder / "journal.jsonl").write_bytes(b"".join(journal[:index]))  # it died before it had listed the suspects
        check, = self.checks(report)
        logs = {path: path.stat().st_mtime_ns for path in attempts if f"{check['number']:03}" in str(path.parent.parent.name)}
        self.bisectd("resume", folder, code=1)
        again = self.report()
        self.assertEqual(self.checks(again), self.checks(report))
        self.assertEqual({path: path.stat().st_mtime_ns for path in logs}, logs)
        self.assertEqual(again["warnings"], report["warnings"])


if __name__ == "__main__":
    unittest.main()
