#!/usr/bin/env python3
"""Writes or checks paddle-ops.tsv: how Paddle's logs call an operator and how its black lists spell it.

Run it with a Python that has paddlepaddle (the CPU wheel is enough):
    python make_paddle_ops.py paddle-ops.tsv           writes the table
    python make_paddle_ops.py --check paddle-ops.tsv   exits with 1 and the differences if it is out of date,
                                                       with 77 (skipped) if there is no paddlepaddle
The spelling comes from the very function that Paddle's kernel factory calls before it looks into the black list
(phi::TransToFluidOpName), so nothing is transcribed by hand.
"""
import ctypes
import pathlib
import sys

try:
    import paddle
    from paddle.base import core
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


class StdString(ctypes.Structure):
    """libstdc++'s std::string: pointer, length, 16 bytes of local buffer."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("local", ctypes.c_char * 16)]


def fluid_name_function():
    library = ctypes.CDLL(str(pathlib.Path(paddle.__file__).parent / "libs" / "libphi_core.so"))
    function = getattr(
        library, "_ZN3phi18TransToFluidOpNameERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")
    function.restype = ctypes.POINTER(StdString)
    function.argtypes = [ctypes.POINTER(StdString)]

    def fluid_name(phi_name):
        raw = phi_name.encode()
        buffer = ctypes.create_string_buffer(raw)
        argument = StdString(ctypes.cast(buffer, ctypes.c_void_p), len(raw), b"")
        result = function(ctypes.byref(argument)).contents
        return ctypes.string_at(result.data, result.size).decode()

    return fluid_name


def table():
    fluid_name = fluid_name_function()
    rows = {name: fluid_name(name) for name in sorted(core._get_registered_phi_kernels("all"))}
    registered = set(core._get_all_register_op_kernels("phi"))
    assert set(rows.values()) == registered, "the two lists of the framework disagree"
    lines = [
        f"# Operators of paddlepaddle {paddle.__version__} (CPU wheel), written by make_paddle_ops.py; do not edit.",
        "# phi: name in logs; compared by the black list of the old static executor and of PIR.",
        "# fluid: name compared by the black list in dynamic graphs.",
        "phi\tfluid",
    ]
    return "\n".join(lines + [f"{phi}\t{fluid}" for phi, fluid in rows.items()]) + "\n"


def main(arguments):
    check = arguments[:1] == ["--check"]
    path = pathlib.Path(arguments[-1])
    new = table()
    if not check:
        path.write_text(new)
        return 0
    difference = set(path.read_text().splitlines()) ^ set(new.splitlines())
    for line in sorted(difference):
        print(line)
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
