"""What .editorconfig says of ends of lines, ends of files and tabs; what is recorded or hostile on purpose is not looked at."""
import pathlib
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
AS_IT_IS = ("tests/end_to_end/golden/", "tests/fuzz/corpus/", "tests/read/fixtures/")


def complaints(text):
    lines = text.split(b"\n")
    if text and lines[-1]:
        yield len(lines), "the last line has no end"
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield number, "space at the end of the line"
        if line.startswith(b"\t"):
            yield number, "a tab"


class Text(unittest.TestCase):
    def test_every_text_file_keeps_to_the_editors_rules(self):
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=SOURCE,
                                capture_output=True)
        if listed.returncode:
            self.skipTest("not a git checkout")
        wrong, seen = [], 0
        for name in filter(None, listed.stdout.decode().split("\0")):
            path = SOURCE / name
            if name.startswith(AS_IT_IS) or not path.is_file() or path.is_symlink() or b"\0" in (text := path.read_bytes()):
                continue
            seen += 1
            wrong += [f"{name}:{number}: {what}" for number, what in complaints(text)]
        self.assertEqual(wrong, [])
        self.assertGreater(seen, 300)

    def test_what_is_wrong_is_seen(self):
        self.assertEqual(list(complaints(b"a \n\tb\nc")), [(3, "the last line has no end"), (1, "space at the end of the line"),
                                                           (2, "a tab")])


if __name__ == "__main__":
    unittest.main()
