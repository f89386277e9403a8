#!/usr/bin/env python3
"""Compares the steps of `gpuplan --replay` with those of the engines' own schedulers.

  GPUPLAN_ENGINES=DIR tests/engines/steps.py [--traces N] [--seed N] [--only NAME] [-v]

DIR holds the engines' Python sources, unpacked from their wheels, one folder a version
(DIR/vllm-0.33.0/vllm, DIR/sglang-0.5.23/sglang). Their schedulers run on the CPU, with a stub in
the place of the model, over random traces; tests/replay_steps packs the same traces by the rules
of src/plan/replay/. Each step must be the same: who computes how many tokens of its prompt, how
many decode, who is preempted. Not part of make check.
"""

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

# Blocks of a group of a prompt's tokens: the replay keeps a group as one item.
GROUPS = [1]
# Share of traces whose requests have priorities.
PRIORITIES = [0.4]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def version_of(name):
    return tuple(int(part) for part in name.split("-")[1].split(".") if part.isdigit())


def vllm_rules(rng, version):
    block = rng.choice([16, 16, 16, 8, 32])
    return {
        "scheduler": "vllm", "block": block, "budget": rng.choice([64, 256, 512, 2048, 8192]),
        "slots": rng.choice([2, 4, 8, 32, 256]), "caches": int(rng.random() < 0.7),
        "threshold": rng.choice([0, 0, 0, 40, 200]),
        "overlap": int(version >= (0, 14) and rng.random() < 0.5),
        "whole_prompt": int(version >= (0, 20) and rng.random() < 0.7),
        "lone": int(version >= (0, 33)), "in_turn": int(version < (0, 23)),
        "priority": (version >= (0, 11)) * (1 + (version >= (0, 14)) + (version >= (0, 33)))
        * (rng.random() < PRIORITIES[0]),
    }


def sglang_rules(rng, version):
    return {
        "scheduler": "sglang", "block": rng.choice([1, 1, 1, 16]),
        "budget": rng.choice([64, 256, 512, 2048, 8192]), "input": rng.choice([512, 16384]),
        "slots": rng.choice([2, 4, 8, 32, 256]), "caches": int(rng.random() < 0.5),
        "overlap": int(rng.random() < 0.5), "ratio": rng.choice([0.7, 0.7, 0.3, 1.0]),
        "ratio_least": 0.098, "ratio_step": 0.00100333,
        "late": int(version < (0, 5, 23)), "bare": int(version < (0, 5, 20)),
        "priority": (4 + (version >= (0, 5, 9))) * (rng.random() < PRIORITIES[0]),
        "high_first": int(rng.random() < 0.7),
    }


