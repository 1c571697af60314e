"""Measures what looking at a run costs, and prints a table beside the targets.

    BISECTD=... HOSTILE_TRAINER=... LONGER_JOURNAL=... BENCH_REPORTS=... tests/bench/looking.py [EVIDENCES] [TRIALS] [POINTS] [SECONDS]

1. `status` and `status --json` on a journal of EVIDENCES (10000) evidences, of a finished run and of one under way.
2. report.html of TRIALS (500) trials x POINTS (1000) points in Chromium: until it answers, and until it answers a click.
3. The live view: what bisectd itself uses of a core over SECONDS (30) on a terminal, while its trainings mostly sleep;
   and what it uses without the view.
"""
import fcntl
import os
import pathlib
import pty
import resource
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "end_to_end"))
from browser import CHROMIUM, Browser
from space import BISECTD, hostile_experiment

LONGER, BENCH_REPORTS = os.environ["LONGER_JOURNAL"], os.environ["BENCH_REPORTS"]
ROUNDS = 5


def row(what, target, measured):
    print(f"{what:<64} {target:>10} {measured:>20}", flush=True)


def best_ms(action):
    """Wall clock and CPU of its children; on a machine that others use, too, only the second says much."""
    walls, cpus = [], []
    for _ in range(ROUNDS):
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        action()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        walls.append((time.monotonic() - began) * 1000)
        cpus.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
    return f"{min(walls):.0f} ms, {min(cpus):.0f} ms CPU"


def status(folder, evidences):
    suspects = 256
    (folder / "experiment.yaml").write_text(hostile_experiment("--cause", "op7=3", suspects=suspects))
    subprocess.run([BISECTD, "run", "experiment.yaml", "-q", "--out", "long"], cwd=folder, stdout=subprocess.DEVNULL)
    culprit = sorted(f"op{i}" for i in range(suspects)).index("op7")
    subprocess.run([LONGER, "long/latest", str(evidences), str(culprit)], cwd=folder, check=True)
    journal = folder / "long/latest/journal.jsonl"
    count = journal.read_text().count('"kind":"judged"')

    def look(*options):
        return best_ms(lambda: subprocess.run([BISECTD, "status", "long/latest", *options], cwd=folder, check=True,
                                              stdout=subprocess.DEVNULL))

    row(f"status of a finished run, {count} evidences", "200 ms", look())
    whole = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(whole[:-1]))  # without its last record the run is not finished
    row("  of one that is not", "200 ms", look())
    row("  of one that is not, --json", "200 ms", look("--json"))


def page(folder, trials, points):
    subprocess.run([BENCH_REPORTS, trials, points, "1", "1", "300", folder], check=True, stdout=subprocess.DEVNULL)
    html = folder / "report.html"
    loaded, busy, clicked = [], [], []
    with Browser() as browser:
        for _ in range(ROUNDS):
            shown = browser.open(html)
            # Counted from the start of the navigation to the first frame after the scripts, with the main thread free.
            loaded.append(shown.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"))
            busy.append(shown.busy_ms())
            assert int(shown.evaluate("document.documentElement.dataset.charts")) > 0 and not shown.complaints()
            clicked.append(shown.evaluate("""new Promise(done => {
                const began = performance.now();
                document.querySelector('#trial-table input[type=checkbox]').click();
                requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
            })"""))
    row(f"page of {trials} trials x {points} points, {html.stat().st_size / 1e6:.1f} MB: interactive", "1000 ms",
        f"{min(loaded):.0f} ms, {min(busy):.0f} ms CPU")
    row("  one more curve picked: drawn", "100 ms", f"{min(clicked):.0f} ms")


def cpu_s(folder, seconds, terminal):
    """Of bisectd alone: what its children use is counted apart."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    process = subprocess.Popen([BISECTD, "run", "experiment.yaml", "--new"], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=follower if terminal else subprocess.DEVNULL,
                               env={**os.environ, "TERM": "xterm"})
    os.close(follower)

    def drain():
        try:
            while os.read(leader, 65536):
                pass
        except OSError:
            pass

    threading.Thread(target=drain, daemon=True).start()
    time.sleep(2)  # past the start: loading, versions, reference
    ticks = os.sysconf("SC_CLK_TCK")

    def used():
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / ticks

    before, began = used(), time.monotonic()
    time.sleep(seconds)
    share = (used() - before) / (time.monotonic() - began)
    process.terminate()
    process.wait()
    return share


def live_view(folder, seconds):
    (folder / "experiment.yaml").write_text(hostile_experiment(
        "--cause", "op7=3", "--step-ms", "100", suspects=64, devices="[0, 1, 2, 3]", steps=100))
    with_view, without = cpu_s(folder, seconds, True), cpu_s(folder, seconds, False)
    row("bisectd on a terminal, 4 trials at a time, of a core", "", f"{with_view * 100:.2f} %")
    row("  the live view's part of it", "1 %", f"{max(0, with_view - without) * 100:.2f} %")


def main():
    given = sys.argv[1:] + ["10000", "500", "1000", "30"][len(sys.argv) - 1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        row("", "target", "measured")
        status(folder, int(given[0]))
        if CHROMIUM:
            page(folder, given[1], given[2])
        live_view(folder, float(given[3]))


if __name__ == "__main__":
    main()
