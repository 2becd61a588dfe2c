"""Arrays on the GPU from CUDA's runtime alone, so that Triton kernels need no framework's own kernels, and the steps of a corpus."""
import ctypes
import ctypes.util
import glob
import os
import sys

import numpy


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
cudart.cudaFree.argtypes = [ctypes.c_void_p]
TO_DEVICE, TO_HOST = 1, 2
NAMES = {"float64": "fp64", "float32": "fp32", "float16": "fp16", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
         "uint32": "u32", "uint8": "u8", "bool": "i1"}


class Type(str):
    """Triton's name of an element's type, with its size."""

    def __new__(cls, name, size):
        self = super().__new__(cls, name)
        self.itemsize = size
        return self


class Tensor:
    """`values` on the GPU; `dtype` names the type of the elements if NumPy has none (bf16, fp8e4nv)."""

    def __init__(self, values, dtype=None):
        self.values = numpy.ascontiguousarray(values)
        self.dtype = Type(dtype or NAMES[str(self.values.dtype)], self.values.itemsize)
        self.shape = self.values.shape
        at = ctypes.c_void_p()
        assert cudart.cudaMalloc(ctypes.byref(at), ctypes.c_size_t(max(1, self.values.nbytes))) == 0
        self.at = at.value
        assert cudart.cudaMemcpy(self.at, self.values.ctypes.data, self.values.nbytes, TO_DEVICE) == 0

    def __del__(self):
        cudart.cudaFree(self.at)

    def data_ptr(self):
        return self.at

    def element_size(self):
        return self.values.itemsize

    def stride(self, axis=None):
        steps = [n // self.values.itemsize for n in self.values.strides]
        return steps if axis is None else steps[axis]

    def numpy(self):
        assert cudart.cudaMemcpy(self.values.ctypes.data, self.at, self.values.nbytes, TO_HOST) == 0
        return self.values


def bf16(values):
    """The upper halves of 32-bit floats, rounded to even."""
    bits = numpy.ascontiguousarray(values, numpy.float32).view(numpy.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)


def from_bf16(values):
    return (values.astype(numpy.uint32) << 16).view(numpy.float32)


class Corpus:
    """Runs steps, each with a name; a step that fails is told and the others go on."""

    def __init__(self):
        self.ran = self.failed = 0

    def step(self, name, work):
        try:
            result = work()
        except BaseException as error:  # a compiler's crash must not end the others
            if isinstance(error, KeyboardInterrupt):
                raise
            self.failed += 1
            print(f"{name}: not run: {type(error).__name__}: {str(error).strip().splitlines()[-1:] or ''}", flush=True)
            return
        self.ran += 1
        print(name, result if result is not None else "", flush=True)

    def end(self):
        print(f"{self.ran} ran, {self.failed} did not", flush=True)


def digest(values):
    """A number that tells results apart and forgives the last bits of sums."""
    values = numpy.asarray(values, numpy.float64).ravel()
    return f"{float(numpy.nansum(numpy.abs(values))):.4g}"
