"""Counts and times recorded launches on a GPU. One launch that fails or hangs does not end the others.

    measure.py [options] HAUL LAUNCHES.jsonl TARGET.jsonl

Runs the launches once first, in groups with a time limit; then `haul replay` measures those that ran. A group that fails is halved, until
the launch that is the cause stands alone; it is named and left out. TARGET grows with each group, so an interrupted run loses little."""
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
        self.left_out = 0
        self.target = None

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

    def seconds_for(self, numbers, each):
        return max(1.0, min(self.words.seconds + each * len(numbers), self.end - time.monotonic()))

    def halves(self, numbers, said, work):
        """Does the work for each half, or names the launch that fails alone. Returns the launches that did not fail."""
        if len(numbers) == 1:
            self.leave_out(numbers[0], said)
            return []
        middle = len(numbers) // 2
        return work(numbers[:middle]) + work(numbers[middle:])

    def runs(self, numbers):
        """Returns the launches that run. The driver's compiler runs here, too, many at once; its cache serves the measurements."""
        output, said = self.replay(numbers, ["--once", "--quiet"], self.seconds_for(numbers, 0.5))
        return list(numbers) if output is not None else self.halves(numbers, said, self.runs)

    def measure(self, numbers):
        if time.monotonic() > self.end - 5:
            return []
        counting = ["--counters", "--readings", str(self.words.readings)] if self.words.readings else []
        output, said = self.replay(numbers, counting, self.seconds_for(numbers, 1 + 2 * self.words.readings))
        if output is None:
            return self.halves(numbers, said, self.measure)
        self.target.write(output)
        self.target.flush()
        return numbers

    def groups(self, numbers):
        return [numbers[at:at + self.words.group] for at in range(0, len(numbers), self.words.group)]

    def run(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            good = sum(pool.map(self.runs, self.groups(list(range(len(self.lines))))), [])
        with self.words.target.open("w", encoding="utf-8") as self.target:
            measured = sum(len(self.measure(group)) for group in self.groups(good))
        print(f"{self.words.launches.name}: {measured} of {len(self.lines)} launches measured, {self.left_out} left out, "
              f"{len(self.lines) - measured - self.left_out} not reached", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("haul")
    parser.add_argument("launches", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--readings", type=int, default=1, help="how often counters are read; 0: only times (default 1)")
    parser.add_argument("--seconds", type=float, default=20, help="time limit of a group, which grows with its launches (default 20)")
    parser.add_argument("--group", type=int, default=16, help="launches that one `haul replay` measures (default 16)")
    parser.add_argument("--budget", type=float, default=3600, help="seconds for everything (default 3600)")
    words = parser.parse_args()
    if not words.launches.is_file():
        sys.exit(f"measure.py: {words.launches}: no such file")
    Measurement(words).run()


if __name__ == "__main__":
    main()
