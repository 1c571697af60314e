"""PaddleOCR's log: its line format, its train.log, and the smoothing of what it prints."""
import collections
import logging
import os
import statistics
import sys


class Stats:
    """Every value is printed as the median of the last `window` steps, so one bad step does not show when the window is wide."""

    def __init__(self, window):
        self.values = collections.defaultdict(lambda: collections.deque(maxlen=window))

    def update(self, values):
        for name, value in values.items():
            self.values[name].append(value)

    def line(self):
        return ", ".join("%s: %.6f" % (name, statistics.median(values)) for name, values in self.values.items())


def log_config(log, config, indent=""):
    """Each setting in a line of its own, those of a section indented, as PaddleOCR begins its log."""
    for name, value in config.items():
        if isinstance(value, dict):
            log.info("%s%s : ", indent, name)
            log_config(log, value, indent + "    ")
        else:
            log.info("%s%s : %s", indent, name, value)


def open_log(folder):
    os.makedirs(folder, exist_ok=True)
    log = logging.getLogger("ppocr")
    log.setLevel(logging.INFO)
    log.propagate = False
    form = logging.Formatter("[%(asctime)s] %(name)s %(levelname)s: %(message)s", datefmt="%Y/%m/%d %H:%M:%S")
    for handler in (logging.StreamHandler(sys.stdout), logging.FileHandler(os.path.join(folder, "train.log"), mode="w")):
        handler.setFormatter(form)
        log.addHandler(handler)
    return log
