"""Guilty members, then their parts, in one run: `then`. With a training that plays; test_descent_torch.py does it with PyTorch."""
import unittest

from space import Space

# Layers a to d with three parts each. FAULTS: sets of parts, each wrong while all its parts are on the device; a layer that is off
# takes all its parts off, a part in OFF_PARTS only itself. `deep`: parts that only their layer can take off.
# HOLD: the training waits for a file `go` and takes it away.
TRAIN = '''
import os, sys, time
names = lambda variable: set(filter(None, os.environ.get(variable, "").split(",")))
layers, parts, faults, deep = names("OFF_LAYERS"), names("OFF_PARTS"), sys.argv[1].split(";"), names("DEEP")
flag = {"flag"} if os.environ.get("FLAG", "1") == "1" else set()
every = {f"{layer}/{part}" for layer in "abcd" for part in ("x", "y", "z")}
active = {p for p in every if p.split("/")[0] not in layers and (p not in parts or p in deep)} | flag
if os.environ.get("LIST"):
    for layer in "abcd": print(f"ran layer {layer}.")
    for part in sorted(every): print(f"ran part {part}.")
for name in sorted(layers | parts): print(f"moved {name}.")
wrong = sum(set(fault.split("+")) <= active for fault in faults)
def may_go():
    try: os.remove("go")
    except FileNotFoundError: return False
    return True
while os.environ.get("HOLD") and not may_go(): time.sleep(0.005)
for step in range(1, 31):
    print(f"step {step} loss {(3 - step / 30) * (1 + 0.05 * wrong)}", flush=True)
'''

EXPERIMENT = '''
version: 1
name: parts
reference: {{command: [python3, train.py, none/fault], repeats: 2}}
subject: {{command: [python3, train.py, "{faults}"], devices: {{kind: cpu, ids: [0]}}, environment: {{HOLD: "{hold}", DEEP: "{deep}"}}}}
metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
families:
  layers:
    kind: list
    deliver: {{environment: OFF_LAYERS}}
    discover: {{environment: {{LIST: "1"}}, ran: 'ran layer (?P<name>\\w+)\\.'}}
    effect: {{log: 'moved (?P<name>\\w+)\\.'}}
    parts: {{ops: layer_ops}}
  layer_ops:
    kind: list
    deliver: {{environment: OFF_PARTS}}
    discover: {{environment: {{LIST: "1"}}, ran: 'ran part (?P<name>[\\w/]+)\\.'}}
    effect: {{log: 'moved (?P<name>\\w+/\\w+)\\.'}}
  flags: {{kind: toggle, toggles: {{flag: {{environment: FLAG, suspect: "1", safe: "0"}}}}}}
suspects: {suspects}
{extra}
'''

THEN = "{layers: {discover: true, then: ops}}"


