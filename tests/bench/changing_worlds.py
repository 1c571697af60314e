"""Searches in worlds that change or glitch while they are searched, or are otherwise odd, played through `bisectd run`: how
often is an innocent accused?

    tests/bench/changing_worlds.py [--seeds 20] [--first-seed 1] [WORLD...]

Prints for each world how many of its games named exactly what was planted, were left undecided, ended with "nothing to find"
or "outside the suspects", and named an innocent; with the trials of the search and the controls of an average game, and the
seeds of the wrong ones. A game is wrong if it names a suspect that nobody planted, and also if it names only a part of them;
"part" counts the latter apart where the world changes, a fault sleeps, or a replacement does harm, "doubted" the games that name
one innocent and say that one may be right in itself.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import textwrap

BISECTD = os.path.abspath(os.environ.get("BISECTD", pathlib.Path(__file__).resolve().parents[2] / "build/ci/driver/bisectd"))
STEPS = 60

# A stand-in for a training: the loss at each step is that of the reference, a rounding, and what the world of this run adds. How
# many runs of the subject there were before is counted in a file.
TRAIN = """\
import fcntl, json, os, random, sys
world = json.load(open("world.json"))
off = set(filter(None, os.environ.get("OFF", "").split(",")))
seen = 0
if "--reference" not in sys.argv:
    with open("count", "a+") as count:
        fcntl.flock(count, fcntl.LOCK_EX)
        count.seek(0)
        seen = len(count.read())
        count.write(".")
draw = random.Random(f"{world['seed']} {seen}")
late = seen >= world.get("changes_at", 10 ** 9)
if world.get("device"): late = late and os.environ.get("ASCEND_RT_VISIBLE_DEVICES") == world["device"]
causes, everywhere = (world["late"], world["late_everywhere"]) if late else (world["causes"], 0)
if draw.random() < world.get("glitches", 0): everywhere += world["glitch"]
if draw.random() < world.get("sleeps", 0): causes = []
if "--reference" not in sys.argv and draw.random() < world.get("breaks", 0) or off & set(world.get("needed", [])): sys.exit("no kernel")
causes = [cause for cause in causes if cause[:-1] != world.get("sleeper") or draw.random() < 0.5]
everywhere += sum(world.get("shifts", {}).get(name, 0) for name in off)
everywhere += sum(percent for a, b, percent in world.get("together", []) if (a in off) != (b in off))
if os.environ.get("ASCEND_RT_VISIBLE_DEVICES") == world.get("bad_device", "none"): everywhere += 3
if "--reference" in sys.argv: causes, everywhere = [], 0
active = [(name, percent) for *members, percent in causes for name in ["+".join(members)] if not off & set(members)
          and not (world.get("beside") and name in world["beside"] and world["beside"][name] not in off)]
total = sum(percent for _, percent in active) + everywhere
rounding = random.Random(f"{sorted(off)} {os.environ.get('PERTURB')} {'--reference' in sys.argv}")
drift = rounding.gauss(0, 1)
unit = 1e-4 if world.get("coarse") and os.environ.get("PERTURB") in ("5", "6", "7") else 1e-7
everywhere += world.get("noise", 0) * random.Random(f"{world['seed']} {seen} {os.environ.get('PERTURB')} {sys.argv[1:]}").gauss(0, 1)
for step in range(1, STEPS + 1):
    shape = [random.Random(f"{name} {step}").uniform(0.5, 1.5) if step <= 12 else 1 for name, _ in active]
    percent = sum(part * each for part, (_, each) in zip(shape, active)) * (step > world.get("begins", 0)) + everywhere
    if world["goal"] == "runs" and step == 20 and total: sys.exit("no kernel")
    print(f"step {step} loss {3 / (1 + step / 20) * (1 + percent / 100 + unit * (step if unit == 1e-7 else 10) * drift + unit * rounding.gauss(0, 1)):.{world.get('digits', 9)}f}", flush=True)
