#!/usr/bin/env python3
"""Writes runs of the device benchmark as tables in Markdown: each candidate's ratios, lowest to highest over the runs.

usage: bench-table.py RUN.json...

Each RUN.json was written by `bench_device --json`. The rate is the median over the runs of each run's median.
"""
import json
import statistics
import sys


def rows(runs):
    """case -> candidate -> its rows, one a run."""
    found = {}
    for run in runs:
        for row in run["results"]:
            found.setdefault(row["case"], {}).setdefault(row["candidate"], []).append(row)
    return found


def span(values):
    low, high = f"{min(values):.3f}", f"{max(values):.3f}"
    return low if low == high else f"{low}–{high}"


def table(case, candidates):
    references = [key for key in next(iter(candidates.values()))[0] if key.startswith("of_")]
    rate = {name: statistics.median(r["gbps"] for r in of) for name, of in candidates.items()}
    yield f"### {case}\n"
    yield "| candidate | us | GB/s | " + " | ".join("of " + key[3:] for key in references) + " |"
    yield "|---|--:|--:|" + "--:|" * len(references)
    for name in sorted(rate, key=rate.get, reverse=True):
        of = candidates[name]
        us = statistics.median(r["us"] for r in of)
        ratios = " | ".join(span([r[key] for r in of]) for key in references)
        yield f"| {name} | {us:.1f} | {rate[name]:.0f} | {ratios} |"
    yield ""


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    runs = [json.load(open(name)) for name in sys.argv[1:]]
    for case, candidates in rows(runs).items():
        print("\n".join(table(case, candidates)))


if __name__ == "__main__":
    main()
