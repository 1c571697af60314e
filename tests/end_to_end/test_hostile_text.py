"""Markup, scripts, terminal escapes, bidi characters and invalid UTF-8 in paths, logs and versions are harmless wherever
they are shown: console, reports, pages in a real browser, and files for pipelines.
"""
import json
import os
import unicodedata
import unittest

from browser import CHROMIUM, Browser
from junit_rules import broken_rules
from space import HOSTILE, Space, hostile_experiment

# A folder's name may hold every byte but "/" and NUL; the journal is JSON, so those of ours are UTF-8.
EVIL_FOLDER = b"<img src=x onerror=alert(1)>&amp;\"'`$(touch pwned)`|[a](b)\x1b[31m\x1b]0;t\x07\xe2\x80\xae gnp\xc2\x9b2J \xd8\x9c\xef\xbf\xb9\xf3\xa0\x81\xa1 {{7*7}}"
EVIL = EVIL_FOLDER + b"\xff\xfe broken \xc3"


class HostileText(Space):
    def setUp(self):
        super().setUp()
        self.evil = self.folder / EVIL_FOLDER.decode()
        self.evil.mkdir()
        (self.evil / "version.info").write_bytes(b"Version=" + EVIL + b"\n")
        self.folder_above, self.folder = self.folder, self.evil
        self.addCleanup(lambda: setattr(self, "folder", self.folder_above))

    def write_experiment(self, name, *options, **more):
        versions = "versions: {cann: {file: version.info, pattern: 'Version=(?P<value>.*)'}}"
        text = hostile_experiment(*options, extra=versions, **more).replace("name: hostile", f"name: {name}")
        (self.folder / f"{name}.yaml").write_text(text)

    def harmless(self, output, what):
        with self.subTest(what):
            text = output.decode("utf-8")  # valid, or this throws
            odd = {character for character in text if character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cf", "Co", "Cn")}
            self.assertEqual(odd, set(), text[:3000])

    def harmless_page(self, page, what):
        self.harmless(page.read_bytes(), what)
        if not CHROMIUM:
            return
        with self.subTest(what + " in a browser"), Browser() as browser:
            link = self.folder_above / "page.html"  # the browser shall look at the page, not choke on its path
            link.write_bytes(page.read_bytes())
            shown = browser.open(link)
            self.assertEqual(shown.complaints(), [])
            self.assertEqual(len(shown.requests()), 1, "the page asked for something")
            self.assertEqual(shown.evaluate("document.querySelectorAll('img, iframe, object, link[href]').length"), 0)
            self.assertIn("<img src=x onerror=alert(1)>", shown.evaluate("document.body.innerText"))

    def said(self, what, *arguments, code=0):
        done = self.bisectd(*arguments, code=code)
        self.harmless(done.stdout, what)
        self.harmless(done.stderr, what + " (stderr)")
        return done

    def bisectd(self, *arguments, **more):
        try:
            return super().bisectd(*arguments, **more)
        except UnicodeDecodeError as error:
            self.fail(f"{arguments}: {error}")

    def test_a_run_in_a_hostile_folder(self):
        self.write_experiment("rec", "--cause", "op1=3", suspects=3)
        self.said("check", "check", "rec.yaml", "--run")
        self.said("plan", "plan", "rec.yaml")
        self.said("run", "run", "rec.yaml", code=1)
        folder = self.run_folder()
        for form in ("console", "md", "json", "junit", "workaround"):
            self.said(form, "report", folder, "-f", form)
        self.harmless_page(folder / "report.html", "report.html")
        self.assertEqual(broken_rules((folder / "junit.xml").read_bytes()), [])
        self.harmless((folder / "bisectd.log").read_bytes(), "bisectd.log")
        self.assertIn("<img", json.loads((folder / "report.json").read_text())["versions"]["cann"])
        for arguments in (("status", folder), ("status", folder, "--json"), ("explain", folder), ("explain", folder, "op1"),
                          ("history",), ("history", "--json"), ("resume", folder)):
            self.said(" ".join(map(str, arguments))[:8], *arguments, code=1 if arguments[0] == "resume" else 0)
        self.assertFalse((self.folder / "pwned").exists())

    def test_logs_that_are_hostile(self):
        self.write_experiment("rec", suspects=2)
        script = self.folder / "train.sh"
        script.write_bytes(b"#!/bin/sh\nfor step in 1 2 3 4 5 6; do\nprintf '%s' \"[2025/11/27 16:48:27] ppocr INFO: epoch: [1/1], "
                           b"global_step: $step, loss: 2.\"\nprintf '%b\\n' '" +
                           EVIL.replace(b"\\", b"\\\\").replace(b"'", b"") + b", ips: 1'\ndone\n")
        script.chmod(0o755)
        text = (self.folder / "rec.yaml").read_text().replace(f'["{HOSTILE}"', '["./train.sh"', 1)
        (self.folder / "rec.yaml").write_text(text)
        done = self.said("run", "run", "rec.yaml", code=4)
        self.assertIn("reference gave no curve", done.out)
        folder = self.run_folder()
        for form in ("console", "md", "json", "junit"):
            self.said(form, "report", folder, "-f", form)
        self.harmless_page(folder / "report.html", "report.html")
        self.harmless((folder / "bisectd.log").read_bytes(), "bisectd.log")
        self.said("status", "status", folder)
        self.said("compare", "compare", os.fsdecode(b"evil\x1b[31m\xff.log"), "--", "a.log", code=2)
        log = self.folder / os.fsdecode(b"<b>\x1b[31m\xe2\x80\xae.csv")
        log.write_bytes(b"step,loss\n" + b"".join(b"%d,%.4f\n" % (i, 2 + 3 / i) for i in range(1, 60)))
        self.said("compare", "compare", log, log, log, "--", log)
        self.said("compare --json", "compare", log, log, log, "--json", "--", log)

    def test_a_suite_of_hostile_models(self):
        self.write_experiment("rec", "--cause", "op1=3", suspects=3)
        self.write_experiment("det", suspects=3, subject="setup: printf '%b' '" + r"<img src=x onerror=alert(1)>\\033[31m\\0377" + "' >&2; exit 3")
        (self.folder / "suite.yaml").write_text("version: 1\nname: nightly\nexperiments: [rec.yaml, det.yaml]\n")
        self.said("ci", "ci", "suite.yaml", code=1)
        (suite,) = (self.folder / "bisectd-out").glob("nightly-*")
        self.assertEqual(broken_rules((suite / "junit.xml").read_bytes()), [])
        self.harmless((suite / "junit.xml").read_bytes(), "junit.xml")
        self.harmless_page(suite / "index.html", "index.html")
        self.said("history", "history")


if __name__ == "__main__":
    unittest.main()
