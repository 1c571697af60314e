"""The schema in an editor: the real language server for YAML completes keys, explains them, and marks what is wrong."""
import json
import queue
import re
import shutil
import subprocess
import threading
import unittest

from space import SOURCE, Space, hostile_experiment

SERVER = SOURCE / "tests/npm/node_modules/yaml-language-server/bin/yaml-language-server"
NODE = shutil.which("node") or shutil.which("nodejs")


class Server:
    """The language server, spoken to over its standard streams."""

    def __init__(self):
        self._process = subprocess.Popen([NODE, SERVER, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._messages, self._next, self._notes = queue.Queue(), 0, []
        threading.Thread(target=self._read, daemon=True).start()
        self.ask("initialize", processId=None, rootUri=None, capabilities={})
        self.tell("initialized")

    def close(self):
        self._process.kill()
        self._process.communicate()

    def _read(self):
        while header := self._process.stdout.readline():
            length = int(header.split(b":")[1])
            while self._process.stdout.readline().strip():
                pass
            self._messages.put(json.loads(self._process.stdout.read(length)))

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def tell(self, method, **parameters):
        self._send({"method": method, "params": parameters})

    def ask(self, method, **parameters):
        self._next += 1
        self._send({"id": self._next, "method": method, "params": parameters})
        while True:
            message = self._messages.get(timeout=60)
            if message.get("id") == self._next and "method" not in message:
                return message["result"]
            self._notes.append(message)

    def problems(self, uri):
        """What the server marks in a document; waits for its first word on it."""
        while True:
            for note in self._notes:
                if note.get("method") == "textDocument/publishDiagnostics" and note["params"]["uri"] == uri:
                    self._notes.remove(note)
                    return [(one["range"]["start"]["line"], one["message"]) for one in note["params"]["diagnostics"]]
            self._notes.append(self._messages.get(timeout=60))


@unittest.skipUnless(NODE and SERVER.exists(), "tests/npm/install was not run")
class Editor(Space):
    def setUp(self):
        super().setUp()
        self.server = Server()
        self.addCleanup(self.server.close)
        self.write("schema.json", self.bisectd("schema", code=0).out)

    def opened(self, name, text):
        """Opens a file that names the schema in its first line, as our examples do."""
        text = f"# yaml-language-server: $schema={(self.folder / 'schema.json').as_uri()}\n" + text
        uri = self.write(name, text).as_uri()
        self.server.tell("textDocument/didOpen", textDocument={"uri": uri, "languageId": "yaml", "version": 1, "text": text})
        return uri

    def at(self, uri, line, character):
        return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}

    def completed(self, text, line, character):
        uri = self.opened(f"at-{line}-{character}.yaml", text)
        items = self.server.ask("textDocument/completion", **self.at(uri, line, character))["items"]
        return {item["label"] for item in items}

    def test_what_is_right_is_not_marked(self):
        good = {path.name: path.read_text() for path in (SOURCE / "examples").rglob("*.yaml")
                if re.search(r"(?m)^name:", path.read_text()) and "experiments:" not in path.read_text()}
        self.assertIn("quickstart.yaml", good)
        good["every_key.yaml"] = (SOURCE / "tests/configs/every_key.yaml").read_text()
        good["hostile.yaml"] = hostile_experiment(extra="accept: {target: 0.5%}")
        good["init.yaml"] = self.bisectd("init", "paddle-npu", "-o", "-", code=0).out
        for name, text in good.items():
            with self.subTest(name):
                self.assertEqual(self.server.problems(self.opened(name, text)), [])

    def test_what_is_wrong_is_marked_in_its_line(self):
        good = hostile_experiment()
        for name, old, new, words in (("key", "repeats: 5", "repeat: 5", "repeat"), ("type", "repeats: 5", "repeats: many", "number|integer"),
                                      ("kind", "kind: list", "kind: lists", "list")):
            with self.subTest(name):
                text = good.replace(old, new, 1)
                (line, message), *_ = self.server.problems(self.opened(f"{name}.yaml", text))
                self.assertEqual(line, 1 + text[:text.index(new)].count("\n"))
                self.assertRegex(message, words)

    def test_keys_and_values_are_completed(self):
        self.assertLessEqual({"reference", "subject", "metric", "suspects", "search"}, self.completed("version: 1\n\n", 2, 0))
        self.assertLessEqual({"command", "devices", "timeout"}, self.completed("subject:\n  \n", 2, 2))
        self.assertIn("list", self.completed("families:\n  ops:\n    kind: \n", 3, 10))

    def test_keys_are_explained(self):
        uri = self.opened("hover.yaml", hostile_experiment())
        hover = self.server.ask("textDocument/hover", **self.at(uri, 3, 2))
        self.assertGreater(len(json.dumps(hover["contents"])), 40)


if __name__ == "__main__":
    unittest.main()
