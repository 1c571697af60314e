"""The pipeline files of examples/ci do what they say: their commands run, and the files they collect are there."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import yaml

from junit_rules import broken_rules
from space import BISECTD, SOURCE, Space, hostile_experiment

EXAMPLES = SOURCE / "examples/ci"


class Pipelines(Space):
    def setUp(self):
        super().setUp()
        self.write("accuracy/suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml]\n")

    def model(self, *options):
        self.write("accuracy/rec.yaml", hostile_experiment(*options, suspects=2))

    def runs(self, *commands, code=0):
        """As a job does: one after the other, until one fails."""
        environment = self.environment({"PATH": f"{pathlib.Path(BISECTD).parent}:{os.environ['PATH']}"})
        done = subprocess.run(["bash", "-e", "-c", "\n".join(commands)], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)

    def two_nights(self, commands, junit, artifacts, before=lambda: None, after=lambda: None):
        """A red night, then a green one; each reports itself alone, and the second knows the first."""
        for night, options in ((1, ("--cause", "op1=3")), (2, ())):
            with self.subTest(night=night):
                before()
                self.model(*options)
                self.runs(*commands, code=1 if options else 0)
                (file,) = self.folder.glob(junit)
                cases = ElementTree.parse(file).getroot()
                names = {case.get("name") for case in cases.iter("testcase")}
                self.assertTrue({"reference.runs", "accuracy.loss", "search.answer"} <= names, names)
                self.assertEqual(bool(cases.findall(".//failure")), bool(options))
                kept = [path for pattern in artifacts for path in self.folder.glob(pattern)]
                self.assertIn(file.parent, {path if path.is_dir() else path.parent for path in kept})
                self.assertEqual(len({path for path in kept if path.name.startswith("nightly-")}), 1)
                self.assertEqual(len((self.folder / "bisectd-out/history.jsonl").read_text().splitlines()), night)
                after()

    def clean_checkout(self, caches):
        """The two hooks of a service that empties the workspace before each night and keeps `caches` elsewhere."""
        kept = {}

        def before():
            shutil.rmtree(self.folder / "bisectd-out", ignore_errors=True)
            for path, content in kept.items():
                self.write(path, content)

        def after():
            for path in caches:
                kept[path] = (self.folder / path).read_text()

        return {"before": before, "after": after}

    def test_every_outcome_is_told_in_the_dialect_of_jenkins_and_gitlab(self):
        for name, options, more, code in (("aligned", (), {}, 0), ("culprits", ("--cause", "op1=3"), {}, 1),
                                          ("outside_suspects", ("--last-loss", "2.2"), {}, 3), ("infrastructure", ("--crash-at", "5"), {}, 4),
                                          ("inconclusive", ("--cause", "op1=3"), {"search": "search: {budget: {trials: 1}}"}, 3)):
            with self.subTest(name):
                self.write(f"{name}.yaml", hostile_experiment(*options, suspects=4, **more))
                self.bisectd("run", f"{name}.yaml", "--new", code=code)
                content = (self.run_folder() / "junit.xml").read_bytes()
                self.assertEqual(broken_rules(content), [])
                red = ElementTree.fromstring(content).findall(".//failure") + ElementTree.fromstring(content).findall(".//error")
                self.assertEqual(bool(red), name != "aligned")

    def test_gitlab(self):
        job = yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text())["accuracy"]
        self.assertEqual(job["cache"]["when"], "always")
        self.two_nights(job["script"], job["artifacts"]["reports"]["junit"], [path.rstrip("/") for path in job["artifacts"]["paths"]],
                        **self.clean_checkout(job["cache"]["paths"]))

    def test_github(self):
        steps = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())["jobs"]["accuracy"]["steps"]
        uses = {step["uses"].rpartition("@")[0]: step for step in steps if "uses" in step}
        upload, restore, save = uses["actions/upload-artifact"], uses["actions/cache/restore"], uses["actions/cache/save"]
        self.assertEqual(restore["with"]["path"], save["with"]["path"])
        self.assertTrue(save["with"]["key"].startswith(restore["with"]["restore-keys"]))
        self.assertEqual({save["if"], upload["if"]}, {"always()"})
        kept = upload["with"]["path"].rstrip("/")
        self.two_nights([step["run"] for step in steps if "run" in step], kept + "/junit.xml", [kept],
                        **self.clean_checkout([save["with"]["path"]]))

    def test_jenkins(self):
        text = (EXAMPLES / "Jenkinsfile").read_text()
        (junit,) = re.findall(r"\bjunit '([^']+)'", text)
        self.two_nights(re.findall(r"\bsh '([^']+)'", text), junit, re.findall(r"artifacts: '([^']+)'", text))

    def test_a_night_that_does_not_start_reports_nothing_of_the_last(self):
        text = (EXAMPLES / "Jenkinsfile").read_text()
        commands = re.findall(r"\bsh '([^']+)'", text)
        self.model()
        self.runs(*commands)
        self.write("accuracy/suite.yaml", "version: 1\nnonsense: 1\n")
        self.runs(*commands, code=2)
        (junit,) = re.findall(r"\bjunit '([^']+)'", text)
        self.assertEqual(list(self.folder.glob(junit)), [])

    def test_every_file_is_tested(self):
        self.assertEqual({file.name for file in EXAMPLES.iterdir()},
                         {"README.md", "gitlab-ci.yml", "github-actions.yml", "Jenkinsfile"})


if __name__ == "__main__":
    unittest.main()
