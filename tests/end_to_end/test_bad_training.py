"""Trainings whose logs or names cannot be used: the error says what was wrong with them."""
import re
import shutil
import unittest

from space import HOSTILE, Space, hostile_experiment


class BadRun(Space):
    def test_a_log_without_any_loss(self):
        self.write("experiment.yaml", hostile_experiment().replace(f'["{HOSTILE}"', '["/bin/echo"', 1))
        done = self.bisectd("run", "experiment.yaml", code=4)
        self.assertIn("reference", done.out)
        self.assertIn("loss", done.out)

    def test_a_log_of_another_format_is_read_as_it_is_proposed(self):
        self.write("train.py", """\
            import sys
            for step in range(1, 21):
                print(f"iter={step:04d} | {sys.argv[1]}: {3 - step / 40:.6f} | it's 'quoted'")
            """)
        text = """\
            version: 1
            name: other
            reference: {command: [python3, train.py, WORD], repeats: 1}
            subject: {command: [python3, train.py, WORD], devices: {kind: cpu, ids: [0]}}
            METRIC
            families: {ops: {kind: list, deliver: {environment: OFF}}}
            suspects: {ops: [a, b]}
            """
        for command in (("check", "experiment.yaml", "--run"), ("run", "experiment.yaml", "--new")):
            for word in ("loss", "train_loss", "it's train_loss"):
                with self.subTest(command=command[0], word=word):
                    write = lambda metric: self.write("experiment.yaml", text.replace("WORD", f'"{word}"').replace("METRIC", metric))
                    write("metric: {loss: {format: paddleocr}}")
                    proposed = re.search("`(metric: .*)` alone reads stdout.log: read 20 values of", self.bisectd(*command, code=4).out)[1]
                    write(proposed)
                    self.bisectd(*command, code=0)
            self.write("experiment.yaml", text.replace("WORD", "fitness").replace("METRIC", "metric: {loss: {format: paddleocr}}"))
            self.assertIn("no line has a number called loss; there are fitness, iter; the last line of stdout.log with a number is: "
                          "iter=0020 | fitness: 2.500000", self.bisectd(*command, code=4).out)

    def test_a_reference_whose_pattern_fits_nothing_is_not_repeated(self):
        self.write("train.py", "for step in range(1, 21): print(f'step {step} loss {3 - step / 40}', flush=True)")
        text = """\
            version: 1
            name: repeated
            reference: {command: [python3, train.py], repeats: 5}
            subject: {command: [python3, train.py], devices: {kind: cpu, ids: [0]}}
            metric: {loss: {pattern: 'STEP (?P<step>\\d+) loss (?P<value>\\S+)'}}
            families: {ops: {kind: list, deliver: {environment: OFF}}}
            suspects: {ops: [a, b]}
            """
        for word, runs, code in (("iter", 1, 4), ("step", 5, 0)):
            with self.subTest(word):
                self.write("experiment.yaml", text.replace("STEP", word))
                self.bisectd("run", "experiment.yaml", "--new", code=code)
                self.assertEqual(sum(record["kind"] == "attempt-started" and record["trial"] == 1 for record in self.journal()), runs)

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

    def test_runs_that_broke_and_were_made_again_are_told(self):
        """The first launch of one set breaks."""
        self.write("train.sh", '[ "$HOSTILE_OFF" = "$BREAKS" ] && mkdir "broke-$BREAKS" 2>/dev/null && exit 7; exec "$@"\n')
        for cause, breaks, whose in ((), "", "the subject as it is"), (("--cause", "op3=3"), "op3", "the subject with the culprit set neutralised"):
            with self.subTest(whose):
                text = hostile_experiment(*cause, suspects=4)
                self.write("experiment.yaml", text.replace("subject:\n  command: [", "subject:\n  command: [sh, train.sh, "))
                done = self.bisectd("run", "experiment.yaml", "--new", code=1 if cause else 0, environment={"BREAKS": breaks})
                told = [warning for warning in self.report()["warnings"] if "broke" in warning]
                self.assertEqual(len(told), 1, told)
                self.assertRegex(told[0], rf"^1 of [0-9]+ runs of {whose} broke and were made again: exited 7")
                self.assertIn(told[0], done.out)


if __name__ == "__main__":
    unittest.main()
