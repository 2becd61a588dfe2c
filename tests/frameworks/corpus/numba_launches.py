"""Ordinary Numba kernels: element-wise work, tiles in shared memory, reductions, scans, sorts, histograms, atomics, warps, cooperative groups."""
import math

import numpy

if not hasattr(numpy, "row_stack"):  # which Numba still asks for
    numpy.row_stack = numpy.vstack
from numba import cuda, float32, float64, int32, vectorize, guvectorize
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float32, xoroshiro128p_uniform_float32

from tensors import Corpus, digest

numbers = numpy.random.default_rng(11)
corpus = Corpus()
THREADS = 128
WITH_EDGES = THREADS + 2


def randn(*shape):
    return numbers.standard_normal(shape).astype(numpy.float32)


def kernel_step(name, kernel, grid, block, *arrays, outputs=1, shared=0):
    """Runs a kernel; the first `outputs` arguments are its results."""

    def run():
        there = [cuda.to_device(a) if isinstance(a, numpy.ndarray) else a for a in arrays]
        kernel[grid, block, 0, shared](*there)
        return " ".join(digest(t.copy_to_host().view(numpy.float32 if t.dtype.kind == "V" else t.dtype)) for t in there[:outputs])

    corpus.step(name, run)


@cuda.jit
def saxpy(out, x, y, a):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


@cuda.jit
def strided(out, x):
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = math.exp(-x[i] * x[i]) + math.sin(x[i])


