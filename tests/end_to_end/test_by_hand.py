"""Commands for a person: families, discover, trial. What they say is in golden/; here is what they do."""
import json
import subprocess
import sys
import unittest

from space import Space, hostile_experiment


class ByHand(Space):
    def test_families_lists_presets_and_what_they_switch(self):
        self.assertIn("paddle-npu", self.bisectd("families", code=0).out.split())
        families = json.loads(self.bisectd("families", "paddle-npu", "--json", code=0).out)
        self.assertIn("pad3d_grad", families["ops"]["known_names"])
        self.assertEqual(families["flags"]["switches"]["FLAGS_npu_storage_format"]["safe"], "0")
        for preset in set(self.bisectd("families", code=0).out.split()) - {"cann", "trainers"}:  # have no families
            self.assertIn("): ", self.bisectd("families", preset, code=0).out)

    def test_families_of_no_preset(self):
        self.assertIn("did you mean `paddle-npu`?", self.bisectd("families", "padle-npu", code=2).err)

    def test_discover_names_what_a_run_uses(self):
        self.write("experiment.yaml", hostile_experiment("--on-cpu", "op2", suspects=4, discover=True))
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--json", "--quiet", code=0).out)
        self.assertEqual([one["name"] for one in found["ops"]], ["op0", "op1", "op3"])
        self.assertFalse((self.folder / "bisectd-out/latest").exists())
        self.assertEqual(self.processes_of_this_test(), [])

    def test_discover_names_what_the_device_has_no_kernel_for(self):
        self.write("experiment.yaml", hostile_experiment("--on-cpu", "op2", suspects=4, discover=True, effect=True))
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--missing", "--json", "--quiet", code=0).out)
        self.assertEqual([(one["name"], one["remark"]) for one in found["ops"]], [("op2", "")])
        self.assertIn("float32", found["ops"][0]["dtype"])
        said = self.bisectd("discover", "experiment.yaml", "--missing", "--quiet", code=0).out
        self.assertRegex(said, r"ops: 1 without a kernel of the device\n  op2 \(.*float32\): \d+ lines? of the log\n  \(how long they took is not known")
        self.write("experiment.yaml", hostile_experiment("--on-cpu", "op2", suspects=4, discover=True, subject="environment: {HOSTILE_OFF: op1}"))
        said = self.bisectd("discover", "experiment.yaml", "--missing", "--quiet", code=0).out
        self.assertRegex(said, r"  op1: \d+ lines? of the log  \(off already\)\n")

    def test_discover_missing_knows_the_name_by_which_the_subject_lists_it(self):
        """Paddle's log writes phi names, its black list fluid names."""
        self.write("train.py", """\
            for step in range(1, 4):
                for op in "add", "cross_entropy_with_softmax", "pad3d":
                    print(op, "kernel run finish.")
                for op, ended in ("cross_entropy_with_softmax", "02.250000"), ("pad3d", "02.500000"):
                    print(f"I1123 10:0{step}:02.000000 7 kernel_factory.cc:389] "
                          f"missing npu kernel: {op}, expected_kernel_key:(npu, Undefined(AnyLayout), float32), fallbacking to CPU one!")
                    print(f"I1123 10:0{step}:02.100000 7 data_transform.cc:225] DeviceTransform in, src_place Place(npu:0)")
                    print(f"I1123 10:0{step}:{ended} 7 nodes.cc:1] next")
                print(f"step {step} loss {3 / step}", flush=True)
            """)
        self.write("experiment.yaml", f"""\
            version: 1
            name: phi
            extends: paddle-npu
            perturb: none
            reference: {{command: [{sys.executable}, train.py], repeats: 2}}
            subject:
              command: [{sys.executable}, train.py]
              devices: {{kind: npu, ids: [0]}}
              environment: {{CUSTOM_DEVICE_BLACK_LIST: softmax_with_cross_entropy}}
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            """)
        said = self.bisectd("discover", "experiment.yaml", "--missing", "--quiet", code=0).out
        self.assertIn("  pad3d (float32): 3 lines of the log, 1.50 s\n"
                      "  cross_entropy_with_softmax (float32): 3 lines of the log, 0.75 s  (off already)\n", said)
        self.assertIn("is not known: the subject has no ASCEND_HOME_PATH", said)

        # CANN's own library: a header named as the operator is.
        header = self.write("cann/include/aclnnop/aclnn_pad3d.h", "")
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--missing", "--json", "--quiet", code=0,
                                        environment={"ASCEND_HOME_PATH": str(self.folder / "cann")}).out)
        self.assertEqual([one.get("kernel_file") for one in found["ops"]], [str(header), None])
        self.assertEqual([round(one["seconds"], 3) for one in found["ops"]], [1.5, 0.75])

    def test_discover_missing_without_a_family_that_shows_it(self):
        lines = hostile_experiment(suspects=4, discover=True).splitlines(keepends=True)
        self.write("experiment.yaml", "".join(line for line in lines if "elsewhere:" not in line))
        self.assertIn("shows what ran elsewhere", self.bisectd("discover", "experiment.yaml", "--missing", code=2).err)

    def test_discover_without_a_family_that_can(self):
        self.write("experiment.yaml", hostile_experiment(suspects=2))
        self.assertIn("can discover", self.bisectd("discover", "experiment.yaml", code=2).err)

    def test_trial_says_pass_and_fail_by_its_exit_code(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=4))
        self.bisectd("trial", "experiment.yaml", code=1)
        self.bisectd("trial", "experiment.yaml", "--off", "op1,op2", code=1)
        self.bisectd("trial", "experiment.yaml", "--off", "op1,op3", code=0)
        judged = json.loads(self.bisectd("trial", "experiment.yaml", "--off", "ops:op3", "--json", code=0).out)
        self.assertEqual(judged["verdict"], "pass")
        self.assertIn("HOSTILE_OFF", (self.folder / judged["attempts"][0] / "environment.txt").read_text())

    def test_trial_of_no_family(self):
        self.write("experiment.yaml", hostile_experiment(suspects=4))
        for word in ("op:op3", "nofam:op3", ":op3"):
            self.assertIn("no family", self.bisectd("trial", "experiment.yaml", "--off", word, code=2).err)
        self.assertIn("did you mean 'ops'?", self.bisectd("trial", "experiment.yaml", "--off", "op:op3", code=2).err)

    def test_trial_of_a_name_that_the_experiment_does_not_have(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=4))
        for word in ("opp3", "ops:opp3"):
            self.assertIn("no member 'opp3' of family ops; did you mean 'op3'?",
                          self.bisectd("trial", "experiment.yaml", "--off", word, code=2).err)
        self.assertIn("add it to `suspects.ops`", self.bisectd("trial", "experiment.yaml", "--off", "tanh", code=2).err)
        self.assertFalse((self.folder / "bisectd-out").exists())

    def test_trial_of_a_name_that_no_run_shows(self):
        """Where a run discovers the members, one run tells which there are, before anything is judged."""
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=4, discover=True))
        said = self.bisectd("trial", "experiment.yaml", "--off", "op1,opp3", code=2).err
        self.assertIn("no member 'opp3' of family ops is used on the device by a run of the subject; did you mean 'op3'?", said)
        self.assertNotIn("by-hand", said)
        said = self.bisectd("trial", "experiment.yaml", "--off", "tanh", code=2).err
        self.assertIn("`bisectd discover` lists the 4 that are", said)
        self.bisectd("trial", "experiment.yaml", "--off", "op3", code=0)

    def test_trial_says_what_left_no_trace(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--no-effect", "op1", suspects=4, effect=True))
        done = self.bisectd("trial", "experiment.yaml", "--off", "op1,op2", code=1)
        self.assertIn("no trace that this is off: ops:op1\n", done.out)
        judged = json.loads(self.bisectd("trial", "experiment.yaml", "--off", "op3", "--json", code=0).out)
        self.assertEqual(judged["notes"], [])

    def test_switches_that_stay_on_have_their_suspect_values(self):
        text = hostile_experiment("--cause", "FX:1=3", "--cause", "FY:1=-8", suspects=2).replace("suspects:\n", """\
  switches:
    kind: toggle
    toggles: {fx: {environment: FX, suspect: "1", safe: "0"}, fy: {environment: FY, suspect: "1", safe: "0"}}
suspects:
  switches: all
""", 1)
        self.write("experiment.yaml", text)
        self.bisectd("trial", "experiment.yaml", "--off", "switches:fx", code=1)
        self.bisectd("trial", "experiment.yaml", "--off", "switches:fx,switches:fy", code=0)
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.causes(self.report()), [["fx"], ["fy"]])
        as_is = next(trial for trial in self.report()["trial_list"] if trial["role"] == "as-is")
        self.assertAlmostEqual(as_is["delta"], -0.05, 2)

    def test_trial_that_crashes_is_no_verdict(self):
        self.write("experiment.yaml", hostile_experiment("--crash-off", "op1", suspects=4))
        judged = self.bisectd("trial", "experiment.yaml", "--off", "op1", code=4)
        self.assertIn("unresolved", judged.out)

    def test_what_was_tried_by_hand_can_be_looked_at_and_not_gone_on_with(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=4, discover=True))
        self.bisectd("trial", "experiment.yaml", "--off", "op1,op3", code=0)
        self.bisectd("discover", "experiment.yaml", code=0)
        for what, role in (("trial", "by-hand"), ("discover", "discovery")):
            with self.subTest(what):
                (folder,) = self.folder.glob(f"bisectd-out/hostile-{what}-*")
                status = self.bisectd("status", folder, code=0).out
                self.assertIn("hostile: tried by hand\n", status)
                self.assertIn("again with its own command, not with `resume`", status)
                self.assertNotIn("interrupted", status)
                self.assertNotIn("report.html", status)  # there is none
                if what == "trial":
                    self.assertIn("last judged: trial 3 by-hand: ops:op1, ops:op3 neutralised", status)
                self.assertEqual(json.loads(self.bisectd("status", folder, "--json", code=0).out)["state"], "by-hand")
                shown = json.loads(self.bisectd("report", folder, "-f", "json", code=0).out)["trial_list"]
                self.assertEqual([trial["role"] for trial in shown][-1], role)
                self.assertIn("no search is there to be explained", self.bisectd("explain", folder, code=2).err)
                for going_on in (("resume", folder), ("run", "experiment.yaml", "--out", folder)):
                    self.assertIn("by hand", self.bisectd(*going_on, code=2).err)

    def test_command_sh_starts_where_the_environment_has_names_that_no_shell_takes(self):
        """As `module` of a cluster leaves them: functions that bash exported."""
        setup = "setup: 'unset -f gone; module() { :; }; export -f module'"
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=4, subject=setup))
        self.bisectd("trial", "experiment.yaml", code=1, environment={"BASH_FUNC_gone%%": "() { :; }", "MY-TOKEN": "s3cret"})
        (attempt, *_) = sorted(self.folder.glob("bisectd-out/hostile-trial-*/trials/0002/attempt-1"))
        self.assertIn("BASH_FUNC_module%%", (attempt / "environment.txt").read_text())
        done = subprocess.run(["sh", attempt / "command.sh"], cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("global_step: 100", done.stdout)

    def test_trial_with_a_name_that_no_family_can_have(self):
        self.write("experiment.yaml", hostile_experiment(suspects=2))
        self.assertIn("holds white space", self.bisectd("trial", "experiment.yaml", "--off", "ops:op 1", code=2).err)
        self.assertIn("no family", self.bisectd("trial", "experiment.yaml", "--off", "op 1", code=2).err)


if __name__ == "__main__":
    unittest.main()
