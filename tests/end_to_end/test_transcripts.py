"""What the command line says, word for word, for a handful of runs: golden/*.txt. `test_transcripts.py --update` writes them anew."""
import pathlib
import re
import sys
import unittest

from space import BISECTD, HOSTILE, Space, hostile_experiment

GOLDEN = pathlib.Path(__file__).parent / "golden"
UPDATE = "--update" in sys.argv


class Transcripts(Space):
    def settled(self, text):
        """The text without what differs from run to run: folders, times, durations."""
        text = text.replace(str(self.folder), "FOLDER").replace(HOSTILE, "HOSTILE_TRAINER").replace(BISECTD, "bisectd")
        text = re.sub(r" *export PYTHONUNBUFFERED=1\n", "", text)  # unless inherited
        text = re.sub(r"\d{8}T\d{6}Z(-\d+)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "UTC", text)
        text = re.sub(r"\b\d+\.\d s\b", "N s", text)
        text = re.sub(r"(?m)^bisectd \d+\.\d+\.\d+ \(.*\)$", "bisectd VERSION", text)
        text = re.sub(r"(?m)^# bisectd \d+\.\d+\.\d+,", "# bisectd VERSION,", text)
        return text

    def check(self, name, *commands):
        said = ""
        for arguments, code in commands:
            done = self.bisectd(*arguments, code=code)
            said += f"$ bisectd {' '.join(arguments)}\n--- stderr\n{done.err}--- stdout\n{done.out}--- exit code {code}\n"
        said = self.settled(said)
        path = GOLDEN / f"{name}.txt"
        if UPDATE:
            path.write_text(said)
        self.assertEqual(said, path.read_text(), f"{path} differs; if that is meant: {sys.argv[0]} --update")

    def test_culprits_and_the_result_again(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--cause", "op1+op6=-2"))
        self.check("culprits", (("run", "experiment.yaml"), 1), (("resume", "bisectd-out/latest", "--quiet"), 1))

    def test_aligned(self):
        self.write("experiment.yaml", hostile_experiment())
        self.check("aligned", (("run", "experiment.yaml"), 0))

    def test_outside_the_suspects(self):
        self.write("experiment.yaml", hostile_experiment("--last-loss", "2.1", suspects=2))
        self.check("outside_suspects", (("run", "experiment.yaml"), 3))

    def test_a_suspect_that_cannot_be_neutralised(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--crash-off", "op0", suspects=4))
        self.check("not_neutralisable", (("run", "experiment.yaml"), 1))

    def test_budget(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", search="search: {budget: {trials: 2}}"))
        self.check("budget", (("run", "experiment.yaml"), 3))

    def test_by_hand(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--on-cpu", "op1", suspects=4, discover=True))
        self.check("by_hand", (("families", "generic"), 0), (("discover", "experiment.yaml"), 0),
                   (("trial", "experiment.yaml", "--off", "op3"), 0), (("trial", "experiment.yaml", "--off", "op0,op2"), 1),
                   (("trial", "experiment.yaml", "--off", "op 3"), 2))

    def test_looking_ahead(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=12, devices="[0, 1]"))
        self.check("looking_ahead", (("plan", "experiment.yaml"), 0),
                   (("simulate", "experiment.yaml", "--causes", "1,2", "--trial-minutes", "12",
                                     "--games", "10"), 0))

    def test_explaining(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--cause", "op1+op6=-2"))
        self.check("explaining", (("run", "experiment.yaml", "--quiet"), 1), (("explain", "bisectd-out/latest"), 0),
                   (("explain", "bisectd-out/latest", "op6"), 0), (("explain", "bisectd-out/latest", "op5"), 0))

    def test_comparing(self):
        for name, factor in (("gpu1", 1.0), ("gpu2", 1.0005), ("gpu3", 0.9995), ("good", 1.0008), ("bad", 1.015)):
            self.write(f"{name}.csv", "step,loss\n" + "".join(
                f"{step},{factor * (2 + 6 * 0.99 ** step) + 0.001 * (step * 7 % 5):.6f}\n" for step in range(1, 301)))
        references = ("compare", "gpu1.csv", "gpu2.csv", "gpu3.csv")
        self.check("comparing", ((*references, "--", "good.csv", "bad.csv", "--plot", "always"), 1),
                   ((*references, "--", "good.csv"), 0), ((*references, "--", "nothere.csv"), 2), (references, 2))

    def test_looking_at_a_run(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=4))
        self.check("looking", (("check", "experiment.yaml"), 0), (("run", "experiment.yaml", "--quiet"), 1),
                   (("status", "bisectd-out/latest"), 0), (("report", "bisectd-out/latest", "-f", "workaround"), 0),
                   (("accept", "bisectd-out/latest"), 2), (("history",), 0))

    def test_a_suite(self):
        experiment = hostile_experiment(suspects=4)
        self.write("rec.yaml", experiment.replace("name: hostile", "name: rec"))
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml]\n")
        self.check("suite", (("run", "rec.yaml", "--quiet"), 0), (("accept", "bisectd-out/latest"), 0),
                   (("ci", "suite.yaml"), 0), (("history",), 0))
        around = hostile_experiment("--cause", "op3=3", suspects=4, subject="environment: {HOSTILE_OFF: 'op1,op3'}")
        self.write("rec.yaml", around.replace("name: hostile", "name: rec"))
        self.check("prune", (("prune", "rec.yaml"), 1))

    def test_first_steps(self):
        self.check("first_steps", (("--help",), 0), (("init", "generic"), 0), (("init", "generic"), 2), (("init", "generik"), 2),
                   (("version",), 0), (("families", "generik"), 2), (("completion", "tcsh"), 2),
                   (("manual", "page"), 2), (("schema", "page"), 2))

    def test_mistakes(self):
        self.write("experiment.yaml", hostile_experiment().replace("repeats", "repeat").replace("suspects:", "suspect:"))
        self.check("mistakes", (("run", "experiment.yaml"), 2), (("rum", "experiment.yaml"), 2), (("run",), 2),
                   (("resume", "nowhere"), 2))


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    unittest.main(argv=[argument for argument in sys.argv if argument != "--update"])
