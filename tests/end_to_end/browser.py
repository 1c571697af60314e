"""A real Chromium, driven through its DevTools protocol over a pair of pipes: no port, no library, no network.

Knows pages and what they print; knows nothing of bisectd.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")


class Browser:
    """with Browser() as browser: page = browser.open(file, width=400)"""

    def __enter__(self):
        self._profile = tempfile.mkdtemp(prefix="bisectd-chromium-")
        to_browser, ours_out = os.pipe()
        ours_in, from_browser = os.pipe()

        def as_three_and_four():  # where --remote-debugging-pipe looks; a pipe may sit there already
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self._process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             f"--user-data-dir={self._profile}", "--hide-scrollbars"],
            preexec_fn=as_three_and_four, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._out, self._in = open(ours_out, "wb", buffering=0), open(ours_in, "rb")
        self._rest, self._next, self.events = b"", 0, []
        return self

    def __exit__(self, *_):
        self.call("Browser.close")
        self._process.wait(timeout=30)
        self._out.close()
        self._in.close()
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method, session=None, **parameters):
        """The result of one command; what the pages told meanwhile is kept in `events`."""
        self._next += 1
        message = {"id": self._next, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _message(self):
        while b"\0" not in self._rest:
            some = self._in.read1(1 << 20)
            if not some:
                raise RuntimeError("the browser has gone")
            self._rest += some
        text, self._rest = self._rest.split(b"\0", 1)
        return json.loads(text)

    def open(self, file, width=1200, height=900, dark=False, media=""):
        """A new page that has loaded `file` and run its scripts."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        page = Page(self, self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in ("Runtime", "Log", "Page", "Network"):
            page.call(domain + ".enable")
        page.call("Performance.enable", timeDomain="threadTicks")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        page.call("Page.navigate", url=pathlib.Path(file).resolve().as_uri())
        page.evaluate("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', () => done()))")
        return page


class Page:
    def __init__(self, browser, session):
        self._browser, self._session = browser, session

    def call(self, method, **parameters):
        return self._browser.call(method, self._session, **parameters)

    def evaluate(self, expression):
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", "exception"))
        return answer["result"].get("value")

    def complaints(self):
        """What the page put on its console: script errors, violations of its security policy, prints."""
        texts = []
        for event in self._browser.events:
            if event.get("sessionId") != self._session:
                continue
            given = event.get("params", {})
            if event["method"] == "Log.entryAdded":
                texts.append(given["entry"]["text"])
            elif event["method"] == "Runtime.exceptionThrown":
                texts.append(given["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif event["method"] == "Runtime.consoleAPICalled":
                texts.append(" ".join(str(argument.get("value")) for argument in given["args"]))
        return texts

    def requests(self):
        """Addresses that the page asked for."""
        return [event["params"]["request"]["url"] for event in self._browser.events
                if event.get("sessionId") == self._session and event["method"] == "Network.requestWillBeSent"]

    def busy_ms(self):
        """What the page's main thread has used of a core so far."""
        metrics = {metric["name"]: metric["value"] for metric in self.call("Performance.getMetrics")["metrics"]}
        return metrics["TaskDuration"] * 1000

    def pages(self):
        """On how many sheets of A4 it is printed."""
        printed = self.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=False)
        return len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed["data"])))

    def screenshot(self, file):
        """The whole page, however long, as PNG."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        pathlib.Path(file).write_bytes(base64.b64decode(shot["data"]))
