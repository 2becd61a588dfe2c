"""Kernels by Triton for the set tests/data/unseen: mixtures of experts, windows, few bits, images, ragged rows.

    unseen_triton.py FOLDER [NAME...]    writes FOLDER/triton.jsonl (triton-NAME.jsonl with names) and FOLDER/triton.files"""
import triton
import triton.language as tl

from triton_writer import BF16, F16, I32, U8, Buffer, write


@triton.jit
def window_attention(q, k, v, o, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WINDOW: tl.constexpr):
    head = tl.program_id(1) * length * D
    start = tl.program_id(0) * BM
    i, d = start + tl.arange(0, BM), tl.arange(0, D)
    vq = tl.load(q + head + i[:, None] * D + d[None, :])
    most = tl.full((BM,), -1e30, tl.float32)
    total, out = tl.zeros((BM,), tl.float32), tl.zeros((BM, D), tl.float32)
    first = tl.maximum(start - WINDOW, 0) // BN * BN
    for at in range(first, start + BM, BN):
        j = at + tl.arange(0, BN)
        s = tl.dot(vq, tl.load(k + head + j[None, :] * D + d[:, None])) * 0.125
        s = tl.where((i[:, None] >= j[None, :]) & (i[:, None] - j[None, :] <= WINDOW), s, -1e9)
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        old = tl.exp(most - new)
        total = total * old + tl.sum(p, 1)
        out = tl.dot(p.to(tl.float16), tl.load(v + head + j[:, None] * D + d[None, :]), out * old[:, None])
        most = new
    tl.store(o + head + i[:, None] * D + d[None, :], (out / total[:, None]).to(tl.float16))


