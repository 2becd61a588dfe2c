"""Kernels by Numba for the set tests/data/kinds: turns by shifts, curves, words of bits, cubes of doubles, clipped polygons, lists of cells.

    kinds_numba.py FOLDER    writes FOLDER/numba.jsonl and FOLDER/numba.files"""
import math

from numba_writer import BLOCKS, DOUBLE_ROWS, DOUBLES, FLAT, ROWS, WHOLE, WHOLE_ROWS, Array, write

from numba import cuda, float32, float64, int32, int64


def turned_by_shifts(y, x, table):
    i = cuda.grid(1)
    if i < y.shape[0]:
        a, b, angle = int32(19898), int32(0), x[i] % int32(25736)
        for k in range(14):
            p, q = a >> k, b >> k
            if angle >= 0:
                a, b, angle = a - q, b + p, angle - table[k]
            else:
                a, b, angle = a + q, b - p, angle + table[k]
        y[i, 0] = a
        y[i, 1] = b


def along_a_curve(y, side):
    i = cuda.grid(1)
    if i < y.size:
        x, z, t, s = int32(0), int32(0), int32(i), int32(1)
        while s < side:
            rx = 1 & (t // 2)
            ry = 1 & (t ^ rx)
            if ry == 0:
                if rx == 1:
                    x, z = s - 1 - x, s - 1 - z
                x, z = z, x
            x += s * rx
            z += s * ry
            t //= 4
            s *= 2
        y[i] = x * 65536 + z


def reached(to, at, n):
    # A row of bits is or-ed with the rows that it names.
    word, row = cuda.grid(2)
    if row < n and word < at.shape[1]:
        bits = at[row, word]
        for k in range(at.shape[1]):
            v = at[row, k]
            while v != 0:
                low = v & -v
                bits |= at[(k * 32 + cuda.ffs(low) - 1) % n, word]
                v ^= low
        to[row, word] = bits


def heat_of_cube(new, old):
    k, j, i = cuda.grid(3)
    if 0 < i < old.shape[0] - 1 and 0 < j < old.shape[1] - 1 and 0 < k < old.shape[2] - 1:
        s = old[i - 1, j, k] + old[i + 1, j, k] + old[i, j - 1, k] + old[i, j + 1, k] + old[i, j, k - 1] + old[i, j, k + 1]
        new[i, j, k] = old[i, j, k] + float32(0.1) * (s - float32(6) * old[i, j, k])


def careful_sums(y, x):
    row = cuda.grid(1)
    if row < x.shape[0]:
        s, rest = 0.0, 0.0
        for k in range(x.shape[1]):
            v = x[row, k] - rest
            t = s + v
            rest = (t - s) - v
            s = t
        y[row] = s


def clipped_area(y, x, low, high):
    i = cuda.grid(1)
    if i < y.size:
        px, py = cuda.local.array(12, float32), cuda.local.array(12, float32)
        qx, qy = cuda.local.array(12, float32), cuda.local.array(12, float32)
        n = 3
        for k in range(3):
            px[k], py[k] = x[i, 2 * k], x[i, 2 * k + 1]
        for side in range(4):
            m = 0
            for k in range(n):
                ax, ay, bx, by = px[k], py[k], px[(k + 1) % n], py[(k + 1) % n]
                if side == 0:
                    da, db = ax - low, bx - low
                elif side == 1:
                    da, db = high - ax, high - bx
                elif side == 2:
                    da, db = ay - low, by - low
                else:
                    da, db = high - ay, high - by
                if da >= 0:
                    qx[m], qy[m] = ax, ay
                    m += 1
                if (da >= 0) != (db >= 0):
                    t = da / (da - db)
                    qx[m], qy[m] = ax + t * (bx - ax), ay + t * (by - ay)
                    m += 1
            n = m
            for k in range(n):
                px[k], py[k] = qx[k], qy[k]
        s = float32(0)
        for k in range(n):
            s += px[k] * py[(k + 1) % n] - px[(k + 1) % n] * py[k]
        y[i] = s / 2


def near_in_cells(y, x, first, member, cells):
    i = cuda.grid(1)
    if i < y.size:
        c = int32(i % (cells * cells))
        row, column = c // cells, c % cells
        s = float32(0)
        for a in range(max(row - 1, 0), min(row + 2, cells)):
            for b in range(max(column - 1, 0), min(column + 2, cells)):
                at = a * cells + b
                for k in range(4 + first[at]):
                    j = member[at, k]
                    d = x[j, 0] - x[i, 0]
                    e = x[j, 1] - x[i, 1]
                    s += float32(1) / (d * d + e * e + float32(0.01))
        y[i] = s


def gamma_fit(y, x):
    i = cuda.grid(1)
    if i < y.size:
        v = math.fabs(x[i]) + 0.5
        y[i] = math.lgamma(v) - 0.5 * math.erf(v) + math.log1p(v) * math.expm1(-v) + math.atan2(v, 2.0)


def most_of_segment(y, x, owner):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.max(y, owner[i], x[i])
        cuda.atomic.add(y, 64 + (x[i] & 31), 1)


def votes(y, x):
    i = cuda.grid(1)
    v = x[i]
    mask = cuda.ballot_sync(0xFFFFFFFF, v > 0)
    below = cuda.popc(mask & ((1 << (cuda.threadIdx.x % 32)) - 1))
    other = cuda.shfl_sync(0xFFFFFFFF, v, (cuda.threadIdx.x * 7 + 3) % 32)
    up = cuda.shfl_up_sync(0xFFFFFFFF, v, 2)
    y[i] = float32(below) + other * float32(0.5) + up


def prime_powers(y, x):
    i = cuda.grid(1)
    if i < x.size:
        m, base, r, e = int64(1000000007), int64(x[i]), int64(1), int64(1000000005)
        while e:
            if e & 1:
                r = r * base % m
            base = base * base % m
            e >>= 1
        y[i] = r


def grids(w):
    for n in (1000, 200000):
        w.launch(turned_by_shifts, (WHOLE_ROWS, WHOLE, WHOLE), -(-n // 256), 256, Array(n, 2, kind="i32", out=True), Array(n, kind="i32", below=25736), Array(14, kind="i32", below=12868))
        w.launch(along_a_curve, (WHOLE, int32), -(-n // 128), 128, Array(n, kind="i32", out=True), 512)
        w.launch(gamma_fit, (DOUBLES, DOUBLES), -(-n // 128), 128, Array(n, kind="f64", out=True), Array(n, kind="f64"))
        w.launch(most_of_segment, (WHOLE, WHOLE, WHOLE), -(-n // 256), 256, Array(96, kind="i32", out=True), Array(n, kind="i32", below=100000), Array(n, kind="i32", below=64, seed=2))
        w.launch(clipped_area, (FLAT, ROWS, float32, float32), -(-n // 128), 128, Array(n, out=True), Array(n, 6), -0.5, 0.8)
        w.launch(prime_powers, (WHOLE, WHOLE), -(-n // 1280), 128, Array(n // 10, kind="i32", out=True), Array(n // 10, kind="i32", below=1 << 30))
    for n in (64, 1024):
        w.launch(reached, (WHOLE_ROWS, WHOLE_ROWS, int32), (1, n // 8), (n // 32 if n < 1024 else 32, 8), Array(n, n // 32, kind="i32", out=True), Array(n, n // 32, kind="i32", below=64), n)
    for d, h, width in ((10, 20, 30), (64, 96, 128)):
        w.launch(heat_of_cube, (BLOCKS, BLOCKS), (-(-width // 32), -(-h // 4), -(-d // 2)), (32, 4, 2), Array(d, h, width, out=True), Array(d, h, width))
    for n in (100, 5000):
        w.launch(careful_sums, (DOUBLES, DOUBLE_ROWS), -(-n // 64), 64, Array(n, kind="f64", out=True), Array(n, 40, kind="f64"))
        w.launch(near_in_cells, (FLAT, ROWS, WHOLE, WHOLE_ROWS, int32), -(-n // 128), 128, Array(n, out=True), Array(n, 2), Array(256, kind="i32", below=5), Array(256, 8, kind="i32", below=n), 16)
    for n in (1024, 1 << 20):
        w.launch(votes, (FLAT, FLAT), n // 256, 256, Array(n, out=True), Array(n))


if __name__ == "__main__":
    write(grids, __doc__)
