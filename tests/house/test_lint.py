"""What formatter and linters say: clang-format of C++ (.clang-format), shellcheck of shell scripts, pyflakes of Python. clang-tidy
takes minutes and is a script of its own, tests/tidy."""
import pathlib
import subprocess
import shutil
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def files(wanted):
    """The files of the repository of which `wanted(path, first line)` holds."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=SOURCE, capture_output=True)
    if listed.returncode:
        raise unittest.SkipTest("not a git checkout")
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = SOURCE / name
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                first = file.readline(200)
            if wanted(path, first):
                yield name


def is_cpp(path, _):
    return path.suffix in (".cpp", ".hpp", ".cc") and "fixtures" not in path.parts


def is_shell(_, first):
    return first == b"# shellcheck shell=bash\n" or (first.startswith(b"#!") and (b"bash" in first or first.rstrip().endswith(b"/sh")))


def is_python(path, first):
    return path.suffix == ".py" or (first.startswith(b"#!") and b"python" in first)


def said_by(command, names):
    done = subprocess.run([*command, *names], cwd=SOURCE, capture_output=True, text=True)
    return [line for line in (done.stdout + done.stderr).splitlines() if line]


class Lint(unittest.TestCase):
    maxDiff = None

    def check(self, command, wanted, at_least):
        if not shutil.which(command[0]):
            self.skipTest(f"{command[0]} is not installed")
        names = list(files(wanted))
        self.assertGreater(len(names), at_least)
        return said_by(command, names)

    def test_cpp_is_formatted(self):
        """`git ls-files '*.cpp' '*.hpp' '*.cc' | xargs clang-format-16 -i` does it; other versions break lines elsewhere."""
        said = self.check(["clang-format-16", "--dry-run"], is_cpp, 500)
        self.assertEqual(sorted({line.split(":")[0] for line in said if "warning:" in line}), [])

    def test_shell_scripts(self):
        self.assertEqual(self.check(["shellcheck", "--external-sources", "--format=gcc"], is_shell, 10), [])

    def test_python(self):
        pyflakes = ["/usr/bin/python3", "-m", "pyflakes"]
        if said_by(pyflakes, ["--version"])[0].endswith("No module named pyflakes"):
            self.skipTest("pyflakes is not installed")
        wrong = []
        for line in self.check(pyflakes, is_python, 100):
            file, number = line.split(":")[:2]
            if "noqa" not in (SOURCE / file).read_text().splitlines()[int(number) - 1]:
                wrong.append(line)
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
