"""A disk that is really full: a small file system in memory, mounted in a name space of this test's own."""
import os
import shutil
import subprocess
import sys
import unittest

from space import Space, hostile_experiment

INSIDE = "--inside"
REPORTS = ("report.json", "report.md", "workaround.sh", "junit.xml", "report.html")


class FullDisk(Space):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", self.disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", suspects=4))

    def fill(self, leaving=0):
        with open(self.disk / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(b"x" * 4096)
            except OSError:
                filler.truncate(max(0, filler.tell() - leaving))

    def reports(self, folder):
        return {name: (folder / name).read_bytes() for name in REPORTS}

    def test_old_reports_stay_whole(self):
        self.bisectd("run", "experiment.yaml", "--out", "disk/out", code=1)
        folder = self.run_folder("disk/out")
        before = self.reports(folder)
        said = self.bisectd("report", folder, code=0).out
        for leaving, lost in ((8_192, ["report.json", "report.html"]), (120_000, ["report.html"])):
            with self.subTest(leaving):
                self.fill(leaving)
                done = self.bisectd("resume", folder, code=1)  # it writes all reports again
                self.assertEqual(done.out, said)
                self.assertEqual([name for name in REPORTS if f"{name} was not written: No space left on device" in done.err], lost)
                self.assertEqual(self.reports(folder), before)
                self.assertEqual([path.name for path in folder.glob("*.new")], [])
        self.fill()
        self.assertIn("No space left", self.bisectd("resume", folder, code=4).err)
        self.assertEqual(self.reports(folder), before)
        (self.disk / "mine.html").write_bytes(b"")
        self.assertIn("No space left", self.bisectd("report", folder, "-f", "html", "-o", "disk/mine.html", code=4).err)
        self.assertEqual((self.disk / "mine.html").read_bytes(), b"")

    def test_a_night_on_a_full_disk_can_be_resumed(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", "--step-ms", "3", suspects=8))
        process = self.start("run", "experiment.yaml", "--out", "disk/out")
        self.wait_for(lambda: (self.disk / "out/latest/report.html").exists())
        folder = self.run_folder("disk/out")
        self.fill()
        self.assertEqual(process.wait(timeout=60), 4)
        self.assertIn("No space left", (self.folder / "stderr.txt").read_text())
        self.assertTrue((folder / "report.html").read_text().endswith("</html>\n"))
        self.assertEqual(self.processes_of_this_test(), [])
        (self.disk / "filler").unlink()
        self.bisectd("resume", folder, code=1)
        self.assertEqual(self.culprits(self.report("disk/out")), ["ops:op1"])

    def read_only(self, yes=True):
        subprocess.run(["mount", "-o", f"remount,{'ro' if yes else 'rw'}", self.disk], check=True)

    def test_a_read_only_disk_is_told_before_anything_starts(self):
        self.bisectd("run", "experiment.yaml", "--out", "disk/out", code=1)
        folder = self.run_folder("disk/out")
        said = self.bisectd("report", folder, code=0).out
        shutil.copytree(folder, self.disk / "cut/run")
        lines = (self.disk / "cut/run/journal.jsonl").read_bytes().splitlines(keepends=True)
        (self.disk / "cut/run/journal.jsonl").write_bytes(b"".join(lines[:len(lines) // 2]))
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [experiment.yaml]\n")
        self.read_only()
        for command in (("run", "experiment.yaml", "--new"), ("check", "experiment.yaml", "--run"), ("trial", "experiment.yaml", "--off", "op1"), ("ci", "suite.yaml")):
            with self.subTest(command[0]):
                done = self.bisectd(*command, "--out", "disk/out", code=2)
                self.assertRegex(done.err, r"^bisectd: [^\n]* in disk/out[:;] .*\n$")
        self.assertEqual(self.bisectd("report", folder, code=0).out, said)
        self.bisectd("status", folder, code=0)
        self.assertIn("Read-only file system", self.bisectd("resume", self.disk / "cut/run", code=4).err)
        self.assertEqual(self.processes_of_this_test(), [])
        self.read_only(False)
        self.bisectd("resume", self.disk / "cut/run", code=1)

    def test_a_suite_on_a_full_disk(self):
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [experiment.yaml]\n")
        self.bisectd("ci", "suite.yaml", "--out", "disk/out", code=1)
        (suite,) = (self.disk / "out").glob("nightly-*")
        before = (suite / "index.html").read_bytes()
        self.fill()
        self.assertIn("No space left", self.bisectd("ci", "suite.yaml", "--out", "disk/out", code=4).err)
        self.assertEqual((suite / "index.html").read_bytes(), before)


if __name__ == "__main__":
    if INSIDE not in sys.argv:
        spaces = [option for option in ("-m", "-rm") if subprocess.run(["unshare", option, "mount", "-t", "tmpfs", "none", "/mnt"],
                                                                         capture_output=True).returncode == 0]
        if not spaces:
            print("skipped: no file system may be mounted here")
            sys.exit(77)
        os.execvp("unshare", ["unshare", spaces[0], sys.executable, "-B", __file__, INSIDE, *sys.argv[1:]])
    unittest.main(argv=[argument for argument in sys.argv if argument != INSIDE])
