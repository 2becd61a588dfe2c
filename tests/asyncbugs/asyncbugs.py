"""The suite's table and its judge.

asyncbugs.py launches TWIN MACHINE     launches of all pairs for that machine, a line each; TWIN is bad or ok
asyncbugs.py judge TWIN MACHINE OUTPUT [--strict]
                                       says what of `haul check --json`'s output is not as the table has it
asyncbugs.py docs PAGE FOLDER          renews the tables of docs/asyncbugs.md from outputs of the defects, FOLDER/*.found and, with
                                       --strict, FOLDER/*.strict; exits 1 if they change
asyncbugs.py labels                    the table with the lines of each defect, a line a pair
asyncbugs.py record FILE               writes what on-gpu.sh printed into suite.jsonl

A row of suite.jsonl: `name`, of the kernels bad_NAME and ok_NAME; `file`, the stem of the source; `kind`; `finding` and
`grade`, what haul reports for the defect (a list: any of these, as the order of warps decides); `thread`, a public report of a defect of this kind, or empty; `target`;
`launch`, as in a launch file; `hardware`, what a GPU showed, or null; `strict`, true if haul reports the defect with --strict only; `known`, only where
haul misses the defect: why."""

import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KERNEL = re.compile(r"^(?:KERNEL|MAPPED|CLUSTER)\((?:\d+, )?(\w+)\) {")
MACHINES = {"sm_80": "sim:h100", "sm_90": "sim:h100", "sm_100": "sim:b200"}


def bug_lines(stem):
    """Of each kernel of a source: the numbers of its lines with the comment BUG."""
    lines, kernel = {}, None
    for number, line in enumerate(open(os.path.join(HERE, stem + ".cu")), 1):
        begin = KERNEL.match(line)
        if begin:
            kernel = begin[1]
            lines[kernel] = []
        if "/* BUG */" in line:
            lines[kernel].append(number)
    return lines


def rows():
    found, sources = [], {}
    for line in open(os.path.join(HERE, "suite.jsonl")):
        row = json.loads(line)
        if row["file"] not in sources:
            sources[row["file"]] = bug_lines(row["file"])
        row["finding"] = [row["finding"]] if isinstance(row["finding"], str) else row["finding"]
        row["lines"] = sources[row["file"]].pop(row["name"])
        found.append(row)
    left = [name for source in sources.values() for name in source]
    if left:
        sys.exit(f"suite.jsonl has no row for {', '.join(left)}")
    return found


def launches(twin, machine):
    for number, row in enumerate(rows()):
        if MACHINES[row["target"]] == machine:
            print(json.dumps({"id": number, "kernel": f"{twin}_{row['name']}", "file": f"{row['file']}_{twin}", **row["launch"]}))


def places(finding):
    """The lines of a finding: its own, the other access's, those of further pairs, and those that any was inlined into."""
    for pair in [finding] + finding.get("also", []):
        yield from places_of_pair(pair)


def places_of_pair(pair):
    for access in (pair, pair.get("other") or {}):
        for place in [access] + access.get("chain", []):
            if "line" in place:
                yield place["file"], place["line"]


def is_found(row, findings):
    return any(f["kind"] in row["finding"] and f["grade"] == row.get("grade", "error")
               and any(file == row["file"] + ".cu" and line in row["lines"] for file, line in places(f)) for f in findings)


def brief(findings):
    return ", ".join(f"{f['grade']} {f['kind']} at {sorted(set(line for _, line in places(f)))}" for f in findings) or "nothing"


def outputs(paths):
    return {launch["id"]: launch for path in paths for launch in map(json.loads, open(path))}


def is_missed(row, strict):
    return "known" in row or row.get("strict", False) and not strict


def judge(twin, machine, output, *options):
    launched, wrong, found, strict = outputs([output]), 0, 0, "--strict" in options
    expected = {n: row for n, row in enumerate(rows()) if MACHINES[row["target"]] == machine}
    for number, row in expected.items():
        findings = launched[number]["findings"] if number in launched else None
        if findings is None:
            problem = "not launched"
        elif twin == "ok":
            problem = brief(findings) if findings else None
        else:
            right = is_found(row, findings)
            found += right
            problem = None
            if right == is_missed(row, strict) and not (right and "reversed" in options): # another order may show more
                problem = "is found, though the table has it as missed" if right else \
                    f"{' or '.join(row['finding'])} at {row['lines']} expected, found {brief(findings)}"
        if problem:
            wrong += 1
            print(f"{row['file']}.cu: {twin}_{row['name']}: {problem}")
    if twin == "bad":
        print(f"{machine}: {found} of {len(expected)} defects found at their lines")
    else:
        print(f"{machine}: {len(expected) - wrong} of {len(expected)} repaired twins without a finding")
    return wrong


