"""Kernels by Numba for the set tests/data/unseen: graphs, dynamic programming, sounds, images, small systems.

    unseen_numba.py FOLDER    writes FOLDER/numba.jsonl and FOLDER/numba.files"""
import math

from numba_writer import BLOCKS, DOUBLE_ROWS, DOUBLES, FLAT, ROWS, WHOLE, WHOLE_ROWS, Array, write

from numba import cuda, float32, float64, int32


def page_rank(y, rank, next_of, degree):
    i = cuda.grid(1)
    if i < y.size:
        s = float32(0)
        for k in range(next_of.shape[1]):
            j = next_of[i, k]
            s += rank[j] / float32(degree[j] + 1)
        y[i] = float32(0.15) + float32(0.85) * s


def components(label, first, second):
    i = cuda.grid(1)
    if i < first.size:
        a, b = first[i], second[i]
        cuda.atomic.min(label, a, b)
        cuda.atomic.min(label, b, a)


def edit_costs(y, a, b):
    row = cuda.shared.array((2, 130), int32)
    t, pair = cuda.threadIdx.x, cuda.blockIdx.x
    for k in range(t, 130, cuda.blockDim.x):
        row[0, k] = k
        row[1, k] = 0
    cuda.syncthreads()
    for i in range(64):
        now, old = (i + 1) % 2, i % 2
        if t == 0:
            row[now, 0] = i + 1
        for k in range(t, 128, cuda.blockDim.x):
            same = 0 if (a[pair, i] & 3) == (b[pair, k] & 3) else 1
            row[now, k + 1] = min(row[old, k] + same, row[old, k + 1] + 1)
        cuda.syncthreads()
    if t == 0:
        y[pair] = row[0, 128]


