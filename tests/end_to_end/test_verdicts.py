"""How verdicts steer a search: several metrics, late culprits, the side channel."""
import json
import subprocess
import unittest

from space import HOSTILE, Space, hostile_experiment

BOTH = "metric: {loss: {format: paddleocr}, acc: {format: paddleocr-eval, higher_is_better: true}}"


class Verdicts(Space):
    def find(self, *options, code=1, replace=(), **experiment):
        text = hostile_experiment(*options, **experiment)
        for old, new in replace:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.write("experiment.yaml", text)
        done = self.bisectd("run", "experiment.yaml", code=code)
        return self.report(), done

    def both_metrics(self, *options, **more):
        every = '"--score-every", "10"'
        return self.find(*options, replace=[("metric: {loss: {format: paddleocr}}", BOTH),
                                            ('"--steps", "100"', f'"--steps", "100", {every}')], **more)

    def test_a_culprit_that_only_the_score_shows(self):
        report, done = self.both_metrics("--score-cause", "op3=-2")
        self.assertEqual(self.culprits(report), ["ops:op3"])
        self.assertIn("acc:level", done.err)
        self.assertIn("ops:op3 makes acc leave the reference: -2.00 % as it is; with it neutralised every metric agrees (target 0.5 %).", done.out)
        self.assertRegex(done.out, r"only ops:op3 active: fails +acc -2\.00 %  trial \d+")
        as_is = next(trial for trial in report["trial_list"] if trial["role"] == "as-is")
        self.assertEqual(as_is["decided_by"]["metric"], "acc")
        self.assertAlmostEqual(as_is["decided_by"]["delta"], -0.02, 4)
        self.assertLess(abs(as_is["delta"]), 0.001)  # of the loss
        self.assertEqual(self.bisectd("report", self.run_folder(), code=0).out, done.out)
        past = json.loads((self.folder / "bisectd-out/history.jsonl").read_text())
        self.assertEqual((past["metric"], round(past["delta"], 4)), ("acc", -0.02))

    def test_a_named_standard_is_said_of_the_subject_and_of_the_fix(self):
        report, done = self.find("--cause", "op3=3", extra="accept: {standard: mindspeed}")
        self.assertEqual(self.culprits(report), ["ops:op3"])
        self.assertRegex(done.out, r"By a named standard\n  as it is: the standard of MindSpeed-LLM's CI is not met: .*"
                                   r"\n  with the fix: the standard of MindSpeed-LLM's CI is met: ")
        self.assertEqual([report["by_standard"][run]["met"] for run in ("as_is", "fix")], [False, True])
        self.assertEqual(self.bisectd("report", self.run_folder(), code=0).out, done.out)

    def test_a_better_result_that_is_accepted_is_said_to_be_better(self):
        _, done = self.find("--cause", "op3=-3", code=0, extra="accept: {worse_only: true}")
        self.assertRegex(done.out, r"loss of the subject as it is is better than that of the reference \(-3\.00 %, target 0\.5 %\), "
                                   "which accept.worse_only accepts")

    def test_one_culprit_in_each_metric(self):
        report, _ = self.both_metrics("--cause", "op1=2", "--score-cause", "op6=-3")
        self.assertEqual(self.culprits(report), ["ops:op1", "ops:op6"])

    def test_steps_after_the_last_one_do_not_count_and_a_training_that_goes_on_is_ended(self):
        """Steps of 2 ms, of which it would make 3000; where both sides were ended was a matter of the time until now."""
        for grace in ("0s", "1s"):
            report, done = self.find("--step-ms", "2", "--cause", "op3=3@5", code=0, steps=3000, extra="steps: 100",
                                     replace=[("exit_grace: 500ms", f"exit_grace: {grace}")])  # wrong from step 150 on
            self.assertEqual(report["outcome"], "aligned", grace)
            as_is = next(trial for trial in report["trial_list"] if trial["role"] == "as-is")
            for attempt in as_is["attempts"]:
                self.assertEqual(attempt["curve"]["steps"][-1], 100)
                self.assertLess(attempt["last_step"], 1000)
            self.assertNotIn("the last step was logged; then", done.out + done.err)

    def test_a_metric_that_no_run_logs_is_an_error_that_names_it(self):
        _, done = self.find("--cause", "op3=3", code=4, replace=[("metric: {loss: {format: paddleocr}}", BOTH)])
        self.assertIn('"acc"', done.out + done.err)

    def test_a_metric_that_only_the_reference_logs(self):
        text = hostile_experiment("--cause", "op3=3").replace("metric: {loss: {format: paddleocr}}", BOTH)
        text = text.replace('"--steps", "100"]', '"--steps", "100", "--score-every", "10"]')
        self.write("experiment.yaml", text)
        done = self.bisectd("run", "experiment.yaml", code=4)
        self.assertIn("acc", done.out + done.err)

    def test_a_late_second_culprit_is_found(self):
        report, _ = self.find("--cause", "op3=3", "--cause", "op11=1.5@80", steps=1000, suspects=16, repeats=8)
        self.assertEqual(self.culprits(report), ["ops:op11", "ops:op3"])
        self.assertEqual(self.causes(report), [["op11"], ["op3"]])

    def test_a_culprit_that_grows_beside_an_early_one(self):
        report, _ = self.find("--cause", "op2=4", "--cause", "op9=3@40^", steps=1000, suspects=16, repeats=8)
        self.assertEqual(self.culprits(report), ["ops:op2", "ops:op9"])

    def test_a_late_culprit_alone_is_found(self):
        report, _ = self.find("--cause", "op5=3@80", steps=1000, repeats=8)
        self.assertEqual(self.culprits(report), ["ops:op5"])

    def late_culprit(self, *logs):
        for seed, log in enumerate(logs, 1):
            done = subprocess.run([HOSTILE, "--generate", "8", "--steps", "1000", "--perturbed", "0.01"], capture_output=True, text=True,
                                  check=True, env={"HOSTILE_PERTURB": str(seed)})
            self.write(log, done.stdout)
        text = hostile_experiment("--cause", "op5=3@80", steps=1000)
        self.write("experiment.yaml", f"{text[:text.index('reference:')]}reference: {{curve: [{', '.join(logs)}]}}\n{text[text.index('subject:'):]}")
        self.bisectd("run", "experiment.yaml", code=1)
        return self.report()

    def test_a_late_culprit_is_found_with_plain_logs_as_reference(self):
        report = self.late_culprit("a.log", "b.log", "c.log")
        self.assertEqual(self.culprits(report), ["ops:op5"])

    def test_a_late_culprit_is_found_with_one_plain_log_as_reference(self):
        report = self.late_culprit("gpu.log")
        self.assertEqual(self.culprits(report), ["ops:op5"])
        [as_is] = [trial for trial in report["trial_list"] if trial["role"] == "as-is"]
        self.assertEqual([attempt["perturbed"] for attempt in as_is["attempts"]], list(range(3)))

    def test_resuming_a_reopened_search_repeats_nothing(self):
        self.find("--cause", "op3=3", "--cause", "op11=1.5@80", steps=1000, suspects=16, repeats=8)
        first = self.report()
        journal = (self.run_folder() / "journal.jsonl").read_text().splitlines(keepends=True)
        judged = [i for i, line in enumerate(journal) if '"judged"' in line]
        (self.run_folder() / "journal.jsonl").write_text("".join(journal[:judged[-3] + 1]))
        self.bisectd("resume", "bisectd-out/latest", code=1)
        again = self.report()
        self.assertEqual(again["culprit_set"], first["culprit_set"])
        self.assertEqual(again["causes"], first["causes"])

    def test_the_side_channel_gives_the_digits_that_the_log_lacks(self):
        side = '"--steps", "100", "--side-channel"'
        report, _ = self.find("--cause", "op3=0.8", replace=[('"--steps", "100"', side)])
        self.assertEqual(self.culprits(report), ["ops:op3"])
        self.assertFalse([warning for warning in report["warnings"] if "printed in steps" in warning])

    def test_a_log_that_is_smoothed_is_said(self):
        self.write("train", f"""\
            #!/bin/sh
            echo '[2025/11/27 16:48:27] ppocr INFO:     log_smooth_window : 20'
            exec {HOSTILE} "$@"
            """).chmod(0o755)
        report, _ = self.find("--cause", "op3=3", replace=[(f'["{HOSTILE}"', '["./train"')])
        self.assertIn("here 20; spikes and single NaNs vanish", " ".join(report["warnings"]))

    def test_noise_is_measured_and_the_fix_is_proved_without_a_grey_zone(self):
        noise = ("--noise", "0.1", "--step-noise", "0.2")
        reference = ", ".join(f'"{word}"' for word in noise)
        report, done = self.find("--cause", "op3=3", *noise, steps=400,
                                 replace=[('"--steps", "400", "--perturbed", "0.01"]', f'"--steps", "400", {reference}]')])
        self.assertEqual(self.culprits(report), ["ops:op3"])
        roles = [trial["role"] for trial in report["trial_list"]]
        self.assertGreaterEqual(roles.count("proof") + done.err.count("-> pass"), 1)


