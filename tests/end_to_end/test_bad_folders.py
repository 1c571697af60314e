"""Folders and histories that are no run, are damaged or come from a newer bisectd."""
import ctypes
import json
import unittest

from space import Space, hostile_experiment


class BadFolder(Space):
    """Commands that look at a run, given something else."""
    COMMANDS = (("status",), ("report",), ("resume",), ("explain",), ("accept",))

    def refused(self, folder, *words, code=2):
        for command in self.COMMANDS:
            with self.subTest(command=command, folder=folder):
                done = self.bisectd(*command, folder, code=code)
                for word in words:
                    self.assertIn(word, done.err)
                self.assertEqual(done.out, "")

    def test_what_is_no_run_directory(self):
        self.write("empty/notes.txt", "")
        self.write("file", "")
        (self.folder / "dangling").symlink_to("nowhere")
        self.refused("absent", "no such folder")
        self.refused("dangling", "no such folder")
        self.refused("empty", "not a run directory")
        self.refused("file", "file")

    def test_a_run_without_a_search_says_why_there_is_none_to_explain(self):
        for options, code, why in (((), 0, "the subject agrees with its reference"),
                                   (("--noise", "1", "--seed", "1"), 3, "The subject can be told neither from the reference nor from a regression")):
            self.write("experiment.yaml", hostile_experiment(*options, extra="accept: {max_repeats: 2}"))
            self.bisectd("run", "experiment.yaml", "--new", code=code)
            self.assertIn(f"holds no search that could be explained: {why}", self.bisectd("explain", self.run_folder(), code=2).err)

    def test_a_suite_directory_is_no_run(self):
        self.write("rec.yaml", hostile_experiment(suspects=2))
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml]\n")
        self.bisectd("ci", "suite.yaml", code=0)
        (suite,) = self.folder.glob("bisectd-out/nightly-*")
        self.refused(suite, "a suite's directory. Its report is index.html")

    def test_a_journal_that_is_none(self):
        for content in (b"", b"\0" * 1000, b"{}\n", b"not json\n", b'{"kind":"run","sum":"0123456789abcdef"}\n'):
            with self.subTest(content[:20]):
                journal = self.folder / "run/journal.jsonl"
                journal.parent.mkdir(exist_ok=True)
                journal.write_bytes(content)
                for command in self.COMMANDS:
                    done = self.bisectd(*command, "run")
                    self.assertIn(done.returncode, (2, 4), done.err)
                    self.assertIn("journal.jsonl", done.err)
                    self.assertNotIn("this is a bug", done.err)


class BadHistory(Space):
    def line(self, record):
        """A line of the history as bisectd writes it, with its checksum."""
        text = json.dumps(record, separators=(",", ":"))[:-1]
        xxh3 = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
        xxh3.restype, xxh3.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t)
        return f'{text},"sum":"{xxh3(text.encode(), len(text)):016x}"}}\n'

    def test_a_history_of_a_newer_bisectd(self):
        self.write("rec.yaml", hostile_experiment("--cause", "op1=3", suspects=2))
        self.bisectd("run", "rec.yaml", code=1)
        path = self.folder / "bisectd-out/history.jsonl"
        mine = path.read_text()
        record = json.loads(mine)
        del record["sum"]
        self.assertEqual(self.line(record), mine)
        path.write_text(mine + self.line({**record, "format": 3, "colour": "blue"}))
        done = self.bisectd("history", code=4)
        self.assertIn("history.jsonl:2: ", done.err)
        self.assertIn("newer bisectd", done.err)
        before = path.read_bytes()
        done = self.bisectd("run", "rec.yaml", code=1)  # it costs the hints, not the night
        self.assertIn("newer bisectd", done.err)
        self.assertEqual(path.read_bytes(), before, "what this bisectd does not understand was written to")
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml]\n")
        self.assertIn("newer bisectd", self.bisectd("ci", "suite.yaml", code=1).err)
        self.assertEqual(path.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
