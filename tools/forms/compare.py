#!/usr/bin/env python3
"""Compares what haul accepts and refuses with ptxas, instruction by instruction: which forms there are, and which PTX
version and target each needs.

    tools/forms/compare.py BUILD/tools/haul_forms [--limit N] [--points N] [--jobs N] [--only REGEX]

Of each row of isa.def up to N forms are made, and special registers are read. Both see each form in modules of several
versions and targets, N drawn from all pairs that there are. Where they disagree is told, once for each mnemonic and
reason, with the number of cases and one of them.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

sys.setrecursionlimit(10000)  # assemble() calls itself once a syntax error
ROOT = os.path.dirname(os.path.abspath(__file__)) + "/../.."

HEAD = """.version {version}
.target {target}
.func f {{ ret; }}
.visible .entry k(.param .align 16 .b8 p[64]) {{
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %g<9>;
.reg .b8 %c<9>;
.param .align 16 .b8 q[64];
.reg .b128 %q<3>;
T: .branchtargets L;
"""
FIRST = HEAD.count("\n") + 1
TAIL = "L: ret;\n}\n"
LINE = re.compile(r"line (\d+); (\w+)\s*: (.*)")

VERSIONS = """1.0 1.1 1.2 1.3 1.4 1.5 2.0 2.1 2.2 2.3 3.0 3.1 3.2 4.0 4.1 4.2 4.3 5.0 6.0 6.1 6.2 6.3 6.4 6.5 7.0 7.1 7.2
    7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0""".split()
TARGETS = {m[1] + m[2].strip("_"): f"{m[3][:-1]}.{m[3][-1]}" for m in re.finditer(
    r"^TARGET\((\d+), (\w), \d+, (\d+), \d+\)", open(ROOT + "/src/ptx/targets.def").read(), re.M)}


def architecture(target):
    if not target[-1].isdigit() or int(target) > 75:
        return "compute_" + target.replace("101", "110")
    return "compute_75"


def run_ptxas(forms, version, target):
    """Whether ptxas came to an end, and what it says to each form: [(kind, text)]."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(HEAD.format(version=version, target="sm_" + target))
        f.write("".join(form + "\n" for form in forms) + TAIL)
        f.flush()
        done = subprocess.run(["ptxas", "-arch=" + architecture(target), f.name, "-o", os.devnull],
                              capture_output=True, text=True)
    said = [[] for _ in forms]
    for line in done.stderr.splitlines():
        m = LINE.search(line)
        at = int(m[1]) - FIRST if m and m[2] in ("error", "fatal") else -1
        if 0 <= at < len(forms):
            said[at].append((m[2], m[3]))
    return done.returncode >= 0, said


def assemble(forms, version, target):
    """Returns ptxas's messages for each form: a list of lists. It stops at a syntax error, and some forms crash it: the others
    are tried without them."""
    ended, said = run_ptxas(forms, version, target)
    if not ended:
        if len(forms) == 1:
            return [["crashes ptxas"]]
        half = len(forms) // 2
        return assemble(forms[:half], version, target) + assemble(forms[half:], version, target)
    for k, messages in enumerate(said):
        if any(kind == "fatal" for kind, _ in messages):
            rest = assemble(forms[:k] + forms[k + 1:], version, target) if len(forms) > 1 else []
            return rest[:k] + [[text for _, text in messages]] + rest[k:]
    return [[text for _, text in messages] for messages in said]


def judge(tool, forms, version, target):
    """Returns haul's message for each form; empty if it accepts the form."""
    done = subprocess.run([tool, "judge", version, "sm_" + target], input="".join(f + "\n" for f in forms),
                          capture_output=True, text=True, check=True)
    return done.stdout.split("\n")[:-1]


def points_of_all():
    """Every version with every target that it knows."""
    return [(v, t) for t, first in TARGETS.items() for v in VERSIONS if number(v) >= number(first)]


def number(version):
    return [int(part) for part in version.split(".")]


def batches(items, size=400):
    return [items[k:k + size] for k in range(0, len(items), size)]


def hold(tool, forms, version, target):
    """(form, who refuses, why) where they disagree. wmma's forms are macros of ptxas: a wrong one spoils the others."""
    alone = [f for f in forms if f.startswith("wmma")]
    together = [f for f in forms if not f.startswith("wmma")]
    theirs = assemble(together, version, target) if together else []
    theirs += [assemble([f], version, target)[0] for f in alone]
    found = []
    for form, said, ours in zip(together + alone, theirs, judge(tool, together + alone, version, target)):
        if bool(said) != bool(ours):
            found.append((form, "ptxas" if said else "haul", said[0] if said else ours))
    return found


def reason(text):
    return re.sub(r"'[^']*'", "'..'", re.sub(r"^form:\d+:\d+: ", "", text))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--points", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    listed = subprocess.run([options.tool, "list", str(options.limit)], capture_output=True, text=True, check=True)
    forms = sorted({line.split("\t")[1] for line in listed.stdout.splitlines() if re.match(options.only, line)})
    drawn, points, chosen = random.Random(1), points_of_all(), collections.defaultdict(list)
    for form in forms:
        for point in drawn.sample(points, options.points - 2) + [("9.0", "90a"), ("9.0", "100a")]:
            chosen[point].append(form)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [(point, pool.submit(hold, options.tool, batch, *point))
                   for point, some in chosen.items() for batch in batches(some)]
        differences = collections.defaultdict(list)
        for point, future in futures:
            for form, who, why in future.result():
                differences[who, re.match(r"[\w.:]*?(?=\.|\s|;|$)", form)[0], reason(why)].append((point, form, why))
    for (who, mnemonic, _), cases in sorted(differences.items(), key=lambda d: (d[0][0], -len(d[1]))):
        (version, target), form, why = cases[0]
        print(f"only {who} refuses {len(cases)} of {mnemonic}: {why}\n    .version {version} sm_{target}: {form}")
    total = sum(len(cases) for cases in differences.values())
    print(f"{len(forms)} forms, {sum(map(len, chosen.values()))} modules, {total} differences")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
