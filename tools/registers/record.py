#!/usr/bin/env python3
"""Records the registers that an assembler gives the kernels of the project's PTX: runs `ptxas -v` on every PTX file of the
tree, for each architecture that the file's target allows, and prints a table. Needs ptxas of the CUDA toolkit (or what
PTXAS names). tests/data/registers/README.md describes the columns.

usage: record.py [--root FOLDER] >tests/data/registers/ptxas.tsv
       record.py [--root FOLDER] FILE.ptx ... >tests/data/registers/programs.tsv
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARCHITECTURES = (80, 89, 90, 100)
PLACES = ("kernels", "tests", "examples", "exercises", "bench")
APART = "tests/data/registers/" # kernels that have tables of their own
COLUMNS = ("file", "kernel", "sm", "registers", "spill_stores", "spill_loads", "stack", "shared", "barriers")


def architectures(source):
    """The arguments of -arch that the target allows: `sm_90a` is for itself alone."""
    target = re.search(r"^\s*\.target\s+sm_(\d+)([af]?)", source, re.M)
    if not target:
        return []
    if target[2]:
        return [(int(target[1]), f"sm_{target[1]}{target[2]}")] if int(target[1]) in ARCHITECTURES else []
    return [(sm, f"sm_{sm}") for sm in ARCHITECTURES if sm >= int(target[1])]


def number(pattern, line):
    found = re.search(pattern, line)
    return int(found[1]) if found else 0


def read_report(said):
    """Yields a row for each kernel: name, and the figures of COLUMNS from `registers` on."""
    kernel, row = None, None
    for line in said.splitlines():
        entry = re.search(r"Compiling entry function '([^']+)'", line)
        if entry:
            kernel, row = entry[1], [0, 0, 0]
        elif kernel and "bytes spill stores" in line:
            row[0] += number(r"(\d+) bytes spill stores", line)
            row[1] += number(r"(\d+) bytes spill loads", line)
            row[2] += number(r"(\d+) bytes stack frame", line)
        elif kernel and (used := re.search(r"Used (\d+) registers", line)):
            yield [kernel, int(used[1]), *row, number(r"(\d+) bytes smem", line), number(r"used (\d+) barriers", line)]
            kernel = None


def assemble(task):
    """Rows of a file for one architecture; none if the assembler refuses it."""
    path, name, sm, arch, debug = task
    with tempfile.TemporaryDirectory() as folder:
        command = [os.environ.get("PTXAS", "ptxas"), f"-arch={arch}", "-v", str(path), "-o", f"{folder}/cubin"]
        done = subprocess.run(command + (["-g"] if debug else []), capture_output=True, text=True)
    if done.returncode:
        return []
    return [[name, kernel, sm, *figures] for kernel, *figures in read_report(done.stderr + done.stdout)]


def tasks_of(root, paths):
    for path in paths:
        source = path.read_text(errors="replace")
        debug = bool(re.search(r"^\s*\.target\s+[^\n]*debug", source, re.M))
        for sm, arch in architectures(source):
            yield path, str(path.relative_to(root)), sm, arch, debug


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("--root", type=Path, default=ROOT)
    arguments.add_argument("files", nargs="*", type=Path)
    chosen = arguments.parse_args()
    root = chosen.root.resolve()
    paths = [p.resolve() for p in chosen.files]
    if not paths:
        paths = sorted(p for place in PLACES for p in (root / place).rglob("*.ptx")
                       if not p.is_relative_to(root / APART))
    print(*COLUMNS, sep="\t")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for rows in pool.map(assemble, tasks_of(root, paths)):
            for row in sorted(rows):
                print(*row, sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main())
