"""Reads tables as scripts for `ncu --csv` do.

usage: ncu.py FILE EXPRESSION

Skips messages up to the header, drops the row of units if there is one, and evaluates the Python EXPRESSION over `rows`,
a list of dicts by column, and value(row, column), a number without separators. Exit status: 0 if it is true.
"""
import csv
import sys

lines = open(sys.argv[1], newline="").read().splitlines()
start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
rows = [row for row in csv.DictReader(lines[start:]) if row["ID"]]


def value(row, column="Metric Value"):
    return float(row[column].replace(",", ""))


def metric(name):
    return [value(row) for row in rows if row["Metric Name"] == name]


def number(column):
    return [value(row, column) for row in rows]


sys.exit(not eval(sys.argv[2]))
