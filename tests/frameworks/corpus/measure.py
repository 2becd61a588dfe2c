"""Counts and times recorded launches on a GPU. One launch that fails or hangs does not end the others.

    measure.py [options] HAUL LAUNCHES.jsonl TARGET.jsonl

Runs each launch alone first, with a time limit, and names those that fail. The others are measured in groups by `haul replay`; a group that
fails is halved, until the launch that is the cause stands alone. TARGET grows with each group, so an interrupted run loses little."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time


class Measurement:
    def __init__(self, words):
        self.words = words
        self.end = time.monotonic() + words.budget
        self.lines = words.launches.read_text(encoding="utf-8").splitlines()
        self.measured = self.left_out = 0

    def file_of(self, name, numbers):
        """Writes launches to a file beside the recording, because paths in it are relative."""
        path = self.words.launches.with_name(f".{self.words.launches.stem}-{self.words.target.stem}-{name}.jsonl")
        path.write_text("".join(self.lines[i] + "\n" for i in numbers), encoding="utf-8")
        return path

    def replay(self, numbers, options, seconds):
        """Returns the lines that haul printed, or None and what it said."""
        path = self.file_of(numbers[0], numbers)
        command = [self.words.haul, "replay", path, "--device", self.words.device, *options]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return None, f"did not end within {seconds:.0f} s"
        finally:
            path.unlink()
        said = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return (done.stdout, "") if done.returncode == 0 else (None, said)

    def leave_out(self, number, said):
        launch = json.loads(self.lines[number])
        self.left_out += 1
        print(f"{self.words.launches.name}: launch {launch.get('id', number)}, {launch['kernel'][:60]}: left out: {said}", flush=True)

    def runs(self, number):
        """Whether the launch runs alone. The driver's compiler runs here, too, many at once; its cache serves the measurements."""
        output, said = self.replay([number], ["--once", "--quiet"], self.words.seconds)
        if output is None:
            self.leave_out(number, said)
        return output is not None

    def measure(self, numbers, target):
        seconds = min(self.words.seconds * (1 + len(numbers) / 4), self.end - time.monotonic())
        if seconds < 5:
            return
        counting = ["--counters", "--readings", str(self.words.readings)] if self.words.readings else []
        output, said = self.replay(numbers, counting, seconds)
        if output is not None:
            target.write(output)
            target.flush()
            self.measured += len(numbers)
        elif len(numbers) == 1:
            self.leave_out(numbers[0], said)
        else:
            middle = len(numbers) // 2
            self.measure(numbers[:middle], target)
            self.measure(numbers[middle:], target)

    def run(self):
        numbers = range(len(self.lines))
        with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
            good = [number for number, runs in zip(numbers, pool.map(self.runs, numbers)) if runs]
        with self.words.target.open("w", encoding="utf-8") as target:
            for at in range(0, len(good), self.words.group):
                self.measure(good[at:at + self.words.group], target)
        print(f"{self.words.launches.name}: {self.measured} of {len(self.lines)} launches measured, {self.left_out} left out, "
              f"{len(good) - self.measured} not reached or failed", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("haul")
    parser.add_argument("launches", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--readings", type=int, default=1, help="how often counters are read; 0: only times (default 1)")
    parser.add_argument("--seconds", type=float, default=20, help="time limit of a launch (default 20)")
    parser.add_argument("--group", type=int, default=16, help="launches that one `haul replay` measures (default 16)")
    parser.add_argument("--budget", type=float, default=3600, help="seconds for everything (default 3600)")
    words = parser.parse_args()
    if not words.launches.is_file():
        sys.exit(f"measure.py: {words.launches}: no such file")
    Measurement(words).run()


if __name__ == "__main__":
    main()
