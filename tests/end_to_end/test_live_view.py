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
    def on_terminal(self, *arguments, term="xterm", columns=80, rows=24, interrupt_after="", code=1):
        """What a run shows on a terminal of that size. Ctrl-C is typed once `interrupt_after` was seen."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

        def own_terminal():
            os.setsid()
            fcntl.ioctl(follower, termios.TIOCSCTTY, 0)

        process = subprocess.Popen([BISECTD, *arguments], cwd=self.folder, stdin=follower, stdout=subprocess.DEVNULL,
                                   stderr=follower, preexec_fn=own_terminal, env=self.environment({"TERM": term}))
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
            if interrupt_after and re.search(interrupt_after.encode(), shown):
                os.write(leader, b"\x03")
                interrupt_after = ""
        os.close(leader)
        self.assertEqual(process.wait(), code, shown)
        return shown.decode()

    def blocks(self, shown):
        """Each state of the live view, as its lines."""
        found = re.findall(r"(?:\A|\x1b\[J|\n)((?:\[[^\x1b\r\n]*running for[^\x1b\r\n]*)(?:\r?\n {2}[^\x1b\r\n]*)*)", shown)
        return [re.split(r"\r?\n", block) for block in found]

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
                if re.match(r"\[[^\]]*\] running for | {2}npu \d| {2}likely: ", part):  # a row of the live view; others may be longer
                    self.assertLessEqual(column, columns, part)
        return lines

    def prepare(self, *options, **more):
        """Steps long enough to be seen on a machine that is busy with other tests."""
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--step-ms", "25", *options, devices="[0, 1]", **more))

    def test_lines_are_redrawn_in_place(self):
        self.prepare()
        shown = self.on_terminal("run", "experiment.yaml", columns=160)
        self.assertRegex(shown, r"npu 1  trial \d+ \w+: .*step \d+ of 100, loss \d(\.\d+)?")
        self.assertRegex(shown, r"running for \d+\.\d s; \d+( to \d+)? more trials, \d+\.\d s to ")
        self.assertIn("\x1b[J", shown)
        lines = [line for line in self.screen(shown, 160) if line]
        self.assertFalse([line for line in lines if "running for" in line], "the live view was left behind")
        self.assertRegex(lines[-1], r"^\[ ?\d+.*trial \d+ ")

    def test_what_it_tells(self):
        self.prepare()
        blocks = self.blocks(self.on_terminal("run", "experiment.yaml", columns=200))
        rows = [row for block in blocks for row in block]
        judged_at_search = r"^  npu [01]  trial \d+ (search|certificate): .* neutralised: step \d+ of 100, loss \d(\.\d+)? \([+-]?\d.* % so far\), \d+\.\d s$"
        self.assertTrue([row for row in rows if re.search(judged_at_search, row)], rows[-10:])
        self.assertTrue([row for row in rows if re.search(r"^  npu \d  trial \d+ as-is: .*\(\+3\.\d\d % so far\)", row)], rows[:10])
        self.assertTrue([row for row in rows if re.search(r"^\[ ?\d+/~\d+\] running for \d+\.\d s; \d+ to \d+ more trials, \d+\.\d s to \d+", row)])
        self.assertTrue([row for row in rows if re.search(r"^  likely: ops:op\d \d+ %(, ops:op\d \d+ %)*$", row)], rows[-10:])
        both = [block for block in blocks if sum("npu" in row for row in block) == 2]
        self.assertTrue(both, "two devices are never seen at work together")
        self.assertTrue([block for block in both if sum(" as-is: " in row for row in block) == 2], "one trial, two attempts")
        for block in both:
            self.assertLess(block.index(next(row for row in block if "npu 0" in row)),
                            block.index(next(row for row in block if "npu 1" in row)))
            self.assertEqual(len({re.search(r"npu \d", row).group() for row in block if "npu" in row}), 2)

    def test_control_c_leaves_a_clean_terminal(self):
        self.prepare()
        shown = self.on_terminal("run", "experiment.yaml", columns=160, interrupt_after=r"everything: .*step \d+ of 100", code=130)
        lines = [line for line in self.screen(shown, 160) if line]
        self.assertRegex(lines[-1], r"^bisectd: interrupted by SIGINT; go on with: bisectd resume /.*$")
        self.assertFalse([line for line in lines if "running for" in line], "the live view was left behind")
        self.assertNotRegex(shown, r"\x1b\[\?25l", "the cursor was hidden")
        self.assertEqual(self.processes_of_this_test(), [])
        self.bisectd("resume", self.run_folder(), code=1)

    def test_colour_of_the_result(self):
        """NO_COLOR beats what asks for colour, but for --color=always; without either a terminal has it, a pipe has not."""
        self.prepare("--step-ms", "0")
        self.bisectd("run", "experiment.yaml", code=1)
        for on_terminal, environment, option, coloured in (
                (True, {}, (), True), (True, {"NO_COLOR": "1"}, (), False), (True, {"NO_COLOR": ""}, (), True),
                (True, {"TERM": "dumb"}, (), False), (True, {"CLICOLOR": "0"}, (), False), (True, {}, ("--color", "never"), False),
                (False, {}, (), False), (False, {"CLICOLOR_FORCE": "1"}, (), True), (False, {"FORCE_COLOR": "1"}, (), True),
                (False, {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, (), False),
                (False, {"NO_COLOR": "1"}, ("--color", "always"), True)):
            with self.subTest(on_terminal=on_terminal, environment=environment, option=option):
                leader, follower = pty.openpty() if on_terminal else os.pipe()
                subprocess.run([BISECTD, "resume", "bisectd-out/latest", "-q", *option], cwd=self.folder, stdin=subprocess.DEVNULL,
                               stdout=follower, env=self.environment({"TERM": "xterm", **environment}))
                self.assertEqual(b"\x1b[" in os.read(leader, 65536), coloured)
                os.close(leader)
                os.close(follower)

    def test_it_stays_inside_a_small_terminal(self):
        self.prepare("--step-ms", "5")
        shown = self.on_terminal("run", "experiment.yaml", columns=40, rows=4)
        for line in re.findall(r"(?:\x1b\[J|\n)([^\x1b\r\n]*(?:running for|step \d+ of \d+, loss)[^\x1b\r\n]*)", shown):
            self.assertLessEqual(len(line), 39, line)
        self.assertLessEqual(max((int(up) for up in re.findall(r"\x1b\[(\d+)A", shown)), default=0), 2)

    def test_elsewhere_there_are_plain_lines(self):
        self.prepare("--step-ms", "5")
        self.assertNotIn("\x1b", self.on_terminal("run", "experiment.yaml", term="dumb"))
        self.assertNotIn("\x1b", self.bisectd("run", "experiment.yaml", "--new", environment={"TERM": "xterm"}).err)


if __name__ == "__main__":
    unittest.main()
