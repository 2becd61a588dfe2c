#!/usr/bin/env python3
"""Measures the cost of all checks of `haul check`, and their speed beside other checkers, in one run.

    checks.py BENCH_FOLDER [--repeat R] [--json FILE] [--page docs/check.md.in]

BENCH_FOLDER has bench_simulator and bench_opencl. Rates are of thread-instructions, by each program's own count: PTX's
here, LLVM's with Oclgrind, which runs the same kernel in OpenCL on less data: once as it comes (memory errors) and once
with --data-races --uninitialized; it is left out where it is not installed. GPU Ocelot can't be had any more: its rate
is the 30 million a second that was published. "memory": the peak of host memory with checks over that without, of the
program that runs the work (and those whose names begin like its own). --page: also writes times and memory into the
page, between its two marks."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess

from virtual import PEERS, saxpy_works, simulated

OCELOT = 30e6
WORKS = {
    **saxpy_works(1 << 15),
    "product 512": ("sgemm.cl", "sgemm_tiled", "64x64", "16x16", "buf:4096 buf:4096 buf:4096 i32:64"),
}
WAYS = {"Oclgrind": [], "Oclgrind, races": ["--data-races", "--uninitialized"]}


def peak(folder, work, *options):
    """The most host memory that bench_simulator holds for the work, in bytes."""
    command = [folder / "bench_simulator", "--repeat", "1", "--compiled", "--threads", "1", "--only", work, *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"bench_simulator --only '{work}' has failed")
    return used.ru_maxrss * 1024


def run(folder, work, options):
    file, kernel, items, group, arguments = WORKS[work]
    command = ["oclgrind", *options, folder / "bench_opencl", "--repeat", "1", PEERS / file, kernel, items, group,
               *arguments.split()]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def oclgrind(folder, work, options):
    """Instructions a second; None where it does not run."""
    counts = re.findall(r"^ *(\d+) - ", run(folder, work, ["--inst-counts"]), re.MULTILINE)
    timed = [line for line in run(folder, work, options).splitlines() if line.startswith("{")]
    return sum(map(int, counts)) / json.loads(timed[-1])["seconds"] if counts and timed else None


BEGIN, END = "<!-- cost: bench/checks.py -->\n", "<!-- end of cost -->\n"


def median(values):
    return sorted(values)[len(values) // 2]


def table_of(rows):
    times, memory = [[row[key] for row in rows] for key in ("checked_times", "memory_times")]
    few = sum(value <= 3 for value in times)
    lines = [f"Checked, {few} of {len(rows)} works take at most 3 times the unchecked time; the median is "
             f"{median(times):.1f} times, and {median(memory):.1f} times the memory.\n\n",
             "| work | times the time | times the memory |\n|---|--:|--:|\n"]
    lines += [f"| {row['work']} | {row['checked_times']:.1f} | {row['memory_times']:.1f} |\n" for row in rows]
    return "".join(lines)


def write_page(path, rows):
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    path.write_text(before + BEGIN + table_of(rows) + END + rest.split(END)[1], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    words = parser.parse_args()
    rows = simulated(words.folder, words.repeat, "--threads", "1", "--compiled")
    there = shutil.which("oclgrind") is not None
    if not there:
        print("Oclgrind is not installed: left out")
    print(f"{'work':20s} {'threads':>7s} {'G/s':>6s} {'checked':>8s} {'times':>6s} {'memory':>6s} {'Ocelot x':>9s}", end="")
    print("".join(f" {way + ', M/s':>21s} {'x':>6s}" for way in WAYS))
    for row in rows:
        rate = row["thread_instructions_per_second"]
        checked = row["checked"] = rate / row["checked_times"]
        memory = row["memory_times"] = peak(words.folder, row["work"]) / peak(words.folder, row["work"], "--unchecked")
        print(f"{row['work']:20s} {row['threads']:7d} {rate / 1e9:6.2f} {checked / 1e9:8.3f} "
              f"{row['checked_times']:6.2f} {memory:6.2f} {checked / OCELOT:9.0f}", end="")
        for way, options in WAYS.items():
            peer = oclgrind(words.folder, row["work"], options) if there and row["work"] in WORKS else None
            print(f" {peer / 1e6:21.2f} {checked / peer:6.0f}" if peer else f" {'-':>21s} {'-':>6s}", end="", flush=True)
            row[way] = peer
        print()
    if words.json:
        words.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    if words.page:
        write_page(words.page, rows)


if __name__ == "__main__":
    main()
