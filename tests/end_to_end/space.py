"""A folder of its own for each end-to-end test, and the real bisectd started in it from the command line.

The folder is kept when the test fails; its path is in the failure. Where programs are comes from the environment, set by
CMake: BISECTD (the program), HOSTILE_TRAINER (the stand-in training of a few milliseconds), FILE_RECORDER.
"""
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import textwrap
import time
import unittest

BISECTD = os.environ["BISECTD"]
HOSTILE = os.environ["HOSTILE_TRAINER"]
RECORDER = os.environ.get("FILE_RECORDER", "")  # tests/power_cut/recorder.cpp; not with sanitizers
SOURCE = pathlib.Path(__file__).resolve().parents[2]
RECORDINGS = SOURCE / "build/test-references"
# They change with the frameworks that are installed: the pins of their environments.
FRAMEWORKS = (SOURCE / ".venv/requirements.sha256", SOURCE / "build/torch-npu/requirements.sha256")


class Space(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bisectd-test-")).resolve()
        self.addCleanup(self._clean)

    def _clean(self):
        outcome = self._outcome
        problems = getattr(outcome, "errors", None) or getattr(outcome.result, "failures", [])
        failed = any(test is self and trace for test, trace in problems) if problems else not outcome.success
        if failed or not outcome.success:
            print(f"kept: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def environment(self, extra=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("CUSTOM_DEVICE", "FLAGS_", "STANDIN_"))}
        environment.update({"TERM": "dumb", **(extra or {})})
        return environment

    def bisectd(self, *arguments, code=None, environment=None, timeout=120):
        """Runs bisectd to its end; checks its exit code if one is given."""
        done = subprocess.run([BISECTD, *map(str, arguments)], cwd=self.folder, env=self.environment(environment),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        done.out, done.err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        if code is not None:
            self.assertEqual(done.returncode, code, f"\n--- stdout\n{done.out}\n--- stderr\n{done.err}")
        return done

    def recorded(self, **settings):
        """The environment in which bisectd's operations on the files of this test are looked at (tests/power_cut/recorder.cpp)."""
        return {"LD_PRELOAD": RECORDER, "FILES_PROGRAM": os.path.realpath(BISECTD), "FILES_ROOT": str(self.folder),
                **{f"FILES_{name.upper()}": str(value) for name, value in settings.items()}}

    def start(self, *arguments, environment=None):
        """Starts bisectd and leaves it running; its stderr goes to the file stderr.txt."""
        stderr = open(self.folder / "stderr.txt", "ab")
        self.addCleanup(stderr.close)
        process = subprocess.Popen([BISECTD, *map(str, arguments)], cwd=self.folder, env=self.environment(environment),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def run_folder(self, out="bisectd-out"):
        return (self.folder / out / "latest").resolve()

    def report(self, out="bisectd-out"):
        return json.loads((self.run_folder(out) / "report.json").read_text())

    def culprits(self, report):
        return sorted(f"{c['family']}:{c['name']}" for c in report["culprit_set"])

    def causes(self, report):
        return sorted(sorted(c["name"] for c in cause) for cause in report["causes"])

    def journal(self, out="bisectd-out"):
        """Its records; of a run that goes on, without the line that is being written."""
        whole, _, _ = (self.run_folder(out) / "journal.jsonl").read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]

    def with_recorded_reference(self, experiment, *read):
        """The text of an experiment, its reference replaced by a recording that all tests with the same reference share. It is made
        anew where the reference, bisectd, a preset, a framework or what the training reads (`read`: files, or folders as a whole) has changed.
        Runs of a reference are a quarter of the processor time of a search among Paddle's operators."""
        begin, end = experiment.index("\nreference:"), experiment.index("\nsubject:")
        reference = experiment[:end] + experiment[experiment.index("\nmetric:"):experiment.index("\nsuspects:") + 1]
        files = [pathlib.Path(BISECTD), *FRAMEWORKS]
        for place in (SOURCE / "configs/presets", *read):
            files += sorted(place.rglob("*")) if place.is_dir() else [place]
        said = hashlib.sha256(reference.encode())
        for file in files:
            if file.is_file() and file.suffix != ".pyc":
                said.update(f"{file}\0".encode() + file.read_bytes())
        recording = RECORDINGS / f"{said.hexdigest()[:16]}.json"
        recording.parent.mkdir(parents=True, exist_ok=True)
        with open(recording.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not recording.exists():
                self.write("record.yaml", reference)
                self.bisectd("record", "record.yaml", "-o", "recorded.json", "--yes", "--out", "recorded", code=0, timeout=600)
                shutil.copy(self.folder / "recorded.json", recording.with_suffix(".new"))
                recording.with_suffix(".new").rename(recording)
        return experiment[:begin] + f"\nreference: {{curve: {recording}}}" + experiment[end:]

    def wait_for(self, what, seconds=30):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if what():
                return
            time.sleep(0.01)
        self.fail(f"not seen within {seconds} s: {what}")

    def pids_of_this_test(self):
        """Living processes whose environment names this test's folder: what bisectd has started, not bisectd."""
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if str(self.folder).encode() in (entry / "environ").read_bytes():
                    state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
                    if state != "Z":
                        yield int(entry.name)
            except OSError:
                continue

    def processes_of_this_test(self):
        """Their command lines."""
        found = []
        for pid in self.pids_of_this_test():
            with contextlib.suppress(OSError):
                found.append(pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        return found

    def signal_all(self, process, number, random):
        """Sends a signal to bisectd and all that it has started, in any order, as one to a control group arrives."""
        pids = sorted({process.pid, *self.pids_of_this_test()})
        random.shuffle(pids)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


def hostile_experiment(*options, suspects=8, devices="[0]", search="", subject="", reference="", extra="", steps=100,
                       discover=False, effect=False, perturbed=True, chaos="0.01", repeats=5):
    """An experiment with the hostile trainer on both sides; `options` are those of the subject. Runs are perturbed: five
    references then differ by 1e-8 of the loss at the first step and by 1e-4 at the end; by `chaos` per cent there, if that is given,
    with eight `repeats` as a preset has them."""
    words = ", ".join(json.dumps(str(option)) for option in options)
    members = "{discover: true}" if discover else "[" + ", ".join(f"op{i}" for i in range(suspects)) + "]"
    discovery = """
            discover:
              ran: '^(?P<name>\\w+) kernel run finish'
              elsewhere: 'missing npu kernel: (?P<name>\\w+), '""" if discover else ""
    traces = """
            effect: {log: 'missing npu kernel: (?P<name>\\w+), expected_kernel_key:\\((?P<detail>.*)\\), fall'}""" if effect else ""
    drift = f', "--perturbed", "{chaos}"' if perturbed else ""
    ensemble = f"repeats: {repeats}\n          perturb: {{environment: HOSTILE_PERTURB}}" if perturbed else "repeats: 2"
    samples = "perturb: {environment: HOSTILE_PERTURB}" if perturbed else ""
    show = ', "--discover"' if discover or effect else ""
    return textwrap.dedent(f"""\
        version: 1
        name: hostile
        reference:
          command: ["{HOSTILE}", "--generate", "{suspects}", "--steps", "{steps}"{drift}]
          {ensemble}
          {reference}
        subject:
          command: ["{HOSTILE}", "--generate", "{suspects}", "--steps", "{steps}"{drift}{show}, {words}]
          {samples}
          devices: {{kind: npu, ids: {devices}}}
          exit_grace: 500ms
          {subject}
        metric: {{loss: {{format: paddleocr}}}}
        families:
          ops:
            kind: list
            deliver: {{environment: HOSTILE_OFF, separator: ","}}{discovery}{traces}
        suspects:
          ops: {members}
        {search}
        {extra}
        """)


def signal_name(code):
    return signal.Signals(code - 128).name
