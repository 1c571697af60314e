"""SIGTERM ends a training on Paddle at once, as it ends any other program, unless the training handles it in its own way.

Paddle's handler of it writes a backtrace, for which it asks for memory. A process that the signal meets within malloc then waits for
itself, until SIGKILL comes after the grace: one of 13 to 60 stops, ten seconds each, and bisectd stops every trial of which it wants the
first steps only. Asked for by BISECTD_ATTEMPT, which every training has that bisectd starts.
"""
import signal
import threading


def install():
    in_main_thread = threading.current_thread() is threading.main_thread()  # handlers can be set nowhere else
    # Paddle's is not known to Python, which still takes it for the usual one.
    if in_main_thread and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
