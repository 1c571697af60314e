"""Settings that torch_npu and PyTorch take as calls, made by the shim."""
import json
import pathlib
import subprocess
import tempfile

from space import BISECTD, SOURCE
from torch_space import ShimAlone, main


class Settings(ShimAlone):
    @classmethod
    def setUpClass(cls):  # its own, so that they are one test of ctest
        super().setUpClass()

    def torch_npu(self):
        """A folder with a module that stands in for torch_npu and prints what it is told."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        pathlib.Path(folder.name, "torch_npu.py").write_text(
            "import types, torch\n"
            "class Part:\n"
            "    def __init__(self, name): self.__dict__['name'] = name\n"
            "    def __setattr__(self, key, value): print(f'{self.name}.{key}={value}')\n"
            "torch.npu = types.SimpleNamespace(\n"
            "    conv=Part('conv'), matmul=Part('matmul'), aclnn=Part('aclnn'), config=Part('config'),\n"
            "    set_compile_mode=lambda jit_compile: print(f'jit_compile={jit_compile}'),\n"
            "    set_option=lambda options: print(f'option {options}'))\n")
        return folder.name

    def with_torch_npu(self, code, **environment):
        path = f"{SOURCE / 'configs/presets/python'}:{self.torch_npu()}"
        return self.python("-c", code, PYTHONPATH=path, **environment)

    def test_settings_that_torch_npu_takes_as_calls(self):
        listed = subprocess.run([BISECTD, "families", "torch-npu", "--json"], capture_output=True, text=True, check=True).stdout
        called = {one["delivery"].removeprefix("variable "): one["safe"] for one in json.loads(listed)["flags"]["switches"].values()
                  if "BISECTD_TORCH_" in one["delivery"]}
        code = "import torch_npu, torch; print('deterministic', torch.are_deterministic_algorithms_enabled())"
        lines = self.with_torch_npu(code, **called)
        self.assertEqual(sorted(line for line in lines if not line.startswith("bisectd-torch: set ")),
                         ["aclnn.allow_hf32=False", "config.allow_internal_format=False", "conv.allow_hf32=False",
                          "deterministic True", "jit_compile=False", "matmul.allow_hf32=False",
                          "option {'ACL_OP_SELECT_IMPL_MODE': 'high_precision'}",
                          "option {'ACL_PRECISION_MODE': 'must_keep_origin_dtype'}"], self.last.stderr)
        self.assertIn("bisectd-torch: set ACL_PRECISION_MODE to must_keep_origin_dtype", lines)
        self.assertEqual(len(called), sum(line.startswith("bisectd-torch: set ") for line in lines))
        on = self.with_torch_npu(code, BISECTD_TORCH_SET_conv_hf32="1", BISECTD_TORCH_SET_deterministic_algorithms="0")
        self.assertIn("conv.allow_hf32=True", on)
        self.assertIn("deterministic False", on)
        self.assertEqual(self.with_torch_npu(code), ["deterministic False"])

    def test_settings_of_a_gpu(self):
        """PyTorch keeps them without one."""
        listed = subprocess.run([BISECTD, "families", "torch-cuda", "--json"], capture_output=True, text=True, check=True).stdout
        called = {one["delivery"].removeprefix("variable "): one["safe"] for one in json.loads(listed)["flags"]["switches"].values()
                  if "BISECTD_TORCH_" in one["delivery"]}
        code = ("import torch; b = torch.backends\n"
                "print(b.cuda.matmul.allow_tf32, b.cuda.matmul.allow_fp16_reduced_precision_reduction, b.cudnn.allow_tf32, b.cudnn.benchmark,\n"
                "      b.cudnn.deterministic, torch.are_deterministic_algorithms_enabled(), b.cudnn.enabled)")
        unset = self.with_torch_npu(code, BISECTD_TORCH_AFTER="torch")
        self.assertEqual(unset, ["False True True False False False True"], self.last.stderr)
        done = self.with_torch_npu(code, BISECTD_TORCH_AFTER="torch", **called)
        self.assertEqual(done[-1], "False False False False True True False", self.last.stderr)
        self.assertEqual([line for line in done if line.startswith("bisectd-torch: cannot set ")], [])
        self.assertEqual(len(done), len(called) + 1)
        on = self.with_torch_npu(code, BISECTD_TORCH_AFTER="torch", BISECTD_TORCH_SET_matmul_tf32="1", BISECTD_TORCH_SET_cudnn_benchmark="1")
        self.assertEqual(on[-1], "True True True True False False True")

    def test_deterministic_algorithms_warn_and_raise_only_where_asked(self):
        code = "import os, torch; print(torch.is_deterministic_algorithms_warn_only_enabled(), os.environ.get('CUBLAS_WORKSPACE_CONFIG'))"
        name = "BISECTD_TORCH_SET_deterministic_algorithms"
        listed = json.loads(subprocess.run([BISECTD, "families", "torch-cuda", "--json"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual(listed["flags"]["switches"]["deterministic_algorithms"]["safe"], "warn")
        for value, said in (("warn", "True None"), ("1", "False :4096:8"), ("0", "False None")):
            with self.subTest(value):
                self.assertEqual(self.with_torch_npu(code, BISECTD_TORCH_AFTER="torch", **{name: value})[-1], said, self.last.stderr)

    def test_a_setting_that_does_not_exist_ends_the_training(self):
        self.assertNotIn("trains", self.with_torch_npu("import torch_npu; print('trains')", BISECTD_TORCH_SET_no_such="1"))
        self.assertIn("no_such", self.last.stderr)


if __name__ == "__main__":
    main()
