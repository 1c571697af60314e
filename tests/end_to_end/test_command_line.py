"""Words of the command line, and where what it prints goes."""
import subprocess
import unittest

from space import BISECTD, Space, hostile_experiment


class CommandLine(Space):
    def test_wrong_words(self):
        for arguments, word in (((), "name a command"), (("rum",), "'run'"), (("run",), "EXPERIMENT"),
                                (("run", "x.yaml", "--ouy", "d"), "did you mean --out?"),
                                (("run", "--acept-changes", "x.yaml"), "did you mean --accept-changes?"),
                                (("run", "x.yaml", "--zzz"), "`bisectd run --help` lists them"), (("--vrsion",), "--version?"), (("run", "x.yaml", "--color", "blue"), "blue")):
            with self.subTest(arguments):
                done = self.bisectd(*arguments, code=2)
                self.assertIn(word, done.err)
                self.assertEqual(done.out, "")

    def test_logs_to_compare(self):
        for log, factor in (("a.log", 1), ("b.log", 1.05)):
            self.write(log, "".join(f"step: {step} loss: {factor * 8 / step:.6f}\n" for step in range(1, 101)))
        pattern = ("--pattern", r"step: (?P<step>\d+) loss: (?P<value>\S+)")
        self.assertIn("name the candidates after `--`", self.bisectd("compare", "a.log", "--", code=2).err)
        shown = [self.bisectd("compare", "a.log", *pattern, "--target", target, "--", "b.log").out for target in ("2", "2%")]
        self.assertIn("2 %", shown[0])
        self.assertEqual(*shown)
        for no_number in ("2x", "nan", "-nan%", "1e9"):
            self.assertIn("--target", self.bisectd("compare", "a.log", "--target", no_number, "--", "b.log", code=2).err)

    def test_an_experiment_from_a_pipe(self):
        """`bisectd check <(...)`: a file that has no path, and is read once."""
        experiment = f"version: 1\nextends: generic\nreference: {{command: ['true'], directory: {self.folder}}}\n"
        for rest, code, said in ((f"subject: {{command: ['true'], directory: {self.folder}}}\n", 0, "experiment stdin"),
                                 ("suspects: {nothing: [x]}\n", 2, "/dev/stdin:4:12: unknown family `nothing`")):
            done = subprocess.run([BISECTD, "check", "/dev/stdin"], input=experiment + rest, env=self.environment(), capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(said, done.stdout + done.stderr)

    def test_files_that_are_nearly_there(self):
        self.write("rec.yaml", hostile_experiment(suspects=2))
        self.assertIn("did you mean 'rec.yaml'?", self.bisectd("check", "rec.yml", code=2).err)
        self.assertIn("this is a file; name the folder of a run", self.bisectd("status", "rec.yaml", code=2).err)
        self.bisectd("run", "rec.yaml", code=0)
        self.assertIn("the last run in it is bisectd-out/latest", self.bisectd("status", "bisectd-out", code=2).err)

    def test_where_nothing_is_named_the_files_of_this_folder_are_taken(self):
        self.assertIn("no experiment.yaml here", self.bisectd("run", code=2).err)
        self.assertIn("no bisectd-out/latest here", self.bisectd("status", code=2).err)
        self.write("experiment.yaml", hostile_experiment(suspects=2))
        self.bisectd("check", code=0)
        self.bisectd("run", code=0)
        for command in ("status", "report", "resume"):
            self.assertEqual(self.bisectd(command, code=0).out, self.bisectd(command, "bisectd-out/latest", code=0).out)

    def test_of_a_file_of_another_version_nothing_else_is_said(self):
        self.write("new.yaml", "version: 2\ntrainings: [a]\n")
        said = self.bisectd("check", "new.yaml", code=2).err
        self.assertIn("new.yaml:1:10: version 2 is not known to this bisectd", said)
        self.assertNotIn("missing", said)

    def test_help_and_version_go_to_stdout(self):
        self.assertIn("resume", self.bisectd("--help", code=0).out)
        self.assertIn("EXPERIMENT", self.bisectd("run", "--help", code=0).out)
        self.assertRegex(self.bisectd("--version", code=0).out, r"^bisectd \d+\.\d+\.\d+ \((\w+, )?\w+\)\n$")

    def test_a_closed_stdout_is_no_crash(self):
        done = subprocess.run(f"'{BISECTD}' --help | head -1", shell=True, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")

    def test_names_of_models(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", suspects=2))
        self.bisectd("run", "experiment.yaml", code=1)
        accept = ("accept", "bisectd-out/latest", "--of", "reference")
        self.assertIn("letters, digits", self.bisectd(*accept, "--model", "../x y", code=2).err)
        self.assertIn("is a folder", self.bisectd(*accept, "-o", ".", code=2).err)
        self.assertIn("did you mean 'hostile'?", self.bisectd("history", "--model", "hostle", code=2).err)

    def test_families_of_a_file_of_ones_own(self):
        self.write("own/stack.yaml", """\
            version: 1
            families:
              ops: {kind: list, description: "\\e]0;x\\a moves them", deliver: {environment: OFF}}
            """)
        out = self.bisectd("families", "own/stack.yaml", code=0).out
        self.assertIn("ops (list): \\x1b]0;x\\x07 moves them", out)
        self.assertIn("no such file", self.bisectd("families", "own/stakc.yaml", code=2).err)

    def test_what_cannot_be_printed_is_no_success(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", suspects=2))
        self.bisectd("run", "experiment.yaml", code=1)
        for words in ("--help", "--version", "run --help", "version --json", "families", "plan experiment.yaml", "history",
                      "status bisectd-out/latest", "explain bisectd-out/latest", "report bisectd-out/latest",
                      "report bisectd-out/latest -f html"):
            for target in (">/dev/full", ">&-"):
                with self.subTest(words + target):
                    done = subprocess.run(f"exec '{BISECTD}' {words} {target}", shell=True, cwd=self.folder,
                                          env=self.environment(None), stderr=subprocess.PIPE, text=True)
                    self.assertEqual(done.returncode, 4)
                    self.assertRegex(done.stderr, "^bisectd: .*(stdout|No space left|Bad file)")


if __name__ == "__main__":
    unittest.main()
