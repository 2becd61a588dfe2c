#!/usr/bin/env python3
"""Puts readings of the same launches together: a counter that moved becomes [lowest, highest].

usage: merge.py READING.jsonl... >LAUNCHES.jsonl
"""
import json
import sys


def ends(value):
    return value if isinstance(value, list) else [value, value]


def merged(values):
    low, high = min(ends(v)[0] for v in values), max(ends(v)[1] for v in values)
    return low if low == high else [low, high]


def read(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def main():
    for same in zip(*map(read, sys.argv[1:])):
        first = same[0]
        for other in same[1:]:
            if other["kernel"] != first["kernel"] or other["args"] != first["args"]:
                sys.exit("%s %d: other launch, or other outputs, in another reading" % (first["kernel"], first["id"]))
        first["counters"] = {key: merged([s["counters"][key] for s in same]) for key in first["counters"]}
        print(json.dumps(first, separators=(",", ":")))


main()