def longest_rise(y, x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        best = cuda.local.array(32, int32)
        most = 0
        for k in range(32):
            b = 1
            for j in range(k):
                if x[i, j] < x[i, k] and best[j] + 1 > b:
                    b = best[j] + 1
            best[k] = b
            if b > most:
                most = b
        y[i] = most


def thomas(x, d):
    i = cuda.grid(1)
    if i < x.shape[1]:
        c = cuda.local.array(64, float32)
        p, q = float32(0), float32(0)
        for k in range(64):
            m = float32(1) / (float32(4) - p)
            p = m
            q = (d[k, i] + q) * m
            c[k] = p
            x[k, i] = q
        v = float32(0)
        for k in range(63, -1, -1):
            v = x[k, i] + c[k] * v
            x[k, i] = v


def cyclic_reduction(x, d):
    a = cuda.shared.array((2, 256), float32)
    b = cuda.shared.array((2, 256), float32)
    r = cuda.shared.array((2, 256), float32)
    t, row, n = cuda.threadIdx.x, cuda.blockIdx.x, cuda.blockDim.x
    a[0, t] = float32(-1)
    b[0, t] = float32(4)
    r[0, t] = d[row, t]
    cuda.syncthreads()
    now, step = 0, 1
    while step < n:
        low, high = max(t - step, 0), min(t + step, n - 1)
        f = a[now, t] / b[now, low] if t >= step else float32(0)
        g = a[now, t] / b[now, high] if t + step < n else float32(0)
        b[1 - now, t] = b[now, t] - f * a[now, low] - g * a[now, high]
        r[1 - now, t] = r[now, t] - f * r[now, low] - g * r[now, high]
        a[1 - now, t] = -(f * a[now, low] + g * a[now, high]) * float32(0.5)
        now, step = 1 - now, step * 2
        cuda.syncthreads()
    x[row, t] = r[now, t] / b[now, t]


def echoes(y, x, delay, gain):
    i = cuda.grid(1)
    if 4096 <= i < x.size:
        s = x[i]
        for k in range(delay.size):
            s += gain[k] * x[i - delay[k] - 1]
        y[i] = s


def envelope(y, x):
    c = cuda.grid(1)
    if c < x.shape[1]:
        e = float32(0)
        for t in range(x.shape[0]):
            v = abs(x[t, c])
            e += (v - e) * (float32(0.3) if v > e else float32(0.01))
            y[t, c] = e


def luminance(y, x):
    i = cuda.grid(1)
    if i < y.size:
        r, g, b = x[i, 0], x[i, 1], x[i, 2]
        v = float32(0.2126) * r + float32(0.7152) * g + float32(0.0722) * b
        y[i] = math.pow(abs(v), float32(0.45))


def erode(y, x):
    j, i = cuda.grid(2)
    if 2 <= i < x.shape[0] - 2 and 2 <= j < x.shape[1] - 2:
        m = x[i, j]
        for a in range(-2, 3):
            for b in range(-2, 3):
                m = min(m, x[i + a, j + b])
        y[i, j] = m


def erode_tiles(y, x):
    tile = cuda.shared.array((12, 36), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32 - 2, cuda.blockIdx.y * 8 - 2
    for e in range(ty * 32 + tx, 12 * 36, 256):
        a, b = top + e // 36, left + e % 36
        tile[e // 36, e % 36] = x[a, b] if 0 <= a < x.shape[0] and 0 <= b < x.shape[1] else float32(0)
    cuda.syncthreads()
    i, j = top + 2 + ty, left + 2 + tx
    if 2 <= i < x.shape[0] - 2 and 2 <= j < x.shape[1] - 2:
        m = tile[ty + 2, tx + 2]
        for a in range(5):
            for b in range(5):
                m = min(m, tile[ty + a, tx + b])
        y[i, j] = m


def diffuse(y, x):
    k, j, i = cuda.grid(3)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1 and 0 < k < x.shape[2] - 1:
        c = x[i, j, k]
        s = x[i - 1, j, k] + x[i + 1, j, k] + x[i, j - 1, k] + x[i, j + 1, k] + x[i, j, k - 1] + x[i, j, k + 1] - 6 * c
        y[i, j, k] = c + float32(0.1) * s / (1 + s * s)


def shallow(h, u, v, oh, ou, ov):
    j, i = cuda.grid(2)
    if 0 < i < h.shape[0] - 1 and 0 < j < h.shape[1] - 1:
        a = h[i, j + 1] - h[i, j - 1]
        b = h[i + 1, j] - h[i - 1, j]
        ou[i, j] = u[i, j] - float32(0.05) * a
        ov[i, j] = v[i, j] - float32(0.05) * b
        oh[i, j] = h[i, j] - float32(0.05) * (u[i, j + 1] - u[i, j - 1] + v[i + 1, j] - v[i - 1, j])


def deposit(grid, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        u = min(max(x[i] * float32(16) + float32(64), float32(0)), float32(126))
        v = min(max(y[i] * float32(16) + float32(64), float32(0)), float32(126))
        a, b, one = int32(u), int32(v), float32(1)
        p, q = u - float32(a), v - float32(b)
        cuda.atomic.add(grid, b * 128 + a, (one - p) * (one - q))
        cuda.atomic.add(grid, b * 128 + a + 1, p * (one - q))
        cuda.atomic.add(grid, b * 128 + a + 128, (one - p) * q)
        cuda.atomic.add(grid, b * 128 + a + 129, p * q)


def solve_four(x, a, b):
    t = cuda.grid(1)
    if t < b.shape[0]:
        m = cuda.local.array((4, 5), float32)
        for i in range(4):
            for j in range(4):
                m[i, j] = a[t, i, j] + (float32(8) if i == j else float32(0))
            m[i, 4] = b[t, i]
        for k in range(4):
            for i in range(k + 1, 4):
                f = m[i, k] / m[k, k]
                for j in range(k, 5):
                    m[i, j] -= f * m[k, j]
        for k in range(3, -1, -1):
            s = m[k, 4]
            for j in range(k + 1, 4):
                s -= m[k, j] * x[t, j]
            x[t, k] = s / m[k, k]


def double_dots(y, a, b):
    room = cuda.shared.array(32, float64)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    s = float64(0)
    for k in range(t, a.shape[1], cuda.blockDim.x):
        s += a[row, k] * b[row, k]
    for k in (16, 8, 4, 2, 1):
        s += cuda.shfl_xor_sync(0xFFFFFFFF, s, k)
    if t % 32 == 0:
        room[t // 32] = s
    cuda.syncthreads()
    if t == 0:
        s = float64(0)
        for k in range(cuda.blockDim.x // 32):
            s += room[k]
        y[row] = s


def quadrature(y, rounds):
    i = cuda.grid(1)
    a = float32(i) * float32(1e-4)
    s = float32(0)
    for k in range(rounds):
        v = a + (float32(k) + float32(0.5)) * float32(0.01)
        s += math.exp(-v) * math.cos(3 * v) / (1 + v * v)
    y[i] = s


def rolling(y, x):
    room = cuda.shared.array(1088, float32)
    t, base = cuda.threadIdx.x, cuda.blockIdx.x * cuda.blockDim.x
    for k in range(t, cuda.blockDim.x + 64, cuda.blockDim.x):
        room[k] = x[base + k] if base + k < x.size else float32(0)
    cuda.syncthreads()
    s, q = float32(0), float32(0)
    for k in range(64):
        v = room[t + k]
        s += v
        q += v * v
    if base + t < y.size:
        y[base + t] = math.sqrt(max(q / 64 - (s / 64) * (s / 64), float32(0)))


def sieve(y):
    i = cuda.grid(1)
    n = 2 * i + 3
    found = 1
    k = 3
    while k * k <= n and found == 1:
        if n % k == 0:
            found = 0
        k += 2
    if i < y.size:
        y[i] = found


def walk_lists(y, next_of, steps):
    i = cuda.grid(1)
    if i < y.size:
        at = i
        for _ in range(steps):
            at = next_of[at]
        y[i] = at


def launches(w):
    n = 60000
    for block in (64, 256):
        w.launch(page_rank, (FLAT, FLAT, WHOLE_ROWS, WHOLE), (n // block + 1,), (block,), Array(n, out=True), Array(n), Array(n, 12, kind="i32", below=n), Array(n, kind="i32", below=20))
    for block in (128, 512):
        w.launch(components, (WHOLE, WHOLE, WHOLE), (400000 // block + 1,), (block,), Array(n, kind="i32", below=n), Array(400000, kind="i32", below=n, seed=2),
                 Array(400000, kind="i32", below=n, seed=3))
    for block in (32, 64, 128):
        w.launch(edit_costs, (WHOLE, WHOLE_ROWS, WHOLE_ROWS), (1000,), (block,), Array(1000, kind="i32", out=True), Array(1000, 64, kind="i32", below=100),
                 Array(1000, 128, kind="i32", below=100, seed=2))
    for block in (64, 128, 256):
        w.launch(longest_rise, (WHOLE, ROWS), (32768 // block,), (block,), Array(32768, kind="i32", out=True), Array(32768, 32))
    for block in (32, 128, 256):
        w.launch(thomas, (ROWS, ROWS), (32768 // block,), (block,), Array(64, 32768, out=True), Array(64, 32768))
    w.launch(cyclic_reduction, (ROWS, ROWS), (3000,), (256,), Array(3000, 256, out=True), Array(3000, 256))
    n = 1 << 20
    for block in (64, 256, 1024):
        w.launch(echoes, (FLAT, FLAT, WHOLE, FLAT), (n // block,), (block,), Array(n, out=True), Array(n), Array(12, kind="i32", below=4000), Array(12, seed=2))
    for block in (32, 128):
        w.launch(envelope, (ROWS, ROWS), (8192 // block,), (block,), Array(200, 8192, out=True), Array(200, 8192))
    for block in (128, 512):
        w.launch(luminance, (FLAT, ROWS), (n // block,), (block,), Array(n, out=True), Array(n, 3))
    for block in ((32, 8), (16, 16), (128, 2)):
        w.launch(erode, (ROWS, ROWS), (1536 // block[0], 1024 // block[1]), block, Array(1024, 1536, out=True), Array(1024, 1536))
    w.launch(erode_tiles, (ROWS, ROWS), (48, 128), (32, 8), Array(1024, 1536, out=True), Array(1024, 1536))
    for block in ((32, 4, 2), (64, 2, 2), (8, 8, 4)):
        w.launch(diffuse, (BLOCKS, BLOCKS), (128 // block[0], 96 // block[1], 64 // block[2]), block, Array(64, 96, 128, out=True), Array(64, 96, 128))
    for block in ((32, 8), (64, 2), (16, 16)):
        w.launch(shallow, (ROWS,) * 6, (1024 // block[0], 1024 // block[1]), block, *[Array(1024, 1024, seed=s) for s in (1, 2, 3)], *[Array(1024, 1024, out=True) for _ in range(3)])
    for blocks, block in ((132, 256), (1056, 128)):
        w.launch(deposit, (FLAT, FLAT, FLAT), (blocks,), (block,), Array(128 * 128, out=True), Array(300000), Array(300000, seed=2))
    for block in (64, 256):
        w.launch(solve_four, (ROWS, BLOCKS, ROWS), (131072 // block,), (block,), Array(131072, 4, out=True), Array(131072, 4, 4), Array(131072, 4, seed=2))
    for block in (64, 128, 512):
        w.launch(double_dots, (DOUBLES, DOUBLE_ROWS, DOUBLE_ROWS), (1500,), (block,), Array(1500, kind="f64", out=True), Array(1500, 1000, kind="f64"), Array(1500, 1000, kind="f64", seed=2))
    for blocks, block in ((264, 256), (1056, 64), (66, 1024)):
        w.launch(quadrature, (FLAT, int32), (blocks,), (block,), Array(264 * 256, out=True), 100)
    for block in (128, 256, 1024):
        w.launch(rolling, (FLAT, FLAT), (n // block,), (block,), Array(n, out=True), Array(n))
    for blocks, block in ((1024, 128), (256, 512)):
        w.launch(sieve, (WHOLE,), (blocks,), (block,), Array(131072, kind="i32", out=True))
    for block in (32, 128, 512):
        w.launch(walk_lists, (WHOLE, WHOLE, int32), (65536 // block,), (block,), Array(65536, kind="i32", out=True), Array(1 << 20, kind="i32", below=1 << 20), 24)


if __name__ == "__main__":
    write(launches, __doc__)
