"""One engineer, one model, from the first crash on the device to a training that agrees: PyTorch on the stand-in."""
import json

from torch_space import WARM, WarmSpace, example, main


class Story(WarmSpace):
    def experiment(self, name, faults, suspects, environment="", more=""):
        """The subject's environment is what the engineer exports by then."""
        base = example(WARM).replace("name: torch\n", "")
        base = base.replace('STANDIN_NPU_FAULTS: "gelu_backward*1.5;tanh*1.4&gelu"', f'STANDIN_NPU_FAULTS: "{faults}"{environment}')
        self.write(name, base[:base.index("suspects:")] + f"suspects: {suspects}\n{more}")
        return name

    def workaround(self):
        return {one["name"]: one["value"] for one in self.report()["workaround"]["environment"]}

    def exported(self, variables):
        """What the engineer writes for it into the experiment; the families bring the rest."""
        return "".join(f', {name}: "{value}"' for name, value in variables.items() if name.startswith("BISECTD_TORCH_CPU_"))

    def test_it_crashes_then_deviates_in_one_backward_and_is_fixed(self):
        faults = "crash=tanh_backward;gelu_backward*1.5"

        # Monday: it dies. As any other experiment it says so, and what would find the reason.
        told = self.bisectd("run", self.experiment("net.yaml", faults, "{ops: {discover: true}}", more="steps: 60\n"), code=4, timeout=300).out
        self.assertIn("To search for what breaks it, write `accept: {goal: runs}`", told)
        self.bisectd("run", self.experiment("crash.yaml", faults, "{ops: {discover: true}}", more="steps: 60\naccept: {goal: runs}\n"),
                     code=1, timeout=300)
        self.assertEqual(self.culprits(self.report()), ["ops:tanh_backward"])
        exported = self.exported(self.workaround())
        self.assertIn("tanh_backward", exported)

        # Tuesday: it runs, and the first step shows where it is off: in a backward.
        aligned = json.loads(self.bisectd("align", "--json", self.experiment("align.yaml", faults, "{ops: {discover: true}}", exported),
                                          code=1, timeout=300).out)
        self.assertIsNone(aligned["forward"])
        self.assertEqual((aligned["backward"]["module"], aligned["backward"]["class"]), ("2", "GELU"))
        (ranking,) = self.folder.glob("bisectd-out/*align*/align.json")

        # The night after: which module, and which of its operators, beginning with what the step showed.
        modules = f"{{modules: {{discover: true, likely: {{from: {ranking}}}, then: ops}}}}"
        self.bisectd("run", self.experiment("modules.yaml", faults, modules, exported), code=1, timeout=300)
        self.assertEqual(self.culprits(self.report()), ["module_ops:2/backward/gelu_backward"])
        exported += self.exported(self.workaround())

        # Wednesday: with both exported it agrees. What upgrades do to that, the suite of test_paddle_upgrade shows.
        self.bisectd("run", self.experiment("fixed.yaml", faults, "{ops: {discover: true}}", exported), code=0, timeout=300)
        self.assertEqual(self.processes_of_this_test(), [])


if __name__ == "__main__":
    main()
