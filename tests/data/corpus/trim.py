#!/usr/bin/env python3
"""Trims PTX for keeping: no lines, no comments, no debug sections, and of its kernels only those that are named.

usage: trim.py FILE.ptx [LAUNCHES.jsonl FILE-STEM] >OUT.ptx
"""
import json
import re
import sys


def wanted_kernels(path, stem):
    with open(path) as lines:
        return {line["kernel"] for line in map(json.loads, lines) if line["file"] == stem}


def plain(symbol):
    """The name in a C++ symbol."""
    match = re.match(r"_Z(\d+)", symbol)
    return symbol[match.end():match.end() + int(match.group(1))] if match else symbol


def main():
    with open(sys.argv[1]) as f:
        text = f.read()
    wanted = wanted_kernels(sys.argv[2], sys.argv[3]) if len(sys.argv) > 2 else None
    out, keep, inside = [], True, False
    for line in text.split("\n"):
        if re.match(r"\s*(\.loc\s|\.file|//)", line):
            continue
        if line.lstrip().startswith(".section"):
            break
        match = re.search(r"\.entry (\w+)", line)
        if match:
            keep = wanted is None or plain(match.group(1)) in wanted or match.group(1) in wanted
            inside = True
        if keep:
            out.append(re.sub(r"\s*//.*$", "", line).replace("\t", " ").rstrip() if '"' not in line else line)
        if inside and line == "}":
            keep, inside = True, False
    print("\n".join(line for line in out if line))


main()
