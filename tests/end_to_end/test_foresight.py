"""What bisectd says without launching a training: simulate and plan before a night, explain after it."""
import json
import unittest

from space import Space, hostile_experiment

BY_VERDICTS = "search: {signature_steps: 0}"


class Simulate(Space):
    def simulate(self, *arguments, code=0, **experiment):
        self.write("experiment.yaml", hostile_experiment("--count", "starts.txt", **experiment))
        done = self.bisectd("simulate", "experiment.yaml", *arguments, code=code)
        self.assertFalse((self.folder / "starts.txt").exists())  # nothing was launched
        return done

    def test_json_holds_the_whole_distribution(self):
        said = json.loads(self.simulate("--causes", "1,2", "--trial-minutes", "10", "--games", "20", "--json",
                                        suspects=32, search=BY_VERDICTS).out)
        self.assertEqual((said["suspects"], said["slots"], said["causes"], said["named"]), (32, 1, [1, 2], 1))
        trials = said["trials"]
        self.assertLessEqual(trials["p10"], trials["median"])
        self.assertLessEqual(trials["median"], trials["p90"])
        self.assertAlmostEqual(said["hours"]["mean"], said["rounds"]["mean"] / 6)
        self.assertEqual(said["signatures"]["most"], 0)

    def test_short_trials_are_played_where_first_steps_may_tell(self):
        def played(**experiment):
            return json.loads(self.simulate("--causes", "1,1,1", "--trial-minutes", "10", "--games", "20", "--json",
                                            suspects=48, extra="steps: 100", **experiment).out)
        by_verdicts, told = played(search=BY_VERDICTS), played()
        self.assertLess(told["trials"]["mean"], 0.75 * by_verdicts["trials"]["mean"])
        self.assertGreater(told["signatures"]["mean"], 4)
        short = 0.25 + 0.75 * 12 / 100
        whole = told["trials"]["mean"] - told["signatures"]["mean"]
        self.assertAlmostEqual(told["device_hours"]["mean"], (whole + short * told["signatures"]["mean"]) / 6)
        self.assertIn("short ones", self.simulate(suspects=48).out)
        planned = self.bisectd("plan", "experiment.yaml", code=0).out
        self.assertIn("of them only first steps", planned)
        self.simulate(suspects=48, search=BY_VERDICTS)
        self.assertNotIn("first steps", self.bisectd("plan", "experiment.yaml", code=0).out)

    def test_hours_count_what_is_neutralised_and_the_search_leaves_dear_suspects_active(self):
        def hours(prices):
            self.write("experiment.yaml", hostile_experiment(suspects=64, search=BY_VERDICTS).replace(
                "  ops: [", "  ops:\n    price: {%s}\n    members: [" % prices))
            said = json.loads(self.bisectd("simulate", "experiment.yaml", "--trial-minutes", "10", "--everything-minutes",
                                           "60", "--games", "30", "--json", code=0).out)
            self.assertEqual(said["everything_s"], 3600)
            return said["rounds"]["mean"], said["hours"]["mean"]

        rounds, alike = hours("op0: 10")
        self.assertGreater(alike, rounds / 6)
        self.assertLess(alike, rounds)
        _, some_dear = hours(", ".join(f"op{i}: 1000" for i in range(0, 64, 8)))
        self.assertLess(some_dear, 0.7 * alike)

    def test_more_culprits_noise_and_crashes_take_more_trials_and_devices_fewer_rounds(self):
        def mean(what, *arguments):
            return json.loads(self.simulate(*arguments, "--games", "10", "--json", suspects=40).out)[what]["mean"]
        one = mean("trials")
        self.assertGreater(mean("trials", "--causes", "1,1,1"), one)
        self.assertGreater(mean("trials", "--flip", "0.05"), one)
        self.assertGreaterEqual(mean("trials", "--crash", "0.3"), one)
        self.assertLess(mean("trials", "--hints", "1"), one)
        self.assertLess(mean("rounds", "--at-once", "8"), one)

    def test_a_discovered_family_needs_a_number_or_an_earlier_run(self):
        self.assertIn("--suspects", self.simulate(discover=True, code=2).err)
        self.assertIn("12 suspects", self.simulate("--suspects", "12", discover=True).out)
        self.assertIn("names all its suspects", self.simulate("--suspects", "12", code=2).err)

    def test_an_earlier_run_gives_suspects_and_times(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", discover=True, suspects=5))
        self.bisectd("run", "experiment.yaml", code=1)
        said = json.loads(self.bisectd("simulate", "experiment.yaml", "--from", "bisectd-out/latest", "--json",
                                       code=0).out)
        self.assertEqual(said["suspects"], 5)
        self.assertLess(said["trial_s"], 10)
        self.assertLess(said["everything_s"], 10)

    def test_too_many_culprits_are_refused(self):
        self.assertIn("cannot be planted", self.simulate("--causes", "3,3", suspects=4, code=2).err)


class Plan(Space):
    def test_the_commands_are_those_that_run_starts(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=8, devices="[4]",
                                                         search="search: {signature_steps: 0}"))
        planned = self.bisectd("plan", "experiment.yaml", code=0).out
        self.assertFalse((self.folder / "bisectd-out").exists())
        self.bisectd("run", "experiment.yaml", code=1)

        def essence(script):
            return [line.strip() for line in script.splitlines()
                    if line.strip().startswith(("export HOSTILE", "exec", "export ASCEND", "cd"))]
        started = [essence((next((self.run_folder() / "trials").glob(f"{trial:04}")) / "attempt-1/command.sh").read_text())
                   for trial in (1, 2, 3, 4)]
        blocks = [essence(block) for block in planned.split("\n   exec")]
        self.assertEqual(essence(planned), [line for script in started for line in script], blocks)

    def test_without_discovery_only_the_ends_are_known(self):
        self.write("experiment.yaml", hostile_experiment(discover=True))
        said = self.bisectd("plan", "experiment.yaml", code=0).out
        self.assertIn("which members", said)
        self.assertNotIn("Expected", said)
        self.assertIn("Expected", self.bisectd("plan", "experiment.yaml", "--suspects", "20", code=0).out)

    def test_a_soak_is_told_with_its_time(self):
        self.write("experiment.yaml", hostile_experiment(subject="timeout: 10m", extra="steps: 100\n        soak: 600"))
        self.assertIn("At the end the fix alone, to step 600 instead of 100 (soak): 1 h 00 min more.",
                      self.bisectd("plan", "experiment.yaml", code=0).out)

    def test_secrets_are_not_shown(self):
        self.write("experiment.yaml", hostile_experiment(subject="environment: {MY_API_KEY: hunter2}"))
        self.assertNotIn("hunter2", self.bisectd("plan", "experiment.yaml", code=0).out)


