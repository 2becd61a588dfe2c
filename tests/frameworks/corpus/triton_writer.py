"""Compiles Triton's kernels without a GPU's memory and writes their launches, whose buffers are rules, so that `haul replay` runs them on a GPU
and on the virtual one."""
import math
import pathlib
import re
import sys

import torch

from launch_lines import Lines

F64, F32, F16, BF16, I32, U8 = torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.uint8
RULES = {F64: ("f64", {"normal": [0, 1]}), F32: ("f32", {"normal": [0, 1]}), F16: ("f16", {"normal": [0, 1]}), BF16: ("bf16", {"normal": [0, 1]})}


class Buffer:
    """An argument: `count` numbers by a rule; zeros if it is an output."""

    def __init__(self, count, dtype=F32, below=None, out=False, seed=1):
        self.count, self.dtype, self.below, self.out, self.seed = count, dtype, below, out, seed

    def rule(self):
        size = torch.empty(0, dtype=self.dtype).element_size()
        if self.out:
            return {"buf": "zero", "words": (self.count * size + 3) // 4}
        if self.dtype in RULES:
            kind, how = RULES[self.dtype]
            return {"buf": kind, "count": self.count, **how, "seed": self.seed}
        kind = {I32: "i32", U8: "u8"}[self.dtype]
        return {"buf": kind, "count": self.count, "uniform": [0, (self.below or 256) - 1], "seed": self.seed}


class Writer:
    def __init__(self, folder, name):
        self.lines = Lines(folder, "triton", name)

    def launch(self, kernel, grid, *args, **meta):
        """Whole numbers are i32 (never 1, which Triton makes a constant); `meta` are the variant's constants, num_warps and num_stages."""
        try:
            values = [a.dtype if isinstance(a, Buffer) else a for a in args]
            made = kernel.warmup(*values, grid=(1,), **meta)
            text = made.asm["ptx"]
        except Exception as error:
            print(kernel.__name__, meta, type(error).__name__, str(error)[-300:], flush=True)
            return
        text = re.sub(r"^\s*\.(loc|file)\b.*\n", "", text.split("\n\t.section")[0].split("\n.section")[0], flags=re.M)
        text = re.sub(r"^\$L__(tmp|func_begin|func_end)\d+:.*\n", "", text, flags=re.M)
        text = re.sub(r"^\s*//.*\n", "", text, flags=re.M)
        text = re.sub(r"^(\.target [^,\n]*), debug", r"\1", text, flags=re.M)
        wanted = len(re.findall(r"\.param\s", text[text.index(".entry"):].split("{", 1)[0]))
        given = [a.rule() if isinstance(a, Buffer) else a for a in args]
        room = getattr(made.metadata, "global_scratch_size", 0) or 0  # of each program, for descriptors; it is the first argument that Triton adds
        if room and len(given) < wanted:
            given.append({"buf": "zero", "words": room * math.prod(grid) // 4})
        given += [{"i64": 0}] * (wanted - len(given))
        threads = int(re.search(r"\.reqntid\s+(\d+)", text).group(1)) if ".reqntid" in text else 32 * made.metadata.num_warps
        if len(given) != wanted:
            print(kernel.__name__, meta, "takes", wanted, "arguments, not", len(given), flush=True)
            return
        self.lines.write(text, grid, threads, given, made.metadata.shared)


def write(parts, usage):
    """Writes the launches of the parts that the command line names after its folder, each to its own file; without names, all to one."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    names = sys.argv[2:]
    for name in names or [None]:
        writer = Writer(pathlib.Path(sys.argv[1]), f"triton-{name}" if name else "triton")
        for part in [parts[name]] if name else parts.values():
            part(writer)
