"""Compiles Numba's kernels and writes their launches, whose arrays are rules, so that `haul replay` runs them on a GPU and on the virtual one."""
import math
import pathlib
import re
import sys

import numpy

if not hasattr(numpy, "row_stack"):  # older Numba asks for it
    numpy.row_stack, numpy.in1d, numpy.trapz = numpy.vstack, numpy.isin, numpy.trapezoid

from numba import cuda, float32, float64, int32

from launch_lines import Lines

FLAT, ROWS, BLOCKS = float32[::1], float32[:, ::1], float32[:, :, ::1]
WHOLE, WHOLE_ROWS, DOUBLES, DOUBLE_ROWS = int32[::1], int32[:, ::1], float64[::1], float64[:, ::1]


class Array:
    """An argument: an array by a rule; zeros if it is an output."""

    def __init__(self, *shape, kind="f32", below=None, out=False, seed=1):
        self.shape, self.kind, self.below, self.out, self.seed = shape, kind, below, out, seed

    def values(self):
        size = 8 if self.kind == "f64" else 4
        count = math.prod(self.shape)
        if self.out:
            data = {"buf": "zero", "words": count * size // 4}
        else:
            data = {"buf": self.kind, "count": count, "seed": self.seed} | ({"uniform": [0, self.below - 1]} if self.below else {"normal": [0, 1]})
        strides = [math.prod(self.shape[k + 1:]) * size for k in range(len(self.shape))]
        return [{"i64": 0}, {"i64": 0}, {"i64": count}, {"i64": size}, data] + [{"i64": n} for n in (*self.shape, *strides)]


def number(kind, value):
    return {{int32: "i32", float32: "f32"}.get(kind, "i64"): value}


class Writer:
    def __init__(self, folder):
        self.lines = Lines(folder, "numba")
        self.compiled = {}

    def launch(self, work, types, grid, block, *args):
        try:
            if work.__name__ not in self.compiled:
                text = cuda.compile_ptx(work, types, cc=(9, 0), lineinfo=False)
                self.compiled[work.__name__] = text[0] if isinstance(text, tuple) else text
            text = self.compiled[work.__name__]
        except Exception as error:
            print(work.__name__, type(error).__name__, str(error)[-300:], flush=True)
            return
        text = re.sub(r"^\s*//.*\n", "", text, flags=re.M)
        text = re.sub(r"^\.target sm_\d+a?", ".target sm_90", text, flags=re.M)
        given = sum((a.values() if isinstance(a, Array) else [number(kind, a)] for kind, a in zip(types, args)), [])
        self.lines.write(text, grid, block, given)


def write(part, usage):
    """Writes the launches of a part to the folder that the command line names."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    part(Writer(pathlib.Path(sys.argv[1])))
