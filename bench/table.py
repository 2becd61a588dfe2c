#!/usr/bin/env python3
"""Writes runs of `haul bench` as Markdown: ratios beside their goals, all ratios, all times.

usage: bench/table.py [--short] RUN.json...

Each RUN.json is the bench.json of `haul bench --out DIR`, or what `haul bench --json` printed; several runs of the same rows on
the same machine show how far processes differ. A number is the median over the runs of each run's median; behind a
ratio stand the lowest and the highest of the runs' medians. --short: one table, a line a row.
"""
import json
import re
import statistics
import sys


def tables_of(run):
    return {t["name"]: t["rows"] for s in run["sections"] for t in s["tables"]}


def merged(runs, table, keys):
    """Rows of all runs by the values of `keys`, in the order of the first run."""
    found = {}
    for run in runs:
        for row in tables_of(run)[table]:
            found.setdefault(tuple(row.get(k, "") for k in keys), []).append(row)
    return found


def middle(rows, key):
    values = [row[key] for row in rows if row.get(key) is not None]
    return statistics.median(values) if values else None


def ends(rows, key):
    low, high = (f"{f(row[key] for row in rows):.3f}" for f in (min, max))
    return low if low == high else f"{low}–{high}"


def number(value, digits):
    return "–" if value is None else f"{value:,.{digits}f}"


def line(*cells):
    return "| " + " | ".join(cells) + " |"


def wanted_rows(ratios):
    """One line for each ratio that is wanted."""
    yield line("work", "haul's form", "against", "wanted", "reached", "runs", "")
    yield "|---|---|---|--:|--:|--:|---|"
    for (row, work, form, against), rows in ratios.items():
        wanted = rows[0].get("wanted")
        if wanted is None:
            continue
        ratio = middle(rows, "ratio")
        if ratio is None:
            yield line(work, form, against, f"{wanted:.2f}", "–", "–", "not measured")
            continue
        judged = "reached" in rows[0]
        shown = f"**{ratio:.3f}**" if judged and ratio < wanted else f"{ratio:.3f}"
        verdict = ("yes" if ratio >= wanted else "no") if judged else ""
        yield line(work, form, against, f"{wanted:.2f}", shown, ends(rows, "ratio"), verdict)


def all_ratios(ratios):
    yield line("row", "work", "against", "ratio", "runs", "quartiles of the rounds")
    yield "|---|---|---|--:|--:|--:|"
    for (row, work, form, against), rows in ratios.items():
        if middle(rows, "ratio") is not None:
            quartiles = f"{middle(rows, 'low'):.3f}–{middle(rows, 'high'):.3f}"
            yield line(row, work, against, f"{middle(rows, 'ratio'):.3f}", ends(rows, "ratio"), quartiles)


def all_times(times):
    yield line("row", "who", "how", "kernel", "us", "GB/s", "of the ceiling")
    yield "|---|---|---|---|--:|--:|--:|"
    for (row, who, label, kernel), rows in times.items():
        yield line(row, who, label, f"`{kernel}`" if kernel else "", number(middle(rows, "us"), 1),
                   number(middle(rows, "rate") / 1e9, 0), f"{middle(rows, 'of_ceiling'):.1f} %")


def short(ratios, times):
    """A line a row: the rate, and ratios to the copy, the plain form and the best peer."""
    yield line("work", "haul's form", "GB/s", "of a plain copy", "of the plain form", "of the best peer")
    yield "|---|---|--:|--:|--:|---|"
    lines = {}
    for (row, work, form, against), rows in ratios.items():
        if middle(rows, "ratio") is not None:
            lines.setdefault((row, work, form), {})[against] = middle(rows, "ratio")
    who = {(row, label): name for row, name, label, _ in times}
    for (row, work, form), found in lines.items():
        rate = next(middle(rows, "rate") for (r, name, _, _), rows in times.items() if (r, name) == (row, "haul"))
        of = {who.get((row, against), ""): (ratio, against) for against, ratio in found.items()}
        peers = [pair for name, pair in of.items() if name not in ("memcpy", "plain", "")]
        best = f"{min(peers)[0]:.3f} ({min(peers)[1]})" if peers else "–"
        copy, plain = (f"{of[name][0]:.3f}" if name in of else "–" for name in ("memcpy", "plain"))
        yield line(work, form, number(rate / 1e9, 0), copy, plain, best)


def command_of(facts):
    """The command line without where its output went."""
    return re.sub(r" (--quiet|--json|--out \S+)", "", facts["command"])


def document(runs, ratios, times):
    facts = runs[0]["facts"]
    yield f"# haul bench on {facts['device']}, {facts['date'].split()[0]}\n"
    if not facts["numbers"].startswith("measured"):
        yield f"**{facts['numbers']}**\n"
    yield f"- {facts['hardware']}; driver {facts.get('driver', 'none')}; haul {facts['version']}"
    yield f"- peers: {facts['peers']}"
    yield f"- `{command_of(facts)}`, {len(runs)} processes: medians of their medians; `runs`: the lowest and the highest"
    failed = sum(run["checks"]["failed"] for run in runs)
    yield f"- every result was verified{f'; {failed} were wrong' if failed else ''}\n"
    yield from wanted_rows(ratios)
    yield "\n## All ratios\n"
    yield from all_ratios(ratios)
    yield "\n## Times\n"
    yield from all_times(times)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--short"]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__.strip())
    runs = [json.load(open(name)) for name in arguments]
    ratios = merged(runs, "ratios", ("row", "work", "form", "against"))
    times = merged(runs, "times", ("row", "who", "label", "kernel"))
    print("\n".join(short(ratios, times) if "--short" in sys.argv else document(runs, ratios, times)))


if __name__ == "__main__":
    main()
