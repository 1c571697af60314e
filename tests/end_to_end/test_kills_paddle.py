"""kill -9 at random moments of searches with real trainings, as in test_kills.py, then `resume` until the run is at its end.

One game in the tests; a campaign:  BISECTD_GAMES=20 BISECTD_SEED=7 python3 -B tests/end_to_end/test_kills_paddle.py"""
import os

from paddle_space import PYTHON, PaddleSpace, main
from test_kills import STOPS, Games

FAULTS = {"batch_norm_grad": 0.3, "hard_swish": 0.1, "adam": 0.1}  # by how much each must be wrong to be found in 80 steps


class RealTrainings(Games, PaddleSpace):
    START = str(PYTHON),  # whole trainings, as they are killed
    GAMES = int(os.environ.get("BISECTD_GAMES", 1))
    HOWS = ("KILL", "KILL at", "KILL at", "KILL all")

    def plant(self, random):
        guilty = sorted(random.sample(sorted(FAULTS), random.choice((1, 2))))
        devices = random.choice((1, 2))
        self.experiment({"faults": [{"op": op, "relative": FAULTS[op]} for op in guilty]}, devices=list(range(devices)),
                        extra=f"search: {{seed: {random.randrange(1000)}}}")
        return [[op] for op in guilty], devices

    def run_to_its_end(self, *command):
        return self.bisectd(*command, code=1, timeout=600).out


def tearDownModule():
    for (how, where), times in sorted(STOPS.items()):
        print(f"{how:12} {where:26} {times}")


if __name__ == "__main__":
    main()
