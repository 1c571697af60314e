"""Includes run one way: driver -> reports -> strategies -> configs. Inside driver, rooms below the loop know only those below them.
And what else the build rests on: how long a file may be, and which tests need a framework."""
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MAY_INCLUDE = {
    "configs": set(),
    "strategies": {"configs"},
    "reports": {"strategies", "configs"},
    "driver/judge": {"strategies", "configs"},
    "driver/learn": set(),
    "driver/read": {"driver/learn", "driver/judge", "strategies", "configs"},
    "driver/launch": {"driver/log", "driver/keep", "configs"},
    "driver/keep": set(),
    "driver/log": {"driver/keep", "configs"},
    "driver/neutralise": {"strategies", "configs"},
    "driver/trial": {"driver/judge", "driver/learn", "driver/read", "driver/launch", "driver/log", "driver/keep", "driver/neutralise", "reports", "strategies", "configs"},
    "driver/baseline": {"driver/judge", "driver/read", "driver/keep", "strategies", "configs"},
    "driver/checks": {"driver/trial", "driver/neutralise", "driver/launch", "driver/read", "driver/keep", "reports", "strategies", "configs"},
    "driver/record": {"driver/trial", "driver/judge", "driver/read", "driver/keep", "driver/neutralise", "driver/checks",
                      "driver/baseline", "reports", "strategies", "configs"},
}


def room_of(path):
    return max((room for room in MAY_INCLUDE if path.startswith(room + "/")), key=len, default=path.split("/")[0])


class Arrows(unittest.TestCase):
    def test_every_include_follows_the_arrows(self):
        wrong, seen = [], 0
        for folder in ("configs", "strategies", "reports", "driver"):
            for file in sorted((SOURCE / folder).rglob("*.[ch]pp")):
                name = str(file.relative_to(SOURCE))
                allowed = MAY_INCLUDE.get(room_of(name))
                for included in re.findall(r'^#include "([^"]+)"', file.read_text(), re.M):
                    seen += 1
                    self.assertTrue((SOURCE / included).exists() or included.startswith("generated/"), f"{name}: {included}")
                    target = room_of(included)
                    if allowed is not None and target != room_of(name) and target not in allowed:
                        wrong.append(f"{name} includes {included}")
        self.assertEqual(wrong, [])
        self.assertGreater(seen, 100)

    def test_no_file_is_longer_than_600_lines(self):
        long = [str(file.relative_to(SOURCE)) for folder in ("configs", "strategies", "reports", "driver", "tests", "examples")
                for suffix in ("cpp", "hpp", "cc", "py") for file in (SOURCE / folder).rglob(f"*.{suffix}")
                if len(file.read_text().splitlines()) > 600]
        self.assertEqual(long, [])

    def test_frameworks_are_named_only_where_decisions_say(self):
        """Comments may name one, and a message may as an example, or a preset."""
        said = re.search(r"(?s)- \*\*A stack is a YAML preset, never C\+\+\.\*\*(.*?)\n- ", (SOURCE / "docs/decisions.md").read_text())[1]
        places = tuple(re.findall(r"`((?:configs|driver)/[^`]+)`", said))
        names = re.compile(r"(?i:paddle|torch|mindspore|tensorflow|megatron|deepspeed|msprobe|cuda)|ASCEND_|Ascend/|HCCL_|FLAGS_")
        example = re.compile(r"for example|presets? of|preset such as|paddle-npu")
        wrong, seen = [], 0
        for folder in ("configs", "strategies", "reports", "driver"):
            for file in sorted((SOURCE / folder).rglob("*.[ch]pp")):
                name = str(file.relative_to(SOURCE))
                for number, line in enumerate(file.read_text().splitlines(), 1):
                    if names.search(code := line.split("//")[0]) and not example.search(code):
                        seen += 1
                        if not name.startswith(places):
                            wrong.append(f"{name}:{number}: {code.strip()}")
        self.assertEqual(wrong, [])
        self.assertGreater(seen, 20)

    def test_what_trains_with_a_framework_has_its_label(self):
        """tests/run --quick leaves the label out, so that no framework need be installed."""
        labelled = re.search(r'name MATCHES "([^"]+)"', (SOURCE / "tests/CMakeLists.txt").read_text())[1]
        wrong, seen = [], 0
        for file in sorted((SOURCE / "tests/end_to_end").glob("test_*.py")):
            if re.search(r"/usr/bin/python3|\.venv/|^from (torch|paddle)_space import|examples/(torch|paddle)", file.read_text(), re.M):
                seen += 1
                if not re.search(labelled, file.stem.replace("test_", "end_to_end_", 1)):
                    wrong.append(file.name)
        self.assertEqual(wrong, [])
        self.assertGreater(seen, 15)


if __name__ == "__main__":
    unittest.main()
