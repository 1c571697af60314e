"""A fault under a condition shows while the condition holds, and only then; without rounding, so that nothing else can."""
import unittest

from launch import EXACT, exact, one_fault, train


class Conditions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sound = train(EXACT)

    def shows(self, faults, **variables):
        run = train(exact(faults), **variables)
        self.assertEqual(run.status, 0, run.err)
        self.assertNotEqual(run.losses, self.sound.losses)

    def does_not_show(self, faults, **variables):
        run = train(exact(faults), **variables)
        self.assertEqual((run.status, run.losses), (0, self.sound.losses), run.err)

    def test_only_while_a_flag_is_on(self):
        fault = one_fault("conv2d", relative=0.2, when={"flag": "FLAGS_npu_storage_format", "is": True})
        self.does_not_show(fault)
        self.does_not_show(fault, FLAGS_npu_storage_format="0")
        for on in ("1", "True"):
            self.shows(fault, FLAGS_npu_storage_format=on)

    def test_only_while_a_flag_has_one_value(self):
        fault = one_fault("conv2d", relative=0.2, when={"flag": "JIT", "is": "2"})
        self.does_not_show(fault, JIT="1")
        self.shows(fault, JIT="2")

    def test_only_while_another_operator_runs_on_the_device(self):
        fault = one_fault("hard_swish", relative=0.2, when={"on_device": "elementwise_mul"})
        self.shows(fault)
        self.does_not_show(fault, CUSTOM_DEVICE_BLACK_LIST="elementwise_mul")
        self.does_not_show(fault, CUSTOM_DEVICE_BLACK_LIST="hard_swish")
        # A name that Paddle does not understand leaves the operator on the device, here as there.
        self.shows(fault, CUSTOM_DEVICE_BLACK_LIST="multiply")

    def test_only_while_another_operator_runs_on_the_cpu(self):
        fault = one_fault("hard_swish", relative=0.2, when={"on_cpu": "elementwise_mul"})
        self.does_not_show(fault)
        self.shows(fault, CUSTOM_DEVICE_BLACK_LIST="elementwise_mul")
        self.does_not_show(fault, CUSTOM_DEVICE_BLACK_LIST="elementwise_mul,hard_swish")
        self.does_not_show(fault, CUSTOM_DEVICE_BLACK_LIST="multiply")


if __name__ == "__main__":
    unittest.main()
