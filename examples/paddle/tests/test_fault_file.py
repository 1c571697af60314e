"""A fault file with a mistake ends the process before any training, and says what is wrong where."""
import unittest

from launch import one_fault, python, start


class FaultFile(unittest.TestCase):
    def refuses(self, faults, *words, **variables):
        run = start([*python(), "-c", "import paddle; print('went on')"], faults, **variables)
        self.assertEqual(run.status, 2, run.err)
        self.assertNotIn("went on", run.out)
        line = run.err.strip().splitlines()[-1]
        for word in ("standin-npu: ", "faults.json", *words):
            self.assertIn(word, line)

    def test_unknown_operator(self):
        self.refuses(one_fault("batchnorm", relative=1), "faults[0].op", "'batchnorm'", "did you mean 'batch_norm'?")

    def test_unknown_partner(self):
        self.refuses(one_fault("gelu", relative=1, when={"on_device": "conv2"}), "faults[0].when.on_device", "'conv2d'")

    def test_unknown_keys(self):
        self.refuses({"fault": []}, "unknown key 'fault'", "did you mean 'faults'?")
        self.refuses(one_fault("gelu", relativ=1), "faults[0].relativ", "did you mean 'relative'?")

    def test_wrong_values(self):
        self.refuses(one_fault("gelu", relative="much"), "faults[0].relative", "a number is wanted")
        self.refuses(one_fault("gelu", relative=1, fraction=1.5), "faults[0].fraction", "out of range")
        self.refuses(one_fault("gelu", nan_from_call=0), "faults[0].nan_from_call", "from 1")
        self.refuses({"rounding": "much"}, "rounding: a number is wanted")
        self.refuses({"rounding": 2}, "rounding: 2 is out of range")
        self.refuses({"rounding": {"product": 1e-3}}, "rounding.product", "did you mean 'products'?")
        self.refuses({"own_masks": 1}, "own_masks: true or false is wanted")
        self.refuses(one_fault("gelu", overflow_at_call=3), "faults[0].overflow_at_call", "'check_finite_and_unscale'")
        self.refuses({"at_exit": "sleep"}, "at_exit", "'hang' or 'crash'")

    def test_incomplete_faults(self):
        self.refuses({"faults": [{"relative": 1}]}, "faults[0]: 'op' is missing")
        self.refuses(one_fault("gelu"), "nothing is said to go wrong")
        self.refuses(one_fault("gelu", relative=1, when={"flag": "X"}), "'flag' and 'is' go together")
        self.refuses({"noise": {"relative": 0.1}}, "noise: 'relative' and 'ops' are both needed")

    def test_no_json_and_no_file(self):
        self.refuses("{faults}", "line 1")
        run = start([*python(), "-c", "import paddle"], STANDIN_NPU_FAULTS="/nowhere/f.json")
        self.assertEqual(run.status, 2)
        self.assertIn("/nowhere/f.json: cannot be read", run.err)


if __name__ == "__main__":
    unittest.main()
