"""Kernels by Numba for the set tests/data/fresh: levels of graphs, clusters, waves, orbits, small systems, counts, sparse rows.

    fresh_numba.py FOLDER    writes FOLDER/numba.jsonl and FOLDER/numba.files"""
import math

from numba_writer import BLOCKS, DOUBLE_ROWS, DOUBLES, FLAT, ROWS, WHOLE, WHOLE_ROWS, Array, write

from numba import cuda, float32, float64, int32


def next_level(level, to, now):
    i = cuda.grid(1)
    if i < level.size and level[i] == now:
        for k in range(to.shape[1]):
            j = to[i, k]
            if level[j] > now:
                level[j] = now + 1


def closest(label, x, centre):
    i = cuda.grid(1)
    if i < label.size:
        best, where = float32(1e30), 0
        for c in range(centre.shape[0]):
            s = float32(0)
            for d in range(4):
                v = x[i, d] - centre[c, d]
                s += v * v
            if s < best:
                best, where = s, c
        label[i] = where


def closest_shared(label, x, centre):
    room = cuda.shared.array((24, 4), float32)
    for k in range(cuda.threadIdx.x, 96, cuda.blockDim.x):
        room[k // 4, k % 4] = centre[k // 4, k % 4]
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < label.size:
        a, b, c, d = x[i, 0], x[i, 1], x[i, 2], x[i, 3]
        best, where = float32(1e30), 0
        for k in range(24):
            p, q, r, t = a - room[k, 0], b - room[k, 1], c - room[k, 2], d - room[k, 3]
            s = p * p + q * q + r * r + t * t
            if s < best:
                best, where = s, k
        label[i] = where


def string_of_waves(new, now, old):
    j, i = cuda.grid(2)
    if 1 < i < now.shape[0] - 2 and 1 < j < now.shape[1] - 2:
        s = float32(-5) * now[i, j] + float32(1.3333333) * (now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1])
        s -= float32(0.083333333) * (now[i - 2, j] + now[i + 2, j] + now[i, j - 2] + now[i, j + 2])
        new[i, j] = float32(2) * now[i, j] - old[i, j] + float32(0.2) * s


def keep_edges(y, x):
    j, i = cuda.grid(2)
    if 1 < i < x.shape[0] - 2 and 1 < j < x.shape[1] - 2:
        c = x[i, j]
        s, t = float32(0), float32(0)
        for a in range(-2, 3):
            for b in range(-2, 3):
                v = x[i + a, j + b]
                w = math.exp(-(v - c) * (v - c) - float32(a * a + b * b) * float32(0.1))
                s += w * v
                t += w
        y[i, j] = s / t


def attractor(y, x, steps):
    i = cuda.grid(1)
    if i < x.shape[0]:
        a, b, c = x[i, 0], x[i, 1], x[i, 2]
        h = 0.005
        for _ in range(steps):
            p, q, r = 10 * (b - a), a * (28 - c) - b, a * b - 2.6666666 * c
            u, v, w = a + h * p / 2, b + h * q / 2, c + h * r / 2
            a += h * 10 * (v - u)
            b += h * (u * (28 - w) - v)
            c += h * (u * v - 2.6666666 * w)
        y[i, 0] = a
        y[i, 1] = b
        y[i, 2] = c


