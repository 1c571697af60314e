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

    def test_trial_of_two_that_exclude_each_other(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=4,
                                                         extra="relations: {exclusive: [[ops:op1, ops:op3]]}"))
        self.assertIn("ops:op1 and ops:op3 cannot be switched off together",
                      self.bisectd("trial", "experiment.yaml", "--off", "op3,op2,op1", code=2).err)
        self.assertFalse((self.folder / "bisectd-out").exists())
        self.bisectd("trial", "experiment.yaml", "--off", "op3,op2", code=0)

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
                self.assertEqual(json.loads(self.bisectd("status", folder, "--json", code=0).out)["state"], "by-hand")
                shown = json.loads(self.bisectd("report", folder, "-f", "json", code=0).out)["trial_list"]
                self.assertEqual([trial["role"] for trial in shown][-1], role)
                self.bisectd("explain", folder, code=2)
                for going_on in (("resume", folder), ("run", "experiment.yaml", "--out", folder)):
                    self.assertIn("by hand", self.bisectd(*going_on, code=2).err)

    def test_command_sh_starts_where_the_environment_has_names_that_no_shell_takes(self):
        """As `module` of a cluster leaves them: functions that bash exported."""
        setup = "setup: 'unset -f gone; module() { :; }; export -f module'"
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=4, subject=setup))
        self.bisectd("trial", "experiment.yaml", code=1, environment={"BASH_FUNC_gone%%": "() { :; }", "MY-TOKEN": "s3cret"})
        (attempt, *_) = sorted(self.folder.glob("bisectd-out/hostile-trial-*/trials/0002-*/attempt-1"))
        self.assertIn("BASH_FUNC_module%%", (attempt / "environment.txt").read_text())
        done = subprocess.run(["sh", attempt / "command.sh"], cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("global_step: 100", done.stdout)

    def test_trial_with_a_name_that_no_family_can_have(self):
        self.write("experiment.yaml", hostile_experiment(suspects=2))
        self.assertIn("holds white space", self.bisectd("trial", "experiment.yaml", "--off", "ops:op 1", code=2).err)
        self.assertIn("no family", self.bisectd("trial", "experiment.yaml", "--off", "op 1", code=2).err)


class Listed(Space):
    """Members that a file names, or the family itself."""

    def experiment(self, suspects, members=""):
        text = hostile_experiment("--cause", "op3=3", suspects=5)
        text = text.replace('separator: ","}', 'separator: ","}' + members, 1)
        self.write("experiment.yaml", text[:text.index("suspects:")] + f"suspects: {{ops: {suspects}}}\n")

    def test_a_file(self):
        self.experiment("{file: lists/ops.txt, exclude: [op0]}")
        self.write("lists/ops.txt", "# what the profiler saw\nop0\nop1\n\nop3\nop4\n")
        self.assertIn("ops: 3 suspects", self.bisectd("check", "experiment.yaml", code=0).out)
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])
        self.assertEqual([one["name"] for one in self.report()["suspects"]], ["op1", "op3", "op4"])
        self.write("lists/ops.txt", "op1\nop3\n")
        self.assertIn("members", self.bisectd("resume", self.run_folder(), code=2).err)

    def test_a_file_with_slips(self):
        self.experiment("{file: ops.txt}")
        self.write("ops.txt", "op0\nop1,op2\n\nop0\n")
        said = self.bisectd("run", "experiment.yaml", code=2).err
        self.assertIn("ops.txt:2:1: name `op1,op2` holds the separator `,`\n  2 | op1,op2\n", said)
        self.assertIn("ops.txt:4:1: `op0` is named twice\n", said)

    def test_a_file_that_is_not_there(self):
        self.experiment("{file: gone.txt}")
        self.assertRegex(self.bisectd("check", "experiment.yaml", code=2).err,
                         r"experiment.yaml:\d+:24: .*gone.txt` cannot be read: No such file")

    def test_a_family_that_knows_its_members(self):
        self.experiment("{exclude: [op4]}", "\n    members: [op2, op3, op4]")
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual([one["name"] for one in self.report()["suspects"]], ["op2", "op3"])
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])
        self.write("known.yaml", (self.folder / "experiment.yaml").read_text())
        self.assertIn("members: op2, op3, op4\n", self.bisectd("families", "known.yaml", code=0).out)


