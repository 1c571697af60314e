"""Documents: what they point to is there, the README says the same in both languages, and lists of keys are those of the schemas."""
import json
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [*SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md"), *SOURCE.glob("examples/**/*.md"), *SOURCE.glob("configs/presets/*.md")]


def without_code(text):
    return re.sub(r"(?s)```.*?```", "", text)


def anchors(text):
    """Names of the headings as GitHub and GitLab make them."""
    headings = re.findall(r"(?m)^#+ (.*)$", without_code(text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(document):
    text = document.read_text()
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        path, _, anchor = target.partition("#")
        there = document.parent / path if path else document
        if re.match(r"\w+:", target):
            continue
        if not there.exists() or (anchor and anchor not in anchors(there.read_text())):
            yield f"{document.relative_to(SOURCE)}: {target}"


def without_comments(block):
    return [line.split(" #")[0].rstrip() for line in block.splitlines() if not line.startswith("#")]


def properties(schema, place=""):
    """Every key that a schema knows, with where it is."""
    if isinstance(schema, dict):
        for key, value in schema.get("properties", {}).items():
            yield f"{place}.{key}", value
        for key, value in schema.items():
            yield from properties(value, f"{place}/{key}")
    elif isinstance(schema, list):
        for i, value in enumerate(schema):
            yield from properties(value, f"{place}/{i}")


class Documents(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        self.assertGreater(len(DOCUMENTS), 12)
        self.assertEqual([link for document in DOCUMENTS for link in broken_links(document)], [])

    def test_the_readme_has_the_same_sections_commands_and_figures_in_both_languages(self):
        english, chinese = ((SOURCE / name).read_text() for name in ("README.md", "README.zh-CN.md"))
        blocks = [[without_comments(block) for block in re.findall(r"(?s)```(?:yaml|sh)\n(.*?)```", text)] for text in (english, chinese)]
        self.assertEqual(*blocks)
        headings = [re.findall(r"(?m)^(#+) ", without_code(text)) for text in (english, chinese)]
        self.assertEqual(*headings)
        numbers = [set(re.findall(r"\d+\.\d+|\d{2,}", without_code(text))) for text in (english, chinese)]
        self.assertEqual(*numbers)

    def test_every_key_of_a_schema_is_described(self):
        for name in ("experiment", "report"):
            schema = json.loads((SOURCE / f"configs/schema/{name}.schema.json").read_text())
            keys = list(properties(schema))
            self.assertGreater(len(keys), 100)
            self.assertEqual([place for place, value in keys if not value.get("description", "").strip()], [])

    def test_every_block_of_an_experiment_has_its_table(self):
        schema = json.loads((SOURCE / "configs/schema/experiment.schema.json").read_text())
        blocks = {name: block for name, block in schema["definitions"].items() if "properties" in block}
        # A subject has the keys of a reference, and `launch` only the block `slurm`.
        self.assertEqual({name for name, block in blocks.items() if "title" not in block}, {"subject", "launch"})
        page = (SOURCE / "docs/experiment.md").read_text()
        self.assertEqual([name for name, block in blocks.items() if "title" in block and f"### {block['title']}\n" not in page], [])

    def test_the_list_of_keys_is_the_schemas(self):
        done = subprocess.run([sys.executable, "-B", SOURCE / "docs/make_reference", "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
