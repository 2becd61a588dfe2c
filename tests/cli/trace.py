"""Checks trace events against the rules of the format, and prints the spans of a track.

usage: trace.py FILE [PROCESS THREAD]

Complete events of a thread either contain one another or do not overlap, no event comes before an earlier one in the
file, and each thread with events has a name. Prints a line for each event of the named track: begin, end, name.
"""
import json
import sys

PHASES = {"X": ("ts", "dur", "pid", "tid", "name"), "C": ("ts", "pid", "name", "args"), "M": ("pid", "name", "args")}

trace = json.load(open(sys.argv[1]))
names, threads, last = {}, {}, 0
for event in trace["traceEvents"]:
    assert event["ph"] in PHASES, event
    assert all(key in event for key in PHASES[event["ph"]]), event
    if event["ph"] == "M":
        if event["name"].endswith("_name"):
            names[event["pid"], event["tid"]] = event["args"]["name"]
        continue
    assert event["ts"] >= last, f"goes back in time: {event}"
    last = event["ts"]
    if event["ph"] == "C":
        assert all(isinstance(v, (int, float)) for v in event["args"].values()), event
        continue
    begin, end = round(1e3 * event["ts"]), round(1e3 * (event["ts"] + event["dur"]))
    assert end >= begin
    threads.setdefault((event["pid"], event["tid"]), []).append((begin, end, event["name"]))
assert threads
for thread, spans in threads.items():
    assert thread in names and (thread[0], 0) in names, f"{thread} has no name"
    around = []
    for begin, end, name in spans:
        while around and around[-1] <= begin:
            around.pop()
        assert not around or end <= around[-1], f"{names[thread]}: {name} overlaps"
        around.append(end)
if len(sys.argv) > 2:
    for thread, spans in threads.items():
        if [names[thread[0], 0], names[thread]] == sys.argv[2:]:
            for begin, end, name in spans:
                print(begin, end, name)
