"""What the search does when verdicts do not come: noise that hides them, crashes at random, devices that are gone for a while."""
import unittest

from space import HOSTILE, Space, hostile_experiment


class Persistence(Space):
    def find(self, *trainer, code, **experiment):
        self.write("experiment.yaml", hostile_experiment(*trainer, **experiment))
        done = self.bisectd("run", "experiment.yaml", "--new", code=code, timeout=600)
        return self.report(), done

    def test_noise_and_random_crashes_do_not_end_it_while_there_is_a_budget(self):
        for seed in range(3):
            report, _ = self.find("--noise", "0.3", "--step-noise", "0.3", "--seed", 700 + seed, "--crash-percent", "8",
                                  "--cause", f"op{100 + 300 * seed}=2", suspects=900, steps=400, code=1,
                                  search=f"search: {{budget: {{trials: 300}}, seed: {seed + 1}}}")
            self.assertEqual(self.culprits(report), [f"ops:op{100 + 300 * seed}"])
            self.assertLess(report["trials"], 80)

    def test_what_the_noise_hides_is_repeated_to_the_end_of_the_budget(self):
        report, done = self.find("--noise", "0.8", "--seed", "6", "--cause", "op3=8", code=3,
                                 search="search: {budget: {trials: 60}}")
        self.assertEqual(report["outcome"], "inconclusive")
        self.assertEqual(len([t for t in report["trial_list"] if t["role"] not in ("reference", "as-is")]), 60)
        self.assertIn("budget was spent", report["advice"])
        self.assertNotIn("exclude", report["advice"])
        self.assertIn("a target of 0.5 % can be decided up to", done.err)

    def test_the_subject_as_it_is_is_repeated_until_the_noise_hides_it_no_more(self):
        for seed in range(50, 53):
            report, _ = self.find("--noise", "0.3", "--seed", seed, "--cause", "op3=0.9", code=1)
            self.assertEqual(self.culprits(report), ["ops:op3"])
            as_is = next(trial for trial in report["trial_list"] if trial["role"] == "as-is")
            self.assertGreater(len(as_is["attempts"]), 3, "max_repeats would have been enough")

    def test_noise_far_beyond_the_target_accuses_nobody(self):
        for seed in range(4):
            report, _ = self.find("--noise", "4", "--seed", seed, code=3, search="search: {budget: {trials: 60}}")
            self.assertEqual(report["outcome"], "inconclusive")

    def test_an_outage_is_waited_for_and_accuses_nobody(self):
        """From its 7th start on nothing runs, for 14 starts."""
        script = self.write("train", f"""\
            #!/bin/sh
            echo x >> {self.folder}/starts
            n=$(wc -l < {self.folder}/starts)
            [ $n -gt 6 ] && [ $n -le 20 ] && exit 9
            exec {HOSTILE} "$@"
            """)
        script.chmod(0o755)
        text = hostile_experiment("--cause", "op31=3", "--cause", "op70=3", suspects=100)
        before, after = text.split("subject:")
        self.write("experiment.yaml", before + "subject:" + after.replace(HOSTILE, str(script)))
        done = self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op31", "ops:op70"])
        self.assertEqual(self.report()["not_neutralisable"], [])
        self.assertIn("nothing runs any more, not even the subject as it is", done.err)


if __name__ == "__main__":
    unittest.main()
