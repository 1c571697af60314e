"""The pipeline files of examples/ci do what they say: their commands run, and the files they collect are there."""
import os
import pathlib
import re
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
        self.write("accuracy/rec.yaml", hostile_experiment(suspects=2))
        self.write("accuracy/suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml]\n")

    def runs(self, *commands):
        environment = self.environment({"PATH": f"{pathlib.Path(BISECTD).parent}:{os.environ['PATH']}"})
        for command in commands:
            done = subprocess.run(["bash", "-e", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def is_junit(self, pattern):
        (file,) = self.folder.glob(pattern)
        names = {case.get("name") for case in ElementTree.parse(file).getroot().iter("testcase")}
        self.assertEqual(names, {"reference.runs", "accuracy.loss", "search.answer"})

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
        self.runs(*job["script"])
        self.is_junit(job["artifacts"]["reports"]["junit"])
        for path in (*job["artifacts"]["paths"], *job["cache"]["paths"]):
            self.assertTrue((self.folder / path).exists(), path)

    def test_github(self):
        steps = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())["jobs"]["accuracy"]["steps"]
        self.runs(*(step["run"] for step in steps if "run" in step))
        (kept,) = [step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", "")]
        self.assertEqual(len(list(self.folder.glob(kept.rstrip("/")))), 1)

    def test_jenkins(self):
        text = (EXAMPLES / "Jenkinsfile").read_text()
        self.runs(*re.findall(r"\bsh '([^']+)'", text))
        self.is_junit(*re.findall(r"\bjunit '([^']+)'", text))

    def test_every_file_is_tested(self):
        self.assertEqual({file.name for file in EXAMPLES.iterdir()},
                         {"README.md", "gitlab-ci.yml", "github-actions.yml", "Jenkinsfile"})


if __name__ == "__main__":
    unittest.main()
