"""CuPy's own kernels for the set tests/data/fresh: fused and element-wise kernels, scans, sorts of its own, images, random choices."""
import cupy
import numpy

from cupy_steps import run, there, whole


def blocks():
    kernels = [
        cupy.ElementwiseKernel("T x", "T y", "y = erfcxf(fabsf(x)) + normcdff(x)", "tails"),
        cupy.ElementwiseKernel("T x", "T y", "T v = x; for (int k = 0; k < 8; k++) v = 3.6f * v * (1 - v * 0.2f); y = v", "logistic"),
        cupy.ElementwiseKernel("T x", "T y", "y = rintf(fminf(fmaxf(x * 32, -128.f), 127.f)) / 32", "fake_bytes"),
        cupy.ElementwiseKernel("T x", "T y", "y = fmodf(fabsf(x) * 100, 7.f) + atan2f(x, 2.f)", "angles"),
    ]
    a = there(1 << 21)
    for kernel in kernels:
        for block in (64, 128, 1024):
            yield lambda: kernel(a, cupy.zeros_like(a), block_size=block)
    packed = cupy.ElementwiseKernel("uint8 r, uint8 g, uint8 b", "uint16 z", "z = (r >> 3) << 11 | (g >> 2) << 5 | b >> 3", "packed")
    r, g, b = (cupy.asarray(numpy.random.default_rng(s).integers(0, 256, 1 << 22).astype(numpy.uint8)) for s in (1, 2, 3))
    polar = cupy.ElementwiseKernel("float64 x, float64 y", "float64 z", "z = atan2(y, x) + hypot(x, y)", "polar")
    d, e = there(1 << 19, dtype=numpy.float64), there(1 << 19, dtype=numpy.float64)
    for block in (64, 256, 512):
        yield lambda: packed(r, g, b, cupy.zeros(1 << 22, cupy.uint16), block_size=block)
        yield lambda: polar(d, e, cupy.zeros_like(d), block_size=block)


RAW = r"""
extern "C" __global__ void entropies(float *y, const float *x, int rows, int columns) {
    for (int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; row < rows; row += gridDim.x * (blockDim.x / 32)) {
        float s = 0, t = 0;
        for (int i = threadIdx.x % 32; i < columns; i += 32) {
            float v = x[row * columns + i], e = __expf(v);
            s += e, t += e * v;
        }
        for (int k = 16; k; k /= 2) s += __shfl_xor_sync(~0u, s, k), t += __shfl_xor_sync(~0u, t, k);
        if (threadIdx.x % 32 == 0) y[row] = __logf(s) - t / s;
    }
}
extern "C" __global__ void spread_out(float *y, const float *x, const int *to, int n, int width) {
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= n) return;
    for (int k = threadIdx.x; k < width; k += blockDim.x) atomicAdd(&y[to[i] * width + k], x[i * width + k]);
}
"""


def own():
    module = cupy.RawModule(code=RAW)
    rows, columns = 4000, 400
    a = there(rows, columns)
    for grid, block in ((1000, 128), (500, 256), (132, 512), (2000, 64)):
        yield lambda: module.get_function("entropies")((grid,), (block,), (cupy.zeros(rows, cupy.float32), a, numpy.int32(rows), numpy.int32(columns)))
    x, to = there(30000, 48), whole(3000, 30000)
    for grid, block in ((7500, (32, 4)), (3750, (16, 8)), (3750, (32, 8))):
        yield lambda: module.get_function("spread_out")((grid,), block, (cupy.zeros((3000, 48), cupy.float32), x, to, numpy.int32(30000), numpy.int32(48)))
    distance = cupy.ReductionKernel("T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = sqrtf(a)", "0", "distance")
    yield lambda: distance(a, a[::-1], axis=1)
    yield lambda: distance(a, a[::-1], axis=0)
    yield lambda: cupy.prod(a, axis=1)
    yield lambda: cupy.all(a < 3, axis=0)
    yield lambda: cupy.count_nonzero(a > 1, axis=1)
    yield lambda: there(2000, 500, dtype=numpy.float64).var(axis=1)
    yield lambda: cupy.logaddexp(a, a[::-1])
    yield lambda: cupy.where(a > 0, cupy.sqrt(abs(a)), a)
    yield lambda: cupy.clip(a, -1, 1)
    yield lambda: cupy.take(a, whole(rows, 3000), axis=0)
    yield lambda: a.astype(numpy.float16).astype(numpy.float32)
    yield lambda: cupy.roll(a, 17, axis=1)
    yield lambda: cupy.tril(a, -2)
    yield lambda: cupy.flip(a, axis=1).copy()
    yield lambda: cupy.interp(a.ravel(), cupy.arange(-4, 5, dtype=numpy.float32), there(9))
    yield lambda: cupy.digitize(a.ravel(), cupy.arange(-3, 4, dtype=numpy.float32))
    yield lambda: cupy.bitwise_xor(whole(1 << 20, 1 << 21), 12345)


def images():
    import cupyx.scipy.ndimage as images

    a = there(600, 900)
    yield lambda: images.sobel(a, axis=0)
    yield lambda: images.median_filter(a, size=(3, 3))
    yield lambda: images.maximum_filter(a, size=(5, 3))
    yield lambda: images.uniform_filter1d(a, 9, axis=1)
    yield lambda: images.uniform_filter1d(a, 9, axis=0)
    yield lambda: images.gaussian_filter1d(a, 2.0, axis=0)
    yield lambda: images.grey_erosion(a, size=(3, 3))
    yield lambda: images.convolve(a, a[:5, :5])
    yield lambda: images.binary_dilation(a > 1)
    yield lambda: images.zoom(a, 1.5, order=1)
    yield lambda: images.rotate(a, 15, order=1, reshape=False)
    yield lambda: images.spline_filter1d(a, order=3, axis=0)
    yield lambda: cupy.pad(a, 5, mode="wrap")
    yield lambda: cupy.kron(a[:200, :200], cupy.ones((3, 3), numpy.float32))


run({"blocks": blocks, "own": own, "images": images})
