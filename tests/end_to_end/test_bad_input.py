"""Bad input gets a clear error with its place before anything starts, and leaves nothing behind."""
import ctypes
import json
import os
import re
import shutil
import subprocess
import unittest

from space import BISECTD, HOSTILE, Space, hostile_experiment


class BadExperiment(Space):
    def refused(self, text, *words, code=2, name="experiment.yaml"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = self.bisectd("run", name, code=code)
        for word in words:
            self.assertIn(word, done.err)
        self.assertEqual(done.out, "")
        self.assertNotIn("\x1b", done.err)
        self.assertEqual([p.name for p in self.folder.glob("bisectd-out/*")], [], "something was started")
        return done

    def changed(self, old, new):
        """A good experiment with one thing changed, and the place of the change."""
        good = hostile_experiment("--cause", "op1=3")
        self.assertIn(old, good)
        text = good.replace(old, new, 1)
        line = good[:good.index(old)].count("\n") + 1
        return text, f"experiment.yaml:{line}:"

    def test_unknown_key(self):
        text, place = self.changed("  repeats: 5", "  repeat: 5")
        self.refused(text, place, "`repeat`", "`repeats`", "^")

    def test_duplicate_key(self):
        text, _ = self.changed("name: hostile", "name: hostile\nname: twice")
        self.refused(text, "experiment.yaml:3:1:", "name")

    def test_wrong_type(self):
        text, place = self.changed("  repeats: 5", "  repeats: many")
        self.refused(text, place, "many")

    def test_yaml_surprises(self):
        for value in ("yes", "010", "0x10", ".nan", "1_000", "~"):
            with self.subTest(value):
                text, place = self.changed("  repeats: 5", f"  repeats: {value}")
                self.refused(text, place)

    def test_unknown_preset(self):
        text, place = self.changed("name: hostile", "name: hostile\nextends: paddle-nqu")
        self.refused(text, "experiment.yaml:3:", "paddle-nqu", "paddle-npu")

    def test_name_with_a_space_and_name_twice(self):
        self.refused(self.changed("op0, op1", '"op 0", op1')[0], "op 0")
        self.refused(self.changed("op0, op1", "op1, op1")[0], "op1")

    def test_unknown_operator(self):
        self.refused(hostile_experiment().replace("version: 1", "version: 1\nextends: paddle-npu", 1)
                     .replace("HOSTILE_OFF", "CUSTOM_DEVICE_BLACK_LIST").replace("op0, op1", "pad4d, relu"), "pad4d", "pad3d")

    def test_empty_command(self):
        done = self.refused(re.sub(r"(?m)^(  command: ).*$", r"\1[]", hostile_experiment(), count=1), "experiment.yaml:4:")
        self.assertIn("command", done.err)

    def test_a_command_that_is_a_string(self):
        self.refused(re.sub(r"(?m)^(  command: ).*$", r"\1python train.py", hostile_experiment(), count=1), "list")

    def test_targets(self):
        for target in ("0", "0%", "500%", "-1%", "half"):
            with self.subTest(target):
                self.refused(hostile_experiment(extra=f"accept: {{target: {target}}}"), "target")

    def test_device_ids_twice(self):
        self.refused(hostile_experiment(devices="[0, 1, 0]"), "0")

    def test_a_command_that_does_not_exist(self):
        text, place = self.changed(f'["{HOSTILE}"', '["./no-such-training"')
        self.refused(text, place, "no-such-training")

    def test_a_script_that_does_not_exist(self):
        self.write("train.py", "print('step 1 loss 1')")
        text = hostile_experiment("--cause", "op1=3")
        for command, hint in (('[python3, -u, trian.py, npu]', "did you mean `train.py`?"),
                              ('[python3, nofile.py]', "`directory` of a side says where it is started"),
                              ('[sh, tools/run.sh]', "`directory` of a side says where it is started")):
            with self.subTest(command):
                bad = re.sub(r'(subject:\n +command: )\[.*\]', rf"\1{command}", text)
                self.refused(bad, "experiment.yaml:", "there is no `", hint)
                self.assertIn("there is no `", self.bisectd("check", "experiment.yaml", code=2).err)
        for command in ('[python3, -m, trian.py]', '[python3, -c, "pass", gone.py]', '["true", trian.py]'):
            self.write("experiment.yaml", re.sub(r'(subject:\n +command: )\[.*\]', rf"\1{command}", text))
            self.bisectd("check", "experiment.yaml", code=0)
        self.assertIn("warning: there is no `trian.py` in", self.bisectd("check", "experiment.yaml", code=0).err)

    def test_a_curve_that_is_not_there(self):
        self.write("reference.json", "{}")
        curve = re.sub(r"reference:\n(?:(?:  .*)?\n)+?subject", "reference: {curve: refrence.json}\nsubject", hostile_experiment())
        self.refused(curve, "no such file: `refrence.json`", "did you mean `reference.json`?")
        self.refused(curve.replace("refrence.json", "."), "this is a folder, not a file")

    def test_words_that_are_nearly_right(self):
        good = hostile_experiment("--cause", "op1=3")
        for bad, right in ((good + "checks: standrd\n", "standard"), (good + "search: {engine: auto}\n", "automatic"),
                           (good.replace("kind: list", "kind: lst"), "list"), (good + "accept: {goal: run}\n", "runs")):
            self.refused(bad, f"did you mean `{right}`?")
        alone = re.sub(r"reference:\n(?:(?:  .*)?\n)+?subject", "subject", good)
        self.assertNotIn("`reference`", self.refused(alone + "accept: {goal: run}\nsteps: 9\n", "did you mean `runs`?").err)

    def test_ids_that_a_preset_leaves_to_the_experiment(self):
        """The place is in the file that lacks them, not in the preset that says the kind."""
        self.refused("""\
version: 1
extends: paddle-npu
reference: {command: [python3, -c, pass]}
subject:
  command: [python3, -c, pass]
metric: {loss: {format: paddleocr}}
suspects: {flags: all}
""", "experiment.yaml:5:3: `subject.devices`: devices of kind `npu` need `ids`", "devices: {ids: [0]}")

    def test_files_that_are_no_experiment(self):
        self.refused("", "experiment.yaml")
        self.refused(b"# " + b"x" * 10_000_000, "experiment.yaml")
        self.refused(bytes(range(256)) * 16, "experiment.yaml")
        self.refused(b"\x7fELF\x02\x01\x01\x00", "experiment.yaml")
        self.assertIn("absent.yaml", self.bisectd("run", "absent.yaml", code=2).err)
        self.assertIn("directory", self.bisectd("run", ".", code=2).err)

    @unittest.skipIf(os.geteuid() == 0 and not os.path.exists("/proc/self"), "needs a folder that nobody may write")
    def test_an_output_folder_that_cannot_be_written(self):
        self.write("experiment.yaml", hostile_experiment())
        for out in ("/proc/nowhere", "experiment.yaml"):
            done = self.bisectd("run", "experiment.yaml", "--out", out, code=2)
            self.assertIn(out, done.err)


class BadRun(Space):
    def test_a_log_without_any_loss(self):
        self.write("experiment.yaml", hostile_experiment().replace(f'["{HOSTILE}"', '["/bin/echo"', 1))
        done = self.bisectd("run", "experiment.yaml", code=4)
        self.assertIn("reference", done.out)
        self.assertIn("loss", done.out)

    def test_a_loss_that_is_no_number(self):
        training = self.write("train.sh", """\
            #!/bin/sh
            for step in 1 2 3 4 5 6 7 8; do
              echo "[2025/11/27 16:48:27] ppocr INFO: epoch: [1/1], global_step: $step, loss: 2.${step}oo, ips: 1"
            done
            """)
        training.chmod(0o755)
        self.write("experiment.yaml", hostile_experiment().replace(f'["{HOSTILE}"', f'["{training}"', 1))
        done = self.bisectd("run", "experiment.yaml", code=4)
        self.assertIn("2.1oo", done.out)

    def test_a_delivery_that_the_training_does_not_read(self):
        text = hostile_experiment("--cause", "op1=3", suspects=3)
        self.write("experiment.yaml", text.replace("deliver: {environment: HOSTILE_OFF", "deliver: {environment: HOSTILE_OF"))
        done = self.bisectd("run", "experiment.yaml", code=3)
        self.assertIn("most likely nothing was switched off: see whether the training reads HOSTILE_OF (family ops)", done.out)

    def test_a_reference_that_crashes(self):
        self.write("experiment.yaml", hostile_experiment(reference="environment: {X: '1'}").replace(
            '"--perturbed", "0.01"]\n  repeats', '"--crash-at", "50"]\n  repeats', 1))
        done = self.bisectd("run", "experiment.yaml", code=4)
        self.assertIn("SIGSEGV", done.out)


class BadDiscovery(Space):
    def said(self, names, code=4):
        self.write("train.py", f"""\
            import sys
            wrong = "npu" in sys.argv
            for name in {names}:
                print("ran", name)
            for step in range(1, 101):
                print(f"step {{step}} loss {{(2 + 6 * 0.9 ** step) * (1.05 if wrong else 1):.6f}}")
            """)
        self.write("experiment.yaml", """\
            version: 1
            name: names
            reference: {command: [python3, train.py], repeats: 2}
            subject: {command: [python3, train.py, npu], devices: {kind: npu, ids: [0]}}
            metric: {loss: {pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}
            families: {ops: {kind: list, deliver: {environment: OFF}, discover: {ran: '^ran (?P<name>.+)$'}}}
            suspects: {ops: {discover: true}}
            """)
        shutil.rmtree(self.folder / "bisectd-out", ignore_errors=True)  # or the run would be gone on with
        return self.bisectd("run", "experiment.yaml", code=code).out

    def test_it_finds_nothing(self):
        self.assertIn("there is no suspect", self.said("[]"))

    def test_it_finds_a_hundred_thousand_names(self):
        self.assertIn("named 100000 members of family ops; more than 10000 are a pattern that matches too much",
                      self.said("range(100_000)"))

    def test_it_finds_names_that_cannot_be_delivered(self):
        for name, why in (("relu,gelu", "holds the separator `,`"), ("relu gelu", "holds white space"), ("re\tlu", "holds white space"),
                          ("re\x07lu", "cannot be shown"), ('"relu"', "holds a quote")):
            with self.subTest(name):
                said = self.said([name])
                self.assertIn("in family ops, which cannot be delivered: it", said)
                self.assertIn(why, said)


class BadFolder(Space):
    """Commands that look at a run, given something else."""
    COMMANDS = (("status",), ("report",), ("resume",), ("explain",), ("accept",))

    def refused(self, folder, *words, code=2):
        for command in self.COMMANDS:
            with self.subTest(command=command, folder=folder):
                done = self.bisectd(*command, folder, code=code)
                for word in words:
                    self.assertIn(word, done.err)
                self.assertEqual(done.out, "")

    def test_what_is_no_run_directory(self):
        self.write("empty/notes.txt", "")
        self.write("file", "")
        (self.folder / "dangling").symlink_to("nowhere")
        self.refused("absent", "no such folder")
        self.refused("dangling", "no such folder")
        self.refused("empty", "not a run directory")
        self.refused("file", "file")

    def test_a_suite_directory_is_no_run(self):
        self.write("rec.yaml", hostile_experiment(suspects=2))
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml]\n")
        self.bisectd("ci", "suite.yaml", code=0)
        (suite,) = self.folder.glob("bisectd-out/nightly-*")
        self.refused(suite, "a suite's directory. Its report is index.html")

    def test_a_journal_that_is_none(self):
        for content in (b"", b"\0" * 1000, b"{}\n", b"not json\n", b'{"kind":"run","sum":"0123456789abcdef"}\n'):
            with self.subTest(content[:20]):
                journal = self.folder / "run/journal.jsonl"
                journal.parent.mkdir(exist_ok=True)
                journal.write_bytes(content)
                for command in self.COMMANDS:
                    done = self.bisectd(*command, "run")
                    self.assertIn(done.returncode, (2, 4), done.err)
                    self.assertIn("journal.jsonl", done.err)
                    self.assertNotIn("this is a bug", done.err)


