#!/usr/bin/env python3
"""Compares the registers that haul estimates with ptxas's (tests/data/registers/ptxas.tsv): how many estimates
are within 4, the mean error, and how often the blocks of an SM are right. Needs neither ptxas nor a GPU.

usage: score.py BUILD [--record TABLE] [--root FOLDER] [--rows | --json | --at-least GROUP:CLOSE:RIGHT ...]
"""
import argparse
import json
import subprocess
import sys
import zlib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "data" / "registers" / "ptxas.tsv"
CLOSE = 4
BLOCK_SIZES = (128, 256, 512, 1024)
WARPS_OF = {80: 64, 89: 48, 90: 64, 100: 64}
BLOCKS_OF = {80: 32, 89: 24, 90: 32, 100: 32}


def is_held_out(kernel):
    """A third of the kernels, by a hash of the name, took no part in making the model."""
    return zlib.crc32(kernel.encode()) % 3 == 0


def blocks(sm, registers, threads):
    """The blocks of an SM that registers, warps and block slots allow."""
    warps = threads // 32
    by_registers = 16384 // (-(-registers * 32 // 256) * 256) * 4 // warps
    return min(by_registers, WARPS_OF[sm] // warps, BLOCKS_OF[sm])


def class_of(file):
    """The compiler that made the PTX."""
    name = file.split("/")[-1]
    if "numba" in file or "triton" in file:
        return "Triton, Numba"
    if "debug" in name or "-O0" in name:
        return "not optimised"
    return "nvcc, clang"


def read_record(path):
    lines = path.read_text().splitlines()
    columns = lines[0].split("\t")
    return [dict(zip(columns, line.split("\t"))) for line in lines[1:]]


def estimate(build, root, rows):
    """Registers by file, kernel and architecture."""
    files = sorted({row["file"] for row in rows})
    done = subprocess.run([f"{build}/tools/haul_estimate_registers", *files], cwd=root, capture_output=True, text=True)
    if done.stderr:
        print(done.stderr[:2000], file=sys.stderr)
    found = {}
    for line in done.stdout.splitlines():
        file, kernel, *registers = line.split("\t")
        for pair in registers:
            sm, count, spilled = pair.split(":")
            found[file, kernel, int(sm)] = int(count)
    return found


def score(pairs):
    """Scores rows of (sm, registers, estimate)."""
    close = sum(abs(e - r) <= CLOSE for _, r, e in pairs)
    right = sum(blocks(sm, r, t) == blocks(sm, e, t) for sm, r, e in pairs for t in BLOCK_SIZES)
    return {"kernels": len(pairs), "close": close, "error": sum(abs(e - r) for _, r, e in pairs) / len(pairs),
            "bias": sum(e - r for _, r, e in pairs) / len(pairs), "occupancies": len(BLOCK_SIZES) * len(pairs),
            "right": right}


def say(name, s):
    print(f"{name:28} {s['kernels']:6}  within {CLOSE}: {100 * s['close'] / s['kernels']:5.1f} %  mean error "
          f"{s['error']:5.2f}  bias {s['bias']:+6.2f}  occupancy {100 * s['right'] / s['occupancies']:5.1f} %")


def is_below(groups, limit):
    """Whether a group misses its limit, which is said then."""
    name, *percents = limit.split(":")
    close, right = (float(p) for p in percents)
    s = score(groups[name])
    if 100 * s["close"] >= close * s["kernels"] and 100 * s["right"] >= right * s["occupancies"]:
        return False
    print(f"below {close:g} % close, {right:g} % right:")
    say(name, s)
    return True


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("build")
    arguments.add_argument("--record", type=Path, default=RECORD)
    arguments.add_argument("--root", type=Path, default=ROOT)
    arguments.add_argument("--rows", action="store_true")
    arguments.add_argument("--json", action="store_true")
    arguments.add_argument("--at-least", nargs="+", metavar="GROUP:CLOSE:RIGHT", default=[],
                           help="fail if a group has fewer percent of close estimates, or of right occupancies")
    chosen = arguments.parse_args()
    rows = read_record(chosen.record)
    found = estimate(Path(chosen.build).resolve(), chosen.root, rows)
    groups = defaultdict(list)
    missing = 0
    for row in rows:
        sm, registers = int(row["sm"]), int(row["registers"])
        guess = found.get((row["file"], row["kernel"], sm))
        if guess is None:
            missing += 1
            continue
        held = is_held_out(row["kernel"])
        pair = (sm, registers, guess)
        for name in ("all", "held out" if held else "tuned on", class_of(row["file"]), f"sm_{sm}",
                     "above 40 registers" if registers > 40 else "up to 40 registers"):
            groups[name].append(pair)
        if chosen.rows:
            print(row["file"], row["kernel"], sm, registers, guess, "held" if held else "tuned", sep="\t")
    if chosen.json:
        print(json.dumps({name: score(pairs) for name, pairs in groups.items()}))
    elif not chosen.rows:
        for name in sorted(groups):
            say(name, score(groups[name]))
        if missing:
            print(f"{missing} without an estimate")
    return 1 if any([is_below(groups, limit) for limit in chosen.at_least]) or missing and chosen.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
