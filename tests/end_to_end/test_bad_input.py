"""A bad experiment gets a clear error with its place before anything starts, and leaves nothing behind."""
import os
import re
import unittest

from space import HOSTILE, Space, hostile_experiment


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

    def test_a_misspelt_goal_asks_for_no_reference(self):
        alone = re.sub(r"reference:\n(?:(?:  .*)?\n)+?subject", "subject", hostile_experiment("--cause", "op1=3"))
        self.assertNotIn("`reference`", self.refused(alone + "accept: {goal: run}\nsteps: 9\n", "did you mean `runs`?").err)

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


if __name__ == "__main__":
    unittest.main()