@triton.jit
def experts_product(x, w, row_of, expert_of, y, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(1)
    slot, j, k = pm * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    row, expert = tl.load(row_of + slot), tl.load(expert_of + pm * BM // 64)
    pa, pb = x + row[:, None] * K + k[None, :], w + expert * K * N + k[:, None] * N + j[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        total = tl.dot(tl.load(pa), tl.load(pb), total)
        pa += BK
        pb += BK * N
    tl.store(y + slot[:, None] * N + j[None, :], total.to(tl.float16))


@triton.jit
def four_bit_product(a, q, scale, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    low, high = tl.zeros((BM, BN), dtype=tl.float32), tl.zeros((BM, BN), dtype=tl.float32)
    half = N // 2
    for at in range(0, K, BK):
        va = tl.load(a + i[:, None] * K + at + k[None, :])
        b = tl.load(q + (at + k[:, None]) * half + j[None, :])
        low = tl.dot(va, ((b & 15).to(tl.float16) - 8), low)
        high = tl.dot(va, ((b >> 4).to(tl.float16) - 8), high)
    tl.store(c + i[:, None] * N + j[None, :], low * tl.load(scale + j)[None, :])
    tl.store(c + i[:, None] * N + half + j[None, :], high * tl.load(scale + half + j)[None, :])


@triton.jit
def gated_product(a, w, g, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    up, gate = tl.zeros((BM, BN), dtype=tl.float32), tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        va = tl.load(a + i[:, None] * K + at + k[None, :])
        up = tl.dot(va, tl.load(w + (at + k[:, None]) * N + j[None, :]), up)
        gate = tl.dot(va, tl.load(g + (at + k[:, None]) * N + j[None, :]), gate)
    tl.store(c + i[:, None] * N + j[None, :], (up * gate * tl.sigmoid(gate)).to(tl.bfloat16))


@triton.jit
def low_rank(x, w, down, up, y, N, K, R: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, k, r = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK), tl.arange(0, R)
    total, small = tl.zeros((BM, BN), dtype=tl.float32), tl.zeros((BM, R), dtype=tl.float32)
    for at in range(0, K, BK):
        va = tl.load(x + i[:, None] * K + at + k[None, :])
        total = tl.dot(va, tl.load(w + (at + k[:, None]) * N + j[None, :]), total)
        small = tl.dot(va, tl.load(down + (at + k[:, None]) * R + r[None, :]), small)
    total = tl.dot(small.to(tl.float16), tl.load(up + r[:, None] * N + j[None, :]), total)
    tl.store(y + i[:, None] * N + j[None, :], total.to(tl.float16))


@triton.jit
def gram(x, c, rows, columns, BM: tl.constexpr, BK: tl.constexpr, PARTS: tl.constexpr):
    i, j, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BM + tl.arange(0, BM), tl.arange(0, BK)
    total = tl.zeros((BM, BM), dtype=tl.float32)
    part = rows // PARTS
    for at in range(tl.program_id(2) * part, tl.program_id(2) * part + part, BK):
        va = tl.load(x + (at + k[None, :]) * columns + i[:, None])
        total = tl.dot(va, tl.load(x + (at + k[:, None]) * columns + j[None, :]), total)
    tl.atomic_add(c + i[:, None] * columns + j[None, :], total)


@triton.jit
def block_sparse(value, place, b, c, N, each, S: tl.constexpr, BN: tl.constexpr):
    p, i, j = tl.program_id(1), tl.arange(0, S), tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros((S, BN), dtype=tl.float32)
    for k in range(0, each):
        at = tl.load(place + p * each + k)
        va = tl.load(value + (p * each + k) * S * S + i[:, None] * S + i[None, :])
        total = tl.dot(va, tl.load(b + (at * S + i[:, None]) * N + j[None, :]), total)
    tl.store(c + (p * S + i[:, None]) * N + j[None, :], total)


@triton.jit
def spectrogram(sound, basis, y, hop, bins, length, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    frame, f, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, length, BK):
        va = tl.load(sound + frame[:, None] * hop + at + k[None, :])
        total = tl.dot(va, tl.load(basis + (at + k[:, None]) * bins + f[None, :]), total)
    tl.store(y + frame[:, None] * bins + f[None, :], tl.log(total * total + 1e-6))


@triton.jit
def assign(x, centres, y, n, D: tl.constexpr, BM: tl.constexpr, C: tl.constexpr):
    i, c, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, C), tl.arange(0, D)
    v = tl.load(centres + c[None, :] * D + d[:, None])
    s = tl.sum(v * v, axis=0)[None, :] - 2 * tl.dot(tl.load(x + i[:, None] * D + d[None, :]), v, input_precision="tf32")
    tl.store(y + i, tl.argmin(s, axis=1), mask=i < n)


@triton.jit
def gemv(a, x, y, rows, columns, R: tl.constexpr, C: tl.constexpr):
    i = tl.program_id(0) * R + tl.arange(0, R)
    total = tl.zeros((R, C), dtype=tl.float32)
    for at in range(0, columns, C):
        j = at + tl.arange(0, C)
        total += tl.load(a + i[:, None] * columns + j[None, :]).to(tl.float32) * tl.load(x + j)[None, :].to(tl.float32)
    tl.store(y + i, tl.sum(total, axis=1), mask=i < rows)


@triton.jit
def byte_gemv(a, scale, x, y, rows, columns, R: tl.constexpr, C: tl.constexpr):
    i = tl.program_id(0) * R + tl.arange(0, R)
    total = tl.zeros((R, C), dtype=tl.float32)
    for at in range(0, columns, C):
        j = at + tl.arange(0, C)
        total += (tl.load(a + i[:, None] * columns + j[None, :]).to(tl.float32) - 128) * tl.load(x + j)[None, :]
    tl.store(y + i, tl.sum(total, axis=1) * tl.load(scale + i, mask=i < rows, other=0.0), mask=i < rows)


@triton.jit
def outer(a, b, y, rows, columns, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.program_id(0) * R + tl.arange(0, R), tl.program_id(1) * C + tl.arange(0, C)
    at = y + i[:, None] * columns + j[None, :]
    tl.store(at, tl.load(at) + tl.load(a + i)[:, None] * tl.load(b + j)[None, :])


@triton.jit
def top_eight(x, y, index, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    for k in range(0, 8):
        at = tl.argmax(v, axis=0)
        tl.store(y + row * 8 + k, tl.max(v, axis=0))
        tl.store(index + row * 8 + k, at)
        v = tl.where(i == at, -float("inf"), v)


@triton.jit
def beam_parts(score, x, best, at, columns, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    base = tl.load(score + row)
    most, place = -1e30, 0
    size = columns // PARTS
    for first in range(part * size, part * size + size, BLOCK):
        i = first + tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + i, mask=i < part * size + size, other=-1e30) + base
        m = tl.max(v, axis=0)
        place = tl.where(m > most, first + tl.argmax(v, axis=0), place)
        most = tl.maximum(most, m)
    tl.store(best + row * PARTS + part, most)
    tl.store(at + row * PARTS + part, place)


@triton.jit
def loss_backward(x, label, g, y, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    p = e / tl.sum(e, axis=0)
    p = tl.where(i == tl.load(label + row), p - 1, p)
    tl.store(y + row * columns + i, (p * tl.load(g + row)).to(tl.float16), mask=i < columns)


@triton.jit
def ragged_means(x, length, y, room, R: tl.constexpr, C: tl.constexpr):
    i = tl.program_id(0) * R + tl.arange(0, R)
    n = tl.load(length + i)
    total = tl.zeros((R, C), dtype=tl.float32)
    for at in range(0, tl.max(n, axis=0), C):
        j = at + tl.arange(0, C)
        total += tl.load(x + i[:, None] * room + j[None, :], mask=j[None, :] < n[:, None], other=0.0)
    tl.store(y + i, tl.sum(total, axis=1) / tl.maximum(n, 1).to(tl.float32))


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def running_max(x, y, columns, R: tl.constexpr, BLOCK: tl.constexpr):
    i, j = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, BLOCK)
    at = i[:, None] * columns + j[None, :]
    tl.store(y + at, tl.associative_scan(tl.load(x + at), 1, larger))


@triton.jit
def row_products(o, g, y, width, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, C)
    at = i[:, None] * width + j[None, :]
    tl.store(y + i, tl.sum(tl.load(o + at).to(tl.float32) * tl.load(g + at).to(tl.float32), axis=1))


@triton.jit
def cache_write(k, v, slot, cache_k, cache_v, width, BLOCK: tl.constexpr):
    t, i = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    s = tl.load(slot + t)
    tl.store(cache_k + s * width + i, tl.load(k + t * width + i))
    tl.store(cache_v + s * width + i, tl.load(v + t * width + i))


@triton.jit
def merge_splits(part, most, total, y, SPLITS: tl.constexpr, D: tl.constexpr, R: tl.constexpr):
    row, s, d = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, SPLITS), tl.arange(0, D)
    m = tl.load(most + row[:, None] * SPLITS + s[None, :])
    w = tl.exp(m - tl.max(m, axis=1)[:, None]) * tl.abs(tl.load(total + row[:, None] * SPLITS + s[None, :]))
    w = w / tl.sum(w, axis=1)[:, None]
    p = tl.load(part + (row[:, None, None] * SPLITS + s[None, :, None]) * D + d[None, None, :])
    tl.store(y + row[:, None] * D + d[None, :], tl.sum(p * w[:, :, None], axis=1))


@triton.jit
def normal_floats(q, table, scale, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    b = tl.load(q + i // 2, mask=i < n, other=0).to(tl.int32)
    code = (b >> (4 * (i % 2))) & 15
    tl.store(y + i, (tl.load(table + code) * tl.load(scale + i // 64, mask=i < n, other=0.0)).to(tl.float16), mask=i < n)


@triton.jit
def reaction(u, v, pu, pv, w, h, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.program_id(0) * R + tl.arange(0, R), tl.program_id(1) * C + tl.arange(0, C)
    at = i[:, None] * w + j[None, :]
    inside = (i[:, None] > 0) & (i[:, None] < h - 1) & (j[None, :] > 0) & (j[None, :] < w - 1)
    a, b = tl.load(u + at, mask=inside, other=0.0), tl.load(v + at, mask=inside, other=0.0)
    la = tl.load(u + at - 1, mask=inside, other=0.0) + tl.load(u + at + 1, mask=inside, other=0.0) + tl.load(u + at - w, mask=inside, other=0.0) + tl.load(u + at + w, mask=inside, other=0.0) - 4 * a
    lb = tl.load(v + at - 1, mask=inside, other=0.0) + tl.load(v + at + 1, mask=inside, other=0.0) + tl.load(v + at - w, mask=inside, other=0.0) + tl.load(v + at + w, mask=inside, other=0.0) - 4 * b
    r = a * b * b
    tl.store(pu + at, a + 0.16 * la - r + 0.035 * (1 - a), mask=inside)
    tl.store(pv + at, b + 0.08 * lb + r - 0.1 * b, mask=inside)


@triton.jit
def hue(red, green, blue, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    r, g, b = tl.load(red + i, mask=i < n, other=0.0), tl.load(green + i, mask=i < n, other=0.0), tl.load(blue + i, mask=i < n, other=0.0)
    m = tl.maximum(r, tl.maximum(g, b))
    d = m - tl.minimum(r, tl.minimum(g, b)) + 1e-6
    h = tl.where(m == r, (g - b) / d, tl.where(m == g, 2 + (b - r) / d, 4 + (r - g) / d))
    tl.store(y + i, tl.where(h < 0, h + 6, h) * 60, mask=i < n)


@triton.jit
def warp_image(x, flow_u, flow_v, y, w, h, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.program_id(0) * R + tl.arange(0, R), tl.program_id(1) * C + tl.arange(0, C)
    at = i[:, None] * w + j[None, :]
    u = tl.minimum(tl.maximum(j[None, :].to(tl.float32) + 3 * tl.load(flow_u + at), 0.0), w - 2.0)
    v = tl.minimum(tl.maximum(i[:, None].to(tl.float32) + 3 * tl.load(flow_v + at), 0.0), h - 2.0)
    a, b = v.to(tl.int32), u.to(tl.int32)
    p, q = v - a.to(tl.float32), u - b.to(tl.float32)
    base = x + a * w + b
    top = tl.load(base) * (1 - q) + tl.load(base + 1) * q
    tl.store(y + at, top * (1 - p) + (tl.load(base + w) * (1 - q) + tl.load(base + w + 1) * q) * p)


@triton.jit
def depthwise(x, k, y, w, channels, T: tl.constexpr, C: tl.constexpr):
    p, c = tl.program_id(0) * T + tl.arange(0, T), tl.program_id(1) * C + tl.arange(0, C)
    row, column = p // (w - 2), p % (w - 2)
    s = tl.zeros((T, C), dtype=tl.float32)
    for u in tl.static_range(0, 3):
        for v in tl.static_range(0, 3):
            s += tl.load(x + ((row + u) * w + column + v)[:, None] * channels + c[None, :]) * tl.load(k + (u * 3 + v) * channels + c)[None, :]
    tl.store(y + p[:, None] * channels + c[None, :], tl.maximum(s, 0.0))


@triton.jit
def asian(y, seed, steps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros((BLOCK,), dtype=tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in range(0, steps):
        s += 0.01 * tl.randn(seed, i * steps + k) + 0.0001
        total += tl.exp(s)
    tl.store(y + i, tl.maximum(total / steps - 1, 0.0))


@triton.jit
def butterfly(re, im, yr, yi, n, span, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = i % span
    a, b, c, d = tl.load(re + i), tl.load(im + i), tl.load(re + i + n // 2), tl.load(im + i + n // 2)
    t = -3.14159265 * k.to(tl.float32) / span
    cs, sn = tl.cos(t), tl.sin(t)
    e, f = c * cs - d * sn, c * sn + d * cs
    o = (i - k) * 2 + k
    tl.store(yr + o, a + e)
    tl.store(yi + o, b + f)
    tl.store(yr + o + span, a - e)
    tl.store(yi + o + span, b - f)


def products(w):
    for bm, bn, warps, stages in ((64, 32, 4, 2), (64, 64, 4, 2), (64, 64, 4, 4), (128, 64, 8, 2), (128, 32, 4, 3)):
        w.launch(window_attention, (2048 // bm, 12), *[Buffer(12 * 2048 * 64, F16, seed=s) for s in (1, 2, 3)], Buffer(12 * 2048 * 64, F16, out=True), 2048,
                 D=64, BM=bm, BN=bn, WINDOW=256, num_warps=warps, num_stages=stages)
    slots, n, k = 1024, 512, 512
    for bm, bn, bk, warps, stages in ((64, 64, 32, 4, 3), (64, 128, 32, 4, 3), (32, 64, 64, 4, 3), (16, 128, 64, 4, 2), (64, 64, 64, 8, 2)):
        w.launch(experts_product, (n // bn, slots // bm), Buffer(512 * k, F16), Buffer(8 * k * n, F16, seed=2), Buffer(slots, I32, below=512), Buffer(slots // 64, I32, below=8, seed=2),
                 Buffer(slots * n, F16, out=True), n, k, BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages)
    m, n, k = 64, 4096, 1024
    for bm, bn, bk, warps, stages in ((64, 32, 64, 4, 2), (64, 64, 64, 4, 3), (32, 64, 64, 4, 3), (16, 64, 128, 4, 2)):
        w.launch(four_bit_product, (n // 2 // bn, m // bm), Buffer(m * k, F16), Buffer(k * n // 2, U8), Buffer(n, seed=2), Buffer(m * n, out=True), n, k,
                 BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages)
    m, n, k = 512, 1024, 512
    for bm, bn, bk, warps, stages in ((64, 64, 32, 4, 3), (64, 64, 64, 4, 2), (128, 64, 32, 8, 3), (64, 32, 64, 4, 3), (128, 64, 32, 4, 2)):
        w.launch(gated_product, (n // bn, m // bm), Buffer(m * k, BF16), Buffer(n * k, BF16, seed=2), Buffer(n * k, BF16, seed=3), Buffer(m * n, BF16, out=True), n, k,
                 BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages)
    for bm, bn, bk, warps, stages in ((64, 64, 32, 4, 3), (64, 128, 32, 8, 2), (32, 64, 64, 4, 4), (128, 128, 32, 8, 3)):
        w.launch(low_rank, (n // bn, m // bm), Buffer(m * k, F16), Buffer(n * k, F16, seed=2), Buffer(k * 16, F16, seed=3), Buffer(16 * n, F16, seed=4), Buffer(m * n, F16, out=True),
                 n, k, R=16, BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages)
    for bm, bk, parts, warps in ((32, 32, 16, 4), (64, 32, 16, 4), (64, 64, 8, 4), (64, 32, 32, 8)):
        w.launch(gram, (256 // bm, 256 // bm, parts), Buffer(8192 * 256, F16), Buffer(256 * 256, out=True), 8192, 256, BM=bm, BK=bk, PARTS=parts, num_warps=warps, num_stages=3)
    for bn, warps, stages in ((64, 4, 2), (128, 4, 3), (64, 2, 4), (32, 2, 2)):
        w.launch(block_sparse, (512 // bn, 64), Buffer(64 * 8 * 32 * 32, F16), Buffer(64 * 8, I32, below=64), Buffer(64 * 32 * 512, F16, seed=2), Buffer(64 * 32 * 512, out=True), 512, 8,
                 S=32, BN=bn, num_warps=warps, num_stages=stages)
    for bm, bn, bk, warps, stages in ((64, 64, 32, 4, 3), (32, 64, 64, 4, 2), (64, 128, 32, 4, 3), (128, 64, 32, 8, 2)):
        w.launch(spectrogram, (2048 // bm, 256 // bn), Buffer(2048 * 160 + 512, F16), Buffer(512 * 256, F16, seed=2), Buffer(2048 * 256, out=True), 160, 256, 512,
                 BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages)
    for bm, warps in ((32, 4), (64, 4), (128, 4), (128, 8)):
        w.launch(assign, (65536 // bm,), Buffer(65536 * 32), Buffer(64 * 32, seed=2), Buffer(65536, I32, out=True), 65536, D=32, BM=bm, C=64, num_warps=warps)


def rows(w):
    for r, c, warps in ((1, 1024, 4), (4, 256, 4), (8, 128, 2), (16, 256, 8)):
        w.launch(gemv, (4096 // r,), Buffer(4096 * 2048, F16), Buffer(2048, F16, seed=2), Buffer(4096, out=True), 4096, 2048, R=r, C=c, num_warps=warps)
        w.launch(byte_gemv, (4096 // r,), Buffer(4096 * 4096, U8), Buffer(4096), Buffer(4096, seed=2), Buffer(4096, out=True), 4096, 4096, R=r, C=c, num_warps=warps)
    for r, c, warps in ((8, 128, 4), (32, 64, 4), (4, 1024, 4), (16, 32, 1)):
        w.launch(outer, (1024 // r, 2048 // c), Buffer(1024), Buffer(2048, seed=2), Buffer(1024 * 2048, seed=3), 1024, 2048, R=r, C=c, num_warps=warps)
    for warps in (1, 4, 8):
        w.launch(top_eight, (1500,), Buffer(1500 * 1000), Buffer(1500 * 8, out=True), Buffer(1500 * 8, I32, out=True), 1000, BLOCK=1024, num_warps=warps)
    for block, warps in ((512, 2), (1024, 4), (4096, 4), (4096, 16)):
        w.launch(beam_parts, (128, 8), Buffer(128), Buffer(128 * 32000, seed=2), Buffer(128 * 8, out=True), Buffer(128 * 8, I32, out=True), 32000, PARTS=8, BLOCK=block, num_warps=warps)
    for warps in (4, 8, 16):
        w.launch(loss_backward, (800,), Buffer(800 * 4000, F16), Buffer(800, I32, below=4000), Buffer(800, seed=2), Buffer(800 * 4000, F16, out=True), 4000, BLOCK=4096, num_warps=warps)
    for r, c, warps in ((2, 64, 1), (8, 32, 2), (16, 64, 4), (32, 16, 4)):
        w.launch(ragged_means, (24000 // 32 * 32 // r,), Buffer(24000 * 100), Buffer(24000, I32, below=100), Buffer(24000, out=True), 100, R=r, C=c, num_warps=warps)
    for r, warps in ((1, 2), (1, 8), (4, 4)):
        w.launch(running_max, (2048 // r,), Buffer(2048 * 1024), Buffer(2048 * 1024, out=True), 1024, R=r, BLOCK=1024, num_warps=warps)
    for r, warps in ((4, 1), (16, 2), (64, 4), (32, 8)):
        w.launch(row_products, (32768 // r,), Buffer(32768 * 64, F16), Buffer(32768 * 64, F16, seed=2), Buffer(32768, out=True), 64, R=r, C=64, num_warps=warps)
    for block, warps in ((128, 1), (512, 4), (1024, 2)):
        w.launch(cache_write, (4096, 1024 // block), Buffer(4096 * 1024, F16), Buffer(4096 * 1024, F16, seed=2), Buffer(4096, I32, below=5000), Buffer(5000 * 1024, F16, out=True),
                 Buffer(5000 * 1024, F16, out=True), 1024, BLOCK=block, num_warps=warps)
    for r, warps in ((1, 1), (4, 4), (8, 4)):
        w.launch(merge_splits, (4096 // r,), Buffer(4096 * 8 * 64), Buffer(4096 * 8, seed=2), Buffer(4096 * 8, seed=3), Buffer(4096 * 64, out=True), SPLITS=8, D=64, R=r, num_warps=warps)


def grids(w):
    n = 1 << 22
    for block, warps in ((256, 2), (1024, 4), (4096, 8)):
        w.launch(normal_floats, (n // block,), Buffer(n // 2, U8), Buffer(16), Buffer(n // 64, seed=2), Buffer(n, F16, out=True), n, BLOCK=block, num_warps=warps)
    for r, c, warps in ((4, 64, 2), (8, 128, 4), (1, 512, 4), (16, 128, 8)):
        w.launch(reaction, (1024 // r, 1536 // c), Buffer(1024 * 1536), Buffer(1024 * 1536, seed=2), Buffer(1024 * 1536, out=True), Buffer(1024 * 1536, out=True), 1536, 1024,
                 R=r, C=c, num_warps=warps)
    n = 1500000
    for block, warps in ((256, 4), (1024, 4), (2048, 4)):
        w.launch(hue, (triton.cdiv(n, block),), Buffer(n), Buffer(n, seed=2), Buffer(n, seed=3), Buffer(n, out=True), n, BLOCK=block, num_warps=warps)
    for r, c, warps in ((4, 64, 4), (8, 32, 2), (1, 512, 4), (16, 64, 4)):
        w.launch(warp_image, (1024 // r, 1024 // c), Buffer(1024 * 1024), Buffer(1024 * 1024, seed=2), Buffer(1024 * 1024, seed=3), Buffer(1024 * 1024, out=True), 1024, 1024,
                 R=r, C=c, num_warps=warps)
    for t, c, warps in ((8, 64, 4), (16, 128, 4), (32, 32, 4), (4, 128, 2)):
        w.launch(depthwise, (96 * 96 // t, 256 // c), Buffer(98 * 98 * 256), Buffer(9 * 256, seed=2), Buffer(96 * 96 * 256, out=True), 98, 256, T=t, C=c, num_warps=warps)
    for block, warps in ((128, 4), (512, 4), (1024, 8)):
        w.launch(asian, (65536 // block,), Buffer(65536, out=True), 9, 16, BLOCK=block, num_warps=warps)
    n = 1 << 20
    for block, warps in ((128, 4), (512, 4), (2048, 8)):
        w.launch(butterfly, (n // 2 // block,), Buffer(n), Buffer(n, seed=2), Buffer(n, out=True), Buffer(n, out=True), n, 1024, BLOCK=block, num_warps=warps)


if __name__ == "__main__":
    write({"products": products, "rows": rows, "grids": grids}, __doc__)
