"""CuPy's own kernels on arrays that keep a GPU busy for some microseconds: element-wise work, reductions over each axis, scans, gathers, filters.
For `haul replay --record`, as cupy_launches.py."""
import cupy
import numpy

from cupy_steps import numbers, run, there


def first():
    a, b = there(1024, 1500), there(1024, 1500)
    yield lambda: a * b
    yield lambda: cupy.exp(a)
    yield lambda: cupy.tanh(b)
    yield lambda: a.sum()
    yield lambda: a.sum(axis=0)
    yield lambda: a.sum(axis=1)
    yield lambda: a.max(axis=1)
    yield lambda: a.argmax(axis=0)
    yield lambda: cupy.ascontiguousarray(a.T)
    yield lambda: cupy.where(a > b, a, b)
    yield lambda: a[:, ::2] + b[:, ::2]


def second():
    import cupyx.scipy.ndimage as images

    a = there(900, 1000)
    index = cupy.asarray(numbers.integers(0, 900, 700))
    kernel = cupy.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "inner")
    yield lambda: images.gaussian_filter(a, 1.5)
    yield lambda: images.maximum_filter(a, 5)
    yield lambda: images.convolve(a, a[:5, :5])
    yield lambda: images.median_filter(a, 3)
    yield lambda: kernel(a, a)
    yield lambda: kernel(a, a, axis=1)
    yield lambda: kernel(a, a, axis=0)
    yield lambda: a[index]
    yield lambda: cupy.cumsum(a, axis=1)
    yield lambda: cupy.sort(a[:50], axis=1)
    yield lambda: cupy.arctan2(a, a + 1).astype(cupy.float16)


run({"1": first, "2": second})
