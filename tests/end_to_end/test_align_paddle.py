"""`bisectd align` on the real PaddlePaddle: the module in which a fault is planted is where the sides part first."""
import json

from paddle_space import PaddleSpace, main


class Align(PaddleSpace):
    def align(self, faults, *words, code=1, **experiment):
        self.experiment(faults, recorded=False, **experiment)
        done = self.bisectd("align", "--json", "experiment.yaml", *words, code=code, timeout=300)
        self.assertEqual(self.processes_of_this_test(), [])
        return json.loads(done.out)


class Directions(Align):
    def test_healthy_devices_agree(self):
        result = self.align({"faults": []}, code=0)
        self.assertEqual((result["verdict"], result["perturbed_runs"], result["unequal"]), ("agrees", 2, []))
        self.assertEqual(len(result["modules"]), 17)
        stem = next(one for one in result["modules"] if one["module"] == "stem.conv")
        self.assertTrue(0 < stem["output"]["error"] < 1e-4)  # the makes of the devices round otherwise

    def test_a_forward_operator_that_a_module_calls_itself(self):
        result = self.align({"faults": [{"op": "hard_swish", "relative": 0.1}]})
        self.assertEqual((result["verdict"], result["forward"]["module"], result["backward"]), ("deviates", "stem", None))
        self.assertAlmostEqual(result["forward"]["measured"]["error"], 0.1, places=2)

    def test_a_forward_operator_of_a_layer(self):
        result = self.align({"faults": [{"op": "layer_norm", "relative": 0.05}]})
        self.assertEqual((result["forward"]["module"], result["forward"]["class"]), ("norm", "LayerNorm"))

    def test_a_backward_operator(self):
        result = self.align({"faults": [{"op": "layer_norm_grad", "relative": 0.3}]})
        self.assertEqual((result["forward"], result["backward"]["module"]), (None, "norm"))

    def test_a_backward_operator_that_a_module_calls_itself(self):
        result = self.align({"faults": [{"op": "gelu_grad", "relative": 0.3}]})
        self.assertEqual((result["backward"]["module"], result["backward"]["at"]), ("Recogniser", "hidden"))

    def test_an_optimizer_comes_after_the_step(self):
        self.align({"faults": [{"op": "adam", "relative": 0.5}]}, code=0)


class Machines(Align):
    def test_the_step_of_another_machine_and_the_odds_of_the_search(self):
        self.experiment({"faults": [{"op": "layer_norm", "relative": 0.2}]}, recorded=False)
        done = self.bisectd("align", "--record", "step.jsonl", "experiment.yaml", code=0, timeout=300)
        self.assertIn("3 runs", done.out)
        self.assertLess((self.folder / "step.jsonl").stat().st_size, 1_000_000)
        self.bisectd("align", "--record", "step.jsonl", "experiment.yaml", code=2)
        done = self.bisectd("align", "--reference", "step.jsonl", "experiment.yaml", code=1, timeout=300)
        self.assertIn("forward: the first module that deviates is norm (LayerNorm)", done.out)
        result, = self.folder.glob("bisectd-out/*/align.json")
        self.assertFalse((result.parent / "reference").exists())
        text = (self.folder / "experiment.yaml").read_text()
        text = text.replace("ops: {discover: true}", f"ops: {{discover: true, likely: {{from: {result}}}}}")
        (self.folder / "experiment.yaml").write_text(text)
        self.bisectd("run", "experiment.yaml", code=1, timeout=600)
        self.assertEqual(self.names(self.report()), ["layer_norm"])

    def test_other_data_say_nothing_of_modules(self):
        result = self.align({"faults": []}, options=", Global.seed=7", code=3)
        self.assertEqual((result["verdict"], result["forward"]), ("unequal", None))
        self.assertTrue(result["unequal"])


if __name__ == "__main__":
    main()
