"""Suspects that a file names or a command prints."""
import json
import unittest

from space import Space, hostile_experiment


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
            said_by = "stderr" if why == "exited 7" else "stdout"
            self.assertRegex(said, rf"\(see /.*/query/ops\.{said_by}\.log\)")

    def test_what_is_said_of_members_that_nobody_found_is_told(self):
        self.experiment("print('op1', 'op2', 'op3', sep='\\n')", "--cause", "op2=3")
        text = (self.folder / "experiment.yaml").read_text()
        line = 1 + text[:text.index("suspects:")].count("\n")
        self.write("experiment.yaml", text.replace("{discover: true}", "{discover: true, exclude: [opp1, op3], likely: {op2: 5, xyz: 9}}"))
        said = self.bisectd("run", "experiment.yaml", code=1)
        told = "is not among the members of family `ops` that were found, so this changes nothing"
        warnings = [f"experiment.yaml:{line}:44: `exclude`: `opp1` {told}; did you mean `op1`?",
                    f"experiment.yaml:{line}:73: `likely`: `xyz` {told}"]
        for warning in warnings:
            self.assertIn(f"warning: {warning}\n", said.err)
        self.assertEqual([one for one in self.report()["warnings"] if told in one], warnings)

    def test_lines_may_end_as_on_windows(self):
        self.experiment("import sys; sys.stdout.buffer.write(b'\\xef\\xbb\\xbfop3\\r\\nop1\\r\\n')")
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--json", "--quiet", code=0).out)
        self.assertEqual([one["name"] for one in found["ops"]], ["op1", "op3"])

    def test_discover_shows_them_without_a_run(self):
        self.experiment("print('op3')", "--crash-off", "op1")
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--json", "--quiet", code=0).out)
        self.assertEqual([one["name"] for one in found["ops"]], ["op3"])


if __name__ == "__main__":
    unittest.main()
