"""CuPy's own kernels for the set tests/data/blind: element-wise work, reductions, images, scatters."""
import cupy
import numpy

from cupy_steps import run, there, whole


def first():
    a, b = there(1200, 1024), there(1200, 1024)
    step = cupy.ElementwiseKernel("T g, T rate", "T p, T m", "m = 0.9f * m + g; p -= rate * m", "momentum")
    erf = cupy.ElementwiseKernel("T x", "T y", "y = x * normcdff(x) + erff(x)", "bell")
    yield lambda: step(a, numpy.float32(0.01), b, there(1200, 1024))
    yield lambda: erf(a)
    yield lambda: cupy.sqrt(cupy.abs(a))
    yield lambda: cupy.floor_divide(a, b)
    yield lambda: a + b[:1]
    yield lambda: a[::2, ::-1] * b[1::2]
    yield lambda: cupy.roll(a, 300, axis=1)
    yield lambda: cupy.ascontiguousarray(a.reshape(30, 40, 1024).transpose(2, 0, 1))
    yield lambda: a > b
    yield lambda: cupy.maximum(cupy.sin(a), cupy.cos(b))
    yield lambda: cupy.clip(a, -1, 1).astype(cupy.int8)


def second():
    a = there(1000, 1280)
    yield lambda: a.prod(axis=0)
    yield lambda: a.min(axis=0)
    yield lambda: a.argmin(axis=1)
    yield lambda: a.var(axis=1)
    yield lambda: cupy.linalg.norm(a, axis=0)
    yield lambda: cupy.nanmax(a)
    yield lambda: a.reshape(50, 20, 1280).sum(axis=1)
    yield lambda: a.astype(cupy.float64).sum(axis=1)
    yield lambda: (a > 1).sum(axis=0)
    yield lambda: cupy.count_nonzero(a > 0.5)
    yield lambda: cupy.ptp(a, axis=1)


def third():
    import cupyx
    import cupyx.scipy.ndimage as images

    a = there(700, 900)
    yield lambda: images.sobel(a, axis=0)
    yield lambda: images.uniform_filter(a, 7)
    yield lambda: images.correlate1d(a, a[0, :9], axis=1)
    yield lambda: images.zoom(a, 1.5, order=1)
    yield lambda: images.rotate(a, 30, order=1, reshape=False)
    yield lambda: images.minimum_filter1d(a, 9, axis=0)
    yield lambda: images.binary_erosion(a > -1, iterations=1)
    yield lambda: cupyx.scatter_add(cupy.zeros(20000, cupy.float32), whole(20000, 400000), there(400000))
    yield lambda: cupy.bincount(whole(1000, 500000))
    yield lambda: cupy.digitize(a, cupy.linspace(-2, 2, 33, dtype=cupy.float32))
    yield lambda: cupy.searchsorted(cupy.linspace(-3, 3, 5000, dtype=cupy.float32), a.ravel())
    yield lambda: cupy.take_along_axis(a, whole(900, 700, 900), axis=1)
    yield lambda: cupy.interp(a.ravel(), cupy.linspace(-3, 3, 100, dtype=cupy.float32), there(100))
    yield lambda: cupy.tril(a)


run({"1": first, "2": second, "3": third})