class Explain(Space):
    def explain(self, *arguments, code=0):
        before = len(self.journal())
        done = self.bisectd("explain", "bisectd-out/latest", *arguments, code=code)
        self.assertEqual(len(self.journal()), before)
        return done.out if code == 0 else done.err

    def test_why_a_culprit_is_one_and_another_is_not(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--cause", "op1+op6=-2", suspects=12))
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertIn("guilty, by itself", self.explain("op3"))
        self.assertRegex(self.explain("op1"), "ops:op1 and ops:op6 fail only together")
        self.assertRegex(self.explain("op6"), "guilty")
        innocent = self.explain("ops:op5")
        self.assertRegex(innocent, r"op5 is cleared: .*\n  trial \d+: ops:op\d.* -> pass")
        proof = self.explain()
        for claim in ("the culprit set neutralised: passes", "only ops:op3 active: fails", "cause: ops:op1 and ops:op6 only together", "cause: ops:op3 alone"):
            self.assertIn(claim, proof)
        self.assertIn("did you mean", self.explain("op33", code=2))

    def test_an_unfinished_search_says_what_is_likely(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=32,
                                                         search="search: {budget: {trials: 3}}"))
        self.bisectd("run", "experiment.yaml", code=3)
        self.assertIn("likeliest so far", self.explain())
        self.assertRegex(self.explain("op3"), r"probability of \d+\.\d %")

    def test_what_cannot_be_neutralised_shows_its_crashes(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--crash-off", "op0", suspects=4))
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertRegex(self.explain("op0"), "cannot be neutralised.*\n.*unresolved")

    def test_nowhere(self):
        self.bisectd("explain", "nowhere", code=2)


if __name__ == "__main__":
    unittest.main()
