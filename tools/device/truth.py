#!/usr/bin/env python3
"""Records what a GPU counts: runs a program made of truth launches under Nsight Compute and writes one JSON line a launch.

usage: truth.py SOURCE.cu OUT.jsonl [--arch sm_90] [--repeats 2]

SOURCE.cu includes a launcher that prints each launch's line (tests/data/truth/truth.cuh explains the format). It is
compiled with nvcc, run once for outputs, and `repeats` times under ncu for the counters of include/haul/counters.def.
A counter that is the same in every repeat is a number, one that moves is [lowest, highest]. Needs a GPU, nvcc, ncu and
leave to read performance counters.
"""
import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def counters():
    """key -> ncu metric, from the one list of counters."""
    text = open(os.path.join(ROOT, "include/haul/counters.def")).read()
    rows = re.findall(r'^COUNTER\(\w+,\s*"([^"]+)",\s*"([^"]+)"', text, re.M)
    return {key: metric + ".sum" for key, metric in rows if not key.startswith("thread_")}


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit("%s: exit %d\n%s" % (command[0], done.returncode, (done.stderr + done.stdout)[-2000:]))
    return done.stdout


def known_metrics(metrics):
    """Those that this ncu offers for this chip; the others are named on stderr and left out."""
    offered = run(["ncu", "--query-metrics-mode", "all", "--query-metrics"])
    bases = set(re.findall(r"^\s*([a-z]\w*__\w+)", offered, re.M))
    known = [m for m in metrics if m.rsplit(".", 1)[0] in bases]
    for metric in sorted(set(metrics) - set(known)):
        print("not offered by ncu: %s" % metric, file=sys.stderr)
    return known


def number(text):
    value = float(text.replace(",", "") or "nan")
    return int(value) if value == int(value) else value


def profile(program, metrics):
    """One dictionary of metric -> value for each launch, in order."""
    out = run(["ncu", "--csv", "--page", "raw", "--clock-control", "none", "--print-units", "base", "--metrics",
               ",".join(metrics + ["launch__registers_per_thread"]), program])
    table = out[out.index('"ID"'):]
    rows = list(csv.DictReader(io.StringIO(table)))[1:]  # the first row has the units
    return [{m: number(r[m]) for m in r if m in metrics or m == "launch__registers_per_thread"} for r in rows]


def merge(values):
    return values[0] if min(values) == max(values) else [min(values), max(values)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("out")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--repeats", type=int, default=2)
    a = parser.parse_args()
    keys = counters()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        run(["nvcc", "-O3", "-arch=" + a.arch, a.source, "-o", program])
        lines = [json.loads(line) for line in run([program]).splitlines()]
        metrics = known_metrics(list(keys.values()))
        runs = [profile(program, metrics) for _ in range(a.repeats)]
    by_metric = {metric: key for key, metric in keys.items()}
    with open(a.out, "w") as out:
        for i, line in enumerate(lines):
            line["file"] = os.path.splitext(os.path.basename(a.source))[0]
            line["counters"] = {by_metric.get(m, m): merge([r[i][m] for r in runs]) for m in runs[0][i]}
            out.write(json.dumps(line, separators=(",", ":")) + "\n")
    print("%d launches, %d counters each" % (len(lines), len(metrics)))


main()
