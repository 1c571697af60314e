"""The live view on a terminal: a few lines redrawn in place there, plain lines everywhere else."""
import os
import pty
import re
import struct
import subprocess
import fcntl
import termios
import unittest

from space import BISECTD, Space, hostile_experiment


class LiveView(Space):
    def on_terminal(self, *arguments, term="xterm", columns=80, rows=24):
        """What a run shows on a terminal of that size."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        process = subprocess.Popen([BISECTD, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=follower, env=self.environment({"TERM": term}))
        os.close(follower)
        shown = b""
        while True:
            try:
                some = os.read(leader, 65536)
            except OSError:
                break
            if not some:
                break
            shown += some
        os.close(leader)
        process.wait()
        return shown.decode()

    def screen(self, shown, columns):
        """The lines that stand on the screen at the end of `shown`, by the few sequences that are used."""
        lines, row, column = [""], 0, 0
        for part in re.findall(r"\x1b\[\d*[A-Z]|\r|\n|[^\x1b\r\n]+", shown):
            if part == "\n":
                row += 1
                lines += [""] * (row + 1 - len(lines))
            elif part == "\r":
                column = 0
            elif part.endswith("A") and part.startswith("\x1b"):
                row -= int(part[2:-1])
            elif part == "\x1b[J":
                lines[row:] = [lines[row][:column]]
            else:
                self.assertNotIn("\x1b", part)
                lines[row] = lines[row][:column] + part
                column += len(part)
                self.assertLessEqual(column, columns if "more trials" in part else 10_000, part)
        return lines

    def prepare(self, *options, **more):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--step-ms", "10", *options, devices="[0, 1]", **more))

    def test_lines_are_redrawn_in_place(self):
        self.prepare()
        shown = self.on_terminal("run", "experiment.yaml", columns=160)
        self.assertRegex(shown, r"npu 1  trial \d+ \w+: .*step \d+ of 100, loss \d\.\d+")
        self.assertRegex(shown, r"running for \d\.\d s; \d+( to \d+)? more trials, \d+\.\d s to ")
        self.assertIn("\x1b[J", shown)
        lines = [line for line in self.screen(shown, 160) if line]
        self.assertFalse([line for line in lines if "running for" in line], "the live view was left behind")
        self.assertRegex(lines[-1], r"^\[ ?\d+.*trial \d+ ")

    def test_it_stays_inside_a_small_terminal(self):
        self.prepare()
        shown = self.on_terminal("run", "experiment.yaml", columns=40, rows=4)
        for line in re.findall(r"(?:\x1b\[J|\n)([^\x1b\r\n]*(?:running for|step \d+ of)[^\x1b\r\n]*)", shown):
            self.assertLessEqual(len(line), 39, line)
        self.assertLessEqual(max((int(up) for up in re.findall(r"\x1b\[(\d+)A", shown)), default=0), 2)

    def test_elsewhere_there_are_plain_lines(self):
        self.prepare()
        self.assertNotIn("\x1b", self.on_terminal("run", "experiment.yaml", term="dumb"))
        self.assertNotIn("\x1b", self.bisectd("run", "experiment.yaml", "--new", environment={"TERM": "xterm"}).err)


if __name__ == "__main__":
    unittest.main()
