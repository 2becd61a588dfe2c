"""CuPy's own kernels for the set tests/data/unseen: element-wise kernels in several block sizes, reductions, images."""
import cupy
import numpy

from cupy_steps import run, there, whole


def blocks():
    kernels = [
        cupy.ElementwiseKernel("T x", "T y", "y = x > 0.04045f ? powf((x + 0.055f) / 1.055f, 2.4f) : x / 12.92f", "to_linear"),
        cupy.ElementwiseKernel("T x", "T y", "y = j0f(x) + 0.5f * y0f(fabsf(x) + 1)", "bessel"),
        cupy.ElementwiseKernel("T x", "T y", "T s = 1; for (int k = 1; k < 16; k++) s = 1 + s * x / k; y = s", "series"),
        cupy.ElementwiseKernel("T x", "T y", "y = x / (1 + expf(-x)) + log1pf(expf(-fabsf(x)))", "soft"),
    ]
    a = there(1 << 21)
    for kernel in kernels:
        for block in (32, 128, 512):
            yield lambda: kernel(a, cupy.zeros_like(a), block_size=block)
    mixed = cupy.ElementwiseKernel("uint32 x, uint32 y", "int32 z", "z = __popc(x ^ y) + __clz(x & y)", "bits")
    u, v = (cupy.asarray(numpy.random.default_rng(s).integers(0, 1 << 12, 1 << 21).astype(numpy.uint32)) for s in (1, 2))
    blend = cupy.ElementwiseKernel("T a, T b, T t", "T y", "y = a + t * (b - a)", "blend")
    s, t = there(1 << 21), there(1 << 21)
    doubled = cupy.ElementwiseKernel("float64 x, float64 y", "float64 z", "z = sqrt(x * x + y * y) * exp(-0.5 * y)", "doubled")
    d, e = there(1 << 20, dtype=numpy.float64), there(1 << 20, dtype=numpy.float64)
    for block in (64, 256, 1024):
        yield lambda: mixed(u, v, cupy.zeros(1 << 21, cupy.int32), block_size=block)
        yield lambda: blend(a, s, t, cupy.zeros_like(a), block_size=block)
        yield lambda: doubled(d, e, cupy.zeros_like(d), block_size=block)


RAW = r"""
extern "C" __global__ void normalise(float *y, const float *x, int rows, int columns) {
    for (int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; row < rows; row += gridDim.x * (blockDim.x / 32)) {
        float s = 0;
        for (int i = threadIdx.x % 32; i < columns; i += 32) s += fabsf(x[row * columns + i]);
        for (int k = 16; k; k /= 2) s += __shfl_xor_sync(~0u, s, k);
        for (int i = threadIdx.x % 32; i < columns; i += 32) y[row * columns + i] = x[row * columns + i] / s;
    }
}
extern "C" __global__ void crossings(int *y, const float *x, int n, int window) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = 0;
    if (i >= n - window) return;
    for (int k = 0; k < window; k++) c += (x[i + k] < 0) != (x[i + k + 1] < 0);
    y[i] = c;
}
"""


def own():
    module = cupy.RawModule(code=RAW)
    rows, columns = 4000, 500
    a = there(rows, columns)
    for grid, block in ((1000, 128), (500, 256), (264, 256), (132, 1024)):
        yield lambda: module.get_function("normalise")((grid,), (block,), (cupy.zeros_like(a), a, numpy.int32(rows), numpy.int32(columns)))
    n = 1 << 20
    x = there(n)
    for block in (64, 256, 1024):
        yield lambda: module.get_function("crossings")((n // block,), (block,), (cupy.zeros(n, cupy.int32), x, numpy.int32(n), numpy.int32(24)))
    spread = cupy.ReductionKernel("T x", "T y", "expf(x)", "a + b", "y = logf(a)", "0", "log_sum")
    half = there(1000, 2000, dtype=numpy.float16)
    yield lambda: spread(a, axis=0)
    yield lambda: a.mean(axis=0)
    yield lambda: cupy.any(a > 4, axis=1)
    yield lambda: half.sum(axis=1)
    yield lambda: half.max(axis=0)
    yield lambda: whole(1000, 2000, 1000).sum(axis=0)
    yield lambda: (a[:, :250] + 1j * a[:, 250:]).sum(axis=1)
    yield lambda: cupy.nansum(a, axis=0)
    yield lambda: cupy.diff(a, axis=1)
    yield lambda: cupy.hypot(a, a[::-1])
    yield lambda: cupy.left_shift(whole(1000, 1500000), 3) % 7


def images():
    import cupyx.scipy.ndimage as images

    a = there(800, 1000)
    yield lambda: images.laplace(a)
    yield lambda: images.prewitt(a, axis=1)
    yield lambda: images.grey_dilation(a, size=(3, 5))
    yield lambda: images.percentile_filter(a, 25, 3)
    yield lambda: images.correlate(a, a[:3, :7])
    yield lambda: images.shift(a, (3.5, -2.25), order=1)
    yield lambda: images.affine_transform(a, cupy.asarray([[0.9, 0.1], [-0.1, 0.9]]), order=1)
    yield lambda: images.map_coordinates(a, there(2, 500000) * 100 + 400, order=1, mode="nearest")
    yield lambda: images.generic_laplace(a, images.sobel)
    yield lambda: images.gaussian_laplace(a, 1.0)
    yield lambda: images.minimum_filter(a, (3, 3))
    yield lambda: cupy.pad(a, 8, mode="edge")
    yield lambda: cupy.gradient(a, axis=1)
    yield lambda: cupy.rot90(a).copy()
    yield lambda: cupy.triu(a, 3)
    yield lambda: cupy.repeat(a, 2, axis=1)


run({"blocks": blocks, "own": own, "images": images})
