"""The pairs of kernels in tests/data/pairs: pairs.py launches FILE.cu prints a launch of each kernel as JSON, a line each;
pairs.py judge FILE.cu OUTPUT says what of `haul check --json`'s output is not as the comments in FILE.cu have it."""

import json
import re
import sys

KINDS = re.compile(r"/\* (?:(\d+) blocks: )?([a-z-]+(?:, [a-z-]+)*) \*/$")
MAP = {"tensor": "f32", "extent": [64, 64], "pitch": [256], "box": [32, 8]}
KERNEL = re.compile(r"__global__ void (?:\w+\([\d, ]*\) )?((bad|ok)_\w+)\(")


def kernels(path):
    """Returns each kernel's name, blocks, expected kinds, lines; functions in front of all kernels belong to each."""
    found, blocks, kinds, shared = [], 1, [], []
    for number, line in enumerate(open(path), 1):
        comment, kernel = KINDS.match(line.strip()), KERNEL.search(line)
        if comment:
            blocks, kinds = int(comment[1] or 1), comment[2].split(", ")
        if kernel:
            found.append({"name": kernel[1], "blocks": blocks, "kinds": kinds if kernel[2] == "bad" else [],
                          "lines": list(shared), "maps": "(MAPS)" in line})
        (found[-1]["lines"] if found else shared).append(number)
    return found


def launches(path):
    buffer = {"words": 4096, "seed": 1, "offset": 0}
    for number, kernel in enumerate(kernels(path)):
        arguments = [{"buf": "f01", **buffer}, {"buf": "zero", **buffer}, {"i32": 4096}]
        if kernel["maps"]:
            arguments += [{**MAP, "of": 0}, {**MAP, "of": 1}]
        print(json.dumps({"id": number, "kernel": kernel["name"], "grid": [kernel["blocks"], 1, 1], "block": [128, 1, 1],
                          "smem": 0, "args": arguments}))


def is_right(kernel, findings, name):
    if not kernel["kinds"]:
        return not findings
    fits = [f for f in findings if f["kind"] in kernel["kinds"]]
    return any(f["file"] != name or f["line"] in kernel["lines"] for f in fits)


def judge(path, output):
    wanted, wrong, seen = kernels(path), 0, 0
    for launch in map(json.loads, open(output)):
        kernel = wanted[launch["id"]]
        seen += 1
        if not is_right(kernel, launch["findings"], path.split("/")[-1]):
            wrong += 1
            print(kernel["name"], "expected", kernel["kinds"], "found", [f["kind"] for f in launch["findings"]])
    return wrong or seen != len(wanted)


if sys.argv[1] == "launches":
    launches(sys.argv[2])
else:
    sys.exit(1 if judge(sys.argv[2], sys.argv[3]) else 0)