class Query(Space):
    """Members that the framework names, asked by a command of the family."""

    def experiment(self, script, *options):
        self.write("ask.py", script)
        text = hostile_experiment(*options, suspects=4)
        text = text.replace('separator: ","}', 'separator: ","}\n    discover: {command: [python3, ask.py]}', 1)
        self.write("experiment.yaml", text[:text.index("suspects:")] + "suspects: {ops: {discover: true}}\n")

    def test_it_is_asked_once_and_the_search_goes_on_with_its_names(self):
        self.experiment("""\
            import pathlib
            pathlib.Path("asked").open("a").write("x")
            print("op0", "op1", "op2", "op3", sep="\\n")
            """, "--cause", "op2=3")
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op2"])
        self.assertEqual(len(self.report()["suspects"]), 4)
        self.assertEqual((self.folder / "asked").read_text(), "x")
        self.assertNotIn("discovery", [one["role"] for one in self.report()["trial_list"]])
        self.bisectd("resume", self.run_folder(), code=1)
        self.assertEqual((self.folder / "asked").read_text(), "x")

    def test_it_is_told_of_which_device(self):
        self.experiment("import sys; print(*sys.argv[1:], sep='\\n')")
        text = (self.folder / "experiment.yaml").read_text().replace("ask.py]", 'ask.py, "of_{kind}"]')
        self.write("experiment.yaml", text.replace("kind: npu", "kind: mlu"))
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--json", "--quiet", code=0).out)
        self.assertEqual([one["name"] for one in found["ops"]], ["of_mlu"])

    def test_what_it_prints_must_be_names(self):
        for script, why in (("", "it printed no name"),
                            ("print('op1')\nprint('loading kernels ...')", "which is no name of a member: it holds white space"),
                            ("print('a,b')", "which is no name of a member"),
                            ("print()", "which is no name of a member: it is empty"),
                            ("for i in range(100_000): print(f'op{i}')", "it printed more than 10000 names"),
                            ("print('op1')\nraise SystemExit(7)", "exited 7")):
            self.experiment(script, "--cause", "op1=3")
            said = self.bisectd("run", "experiment.yaml", "--out", "out", code=4).out
            self.assertIn("the command that should name the members of family ops (python3) gives none", said)
            self.assertIn(why, said)

    def test_discover_shows_them_without_a_run(self):
        self.experiment("print('op3')", "--crash-off", "op1")
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--json", "--quiet", code=0).out)
        self.assertEqual([one["name"] for one in found["ops"]], ["op3"])


