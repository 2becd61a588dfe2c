"""CuPy: its element-wise kernels, reductions and scans by NVRTC, fused and raw kernels, kernels with CUB's blocks, and filters of images."""
import cupy
import cupyx
import numpy

from tensors import Corpus, digest

corpus = Corpus()
numbers = numpy.random.default_rng(5)
a = cupy.asarray(numbers.standard_normal((60, 70)).astype(numpy.float32))
b = cupy.asarray(numbers.standard_normal((60, 70)).astype(numpy.float32))
whole = cupy.asarray(numbers.integers(-50, 50, (60, 70)).astype(numpy.int32))
half = a.astype(cupy.float16)
double = a.astype(cupy.float64)
imaginary = (a + 1j * b).astype(cupy.complex64)


def told(value):
    value = cupy.asnumpy(value) if isinstance(value, cupy.ndarray) else numpy.asarray(value)
    return digest(numpy.abs(value) if value.dtype.kind == "c" else value)


STEPS = {
    "binary": lambda: a * b + a / (cupy.abs(b) + 1) - b,
    "broadcast": lambda: a[:, :1] + b[:1],
    "strides": lambda: a[::2, ::3].T * 2,
    "functions": lambda: cupy.exp(cupy.sin(a)) + cupy.tanh(b) + cupy.log1p(cupy.abs(a)),
    "halves": lambda: half * half + 1,
    "doubles": lambda: cupy.sqrt(cupy.abs(double)) + cupy.arctan2(double, double + 1),
    "complex": lambda: cupy.exp(imaginary) * cupy.conj(imaginary),
    "integers": lambda: (whole // 7) + (whole % 5) + (whole << 2) + (whole & 12),
    "where": lambda: cupy.where(a > b, a, -b),
    "clip": lambda: cupy.clip(a, -0.5, 0.5),
    "cast": lambda: whole.astype(cupy.float32) + a.astype(cupy.int8),
    "sum": lambda: a.sum(),
    "sum of rows": lambda: a.sum(axis=1),
    "sum of columns": lambda: a.sum(axis=0),
    "sum of halves": lambda: half.sum(axis=0),
    "sum of doubles": lambda: double.sum(),
    "product": lambda: (1 + a * 0.001).prod(),
    "extremes": lambda: a.max(axis=1) - a.min(axis=1),
    "arguments": lambda: a.argmax(axis=0) + a.argmin(axis=0),
    "moments": lambda: a.mean(axis=1) + a.var(axis=1) + a.std(axis=1),
    "any": lambda: (a > 3).any(axis=0) | (b < 0).all(axis=0),
    "norm": lambda: cupy.linalg.norm(a, axis=1),
    "count": lambda: cupy.count_nonzero(whole > 10),
    "cumsum": lambda: cupy.cumsum(a),
    "cumsum of rows": lambda: cupy.cumsum(a, axis=1),
    "cumprod": lambda: cupy.cumprod(1 + a * 0.001),
    "nansum": lambda: cupy.nansum(cupy.where(a > 1, cupy.nan, a)),
    "take": lambda: a[cupy.asarray([5, 2, 59, 0])],
    "take two": lambda: a[cupy.arange(20), cupy.arange(20)],
    "mask": lambda: a[a > 0].sum(),
    "put": lambda: cupyx.scatter_add(cupy.zeros(50, cupy.float32), cupy.abs(whole.ravel()) % 50, a.ravel()),
    "nonzero": lambda: cupy.nonzero(whole > 20)[0],
    "unique counts": lambda: cupy.bincount(whole.ravel() + 50),
    "digitize": lambda: cupy.digitize(a, cupy.linspace(-2, 2, 9, dtype=cupy.float32)),
    "histogram": lambda: cupy.histogram(a, bins=16)[0],
    "searchsorted": lambda: cupy.searchsorted(cupy.arange(100), whole.ravel()),
    "diff": lambda: cupy.diff(a, axis=0),
    "roll": lambda: cupy.roll(a, 3, axis=1),
    "tile": lambda: cupy.tile(a, (2, 2)),
    "repeat": lambda: cupy.repeat(a, 3, axis=0),
    "concatenate": lambda: cupy.concatenate([a, b], axis=1),
    "stack": lambda: cupy.stack([a, b, a]),
    "pad": lambda: cupy.pad(a, 2, mode="reflect"),
    "flip": lambda: cupy.flip(a, 0),
    "triangle": lambda: cupy.tril(a) + cupy.triu(b),
    "eye": lambda: cupy.eye(50) + cupy.arange(50),
    "linspace": lambda: cupy.linspace(0, 1, 100) ** 3,
    "meshgrid": lambda: sum(cupy.meshgrid(cupy.arange(10), cupy.arange(20))),
    "outer": lambda: cupy.multiply.outer(a[0], b[0]),
    "matmul of integers": lambda: whole[:, :60] @ whole[:60],
    "dot of booleans": lambda: (a > 0)[:, :60] @ (b > 0)[:60],
    "interp": lambda: cupy.interp(a.ravel(), cupy.linspace(-3, 3, 20), cupy.arange(20.0)),
    "packbits": lambda: cupy.packbits(a > 0),
    "unpackbits": lambda: cupy.unpackbits(whole.astype(cupy.uint8)),
    "isclose": lambda: cupy.isclose(a, b).sum() + cupy.allclose(a, a),
    "minimum.reduce": lambda: cupy.minimum.reduce(a, axis=0),
    "percentile of constant": lambda: cupy.full(10, 3.0).ptp() if hasattr(cupy.ndarray, "ptp") else cupy.ptp(cupy.full(10, 3.0)),
    "gcd": lambda: cupy.gcd(whole, 12) + cupy.lcm(cupy.abs(whole) + 1, 4),
    "frexp": lambda: cupy.frexp(a)[0] + cupy.ldexp(b, 2),
    "bessel": lambda: __import__("cupyx.scipy.special").scipy.special.j0(a),
    "gamma": lambda: __import__("cupyx.scipy.special").scipy.special.gammaln(cupy.abs(a) + 1),
    "erf": lambda: __import__("cupyx.scipy.special").scipy.special.erf(a),
    "logsumexp": lambda: __import__("cupyx.scipy.special").scipy.special.logsumexp(a, axis=1),
}

IMAGES = ("gaussian_filter(a, 1.5)", "uniform_filter(a, 5)", "median_filter(a, 3)", "maximum_filter(a, 5)", "sobel(a)", "laplace(a)",
          "convolve(a, b[:5, :5])", "rotate(a, 30, reshape=False)", "zoom(a, 1.5)", "shift(a, (1.5, 2.5))", "affine_transform(a, cupy.eye(2) * 0.9)",
          "binary_erosion(a > 0)", "binary_dilation(a > 0)", "label(a > 0)[0]", "grey_closing(a, 3)", "map_coordinates(a, cupy.stack([a[:20] * 5 + 20, b[:20] * 5 + 20]))",
          "spline_filter(a)", "sum_labels(a, cupy.abs(whole) % 5, cupy.arange(5))", "distance_transform_edt(a > -1)", "percentile_filter(a, 30, 3)")

RAW = r"""
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>

template <typename T, int N> __global__ void sort_tiles(T *data) {
    using Load = cub::BlockLoad<T, 128, N, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<T, 128, N, cub::BLOCK_STORE_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<T, 128, N>;
    __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; typename Sort::TempStorage sort; } s;
    T mine[N];
    Load(s.load).Load(data + blockIdx.x * 128 * N, mine);
    __syncthreads();
    Sort(s.sort).Sort(mine);
    __syncthreads();
    Store(s.store).Store(data + blockIdx.x * 128 * N, mine);
}

template <typename T> __global__ void scan_tiles(T *out, const T *in) {
    using Scan = cub::BlockScan<T, 128, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Scan::TempStorage s;
    T v = in[blockIdx.x * 128 + threadIdx.x], all;
    Scan(s).ExclusiveSum(v, v, all);
    out[blockIdx.x * 128 + threadIdx.x] = v + all;
}

template <typename T> __global__ void sum_tiles(T *out, const T *in) {
    using Reduce = cub::BlockReduce<T, 128>;
    using Warp = cub::WarpReduce<T>;
    __shared__ typename Reduce::TempStorage s;
    __shared__ typename Warp::TempStorage w[4];
    T v = in[blockIdx.x * 128 + threadIdx.x];
    T of_warp = Warp(w[threadIdx.x / 32]).Sum(v);
    T total = Reduce(s).Sum(v);
    if (threadIdx.x == 0) out[blockIdx.x] = total + of_warp;
}
"""


def raw():
    names = ["sort_tiles<int, 4>", "sort_tiles<float, 8>", "scan_tiles<int>", "scan_tiles<double>", "sum_tiles<float>", "sum_tiles<long long>"]
    module = cupy.RawModule(code=RAW, options=("-std=c++17",), name_expressions=names)
    results = []
    for name in names:
        kind = {"int": cupy.int32, "float": cupy.float32, "double": cupy.float64, "long long": cupy.int64}[name.split("<")[1].split(",")[0].rstrip(">")]
        data = (cupy.asarray(numbers.standard_normal(4096)) * 1000).astype(kind)
        out = cupy.zeros_like(data)
        kernel = module.get_function(name)
        if name.startswith("sort"):
            kernel((4096 // 128 // int(name.split(", ")[1].rstrip(">")),), (128,), (data,))
            out = data
        else:
            kernel((32,), (128,), (out, data))
        results.append(told(out))
    return " ".join(results)


@cupy.fuse()
def fused(x, y):
    return cupy.sqrt(cupy.abs(x * y)) + cupy.where(x > y, x, y * 2)


@cupy.fuse()
def fused_sum(x, y):
    return cupy.sum(x * y, axis=1)


def jitted():
    from cupyx import jit

    @jit.rawkernel()
    def reverse(out, x, n):
        tile = jit.shared_memory(cupy.float32, 128)
        t = jit.threadIdx.x
        tile[t] = x[jit.blockIdx.x * 128 + t]
        jit.syncthreads()
        out[jit.blockIdx.x * 128 + t] = tile[127 - t]

    out = cupy.zeros(4096, cupy.float32)
    reverse((32,), (128,), (out, a.ravel()[:4096].copy(), 4096))
    return told(out)


for name, work in STEPS.items():
    corpus.step(name, lambda work=work: told(work()))
for call in IMAGES:

    def image(call=call):
        import cupyx.scipy.ndimage as images

        return told(eval("images." + call, {"images": images, "a": a, "b": b, "whole": whole, "cupy": cupy}))

    corpus.step(call, image)
corpus.step("blocks of CUB", raw)
corpus.step("fused", lambda: told(fused(a, b)))
corpus.step("fused sum", lambda: told(fused_sum(a, b)))
corpus.step("jit", jitted)
kernel = cupy.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "inner")
corpus.step("reduction kernel", lambda: told(kernel(a, b)) + " " + told(kernel(a, b, axis=1)) + " " + told(kernel(a, b, axis=0)))
corpus.end()
