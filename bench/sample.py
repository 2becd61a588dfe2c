#!/usr/bin/env python3
"""Compares the counters of a sample with those of the whole launch: runs `haul profile --json` with and without
--sample, and prints the counters of the first launch that differ by more than 0.1 %, and host seconds.

usage: sample.py HAUL BLOCKS[,BLOCKS...] ARGUMENT... (of haul profile)
"""
import json
import subprocess
import sys
import time


def profile(haul, arguments):
    """The JSON of the first launch, and the seconds that the command took."""
    began = time.monotonic()
    ran = subprocess.run([haul, "profile", "--json", *arguments], capture_output=True, text=True, check=True)
    seconds = time.monotonic() - began
    lines = (ran.stdout + ran.stderr).splitlines()
    return next(l for l in map(json.loads, (l for l in lines if l.startswith("{"))) if "counters" in l), seconds


def main():
    haul, blocks, arguments = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
    whole, seconds = profile(haul, arguments)
    samples = [profile(haul, ["--sample", b, *arguments]) for b in blocks]
    print("counter".ljust(60), "whole".rjust(14), *(f"sample {b}".rjust(14) for b in blocks))
    rows = {**whole["counters"], "estimate_us": whole["estimate_us"]}
    same = 0
    for name, value in rows.items():
        if not isinstance(value, (int, float)):
            continue
        got = [{**s["counters"], "estimate_us": s["estimate_us"]}[name] for s, _ in samples]
        if all(abs(g - value) <= 0.001 * abs(value) for g in got):
            same += value != 0
            continue
        off = [f"{100 * (g / value - 1):+.1f} %" if value else f"{g}" for g in got]
        print(name.ljust(60), f"{value:14.0f}", *(o.rjust(14) for o in off))
    print(f"{same} others that are not zero agree to 0.1 %")
    print("host seconds".ljust(60), f"{seconds:14.1f}", *(f"{s:14.1f}" for _, s in samples))


main()
