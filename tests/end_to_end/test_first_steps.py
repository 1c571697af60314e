"""The first steps: init, check, schema, completion, manual, version."""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest

import yaml

from space import BISECTD, HOSTILE, SOURCE, Space, hostile_experiment


class Init(Space):
    def setUp(self):
        super().setUp()
        self.write("bin/python", "").unlink()
        (self.folder / "bin/python").symlink_to(sys.executable)  # Debian has none of this name
        self.path = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}

    def test_what_it_writes_is_accepted_for_every_preset(self):
        presets = json.loads(self.bisectd("version", "--json", code=0).out)["presets"]
        self.assertIn("paddle-npu", presets)
        self.write("train.py", "")
        for marker in ("", "ppocr", "paddleseg", "ppcls", "ppdet", "paddlenlp"):
            if marker:
                (self.folder / marker).mkdir()
            # A project's folder fills in what the preset leaves open: its own preset, Paddle's and one that has nothing to do with it.
            for preset in ("", "paddle-npu", "mindspore") if marker else ("", *sorted(set(presets) - {"cann", "trainers"})):  # no families
                with self.subTest(preset, marker=marker):
                    file = f"of-{preset}{marker}.yaml"
                    self.bisectd("init", *([preset] if preset else []), "-o", file, code=0)
                    done = self.bisectd("check", file, code=0, environment=self.path)
                    self.assertEqual(done.err, "")
            if marker:
                (self.folder / marker).rmdir()

    def test_every_family_of_the_preset_stands_there(self):
        for preset in ("paddle-npu", "torch-npu", "mindspore"):
            known = yaml.safe_load((SOURCE / f"configs/presets/{preset}.yaml").read_text())["families"]
            text = self.bisectd("init", preset, "-o", "-", code=0).out
            self.assertEqual(set(re.findall(r"(?m)^  (?:# )?(\w+): (?:all|\[name|\{discover)", text)), set(known))
            self.assertLess(set(yaml.safe_load(text)["suspects"]), set(known))

    def test_what_needs_an_argument_says_so(self):
        self.write("train.py", "")
        text = self.bisectd("init", "paddle-npu", "-o", "-", code=0).out
        _, said, comments = text.partition('These need the element "{arguments}" in the subject\'s command')
        self.assertRegex(comments, "(?m)^  # loss_scale: all ")
        text = text.replace("  # loss_scale: all", "  loss_scale: all")
        self.write("one.yaml", text)
        self.assertIn("lacks the element", self.bisectd("check", "one.yaml", code=2, environment=self.path).err)
        head, subject, tail = text.partition("\nsubject:")
        self.write("two.yaml", head + subject + tail.replace("train.py]", 'train.py, "{arguments}"]', 1))
        self.bisectd("check", "two.yaml", code=0, environment=self.path)

    def test_the_subject_has_the_devices_of_its_preset(self):
        for preset, kind in (("torch-cuda", "gpu"), ("torch-npu", "npu"), ("generic", "npu")):
            text = self.bisectd("init", preset, "-o", "-", code=0).out
            self.assertEqual(yaml.safe_load(text)["subject"]["devices"]["kind"], kind)
            self.assertEqual("ascend-toolkit" in text, kind == "npu")

    def test_the_first_experiment_of_the_readme_can_be_loaded(self):
        self.write("tools/train.py", "")
        for readme in ("README.md", "README.zh-CN.md"):
            text = re.search(r"(?s)```yaml\n(.*?)```", (SOURCE / readme).read_text())[1]
            self.write("experiment.yaml", text)
            done = self.bisectd("check", "experiment.yaml", code=0, environment=self.path)
            self.assertIn("ok       experiment.yaml: experiment ppocrv4-rec", done.out)
            for side in ("reference", "subject"):  # runs that share a folder share what PaddleOCR writes: train.log, checkpoints
                self.assertIn("Global.save_model_dir={attempt}/output", yaml.safe_load(text)[side]["command"])

    def test_the_training_is_guessed(self):
        for marker, words in (("ppocr", "Global.use_npu=True"), ("paddleseg", "--save_dir"), ("ppcls", "Global.device=npu"),
                              ("ppdet", "use_npu=True"), ("paddlenlp", "--logging_steps"), ("lib", "metric: loss")):
            with self.subTest(marker):
                folder = self.folder / marker
                (folder / marker).mkdir(parents=True)
                (folder / "train.py").touch()
                done = subprocess.run([BISECTD, "init", "paddle-npu", "-o", "-"], cwd=folder, capture_output=True, text=True,
                                      env=self.environment())
                self.assertIn(words, done.stdout)
                self.assertIn("train.py", yaml.safe_load(done.stdout)["subject"]["command"])

    def test_a_script_of_another_name_is_found(self):
        (self.folder / "pretrain_gpt.py").touch()
        (self.folder / "model.py").touch()
        self.assertIn("pretrain_gpt.py", yaml.safe_load(self.bisectd("init", "-o", "-", code=0).out)["subject"]["command"])

    def test_a_script_whose_name_says_nothing_is_found_by_what_it_does_or_as_the_only_one(self):
        command = lambda: yaml.safe_load(self.bisectd("init", "-o", "-", code=0).out)["subject"]["command"]
        self.write("mixer.py", "print(1)\n")
        self.assertEqual(command(), ["python", "mixer.py"])
        self.write("atoms.py", "print(2)\n")
        self.assertEqual(command(), ["python", "train.py"])  # which of the two, nobody knows
        self.write("mixer.py", "loss.backward()\n")
        self.assertEqual(command(), ["python", "mixer.py"])

    def test_a_script_that_imports_paddlenlp_is_enough(self):
        (self.folder / "run_pretrain.py").write_text("from paddlenlp.trainer import Trainer\n")
        written = yaml.safe_load(self.bisectd("init", "paddle-npu", "-o", "-", code=0).out)
        self.assertEqual(written["metric"], "loss")
        self.assertIn("run_pretrain.py", written["subject"]["command"])

    def test_it_names_the_schema_and_says_what_is_next(self):
        said = self.bisectd("init", "paddle-npu", code=0).out
        schema = re.match(r"# yaml-language-server: \$schema=file://(\S+)\n", (self.folder / "experiment.yaml").read_text())[1]
        self.assertIn("reference", json.loads(pathlib.Path(schema).read_text())["properties"])
        self.assertLess(said.index("bisectd check experiment.yaml --run"), said.index("bisectd run experiment.yaml"))

    def test_it_never_writes_over_a_file(self):
        self.write("experiment.yaml", "mine")
        self.assertIn("experiment.yaml exists", self.bisectd("init", code=2).err)
        self.assertEqual((self.folder / "experiment.yaml").read_text(), "mine")
        self.assertIn("did you mean 'paddle-npu'", self.bisectd("init", "paddle-npx", code=2).err)
        for part in ("cann", "trainers"):
            said = self.bisectd("init", part, code=2).err
            self.assertIn(f"nothing can be switched off by the preset '{part}'; choose one of ", said)
            self.assertIn("torch-npu", said)
            self.assertNotIn("cann,", said)
        self.assertIn("/proc/no", self.bisectd("init", "-o", "/proc/no/x.yaml", code=4).err)