class LossScale(Space):
    """Dynamic loss scaling, as the log shows it beside a loss that looks well."""

    TRAINER = """\
        import os, sys
        wrong = "npu" in sys.argv and "op1" not in os.environ.get("MY_OFF", "").split(",")
        scale = 65536.0
        for step in range(1, 121):
            if wrong and step > 50 and step % int(sys.argv[2]) == 0:
                scale = max(scale / 2, 1.0)
            elif wrong and step > 50 and len(sys.argv) > 3 and step % int(sys.argv[3]) == 0:
                scale *= 2
            print(f"step {step} loss {2 + 6 * 0.9 ** step:.6f} loss_scale {scale}", flush=True)
        """

    def find(self, *arguments):
        self.write("train.py", self.TRAINER)
        words = "".join(f", '{word}'" for word in arguments)
        self.write("experiment.yaml", f"""\
            version: 1
            name: scale
            reference: {{command: [python3, train.py], repeats: 2}}
            subject: {{command: [python3, train.py, npu{words}], devices: {{kind: npu, ids: [0, 1]}}}}
            metric:
              loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}
              loss_scale: {{pattern: 'step (?P<step>\\d+) .* loss_scale (?P<value>\\S+)'}}
            families: {{ops: {{kind: list, deliver: {{environment: MY_OFF}}}}}}
            suspects: {{ops: [op0, op1, op2, op3]}}
            """)
        self.bisectd("run", "experiment.yaml", code=1)
        report = self.report()
        self.assertEqual(self.culprits(report), ["ops:op1"])
        return next(trial["text"] for trial in report["trial_list"] if trial["role"] == "as-is")

    def test_it_falls_to_one(self):
        self.assertIn("the loss scale fell to its minimum at step 112", self.find("4"))

    def test_it_falls_many_times_and_recovers(self):
        self.assertIn("the loss scale fell 7 times after warm-in (worst reference: 0)", self.find("10", "5"))


if __name__ == "__main__":
    unittest.main()
