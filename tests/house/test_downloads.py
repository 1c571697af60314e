"""What is downloaded. A library that is not the one meant is not compiled. While tests/run and examples/quickstart download beside the
compiler, a Ctrl-C leaves nothing of it running, and two at once do not write into one folder. The scripts are the real ones, in a
folder of their own, with stand-ins for what downloads and compiles."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Downloads(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="bisectd-test-"))
        self.addCleanup(shutil.rmtree, self.root)

    def copy(self, *names):
        for name in names:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.root / name)

    def script(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def start(self, name, **options):
        # Where this test runs in the background, SIGINT is ignored, and a shell hands that on.
        return subprocess.Popen([self.root / name], env={**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"},
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options)

    def alive(self, file):
        """Whether the process whose number the file holds sleeps, as what stands in for a download or the compiler does in the end. Before, it
        is a shell, which takes no notice of an interrupt while another program of it ends well."""
        try:
            command, state = pathlib.Path("/proc", (self.root / file).read_text().strip(), "stat").read_text().split("(")[1].split(")")
        except (FileNotFoundError, ProcessLookupError):  # the latter where it ends while its file is read
            return False
        return command == "sleep" and state.split()[0] != "Z"

    def wait_for(self, what):
        deadline = time.monotonic() + 60
        while not what():
            self.assertLess(time.monotonic(), deadline, "not seen within a minute")
            time.sleep(0.01)

    def test_an_interrupt_of_the_script_ends_its_downloads(self):
        """A grandchild of the script, as pip is; the compiler is what a terminal would interrupt."""
        self.copy("tests/run", "examples/beside", "examples/quickstart", "tests/debian-packages.txt", "tests/npm/debian-packages.txt")
        download = f"sleep 300 & echo $! >{self.root}/new; mv {self.root}/new {self.root}/download; wait"
        self.script("examples/prepare", f'case "$1" in --build) exit 0;; esac\n{download}')
        self.script("tests/npm/install", download)
        self.script("tests/msprobe/install", "")
        self.script("bin/cmake", f"echo $$ >{self.root}/new-compiler; mv {self.root}/new-compiler {self.root}/compiler; exec sleep 300")
        for name in ("tests/run", "examples/quickstart"):
            with self.subTest(name):
                running = self.start(name, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.wait_for(lambda: self.alive("download") and self.alive("compiler"))
                os.killpg(running.pid, signal.SIGINT)
                self.assertEqual(running.wait(timeout=60), -signal.SIGINT)
                self.wait_for(lambda: not self.alive("download") and not self.alive("compiler"))
                (self.root / "download").unlink()
                (self.root / "compiler").unlink()

    def both_at_once(self, name):
        return [running.communicate(timeout=120)[0] for running in [self.start(name, stdout=subprocess.PIPE, text=True) for _ in range(2)]]

    def test_two_at_once_install_the_browser_parts_once(self):
        self.copy("tests/npm/install")
        (self.root / "tests/npm/package-lock.json").write_text("{}")
        self.script("bin/npm", f"echo began >>{self.root}/began; sleep 0.2; mkdir -p node_modules")
        self.both_at_once("tests/npm/install")
        self.assertEqual((self.root / "began").read_text(), "began\n")

    def test_two_at_once_install_msprobe_once(self):
        self.copy("tests/msprobe/install")
        (self.root / "tests/msprobe/requirements.txt").write_text("")
        self.assertEqual("".join(self.both_at_once("tests/msprobe/install")).count("==> msprobe"), 1)
        self.assertTrue((self.root / "build/msprobe/bin/python").exists())

    def test_a_library_that_cannot_be_had_or_is_another_one_ends_the_configuration(self):
        """packaging/libraries.cmake with a mirror in a folder: nothing comes from a network."""
        (self.root / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.22)\nproject(one LANGUAGES CXX)\ninclude({SOURCE}/packaging/libraries.cmake)\n")
        mirror = self.root / "mirror"
        configure = ["cmake", "-G", "Ninja", "-S", self.root, "-B", self.root / "build", "-DBISECTD_DOWNLOAD=ON", f"-DBISECTD_DEBIAN=file://{mirror}"]
        refused = lambda: " ".join(subprocess.run(configure, capture_output=True, text=True, check=False).stderr.split())
        self.assertRegex(refused(), r"Boost is not here, and file:\S+/libboost1.81-dev_\S+ could not be downloaded .* by -DBISECTD_DEBIAN=")
        boost = mirror / "pool/main/b/boost1.81/libboost1.81-dev_1.81.0-5+deb12u1_amd64.deb"
        boost.parent.mkdir(parents=True)
        boost.write_text("something else")
        self.assertIn("SHA-256: f41f3fa625ff120ddca7ef456bf66371ecea23c129f4e4c32367101edb516cf8", refused())
        self.assertFalse((self.root / "build/libraries/Boost/usr").exists())


if __name__ == "__main__":
    unittest.main()
