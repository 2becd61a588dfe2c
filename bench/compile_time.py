#!/usr/bin/env python3
"""Measures the time to compile kernels that include haul/device.h, beside the same kernels written by hand.

usage: bench/compile_time.py [--runs N] [--compilers LIST]      (default: 9 runs of whatever compilers there are)

The pairs are bench/compile_time/NAME_haul.cu and NAME_hand.cu. Runs of a pair take turns; times are of the processor (user
and system, all processes), which other work on the machine disturbs less than the clock on the wall. Prints Markdown.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "bench" / "compile_time"
ARCHITECTURES = ("sm_80", "sm_90")


def find_nvcc():
    return shutil.which("nvcc") or (os.path.exists("/usr/local/cuda/bin/nvcc") and "/usr/local/cuda/bin/nvcc")


def ways(compilers):
    """(name, function that makes a command of source, architecture and output)"""
    nvcc = find_nvcc()
    script = str(ROOT / "toolchain" / "cu2ptx")
    if nvcc and "nvcc" in compilers:
        include = f"-I{ROOT / 'include'}"
        for kind in ("-c", "-cubin"):
            yield f"nvcc {kind}", lambda s, a, o, kind=kind: [nvcc, "-O3", f"-arch={a}", include, kind, "-o", o, s]
    for clang in ("clang-14", "clang-19"):
        if shutil.which(clang) and clang in compilers:
            yield clang, lambda s, a, o, c=clang: [script, "--compiler", c, "--arch", a, s, "-o", o]


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(make, name, architecture, runs, output):
    """Median seconds of the pair, by hand and with haul, and the median of the ratios run by run."""
    commands = [make(str(FOLDER / f"{name}_{kind}.cu"), architecture, output) for kind in ("hand", "haul")]
    pairs = [[processor_seconds(c) for c in commands] for _ in range(runs + 1)][1:]  # the first fills caches
    hand, haul = (statistics.median(column) for column in zip(*pairs))
    return hand, haul, statistics.median(b / a for a, b in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--compilers", default="nvcc,clang-14,clang-19")
    options = parser.parse_args()
    names = sorted(path.name[: -len("_haul.cu")] for path in FOLDER.glob("*_haul.cu"))
    print("| compiler | architecture | kernel | by hand, s | with haul, s | ratio |")
    print("|---|---|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for way, make in ways(options.compilers.split(",")):
            for architecture in ARCHITECTURES:
                for name in names:
                    output = os.path.join(folder, "out.o")
                    hand, haul, ratio = measure(make, name, architecture, options.runs, output)
                    print(f"| {way} | {architecture} | {name} | {hand:.3f} | {haul:.3f} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
