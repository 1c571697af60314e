"""`cmake --install` gives a tree that can be moved: the program finds its presets beside itself."""
import os
import pathlib
import subprocess
import unittest

from space import BISECTD, SOURCE, Space, hostile_experiment

BUILD = pathlib.Path(BISECTD).resolve().parents[1]


class Install(Space):
    def setUp(self):
        super().setUp()
        subprocess.run(["cmake", "--install", BUILD, "--prefix", self.folder / "here"], check=True, capture_output=True)
        (self.folder / "here").rename(self.folder / "there")
        self.share = self.folder / "there/share"

    def installed(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if name != "BISECTD_DATA"}
        return subprocess.run([self.folder / "there/bin/bisectd", *arguments], cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def test_every_file_is_there(self):
        source = SOURCE / "configs"
        wanted = {f"bisectd/{path.relative_to(source)}" for folder in ("presets", "schema", "names")
                  for path in (source / folder).rglob("*") if path.suffix in (".yaml", ".md", ".json", ".tsv", ".txt", ".py")
                  and not path.name.startswith("make_")}
        wanted |= {"man/man1/bisectd.1", "bash-completion/completions/bisectd", "zsh/site-functions/_bisectd",
                   "fish/vendor_completions.d/bisectd.fish"}
        there = {str(path.relative_to(self.share)) for path in self.share.rglob("*") if path.is_file()}
        self.assertEqual(sorted(wanted - there), [])
        self.assertIn("bisectd/presets/python/bisectd_torch.py", there)
        self.assertFalse([name for name in there if name.endswith((".pyc", ".cpp"))])

    def test_the_manual_page_and_the_completions_are_those_of_the_program(self):
        page = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", self.share / "man/man1/bisectd.1"], capture_output=True,
                              text=True, check=True)
        self.assertIn("bisectd explain", page.stdout)
        self.assertEqual(page.stderr, "")
        for shell, file in (("bash", "bash-completion/completions/bisectd"), ("zsh", "zsh/site-functions/_bisectd"),
                            ("fish", "fish/vendor_completions.d/bisectd.fish")):
            self.assertEqual((self.share / file).read_text(), self.installed("completion", shell).stdout)
            subprocess.run([shell, "-n", self.share / file], check=True)

    def test_every_preset_can_be_used(self):
        presets = self.installed("families").stdout.split()
        self.assertEqual(sorted(presets), sorted(path.stem for path in (SOURCE / "configs/presets").glob("*.yaml")))
        for preset in presets:
            self.assertEqual(self.installed("families", preset).returncode, 0, preset)
        self.assertEqual(self.installed("schema").returncode, 0)

    def test_a_moved_tree_still_works(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", suspects=2)
                   .replace("version: 1", "version: 1\nextends: mine", 1))
        presets = self.share / "bisectd/presets"
        (presets / "mine.yaml").write_text("version: 1\n")  # the source tree has no such preset
        done = self.installed("run", "experiment.yaml")
        self.assertEqual(done.returncode, 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
