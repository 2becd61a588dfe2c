"""Kernels by Numba for the set tests/data/variants, each in several variants: block sizes, tiles.

    variants_numba.py FOLDER    writes FOLDER/numba.jsonl and FOLDER/numba.files"""
import math

from numba_writer import FLAT, ROWS, WHOLE, Array, write

from numba import cuda, float32, int32


def saxpy(y, x, a):
    i = cuda.grid(1)
    if i < y.size:
        y[i] += a * x[i]


def strided(y, x, a):
    for i in range(cuda.grid(1), y.size, cuda.gridsize(1)):
        y[i] = math.exp(-x[i] * x[i]) * a + math.sqrt(abs(x[i]))


def product(c, a, b):
    ta, tb = cuda.shared.array((16, 16), float32), cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for at in range(a.shape[1] // 16):
        ta[ty, tx] = a[y, tx + at * 16]
        tb[ty, tx] = b[ty + at * 16, x]
        cuda.syncthreads()
        for k in range(16):
            total += ta[ty, k] * tb[k, tx]
        cuda.syncthreads()
    c[y, x] = total


def product_plain(c, a, b):
    x, y = cuda.grid(2)
    total = float32(0)
    for k in range(a.shape[1]):
        total += a[y, k] * b[k, x]
    c[y, x] = total


def transpose(y, x):
    tile = cuda.shared.array((32, 33), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty
    for k in range(0, 32, cuda.blockDim.y):
        tile[ty + k, tx] = x[row + k, column]
    cuda.syncthreads()
    column, row = cuda.blockIdx.y * 32 + tx, cuda.blockIdx.x * 32 + ty
    for k in range(0, 32, cuda.blockDim.y):
        y[row + k, column] = tile[tx, ty + k]


def sum_all(y, x):
    sums = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    v = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        v += x[i]
    for k in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, k)
    if t % 32 == 0:
        sums[t // 32] = v
    cuda.syncthreads()
    if t == 0:
        v = float32(0)
        for k in range(cuda.blockDim.x // 32):
            v += sums[k]
        cuda.atomic.add(y, 0, v)


def last_block(y, x, parts, done):
    tile = cuda.shared.array(256, float32)
    flag = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    v = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        v += x[i]
    tile[t] = v
    cuda.syncthreads()
    step = 128
    while step:
        if t < step:
            tile[t] += tile[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        parts[cuda.blockIdx.x] = tile[0]
        cuda.threadfence()
        flag[0] = cuda.atomic.add(done, 0, 1)
    cuda.syncthreads()
    if flag[0] == cuda.gridDim.x - 1 and t == 0:
        v = float32(0)
        for k in range(cuda.gridDim.x):
            v += parts[k]
        y[0] = v


def laplace(y, x):
    j, i = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        y[i, j] = 0.25 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


def histogram(bins, x):
    mine = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    for k in range(t, 256, cuda.blockDim.x):
        mine[k] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, x[i], 1)
    cuda.syncthreads()
    for k in range(t, 256, cuda.blockDim.x):
        cuda.atomic.add(bins, k, mine[k])


def bodies(y, x):
    i = cuda.grid(1)
    ax = ay = az = float32(0)
    px, py, pz = x[i, 0], x[i, 1], x[i, 2]
    for j in range(x.shape[0]):
        dx, dy, dz = x[j, 0] - px, x[j, 1] - py, x[j, 2] - pz
        r = dx * dx + dy * dy + dz * dz + float32(0.01)
        s = x[j, 3] / (r * math.sqrt(r))
        ax += dx * s
        ay += dy * s
        az += dz * s
    y[i, 0], y[i, 1], y[i, 2] = ax, ay, az


def launches(w):
    n = 1 << 21
    for block in (64, 256, 1024):
        w.launch(saxpy, (FLAT, FLAT, float32), (n // block,), (block,), Array(n, seed=2), Array(n), 1.5)
    for blocks, block in ((264, 256), (2048, 256), (528, 1024)):
        w.launch(strided, (FLAT, FLAT, float32), (blocks,), (block,), Array(n, out=True), Array(n), 1.5)
    w.launch(product, (ROWS, ROWS, ROWS), (24, 24), (16, 16), Array(384, 384, out=True), Array(384, 384), Array(384, 384, seed=2))
    for block in ((16, 16), (32, 8)):
        w.launch(product_plain, (ROWS, ROWS, ROWS), (384 // block[0], 384 // block[1]), block, Array(384, 384, out=True), Array(384, 384),
                 Array(384, 384, seed=2))
    for rows in (4, 8, 32):
        w.launch(transpose, (ROWS, ROWS), (48, 48), (32, rows), Array(1536, 1536, out=True), Array(1536, 1536))
    for blocks, block in ((132, 256), (528, 256), (264, 1024)):
        w.launch(sum_all, (FLAT, FLAT), (blocks,), (block,), Array(1, out=True), Array(n))
    for blocks in (132, 1056):
        w.launch(last_block, (FLAT, FLAT, FLAT, WHOLE), (blocks,), (256,), Array(1, out=True), Array(n), Array(blocks, out=True), Array(1, kind="i32", out=True))
    for block in ((32, 8), (16, 16), (128, 2)):
        w.launch(laplace, (ROWS, ROWS), (1920 // block[0], 1024 // block[1]), block, Array(1024, 1920, out=True), Array(1024, 1920))
    for blocks, block in ((132, 256), (528, 256), (264, 1024)):
        w.launch(histogram, (WHOLE, WHOLE), (blocks,), (block,), Array(256, kind="i32", out=True), Array(n, kind="i32", below=256))
    for block in (64, 256):
        w.launch(bodies, (ROWS, ROWS), (4096 // block,), (block,), Array(4096, 4, out=True), Array(4096, 4))


if __name__ == "__main__":
    write(launches, __doc__)
