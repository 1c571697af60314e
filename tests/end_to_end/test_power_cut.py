"""A power cut after any operation on a file: the run is resumed to the same answer, or refused by name, and then begun anew.

What bisectd does to its files is recorded (tests/power_cut/recorder.cpp), and for an operation the disk is made as a power cut right after it
may leave it: all that was written is there ("kept"), only what was synced is ("dropped"), or of each file and entry one or the other
("mixed"). Trainings sync nothing, so their logs are whole, cut or gone.
Some operations in the tests; every one:  BISECTD_CUTS=all BISECTD_SEED=7 python3 -B tests/end_to_end/test_power_cut.py"""
import collections
import json
import os
import pathlib
import random
import re
import shutil
import signal
import unittest

from space import HOSTILE, RECORDER, Space, hostile_experiment

SEED = int(os.environ.get("BISECTD_SEED", 1))
CUTS = os.environ.get("BISECTD_CUTS", "8")
BLOCK = 4096  # of a file system
SEEN = collections.Counter()


class Node:
    """A file (its bytes now, and those that were synced), a folder (its entries, likewise) or a link."""

    def __init__(self, kind, target=""):
        self.kind, self.target = kind, target
        self.now, self.synced = (bytearray(), b"") if kind == "file" else ({}, {})


def operations(records):
    place = 0
    while place < len(records):
        fields = records[place:].split(b"\0", 5)[:5]
        place += sum(map(len, fields)) + 5
        size = int(fields[4])
        yield fields[0].decode(), fields[1].decode(), fields[2].decode(), int(fields[3]), records[place:place + size]
        place += size


class Disk:
    """What the operations make of the folder `root`."""

    def __init__(self, root):
        self.root, self.top = str(root), Node("folder")

    def take_in(self, folder):
        """What is there, and was synced long ago."""
        def node_of(path):
            node = Node("link" if path.is_symlink() else "folder" if path.is_dir() else "file", os.readlink(path) if path.is_symlink() else "")
            if node.kind == "folder":
                node.now = {entry.name: node_of(entry) for entry in path.iterdir()}
                node.synced = dict(node.now)
            elif node.kind == "file":
                node.now, node.synced = bytearray(path.read_bytes()), path.read_bytes()
            return node
        self.top = node_of(folder)

    def parent(self, path):
        node = self.top
        *folders, name = pathlib.PurePath(path).relative_to(self.root).parts
        for folder in folders:
            node = node.now[folder]
            if node.kind == "link":
                node = self.node(f"{self.root}/bisectd-out/{node.target}")
        return node, name

    def node(self, path):
        if path == self.root:
            return self.top
        folder, name = self.parent(path)
        return folder.now[name]

    def synced(self, path):
        """What a cut leaves of it for certain: nothing if it, or a folder that holds it, was not synced into the one above."""
        node = self.top
        for name in pathlib.PurePath(path).relative_to(self.root).parts:
            node = node.synced.get(name)
            if node is None:
                return None
        return node.synced

    def do(self, kind, path, other, number, data):
        if kind == "S":
            node = self.node(path)
            node.synced = bytes(node.now) if node.kind == "file" else dict(node.now)
            return
        folder, name = self.parent(path)
        if kind in "CW" and name not in folder.now:
            folder.now[name] = Node("file")
        if kind == "C":
            folder.now[name].now = bytearray()
        elif kind == "W":
            content = folder.now[name].now
            content.extend(b"\0" * (number - len(content)))
            content[number:number + len(data)] = data
        elif kind == "T":
            del folder.now[name].now[number:]
        elif kind == "R":
            new_folder, new_name = self.parent(other)
            new_folder.now[new_name] = folder.now.pop(name)
        elif kind == "U":
            folder.now.pop(name)
        elif kind == "M":
            folder.now[name] = Node("folder")
        elif kind == "L":
            folder.now[name] = Node("link", other)

    def write(self, how, random, logs):
        """Makes the disk as a cut leaves it. `logs`: those of the trainings, whole, by path."""
        def content(node):
            if how == "kept" or node.kind == "link":
                return node.now
            if how == "dropped":
                return node.synced
            if node.kind == "folder":  # each entry by itself
                both = {**node.now, **node.synced}
                return {name: entry for name in both if (entry := random.choice((node.now, node.synced)).get(name))}
            grown = bytes(node.now[len(node.synced):]) if node.now.startswith(node.synced) else b""
            block = min(len(grown), BLOCK - len(node.synced) % BLOCK)  # it is written after those behind it
            return random.choice((node.now, node.synced, node.synced + grown[:random.randint(0, len(grown))], node.synced + b"\0" * len(grown),
                                  node.synced + b"\0" * block + grown[block:]))

        def make(folder, path):
            for name, node in content(folder).items():
                inside = path / name
                if node.kind == "folder":
                    inside.mkdir(exist_ok=True)
                    make(node, inside)
                elif node.kind == "link":
                    inside.symlink_to(node.target)
                elif inside in logs:
                    if how == "kept":
                        inside.write_bytes(logs[inside])
                    elif how == "mixed" and random.random() < 0.7:
                        inside.write_bytes(logs[inside][:random.choice((random.randint(0, len(logs[inside])), None))])
                else:
                    inside.write_bytes(content(node))

        make(self.top, pathlib.Path(self.root))


