"""Says which settings did not arrive: a launch script, or the training itself, sets the variable once more. Read from the environment:

    BISECTD_SETTINGS   JSON: the variables that bisectd sets for this run, null for one that it takes away

Knows nothing of the rest of bisectd.
"""
import json
import os
import sys


def install():
    for name, value in json.loads(os.environ["BISECTD_SETTINGS"]).items():
        found = os.environ.get(name)
        if found != value:
            given = "unset" if value is None else f"set to {value!r}"
            has = "does not have it" if found is None else f"has {found!r}"
            sys.stdout.write(f"bisectd: cannot set {name}: it was {given}, and the training {has}\n")
