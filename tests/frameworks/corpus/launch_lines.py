"""Rules that fill buffers, and lines of launches, for the scripts that write a set of launches."""
import hashlib
import json
import re


def numbers(count, seed=1, kind="f32"):
    return {"buf": kind, "count": count, "normal": [0, 1], "seed": seed}


def halves(count, seed=1, kind="f16"):
    return numbers(count, seed, kind)


def doubles(count, seed=1):
    return numbers(count, seed, "f64")


def whole(count, below, seed=1):
    return {"buf": "i32", "count": count, "uniform": [0, below - 1], "seed": seed}


def bits(words, seed=1):
    return {"buf": "u32", "words": words, "seed": seed}


def zero(words):
    return {"buf": "zero", "words": words}


def three(extent):
    """A grid or a block: one to three numbers."""
    extent = list(extent) if isinstance(extent, (tuple, list)) else [extent]
    return extent + [1] * (3 - len(extent))


def line(kernel, grid, block, args, smem, ptx):
    """One launch. Whole numbers among the arguments are i32, others f32."""
    args = [{"i32": a} if isinstance(a, int) else {"f32": a} if isinstance(a, float) else a for a in args]
    row = {"ptx": ptx, "kernel": kernel, "grid": three(grid), "block": three(block), "smem": smem, "args": args}
    return json.dumps(row, separators=(",", ":"))


def printer(ptx):
    """Returns what prints a launch of a kernel of this PTX file."""

    def launch(kernel, grid, block, *args, smem=0):
        print(line(kernel, grid, block, args, smem, ptx))

    return launch


class Lines:
    """FOLDER/NAME.jsonl, and the PTX of its launches in FOLDER/FILES.files."""

    def __init__(self, folder, files, name=None):
        self.files = folder / f"{files}.files"
        self.files.mkdir(parents=True, exist_ok=True)
        self.target = (folder / f"{name or files}.jsonl").open("w")

    def write(self, text, grid, block, args, smem=0):
        text = re.sub(r"^\.version 9\.[1-9]$", ".version 9.0", text, flags=re.M)
        file = hashlib.sha256(text.encode()).hexdigest()[:16] + ".ptx"
        (self.files / file).write_text(text)
        kernel = re.search(r"\.entry\s+([\w$]+)", text).group(1)
        self.target.write(line(kernel, grid, block, args, smem, f"{self.files.name}/{file}") + "\n")
        self.target.flush()
