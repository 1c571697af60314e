"""Stands in for torchair: the part of CompilerConfig that the preset torch-npu sets, as strict as the real one."""
from torchair.configs.compiler_config import CompilerConfig  # noqa: F401; torchair.CompilerConfig is how scripts say it
