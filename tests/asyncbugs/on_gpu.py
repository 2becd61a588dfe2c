"""Runs the pairs on a GPU: see on-gpu.sh, which starts this."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = int(os.environ.get("RUNS", 20))
SECONDS_EACH = int(os.environ.get("SECONDS_EACH", 6))
JOBS = int(os.environ.get("JOBS", 12))
DEVICE = os.environ.get("DEVICE", "gpu:0")
DEADLINE = time.monotonic() + int(os.environ.get("BUDGET", 230))
TOOLS = ["racecheck", "synccheck", "memcheck", "initcheck"]
FOUND = re.compile(r"(?:ERROR SUMMARY: |RACECHECK SUMMARY: )([1-9]\d*) ")


def rows(names):
    labels = subprocess.run([sys.executable, os.path.join(HERE, "asyncbugs.py"), "labels"], capture_output=True, check=True)
    every = [json.loads(line) for line in labels.stdout.splitlines()]
    return [row for row in every if row["target"] != "sm_100" and (not names or row["name"] in names)]


def finish(command, seconds):
    """Runs a command and ends it, with its children, when the time is over. Returns how it ended, and its output."""
    if time.monotonic() > DEADLINE:
        return "not run", ""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True)
    try:
        output = process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        return "hang", process.communicate()[0]
    return ("ok" if process.returncode == 0 else "failed"), output


class Suite:
    def __init__(self, build, folder):
        self.haul, self.folder = os.path.join(build, "haul"), folder
        self.sanitizer = shutil.which("compute-sanitizer")

    def replay(self, row, twin, runs):
        """The command that launches a kernel `runs` times, each on fresh buffers."""
        path = os.path.join(self.folder, f"{twin}_{row['name']}_{runs}.jsonl")
        with open(path, "w") as file:
            for run in range(runs):
                print(json.dumps({"id": run, "kernel": f"{twin}_{row['name']}", **row["launch"]}), file=file)
        ptx = os.path.join(HERE, f"{row['file']}_{twin}.ptx")
        return [self.haul, "replay", path, ptx, "--device", DEVICE] + (["--once"] if DEVICE.startswith("gpu") else [])

    def outputs(self, row, twin):
        """How the runs ended, and the hashes of all buffers after each."""
        end, text = finish(self.replay(row, twin, RUNS), SECONDS_EACH)
        lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        hashes = [tuple(a.get("after") for a in line["args"] if "buf" in a) for line in lines]
        if end == "failed":
            rest = [line for line in text.splitlines() if not line.startswith("{")]
            end = "failed: " + (rest[-1][:200] if rest else "")
        return end, hashes

    def compare(self, row):
        twin_end, twin = self.outputs(row, "ok")
        end, defect = self.outputs(row, "bad")
        return {"name": row["name"], "runs": len(defect), "wrong": sum(h != twin[0] for h in defect) if twin else None,
                "end": end, "twin": {"end": twin_end, "runs": len(twin), "wrong": sum(h != twin[0] for h in twin)}}

    def sanitize(self, row, tool):
        if not self.sanitizer:
            return "not run"
        command = [self.sanitizer, "--tool", tool, "--print-limit", "10"] + self.replay(row, "bad", 1)
        end, text = finish(command, SECONDS_EACH + 6)
        if FOUND.search(text) or f"bad_{row['name']}" in text and "Error" in text:
            return "found"
        return {"ok": "nothing"}.get(end, end)


def main(arguments):
    if not arguments or not os.path.exists(os.path.join(arguments[0], "haul")):
        sys.exit("on-gpu.sh: the first argument must be a build folder with haul in it")
    chosen = rows(arguments[1:])
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(JOBS) as pool:
        suite = Suite(arguments[0], folder)
        for stem in sorted(set(row["file"] for row in chosen)): # fills the driver's cache of compiled kernels
            first = next(row for row in chosen if row["file"] == stem)
            finish(suite.replay(first, "ok", 1), 60)
        results = list(pool.map(suite.compare, chosen))
        for tool in TOOLS:
            for result, word in zip(results, pool.map(lambda row: suite.sanitize(row, tool), chosen)):
                result[tool] = word
    for result in results:
        print(json.dumps(result))


main(sys.argv[1:])
