"""Triton: a vector sum, a softmax of rows, a product of matrices. The tensors are of CUDA's runtime alone, so that it needs no
framework's kernels. Prints the same on the virtual GPU and on a real one."""
import ctypes
import ctypes.util
import glob
import os
import sys

import numpy
import triton
import triton.language as tl


def runtime():
    for name in ("libcudart.so.13", "libcudart.so.12"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    for folder in sys.path:
        for path in glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libcudart.so.1*")):
            return ctypes.CDLL(path)
    sys.exit("no libcudart")


cudart = runtime()
cudart.cudaMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Tensor:
    def __init__(self, values):
        self.values = numpy.ascontiguousarray(values)
        self.dtype = {"float32": "fp32", "float16": "fp16", "int32": "i32"}[str(self.values.dtype)]
        at = ctypes.c_void_p()
        assert cudart.cudaMalloc(ctypes.byref(at), ctypes.c_size_t(self.values.nbytes)) == 0
        self.at = at.value
        assert cudart.cudaMemcpy(self.at, self.values.ctypes.data, self.values.nbytes, 1) == 0

    def data_ptr(self):
        return self.at

    def numpy(self):
        assert cudart.cudaMemcpy(self.values.ctypes.data, self.at, self.values.nbytes, 2) == 0
        return self.values


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + i, e / tl.sum(e, axis=0), mask=i < columns)


@triton.jit
def product(a, b, c, N: tl.constexpr, K: tl.constexpr, M: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    total = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, K, 32):
        kk = k + tl.arange(0, 32)
        total += tl.dot(tl.load(a + i[:, None] * K + kk[None, :]), tl.load(b + kk[:, None] * N + j[None, :]))
    tl.store(c + i[:, None] * N + j[None, :], total)


numbers = numpy.random.default_rng(1)
x, y = Tensor(numpy.arange(1000, dtype=numpy.float32)), Tensor(numpy.full(1000, 0.5, numpy.float32))
out = Tensor(numpy.zeros(1000, numpy.float32))
add[(4,)](x, y, out, 1000, BLOCK=256)
print("add", out.numpy().sum(), flush=True)

rows = numbers.standard_normal((8, 100)).astype(numpy.float32)
shares = Tensor(numpy.zeros_like(rows))
softmax[(8,)](Tensor(rows), shares, 100, BLOCK=128)
print("softmax", numpy.round(shares.numpy().sum(axis=1), 5), flush=True)

a, b = (numbers.integers(-4, 5, (64, 64)).astype(numpy.float16) for _ in range(2))
c = Tensor(numpy.zeros((64, 64), numpy.float32))
product[(1,)](Tensor(a), Tensor(b), c, N=64, K=64, M=64)
print("product", numpy.abs(c.numpy() - a.astype(numpy.float32) @ b.astype(numpy.float32)).max(), flush=True)