""".replace("STEPS", str(STEPS))


def some(draw, count, *, goal="curve"):
    """A world with `count` planted causes that each fail alone."""
    suspects = [f"op{i}" for i in range(draw.choice((6, 8, 12, 16)))]
    causes = [[name, draw.choice((-1, 1)) * draw.uniform(2, 5)] for name in draw.sample(suspects, count)]
    return {"suspects": suspects, "causes": causes, "late": causes, "late_everywhere": 0, "goal": goal,
            "devices": draw.choice((1, 1, 2, 4))}


def ordinary(draw):
    return some(draw, draw.choice((1, 1, 2, 3)))


def ordinary_runs(draw):
    return some(draw, draw.choice((1, 1, 2)), goal="runs")


def pair(draw):
    world = some(draw, 0)
    world["causes"] = world["late"] = [[*draw.sample(world["suspects"], 2), 3]]
    return world


def device_cancels(draw):
    world = some(draw, 1)
    return world | {"changes_at": draw.randint(4, 14), "late_everywhere": -world["causes"][0][1]}


def device_goes_bad(draw):
    return some(draw, draw.choice((1, 2))) | {"changes_at": draw.randint(4, 14), "late_everywhere": 3}


def one_device_goes_bad(draw):
    return some(draw, draw.choice((1, 2))) | {"devices": 2, "device": "1", "changes_at": draw.randint(4, 14), "late_everywhere": 3}


def heals(draw):
    return some(draw, draw.choice((1, 2))) | {"changes_at": draw.randint(3, 14), "late": []}


def moves(draw):
    world = some(draw, 2)
    first, second = world["causes"]
    return world | {"causes": [first], "late": [second], "changes_at": draw.randint(4, 14)}


def one_of_two_heals(draw):
    world = some(draw, 2)
    return world | {"late": world["causes"][:1], "changes_at": draw.randint(4, 14)}


def glitches(draw):
    return some(draw, draw.choice((1, 2))) | {"glitches": draw.uniform(0.03, 0.2), "glitch": draw.choice((-3, 3))}


def sleeps(draw):
    """The fault is not there in some runs."""
    return some(draw, draw.choice((1, 2))) | {"sleeps": draw.uniform(0.03, 0.2)}


def beside(draw):
    """An innocent that is wrong only while its neighbour is neutralised."""
    world = some(draw, 2)
    (innocent, _), (guilty, _) = world["causes"]
    neighbour = draw.choice([name for name in world["suspects"] if name not in (innocent, guilty)])
    return world | {"beside": {innocent: neighbour}}


def runs_heals(draw):
    return some(draw, draw.choice((1, 2)), goal="runs") | {"changes_at": draw.randint(2, 10), "late": []}


def runs_glitches(draw):
    return some(draw, 1, goal="runs") | {"glitches": draw.uniform(0.03, 0.2), "glitch": 1}


def runs_sometimes(draw):
    """The fault is there in 30 % of runs."""
    return some(draw, 1, goal="runs") | {"sleeps": 0.7}


def runs_beside(draw):
    return beside(draw) | {"goal": "runs"}


def two_pairs(draw):
    world = some(draw, 0) | {"devices": 32}
    members = draw.sample(world["suspects"], 4)
    world["causes"] = world["late"] = [[*members[:2], 3], [*members[2:], -2]]
    return world


def triple(draw):
    world = some(draw, 0)
    world["causes"] = world["late"] = [[*draw.sample(world["suspects"], 3), 3]]
    return world


def begins_late(draw):
    """Far off only from the middle on, which is told from rounding by coarsely perturbed runs of the reference."""
    return some(draw, draw.choice((1, 2))) | {"begins": 30, "coarse": True}


def few_digits(draw):
    return some(draw, draw.choice((1, 2))) | {"digits": 3}


def near_the_target(draw):
    """The target is 0.5 %."""
    world = some(draw, draw.choice((1, 2)))
    for cause in world["causes"]:
        cause[-1] = draw.uniform(0.55, 0.9)
    return world


def crashes(draw):
    """A fifth of the runs break, and whatever neutralises one of two innocents."""
    world = some(draw, draw.choice((1, 2)))
    guilty = [name for name, _ in world["causes"]]
    return world | {"breaks": 0.2, "needed": draw.sample([name for name in world["suspects"] if name not in guilty], 2)}


def one_sleeps(draw):
    """Of two faults one is there in half of the runs."""
    world = some(draw, 2)
    return world | {"sleeper": world["causes"][1][:-1]}


def bad_card(draw):
    """One of four devices is always wrong, beside one fault."""
    return some(draw, 1) | {"devices": 4, "bad_device": "2"}


def bad_card_of_two(draw):
    return some(draw, draw.choice((1, 2))) | {"devices": 2, "bad_device": "1"}


def only_a_bad_card(draw):
    return some(draw, 0) | {"devices": 4, "bad_device": "2"}


def replacement_makes_up(draw):
    """The replacement of an innocent is as wrong as the fault, the other way."""
    world = some(draw, 1)
    (guilty, percent), = world["causes"]
    return world | {"shifts": {draw.choice([name for name in world["suspects"] if name != guilty]): -percent}}


def makes_up_for_one_of_two(draw):
    world = some(draw, 2)
    guilty = [name for name, _ in world["causes"]]
    innocent = draw.choice([name for name in world["suspects"] if name not in guilty])
    return world | {"shifts": {innocent: -world["causes"][0][-1]}}


def two_make_up(draw):
    """The replacements of two innocents are each half as wrong as the fault, the other way."""
    world = some(draw, 1)
    (guilty, percent), = world["causes"]
    innocents = draw.sample([name for name in world["suspects"] if name != guilty], 2)
    return world | {"shifts": {name: -percent / 2 for name in innocents}}


def must_move_together(draw):
    """Two innocents do harm where only one of them is neutralised."""
    world = some(draw, draw.choice((1, 2)))
    guilty = [name for name, _ in world["causes"]]
    innocents = draw.sample([name for name in world["suspects"] if name not in guilty], 2)
    return world | {"together": [[*innocents, draw.choice((-1, 1)) * draw.uniform(2, 5)]]}


def culprit_moves_together(draw):
    """The same of the culprit and an innocent, so that both make up the smallest fix: "right" names the culprit alone."""
    world = some(draw, 1)
    (guilty, _), = world["causes"]
    innocent = draw.choice([name for name in world["suspects"] if name != guilty])
    return world | {"together": [[guilty, innocent, draw.choice((-1, 1)) * draw.uniform(2, 5)]]}


def replacement_does_harm(draw):
    world = pair(draw) if draw.random() < 0.5 else some(draw, 1)
    guilty = [name for *members, _ in world["causes"] for name in members]
    innocent = draw.choice([name for name in world["suspects"] if name not in guilty])
    return world | {"shifts": {innocent: draw.choice((-1, 1)) * draw.uniform(1, 4)}}


def two_replacements_do_harm(draw):
    world = some(draw, 2)
    guilty = [name for name, _ in world["causes"]]
    innocents = draw.sample([name for name in world["suspects"] if name not in guilty], 2)
    return world | {"shifts": {name: draw.choice((-1, 1)) * draw.uniform(1, 4) for name in innocents}}


def replacements_shift(draw):
    """Each replacement differs, by less than the target."""
    world = some(draw, 1)
    return world | {"shifts": {name: draw.uniform(-0.3, 0.3) for name in world["suspects"]}}


def only_replacements_shift(draw):
    """The same, by up to the target, where the fault is none of the suspects."""
    world = some(draw, 0) | {"late_everywhere": 1.5, "changes_at": 0}
    return world | {"shifts": {name: draw.uniform(-0.5, 0.5) for name in world["suspects"]}}


WORLDS = [ordinary, ordinary_runs, pair, device_cancels, device_goes_bad, one_device_goes_bad, heals, moves, one_of_two_heals, glitches,
          sleeps, beside, runs_heals, runs_glitches, runs_sometimes, runs_beside, two_pairs, triple, begins_late,
          few_digits, near_the_target, crashes, one_sleeps, bad_card, bad_card_of_two, only_a_bad_card, replacement_makes_up, makes_up_for_one_of_two,
          two_make_up, must_move_together, culprit_moves_together, replacement_does_harm, two_replacements_do_harm, replacements_shift,
          only_replacements_shift]


def planted(world):
    """The members of the causes; of those that are there only beside others, none."""
    return {name for *members, _ in world["causes"] + world["late"] for name in members if name not in world.get("beside", {})}


def experiment(world, seed):
    runs = world["goal"] == "runs"
    side = f"command: [{sys.executable}, -I, -S, train.py"
    reference = "" if runs else f"reference: {{{side}, --reference], repeats: {8 if 'coarse' in world else 5}, perturb: {{environment: PERTURB}}}}"
    return textwrap.dedent(f"""\
        version: 1
        name: world
        {reference}
        subject:
          {side}]
          devices: {{kind: npu, ids: {list(range(world['devices']))}}}
          {"" if runs else "perturb: {environment: PERTURB}"}
        steps: {STEPS}
        metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
        {"accept: {goal: runs}" if runs else ""}
        families: {{ops: {{kind: list, deliver: {{environment: OFF, separator: ","}}}}}}
        suspects: {{ops: [{", ".join(world["suspects"])}]}}
        search: {{seed: {seed}, budget: {{trials: 150}}{"" if runs or seed % 2 else ", signature_steps: 0"}}}
        """)


def play(folder, make, seed):
    """(what it came to, trials of the search, controls)"""
    world = make(random.Random(f"{make.__name__} {seed}")) | {"seed": seed}
    (folder / "world.json").write_text(json.dumps(world))
    (folder / "train.py").write_text(TRAIN)
    (folder / "experiment.yaml").write_text(experiment(world, seed))
    done = subprocess.run([BISECTD, "run", "experiment.yaml", "--quiet", "--new"], cwd=folder, capture_output=True, text=True)
    report = json.loads((folder / "bisectd-out/latest/report.json").read_text())
    roles = [trial["role"] for trial in report["trial_list"]]
    controls = roles.count("control")
    searched = sum(role not in ("reference", "as-is", "control") for role in roles)
    named = {member["name"] for cause in report["causes"] for member in cause} | {member["name"] for member in report["culprit_set"]}
    outcome = report["outcome"]
    if done.returncode not in (0, 1, 3):
        outcome = f"exit {done.returncode}"
    if outcome == "culprits":
        outcome = "right" if named == planted(world) else "wrong"
        # What healed or moved away, or was not there yet, cannot all be named, nor what stays active beside a replacement that
        # does harm; what is named must have been there.
        if outcome == "wrong" and {"changes_at", "sleeper", "shifts"} & set(world) and named and named <= planted(world):
            outcome = "a part"
        innocent = named - planted(world)
        if planted(world) < named and len(innocent) == 1 and "may be right in themselves" in report["explanation"]:
            outcome = "doubted"
    return outcome, searched, controls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("world", nargs="*", help="all of them without one: " + " ".join(make.__name__ for make in WORLDS))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=1)
    wanted = parser.parse_args()
    print(f"{'':<22}{'right':>6}{'part':>6}{'doubted':>9}{'undecided':>10}{'aligned':>9}{'outside':>9}{'wrong':>7}{'trials':>8}{'controls':>9}")
    for make in WORLDS:
        if wanted.world and make.__name__ not in wanted.world:
            continue
        games = {}
        for seed in range(wanted.first_seed, wanted.first_seed + wanted.seeds):
            with tempfile.TemporaryDirectory() as folder:
                games[seed] = play(pathlib.Path(folder), make, seed)
        count = lambda outcome: sum(game[0] == outcome for game in games.values())
        wrong = [seed for seed, game in games.items() if game[0] == "wrong"]
        odd = {game[0] for game in games.values()} - {"right", "a part", "doubted", "inconclusive", "aligned", "outside_suspects", "wrong"}
        print(f"{make.__name__:<22}{count('right'):>6}{count('a part'):>6}{count('doubted'):>9}{count('inconclusive'):>10}{count('aligned'):>9}"
              f"{count('outside_suspects'):>9}{count('wrong'):>7}{sum(game[1] for game in games.values()) / len(games):>8.1f}"
              f"{sum(game[2] for game in games.values()) / len(games):>9.1f}  {wrong or ''} {odd or ''}", flush=True)


if __name__ == "__main__":
    main()
