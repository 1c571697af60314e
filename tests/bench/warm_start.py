#!/usr/bin/env python3
"""Starts trainings in a process that has imported PyTorch already: importing it and torch_npu takes eight seconds of processor time, and a short
training one.

    warm_start.py --serve SOCKET MODULES...
                                          imports, these as well, then forks a process for each script that is asked for; ends at the end of its input
    warm_start.py SOCKET SCRIPT WORDS...  has the server run the script with this environment, folder and output, and ends as it ends

What Python and the shims do at a start happens in the new process: PYTHONPATH, sitecustomize, and the import of torch_npu, which reads its
variables. LD_LIBRARY_PATH and what PyTorch reads when it is imported are the server's.
"""
import importlib.util
import json
import os
import pathlib
import runpy
import select
import signal
import socket
import sys

# PyTorch's own modules that torch_npu imports, and what they import: nearly all of the eight seconds.
MODULES = ("torch", "torch.distributed.fsdp", "torch._inductor.compile_fx", "torch._dynamo", "torch.distributed.run",
           "torch.distributed.checkpoint", "torch.distributed.tensor.experimental")


def become(asked):
    """In the new process: what a Python that starts with this environment does before its script."""
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv = asked["words"]
    sys.path[:0] = [str(pathlib.Path(sys.argv[0]).parent), *filter(None, os.environ.get("PYTHONPATH", "").split(":"))]
    sys.modules.pop("sitecustomize", None)
    if importlib.util.find_spec("sitecustomize"):
        importlib.import_module("sitecustomize")
    if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD") != "0":
        importlib.import_module("torch_npu")
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


def serve(path, more):
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    for module in (*MODULES, *more):
        importlib.import_module(module)
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


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2], sys.argv[3:])
    else:
        ask(sys.argv[1], sys.argv[2:])
