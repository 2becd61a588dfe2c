"""Kernels by Numba for the set tests/data/blind: images, numerical methods, sparse work, orders, codes.

    blind_numba.py FOLDER    writes FOLDER/numba.jsonl and FOLDER/numba.files"""
import math

from numba_writer import BLOCKS, DOUBLE_ROWS, FLAT, ROWS, WHOLE, WHOLE_ROWS, Array, write

from numba import cuda, float32, float64, int32


def softmax(y, x):
    room = cuda.shared.array(32, float32)
    row, t, lane, warp = cuda.blockIdx.x, cuda.threadIdx.x, cuda.threadIdx.x % 32, cuda.threadIdx.x // 32
    m = float32(-3e38)
    for i in range(t, x.shape[1], cuda.blockDim.x):
        m = max(m, x[row, i])
    for k in (16, 8, 4, 2, 1):
        m = max(m, cuda.shfl_xor_sync(0xFFFFFFFF, m, k))
    if lane == 0:
        room[warp] = m
    cuda.syncthreads()
    for k in range(cuda.blockDim.x // 32):
        m = max(m, room[k])
    cuda.syncthreads()
    s = float32(0)
    for i in range(t, x.shape[1], cuda.blockDim.x):
        e = math.exp(x[row, i] - m)
        y[row, i] = e
        s += e
    for k in (16, 8, 4, 2, 1):
        s += cuda.shfl_xor_sync(0xFFFFFFFF, s, k)
    if lane == 0:
        room[warp] = s
    cuda.syncthreads()
    s = float32(0)
    for k in range(cuda.blockDim.x // 32):
        s += room[k]
    for i in range(t, x.shape[1], cuda.blockDim.x):
        y[row, i] /= s


def norm_rows(y, x):
    row, lane = cuda.grid(1) // 32, cuda.threadIdx.x % 32
    if row >= x.shape[0]:
        return
    s, q = float32(0), float32(0)
    for i in range(lane, x.shape[1], 32):
        v = x[row, i]
        s += v
        q += v * v
    for k in (16, 8, 4, 2, 1):
        s += cuda.shfl_xor_sync(0xFFFFFFFF, s, k)
        q += cuda.shfl_xor_sync(0xFFFFFFFF, q, k)
    mean = s / x.shape[1]
    r = float32(1) / math.sqrt(q / x.shape[1] - mean * mean + float32(1e-5))
    for i in range(lane, x.shape[1], 32):
        y[row, i] = (x[row, i] - mean) * r


def sobel(y, x):
    j, i = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        a = x[i - 1, j + 1] + 2 * x[i, j + 1] + x[i + 1, j + 1] - x[i - 1, j - 1] - 2 * x[i, j - 1] - x[i + 1, j - 1]
        b = x[i + 1, j - 1] + 2 * x[i + 1, j] + x[i + 1, j + 1] - x[i - 1, j - 1] - 2 * x[i - 1, j] - x[i - 1, j + 1]
        y[i, j] = math.sqrt(a * a + b * b)


def resize(y, x):
    j, i = cuda.grid(2)
    if i < y.shape[0] and j < y.shape[1]:
        v, u = float32(i) * float32(0.73), float32(j) * float32(0.61)
        a, b = int(v), int(u)
        p, q = v - a, u - b
        y[i, j] = (x[a, b] * (1 - q) + x[a, b + 1] * q) * (1 - p) + (x[a + 1, b] * (1 - q) + x[a + 1, b + 1] * q) * p


def filtered(y, x, w):
    i = cuda.grid(1)
    r = w.size // 2
    if r <= i < x.size - r:
        s = float32(0)
        for k in range(w.size):
            s += x[i + k - r] * w[k]
        y[i] = s


def filtered_shared(y, x, w):
    tile = cuda.shared.array(512, float32)
    taps = cuda.shared.array(64, float32)
    t, base = cuda.threadIdx.x, cuda.blockIdx.x * cuda.blockDim.x
    r = w.size // 2
    for k in range(t, cuda.blockDim.x + 2 * r, cuda.blockDim.x):
        at = base + k - r
        tile[k] = x[at] if 0 <= at < x.size else float32(0)
    if t < w.size:
        taps[t] = w[t]
    cuda.syncthreads()
    s = float32(0)
    for k in range(w.size):
        s += tile[t + k] * taps[k]
    if base + t < y.size:
        y[base + t] = s


def options(call, put, price, strike):
    i = cuda.grid(1)
    if i < price.size:
        s, x = 5 + 20 * abs(price[i]), 5 + 20 * abs(strike[i])
        d = (math.log(s / x) + float32(0.065)) / float32(0.3)
        a = float32(0.5) * (1 + math.erf(d * float32(0.70710678)))
        b = float32(0.5) * (1 + math.erf((d - float32(0.3)) * float32(0.70710678)))
        call[i] = s * a - x * float32(0.98) * b
        put[i] = x * float32(0.98) * (1 - b) - s * (1 - a)


def paths(y, steps):
    i = cuda.grid(1)
    state = int32(i * 1103515245 + 12345)
    v = float32(1)
    for _ in range(steps):
        state = int32(state * 1664525 + 1013904223)
        u = float32((state >> 8) & 0xFFFF) * float32(1.5e-5)
        v *= 1 + float32(0.01) * (u - float32(0.5))
        if v > 2:
            v = float32(2)
    y[i] = v


def great_circle(y, x):
    i = cuda.grid(1)
    if i < y.size:
        a, b, c, d = x[i, 0], x[i, 1], x[i, 2], x[i, 3]
        u, v = math.sin((c - a) / 2), math.sin((d - b) / 2)
        y[i] = 2 * math.asin(min(float32(1), math.sqrt(u * u + math.cos(a) * math.cos(c) * v * v)))


def julia(y, most):
    j, i = cuda.grid(2)
    a, b = float32(j) / y.shape[1] * 3 - float32(1.5), float32(i) / y.shape[0] * 2 - 1
    n = 0
    while n < most and a * a + b * b < 4:
        a, b = a * a - b * b - float32(0.8), 2 * a * b + float32(0.156)
        n += 1
    y[i, j] = n


def collatz(y):
    i = cuda.grid(1)
    if i < y.size:
        n, steps = i + 1, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        y[i] = steps


def life(y, x):
    j, i = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        n = 0
        for a in range(-1, 2):
            for b in range(-1, 2):
                if a != 0 or b != 0:
                    n += x[i + a, j + b]
        y[i, j] = 1 if n == 3 or (n == 2 and x[i, j] == 1) else 0


def shortest(d, k):
    j, i = cuda.grid(2)
    if i < d.shape[0] and j < d.shape[1]:
        d[i, j] = min(d[i, j], abs(d[i, k]) + abs(d[k, j]))


def sparse(y, value, column, x):
    i = cuda.grid(1)
    if i < y.size:
        s = float32(0)
        for k in range(value.shape[1]):
            s += value[i, k] * x[column[i, k]]
        y[i] = s


def sparse_turned(y, value, column, x):
    i = cuda.grid(1)
    if i < y.size:
        s = float32(0)
        for k in range(value.shape[0]):
            s += value[k, i] * x[column[k, i]]
        y[i] = s


def turned_product(y, a, x):
    j = cuda.grid(1)
    s = float32(0)
    for i in range(cuda.blockIdx.y * 64, cuda.blockIdx.y * 64 + 64):
        s += a[i, j] * x[i]
    cuda.atomic.add(y, j, s)


def double_product(c, a, b):
    ta, tb = cuda.shared.array((16, 17), float64), cuda.shared.array((16, 17), float64)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    s = 0.0
    for at in range(0, a.shape[1], 16):
        ta[ty, tx] = a[i, at + tx]
        tb[ty, tx] = b[at + ty, j]
        cuda.syncthreads()
        for k in range(16):
            s += ta[ty, k] * tb[k, tx]
        cuda.syncthreads()
    c[i, j] = s


def scan(y, x):
    s = cuda.shared.array((2, 1024), float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    s[0, t] = x[i]
    now, step = 0, 1
    while step < cuda.blockDim.x:
        cuda.syncthreads()
        s[1 - now, t] = s[now, t] + (s[now, t - step] if t >= step else float32(0))
        now, step = 1 - now, step * 2
    cuda.syncthreads()
    y[i] = s[now, t]


def bitonic_step(x, j, k):
    i = cuda.grid(1)
    other = i ^ j
    if other > i:
        a, b = x[i], x[other]
        if (a > b) == ((i & k) == 0):
            x[i] = b
            x[other] = a


def digits(counts, x):
    mine = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    for k in range(t, 256, cuda.blockDim.x):
        mine[k] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, (x[i] >> 8) & 255, 1)
    cuda.syncthreads()
    for k in range(t, 256, cuda.blockDim.x):
        counts[cuda.blockIdx.x, k] = mine[k]


def largest(y, x):
    i = cuda.grid(1)
    m = float32(-3e38)
    for k in range(i, x.size, cuda.gridsize(1)):
        m = max(m, x[k])
    cuda.atomic.max(y, 0, m)


def factors(a):
    t = cuda.grid(1)
    if t >= a.shape[0]:
        return
    m = cuda.local.array((6, 6), float32)
    for i in range(6):
        for j in range(6):
            m[i, j] = a[t, i, j] + (20 if i == j else 0)
    for k in range(6):
        for i in range(k + 1, 6):
            f = m[i, k] / m[k, k]
            m[i, k] = f
            for j in range(k + 1, 6):
                m[i, j] -= f * m[k, j]
    for i in range(6):
        for j in range(6):
            a[t, i, j] = m[i, j]


def box(y, x):
    k, j, i = cuda.grid(3)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1 and 0 < k < x.shape[2] - 1:
        s = float32(0)
        for a in range(-1, 2):
            for b in range(-1, 2):
                for c in range(-1, 2):
                    s += x[i + a, j + b, k + c]
        y[i, j, k] = s / 27


def nearest(y, points, centres):
    tile = cuda.shared.array((64, 4), float32)
    t = cuda.threadIdx.x
    for k in range(t, 256, cuda.blockDim.x):
        tile[k // 4, k % 4] = centres[k // 4, k % 4]
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < y.size:
        best, at = float32(3e38), 0
        for k in range(64):
            d = float32(0)
            for c in range(4):
                e = points[i, c] - tile[k, c]
                d += e * e
            if d < best:
                best, at = d, k
        y[i] = at


def scattered(y, x, index):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(y, index[i], x[i])


def launches(w):
    for block in (64, 256):
        w.launch(softmax, (ROWS, ROWS), (1500,), (block,), Array(1500, 1000, out=True), Array(1500, 1000))
    for block in (64, 256):
        w.launch(norm_rows, (ROWS, ROWS), (3000 * 32 // block,), (block,), Array(3000, 700, out=True), Array(3000, 700))
    for block in ((32, 8), (64, 2), (8, 32)):
        w.launch(sobel, (ROWS, ROWS), (1600 // block[0], 1024 // block[1]), block, Array(1024, 1600, out=True), Array(1024, 1600))
    for block in ((32, 8), (16, 16)):
        w.launch(resize, (ROWS, ROWS), (1280 // block[0], 960 // block[1]), block, Array(960, 1280, out=True), Array(720, 800))
    n = 1 << 20
    for work in (filtered, filtered_shared):
        for block in (128, 256):
            w.launch(work, (FLAT, FLAT, FLAT), (n // block,), (block,), Array(n, out=True), Array(n), Array(33, seed=2))
    for block in (64, 512):
        w.launch(options, (FLAT,) * 4, (n // block,), (block,), Array(n, out=True), Array(n, out=True), Array(n), Array(n, seed=2))
        w.launch(great_circle, (FLAT, ROWS), (n // block,), (block,), Array(n, out=True), Array(n, 4))
    for blocks, block in ((264, 256), (1056, 64)):
        w.launch(paths, (FLAT, int32), (blocks,), (block,), Array(264 * 256, out=True), 120)
    for block in ((32, 4), (8, 16)):
        w.launch(julia, (WHOLE_ROWS, int32), (1024 // block[0], 512 // block[1]), block, Array(512, 1024, kind="i32", out=True), 60)
        w.launch(life, (WHOLE_ROWS, WHOLE_ROWS), (2048 // block[0], 512 // block[1]), block, Array(512, 2048, kind="i32", out=True), Array(512, 2048, kind="i32", below=2))
        w.launch(shortest, (ROWS, int32), (1024 // block[0], 1024 // block[1]), block, Array(1024, 1024), 500)
    w.launch(collatz, (WHOLE,), (800,), (128,), Array(100000, kind="i32", out=True))
    rows, each = 40000, 20
    w.launch(sparse, (FLAT, ROWS, WHOLE_ROWS, FLAT), (313,), (128,), Array(rows, out=True), Array(rows, each), Array(rows, each, kind="i32", below=rows), Array(rows, seed=2))
    w.launch(sparse_turned, (FLAT, ROWS, WHOLE_ROWS, FLAT), (313,), (128,), Array(rows, out=True), Array(each, rows), Array(each, rows, kind="i32", below=rows), Array(rows, seed=2))
    for block in (64, 256):
        w.launch(turned_product, (FLAT, ROWS, FLAT), (2048 // block, 16), (block,), Array(2048, out=True), Array(1024, 2048), Array(1024, seed=2))
    w.launch(double_product, (DOUBLE_ROWS,) * 3, (20, 20), (16, 16), Array(320, 320, kind="f64", out=True), Array(320, 320, kind="f64"), Array(320, 320, kind="f64", seed=2))
    for block in (128, 1024):
        w.launch(scan, (FLAT, FLAT), (n // block,), (block,), Array(n, out=True), Array(n))
    for j, k in ((1 << 16, 1 << 18), (4, 8)):
        w.launch(bitonic_step, (FLAT, int32, int32), (n // 256,), (256,), Array(n), j, k)
    for blocks in (132, 528):
        w.launch(digits, (WHOLE_ROWS, WHOLE), (blocks,), (256,), Array(blocks, 256, kind="i32", out=True), Array(n, kind="i32", below=1 << 20))
        w.launch(largest, (FLAT, FLAT), (blocks,), (128,), Array(1, out=True), Array(n))
    for block in (32, 128):
        w.launch(factors, (BLOCKS,), (20000 // block + 1,), (block,), Array(20000, 6, 6))
    for block in ((32, 4, 2), (64, 2, 1)):
        w.launch(box, (BLOCKS, BLOCKS), (128 // block[0], 96 // block[1], 64 // block[2]), block, Array(64, 96, 128, out=True), Array(64, 96, 128))
    for block in (64, 256):
        w.launch(nearest, (WHOLE, ROWS, ROWS), (100000 // block + 1,), (block,), Array(100000, kind="i32", out=True), Array(100000, 4), Array(64, 4, seed=2))
    w.launch(scattered, (FLAT, FLAT, WHOLE), (2048,), (256,), Array(50000, out=True), Array(n // 2), Array(n // 2, kind="i32", below=50000))


if __name__ == "__main__":
    write(launches, __doc__)
