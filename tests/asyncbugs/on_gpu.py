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
SECONDS_EACH = int(os.environ.get("SECONDS_EACH", 10))
JOBS = int(os.environ.get("JOBS", 12))
DEVICE = os.environ.get("DEVICE", "gpu:0")
DEADLINE = time.monotonic() + int(os.environ.get("BUDGET", 230))
TOOLS = ["racecheck", "synccheck", "memcheck", "initcheck"]


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

    def replay(self, chosen, twin, runs=1):
        """The command that launches each kernel `runs` times, on fresh buffers. All are of one file."""
        path = os.path.join(self.folder, f"{twin}_{chosen[0]['name']}_{len(chosen)}_{runs}.jsonl")
        with open(path, "w") as file:
            for number in range(runs * len(chosen)):
                row = chosen[number % len(chosen)]
                print(json.dumps({"id": number, "kernel": f"{twin}_{row['name']}", **row["launch"]}), file=file)
        ptx = os.path.join(HERE, f"{chosen[0]['file']}_{twin}.ptx")
        return [self.haul, "replay", path, ptx, "--device", DEVICE] + (["--once"] if DEVICE.startswith("gpu") else [])

    def outputs(self, row, twin):
        """How the runs ended, and the hashes of all buffers after each."""
        end, text = finish(self.replay([row], twin, RUNS), SECONDS_EACH)
        lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        hashes = [tuple(a.get("after") for a in line["args"] if "buf" in a) for line in lines]
        if end == "failed":
            rest = [line for line in text.splitlines() if not line.startswith("{")]
            error = re.search(r"\bCUDA_ERROR_\w+", rest[-1]) if rest else None
            end = "failed: " + (error[0] if error else rest[-1] if rest else "no message")
        return end, hashes

    def compare(self, row):
        twin_end, twin = self.outputs(row, "ok")
        end, defect = self.outputs(row, "bad")
        return {"name": row["name"], "runs": len(defect), "wrong": sum(h != twin[0] for h in defect) if twin else None,
                "end": end, "twin": {"end": twin_end, "runs": len(twin), "wrong": sum(h != twin[0] for h in twin)}}

    def sanitize(self, chosen, twin, tool, seconds):
        """A word for each kernel: whether the tool's own lines name it, or how the run ended."""
        if not self.sanitizer:
            return ["not run"] * len(chosen)
        command = [self.sanitizer, "--tool", tool, "--report-api-errors", "no"] + self.replay(chosen, twin)
        end, text = finish(command, seconds)
        said = "\n".join(line for line in text.splitlines() if line.startswith("========="))
        named = [re.search(rf"\b{twin}_{row['name']}\b", said) for row in chosen]
        return ["found" if n else {"ok": "nothing"}.get(end, end) for n in named]


def main(arguments):
    if not arguments or not os.path.exists(os.path.join(arguments[0], "haul")):
        sys.exit("on-gpu.sh: the first argument must be a build folder with haul in it")
    chosen = rows(arguments[1:])
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(JOBS) as pool:
        suite = Suite(arguments[0], folder)
        files = [[row for row in chosen if row["file"] == stem] for stem in sorted(set(row["file"] for row in chosen))]
        for some in files: # fills the driver's cache of compiled kernels
            for twin in ("ok", "bad"):
                finish(suite.replay(some[:1], twin), SECONDS_EACH + 20)
        results = dict(zip((row["name"] for row in chosen), pool.map(suite.compare, chosen)))
        # A defect that hangs by itself is not waited for as long as one that does not.
        patience = {name: SECONDS_EACH - 2 if r["end"] == "hang" else SECONDS_EACH + 6 for name, r in results.items()}
        for tool in TOOLS:
            words = pool.map(lambda row: suite.sanitize([row], "bad", tool, patience[row["name"]])[0], chosen)
            for row, word in zip(chosen, words):
                results[row["name"]][tool] = word
            for some, words in zip(files, pool.map(lambda some: suite.sanitize(some, "ok", tool, 40), files)):
                for row, word in zip(some, words):
                    results[row["name"]]["twin"][tool] = word
    for result in results.values():
        print(json.dumps(result))


main(sys.argv[1:])
