"""Numba: a kernel with shared memory, an atomic, and a device function. Prints the same on the virtual GPU and on a real one."""
import numpy

if not hasattr(numpy, "row_stack"):  # which Numba still asks for
    numpy.row_stack = numpy.vstack
from numba import cuda, float32


@cuda.jit(device=True)
def twice(x):
    return x + x


@cuda.jit
def sums(out, data):
    tile = cuda.shared.array(128, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile[t] = twice(data[i])
    cuda.syncthreads()
    step = 64
    while step:
        if t < step:
            tile[t] += tile[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, tile[0])


data = cuda.to_device(numpy.arange(1024, dtype=numpy.float32))
out = cuda.to_device(numpy.zeros(1, dtype=numpy.float32))
sums[8, 128](out, data)
print("sum", out.copy_to_host()[0])