class Ladder(Space):
    def experiment(self, *options, suspects="{scale: all}", more=""):
        text = hostile_experiment(*options, suspects=4)
        text = text.replace("  devices: {kind: npu", '  devices: {kind: npu', 1)
        command_end = text.index("]", text.index("subject:"))
        text = text[:command_end] + ', "{arguments}"' + text[command_end:]
        text = text.replace("families:\n", 'families:\n  scale: {kind: ladder, deliver: {argument: "scale={value}"}, '
                            'values: [1, 16, 64, 256, 1024, 4096, 65536], suspect: 65536}\n')
        start = text.index("suspects:")
        return text[:start] + f"suspects: {suspects}\n{more}"

    def test_the_middle_of_the_window_mends_it(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4"))
        done = self.bisectd("run", "experiment.yaml", code=1)
        report = self.report()
        self.assertEqual(self.culprits(report), ["scale:scale"])
        self.assertEqual(report["workaround"]["arguments"], ["scale=256"])
        ladder, = report["ladders"]
        self.assertEqual(ladder["window"], {"from": "16", "to": "4096", "recommended": "256"})
        self.assertTrue(ladder["alone"])
        self.assertEqual([one["value"] for one in ladder["values"]], ["1", "16", "64", "256", "1024", "4096", "65536"])
        self.assertEqual([one["verdict"] for one in ladder["values"]], ["fail"] + 5 * ["pass"] + ["fail"])
        self.assertGreater(ladder["values"][0]["delta"], 0.01)
        self.assertIn("scale passes by itself from 16 to 4096; 256 is the middle of that window.", done.out)
        self.assertRegex(done.out, r"\n +256  pass +-?[\de.-]+ %  trial \d+  recommended\n")
        again = json.loads(self.bisectd("report", self.run_folder(), "-f", "json", code=0).out)
        self.assertEqual(again["ladders"], report["ladders"])

    def test_a_scale_and_an_operator_that_are_both_wrong(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4", "--cause", "op1=3",
                                                      suspects="{scale: all, ops: [op0, op1, op2]}"))
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.causes(self.report()), [["op1"], ["scale"]])

    def test_trials_of_single_values_are_no_evidence(self):
        # Each neutralised the ladder, and all but one failed all the same.
        self.write("experiment.yaml", self.experiment("--window", "scale=256..256=4"))
        self.bisectd("run", "experiment.yaml", code=1)
        told = self.bisectd("explain", self.run_folder(), code=0).out
        self.assertIn("culprits found and proved", told)
        self.assertIn("cause: scale:scale alone", told)

    def test_no_value_is_right(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=17..18=4", suspects="{scale: [16, 64, 256]}"))
        self.bisectd("run", "experiment.yaml", code=3)
        self.assertEqual(self.report()["outcome"], "outside_suspects")

    def test_only_values_that_may_be_tried_are(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4", suspects="{scale: [1]}"))
        self.bisectd("run", "experiment.yaml", code=3)
        self.assertEqual(self.report()["outcome"], "outside_suspects")
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4", suspects="{scale: {exclude: [256, 1024]}}"))
        self.bisectd("run", "experiment.yaml", "--new", code=1)
        self.assertNotIn("256", [one["value"] for one in self.report()["ladders"][0]["values"]])
        self.assertEqual(self.report()["workaround"]["arguments"], ["scale=64"])
        self.write("experiment.yaml", self.experiment(suspects="{scale: {exclude: [1, 16, 64, 256, 1024, 4096, 65536]}}"))
        self.assertIn("leaves no value", self.bisectd("run", "experiment.yaml", code=2).err)

    def test_a_value_tried_by_hand(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4"))
        self.assertIn("\n  scale was 64\n", self.bisectd("trial", "experiment.yaml", "--off", "scale:64", code=0).out)
        self.bisectd("trial", "experiment.yaml", "--off", "scale:1", code=1)
        judged = json.loads(self.bisectd("trial", "experiment.yaml", "--off", "scale:4096", "--json", code=0).out)
        self.assertEqual(judged["values"], {"scale": "4096"})
        self.assertIn("scale=4096", (self.folder / judged["attempts"][0] / "command.sh").read_text())
        self.assertNotIn("scale was", self.bisectd("trial", "experiment.yaml", code=1).out)
        self.assertIn("scale is a ladder: name a value, scale:1 or", self.bisectd("trial", "experiment.yaml", "--off", "scale:scale", code=2).err)

    def test_two_values_by_hand(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4"))
        said = self.bisectd("trial", "experiment.yaml", "--off", "scale:1,scale:64", code=2).err
        self.assertIn("scale is one knob: it cannot be 1 and 64 at once; try one value after the other", said)
        self.assertFalse((self.folder / "bisectd-out").exists())
        self.bisectd("trial", "experiment.yaml", "--off", "scale:64,scale:64", code=0)

    def test_killed_and_resumed(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4", "--step-ms", "3"))
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: self.run_folder().exists() and sum(r["kind"] == "judged" for r in self.journal()) >= 4, 60)
        process.kill()
        process.wait()
        self.bisectd("resume", self.run_folder(), code=1)
        self.assertEqual(self.report()["workaround"]["arguments"], ["scale=256"])
        ended = [(r["trial"], r["attempt"]) for r in self.journal() if r["kind"] == "attempt-ended"]
        self.assertEqual(len(ended), len(set(ended)))


if __name__ == "__main__":
    unittest.main()