@cuda.jit
def product(c, a, b):
    ta, tb = cuda.shared.array((16, 16), float32), cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for at in range((a.shape[1] + 15) // 16):
        ta[ty, tx] = a[y, tx + at * 16] if y < a.shape[0] and tx + at * 16 < a.shape[1] else 0
        tb[ty, tx] = b[ty + at * 16, x] if x < b.shape[1] and ty + at * 16 < b.shape[0] else 0
        cuda.syncthreads()
        for k in range(16):
            total += ta[ty, k] * tb[k, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


@cuda.jit
def transpose(out, x):
    tile = cuda.shared.array((32, 33), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty
    for k in range(0, 32, 8):
        if row + k < x.shape[0] and column < x.shape[1]:
            tile[ty + k, tx] = x[row + k, column]
    cuda.syncthreads()
    column, row = cuda.blockIdx.y * 32 + tx, cuda.blockIdx.x * 32 + ty
    for k in range(0, 32, 8):
        if row + k < out.shape[0] and column < out.shape[1]:
            out[row + k, column] = tile[tx, ty + k]


@cuda.jit
def tree_sum(out, x):
    tile = cuda.shared.array(THREADS, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    step = THREADS // 2
    while step:
        if t < step:
            tile[t] += tile[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, tile[0])


@cuda.jit(device=True)
def warp_sum(v):
    for step in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, step)
    return v


@cuda.jit
def shuffled_sum(out, x):
    sums = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    v = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        v += x[i]
    v = warp_sum(v)
    if t % 32 == 0:
        sums[t // 32] = v
    cuda.syncthreads()
    if t < 32:
        v = sums[t] if t < cuda.blockDim.x // 32 else float32(0)
        v = warp_sum(v)
        if t == 0:
            cuda.atomic.add(out, 0, v)


@cuda.jit
def scan_block(out, x):
    tile = cuda.shared.array((2, THREADS), float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[0, t] = x[i]
    cuda.syncthreads()
    side, step = 0, 1
    while step < THREADS:
        tile[1 - side, t] = tile[side, t] + tile[side, t - step] if t >= step else tile[side, t]
        side = 1 - side
        step *= 2
        cuda.syncthreads()
    out[i] = tile[side, t]


@cuda.jit
def bitonic(x):
    tile = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    base = cuda.blockIdx.x * 256
    tile[t], tile[t + 128] = x[base + t], x[base + t + 128]
    size = 2
    while size <= 256:
        step = size // 2
        while step:
            cuda.syncthreads()
            at = 2 * step * (t // step) + t % step
            up = (at & size) == 0
            a, b = tile[at], tile[at + step]
            if (a > b) == up:
                tile[at], tile[at + step] = b, a
            step //= 2
        size *= 2
    cuda.syncthreads()
    x[base + t], x[base + t + 128] = tile[t], tile[t + 128]


@cuda.jit
def histogram(bins, x):
    mine = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    if t < 64:
        mine[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, x[i] % 64, 1)
    cuda.syncthreads()
    if t < 64:
        cuda.atomic.add(bins, t, mine[t])


@cuda.jit
def extremes(out, x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.max(out, 0, x[i])
        cuda.atomic.min(out, 1, x[i])


@cuda.jit
def count_by_vote(out, x):
    i = cuda.grid(1)
    mask = cuda.ballot_sync(0xFFFFFFFF, i < x.size and x[i] > 0)
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, cuda.popc(mask))


@cuda.jit
def stencil(out, x):
    tile = cuda.shared.array(WITH_EDGES, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if i < x.size:
        tile[t + 1] = x[i]
        if t == 0:
            tile[0] = x[i - 1] if i > 0 else x[i]
        if t == cuda.blockDim.x - 1 or i == x.size - 1:
            tile[t + 2] = x[i + 1] if i + 1 < x.size else x[i]
    cuda.syncthreads()
    if i < x.size:
        out[i] = 0.25 * tile[t] + 0.5 * tile[t + 1] + 0.25 * tile[t + 2]


@cuda.jit
def laplace(out, x):
    i, j = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        out[i, j] = 0.25 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


@cuda.jit
def mandelbrot(out, limit):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        c = complex(-2 + 3 * j / out.shape[1], -1.2 + 2.4 * i / out.shape[0])
        z = complex(0, 0)
        n = 0
        while n < limit and z.real * z.real + z.imag * z.imag < 4:
            z = z * z + c
            n += 1
        out[i, j] = n


@cuda.jit
def bodies(out, at):
    tile = cuda.shared.array((THREADS, 3), float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    x, y, z = at[i, 0], at[i, 1], at[i, 2]
    ax = ay = az = float32(0)
    for base in range(0, at.shape[0], THREADS):
        for k in range(3):
            tile[t, k] = at[base + t, k]
        cuda.syncthreads()
        for j in range(THREADS):
            dx, dy, dz = tile[j, 0] - x, tile[j, 1] - y, tile[j, 2] - z
            r = 1 / math.sqrt(dx * dx + dy * dy + dz * dz + float32(0.01))
            ax += dx * r * r * r
            ay += dy * r * r * r
            az += dz * r * r * r
        cuda.syncthreads()
    out[i, 0], out[i, 1], out[i, 2] = ax, ay, az


@cuda.jit
def estimate_pi(out, states, n):
    i = cuda.grid(1)
    inside = 0
    for _ in range(n):
        x, y = xoroshiro128p_uniform_float32(states, i), xoroshiro128p_uniform_float32(states, i)
        inside += 1 if x * x + y * y < 1 else 0
    out[i] = inside / n * 4 + 0 * xoroshiro128p_normal_float32(states, i)


@cuda.jit
def local_sort(out, x):
    mine = cuda.local.array(8, float32)
    i = cuda.grid(1)
    for k in range(8):
        mine[k] = x[i, k]
    for a in range(1, 8):
        v = mine[a]
        b = a
        while b > 0 and mine[b - 1] > v:
            mine[b] = mine[b - 1]
            b -= 1
        mine[b] = v
    for k in range(8):
        out[i, k] = mine[k]


@cuda.jit
def dynamic_shared(out, x):
    tile = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    tile[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = tile[cuda.blockDim.x - 1 - t]


TABLE = numpy.arange(16, dtype=numpy.float32) ** 2


@cuda.jit
def constant(out):
    table = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    out[i] = table[i % 16]


@cuda.jit
def compare_and_swap(out, x):
    i = cuda.grid(1)
    at = x[i] % out.size
    while True:
        old = cuda.atomic.cas(out, at, -1, x[i])
        if old == -1 or old == x[i]:
            break
        at = (at + 1) % out.size


@cuda.jit
def spin_lock(lock, total, x):
    t = cuda.threadIdx.x
    if t == 0:
        while cuda.atomic.cas(lock, 0, 0, 1) != 0:
            pass
        cuda.threadfence()
        total[0] += x[cuda.blockIdx.x]
        cuda.threadfence()
        cuda.atomic.exch(lock, 0, 0)


@cuda.jit
def last_block(out, parts, done, x):
    tile = cuda.shared.array(THREADS, float32)
    last = cuda.shared.array(1, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = x[i]
    cuda.syncthreads()
    step = THREADS // 2
    while step:
        if t < step:
            tile[t] += tile[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        parts[cuda.blockIdx.x] = tile[0]
        cuda.threadfence()
        last[0] = cuda.atomic.add(done, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 0:
        total = float32(0)
        for b in range(cuda.gridDim.x):
            total += parts[b]
        out[0] = total


@cuda.jit
def rows_in_turn(x):
    column = cuda.grid(1)
    grid = cuda.cg.this_grid()
    for row in range(1, x.shape[0]):
        x[row, column] = x[row - 1, x.shape[1] - 1 - column] + 1
        grid.sync()


@cuda.jit
def by_match(out, x):
    i = cuda.grid(1)
    mask = cuda.match_any_sync(0xFFFFFFFF, x[i])
    cuda.syncwarp()
    if cuda.laneid == cuda.ffs(mask) - 1:
        cuda.atomic.add(out, x[i], cuda.popc(mask))


@cuda.jit
def matrix_vector(out, values, columns, starts, x):
    row = cuda.grid(1)
    if row < out.size:
        total = float64(0)
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        out[row] = total


@cuda.jit
def breadth_first(level, columns, starts, now, reached):
    v = cuda.grid(1)
    if v < level.size and cuda.atomic.add(level, v, 0) == now:
        for k in range(starts[v], starts[v + 1]):
            w = columns[k]
            if cuda.atomic.cas(level, w, -1, now + 1) == -1:
                cuda.atomic.add(reached, 0, 1)


@vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="cuda")
def hypotenuse(a, b):
    return math.sqrt(a * a + b * b)


@guvectorize(["void(float32[:], float32[:], float32[:])"], "(n),(n)->()", target="cuda")
def dot_rows(a, b, out):
    total = float32(0)
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    out[0] = total


@cuda.reduce
def sum_of(a, b):
    return a + b


def sparse(rows, most):
    counts = numbers.integers(0, most, rows)
    starts = numpy.concatenate([[0], numpy.cumsum(counts)]).astype(numpy.int32)
    columns = numbers.integers(0, rows, starts[-1]).astype(numpy.int32)
    return starts, columns


n = 128 * 64
x, y, one = randn(n), randn(n), numpy.zeros(1, numpy.float32)
for size in (1, 1000, n):
    kernel_step(f"saxpy {size}", saxpy, (size + 127) // 128, 128, numpy.zeros(size, numpy.float32), x[:size].copy(), y[:size].copy(), 2.5)
kernel_step("strided", strided, 8, 256, numpy.zeros(n, numpy.float32), x)
for m, k, p in ((32, 32, 32), (50, 70, 40)):
    kernel_step(f"product {m} x {k} x {p}", product, ((p + 15) // 16, (m + 15) // 16), (16, 16), numpy.zeros((m, p), numpy.float32),
                randn(m, k), randn(k, p))
kernel_step("transpose", transpose, (3, 2), (32, 8), numpy.zeros((80, 60), numpy.float32), randn(60, 80))
kernel_step("tree", tree_sum, 64, THREADS, one.copy(), x)
kernel_step("shuffled", shuffled_sum, 8, 256, one.copy(), x)
kernel_step("scan", scan_block, 64, THREADS, numpy.zeros(n, numpy.float32), x)
kernel_step("bitonic", bitonic, n // 256, 128, x.copy())
kernel_step("histogram", histogram, 8, 256, numpy.zeros(64, numpy.int32), numbers.integers(0, 1000, n).astype(numpy.int32))
kernel_step("extremes", extremes, 8, 128, numpy.zeros(2, numpy.float32), x)
kernel_step("votes", count_by_vote, 65, 128, numpy.zeros(1, numpy.int32), x)
kernel_step("stencil", stencil, 63, THREADS, numpy.zeros(8000, numpy.float32), x[:8000].copy())
kernel_step("laplace", laplace, (5, 5), (16, 16), numpy.zeros((70, 70), numpy.float32), randn(70, 70))
kernel_step("mandelbrot", mandelbrot, (4, 4), (16, 16), numpy.zeros((60, 60), numpy.int32), 50)
kernel_step("bodies", bodies, 4, THREADS, numpy.zeros((512, 3), numpy.float32), randn(512, 3))
corpus.step("random", lambda: kernel_step("pi", estimate_pi, 4, 64, numpy.zeros(256, numpy.float32),
                                          create_xoroshiro128p_states(256, seed=1), 50))
kernel_step("local", local_sort, 4, 64, numpy.zeros((256, 8), numpy.float32), randn(256, 8))
kernel_step("dynamic", dynamic_shared, 8, 128, numpy.zeros(1024, numpy.float32), x[:1024].copy(), shared=512)
kernel_step("constant", constant, 2, 64, numpy.zeros(128, numpy.float32))
kernel_step("table", compare_and_swap, 4, 64, numpy.full(1024, -1, numpy.int32), numbers.integers(0, 5000, 256).astype(numpy.int32))
kernel_step("lock", spin_lock, 16, 64, numpy.zeros(1, numpy.int32), one.copy(), x[:16].copy(), outputs=2)
kernel_step("last block", last_block, 16, THREADS, one.copy(), numpy.zeros(16, numpy.float32), numpy.zeros(1, numpy.int32), x[:2048].copy())
kernel_step("grid", rows_in_turn, 4, 64, numpy.zeros((6, 256), numpy.int32))
kernel_step("match", by_match, 8, 64, numpy.zeros(8, numpy.int32), numbers.integers(0, 8, 512).astype(numpy.int32))
starts, columns = sparse(500, 12)
kernel_step("matrix by vector", matrix_vector, 4, 128, numpy.zeros(500), numbers.standard_normal(columns.size), columns, starts,
            numbers.standard_normal(500))


def search():
    level = numpy.full(500, -1, numpy.int32)
    level[0] = 0
    level, there, begins = cuda.to_device(level), cuda.to_device(columns), cuda.to_device(starts)
    for now in range(20):
        reached = cuda.to_device(numpy.zeros(1, numpy.int32))
        breadth_first[4, 128](level, there, begins, now, reached)
        if not reached.copy_to_host()[0]:
            break
    return level.copy_to_host().max()


corpus.step("breadth first", search)
corpus.step("vectorize", lambda: digest(hypotenuse(x, y)))
corpus.step("guvectorize", lambda: digest(dot_rows(randn(40, 30), randn(40, 30))))
corpus.step("reduce", lambda: digest(sum_of(cuda.to_device(x.astype(numpy.float64)))))
corpus.end()