class Check(Space):
    def test_a_good_experiment(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3"))
        done = self.bisectd("check", "experiment.yaml", code=0)
        for words in ("experiment hostile", "8 suspects", "run directories go to bisectd-out", "subject: "):
            self.assertIn(words, done.out)
        self.assertFalse((self.folder / "bisectd-out").exists(), "looking left something behind")

    def checked(self, *options, code=0, **experiment):
        """What a check says that runs a few, and how often it ran each side."""
        shutil.rmtree(self.folder / "bisectd-out", ignore_errors=True)
        self.write("experiment.yaml", hostile_experiment(*options, **experiment))
        done = self.bisectd("check", "experiment.yaml", "--run", code=code)
        folders = [path.parent.parent.name for path in self.folder.glob("bisectd-out/*/trials/*/*/command.sh")]
        return done, [folders.count("0001"), folders.count("0002")]

    def test_a_few_runs(self):
        done, runs = self.checked("--cause", "op1=3")
        self.assertEqual(runs, [5, 2])
        self.assertRegex(done.out, r"(?m)^ok +reference: 100 points in .*, the last is step 100: loss \d")
        self.assertRegex(done.out, r"(?m)^ok +loss: runs moved by more than any rounding end 0\.\d+ % apart$")
        self.assertRegex(done.out, r"(?m)^ok +the subject as it is fails \(\+3\.\d\d %\): ")
        self.assertRegex(done.out, r"a run of \d+ steps shows it with a margin: the failure is certain at step \d+ of 100")
        self.assertIn("trial 1 reference -> measured", done.err)
        folder, = (self.folder / "bisectd-out").iterdir()
        self.assertIn(f"logs: {folder}/trials\n", done.out)
        self.assertIn(f"bisectd resume {folder}\n", done.out)
        self.bisectd("resume", folder, code=1)
        self.assertEqual(self.culprits(json.loads((folder / "report.json").read_text())), ["ops:op1"])
        roles = [line["role"] for line in map(json.loads, (folder / "journal.jsonl").read_text().splitlines()) if line.get("kind") == "trial"]
        self.assertEqual((roles.count("reference"), roles.count("as-is")), (1, 1), "they were run again")

    def test_no_shorter_run_shows_it(self):
        done, _ = self.checked("--cause", "op1=0.8", steps=50)
        self.assertRegex(done.out, r"the failure is certain at step \d+ of 50, .*no shorter one is proposed")

    def test_the_shortest_run(self):
        done, runs = self.checked("--cause", "op1=3", steps=400)
        self.assertEqual(runs, [5, 2])
        enough, saved = re.search(r"a run of (\d+) steps shows it with a margin: .* saves (\d+) % of a trial that passes", done.out).groups()
        self.assertAlmostEqual(float(saved), 100 - float(enough) / 4, delta=1)

    def test_a_healthy_subject_takes_no_more_runs_than_it_needs(self):
        done, runs = self.checked(steps=400)
        self.assertEqual(runs, [5, 2])
        self.assertIn("the subject as it is passes, so there is nothing to search", done.out)
        self.assertNotIn("a run of", done.out)

    def test_without_perturbation(self):
        done, runs = self.checked("--cause", "op1=3", perturbed=False)
        self.assertEqual(runs, [2, 2])
        self.assertRegex(done.out, "(?m)^warning +no run of the reference shows what rounding grows to")
        self.assertNotIn("a run of", done.out)

    def test_a_side_that_breaks(self):
        done, _ = self.checked("--crash-at", "5", code=4)
        self.assertRegex(done.out, "(?m)^error +subject: killed by SIGSEGV")

    def test_repeats_that_break_are_told(self):
        done, runs = self.checked("--crash-perturbed")
        self.assertRegex(done.out, "(?m)^warning +runs of the subject break when they are perturbed")

    def test_ctrl_c_leaves_nothing_running(self):
        self.write("experiment.yaml", hostile_experiment("--step-ms", "200", steps=1000))
        process = self.start("check", "experiment.yaml", "--run")
        self.wait_for(lambda: any(HOSTILE in one for one in self.processes_of_this_test()))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 128 + signal.SIGINT)
        self.assertEqual(self.processes_of_this_test(), [])

    def test_a_run_that_fails(self):
        for option, words in ((("--crash-at", "5"), "SIGSEGV"), (("--exit-code", "3", "--truncate-at", "50"), "exited 3"),
                              (("--truncate-at", "0"), "loss")):
            with self.subTest(option):
                self.write("experiment.yaml", hostile_experiment(*option))
                done = self.bisectd("check", "experiment.yaml", "--run", code=4)
                self.assertRegex(done.out, "(?m)^error .*" + words)

    def test_what_is_wrong_is_found_before_anything_runs(self):
        good = hostile_experiment()
        for text, words in ((good.replace("repeats", "repeat"), "did you mean `repeats`"),
                            (good.replace(HOSTILE, "/no/such/training", 1), "/no/such/training"),
                            (good.replace("  repeats: 5", "  setup: exit 7"), "setup"),
                            (good.replace("  repeats: 5", "  directory: nowhere"), "nowhere")):
            with self.subTest(words):
                (self.folder / "experiment.yaml").write_text(text)
                self.assertIn(words, self.bisectd("check", "experiment.yaml", "--run", code=2).err)
        (self.folder / "experiment.yaml").write_text(good)
        self.assertIn("/proc/x", self.bisectd("check", "experiment.yaml", "--out", "/proc/x", code=2).err)
        self.assertIn("absent.yaml", self.bisectd("check", "absent.yaml", code=2).err)


