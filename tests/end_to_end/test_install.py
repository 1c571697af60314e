"""`cmake --install` gives a tree that can be moved: the program finds its presets beside itself."""
import os
import pathlib
import subprocess
import unittest

from space import BISECTD, Space, hostile_experiment

BUILD = pathlib.Path(BISECTD).resolve().parents[1]


class Install(Space):
    def test_a_moved_tree_still_works(self):
        subprocess.run(["cmake", "--install", BUILD, "--prefix", self.folder / "here"], check=True, capture_output=True)
        (self.folder / "here").rename(self.folder / "there")
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", suspects=2)
                   .replace("version: 1", "version: 1\nextends: mine", 1))
        presets = self.folder / "there/share/bisectd/presets"
        (presets / "mine.yaml").write_text("version: 1\n")  # the source tree has no such preset
        self.assertTrue((presets / "paddle-npu.yaml").exists())
        environment = {name: value for name, value in os.environ.items() if name != "BISECTD_DATA"}
        done = subprocess.run([self.folder / "there/bin/bisectd", "run", "experiment.yaml"], cwd=self.folder,
                              env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
