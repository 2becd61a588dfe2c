#!/usr/bin/env python3
"""Compares the virtual GPU with PoCL, which runs the same kernels natively, and with Oclgrind, in one run.

    ratios.py BENCH_FOLDER [--repeat R] [--oclgrind] [--json FILE]

BENCH_FOLDER has bench_simulator and bench_opencl. A peer that is not there is left out. Oclgrind takes minutes."""
import argparse
import json
import pathlib
import shutil
import subprocess

from virtual import PEERS, saxpy_works, simulated

WORDS = 1 << 24
WORKS = {
    **saxpy_works(WORDS),
    "product 512": ("sgemm.cl", "sgemm_tiled", "512x512", "16x16", "buf:262144 buf:262144 buf:262144 i32:512"),
    "product 512, LDGSTS": ("simulator.cl", "product_staged", "2048x8", "256x1",
                            "buf:262144 buf:262144 buf:262144 i32:512"),
    "transpose 4096": ("simulator.cl", "transpose_padded", "4096x1024", "32x8", f"buf:{WORDS} buf:{WORDS} i32:4096"),
    "histogram 2^24": ("simulator.cl", "histogram_shared", "262144", "256", f"buf:{WORDS} buf:256 i32:{WORDS}"),
    "bitonic sort 2^20": ("simulator.cl", "bitonic_sort", "524288", "512", "buf:1048576"),
}


def opencl(folder, work, before, options):
    file, kernel, items, group, arguments = WORKS[work]
    command = [*before, folder / "bench_opencl", *options, PEERS / file, kernel, items, group, *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1])["seconds"] if done.returncode == 0 and lines else None


def times(peer, own):
    return f"{own / peer:8.2f}" if peer else "       -"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--oclgrind", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    words = parser.parse_args()
    own = {row["work"]: row for row in simulated(words.folder, words.repeat, "--unchecked")}
    oclgrind = shutil.which("oclgrind") if words.oclgrind else None
    print(f"{'work':20s} {'haul, s':>10s} {'G/s':>6s} {'PoCL, s':>10s} {'haul/PoCL':>10s} {'Oclgrind, s':>12s} "
          f"{'haul faster':>12s}")
    rows = []
    for work in WORKS:
        seconds = own[work]["seconds"]
        pocl = opencl(words.folder, work, [], ["--platform", "Portable", "--repeat", str(words.repeat)])
        grind = opencl(words.folder, work, [oclgrind], ["--repeat", "1"]) if oclgrind else None
        rate = own[work]["thread_instructions_per_second"] / 1e9
        print(f"{work:20s} {seconds:10.4f} {rate:6.2f} {pocl or 0:10.4f} {times(pocl, seconds):>10s} "
              f"{grind or 0:12.3f} {times(seconds, grind) if grind else '-':>12s}", flush=True)
        rows.append({"work": work, "haul": seconds, "rate": rate, "pocl": pocl, "oclgrind": grind})
    if words.json:
        words.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