class FirstExample(Space):
    def test_five_lines_find_the_wrong_operator(self):
        example = SOURCE / "examples/first"
        for file in example.iterdir():
            shutil.copy(file, self.folder)
        self.assertLessEqual(len((self.folder / "experiment.yaml").read_text().splitlines()), 5)
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.report()["culprit_set"], [{"family": "names", "name": "tanh_grad"}])


class Interface(Space):
    def test_schema(self):
        schema = json.loads(self.bisectd("schema", code=0).out)
        self.assertIn("reference", schema["properties"])
        self.assertEqual(json.loads(self.bisectd("schema", "experiment", code=0).out), schema)
        self.assertIn("culprit_set", json.loads(self.bisectd("schema", "report", code=0).out)["properties"])
        self.assertIn("report", self.bisectd("schema", "raport", code=2).err)

    def test_version(self):
        version = json.loads(self.bisectd("version", "--json", code=0).out)
        build = ", ".join(filter(None, (version["commit"], version["architecture"])))
        self.assertIn(os.uname().machine, build)
        for said in (self.bisectd("version", code=0).out, self.bisectd("--version", code=0).out):
            self.assertEqual(said, f"bisectd {version['version']} ({build})\n")

    def completed(self, *words):
        script = 'source /dev/stdin <<< "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bisectd; printf "%s\\n" "${COMPREPLY[@]}"'
        completion = self.bisectd("completion", "bash", code=0).out
        done = subprocess.run(["bash", "-c", script, "bash", completion, "bisectd", *words], cwd=self.folder,
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_completion_in_bash(self):
        (self.folder / "experiment.yaml").touch()
        (self.folder / "bisectd-out").mkdir()
        self.assertEqual(self.completed("res"), ["resume"])
        self.assertIn("ci", self.completed(""))
        self.assertEqual(self.completed("run", "exp"), ["experiment.yaml"])
        self.assertEqual(self.completed("status", ""), ["bisectd-out"])
        self.assertEqual(self.completed("report", "bisectd-out", "--format", "j"), ["json", "junit"])
        self.assertEqual(self.completed("run", "--acc"), ["--accept-changes"])
        self.assertEqual(self.completed("completion", "z"), ["zsh"])

    def test_completion_scripts_are_well_formed(self):
        for shell in ("bash", "zsh", "fish"):
            with self.subTest(shell):
                script = self.write(f"completion.{shell}", self.bisectd("completion", shell, code=0).out)
                subprocess.run([shell, "-n", script], check=True)
        self.assertIn("tcsh", self.bisectd("completion", "tcsh", code=2).err)

    def test_completion_in_fish(self):
        script = self.write("completion.fish", self.bisectd("completion", "fish", code=0).out)

        def completed(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], cwd=self.folder,
                                  capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")
            return [answer.split("\t")[0] for answer in done.stdout.splitlines()]

        self.assertEqual(completed("bisectd res"), ["resume"])
        self.assertEqual(completed("bisectd run --acc"), ["--accept-changes"])
        self.assertEqual(completed("bisectd completion "), ["bash", "fish", "zsh"])
        self.assertEqual(completed("bisectd report x --format j"), ["json", "junit"])

    def test_completion_in_zsh(self):
        """Typed into a real zsh that finds the script as an installed one: through $fpath."""
        self.write("functions/_bisectd", self.bisectd("completion", "zsh", code=0).out)
        leader, follower = pty.openpty()
        shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=follower, stdout=follower, stderr=follower, cwd=self.folder,
                                 env=self.environment({"PS1": "> "}), start_new_session=True)
        self.addCleanup(lambda: (shell.kill(), shell.wait(), os.close(leader)))
        os.close(follower)

        def typed(text, wanted):
            os.write(leader, text.encode())
            shown, deadline = "", time.monotonic() + 30
            while wanted not in shown:
                self.assertTrue(select.select([leader], [], [], max(0, deadline - time.monotonic()))[0], shown)
                shown += os.read(leader, 65536).decode()

        typed("fpath=(functions $fpath); autoload -U compinit; compinit -u -D; print 'REA''DY'\n", "READY\r\n")
        typed("bisectd res\t", "bisectd resume ")
        typed("\x15bisectd run --acc\t", "run --accept-changes ")
        typed("\x15bisectd completion \t\t", "bash  fish  zsh")

    def test_manual_page(self):
        page = self.write("bisectd.1", self.bisectd("manual", code=0).out)
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        text = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", page], capture_output=True, text=True).stdout
        for line in re.findall(r"(?m)^  (\w+) ", self.bisectd("--help", code=0).out):
            self.assertRegex(text, rf"bisectd {line}\b")
        self.assertIn("--accept-changes", text)


if __name__ == "__main__":
    unittest.main()