class BadHistory(Space):
    def line(self, record):
        """A line of the history as bisectd writes it, with its checksum."""
        text = json.dumps(record, separators=(",", ":"))[:-1]
        xxh3 = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
        xxh3.restype, xxh3.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t)
        return f'{text},"sum":"{xxh3(text.encode(), len(text)):016x}"}}\n'

    def test_a_history_of_a_newer_bisectd(self):
        self.write("rec.yaml", hostile_experiment("--cause", "op1=3", suspects=2))
        self.bisectd("run", "rec.yaml", code=1)
        path = self.folder / "bisectd-out/history.jsonl"
        mine = path.read_text()
        record = json.loads(mine)
        del record["sum"]
        self.assertEqual(self.line(record), mine)
        path.write_text(mine + self.line({**record, "format": 2, "colour": "blue"}))
        done = self.bisectd("history", code=4)
        self.assertIn("history.jsonl:2: ", done.err)
        self.assertIn("newer bisectd", done.err)
        before = path.read_bytes()
        done = self.bisectd("run", "rec.yaml", code=1)  # it costs the hints, not the night
        self.assertIn("newer bisectd", done.err)
        self.assertEqual(path.read_bytes(), before, "what this bisectd does not understand was written to")
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml]\n")
        self.assertIn("newer bisectd", self.bisectd("ci", "suite.yaml", code=1).err)
        self.assertEqual(path.read_bytes(), before)


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
        self.assertIn("--target", self.bisectd("compare", "a.log", "--target", "2x", "--", "b.log", code=2).err)

    def test_files_that_are_nearly_there(self):
        self.write("rec.yaml", hostile_experiment(suspects=2))
        self.assertIn("did you mean 'rec.yaml'?", self.bisectd("check", "rec.yml", code=2).err)
        self.assertIn("this is a file; name the folder of a run", self.bisectd("status", "rec.yaml", code=2).err)
        self.bisectd("run", "rec.yaml", code=0)
        self.assertIn("the last run in it is bisectd-out/latest", self.bisectd("status", "bisectd-out", code=2).err)

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

    def test_what_cannot_be_printed_is_no_success(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", suspects=2))
        self.bisectd("run", "experiment.yaml", code=1)
        for words in ("version --json", "families", "plan experiment.yaml", "history", "status bisectd-out/latest",
                      "explain bisectd-out/latest", "report bisectd-out/latest", "report bisectd-out/latest -f html"):
            for target in (">/dev/full", ">&-"):
                with self.subTest(words + target):
                    done = subprocess.run(f"exec '{BISECTD}' {words} {target}", shell=True, cwd=self.folder,
                                          env=self.environment(None), stderr=subprocess.PIPE, text=True)
                    self.assertEqual(done.returncode, 4)
                    self.assertRegex(done.stderr, "^bisectd: .*(stdout|No space left|Bad file)")


if __name__ == "__main__":
    unittest.main()
