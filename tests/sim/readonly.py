"""Compares counters that no rule fixes exactly with recorded ones: sectors of device memory, lines of constants."""
import json
import sys

SECTORS = "dram__sectors_read"
LINES = "idc__requests_lookup_miss_tag_miss"


def read(path):
    return {line["id"]: line for line in map(json.loads, open(path))}


def differing(recorded, replayed, counter, share, slack=0):
    """Those of the replayed launches that are off by more than `share` of what was recorded, and `slack`."""
    for number, line in replayed.items():
        was, now = recorded[number]["counters"][counter], line["counters"][counter]
        if abs(now - was) > share * was + slack:
            yield f"{number} {line['kernel']}: {counter}: {was} recorded, {now} here"


def main(data, folder):
    windows, constants = read(f"{folder}/windows"), read(f"{folder}/constants")
    walks = {n: line for n, line in constants.items() if line["kernel"] == "const_walk"}
    bad = list(differing(read(f"{data}/windows_h100.jsonl"), windows, SECTORS, 0.05))
    # parameters that loops load again push a few lines out
    bad += differing(read(f"{data}/h100.jsonl"), walks, LINES, 0.16, 24)
    print(f"{len(windows)} windows, {len(walks)} walks, {len(bad)} differ")
    print("\n".join(bad))
    return 1 if bad or len(windows) != 12 or not walks else 0


sys.exit(main(*sys.argv[1:]))