def trace_of(rng, rules):
    """A trace, and a pool that is ample, tight or hardly enough for it."""
    group = rules["block"] * rng.choice(GROUPS)
    prefixes = rng.choice([0, 0, 1, 3])
    most = rng.choice([20, 100, 400, 1500])
    output = rng.choice([1, 4, 20, 60])
    gap = rng.choice([0, 0.3, 1, 4])
    at, rows = 0.0, []
    prefix = [[1000 * p + i + 1 for i in range(rng.randint(1, 6))] for p in range(prefixes)]
    for number in range(rng.randint(3, 40)):
        row = {"arrival": at, "prompt": rng.randint(1, most), "output": rng.randint(1, output)}
        if prefixes and rng.random() < 0.8:
            hashes = prefix[rng.randrange(prefixes)]
            hashes = hashes[: rng.randint(1, len(hashes))]
            row["prompt"] += group * len(hashes)
            row["hash_ids"] = hashes + [100000 + number] * (rng.random() < 0.3) * \
                (row["prompt"] >= group * (len(hashes) + 1))
            row["hash_tokens"] = group
        rows.append(row)
        at += rng.expovariate(1 / gap) if gap else 0
        at = round(at, 3)
    if rules["priority"]:
        values = rng.choice([[0, 1], [0, 20], [-30, 0, 4, 15, 40], [1, 2, 3]])
        for row in rows:
            if rng.random() < 0.9:
                row["priority"] = rng.choice(values)
    longest = max(row["prompt"] + row["output"] for row in rows)
    need = -(-longest // rules["block"]) + 1
    # a page more for each: SGLang keeps one in hand
    rules["blocks"] = need + int(need * rng.choice([0.0, 0.3, 1, 3, 50])) + 2
    rules["context"] = longest + 8
    return rows, group


def tokens_of(row, number, group):
    tokens = []
    for i in row.get("hash_ids", []):
        tokens += [(i << 12) + k for k in range(group)]
    return tokens + [((1 << 30) + (number << 16)) + k for k in range(row["prompt"] - len(tokens))]


def ours_of(binary, rows, rules):
    keys = [f"{key}={value}" for key, value in rules.items()]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for row in rows:
            file.write(json.dumps(dict(row, max_tokens=row["output"])) + "\n")
        file.flush()
        out = subprocess.run([binary, file.name] + keys, capture_output=True, text=True)
    if out.returncode:
        raise RuntimeError(out.stderr)
    for line in out.stdout.splitlines()[:-1]:
        step = json.loads(line)
        yield (step["start"], step["decodes"],
               {int(k): v for k, v in step["prefill"].items()}, step["preempted"])


def same(a, b):
    return (abs(a[0] - b[0]) < 1e-3 and a[1] == b[1] and a[2] == b[2]
            and sorted(a[3]) == sorted(b[3]))


def compare(engine, version, steps, binary, seed, verbose):
    """Steps of the engine; where the first difference is, or None; of how many per cent the times
    of all steps differ; whether prompts are cached."""
    rng = random.Random(seed)
    rules = (vllm_rules if engine == "vllm" else sglang_rules)(rng, version)
    rows, group = trace_of(rng, rules)
    trace = [dict(row, tokens=tokens_of(row, n, group), most=row["output"])
             for n, row in enumerate(rows)]
    real, ours = [], list(ours_of(binary, rows, rules))
    try:
        for step in steps(trace, rules):
            real.append(step)
    except RuntimeError as error:
        if "ut of memory" not in str(error) and "the engine ends" not in str(error):
            raise
        ours = ours[: len(real)]  # the engine itself ends there
    longer = 100 * ((ours[-1][0] + 1) / (real[-1][0] + 1) - 1)
    for n, (a, b) in enumerate(itertools.zip_longest(real, ours)):
        if a is None or b is None or not same(a, b):
            where = f"seed {seed}, step {n}: engine {a}, replay {b}"
            if verbose:
                print(rules)
                for k, row in enumerate(rows):
                    print(k, row)
                for k in range(max(0, n - 9), n):
                    print(k, real[k])
            return len(real), where, longer, rules["caches"]
    return len(real), None, longer, rules["caches"]


def run(name, args):
    engine = name.split("-")[0]
    root = os.path.join(os.environ["GPUPLAN_ENGINES"], name)
    adapter = __import__(engine + "_steps")
    adapter.load(root)
    steps, longest, most = 0, [], {0: 0, 1: 0}
    for n in range(args.traces):
        count, where, longer, caches = compare(engine, version_of(name), adapter.steps,
                                               args.binary, args.seed + n, args.verbose)
        steps += count
        if where:
            most[caches] += 1
            longest.append(longer)
            if len(longest) <= args.most:
                print(f"{name}: {where}")
    print(f"{name}: {args.traces} traces, {steps} steps; {most[0]} traces differ without a prefix "
          f"cache, {most[1]} with one")
    if longest:
        print(f"{name}: to their end {min(longest):+.1f} to {max(longest):+.1f} %, in the mean "
              f"{sum(longest) / len(longest):+.2f} %")
    return len(longest)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--traces", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--priorities", type=float, default=PRIORITIES[0],
                        help="share of traces whose requests have priorities")
    parser.add_argument("--most", type=int, default=10, help="differences that are printed")
    parser.add_argument("--only", help="one folder of GPUPLAN_ENGINES")
    parser.add_argument("--binary", default=os.path.join(HERE, "..", "replay_steps"))
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    root = os.environ.get("GPUPLAN_ENGINES")
    if not root:
        print("skipped: GPUPLAN_ENGINES names no folder with engines' sources")
        return 0
    PRIORITIES[0] = args.priorities
    if args.only:
        return 1 if run(args.only, args) else 0
    failed = 0
    for name in sorted(os.listdir(root)):
        # each version in a process of its own: they have modules of the same names
        failed |= subprocess.run([sys.executable, __file__, "--only", name, "--traces",
                                  str(args.traces), "--seed", str(args.seed), "--most",
                                  str(args.most), "--priorities", str(args.priorities),
                                  "--binary", args.binary]).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
