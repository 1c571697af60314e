"""A suite of models against their baselines, as after an upgrade: green, then red with the culprit, green with the
workaround, and pruned when the fault is gone."""
import json
import os
import signal
import time
import unittest
import xml.etree.ElementTree as ElementTree

from junit_rules import broken_rules
from space import Space, hostile_experiment


class Suite(Space):
    def setUp(self):
        super().setUp()
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml, seg.yaml, det.yaml]\n")
        self.write("version.info", "8.1\n")
        for number, model in enumerate(("rec", "seg", "det")):
            self.model(model, devices=f"[{number}]")
            self.bisectd("run", f"{model}.yaml", "--out", "first", code=0)
            self.bisectd("accept", "first/latest", code=0)
            self.model(model, devices=f"[{number}]", baseline=True)

    def model(self, name, *options, devices="[0]", baseline=False, extra="versions: {cann: {file: version.info}}", **more):
        """With a baseline the training needs no reference side."""
        text = hostile_experiment(*options, suspects=6, devices=devices, extra=extra, **more).replace("name: hostile", f"name: {name}")
        if baseline:
            begin, end = text.index("reference:"), text.index("subject:")
            text = text[:begin] + f"reference: {{curve: baselines/{name}.json}}\n" + text[end:]
        self.write(f"{name}.yaml", text)

    def ci(self, *arguments, code):
        return self.bisectd("ci", "suite.yaml", *arguments, code=code)

    def junit(self):
        folder = sorted((self.folder / "bisectd-out").glob("nightly-*"))[-1]
        self.assertEqual(broken_rules((folder / "junit.xml").read_bytes()), [])
        results = {}
        for case in ElementTree.parse(folder / "junit.xml").getroot().iter("testcase"):
            kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
            results[case.get("classname"), case.get("name")] = kinds[0] if kinds else "passed"
        return results

    def test_a_fault_comes_and_goes(self):
        done = self.ci(code=0)
        self.assertIn("3 models: 3 green, 0 regressed, 0 not judged", done.out)
        names = set(self.junit())
        # The upgrade plants a fault into one model.
        self.model("seg", "--cause", "op3=3", devices="[1]", baseline=True)
        done = self.ci(code=1)
        self.assertIn("seg: culprits found, loss +3.00 %: ops:op3\n", done.out)
        self.assertEqual(self.junit()["bisectd.seg", "accuracy.loss"], "failure")
        self.assertEqual(self.junit()["bisectd.rec", "accuracy.loss"], "passed")
        self.assertEqual(set(self.junit()), names, "names of tests changed with their result")
        # With the workaround it is green again.
        around = {"subject": "environment: {HOSTILE_OFF: 'op3,op5'}"}
        self.model("seg", "--cause", "op3=3", devices="[1]", baseline=True, **around)
        self.ci(code=0)
        done = self.bisectd("prune", "seg.yaml", code=1)
        self.assertIn("Still needed: ops:op3\n  No longer needed: ops:op5\n", done.out)
        # The next upgrade mends it.
        self.model("seg", devices="[1]", baseline=True, **around)
        done = self.bisectd("prune", "seg.yaml", code=0)
        self.assertIn("Still needed: none\n  No longer needed: ops:op3, ops:op5\n", done.out)
        history = self.bisectd("history", code=0).out
        self.assertRegex(history, r"seg +culprits +\+3\.00 %  ops:op3\n")
        self.assertIn("ops:op3: 1 time, in seg\n", history)
        results = json.loads(self.bisectd("history", "--json", "--model", "seg", code=0).out)
        self.assertEqual([result["outcome"] for result in results], ["aligned", "culprits", "aligned"])

    def test_what_cannot_be_judged_is_not_green(self):
        self.model("rec", "--crash-at", "50", baseline=True)
        (self.folder / "baselines/seg.json").unlink()
        done = self.ci(code=3)
        self.assertRegex(done.out, r"rec: infrastructure failed.*SIGSEGV")
        self.assertRegex(done.out, r"seg: not judged: .*seg\.json")
        self.assertEqual(self.junit()["bisectd.seg", "search.answer"], "error")
        self.assertEqual(self.junit()["bisectd.rec", "search.answer"], "error")
        self.assertEqual(self.junit()["bisectd.det", "accuracy.loss"], "passed")

    def test_baselines_that_cannot_be_used_make_no_model_green(self):
        baselines = self.folder / "baselines"
        seg, det = (baselines / "seg.json").read_text(), (baselines / "det.json").read_text()
        (baselines / "rec.json").write_text(seg)
        (baselines / "seg.json").write_text(seg.replace('"bisectd_baseline": 1', '"bisectd_baseline": 2'))
        (baselines / "det.json").write_text(det.replace("7.", "8.", 1))
        done = self.ci(code=3)
        for words in (r"rec: not judged: .*rec\.yaml:3:.*baseline of `seg`", r"seg: not judged: .*another bisectd", r"det: not judged: .*damaged"):
            self.assertRegex(done.out, words)
        self.assertEqual({kind for kind in self.junit().values()}, {"error"})

    def test_only_and_changed_only(self):
        self.assertIn("1 model: 1 green", self.ci("--only", "det", code=0).out)
        self.assertIn("did you mean 'det'", self.ci("--only", "deet", code=2).err)
        done = self.ci("--changed-only", code=0)
        self.assertIn("det: unchanged", done.out)
        self.assertIn("rec: agrees with the reference", done.out)
        self.assertEqual(self.junit()["bisectd.det", "search.answer"], "skipped")
        self.model("det", "--cause", "op1=3", devices="[2]", baseline=True)
        self.assertIn("det: culprits found", self.ci("--changed-only", code=1).out)
        self.assertIn("det: culprits found", self.ci("--changed-only", code=1).out)  # it did not agree: look again

    def test_an_upgrade_is_a_change(self):
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml]\n")
        self.write("version.info", "Version=8.2\n")
        self.model("rec", baseline=True, extra="versions: {cann: {file: version.info, pattern: 'Version=(?P<value>.*)'}}")
        self.ci(code=0)
        self.assertIn("rec: unchanged", self.ci("--changed-only", code=0).out)
        for text, change in (("Version=8.3\n", "rec: cann 8.2 -> 8.3 since it agreed on 20"),
                             ("Version=8.3\x1b[31m\n", r"rec: cann 8.3 -> 8.3\x1b[31m since it agreed on 20"),
                             ("", r"rec: cann 8.3\x1b[31m -> not known since it agreed on 20")):
            with self.subTest(change):
                self.write("version.info", text)
                done = self.ci("--changed-only", code=0)
                self.assertIn(change, done.err)
                self.assertIn("rec: agrees with the reference", done.out)
                self.assertIn("rec: unchanged" if text else "rec: agrees", self.ci("--changed-only", code=0).out)

    def test_a_file_that_a_setup_sources_is_a_change(self):
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml]\n")
        self.write("workaround.sh", "export HOSTILE_OFF=op1\n")
        self.model("rec", "--cause", "op1=3", baseline=True)
        text = (self.folder / "rec.yaml").read_text()
        (self.folder / "rec.yaml").write_text(text.replace("subject:\n", "subject:\n  setup: . ./workaround.sh\n", 1))
        self.assertIn("rec: agrees", self.ci(code=0).out)
        self.assertIn("rec: unchanged", self.ci("--changed-only", code=0).out)
        self.write("workaround.sh", "")
        self.assertIn("rec: culprits found", self.ci("--changed-only", code=1).out)

    def test_software_that_is_not_known_may_have_changed(self):
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml]\n")
        for extra, why in (("", "its experiment has no `versions`"),
                           ("versions: {cann: {command: [sh, -c, 'exit 1']}}", "no version of cann can be found"),
                           ("versions: {cann: {file: version.info, pattern: 'Version=(?P<value>.*)'}}", "no version of cann can be found"),
                           ("versions: {cann: {file: absent}, torch: {package: no-such-package}}", "none of its `versions` is installed")):
            with self.subTest(why):
                self.model("rec", baseline=True, extra=extra)
                self.ci(code=0)
                done = self.ci("--changed-only", code=0)
                self.assertIn(f"rec: run all the same, an upgrade would not be seen: {why}\n", done.err)
                self.assertIn("rec: agrees with the reference", done.out)
        self.model("rec", baseline=True, extra="versions: {cann: {file: version.info}, driver: {file: absent}}")
        self.ci(code=0)
        self.assertIn("rec: unchanged", self.ci("--changed-only", code=0).out)  # no driver is known not to be there

    def interrupted(self, suite="suite.yaml"):
        """Ended by a signal once its first model has been judged."""
        (self.folder / "stderr.txt").unlink(missing_ok=True)
        process = self.start("ci", suite)
        self.wait_for(lambda: "agrees with" in (self.folder / "stderr.txt").read_text())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 128 + signal.SIGTERM)

    def test_a_bisectd_that_was_killed_is_gone_on_with(self):
        self.ended_by(signal.SIGKILL)  # as the kernel does when memory is short

    def test_a_bisectd_that_was_asked_to_end_is_gone_on_with(self):
        self.ended_by(signal.SIGTERM)

    def ended_by(self, number):
        """The bisectd of a model, not that of the suite."""
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [seg.yaml]\n")
        self.model("seg", "--cause", "op3=3", "--step-ms", "10", devices="[1]", baseline=True)
        process = self.start("ci", "suite.yaml")

        def children():
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as listed:
                return listed.read().split()
        journals = lambda: list((self.folder / "bisectd-out").glob("nightly-*/models/seg/*-2*/journal.jsonl"))
        self.wait_for(lambda: journals() and journals()[0].read_text().count('"judged"') >= 3)
        os.kill(int(children()[0]), number)
        self.assertNotEqual(process.wait(timeout=60), 0)
        judged = journals()[0].read_text().count('"judged"')
        done = self.bisectd("ci", "suite.yaml", code=1)
        self.assertIn("ops:op3", done.out)
        self.assertEqual(len(journals()), 1, "it began anew")
        self.assertGreater(journals()[0].read_text().count('"judged"'), judged)

    def test_an_upgrade_in_the_middle_of_a_suite(self):
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml, seg.yaml]\n")
        self.write("version.info", "8.2\n")
        self.model("rec", devices="[0]", baseline=True, extra="versions: {cann: {file: version.info}}")
        self.model("seg", "--step-ms", "20", devices="[0]", baseline=True)
        self.interrupted()
        self.write("version.info", "8.3\n")
        done = self.ci(code=0)
        self.assertIn("rec: cann 8.2 -> 8.3 since: once more", done.err)
        self.assertEqual(len(list((self.folder / "bisectd-out").glob("nightly-*/models/rec/*-2*/journal.jsonl"))), 2)

    def test_what_was_changed_in_the_middle_of_a_suite_is_judged_as_it_is_now(self):
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml, det.yaml, seg.yaml]\n")
        for model in ("rec", "det"):
            self.model(model, devices="[0]", baseline=True)
        self.model("seg", "--step-ms", "20", devices="[0]", baseline=True)
        (self.folder / "stderr.txt").unlink(missing_ok=True)
        process = self.start("ci", "suite.yaml")
        runs = self.folder / "bisectd-out"
        self.wait_for(lambda: [*runs.glob("nightly-*/models/seg/latest/trials/*/attempt-1/stdout.log")])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 128 + signal.SIGTERM)
        self.model("rec", "--cause", "op1=3", devices="[0]", baseline=True)  # judged before
        self.model("seg", devices="[0]", baseline=True)                       # begun before
        baseline = self.folder / "baselines/det.json"
        self.model("det", "--step-noise", "0.01", devices="[0]")
        self.bisectd("run", "det.yaml", "--out", "second", code=0)
        self.bisectd("accept", "second/latest", "--yes", code=0)
        self.model("det", devices="[0]", baseline=True)
        self.assertTrue(baseline.exists())
        done = self.ci(code=1)
        self.assertIn("rec: its experiment or preset was changed since: once more", done.err)
        self.assertIn("seg: its experiment or preset was changed since: once more", done.err)
        self.assertIn("det: its baseline was changed since: once more", done.err)
        self.assertIn("3 models: 2 green, 1 regressed, 0 not judged", done.out)

    def test_a_baseline_that_is_accepted_anew_while_its_model_waits_to_go_on(self):
        self.model("seg", "--step-noise", "0.01", devices="[0]")
        self.bisectd("run", "seg.yaml", "--out", "second", code=0)
        self.bisectd("accept", "second/latest", "-o", "other.json", "--yes", code=0)
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [seg.yaml]\n")
        self.model("seg", "--step-ms", "20", devices="[0]", baseline=True)
        process = self.start("ci", "suite.yaml")
        self.wait_for(lambda: [*self.folder.glob("bisectd-out/nightly-*/models/seg/latest/trials/*/attempt-1/stdout.log")])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 128 + signal.SIGTERM)
        os.replace(self.folder / "other.json", self.folder / "baselines/seg.json")
        done = self.ci(code=0)
        self.assertIn("seg: its baseline was changed since: once more", done.err)
        self.assertIn("1 model: 1 green", done.out)

    def test_another_choice_of_models_is_another_suite(self):
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml, seg.yaml]\n")
        self.write("longer.yaml", "version: 1\nname: nightly-24h\nexperiments: [rec.yaml, seg.yaml]\n")
        self.model("rec", devices="[0]", baseline=True)
        self.model("seg", "--step-ms", "20", devices="[0]", baseline=True)
        self.interrupted("longer.yaml")
        longer = list((self.folder / "bisectd-out").glob("nightly-24h-*/suite.jsonl"))
        before = [file.read_text() for file in longer]
        self.assertEqual(len(before), 1)
        self.interrupted()
        self.assertIn("1 model: 1 green", self.ci("--only", "rec", code=0).out)
        self.assertEqual(len(list((self.folder / "bisectd-out").glob("nightly-20*"))), 2)
        self.assertIn("2 models: 2 green", self.ci(code=0).out)
        self.assertEqual(len(list((self.folder / "bisectd-out").glob("nightly-20*"))), 2, "the one left was not taken up")
        self.assertEqual([file.read_text() for file in longer], before)

    def test_a_night_that_was_left_does_not_answer_for_later_ones(self):
        """Monday is killed when rec was judged; on Tuesday rec is worse, by what neither the experiment nor the versions show."""
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml, seg.yaml]\n")
        self.write("train.sh", 'exec "$@" $(cat fault)\n')
        self.write("fault", "")
        self.model("rec", devices="[0]", baseline=True)
        rec = (self.folder / "rec.yaml").read_text()
        self.write("rec.yaml", rec.replace('subject:\n  command: [', 'subject:\n  command: [sh, train.sh, '))
        self.model("seg", "--step-ms", "20", devices="[0]", baseline=True)
        self.interrupted()
        self.write("fault", "--cause op3=3")
        self.assertIn("rec: culprits found", self.ci("--new", code=1).out)
        wednesday = self.ci(code=1)
        self.assertNotIn("goes on with the suite", wednesday.err)
        self.assertIn("rec: culprits found", wednesday.out)
        self.assertEqual(len(list((self.folder / "bisectd-out").glob("nightly-20*"))), 3)

    def test_what_was_judged_since_is_judged_once_more(self):
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml, seg.yaml]\n")
        self.model("rec", devices="[0]", baseline=True)
        self.model("seg", "--step-ms", "20", devices="[0]", baseline=True)
        self.interrupted()
        time.sleep(1)  # times are whole seconds
        self.ci("--only", "rec", code=0)
        done = self.ci(code=0)
        self.assertIn("goes on with the suite of", done.err)
        self.assertIn("rec: it was judged again since: once more", done.err)

    def test_a_suite_that_is_killed_goes_on(self):
        for model in ("rec", "seg", "det"):
            self.model(model, "--step-ms", "10", devices="[0]", baseline=True)  # one after the other
        for number in (signal.SIGTERM, signal.SIGKILL):
            process = self.start("ci", "suite.yaml")
            self.wait_for(lambda: "agrees with" in (self.folder / "stderr.txt").read_text())
            time.sleep(0.5)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=30), 128 + number if number == signal.SIGTERM else -number)
            if number == signal.SIGTERM:
                self.assertEqual(self.processes_of_this_test(), [])
        self.ci(code=0)
        self.assertEqual(self.processes_of_this_test(), [])
        self.assertEqual(len(list((self.folder / "bisectd-out").glob("nightly-*"))), 1)
        runs = list((self.folder / "bisectd-out").glob("nightly-*/models/*/*-2*/journal.jsonl"))
        self.assertEqual(len(runs), 3, "a model was begun anew")

    def test_time_that_is_spent(self):
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml, seg.yaml]\nbudget: {hours: 0.0002}\n")
        for model in ("rec", "seg"):
            self.model(model, "--step-ms", "20", devices="[0]", baseline=True)
        done = self.ci(code=3)
        self.assertIn("time was spent", done.out)
        self.assertEqual(self.processes_of_this_test(), [])

    def test_two_suites_at_once(self):
        self.write("other.yaml", "version: 1\nname: other\nexperiments: [rec.yaml, det.yaml]\n")
        first = self.start("ci", "suite.yaml")
        self.bisectd("ci", "other.yaml", code=0)
        self.assertEqual(first.wait(timeout=60), 0)
        self.assertEqual(len(json.loads(self.bisectd("history", "--json", code=0).out)), 5)

    def test_one_suite_twice_at_once(self):
        for model in ("rec", "seg", "det"):
            self.model(model, "--step-ms", "10", devices="[0]", baseline=True)
        first = self.start("ci", "suite.yaml")
        self.wait_for(lambda: list((self.folder / "bisectd-out").glob("nightly-*/models/*/*-2*/journal.jsonl")))
        done = self.ci(code=4)
        self.assertIn(str(first.pid), done.err)
        self.assertEqual(first.wait(timeout=60), 0)
        self.assertEqual(len(list((self.folder / "bisectd-out").glob("nightly-*"))), 1)
        self.assertEqual(len(json.loads(self.bisectd("history", "--json", code=0).out)), 3)

    def test_bad_suites(self):
        for text, words in (("version: 1\nname: x\nexperiments: [absent.yaml]\n", ("suite.yaml:3:15:", "absent.yaml")),
                            ("version: 1\nname: x\nexperiments: [rec.yaml, ./rec.yaml]\n", ("suite.yaml:3:25:", "twice")),
                            ("version: 1\nname: x\nexperiment: [rec.yaml]\n", ("suite.yaml:3:1:", "did you mean `experiments`")),
                            ("version: 2\nname: x\nexperiments: [rec.yaml]\n", ("suite.yaml:1:",)),
                            ("version: 1\nname: a/b\nexperiments: [rec.yaml]\n", ("suite.yaml:2:",)),
                            ("version: 1\nname: x\nexperiments: []\n", ("suite.yaml:3:",)),
                            ("- 1", ("suite.yaml:1:",)), ("", ("suite.yaml",))):
            with self.subTest(text):
                self.write("suite.yaml", text)
                done = self.ci(code=2)
                for word in words:
                    self.assertIn(word, done.err)
        self.model("twin", baseline=False)
        (self.folder / "twin.yaml").write_text((self.folder / "rec.yaml").read_text())
        self.write("suite.yaml", "version: 1\nname: x\nexperiments: [rec.yaml, twin.yaml]\n")
        self.assertIn("two experiments are called `rec`", self.ci(code=2).err)
        self.assertIn("absent.yaml", self.bisectd("ci", "absent.yaml", code=2).err)
        self.assertFalse((self.folder / "bisectd-out").exists())


if __name__ == "__main__":
    unittest.main()
