"""The stand-in device of PyTorch."""
import os
import subprocess

from torch_space import TORCH, WARM, WarmSpace, main


class Device(WarmSpace):
    """The stand-in's own manners."""

    def losses(self, *words, **environment):
        done = subprocess.run([*WARM.split(", "), *words], cwd=self.folder, env={**os.environ, **environment}, capture_output=True, text=True,
                              timeout=120)
        return [float(line.split()[-1]) for line in done.stdout.splitlines() if line.startswith("step ")]

    def test_it_rounds_by_make_and_repeats_itself(self):
        run = lambda **environment: self.losses(TORCH / "train.py", "npu", "steps=30", **environment)
        cpu, npu, gpu = self.losses(TORCH / "train.py", "steps=30"), run(), run(STANDIN_NPU_MAKE="gpu")
        self.assertEqual(npu, run())
        for one, other in ((cpu, npu), (npu, gpu), (gpu, cpu)):
            self.assertNotEqual(one, other)
            for a, b in zip(one, other, strict=True):
                self.assertAlmostEqual(a / b, 1, delta=1e-3)
        coarse = run(STANDIN_NPU_FAULTS="rounding=1e-4")
        self.assertGreater(abs(coarse[0] - cpu[0]), 5 * abs(npu[0] - cpu[0]))

    def test_a_network_with_convolutions(self):
        code = (f"import sys; sys.path.insert(0, '{TORCH}'); import torch, standin_npu as s\n"
                "for device in ('cpu', s.DEVICE):\n"
                "    torch.manual_seed(1); nn = torch.nn\n"
                "    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3, groups=2),\n"
                "                        nn.Flatten(), nn.Linear(16, 1)).to(device)\n"
                "    net(torch.randn(8, 1, 10, 10).to(device)).square().mean().backward()\n"
                "    for p in net.parameters(): print('step', p.grad.cpu().abs().sum().item())")
        exact = self.losses("-c", code, STANDIN_NPU_FAULTS="rounding=0")
        self.assertEqual(exact[:8], exact[8:])
        rounded = self.losses("-c", code, STANDIN_NPU_FAULTS="rounding=1e-4")
        self.assertGreater(rounded[9], 20 * rounded[1])  # the gradient of the bias before the normalisation: zero but for rounding
        for cpu, npu in [*zip(rounded[:8], rounded[8:])][2:]:
            self.assertAlmostEqual(npu / cpu, 1, delta=2e-3)


if __name__ == "__main__":
    main()
