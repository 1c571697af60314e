"""`status` and `report` look at a run from outside: running, interrupted or finished. They launch and change nothing."""
import json
import os
import re
import subprocess
import time
import unittest

from space import HOSTILE, Space, hostile_experiment


class Looking(Space):
    def finished_run(self, *options, **more):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--cause", "op1+op6=-2", *options, **more))
        return self.bisectd("run", "experiment.yaml", code=1)

    def files(self):
        return {path: path.read_bytes() for path in self.run_folder().rglob("*") if path.is_file()}

    def test_every_report_is_written_again_from_the_journal(self):
        said = self.finished_run()
        before = self.files()
        folder = self.run_folder()
        self.assertEqual(self.bisectd("report", folder, code=0).out, said.out)
        for form, name in (("md", "report.md"), ("junit", "junit.xml"), ("workaround", "workaround.sh"),
                           ("html", "report.html"), ("json", "report.json")):
            with self.subTest(form):
                self.assertEqual(self.bisectd("report", folder, "--format", form, code=0).out, (folder / name).read_text())
        self.bisectd("report", folder, "-f", "md", "-o", "again.md", code=0)
        self.assertEqual((self.folder / "again.md").read_bytes(), (folder / "report.md").read_bytes())
        self.assertEqual(self.files(), before, "looking changed the run")

    def test_what_cannot_be_neutralised_is_known_of_a_run_that_was_killed(self):
        """A crash that names its member is told by a record of its own, which `status`, `report` and `explain` retell."""
        self.write("train.sh", f"""\
            case ",$HOSTILE_OFF," in *,op5,*) echo "cannot move op5" >&2; exit 3;; esac
            exec {HOSTILE} "$@"
            """)
        head, subject = hostile_experiment("--cause", "op3=3", "--step-ms", "2").split("subject:")
        subject = subject.replace(f'command: ["{HOSTILE}"', 'command: [sh, train.sh').replace("kind: list\n", "kind: list\n    refused: 'cannot move (?P<name>\\w+)'\n")
        self.write("experiment.yaml", head + "subject:" + subject)
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: self.run_folder().exists() and "certificate" in [line.get("role") for line in self.journal()])
        process.kill()
        process.wait()
        known = [{"family": "ops", "name": "op5"}]
        self.assertEqual(json.loads(self.bisectd("report", self.run_folder(), "-f", "json", code=0).out)["not_neutralisable"], known)
        self.assertIn("cannot be neutralised", self.bisectd("explain", self.run_folder(), "op5", code=0).out)
        self.bisectd("resume", self.run_folder(), code=1)
        self.assertEqual(self.report()["not_neutralisable"], known)

    def test_trials_of_a_few_steps_are_shown_as_what_they_are(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--cause", "op17=-2", "--signed", "12", suspects=64))
        self.bisectd("run", "experiment.yaml", code=1)
        report = self.report()
        short = [trial["number"] for trial in report["trial_list"] if trial["role"] == "signature"]
        self.assertGreater(len(short), 3)
        self.assertEqual({trial["verdict"] for trial in report["trial_list"] if trial["role"] == "signature"}, {None})
        groups = report["signature_groups"]
        self.assertLessEqual(set(short), {number for group in groups for number in group["trials"]})
        named = [sorted(member["name"] for cause in group["active_causes"] for member in cause) for group in groups]
        self.assertEqual(named[0], [])
        self.assertEqual(sorted(named), sorted(map(list, {tuple(names) for names in named})), "causes make a group each")
        innocent = self.bisectd("explain", self.run_folder(), "op40", code=0).out
        self.assertIn("op40 is cleared", innocent)
        self.assertFalse([n for n in re.findall(r"trial (\d+):", innocent) if int(n) in short], "no verdict from a few steps")
        pair = re.search(r"its signature is the difference between the first steps of trials (\d+) and (\d+)\n",
                         self.bisectd("explain", self.run_folder(), "op3", code=0).out)
        off = {trial["number"]: set(trial["neutralised"]) for trial in report["trial_list"]}
        differs = [report["suspects"][suspect]["name"] for suspect in off[int(pair[1])] ^ off[int(pair[2])]]
        self.assertEqual(differs, ["op3"], "these trials differ in nothing else")

    def test_a_suspect_that_deviates_and_does_no_harm_is_an_answer_of_its_own(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--cause", "op17=0.4", "--signed", "12", suspects=64))
        said = self.bisectd("run", "experiment.yaml", code=1).out
        report = self.report()
        self.assertEqual([one["name"] for one in report["culprit_set"]], ["op3"])
        (one,) = report["harmless_deviations"]
        self.assertEqual(one["name"], "op17")
        line = f"{one['family']}:op17 changes the first steps, by up to {one['size']:.0f} times what healthy runs differ by"
        folder = self.run_folder()
        for text in (said, (folder / "report.md").read_text().replace("`", ""),
                     re.sub("</?code>", "", (folder / "report.html").read_text()),
                     self.bisectd("explain", folder, code=0).out):
            self.assertIn(line, text)
        self.assertEqual(report["explanation"], "", "it leaves nothing open")
        self.assertEqual(self.bisectd("report", folder, "-f", "json", code=0).out, (folder / "report.json").read_text())

    def test_the_record_is_whole(self):
        self.finished_run("--step-noise", "0.1", "--seed", "1", reference="environment: {X: '1'}")
        report = self.report()
        for curve in ("reference", "as_is", "fix", "as_is_difference", "fix_difference"):
            self.assertGreater(len(report["curves"][curve]["steps"]), 10, curve)
        self.assertLess(max(map(abs, report["curves"]["fix_difference"]["values"])), 0.05)
        for trial in report["trial_list"]:
            for attempt in trial["attempts"]:
                self.assertGreater(len(attempt["curve"]["steps"]), 10)

    def test_what_was_odd_is_kept(self):
        self.finished_run("--hang-at-exit", suspects=7)
        folder = self.run_folder()
        report = (folder / "report.json").read_text()
        odd = {note for trial in json.loads(report)["trial_list"] for note in trial["notes"]}
        self.assertIn("the last step was logged; then: stopped: did not leave within 0.5 s after its last step", odd)
        self.assertEqual(self.bisectd("report", folder, "-f", "json", code=0).out, report)
        self.bisectd("resume", folder, code=1)
        self.assertEqual((folder / "report.json").read_text(), report)

    def test_what_the_fix_costs_is_told_again(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op0=3", "--step-ms", "25", suspects=1, devices="[0, 1]"))
        said = self.bisectd("run", "experiment.yaml", code=1)
        self.assertRegex(said.out, r"Step time 0\.0\d\d s as it is, 0\.0\d\d s with the fix \([+-]\d+ %\)\.")
        self.assertEqual(self.bisectd("report", self.run_folder(), code=0).out, said.out)

    def test_a_night_can_be_read_before_its_search(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--step-ms", "20"))
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: (self.run_folder() / "report.json").exists())
        report = self.report()
        self.assertEqual((report["outcome"], [trial["role"] for trial in report["trial_list"]]), ("unfinished", ["reference"]))
        self.assertEqual(len(report["curves"]["reference"]["steps"]), 100)
        process.terminate()
        self.assertEqual(process.wait(), 128 + 15)

    def test_status_of_a_running_run(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--step-ms", "20", devices="[0, 1]"))
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: (self.run_folder() / "journal.jsonl").exists() and
                      any(r["kind"] == "trial" and r["role"] == "everything" for r in self.journal()))
        time.sleep(0.3)
        status = json.loads(self.bisectd("status", self.run_folder(), "--json", code=0).out)
        self.assertEqual(status["state"], "running")
        self.assertEqual(status["process"], process.pid)
        self.assertGreaterEqual(status["trials_judged"], 2)
        self.assertEqual(status["running"][0]["last_step"], 100)
        self.assertRegex(status["running"][0]["device"], "npu [01]")
        text = self.bisectd("status", self.run_folder(), code=0).out
        self.assertRegex(text, rf"^hostile: running \(process {process.pid}\)\n\[ ?\d+(/~\d+)?\] running for \d+\.\d s")
        training = re.compile(r"npu [01]  trial \d+ \w+: .*step \d+ of 100, loss \d")
        self.wait_for(lambda: training.search(self.bisectd("status", self.run_folder(), code=0).out))
        self.bisectd("report", self.run_folder(), code=0)
        process.kill()
        process.wait()
        self.wait_for(lambda: "interrupted" in self.bisectd("status", self.run_folder(), code=0).out)
        self.assertIn("go on with: bisectd resume", self.bisectd("status", self.run_folder(), code=0).out)
        self.bisectd("resume", self.run_folder(), code=1)
        self.assertIn("hostile: finished\nops:op3 makes loss", self.bisectd("status", self.run_folder(), code=0).out)

    def test_a_run_that_failed_says_why(self):
        self.write("experiment.yaml", hostile_experiment("--crash-at", "5"))
        self.bisectd("run", "experiment.yaml", code=4)
        status = self.bisectd("status", self.run_folder(), code=0).out
        self.assertIn("hostile: failed\n", status)
        self.assertIn("SIGSEGV", status)

    def test_an_experiment_that_changed_hides_no_status(self):
        self.finished_run()
        self.write("experiment.yaml", "version: 2\n")
        status = self.bisectd("status", self.run_folder(), code=0).out
        self.assertIn("hostile: finished\n", status)
        self.assertIn("has changed since", status)
        self.assertIn("experiment.yaml:", self.bisectd("report", self.run_folder(), code=2).err)
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=4"))
        refused = self.bisectd("report", self.run_folder(), code=2)
        self.assertIn("op3=4", refused.err)
        self.bisectd("report", self.run_folder(), "--accept-changes", code=0)
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", extra="accept: {target: 20%}"))
        said = self.bisectd("report", self.run_folder(), "--accept-changes", code=0).out
        self.assertIn("the verdicts are those of the run, and the experiment has changed since in what they rest on: "
                      "- accept.target: ", said)
        (self.folder / "experiment.yaml").unlink()
        self.assertIn("experiment.yaml", self.bisectd("report", self.run_folder(), code=2).err)
        self.assertIn("has changed since", self.bisectd("status", self.run_folder(), code=0).out)

    def test_a_report_replaces_reports_only(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3"))
        self.bisectd("run", "experiment.yaml", code=1)
        before = (self.run_folder() / "journal.jsonl").read_bytes()
        for name in ("journal.jsonl", "experiment.resolved.yaml", "bisectd.log"):
            for path in (self.run_folder() / name, f"bisectd-out/latest/../latest/{name}"):
                refused = self.bisectd("report", self.run_folder(), "-f", "md", "-o", path, code=2)
                self.assertIn("belongs to the run and is not replaced", refused.err)
        self.assertEqual((self.run_folder() / "journal.jsonl").read_bytes(), before)
        for path in (self.run_folder() / "report.md", self.run_folder() / "mine.md", "mine.md", "mine.md"):
            self.bisectd("report", self.run_folder(), "-f", "md", "-o", path, code=0)

    def test_a_report_goes_into_a_pipe_or_where_a_link_leads(self):
        self.finished_run()
        text = self.bisectd("report", self.run_folder(), "-f", "md", code=0).out
        self.assertEqual(self.bisectd("report", self.run_folder(), "-f", "md", "-o", "/dev/stdout", code=0).out, text)
        pipe, link, target = self.folder / "pipe", self.folder / "link", self.folder / "target.md"
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
        self.bisectd("report", self.run_folder(), "-f", "md", "-o", pipe, code=0)
        self.assertEqual(reader.communicate(timeout=60)[0], text)
        self.assertTrue(pipe.is_fifo())
        target.write_text("old")
        link.symlink_to(target)
        self.bisectd("report", self.run_folder(), "-f", "md", "-o", link, code=0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(target.read_text(), text)

    def test_bad_input(self):
        self.assertIn("not a run directory", self.bisectd("status", ".", code=2).err)
        self.assertIn("no such folder", self.bisectd("report", "absent", code=2).err)
        self.finished_run()
        self.assertIn("pdf", self.bisectd("report", self.run_folder(), "--format", "pdf", code=2).err)
        self.assertIn("/proc/no", self.bisectd("report", self.run_folder(), "-o", "/proc/no/where", code=2).err)
        path = self.run_folder() / "journal.jsonl"
        path.write_bytes(path.read_bytes().replace(b'"fail"', b'"pass"', 1))
        for command in ("status", "report"):
            self.assertRegex(self.bisectd(command, self.run_folder(), code=4).err, r"journal.jsonl:\d+: the journal is damaged")


if __name__ == "__main__":
    unittest.main()
