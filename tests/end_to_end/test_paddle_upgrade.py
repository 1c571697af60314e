"""The story of examples/suite on real Paddle: two of its models, three versions of the stand-in's software, one regression."""
import json
import pathlib
import shutil

from paddle_space import WARM, WarmSpace, main
from space import SOURCE


class Upgrade(WarmSpace):
    MODULES = "paddle", "paddleseg.core", "paddleseg.cvlibs"

    def setUp(self):
        super().setUp()
        # The suite in a place where baselines may be written; its neighbours are the real ones.
        examples = self.folder / "examples"
        shutil.copytree(SOURCE / "examples/suite", examples / "suite", ignore=shutil.ignore_patterns("baselines"))
        for name in ("paddle", "paddleseg"):
            (examples / name).symlink_to(SOURCE / "examples" / name)
        for name in ("build", ".venv"):
            (self.folder / name).symlink_to(SOURCE / name)
        self.shorten(examples / "suite")
        self.suite = pathlib.Path("examples/suite")  # as a person types it

    def shorten(self, suite):
        """Trainings begin warm; without U-Net, and five iterations of BiSeNetV2 and five runs of its reference. An attempt of ten iterations takes 3.7 s of processor time
        (U-Net: 6.0 s), of two 2.3 s; the story needs neither long curves nor a fine measure of rounding."""
        (suite / "suite.yaml").write_text((suite / "suite.yaml").read_text().replace(", nightly/unet.yaml", ""))
        for path in (*suite.glob("models/*.yaml"), *suite.glob("accept/*.yaml")):
            text = path.read_text().replace("train.py, --device", 'train.py, --iters, "5", --device')
            text = text.replace(", train.py", f", {WARM[1]}, {self.folder}/paddle.socket, train.py")
            if path.stem != "recogniser":  # whose fault begins as small as rounding: coarse runs must show that it is none
                text = text.replace("\nreference:\n", "\nreference:\n  repeats: 5\n")
            path.write_text(text)

    def on(self, version, *arguments, code):
        return self.bisectd(*arguments, code=code, environment={"STANDIN_VERSION": version}, timeout=900)

    def test_an_upgrade_that_breaks_one_model_and_the_next_that_mends_it(self):
        for model in ("recogniser", "bisenetv2"):
            self.on("a", "run", self.suite / f"accept/{model}.yaml", code=0)
            self.on("a", "accept", self.run_folder(), "-o", self.suite / f"baselines/{model}.json", code=0)
        red = self.on("b", "ci", self.suite / "suite.yaml", code=1)
        self.assertRegex(red.out, r"recogniser.*hard_swish")
        self.assertNotRegex(red.out, r"bisenetv2.*hard_swish")
        report = next((self.folder / "bisectd-out").glob("models-*/models/recogniser/recogniser-*/report.json"))
        self.assertIn("standin-npu A.1 -> B.1", " ".join(json.loads(report.read_text())["changes"]))

        nightly = self.suite / "nightly/recogniser.yaml"
        around = 'subject: {environment: {FLAGS_use_stride_kernel: "0", CUSTOM_DEVICE_BLACK_LIST: hard_swish}}\n'
        (self.folder / nightly).write_text((self.folder / nightly).read_text() + around)
        self.on("b", "ci", self.suite / "suite.yaml", "--only", "recogniser", code=0)

        pruned = self.on("c", "prune", nightly, code=0)
        self.assertIn("No longer needed: ops:hard_swish", pruned.out)
        self.assertEqual(self.processes_of_this_test(), [])


if __name__ == "__main__":
    main()
