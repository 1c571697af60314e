import os


class Option:
    def __init__(self, value, allowed=None, is_file=False):
        self.value, self.allowed, self.is_file = value, allowed, is_file

    def set(self, value):
        if self.allowed and value not in self.allowed:
            raise ValueError(f"{value!r} is not one of {self.allowed}")
        if self.is_file and value is not None and not os.path.isfile(value):
            raise FileNotFoundError(value)
        self.value = value


class Part:
    """What is set must be an option that is there; read, an option says its `value`."""

    def __init__(self, **options):
        self.__dict__.update(options)

    def __setattr__(self, name, value):
        if name not in self.__dict__:
            raise ValueError(f"no option {name}")
        self.__dict__[name].set(value)


class CompilerConfig:
    def __init__(self):
        self.fusion_config = Part(fusion_switch_file=Option(None, is_file=True))
        self.ge_config = Part(oo_level=Option("O3", ("O1", "O3")), optimization_switch=Option(None),
                              export_compile_stat=Option("2", ("0", "1", "2")))