def roots_of_four(y, x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        low = cuda.local.array((4, 4), float32)
        for r in range(4):
            for c in range(r + 1):
                s = x[i, r, 0] * x[i, c, 0] + x[i, r, 1] * x[i, c, 1] + x[i, r, 2] * x[i, c, 2] + x[i, r, 3] * x[i, c, 3]
                if r == c:
                    s += float32(1)
                for k in range(c):
                    s -= low[r, k] * low[c, k]
                low[r, c] = math.sqrt(s) if r == c else s / low[c, c]
        for r in range(4):
            for c in range(4):
                y[i, r, c] = low[r, c] if c <= r else float32(0)


def sums_so_far(y, x):
    room = cuda.shared.array(1024, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    room[t] = x[i] if i < x.size else float32(0)
    cuda.syncthreads()
    step = 1
    while step < cuda.blockDim.x:
        v = room[t - step] if t >= step else float32(0)
        cuda.syncthreads()
        room[t] += v
        cuda.syncthreads()
        step *= 2
    if i < y.size:
        y[i] = room[t]


def byte_counts(count, x, shift):
    room = cuda.shared.array(256, int32)
    for k in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        room[k] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(room, (x[i] >> shift) & 255, 1)
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        cuda.atomic.add(count, k, room[k])


def sparse_by_lanes(y, value, column, x):
    i = cuda.grid(1) // 32
    lane = cuda.threadIdx.x % 32
    if i < y.size:
        s = float32(0)
        for k in range(lane, value.shape[1], 32):
            s += value[i, k] * x[column[i, k]]
        for k in (16, 8, 4, 2, 1):
            s += cuda.shfl_down_sync(0xFFFFFFFF, s, k)
        if lane == 0:
            y[i] = s


def words_found(y, text, word):
    i = cuda.grid(1)
    if i < y.size - 8:
        found = 1
        for k in range(8):
            if (text[i + k] & 3) != (word[k] & 3):
                found = 0
                break
        y[i] = found


def bent_light(y, x):
    j, i = cuda.grid(2)
    if i < y.shape[0] and j < y.shape[1]:
        u, v = float32(j) / y.shape[1] - float32(0.5), float32(i) / y.shape[0] - float32(0.5)
        near, colour = float32(1e30), float32(0)
        for k in range(x.shape[0]):
            b = u * x[k, 0] + v * x[k, 1] + x[k, 2]
            c = x[k, 0] * x[k, 0] + x[k, 1] * x[k, 1] + x[k, 2] * x[k, 2] - float32(0.5)
            d = b * b - c
            if d > 0:
                t = b - math.sqrt(d)
                if 0 < t < near:
                    near, colour = t, x[k, 3]
        y[i, j] = colour / (1 + near * near)


def chance_of_hits(y, rounds):
    i = cuda.grid(1)
    s = int32(i * 7919 + 13)
    hits = 0
    for _ in range(rounds):
        s = int32((s * 1103515245 + 12345) & 0x7FFFFFFF)
        a = float32(s) * float32(4.6566129e-10)
        s = int32((s * 1103515245 + 12345) & 0x7FFFFFFF)
        b = float32(s) * float32(4.6566129e-10)
        if a * a + b * b < 1:
            hits += 1
    y[i] = float32(4) * hits / rounds


def double_moments(y, x):
    room = cuda.shared.array((2, 256), float64)
    t, row = cuda.threadIdx.x, cuda.blockIdx.x
    s, q = 0.0, 0.0
    for k in range(t, x.shape[1], cuda.blockDim.x):
        s += x[row, k]
        q += x[row, k] * x[row, k]
    room[0, t] = s
    room[1, t] = q
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            room[0, t] += room[0, t + half]
            room[1, t] += room[1, t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        m = room[0, 0] / x.shape[1]
        y[row] = math.sqrt(room[1, 0] / x.shape[1] - m * m)


def launches(w):
    n = 1 << 17
    for block in (64, 256, 1024):
        w.launch(next_level, (WHOLE, WHOLE_ROWS, int32), (n // block,), (block,), Array(n, kind="i32", below=6), Array(n, 10, kind="i32", below=n, seed=2), 2)
    for block in (64, 128, 512):
        w.launch(closest, (WHOLE, ROWS, ROWS), (n // block,), (block,), Array(n, kind="i32", out=True), Array(n, 4), Array(24, 4, seed=2))
    for block in (128, 512):
        w.launch(closest_shared, (WHOLE, ROWS, ROWS), (n // block,), (block,), Array(n, kind="i32", out=True), Array(n, 4), Array(24, 4, seed=2))
    for block in ((32, 8), (128, 1), (16, 16)):
        w.launch(string_of_waves, (ROWS, ROWS, ROWS), (1536 // block[0], 1024 // block[1]), block, Array(1024, 1536, out=True), Array(1024, 1536), Array(1024, 1536, seed=2))
    for block in ((32, 4), (64, 4), (8, 16)):
        w.launch(keep_edges, (ROWS, ROWS), (768 // block[0], 512 // block[1]), block, Array(512, 768, out=True), Array(512, 768))
    for block in (32, 128, 256):
        w.launch(attractor, (DOUBLE_ROWS, DOUBLE_ROWS, int32), (32768 // block,), (block,), Array(32768, 3, kind="f64", out=True), Array(32768, 3, kind="f64"), 100)
    for block in (64, 256):
        w.launch(roots_of_four, (BLOCKS, BLOCKS), (n // block,), (block,), Array(n, 4, 4, out=True), Array(n, 4, 4))
    for block in (128, 256, 1024):
        w.launch(sums_so_far, (FLAT, FLAT), (1 << 20 >> block.bit_length() - 1,), (block,), Array(1 << 20, out=True), Array(1 << 20))
    for blocks, block in ((132, 256), (528, 128), (132, 1024)):
        w.launch(byte_counts, (WHOLE, WHOLE, int32), (blocks,), (block,), Array(256, kind="i32", out=True), Array(1 << 20, kind="i32", below=1 << 20), 4)
    for block in (64, 128, 512):
        w.launch(sparse_by_lanes, (FLAT, ROWS, WHOLE_ROWS, FLAT), (20000 * 32 // block,), (block,), Array(20000, out=True), Array(20000, 70), Array(20000, 70, kind="i32", below=20000), Array(20000, seed=2))
    for block in (64, 256):
        w.launch(words_found, (WHOLE, WHOLE, WHOLE), ((1 << 20) // block,), (block,), Array(1 << 20, kind="i32", out=True), Array(1 << 20, kind="i32", below=100), Array(8, kind="i32", below=100, seed=2))
    for block in ((16, 8), (32, 8)):
        w.launch(bent_light, (ROWS, ROWS), (640 // block[0], 480 // block[1]), block, Array(480, 640, out=True), Array(40, 4))
    for blocks, block in ((256, 256), (1024, 64)):
        w.launch(chance_of_hits, (FLAT, int32), (blocks,), (block,), Array(65536, out=True), 60)
    for block in (64, 256):
        w.launch(double_moments, (DOUBLES, DOUBLE_ROWS), (1200,), (block,), Array(1200, kind="f64", out=True), Array(1200, 1500, kind="f64"))


if __name__ == "__main__":
    write(launches, __doc__)
