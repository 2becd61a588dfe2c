"""Counts what `haul check --json` found in runs of programs.

    count.py [--findings] FILE.json...

A line for each file: launches, distinct kernels, failed calls, findings by grade. --findings lists each kind of finding once for its kernel."""
import argparse
import collections
import json
import pathlib


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--findings", action="store_true")
    words = parser.parse_args()
    total = collections.Counter()
    print(f"{'run':24s} {'launches':>8s} {'kernels':>8s} {'calls':>6s} {'errors':>7s} {'warnings':>9s} {'advice':>7s}")
    for path in words.files:
        kernels, counts, seen = set(), collections.Counter(), collections.OrderedDict()
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            row = json.loads(line)
            if "call" in row:
                counts["calls"] += 1
                seen.setdefault(("call", row["call"], row["name"]), row.get("place"))
                continue
            kernels.add(row["kernel"])
            counts["launches"] += 1
            for finding in row["findings"]:
                counts[finding["grade"]] += 1
                seen.setdefault((finding["grade"], finding["kind"], row["kernel"]), finding)
        total += counts
        total["kernels"] += len(kernels)
        print(f"{path.stem:24s} {counts['launches']:8d} {len(kernels):8d} {counts['calls']:6d} {counts['error']:7d} "
              f"{counts['warning']:9d} {counts['advice']:7d}")
        for key, found in seen.items() if words.findings else ():
            place = f"{found['file']}:{found['line']} {found['instruction']}" if isinstance(found, dict) else found
            print("   ", *key, "at", place)
    print(f"{'all':24s} {total['launches']:8d} {total['kernels']:8d} {total['calls']:6d} {total['error']:7d} {total['warning']:9d} "
          f"{total['advice']:7d}")


if __name__ == "__main__":
    main()
