"""Searches with PyTorch and a device of our own: what is planted is what is found."""
from space import SOURCE
from torch_space import TORCH, WARM, TorchSpace, main


class Torch(TorchSpace):
    def test_a_forward_operator(self):
        report, _ = self.find("gelu*1.1")
        self.assertEqual(self.culprits(report), ["ops:gelu"])
        self.assertGreater(len(report["suspects"]), 15)
        self.assertEqual(report["no_effect"], [])
        environment = {one["name"]: one["value"] for one in report["workaround"]["environment"]}
        self.assertEqual(environment["BISECTD_TORCH_CPU_OPS"], "gelu")
        self.assertTrue(environment["PYTHONPATH"].startswith(str(SOURCE / "configs/presets/python")))

    def test_a_backward_operator_and_an_interaction(self):
        report, _ = self.find("gelu_backward*1.5;tanh*1.4&gelu",
                              "{ops: [gelu_backward, tanh, tanh_backward, gelu, addmm, mm]}")
        self.assertEqual(self.causes(report), [["gelu", "tanh"], ["gelu_backward"]])

    def test_only_the_operators_that_a_module_uses_are_suspects(self):
        report, _ = self.find("gelu_backward*1.5", discovery="    discover: {environment: {BISECTD_TORCH_LIST_OPS_OF: '2'}}")
        self.assertEqual(self.culprits(report), ["ops:gelu_backward"])
        self.assertEqual([one["name"] for one in report["suspects"]], ["gelu", "gelu_backward"])

    def test_an_operator_that_cannot_be_moved(self):
        report, done = self.find("gelu*1.1", "{ops: [gelu, dropout, addmm]}")
        self.assertEqual(self.culprits(report), ["ops:gelu"])
        self.assertRegex(done.out, r"ops:dropout is not acquitted: it cannot be neutralised, so it stayed active: it draws random numbers, "
                                   r"and the CPU would draw others\.")

    def test_an_operator_that_does_not_exist_is_without_effect_and_not_accused(self):
        report, _ = self.find("gelu*1.1", "{ops: [gelu, gelu_backward, geluu]}")
        self.assertEqual(self.causes(report), [["gelu"]])
        self.assertEqual([entry["name"] for entry in report["no_effect"]], ["geluu"])

    def test_settings_that_this_pytorch_does_not_have_are_without_effect(self):
        self.write("older.py", "import torch\ndel torch.backends.cuda.enable_cudnn_sdp  # as before 2.5\n")
        self.write("train.py", """\
            import sys, torch, older
            wrong = sys.argv[1] == "subject" and not torch.backends.cudnn.deterministic
            for step in range(1, 31): print(f"step {step} loss {(3 - step / 30) * (1.05 if wrong else 1)}", flush=True)
            """)
        self.write("experiment.yaml", f"""\
            version: 1
            name: settings
            extends: torch-cuda
            reference: {{command: [{WARM}, train.py, reference], repeats: 2}}
            subject: {{command: [{WARM}, train.py, subject], devices: {{kind: cpu, ids: [0]}}}}
            perturb: none
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            families: {{flags: {{environment: {{BISECTD_TORCH_AFTER: older}}}}}}
            suspects: {{flags: all}}
            """)
        self.bisectd("run", "experiment.yaml", code=1, timeout=600)
        report = self.report()
        self.assertEqual(self.culprits(report), ["flags:cudnn_deterministic"])
        self.assertEqual({one["name"] for one in report["no_effect"]}, {"cudnn_attention"})
        self.assertEqual({trial["verdict"] for trial in report["trial_list"]} & {"unresolved"}, set())

    def test_a_wrong_operator_of_the_optimizer_behind_a_bar_that_ends_no_line(self):
        self.write("train.py", f"""\
            import sys
            sys.path.insert(0, "{TORCH}")
            import torch, standin_npu
            torch.manual_seed(1)
            weight = torch.linspace(-1, 1, 8).to(standin_npu.DEVICE).requires_grad_()
            optimizer = torch.optim.AdamW([weight], lr=.05, foreach=True)
            for step in range(1, 61):
                sys.stderr.write(f"\\r {{step}}/60 [##  ]")
                loss = (torch.nn.functional.dropout(weight, 0.01) * weight).sum()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                print("\\nstep", step, "loss", loss.item() + 10, flush=True)
            """)
        self.write("train.sh", f"{WARM.replace(',', '')} train.py 2>&1 | cat\n")
        self.write("experiment.yaml", """\
            version: 1
            name: optimizer
            extends: torch-npu
            reference: {command: [bash, train.sh], environment: {STANDIN_NPU_MAKE: gpu}, repeats: 2, perturb: none}
            subject:
              command: [bash, train.sh]
              devices: {ids: [0, 1], visible_variable: none}
              environment: {STANDIN_NPU_FAULTS: "addcmul*3"}
              perturb: none
            metric: {loss: {pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}
            families: {ops: {environment: {BISECTD_TORCH_DEVICE: privateuseone, BISECTD_TORCH_AFTER: standin_npu}}}
            suspects: {ops: {discover: true}}
            """)
        self.bisectd("run", "experiment.yaml", code=1, timeout=600)
        report = self.report()
        self.assertEqual(self.culprits(report), ["ops:_foreach_addcmul_.Scalar"])
        self.assertIn({"family": "ops", "name": "native_dropout",
                       "why": "it cannot be neutralised: it draws random numbers, and the CPU would draw others"}, report["no_effect"])

    def test_a_wrong_operator_of_torch_npu_and_one_that_cannot_be_neutralised(self):
        self.write("npu.py", f"""\
            import os, sys
            sys.path.insert(0, "{TORCH}")
            import torch
            library = torch.library.Library("npu", "DEF")
            for name in "npu_kernel", "npu_alone":
                library.define(name + "(Tensor self) -> Tensor")
            library.impl("npu_kernel", lambda x: torch.tanh(x), "CPU")
            library.impl("npu_kernel", lambda x: torch.tanh(x) * float(os.environ.get("WRONG", 1)), "PrivateUse1")
            library.impl("npu_alone", lambda x: x * 0.5, "PrivateUse1")
            import standin_npu
            guard = torch._C._AutoDispatchBelowAutograd()  # they have no derivatives
            weight = torch.ones(8).to(standin_npu.DEVICE)
            for step in range(1, 61):
                value = torch.ops.npu.npu_kernel(torch.ops.npu.npu_alone(weight) + 1 / step)
                print("step", step, "loss", value.sum().item())
            """)
        self.write("experiment.yaml", f"""\
            version: 1
            name: namespace
            extends: torch-npu
            reference: {{command: [{WARM}, npu.py], environment: {{STANDIN_NPU_MAKE: gpu}}, repeats: 2, perturb: none}}
            subject:
              command: [{WARM}, npu.py]
              devices: {{ids: [0, 1], visible_variable: none}}
              environment: {{WRONG: "1.2"}}
              perturb: none
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            families: {{ops: {{environment: {{BISECTD_TORCH_DEVICE: privateuseone, BISECTD_TORCH_AFTER: standin_npu}}}}}}
            suspects: {{ops: {{discover: true}}}}
            """)
        told = self.bisectd("discover", "experiment.yaml", code=0).out
        self.assertIn("\n  npu_alone  (cannot be neutralised; the log says why)\n", told)
        self.assertIn("\n  npu_kernel\n", told)
        self.bisectd("run", "experiment.yaml", code=1, timeout=600)
        report = self.report()
        self.assertEqual(self.culprits(report), ["ops:npu_kernel"])
        stays, = report["no_effect"]
        self.assertEqual((stays["name"], stays["why"]), ("npu_alone", "it cannot be neutralised: the CPU has no kernel for it, and it is not made of "
                                                         "other operators"))


if __name__ == "__main__":
    main()
