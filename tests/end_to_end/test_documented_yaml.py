"""Every YAML block of the documents is taken by `check`: a whole experiment as it is, parts of one put into an experiment."""
import re
import unittest

import yaml

from space import SOURCE, Space

PAGES = [SOURCE / "README.md", SOURCE / "README.zh-CN.md", *sorted(SOURCE.glob("docs/**/*.md")), *sorted(SOURCE.glob("configs/presets/*.md"))]
ODDS = "NPU Name,Bench Name,Cosine,MaxAbsErr\nFunctional.gelu.0.forward.output.0,x,0.5,2\n"


def blocks(page):
    """Of keys at the top; two experiments in one block are two, and one that has a key twice is several."""
    for text in re.findall(r"(?s)```yaml\n(.*?)```", page.read_text()):
        for part in re.split(r"(?m)^---$", text):
            lines = [line for line in part.splitlines() if re.match(r"\w+:", line)]
            keys = [line.split(":")[0] for line in lines]
            if len(set(keys)) == len(keys):
                yield part
            else:
                yield from lines


class DocumentedYaml(Space):
    def setUp(self):
        super().setUp()
        self.write("bin/python", "#!/bin/sh\n").chmod(0o755)
        self.write("compare_result.csv", ODDS)
        self.write("train_data/train_list.txt", "a.png\n")
        self.write("train.yaml", "training: {fused: true, attention: fa2}\n")
        self.write("ds.json", '{"fp16": {"loss_scale": 65536}}\n')
        self.write("curve.log", "".join(f"step {step} loss {3 / step}\n" for step in range(1, 201)))

    def base(self, preset):
        """An experiment as `init` writes it, less what is commented out."""
        text = self.bisectd("init", preset, "-o", "-", code=0, environment=self.path()).out
        return {key: value for key, value in yaml.safe_load(text).items() if key not in ("setup", "hold", "checks")}

    def path(self):
        return {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin"}

    def check(self, page, block):
        given = yaml.safe_load(block)
        if not isinstance(given, dict) or "experiments" in given:
            return  # a suite, a pipeline
        usual = page.stem if page.parent.name == "presets" else "generic" if "families" in given else "paddle-npu"
        preset = given.get("extends", usual)
        whole = given if "version" in given else {**self.base(preset), **given}
        for side in ("reference", "subject"):
            here = whole[side] = {**({} if "version" in given else self.base(preset)[side]), **whole.get(side, {})}
            if "curve" in here:
                whole[side] = here = {"curve": "curve.log"}
            if "source" in here.get("setup", ""):
                here["setup"] = "true"  # CANN's script is not on this machine
            for word in here.get("command", []):
                if re.fullmatch(r"[\w./]+\.py", str(word)):
                    self.write(word, "")  # nor is the training
            if "slurm" in here.get("launch", {}):
                del here["launch"]  # nor is a batch system, which gives the devices
                here["devices"]["ids"] = list(range(here["devices"].get("per_trial", 1)))
        if "argument:" in block and "version" not in given:  # what the pages say of it: the training takes it
            whole["subject"]["command"].append("{arguments}")
        for file in set(re.findall(r"config: ([\w.]+)", block)):  # and reads the copy of its configuration file
            if f"{{config:{file}}}" not in block:
                whole["subject"]["command"].append(f"{{config:{file}}}")
        for selection in whole["suspects"].values():
            if isinstance(selection, dict) and "from" in selection.get("likely", {}):
                selection["likely"]["from"] = "compare_result.csv"
        self.write("experiment.yaml", yaml.safe_dump(whole, sort_keys=False))
        done = self.bisectd("check", "experiment.yaml", environment=self.path())
        self.assertEqual(done.returncode, 0, f"{page.name}:\n{block}\n{done.out}{done.err}")

    def test_all_of_them(self):
        count = 0
        for page in PAGES:
            for block in blocks(page):
                with self.subTest(f"{page.name}: {block[:60]}"):
                    self.check(page, block)
                    count += 1
        self.assertGreaterEqual(count, 20)


if __name__ == "__main__":
    unittest.main()
