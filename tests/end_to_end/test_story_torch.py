"""One engineer, one model, from the first crash on the device to the upgrade after: PyTorch on the stand-in."""
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

    def test_it_crashes_then_deviates_in_one_backward_is_fixed_and_then_upgraded(self):
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

        # Wednesday: with both exported it agrees, for longer than a trial, too, and that is accepted.
        self.bisectd("run", self.experiment("fixed.yaml", faults, "{ops: {discover: true}}", exported, "name: net\n"), code=0, timeout=300)
        self.bisectd("accept", self.run_folder(), "-o", "baselines/net.json", code=0)

        # A month later: the upgrade mends the crash, and another operator is worse.
        self.write("version.txt", "8.5\n")
        upgraded = self.experiment("nightly.yaml", "gelu_backward*1.5;tanh*1.4", "{ops: {discover: true}}", exported,
                                   "name: net\nversions: {standin: {file: version.txt}}\n")
        text = (self.folder / upgraded).read_text()
        begin, end = text.index("reference:"), text.index("subject:")
        (self.folder / upgraded).write_text(text[:begin] + "reference: {curve: baselines/net.json}\n" + text[end:])
        self.write("suite.yaml", "version: 1\nname: suite\nexperiments: [nightly.yaml]\n")
        red = self.bisectd("ci", "suite.yaml", code=1, timeout=300)
        self.assertRegex(red.out, r"net.*ops:tanh")

        # And the crash's workaround is no longer needed.
        (self.folder / upgraded).write_text((self.folder / upgraded).read_text().replace(";tanh*1.4", ""))
        pruned = self.bisectd("prune", upgraded, code=1, timeout=300)
        self.assertRegex(pruned.out, r"No longer needed: ops:tanh_backward")
        self.assertRegex(pruned.out, r"Still needed: module_ops:2/backward/gelu_backward")
        self.assertEqual(self.processes_of_this_test(), [])


if __name__ == "__main__":
    main()
