"""Kernels by Triton for the set tests/data/blind: layers and their gradients, products, recurrences, sparse work.

    blind_triton.py FOLDER [NAME...]    writes FOLDER/triton.jsonl (triton-NAME.jsonl with names) and FOLDER/triton.files"""
import triton
import triton.language as tl

from triton_writer import BF16, F16, I32, U8, Buffer, write


@triton.jit
def norm_backward(dx, dw, x, g, w, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    inside = i < columns
    v = tl.load(x + row * columns + i, mask=inside, other=0.0)
    d = tl.load(g + row * columns + i, mask=inside, other=0.0)
    mean = tl.sum(v, axis=0) / columns
    c = tl.where(inside, v - mean, 0.0)
    r = tl.rsqrt(tl.sum(c * c, axis=0) / columns + 1e-5)
    h = c * r
    e = d * tl.load(w + i, mask=inside, other=0.0)
    a, b = tl.sum(e, axis=0) / columns, tl.sum(e * h, axis=0) / columns
    tl.store(dx + row * columns + i, (e - a - h * b) * r, mask=inside)
    tl.atomic_add(dw + i, d * h, mask=inside)


@triton.jit
def group_norm(x, w, y, channels, pixels, EACH: tl.constexpr, BLOCK: tl.constexpr):
    base = tl.program_id(0) * EACH * pixels
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for at in range(0, EACH * pixels, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(x + base + i, mask=i < EACH * pixels, other=0.0).to(tl.float32)
        total += v
        squares += v * v
    mean = tl.sum(total, axis=0) / (EACH * pixels)
    r = tl.rsqrt(tl.sum(squares, axis=0) / (EACH * pixels) - mean * mean + 1e-5)
    for at in range(0, EACH * pixels, BLOCK):
        i = at + tl.arange(0, BLOCK)
        inside = i < EACH * pixels
        v = tl.load(x + base + i, mask=inside, other=0.0).to(tl.float32)
        s = tl.load(w + (tl.program_id(0) * EACH + i // pixels) % channels, mask=inside, other=0.0)
        tl.store(y + base + i, ((v - mean) * r * s).to(y.dtype.element_ty), mask=inside)


@triton.jit
def dropout(x, y, n, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > 0.1
    tl.store(y + i, tl.where(keep, tl.load(x + i, mask=i < n) / 0.9, 0.0), mask=i < n)


@triton.jit
def gated(x, y, rows, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for at in range(0, width, BLOCK):
        i = at + tl.arange(0, BLOCK)
        a = tl.load(x + row * 2 * width + i, mask=i < width).to(tl.float32)
        b = tl.load(x + row * 2 * width + width + i, mask=i < width).to(tl.float32)
        tl.store(y + row * width + i, (a * tl.sigmoid(a) * b).to(y.dtype.element_ty), mask=i < width)


@triton.jit
def gated_backward(x, g, dx, width, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + row * 2 * width + i, mask=i < width).to(tl.float32)
    b = tl.load(x + row * 2 * width + width + i, mask=i < width).to(tl.float32)
    d = tl.load(g + row * width + i, mask=i < width).to(tl.float32)
    s = tl.sigmoid(a)
    tl.store(dx + row * 2 * width + i, (d * b * s * (1 + a * (1 - s))).to(dx.dtype.element_ty), mask=i < width)
    tl.store(dx + row * 2 * width + width + i, (d * a * s).to(dx.dtype.element_ty), mask=i < width)


@triton.jit
def rotate(x, cosines, sines, y, length, HEADS: tl.constexpr, HALF: tl.constexpr):
    at = tl.program_id(0)
    h, i = tl.arange(0, HEADS), tl.arange(0, HALF)
    where = at * HEADS * 2 * HALF + h[:, None] * 2 * HALF + i[None, :]
    c = tl.load(cosines + (at % length) * HALF + i)[None, :]
    s = tl.load(sines + (at % length) * HALF + i)[None, :]
    a, b = tl.load(x + where), tl.load(x + where + HALF)
    tl.store(y + where, a * c - b * s)
    tl.store(y + where + HALF, b * c + a * s)


@triton.jit
def adam(p, m, v, g, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    d = tl.load(g + i, mask=inside)
    a = 0.9 * tl.load(m + i, mask=inside) + 0.1 * d
    b = 0.999 * tl.abs(tl.load(v + i, mask=inside)) + 0.001 * d * d
    tl.store(m + i, a, mask=inside)
    tl.store(v + i, b, mask=inside)
    tl.store(p + i, tl.load(p + i, mask=inside) - 0.001 * a / (tl.sqrt(b) + 1e-8), mask=inside)


@triton.jit
def options(price, strike, call, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = 5 + 20 * tl.abs(tl.load(price + i, mask=i < n, other=1.0))
    x = 5 + 20 * tl.abs(tl.load(strike + i, mask=i < n, other=1.0))
    d = (tl.log(s / x) + 0.065) / 0.3
    a = 0.5 * (1 + tl.erf(d * 0.70710678))
    b = 0.5 * (1 + tl.erf((d - 0.3) * 0.70710678))
    tl.store(call + i, s * a - x * tl.exp(-0.02) * b, mask=i < n)


@triton.jit
def from_int4(q, scale, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(q + i // 2, mask=i < n, other=0).to(tl.int32)
    v = ((v >> (i % 2 * 4)) & 15) - 8
    tl.store(y + i, (v * tl.load(scale + i // 128, mask=i < n, other=0.0)).to(tl.float16), mask=i < n)


@triton.jit
def to_fp8(x, scale, y, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0.0)
    s = tl.max(tl.abs(v), axis=0) / 448.0
    tl.store(scale + row, s)
    tl.store(y + row * columns + i, (v / s).to(tl.float8e4nv).to(tl.uint8, bitcast=True), mask=i < columns)


@triton.jit
def permute(x, y, A, B, C, R: tl.constexpr, S: tl.constexpr):
    a = tl.program_id(2)
    i, j = tl.program_id(0) * R + tl.arange(0, R), tl.program_id(1) * S + tl.arange(0, S)
    inside = (i[:, None] < B) & (j[None, :] < C)
    v = tl.load(x + a * B * C + i[:, None] * C + j[None, :], mask=inside)
    tl.store(y + (j[None, :] * A + a) * B + i[:, None], v, mask=inside)


@triton.jit
def seven_points(x, y, w, h, d, R: tl.constexpr, C: tl.constexpr):
    i, j, k = tl.program_id(1) * R + tl.arange(0, R), tl.program_id(0) * C + tl.arange(0, C), tl.program_id(2) + 1
    at = k * w * h + i[:, None] * w + j[None, :]
    inside = (i[:, None] > 0) & (i[:, None] < h - 1) & (j[None, :] > 0) & (j[None, :] < w - 1)
    s = tl.load(x + at - 1, mask=inside) + tl.load(x + at + 1, mask=inside) + tl.load(x + at - w, mask=inside) + tl.load(x + at + w, mask=inside)
    s += tl.load(x + at - w * h, mask=inside) + tl.load(x + at + w * h, mask=inside)
    tl.store(y + at, s - 6 * tl.load(x + at, mask=inside), mask=inside)


@triton.jit
def pool(x, y, h, w, channels, R: tl.constexpr, C: tl.constexpr):
    i, c = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, C)
    u, v = i // (w // 2), i % (w // 2)
    m = tl.full((R, C), -float("inf"), tl.float32)
    for a in tl.static_range(2):
        for b in tl.static_range(2):
            at = ((2 * u + a) * w + 2 * v + b) * channels
            m = tl.maximum(m, tl.load(x + at[:, None] + c[None, :], mask=(u[:, None] < h // 2) & (c[None, :] < channels), other=0.0))
    tl.store(y + i[:, None] * channels + c[None, :], m, mask=(u[:, None] < h // 2) & (c[None, :] < channels))


# reductions, orders


@triton.jit
def welford_joined(ma, sa, na, mb, sb, nb):
    n = na + nb
    d = mb - ma
    share = tl.where(n == 0, 0.0, nb / n)
    return ma + d * share, sa + sb + d * d * na * share, n


@triton.jit
def variance(x, y, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0.0)
    one = tl.where(i < columns, 1.0, 0.0)
    mean, squares, count = tl.reduce((v, v * 0, one), 0, welford_joined)
    tl.store(y + row, squares / count)


@triton.jit
def largest_at(x, y, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    tl.store(y + row, tl.argmax(v, axis=0))


@triton.jit
def moments(x, sums, squares, rows, columns, R: tl.constexpr, C: tl.constexpr):
    j = tl.program_id(0) * C + tl.arange(0, C)
    a, b = tl.zeros((R, C), dtype=tl.float32), tl.zeros((R, C), dtype=tl.float32)
    for at in range(tl.program_id(1) * R, rows, tl.num_programs(1) * R):
        i = at + tl.arange(0, R)
        v = tl.load(x + i[:, None] * columns + j[None, :], mask=(i[:, None] < rows) & (j[None, :] < columns), other=0.0)
        a += v
        b += v * v
    tl.atomic_add(sums + j, tl.sum(a, axis=0), mask=j < columns)
    tl.atomic_add(squares + j, tl.sum(b, axis=0), mask=j < columns)


@triton.jit
def divergence(x, t, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    ma, sa, mb, sb = -float("inf"), 0.0, -float("inf"), 0.0
    for at in range(0, columns, BLOCK):
        i = at + tl.arange(0, BLOCK)
        a = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
        b = tl.load(t + row * columns + i, mask=i < columns, other=-float("inf"))
        na, nb = tl.maximum(ma, tl.max(a, axis=0)), tl.maximum(mb, tl.max(b, axis=0))
        sa = sa * tl.exp(ma - na) + tl.sum(tl.exp(a - na), axis=0)
        sb = sb * tl.exp(mb - nb) + tl.sum(tl.exp(b - nb), axis=0)
        ma, mb = na, nb
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for at in range(0, columns, BLOCK):
        i = at + tl.arange(0, BLOCK)
        a = tl.load(x + row * columns + i, mask=i < columns, other=0.0) - ma - tl.log(sa)
        b = tl.load(t + row * columns + i, mask=i < columns, other=0.0) - mb - tl.log(sb)
        total += tl.where(i < columns, tl.exp(b) * (b - a), 0.0)
    tl.store(y + row, tl.sum(total, axis=0))


@triton.jit
def recurrence_joined(a, x, b, y):
    return a * b, b * x + y


@triton.jit
def recurrence(a, x, y, length, width, L: tl.constexpr, C: tl.constexpr):
    i, c = tl.arange(0, L), tl.program_id(0) * C + tl.arange(0, C)
    at = tl.program_id(1) * length * width + i[:, None] * width + c[None, :]
    f, s = tl.associative_scan((tl.sigmoid(tl.load(a + at)), tl.load(x + at)), 0, recurrence_joined)
    tl.store(y + at, s)


@triton.jit
def state_space(x, step, gate, y, length, width, C: tl.constexpr, N: tl.constexpr):
    c, n = tl.program_id(0) * C + tl.arange(0, C), tl.arange(0, N)
    base = tl.program_id(1) * length * width
    state = tl.zeros((C, N), dtype=tl.float32)
    rate = -(n + 1.0)
    for t in range(0, length):
        v = tl.load(x + base + t * width + c)
        d = tl.sigmoid(tl.load(step + base + t * width + c))
        g = tl.load(gate + (tl.program_id(1) * length + t) * N + n)
        state = state * tl.exp(d[:, None] * rate[None, :]) + (d * v)[:, None] * g[None, :]
        tl.store(y + base + t * width + c, tl.sum(state * g[None, :], axis=1))


@triton.jit
def pi_by_chance(y, seed, rounds, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    count = tl.zeros((BLOCK,), dtype=tl.int32)
    for r in range(0, rounds):
        a, b, c, d = tl.rand4x(seed + r, i)
        count += (a * a + b * b < 1).to(tl.int32) + (c * c + d * d < 1).to(tl.int32)
    tl.atomic_add(y, tl.sum(count, axis=0))


# sparse, irregular


@triton.jit
def index_add(y, x, index, width, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y + tl.load(index + row) * width + i, tl.load(x + row * width + i, mask=i < width), mask=i < width)


@triton.jit
def bag(table, index, y, each, width, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    s = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in range(0, each):
        s += tl.load(table + tl.load(index + row * each + k) * width + i, mask=i < width, other=0.0)
    tl.store(y + row * width + i, s / each, mask=i < width)


@triton.jit
def sparse_rows(value, column, x, y, rows, each, R: tl.constexpr, E: tl.constexpr):
    i, k = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, E)
    inside = (i[:, None] < rows) & (k[None, :] < each)
    at = i[:, None] * each + k[None, :]
    v = tl.load(value + at, mask=inside, other=0.0) * tl.load(x + tl.load(column + at, mask=inside, other=0), mask=inside, other=0.0)
    tl.store(y + i, tl.sum(v, axis=1), mask=i < rows)


@triton.jit
def pages(pool_of, page, y, PAGE: tl.constexpr, D: tl.constexpr):
    at = tl.program_id(0)
    i, d = tl.arange(0, PAGE), tl.arange(0, D)
    from_page = tl.load(page + at)
    tl.store(y + (at * PAGE + i[:, None]) * D + d[None, :], tl.load(pool_of + (from_page * PAGE + i[:, None]) * D + d[None, :]))


@triton.jit
def causal_convolution(x, w, y, length, width, T: tl.constexpr, C: tl.constexpr):
    t, c = tl.program_id(0) * T + tl.arange(0, T), tl.program_id(1) * C + tl.arange(0, C)
    base = tl.program_id(2) * length * width
    s = tl.zeros((T, C), dtype=tl.float32)
    for k in tl.static_range(4):
        u = t + k - 3
        s += tl.load(x + base + u[:, None] * width + c[None, :], mask=(u[:, None] >= 0) & (u[:, None] < length), other=0.0) * tl.load(w + k * width + c)[None, :]
    tl.store(y + base + t[:, None] * width + c[None, :], s * tl.sigmoid(s), mask=t[:, None] < length)


# products


@triton.jit
def linear(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        va = tl.load(a + i[:, None] * K + (at + k)[None, :], mask=i[:, None] < M, other=0.0)
        vb = tl.load(b + j[None, :] * K + (at + k)[:, None])
        total = tl.dot(va, vb, total)
    total += tl.load(bias + j)[None, :]
    total = tl.where(total > 0, total, 0.01 * total)
    tl.store(c + i[:, None] * N + j[None, :], total.to(c.dtype.element_ty), mask=i[:, None] < M)


@triton.jit
def staying(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    k = tl.arange(0, BK)
    for tile in range(tl.program_id(0), (M // BM) * (N // BN), tl.num_programs(0)):
        i, j = tile // (N // BN) * BM + tl.arange(0, BM), tile % (N // BN) * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for at in range(0, K, BK):
            total = tl.dot(tl.load(a + i[:, None] * K + (at + k)[None, :]), tl.load(b + (at + k)[:, None] * N + j[None, :]), total)
        tl.store(c + i[:, None] * N + j[None, :], total.to(c.dtype.element_ty))


@triton.jit
def bytes_product(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.int32)
    for at in range(0, K, BK):
        va = tl.load(a + i[:, None] * K + (at + k)[None, :]).to(tl.int8, bitcast=True)
        vb = tl.load(b + j[None, :] * K + (at + k)[:, None]).to(tl.int8, bitcast=True)
        total = tl.dot(va, vb, total, out_dtype=tl.int32)
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def fp8_product(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        va = tl.load(a + i[:, None] * K + (at + k)[None, :]).to(tl.float8e4nv, bitcast=True)
        vb = tl.load(b + j[None, :] * K + (at + k)[:, None]).to(tl.float8e4nv, bitcast=True)
        total = tl.dot(va, vb, total)
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def batch_products(a, b, c, S: tl.constexpr):
    at = tl.program_id(0) * S * S
    i, j = tl.arange(0, S), tl.arange(0, S)
    where = at + i[:, None] * S + j[None, :]
    tl.store(c + where, tl.dot(tl.load(a + where), tl.load(b + where)).to(c.dtype.element_ty))


@triton.jit
def distances(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    i, j = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN)
    s = tl.zeros((BM, BN), dtype=tl.float32)
    for d in range(0, D):
        e = tl.load(a + d * n + i)[:, None] - tl.load(b + d * n + j)[None, :]
        s += e * e
    tl.store(c + i[:, None] * n + j[None, :], tl.sqrt(s))


@triton.jit
def decode(q, k, v, out, most_of, sum_of, length, SPLIT: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    head, part = tl.program_id(0), tl.program_id(1)
    d = tl.arange(0, D)
    vq = tl.load(q + head * D + d).to(tl.float32)
    most, total = -float("inf"), 0.0
    o = tl.zeros((D,), dtype=tl.float32)
    for at in range(part * (length // SPLIT), (part + 1) * (length // SPLIT), BN):
        j = at + tl.arange(0, BN)
        vk = tl.load(k + (head * length + j[:, None]) * D + d[None, :]).to(tl.float32)
        s = tl.sum(vk * vq[None, :], axis=1) * 0.125
        new = tl.maximum(most, tl.max(s, axis=0))
        p = tl.exp(s - new)
        old = tl.exp(most - new)
        vv = tl.load(v + (head * length + j[:, None]) * D + d[None, :]).to(tl.float32)
        o = o * old + tl.sum(p[:, None] * vv, axis=0)
        total = total * old + tl.sum(p, axis=0)
        most = new
    tl.store(out + (head * SPLIT + part) * D + d, o / total)
    tl.store(most_of + head * SPLIT + part, most)
    tl.store(sum_of + head * SPLIT + part, total)


@triton.jit
def linear_attention(q, k, v, o, length, D: tl.constexpr, BT: tl.constexpr):
    head = tl.program_id(0) * length * D
    t, d = tl.arange(0, BT), tl.arange(0, D)
    state = tl.zeros((D, D), dtype=tl.float32)
    for at in range(0, length, BT):
        where = head + (at + t)[:, None] * D + d[None, :]
        vq, vk, vv = tl.load(q + where), tl.load(k + where), tl.load(v + where)
        s = tl.dot(vq, tl.trans(vk))
        s = tl.where(t[:, None] >= t[None, :], s, 0.0)
        r = tl.dot(s.to(tl.float16), vv) + tl.dot(vq, state.to(tl.float16))
        state += tl.dot(tl.trans(vk), vv)
        tl.store(o + where, (r * 0.01).to(tl.float16))


def layers(w):
    rows, columns = 1500, 1000
    for warps in (1, 4, 8):
        w.launch(norm_backward, (rows,), Buffer(rows * columns, out=True), Buffer(columns, out=True), Buffer(rows * columns), Buffer(rows * columns, seed=2),
                 Buffer(columns, seed=3), columns, BLOCK=1024, num_warps=warps)
    for block, warps in ((1024, 4), (4096, 8)):
        w.launch(group_norm, (16 * 32,), Buffer(16 * 128 * 1600, F16), Buffer(128), Buffer(16 * 128 * 1600, F16, out=True), 128, 1600, EACH=4, BLOCK=block, num_warps=warps)
    n = 1 << 21
    for block, warps in ((512, 4), (1024, 2), (2048, 8)):
        w.launch(dropout, (n // block,), Buffer(n), Buffer(n, out=True), n, 42, BLOCK=block, num_warps=warps)
    rows, width = 1024, 2816
    for block, warps in ((1024, 4), (512, 2), (4096, 8)):
        w.launch(gated, (rows,), Buffer(rows * 2 * width, BF16), Buffer(rows * width, BF16, out=True), rows, width, BLOCK=block, num_warps=warps)
    for block, warps in ((256, 1), (1024, 4)):
        w.launch(gated_backward, (rows, triton.cdiv(width, block)), Buffer(rows * 2 * width, F16), Buffer(rows * width, F16, seed=2), Buffer(rows * 2 * width, F16, out=True), width,
                 BLOCK=block, num_warps=warps)
    for warps in (2, 4):
        w.launch(rotate, (2048,), Buffer(2048 * 16 * 128), Buffer(1024 * 64), Buffer(1024 * 64, seed=2), Buffer(2048 * 16 * 128, out=True), 1024, HEADS=16, HALF=64, num_warps=warps)
    n = 2500000
    for block, warps in ((256, 4), (1024, 4), (2048, 4)):
        w.launch(adam, (triton.cdiv(n, block),), *[Buffer(n, seed=s) for s in (1, 2, 3, 4)], n, BLOCK=block, num_warps=warps)
    n = 1 << 20
    for block, warps in ((256, 4), (1024, 4)):
        w.launch(options, (n // block,), Buffer(n), Buffer(n, seed=2), Buffer(n, out=True), n, BLOCK=block, num_warps=warps)
        w.launch(from_int4, (4 * n // block,), Buffer(2 * n, U8), Buffer(4 * n // 128), Buffer(4 * n, F16, out=True), 4 * n, BLOCK=block, num_warps=warps)
    for warps in (2, 8):
        w.launch(to_fp8, (1200,), Buffer(1200 * 2000), Buffer(1200, out=True), Buffer(1200 * 2000, U8, out=True), 2000, BLOCK=2048, num_warps=warps)
    for r, s, warps in ((32, 32, 4), (64, 16, 2), (16, 128, 4)):
        w.launch(permute, (triton.cdiv(200, r), triton.cdiv(500, s), 24), Buffer(24 * 200 * 500), Buffer(24 * 200 * 500, out=True), 24, 200, 500, R=r, S=s, num_warps=warps)
    for r, c, warps in ((4, 128, 4), (8, 32, 2), (16, 128, 8)):
        w.launch(seven_points, (256 // c, 128 // r, 46), Buffer(256 * 128 * 48), Buffer(256 * 128 * 48, out=True), 256, 128, 48, R=r, C=c, num_warps=warps)
    for r, warps in ((8, 2), (32, 4)):
        w.launch(pool, (80 * 80 // r,), Buffer(160 * 160 * 100), Buffer(80 * 80 * 100, out=True), 160, 160, 100, R=r, C=128, num_warps=warps)


def reductions(w):
    rows, columns = 2000, 900
    for warps in (1, 4):
        w.launch(variance, (rows,), Buffer(rows * columns), Buffer(rows, out=True), columns, BLOCK=1024, num_warps=warps)
        w.launch(largest_at, (rows,), Buffer(rows * columns), Buffer(rows, I32, out=True), columns, BLOCK=1024, num_warps=warps)
    for r, c, parts, warps in ((16, 64, 8, 4), (8, 128, 32, 4), (64, 32, 8, 8)):
        w.launch(moments, (triton.cdiv(1200, c), parts), Buffer(2000 * 1200), Buffer(1200, out=True), Buffer(1200, out=True), 2000, 1200, R=r, C=c, num_warps=warps)
    for block, warps in ((1024, 4), (4096, 8)):
        w.launch(divergence, (200,), Buffer(200 * 9000), Buffer(200 * 9000, seed=2), Buffer(200, out=True), 9000, BLOCK=block, num_warps=warps)
    for c, warps in ((16, 4), (64, 8)):
        w.launch(recurrence, (512 // c, 16), Buffer(16 * 128 * 512), Buffer(16 * 128 * 512, seed=2), Buffer(16 * 128 * 512, out=True), 128, 512, L=128, C=c, num_warps=warps)
    for c, warps in ((16, 1), (64, 4)):
        w.launch(state_space, (512 // c, 4), Buffer(4 * 100 * 512), Buffer(4 * 100 * 512, seed=2), Buffer(4 * 100 * 16, seed=3), Buffer(4 * 100 * 512, out=True), 100, 512, C=c, N=16, num_warps=warps)
    for block, warps in ((256, 4), (1024, 4)):
        w.launch(pi_by_chance, (264 * 1024 // block,), Buffer(1, I32, out=True), 7, 12, BLOCK=block, num_warps=warps)
    for block, warps in ((128, 2), (256, 2)):
        w.launch(index_add, (6000, 256 // block), Buffer(3000 * 256, out=True), Buffer(6000 * 256), Buffer(6000, I32, below=3000), 256, BLOCK=block, num_warps=warps)
    for warps in (1, 2):
        w.launch(bag, (3000,), Buffer(20000 * 128), Buffer(3000 * 20, I32, below=20000), Buffer(3000 * 128, out=True), 20, 128, BLOCK=128, num_warps=warps)
    for r, warps in ((4, 2), (16, 4)):
        w.launch(sparse_rows, (triton.cdiv(40000, r),), Buffer(40000 * 27), Buffer(40000 * 27, I32, below=40000), Buffer(40000, seed=2), Buffer(40000, out=True), 40000, 27,
                 R=r, E=32, num_warps=warps)
    for warps in (2, 8):
        w.launch(pages, (1500,), Buffer(4000 * 16 * 128, F16), Buffer(1500, I32, below=4000), Buffer(1500 * 16 * 128, F16, out=True), PAGE=16, D=128, num_warps=warps)
    for t, c, warps in ((16, 64, 4), (64, 32, 4), (32, 128, 8)):
        w.launch(causal_convolution, (512 // t, 768 // c, 4), Buffer(4 * 512 * 768), Buffer(4 * 768, seed=2), Buffer(4 * 512 * 768, out=True), 512, 768, T=t, C=c, num_warps=warps)


def products(w):
    for m, n, k in ((500, 768, 768), (1000, 1536, 512)):
        for bm, bn, bk, warps, stages in ((64, 64, 32, 4, 3), (64, 128, 32, 4, 3), (128, 128, 64, 8, 2), (32, 64, 64, 4, 4)):
            w.launch(linear, (n // bn, triton.cdiv(m, bm)), Buffer(m * k, BF16), Buffer(n * k, BF16, seed=2), Buffer(n, seed=3), Buffer(m * n, BF16, out=True), m, n, k,
                     BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages)
    for programs, bm, bn, bk, warps, stages in ((132, 64, 64, 64, 4, 3), (66, 64, 64, 64, 4, 3), (132, 128, 64, 32, 4, 4), (264, 64, 64, 32, 4, 2)):
        w.launch(staying, (programs,), Buffer(1024 * 512, F16), Buffer(512 * 1280, F16, seed=2), Buffer(1024 * 1280, F16, out=True), 1024, 1280, 512,
                 BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages)
    for bm, bn, bk, warps in ((64, 64, 64, 4), (128, 64, 128, 4)):
        w.launch(bytes_product, (1024 // bn, 512 // bm), Buffer(512 * 1024, U8), Buffer(1024 * 1024, U8, seed=2), Buffer(512 * 1024, I32, out=True), 1024, 1024,
                 BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=3)
        w.launch(fp8_product, (1024 // bn, 512 // bm), Buffer(512 * 1024, U8, below=64), Buffer(1024 * 1024, U8, below=64, seed=2), Buffer(512 * 1024, out=True), 1024, 1024,
                 BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=3)
    for s, count, warps in ((16, 8000, 1), (32, 3000, 2), (32, 3000, 4), (64, 1000, 4)):
        w.launch(batch_products, (count,), Buffer(count * s * s, F16), Buffer(count * s * s, F16, seed=2), Buffer(count * s * s, F16, out=True), S=s, num_warps=warps)
    for bm, bn, warps in ((32, 32, 4), (64, 64, 4), (64, 64, 8)):
        w.launch(distances, (1024 // bn, 1024 // bm), Buffer(24 * 1024), Buffer(24 * 1024, seed=2), Buffer(1024 * 1024, out=True), 1024, BM=bm, BN=bn, D=24, num_warps=warps)
    for split, bn, warps in ((2, 32, 4), (8, 32, 4), (8, 64, 2)):
        w.launch(decode, (48, split), Buffer(48 * 64, F16), Buffer(48 * 2048 * 64, F16, seed=2), Buffer(48 * 2048 * 64, F16, seed=3), Buffer(48 * split * 64, out=True),
                 Buffer(48 * split, out=True), Buffer(48 * split, out=True), 2048, SPLIT=split, BN=bn, D=64, num_warps=warps)
    for bt, warps in ((32, 2), (64, 4)):
        w.launch(linear_attention, (96,), *[Buffer(96 * 512 * 64, F16, seed=s) for s in (1, 2, 3)], Buffer(96 * 512 * 64, F16, out=True), 512, D=64, BT=bt, num_warps=warps)


if __name__ == "__main__":
    write({"layers": layers, "reductions": reductions, "products": products}, __doc__)
