"""report.html of a real run in a real browser, as its readers use it: wide and narrow, light and dark, zoomed, printed, by keyboard
and read aloud."""
import pathlib
import subprocess
import tempfile
import unittest
import urllib.parse

from browser import CHROMIUM, Browser
from space import BISECTD, SOURCE, hostile_experiment

AXE = SOURCE / "tests/npm/node_modules/axe-core/axe.min.js"  # tests/npm/install brings it

# Texts that are hard to read, each with its contrast.
CONTRASTS = """(() => {
    const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (one) => { for (; one; one = one.parentElement) {
        const back = numbers(getComputedStyle(one).backgroundColor); if (back.length < 4 || back[3] > 0) return back; } return [255, 255, 255]; };
    return [...new Set([...document.querySelectorAll('body *')].filter(one => one.checkVisibility() &&
            [...one.childNodes].some(child => child.nodeType === 3 && child.textContent.trim())).map(one => {
        const [a, b] = [light(numbers(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x);
        const contrast = (a + 0.05) / (b + 0.05);
        return contrast < 4.5 ? `${one.tagName}.${one.className} ${contrast.toFixed(2)}` : '';
    }))].filter(text => text); })()"""


@unittest.skipUnless(CHROMIUM, "no chromium is installed")
class Page(unittest.TestCase):
    """One run and one browser for all of its methods, each with a page of its own."""

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="bisectd-test-"))).resolve()
        text = hostile_experiment("--cause", "op3=3", "--cause", "op1+op6=-2", "--step-noise", "0.2", "--noise", "0.05", "--seed", "3",
                                  suspects=9, devices="[0, 1]", steps=200)
        # References that differ, so that there is a band.
        text = text.replace('"--steps", "200", "--perturbed", "0.01"]\n  repeats: 5', '"--steps", "200", "--step-noise", "0.2", "--noise", "0.05", "--seed", "9"]\n  repeats: 3')
        (folder / "experiment.yaml").write_text(text)
        done = subprocess.run([BISECTD, "run", "experiment.yaml"], cwd=folder, capture_output=True, text=True, timeout=120)
        if done.returncode != 1:
            raise AssertionError(f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        cls.file = (folder / "bisectd-out/latest/report.html").resolve()
        cls.browser = cls.enterClassContext(Browser())

    def test_it_fits_and_is_quiet_at_every_width_and_in_both_themes(self):
        for width in (1200, 800, 390, 320):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    page = self.browser.open(self.file, width=width, dark=dark)
                    self.assertEqual(page.complaints(), [])
                    self.assertEqual(page.requests(), [self.file.as_uri()])
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
                    self.assertEqual(back, "rgb(20, 23, 26)" if dark else "rgb(255, 255, 255)")
        paper = self.browser.open(self.file, dark=True, media="print")
        self.assertEqual(paper.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(paper.evaluate("getComputedStyle(document.querySelector('.controls')).display"), "none")
        self.assertLessEqual(paper.evaluate("document.documentElement.scrollWidth"), 1200)
        self.assertLessEqual(paper.pages(), 2)

    def test_nothing_on_it_is_empty(self):
        page = self.browser.open(self.file)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('section')].filter(one => !one.innerText.trim() && !one.querySelector('canvas')).length"), 0)
        self.assertEqual(page.evaluate("""[...document.querySelectorAll('canvas')].map(one => Chart.getChart(one))
            .filter(one => !one || !one.data.datasets.some(line => line.data.length)).length"""), 0)
        self.assertEqual(page.evaluate("Chart.getChart('curves').data.datasets.map(one => one.label)"),
                         ["reference", "lowest reference", "range of the references", "as it is", "fix"])
        for chart in ("curves", "differences", "timeline"):
            self.assertTrue(page.evaluate(f"Chart.getChart('{chart}').options.scales.x.title.text"))

    def test_curves_are_zoomed_and_switched(self):
        page = self.browser.open(self.file)
        steps = "[Chart.getChart('curves').scales.x.min, Chart.getChart('curves').scales.x.max]"
        press = "[...document.querySelectorAll('#curves-section button')].find(one => one.textContent === '%s').click()"
        whole = page.evaluate(steps)
        page.evaluate(press % "last fifth")
        self.assertEqual(page.evaluate(steps), [161, 200])
        page.evaluate(press % "all steps")
        self.assertEqual(page.evaluate(steps), whole)
        page.evaluate("{ const box = document.querySelector('#curves-section input'); box.value = 150; box.dispatchEvent(new Event('input')); }")
        self.assertEqual(page.evaluate(steps)[0], 150)
        page.evaluate(press % "all steps")
        self.drag(page, 50, 100)
        first, last = page.evaluate(steps)
        self.assertAlmostEqual(first, 50, delta=2)
        self.assertAlmostEqual(last, 100, delta=2)
        page.evaluate("document.querySelector('#curves-section input[type=checkbox]').click()")
        self.assertEqual(page.evaluate("Chart.getChart('curves').scales.y.type"), "logarithmic")
        page.evaluate("document.querySelector('#trial-4 input[type=checkbox]').click()")
        self.assertIn("trial 4", page.evaluate("Chart.getChart('curves').data.datasets.map(one => one.label)"))
        page.evaluate("{ const chart = Chart.getChart('curves'); chart.legend.options.onClick.call(chart.legend, {}, chart.legend.legendItems.find(one => one.text === 'fix'), chart.legend); }")
        self.assertFalse(page.evaluate("{ const chart = Chart.getChart('curves'); chart.isDatasetVisible(chart.data.datasets.findIndex(one => one.label === 'fix')) }"))
        self.assertEqual(page.complaints(), [])

    def drag(self, page, first, last):
        """With the mouse over the curves, from one step to another."""
        page.evaluate("document.getElementById('curves').scrollIntoView()")
        place = "{ const canvas = document.getElementById('curves'), box = canvas.getBoundingClientRect(); [box.left + Chart.getChart(canvas).scales.x.getPixelForValue(%s), box.top + 100] }"
        for kind, step in (("mousePressed", first), ("mouseMoved", (first + last) / 2), ("mouseMoved", last), ("mouseReleased", last)):
            x, y = page.evaluate(place % step)
            page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def test_every_link_leads_somewhere(self):
        page = self.browser.open(self.file)
        links = page.evaluate("[...document.querySelectorAll('a[href]')].map(one => one.getAttribute('href'))")
        files = [link for link in links if not link.startswith("#")]
        self.assertEqual({link.rsplit("/", 1)[1] for link in files}, {"stdout.log", "stderr.log", "command.sh"})
        for link in files:
            self.assertTrue((self.file.parent / urllib.parse.unquote(link)).is_file(), link)
        self.assertEqual(page.evaluate("""[...document.querySelectorAll('a[href^="#"]')]
            .filter(one => !document.querySelector(one.getAttribute('href'))).length"""), 0)

    def test_a_link_to_a_filtered_row_shows_it(self):
        page = self.browser.open(self.file)
        self.filter(page, "as-is")
        self.assertEqual(page.evaluate("location.hash"), "#find=as-is")
        self.assertTrue(page.evaluate("document.querySelector('#trial-4').hidden"))
        for _ in range(2):  # the second time the address does not change
            page.evaluate("document.querySelector('.matrix a[href=\"#trial-4\"]').click()")
            page.evaluate("new Promise(done => setTimeout(done, 50))")
            self.assertFalse(page.evaluate("document.querySelector('#trial-4').hidden"))
            self.assertEqual(page.evaluate("document.activeElement.id"), "trial-4")
            page.evaluate("document.querySelector('#trial-4').hidden = true")
        page.evaluate("location.hash = '#find=as-is'")
        page.evaluate("new Promise(done => setTimeout(done, 50))")
        shown = page.evaluate("[...document.querySelectorAll('#trials tbody tr')].filter(row => !row.hidden).length")
        named = page.evaluate("[...document.querySelectorAll('#trials tbody tr')].filter(row => row.textContent.includes('as-is')).length")
        self.assertGreater(named, 0)
        self.assertEqual(shown, named)
        self.assertRegex(page.evaluate("document.querySelector('#trials [role=status]').textContent"), f"^{named} of ")

    def test_everything_can_be_read_aloud_and_reached_by_keyboard(self):
        for dark in (False, True):
            with self.subTest(dark=dark):
                page = self.browser.open(self.file, dark=dark)
                page.call("Accessibility.enable")
                nodes = [node for node in page.call("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
                named = {"button", "link", "checkbox", "searchbox", "spinbutton", "region", "image", "img", "textbox", "DisclosureTriangle"}
                nameless = [node["role"]["value"] for node in nodes
                            if node["role"]["value"] in named and not node.get("name", {}).get("value", "").strip()]
                self.assertEqual(nameless, [])
                self.assertGreater(sum(node["role"]["value"] == "columnheader" for node in nodes), 10)
                self.assertGreater(sum(node["role"]["value"] == "rowheader" for node in nodes), 9)
                self.assertEqual(page.evaluate("""[...document.querySelectorAll('th')].filter(one => !one.scope).length
                    + [...document.querySelectorAll('.wide')].filter(one => one.tabIndex !== 0 || !one.ariaLabel).length
                    + [...document.querySelectorAll('th')].filter(one => !one.textContent.trim()).length"""), 0)
                levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map(one => one.tagName)")
                self.assertEqual((levels[0], levels.count("H1")), ("H1", 1))
                # Text against what is behind it, as the web's guidelines measure it: 4.5 to 1.
                self.assertEqual(page.evaluate(CONTRASTS), [])
        # With Tab alone: from the top to the box that filters, and to a button that sorts.
        seen = set()
        for _ in range(200):
            for kind in ("keyDown", "keyUp"):
                page.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
            seen.add(page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent"))
        self.assertTrue({"find in trials", "measured", "all trials", "from step"} <= seen, seen)

    def test_numbers_words_and_nothing_sort_apart(self):
        page = self.browser.open(self.file)
        page.evaluate("""{ const rows = document.querySelectorAll('#trial-table tbody tr');
            const give = (row, text, key) => { const cell = row.cells[4]; cell.textContent = text; delete cell.dataset.sort;
                if (key !== undefined) cell.dataset.sort = key; };
            give(rows[0], 'nan'); give(rows[1], 'inf', 'Infinity'); give(rows[2], 'ended early'); give(rows[3], '-inf', '-Infinity');
            give(rows[4], ''); give(rows[5], '-2.00 %', '-0.02'); give(rows[6], '+1e-05 %', '1e-7'); give(rows[7], 'inf', 'Infinity');
            for (const row of [...rows].slice(8)) row.remove(); }""")
        press = "[...document.querySelectorAll('#trial-table thead button')].find(one => one.textContent === 'measured').click()"
        cells = "[...document.querySelectorAll('#trial-table tbody tr')].map(one => one.cells[4].textContent)"
        page.evaluate(press)
        self.assertEqual(page.evaluate(cells), ["-inf", "-2.00 %", "+1e-05 %", "inf", "inf", "ended early", "nan", ""])
        page.evaluate(press)
        self.assertEqual(page.evaluate(cells), ["inf", "inf", "+1e-05 %", "-2.00 %", "-inf", "nan", "ended early", ""])

    @unittest.skipUnless(AXE.is_file(), "axe-core is not installed: tests/npm/install")
    def test_an_accessibility_checker_finds_nothing(self):
        """All rules of axe-core, also those of good practice; both themes, and a telephone's width."""
        for width, dark in ((1200, False), (1200, True), (390, False)):
            with self.subTest(width=width, dark=dark):
                page = self.browser.open(self.file, width=width, dark=dark)
                page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
                page.evaluate(AXE.read_text() + "; 0")
                found = page.evaluate("axe.run().then(result => ({passes: result.passes.length, "
                                      "violations: result.violations.map(one => `${one.id}: ${one.nodes.map(node => node.html).slice(0, 3)}`)}))")
                self.assertEqual(found["violations"], [])
                self.assertGreater(found["passes"], 20)

    def filter(self, page, words):
        page.evaluate("{ const box = document.querySelector('#trials input[type=search]'); box.value = '%s'; box.dispatchEvent(new Event('input')); }" % words)

    def test_trials_are_found_and_sorted(self):
        page = self.browser.open(self.file)
        shown = "[...document.querySelectorAll('#trial-table tbody tr')].filter(one => !one.hidden).map(one => one.dataset.number)"
        every = page.evaluate(shown)
        self.filter(page, "as-is")
        self.assertIn("2", page.evaluate(shown))
        self.assertLess(len(page.evaluate(shown)), len(every))
        self.filter(page, "")
        press = "[...document.querySelectorAll('#trial-table thead button')].find(one => one.textContent === 'measured').click()"
        page.evaluate(press)
        cells = page.evaluate("[...document.querySelectorAll('#trial-table tbody tr')].map(one => one.cells[4].textContent)")
        measured = [float(text.removesuffix(" %")) for text in cells if text.endswith(" %")]
        self.assertEqual(measured, sorted(measured))
        self.assertEqual(cells[:len(measured)], [text for text in cells if text.endswith(" %")])


if __name__ == "__main__":
    unittest.main()
