#!/usr/bin/env python3
"""`haul check` on the right kernels by others' compilers and libraries that this tree has, and what it finds.

    tree.py HAUL FOLDER [--page docs/check.md.in] [--seconds S]

Checks the recorded launches of tests/data/generators (Triton, Numba) and, where nvcc is installed, the programs of
tests/programs and algorithms.cu with CUB, Thrust and cooperative groups, which are compiled into FOLDER unless they are there. Prints a
table and each kind of finding once for its kernel. --page: also writes the table into the page, between its two marks.
check.sh does the same for frameworks that are installed."""
import argparse
import collections
import json
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
RECORDED = ROOT / "tests/data/generators"
PROGRAMS = {"tests/programs/sorting": [], "tests/programs/selecting": [], "tests/programs/containers": ["--extended-lambda"],
            "tests/programs/products": [], "tests/programs/solvers": [], "tests/frameworks/corpus/algorithms": []}
BEGIN, END = "<!-- corpus: tests/frameworks/corpus/tree.py -->\n", "<!-- end of corpus -->\n"
GRADES = ("error", "warning", "advice")


def check(haul, folder, seconds, *what):
    """The lines of `haul check --json`; an exit status other than 0 and 1 is an error of the run."""
    out = folder / "found.jsonl"
    command = [haul, "check", "--json", *(["--out", out] if what[0] == "--" else []), *what]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, cwd=ROOT)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr}")
    text = out.read_text(encoding="utf-8") if what[0] == "--" else done.stdout
    return [json.loads(line) for line in text.splitlines()]


def compiled(source, folder, flags):
    program = folder / pathlib.Path(source).name
    ptx = ["-gencode", "arch=compute_90,code=compute_90"]
    if not program.exists():
        subprocess.run(["nvcc", "-std=c++17", *flags, *ptx, "-o", program, ROOT / f"{source}.cu"],
                       check=True)
    return program


def count(lines):
    row, kinds = collections.Counter(), collections.Counter()
    row["kernels"] = len({line["kernel"] for line in lines if "kernel" in line})
    for line in lines:
        if "kernel" not in line:
            row["calls"] += 1
            continue
        row["launches"] += 1
        for finding in line["findings"]:
            row[finding["grade"]] += 1
            kinds[finding["grade"], finding["kind"], line["kernel"]] += 1
    return row, kinds


def table_of(rows):
    lines = ["| what | launches | kernels | errors | warnings | advice |\n|---|--:|--:|--:|--:|--:|\n"]
    for name, row in rows:
        lines.append(f"| {name} | {row['launches']} | {row['kernels']} | " + " | ".join(str(row[g]) for g in GRADES) + " |\n")
    return "".join(lines)


def write_page(path, table):
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    path.write_text(before + BEGIN + table + END + rest.split(END)[1], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("haul", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=600)
    words = parser.parse_args()
    haul, folder = words.haul.resolve(), words.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    runs = [(f"{path.stem}, recorded", [path, "--device", "sim:h200"]) for path in sorted(RECORDED.glob("*.jsonl"))]
    if shutil.which("nvcc"):
        runs += [(f"{pathlib.Path(source).name}, compiled", ["--", compiled(source, folder, flags)]) for source, flags in PROGRAMS.items()]
    else:
        print("nvcc is not installed: programs are left out")
    rows, total = [], collections.Counter()
    for name, what in runs:
        row, kinds = count(check(haul, folder, words.seconds, *what))
        rows.append((name, row))
        total += row
        for key, number in kinds.items():
            print(name, *key, number)
    rows.append(("all", total))
    table = table_of(rows)
    print(table, end="")
    if words.page:
        write_page(words.page, table)


if __name__ == "__main__":
    main()