@unittest.skipUnless(RECORDER, "with a sanitizer nothing can be loaded before it")
class PowerCut(Space):
    def record(self, *command, code):
        """The operations of a command on the files of this test."""
        records = self.folder.with_name(self.folder.name + ".records")
        self.addCleanup(records.unlink, missing_ok=True)
        self.bisectd(*command, code=code, environment=self.recorded(records=records))
        return list(operations(records.read_bytes()))

    def cuts(self, count):
        """Pairs of a number of operations and a way."""
        every = [(number, how) for number in range(count + 1) for how in ("kept", "dropped", "mixed")]
        return every if CUTS == "all" else sorted(random.Random(SEED).sample(every, int(CUTS)))

    def test_a_run(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=6, devices="[0, 1]"))
        done = self.record("run", "experiment.yaml", code=1)
        out = self.folder / "bisectd-out"
        logs = {file: file.read_bytes() for file in out.glob("*/trials/*/*/std*.log")}
        attempts = {(line["trial"], line["attempt"]) for line in self.journal() if line["kind"] == "attempt-ended"}
        self.assertGreater(len(attempts), 10)
        disk, number = Disk(self.folder), 0
        for until, how in self.cuts(len(done)):
            while number < until:
                disk.do(*done[number])
                number += 1
            with self.subTest(seed=SEED, after=until, operation=done[until - 1][:4] if until else "", how=how):
                shutil.rmtree(out, ignore_errors=True)
                disk.write(how, random.Random(f"{SEED}/{until}/{how}"), logs)
                self.assert_goes_on(how)

    def assert_goes_on(self, how):
        journal = self.folder / "bisectd-out/latest/journal.jsonl"
        before = journal.read_bytes().partition(b"\0")[0] if journal.exists() else b""
        if journal.parent.exists():
            resumed = self.bisectd("resume", "bisectd-out/latest")
            SEEN[how, f"resume: {resumed.returncode}"] += 1
            if resumed.returncode == 1:
                self.assertEqual(self.culprits(self.report()), ["ops:op3"])
                self.assertTrue(journal.read_bytes().startswith(before[:before.rfind(b"\n") + 1]), "the journal has lost lines")
                return
            self.assertIn(resumed.returncode, (2, 4), resumed.err)
            self.assertRegex(resumed.err, "journal.jsonl|experiment.resolved.yaml", resumed.err)
            self.assertEqual(before.count(b"\n"), 0, "refused, though it had begun: " + resumed.err)
        else:
            SEEN[how, "no run yet"] += 1
        self.bisectd("run", "experiment.yaml", "--new", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])

    def test_an_attempt_starts_when_all_before_it_is_synced(self):
        """Its own line with it; reports are written then, too. One sync for each attempt is enough for that."""
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=6, devices="[0, 1]"))
        done = self.record("run", "experiment.yaml", code=1)
        file = str(self.run_folder() / "journal.jsonl")
        disk, seen = Disk(self.folder), collections.Counter()
        for operation in done:
            kind, path, other = operation[:3]
            disk.do(*operation)
            attempt = re.search(r"/trials/(\d+)/attempt-(\d+)$", path) if kind == "M" else None
            if attempt or other.endswith("/report.json"):
                journal = disk.node(file)
                self.assertEqual(disk.synced(file), journal.now, operation[:4])
            if attempt:
                lines = [json.loads(line) for line in journal.synced.splitlines()]
                started = [(line["trial"], line["attempt"]) for line in lines if line["kind"] == "attempt-started"]
                self.assertEqual(started[-1], (int(attempt[1]), int(attempt[2])))
            seen["attempts"] += attempt is not None
            seen["reports"] += other.endswith("/report.json")
            seen["syncs"] += (kind, path) == ("S", file)
        self.assertGreater(seen["reports"], 0)
        self.assertGreater(seen["attempts"], 10)
        self.assertLess(seen["syncs"], 2 * seen["attempts"])

    def test_what_ended_is_synced_while_another_training_runs(self):
        train = self.write("train", f"""\
            #!/bin/sh
            case $BISECTD_ATTEMPT in *-2) exec sleep 600;; esac
            exec {HOSTILE} "$@"
            """)
        train.chmod(0o755)
        self.write("experiment.yaml", hostile_experiment(perturbed=False, reference="devices: {kind: gpu, ids: [0, 1]}").replace(HOSTILE, str(train), 1))
        records = self.folder.with_name(self.folder.name + ".records")
        self.addCleanup(records.unlink, missing_ok=True)
        process = self.start("run", "experiment.yaml", environment=self.recorded(records=records))
        self.wait_for(lambda: (self.folder / "bisectd-out/latest").exists() and self.journal()[-1]["kind"] == "attempt-ended")

        def is_synced():
            done = records.read_bytes()
            return done.rfind(f"S\0{self.run_folder()}/journal.jsonl\0".encode()) > done.rfind(b'"kind":"attempt-ended"')
        self.wait_for(is_synced)
        process.terminate()
        self.assertEqual(process.wait(timeout=60), 128 + signal.SIGTERM)

    def test_the_reports_of_a_run_that_came_to_its_end_stay(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=4))
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [experiment.yaml]\n")
        for command, names in ((("run", "experiment.yaml"), ("report.json", "report.md", "workaround.sh", "junit.xml", "report.html")),
                               (("ci", "suite.yaml"), ("index.html", "junit.xml"))):
            shutil.rmtree(self.folder / "bisectd-out", ignore_errors=True)
            disk = Disk(self.folder)
            disk.take_in(self.folder)
            for operation in self.record(*command, code=1):
                disk.do(*operation)
            (folder,) = [path for path in (self.folder / "bisectd-out").iterdir() if path.is_dir() and not path.is_symlink()]
            for name in names:
                with self.subTest(command[0], name=name):
                    self.assertEqual(disk.synced(folder / name), (folder / name).read_bytes())

    def test_a_file_that_is_replaced_is_the_old_one_or_the_new_one(self):
        """After a cut anywhere, whatever of names and bytes is there and what is not."""
        self.write("experiment.yaml", hostile_experiment(suspects=4))
        self.bisectd("run", "experiment.yaml", "--out", "first", code=0)
        self.bisectd("accept", "first/latest", code=0)
        self.bisectd("record", "experiment.yaml", "-o", "reference.json", code=0)
        self.write("experiment.yaml", hostile_experiment(suspects=4, steps=90))
        self.bisectd("run", "experiment.yaml", "--out", "second", code=0)
        for name, command in (("reference.json", ("record", "experiment.yaml", "-o", "reference.json", "--yes")),
                              ("baselines/hostile.json", ("accept", "second/latest", "--yes"))):
            with self.subTest(name):
                file = self.folder / name
                old = file.read_bytes()
                disk = Disk(self.folder)
                disk.take_in(self.folder)
                done = self.record(*command, code=0)
                self.assertNotEqual(file.read_bytes(), old)
                self.assertIn("R", [kind for kind, _, other, *_ in done if other == str(file)])
                for operation in done:
                    disk.do(*operation)
                    folder, entry = disk.parent(file)
                    for node in (folder.now.get(entry), folder.synced.get(entry)):
                        self.assertIsNotNone(node, operation[:4])
                        self.assertLessEqual({bytes(node.now), node.synced}, {old, file.read_bytes()}, operation[:4])


def tearDownModule():
    if CUTS == "all":
        for (how, what), times in sorted(SEEN.items()):
            print(f"{how:8} {what:16} {times}")


if __name__ == "__main__":
    unittest.main()
