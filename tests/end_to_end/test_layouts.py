"""`init` in the folders of real projects (configs/layouts.yaml): the command, the preset and the switches of its own that it writes."""
import os
import re
import sys
import unittest

import yaml

from space import SOURCE, Space

# What is in a fresh clone of each project, as far as it could mislead, and the beginning of its right command.
FOLDERS = {
    "PaddleOCR": ("setup.py ppocr/__init__.py paddleocr/__init__.py tools/train.py tools/eval.py", "python tools/train.py -c"),
    "PaddleSeg": ("setup.py paddleseg/__init__.py tools/train.py tools/val.py", "python tools/train.py --config"),
    "PaddleClas": ("setup.py hubconf.py ppcls/__init__.py tools/train.py", "python tools/train.py -c"),
    "PaddleDetection": ("setup.py ppdet/__init__.py tools/train.py", "python tools/train.py -c"),
    "PaddleNLP": ("setup.py paddlenlp/__init__.py llm/run_pretrain.py llm/run_finetune.py", "python llm/run_pretrain.py CONFIG.json"),
    "LLaMA-Factory": ("setup.py src/train.py src/llamafactory/cli.py examples/train_lora/a.yaml", "llamafactory-cli train CONFIG.yaml"),
    "ms-swift": ("setup.py swift/cli/main.py swift/cli/sft.py", "swift sft --model MODEL"),
    "verl": ("setup.py verl/trainer/main_ppo.py verl/trainer/fsdp_sft_trainer.py", "python -m verl.trainer.main_ppo"),
    "MindFormers": ("setup.py run_mindformer.py mindformers/__init__.py", "python run_mindformer.py --config CONFIG.yaml"),
    "MindSpeed-LLM": ("setup.py pretrain_gpt.py posttrain_gpt.py inference.py mindspeed_llm/__init__.py", "torchrun --nproc_per_node 1 pretrain_gpt.py"),
    "Megatron-LM": ("setup.py pretrain_bert.py pretrain_gpt.py train_rl.py megatron/core/__init__.py", "torchrun --nproc_per_node 1 pretrain_gpt.py"),
    "MMDetection": ("setup.py mmdet/__init__.py tools/train.py tools/test.py", "python tools/train.py CONFIG.py"),
    "ultralytics": ("setup.py ultralytics/cfg/default.yaml ultralytics/engine/trainer.py", "yolo detect train"),
    "transformers": ("setup.py conftest.py src/transformers/__init__.py examples/pytorch/language-modeling/run_clm.py",
                     "python examples/pytorch/language-modeling/run_clm.py"),
}
SCRIPTS = {"a training with PaddleNLP's Trainer": "from paddlenlp.trainer import Trainer", "an example of transformers": "from transformers import HfArgumentParser"}


class Layouts(Space):
    def setUp(self):
        super().setUp()
        for name in ("python", "torchrun", "llamafactory-cli", "swift", "yolo"):
            self.write(f"bin/{name}", "").unlink()
            (self.folder / "bin" / name).symlink_to(sys.executable)
        self.path = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        self.known = yaml.safe_load((SOURCE / "configs/layouts.yaml").read_text())

    def written_in(self, folder, *preset):
        """What `init` writes in a folder, once `check` has accepted it."""
        here, self.folder = self.folder, self.folder / folder
        try:
            self.bisectd("init", *preset, "-o", "written.yaml", code=0)
            text = (self.folder / "written.yaml").read_text()
            done = self.bisectd("check", "written.yaml", code=0, environment=self.path)
            self.assertEqual(done.err, "")
            (self.folder / "written.yaml").unlink()
        finally:
            self.folder = here
        return text

    def test_every_project_of_the_table(self):
        self.assertEqual(set(self.known), set(FOLDERS) | set(SCRIPTS))
        for project, (files, command) in FOLDERS.items():
            with self.subTest(project):
                for file in files.split():
                    self.write(f"{project}/{file}", "")
                text = self.written_in(project)
                written = yaml.safe_load(text)
                words = " ".join(written["subject"]["command"])
                self.assertIn(f"looks like {project}.", text)
                self.assertTrue(words.startswith(command), words)
                self.assertEqual(written["extends"], self.known[project]["preset"])
                switches = yaml.safe_load(self.known[project].get("switches", "{}"))
                self.assertEqual(written.get("families", {}).get("switches", {}).get("toggles", {}), switches)
                self.assertEqual("{arguments}" in words, bool(switches))
                self.assertEqual("switches" in written["suspects"], bool(switches))
                self.assertGreater(len(written["suspects"]), bool(switches))  # those of the preset, too
                self.assertIn(f"extends: {'torch-cuda'}", self.written_in(project, "torch-cuda"))

    def test_scripts_that_say_it(self):
        for layout, line in SCRIPTS.items():
            with self.subTest(layout):
                self.write(f"{layout}/run_mine.py", line + "\n")
                text = self.written_in(layout)
                self.assertIn(f"looks like {layout}.", text)
                self.assertEqual(yaml.safe_load(text)["subject"]["command"][:2], ["python", "run_mine.py"])

    def test_what_installs_a_project_is_never_its_training(self):
        self.write("mine/setup.py", "")
        self.assertIn("python, train.py]", self.written_in_unknown("mine"))
        self.write("mine/mixer.py", "")
        self.assertIn("python, mixer.py]", self.written_in_unknown("mine"))

    def written_in_unknown(self, folder):
        here, self.folder = self.folder, self.folder / folder
        try:
            return self.bisectd("init", "-o", "-", code=0).out
        finally:
            self.folder = here

    def test_every_source_is_said(self):
        for name, layout in self.known.items():
            self.assertRegex(layout["source"], r"^[\w-]+/[\w-]+ ", name)
            self.assertFalse(re.search(r"\bsetup\.py", layout["command"]), name)


if __name__ == "__main__":
    unittest.main()
