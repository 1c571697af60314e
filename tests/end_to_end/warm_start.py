#!/usr/bin/env python3
"""Starts trainings in a process that has imported PyTorch or Paddle already: importing PyTorch takes 1.3 s of processor time, with torch_npu 3.7,
Paddle 0.8, PaddleSeg 1.9, and a short training less than one.

    warm_start.py --serve SOCKET MODULES...
                                          imports these, then forks a process for each script that is asked for; ends at the end of its input
    warm_start.py SOCKET SCRIPT WORDS...  has the server run the script (-m MODULE, -c TEXT) with this environment, folder and output, and ends as it ends

What Python and the shims do at a start happens in the new process: PYTHONPATH, sitecustomize, the import of torch_npu, which reads its
variables, and the last part of Paddle's, which reads flags and loads devices. LD_LIBRARY_PATH and what PyTorch reads when it is imported are the
server's.
"""
import contextlib
import importlib.util
import json
import os
import pathlib
import runpy
import select
import signal
import socket
import subprocess
import sys
import time

# PyTorch's own modules that torch_npu imports, and what they import: nearly all of its time.
OF_TORCH_NPU = ("torch", "torch.distributed.fsdp", "torch._inductor.compile_fx", "torch._dynamo", "torch.distributed.run",
                "torch.distributed.checkpoint", "torch.distributed.tensor.experimental")

# What Paddle calls in paddle.base.__bootstrap__(), at the end of its import.
OF_PADDLE = "init_gflags", "init_glog", "init_memory_method", "init_devices", "init_tensor_operants", "init_default_kernel_signatures"


def import_paddle():
    """Without its last part, for which its library is imported first."""
    place = pathlib.Path(importlib.util.find_spec("paddle").origin).parent / "base/libpaddle.so"
    spec = importlib.util.spec_from_file_location("paddle.base.libpaddle", place)
    library = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(library)
    calls = {name: getattr(library, name) for name in OF_PADDLE}
    vars(library).update(dict.fromkeys(OF_PADDLE, lambda *_: None))
    vars(importlib.import_module("paddle").base.core).update(calls)


def become(asked):
    """In the new process: what a Python that starts with this environment does before its script."""
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv = asked["words"]
    sys.path[:0] = [str(pathlib.Path(sys.argv[0]).parent), *filter(None, os.environ.get("PYTHONPATH", "").split(":"))]
    if "paddle" in sys.modules:
        base = sys.modules["paddle"].base
        base.core.set_vlog_level(int(os.environ.get("GLOG_v", 0)))
        base.__bootstrap__()
    sys.modules.pop("sitecustomize", None)
    if importlib.util.find_spec("sitecustomize"):
        importlib.import_module("sitecustomize")
    if "torch" in sys.modules and os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD") != "0":
        importlib.import_module("torch_npu")  # as PyTorch does when it is imported
    if sys.argv[0] == "-m":
        runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
    elif sys.argv[0] == "-c":
        exec(sys.argv.pop(1), {"__name__": "__main__"})
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")


def watch(connection, child):
    """The end of one process: that of the training, which is told to the client, or that of the client, which ends the training."""
    ended = os.pidfd_open(child)
    if ended not in select.select([connection, ended], [], [])[0]:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        connection.send(json.dumps(status).encode())
    except OSError:
        pass  # nobody is there


def serve(path, modules):
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    for module in modules:
        import_paddle() if module == "paddle" else importlib.import_module(module)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # watchers are waited for by nobody
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind(path)
    server.listen()
    while server in select.select([server, sys.stdin], [], [])[0]:
        connection = server.accept()[0]
        if os.fork():
            connection.close()
            continue
        server.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        message, files, _, _ = socket.recv_fds(connection, 1 << 20, 3)
        if not message:  # somebody looked whether the server is there
            os._exit(0)
        child = os.fork()
        if child:
            watch(connection, child)
            os._exit(0)
        connection.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
        return become(json.loads(message))


def ask(path, words):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(path)
    asked = {"environment": dict(os.environ), "folder": os.getcwd(), "words": words}
    socket.send_fds(connection, [json.dumps(asked).encode()], [0, 1, 2])
    status = json.loads(connection.recv(100))
    if status < 0:
        os.kill(os.getpid(), -status)
    sys.exit(status)


@contextlib.contextmanager
def serving(python, path, modules, environment=None):
    """While the server runs: `path` is its socket, `environment` what it has instead of this process's own."""
    server = subprocess.Popen([python, "-W", "ignore", __file__, "--serve", path, *modules], stdin=subprocess.PIPE, env=environment)
    try:
        while server.poll() is None:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as tried:
                tried.connect(str(path))
                break
            time.sleep(0.05)
        yield
    finally:
        server.communicate()


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2], sys.argv[3:])
    else:
        ask(sys.argv[1], sys.argv[2:])
