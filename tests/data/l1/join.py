#!/usr/bin/env python3
"""Prints `threads registers bytes carve-out` of each launch of carveouts, the last two in bytes.

usage: join.py CSV    what ncu --csv --page raw --metrics launch__shared_mem_config_size ./carveouts has printed
"""
import csv
import sys

text = open(sys.argv[1]).read().splitlines()
launches = [line.split()[1:] for line in text if line.startswith("launch ")]
table = list(csv.DictReader(line for line in text if line.startswith('"')))
carveouts = [row["launch__shared_mem_config_size"] for row in table if row["ID"].isdigit()]
assert len(launches) == len(carveouts)
for launch, carveout in zip(launches, carveouts):
    print(*launch, carveout.replace(",", ""))