class Parts(Space):
    def prepare(self, faults, suspects=THEN, deep="", hold="", extra=""):
        self.write("train.py", TRAIN)
        self.write("experiment.yaml", EXPERIMENT.format(faults=faults, suspects=suspects, deep=deep, hold=hold, extra=extra))

    def find(self, faults, code=1, **more):
        self.prepare(faults, **more)
        return self.bisectd("run", "experiment.yaml", "--new", code=code), self.report()

    def names(self, members):
        return sorted(member["name"] for member in members)

    def test_one_part_of_one_layer(self):
        done, report = self.find("b/y")
        self.assertEqual(self.culprits(report), ["layer_ops:b/y"])
        self.assertEqual(self.causes(report), [["b/y"]])
        descent = report["descent"]
        self.assertEqual(self.names(descent["opened"]), ["b"])
        self.assertEqual(self.names(descent["suspects"]), ["b/x", "b/y", "b/z"])
        self.assertEqual(descent["stayed"], "")
        self.assertIn("first search, among 4 suspects: layers:b alone", done.out)
        self.assertIn("second search, among 3 parts of layers:b: layer_ops:b/y alone", done.out)
        self.assertIn("of the parts only layer_ops:b/y active: fails", done.out)
        self.assertIn("first search: layers:b neutralised: passes", done.out)
        self.assertNotIn("  open", done.out)
        self.assertEqual(report["workaround"]["environment"], [{"name": "OFF_PARTS", "value": "b/y"}])
        for trial in report["trial_list"]:  # the first search leaves parts alone, the second one all but them
            off = {report["suspects"][i]["family"] for i in trial["neutralised"]}
            self.assertLessEqual(off, {"layer_ops"} if trial["number"] >= descent["first_trial"] else {"layers"}, trial)
        for name in ("report.md", "report.html"):
            text = (self.run_folder() / name).read_text()
            self.assertIn("first search, among 4 suspects", text, name)

    def test_parts_of_two_layers_and_two_that_fail_only_together(self):
        _, report = self.find("b/y;a/x+d/z;c/x")
        self.assertEqual(self.causes(report), [["a/x", "d/z"], ["b/y"], ["c/x"]])
        self.assertEqual(self.names(report["descent"]["opened"]), ["a", "b", "c", "d"])

    def test_a_part_that_fails_only_with_a_flag(self):
        _, report = self.find("b/y+flag", suspects="{layers: {discover: true, then: ops}, flags: all}")
        self.assertEqual(self.causes(report), [["b/y", "flag"]])
        self.assertEqual(self.names(report["descent"]["suspects"]), ["b/x", "b/y", "b/z", "flag"])
        self.assertEqual(self.culprits(report), ["flags:flag"])  # the cheaper fix

    def test_a_layer_whose_parts_do_not_carry_its_guilt(self):
        done, report = self.find("b/y", deep="b/y")
        self.assertEqual(self.culprits(report), ["layers:b"])
        self.assertIn("they do not carry the guilt", report["descent"]["stayed"])
        self.assertIn("The answer stays that of the first search", done.out)
        self.assertEqual(report["workaround"]["environment"], [{"name": "OFF_LAYERS", "value": "b"}])
        self.assertEqual(self.bisectd("resume", self.run_folder(), code=1).out, done.out)

    def test_a_part_that_is_excluded_is_no_suspect(self):
        _, report = self.find("b/y", suspects="{layers: {discover: true, then: ops}, layer_ops: {discover: true, exclude: [b/y]}}")
        self.assertEqual(self.culprits(report), ["layers:b"])
        self.assertEqual(self.names(report["descent"]["suspects"]), ["b/x", "b/z"])

    def test_no_part_was_seen(self):
        self.prepare("b/y")
        text = (self.folder / "experiment.yaml").read_text()
        self.write("experiment.yaml", text.replace("ran part (?P<name>[", "ran no part (?P<name>["))
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["layers:b"])
        self.assertIn("showed no part of layers:b", self.report()["descent"]["stayed"])

    def test_no_layer_is_guilty(self):
        _, report = self.find("flag", suspects="{layers: {discover: true, then: ops}, flags: all}")
        self.assertEqual(self.culprits(report), ["flags:flag"])
        self.assertIsNone(report["descent"])
        done, report = self.find("none", code=0)
        self.assertEqual(report["outcome"], "aligned")

    def test_the_budget_ends_within_the_second_search(self):
        budget = "search: {budget: {trials: %d}, engine: ordered}"
        self.find("b/y;b/z", extra=budget % 90)
        first = self.report()["descent"]["first_trial"]
        before = sum(r["kind"] == "trial" and r["role"] not in ("reference", "as-is", "discovery") and r["trial"] < first
                     for r in self.journal())
        _, report = self.find("b/y;b/z", extra=budget % (before + 1))
        self.assertEqual(self.culprits(report), ["layers:b"])
        self.assertIn("the budget was spent before this search was done", report["descent"]["stayed"])

    def test_resume_after_each_trial(self):
        self.prepare("b/y;c/x")
        self.bisectd("run", "experiment.yaml", "--out", "undisturbed", code=1)
        self.prepare("b/y;c/x", hold="until a file `go` can be taken")
        tried = lambda out: [(r["role"], r["neutralised"]) for r in self.journal(out) if r["kind"] == "trial"]
        judged = lambda: sum(r["kind"] == "judged" for r in self.journal("killed"))
        process, seen = self.start("run", "experiment.yaml", "--out", "killed"), 0
        self.wait_for(lambda: (self.folder / "killed/latest/journal.jsonl").exists())

        def one_more_is_judged():
            (self.folder / "go").touch()
            return judged() > seen or process.poll() is not None

        while True:
            self.wait_for(one_more_is_judged)
            if process.poll() is not None:
                break
            process.kill()
            process.wait()
            seen = judged()
            self.bisectd("status", "killed/latest")
            self.bisectd("explain", "killed/latest")
            process = self.start("resume", "killed/latest")
        self.assertEqual(process.returncode, 1, (self.folder / "stderr.txt").read_text()[-2000:])
        self.assertGreater(seen, 15)
        self.assertEqual(tried("killed"), tried("undisturbed"))
        one, other = self.report("killed"), self.report("undisturbed")
        for report in (one, other):
            for claim in report["certificate"] + report["descent"]["first_certificate"]:
                del claim["delta"]  # a run that is certain to fail is ended, sooner or later
        for key in ("culprit_set", "causes", "certificate", "descent"):
            self.assertEqual(one[key], other[key], key)

    def test_explain_speaks_of_both_searches(self):
        self.find("b/y")
        explain = lambda *words: self.bisectd("explain", self.run_folder(), *words, code=0).out
        self.assertIn("first search, among 4 suspects: layers:b alone", explain())
        self.assertIn("cause: layer_ops:b/y alone", explain())
        self.assertIn("layer_ops:b/y is guilty, by itself", explain("b/y"))
        self.assertIn("layer_ops:b/x is cleared", explain("b/x"))
        self.assertIn("layers:b is guilty, by itself", explain("b"))
        self.assertIn("layers:a is cleared", explain("a"))
        self.assertIn("layer_ops:a/x", explain("a/x"))
        self.assertIn("was not searched", explain("a/x"))

    def test_plan_says_that_parts_follow(self):
        self.find("b/y")
        plan = self.bisectd("plan", "experiment.yaml", "--from", self.run_folder(), code=0).out
        self.assertIn("all 4 suspects neutralised", plan)
        self.assertIn("a search among the parts (family layer_ops) of the members of layers that are found guilty", plan)
        self.bisectd("simulate", "experiment.yaml", "--from", self.run_folder(), code=0)

    def test_bad_input(self):
        for suspects, message in (("{layers: {discover: true, then: opps}}", "did you mean `ops`?"),
                                  ("{layer_ops: {discover: true, then: ops}}", "have no parts"),
                                  ("{layers: {discover: true, then: ops}, layer_ops: [b/x]}", "must be `{discover: true}`"),
                                  ("{flags: {then: ops}}", "have no parts")):
            self.prepare("b/y", suspects=suspects)
            self.assertIn(message, self.bisectd("check", "experiment.yaml", code=2).err, suspects)


if __name__ == "__main__":
    unittest.main()