def table(folder):
    """The lines of docs/asyncbugs.md that depend on the suite: kinds, recall, known misses."""
    runs = [outputs(glob.glob(os.path.join(folder, "*." + end))) for end in ("found", "strict")]
    kinds, missed, by_default = {}, [], []
    for number, row in enumerate(rows()):
        kind = kinds.setdefault(row["kind"], {"pairs": 0, "found": [0, 0], "threads": set()})
        kind["pairs"] += 1
        for i, run in enumerate(runs):
            is_ours = is_found(row, run[number]["findings"])
            kind["found"][i] += is_ours
            if i == 0:
                by_default.append(is_ours)
        kind["threads"] |= {row["thread"]} - {""}
        if "known" in row:
            missed.append(f"- `{row['name']}` ({row['kind']}): {row['known']}.")
    pairs = sum(k["pairs"] for k in kinds.values())
    found = [sum(k["found"][i] for k in kinds.values()) for i in (0, 1)]
    yield f"`haul check` finds {found[0]} of {pairs} defects ({100 * found[0] / pairs:.1f} %) at their lines. With `--strict` it finds " \
          f"{found[1]} ({100 * found[1] / pairs:.1f} %)."
    yield "It reports nothing on a repaired twin, with or without the option."
    yield from ["", "| kind | pairs | found | with `--strict` | public reports of this kind |", "|---|--:|--:|--:|---|"]
    for name, kind in sorted(kinds.items()):
        yield f"| {name} | {kind['pairs']} | {kind['found'][0]} | {kind['found'][1]} | {', '.join(sorted(kind['threads'])) or '–'} |"
    yield from ["", "These defects it misses:", ""] + missed if missed else []
    yield from hardware(by_default)


TOOLS = "racecheck", "synccheck", "memcheck", "initcheck"


def hardware(found):
    """What a GPU showed, once on_gpu.py's lines are recorded. `found`: for each row, whether haul finds its defect."""
    seen = [(row["hardware"], is_ours) for row, is_ours in zip(rows(), found) if row["hardware"]]
    if not seen:
        return
    shown = sum(bool(h["wrong"]) or h["end"] != "ok" for h, _ in seen)
    right = sum(h["twin"]["wrong"] == 0 and h["twin"]["end"] == "ok" for h, _ in seen)
    yield from ["", f"{len(seen)} pairs were run on an H200, {seen[0][0]['runs']} times each. {shown} of the defects gave a wrong result, hung or "
                f"failed there, and {right} of the", "twins were right each time. On the same pairs haul and the tools of compute-sanitizer report:",
                "", "| tool | defects reported | twins reported |", "|---|--:|--:|"]
    yield f"| `haul check` | {sum(is_ours for _, is_ours in seen)} | 0 |"
    for name, tools in (("all of compute-sanitizer's", TOOLS), *((f"`{tool}`", [tool]) for tool in TOOLS)):
        reports = [sum(any(h.get(tool) == "found" for tool in tools) for h in some)
                   for some in ([h for h, _ in seen], [h["twin"] for h, _ in seen])]
        yield f"| {name} | {reports[0]} | {reports[1]} |"
    hung = sum(all(h.get(tool) != "found" for tool in TOOLS) and h["end"] == "hang" for h, _ in seen)
    yield from ["", f"A tool that hangs with the kernel and says nothing has not reported it; {hung} of the defects are of that kind."]
    left_out = [(tool, sum("not run" in (h.get(tool), h["twin"].get(tool)) for h, _ in seen)) for tool in TOOLS]
    yield from [f"`{tool}` was not run on {number} pairs, for lack of time." for tool, number in left_out if number]


MARKS = "<!-- made by tests/asyncbugs/asyncbugs.py -->\n", "<!-- end -->\n"


def docs(page, folder):
    """Renews the page's part between the marks; true if that changed it."""
    before = open(page).read()
    start, end = before.index(MARKS[0]) + len(MARKS[0]), before.index(MARKS[1])
    after = before[:start] + "\n" + "\n".join(table(folder)) + "\n\n" + before[end:]
    if after != before:
        open(page, "w").write(after)
    return after != before


def record(path):
    """Writes the lines of on-gpu.sh into the table."""
    shown = {line.pop("name"): line for line in map(json.loads, open(path))}
    table = os.path.join(HERE, "suite.jsonl")
    kept = [json.loads(line) for line in open(table)]
    with open(table, "w") as file:
        for row in kept:
            row["hardware"] = shown.get(row["name"], row["hardware"])
            print(json.dumps(row), file=file)


def main(arguments):
    command, rest = arguments[0], arguments[1:]
    if command == "launches":
        launches(*rest)
    elif command == "judge":
        return 1 if judge(*rest) else 0
    elif command == "docs":
        return 1 if docs(*rest) else 0
    elif command == "record":
        record(rest[0])
    elif command == "labels":
        for row in rows():
            print(json.dumps(row))
    return 0


sys.exit(main(sys.argv[1:]))
