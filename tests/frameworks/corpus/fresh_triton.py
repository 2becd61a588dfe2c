"""Kernels by Triton for the set tests/data/fresh: norms with rotations, losses in pieces, samples, groups of bytes, products with other ends.

    fresh_triton.py FOLDER [NAME...]    writes FOLDER/triton.jsonl (triton-NAME.jsonl with names) and FOLDER/triton.files"""
import triton
import triton.language as tl

from triton_writer import BF16, F16, I32, U8, Buffer, write


@triton.jit
def residual_product(a, b, r, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    p, across = tl.program_id(0), N // BN
    group = p // (GROUP * across)
    pm, pn = group * GROUP + p % GROUP, p % (GROUP * across) // GROUP
    i, j, k = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
    pa, pb = a + i[:, None] * K + k[None, :], b + k[:, None] * N + j[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(pa), tl.load(pb), total)
        pa += BK
        pb += BK * N
    at = i[:, None] * N + j[None, :]
    tl.store(c + at, (total + tl.load(r + at).to(tl.float32)).to(tl.bfloat16))


@triton.jit
def descriptor_product(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(1) * BM, tl.program_id(0) * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(da.load([m, k]), db.load([n, k]).T, total)
    dc.store([m, n], (total + tl.load(bias + n + tl.arange(0, BN))[None, :]).to(tl.float16))


@triton.jit
def two_layers(x, w1, w2, y, H, D: tl.constexpr, BM: tl.constexpr, BH: tl.constexpr):
    i, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    vx = tl.load(x + i[:, None] * D + d[None, :])
    out = tl.zeros((BM, D), dtype=tl.float32)
    for at in range(0, H, BH):
        h = at + tl.arange(0, BH)
        u = tl.dot(vx, tl.load(w1 + d[:, None] * H + h[None, :]))
        out = tl.dot(tl.maximum(u, 0.0).to(tl.float16), tl.load(w2 + h[:, None] * D + d[None, :]), out)
    tl.store(y + i[:, None] * D + d[None, :], out.to(tl.float16))


@triton.jit
def grouped_decode(q, k, v, o, length, G: tl.constexpr, D: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(0)
    g, d = tl.arange(0, G), tl.arange(0, D)
    vq = tl.load(q + (head * G + g[:, None]) * D + d[None, :])
    most = tl.full((G,), -1e30, tl.float32)
    total, out = tl.zeros((G,), tl.float32), tl.zeros((G, D), tl.float32)
    for at in range(0, length, BN):
        j = at + tl.arange(0, BN)
        s = tl.dot(vq, tl.load(k + (head * length + j[None, :]) * D + d[:, None])) * 0.125
        new = tl.maximum(most, tl.max(s, 1))
        p, old = tl.exp2((s - new[:, None]) * 1.44269504), tl.exp2((most - new) * 1.44269504)
        total = total * old + tl.sum(p, 1)
        out = tl.dot(p.to(tl.float16), tl.load(v + (head * length + j[:, None]) * D + d[None, :]), out * old[:, None])
        most = new
    tl.store(o + (head * G + g[:, None]) * D + d[None, :], (out / total[:, None]).to(tl.float16))


@triton.jit
def byte_dots(a, b, sa, sb, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.int32)
    for at in range(0, K, BK):
        va = tl.load(a + i[:, None] * K + at + k[None, :]).to(tl.int8, bitcast=True)
        vb = tl.load(b + j[None, :] * K + at + k[:, None]).to(tl.int8, bitcast=True)
        total = tl.dot(va, vb, total, out_dtype=tl.int32)
    tl.store(c + i[:, None] * N + j[None, :], (total.to(tl.float32) * tl.load(sa + i)[:, None] * tl.load(sb + j)[None, :]).to(tl.float16))


@triton.jit
def thin_product(a, b, c, N, K, R: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    j, r, k = tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, R), tl.arange(0, BK)
    total = tl.zeros((R, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        total = tl.dot(tl.load(a + r[:, None] * K + at + k[None, :]), tl.load(b + (at + k[:, None]) * N + j[None, :]), total, input_precision="tf32")
    tl.store(c + r[:, None] * N + j[None, :], total)


@triton.jit
def norm_and_rotate(x, weight, cosine, sine, y, heads, R: tl.constexpr, HALF: tl.constexpr):
    row, d = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, HALF)
    at = row[:, None] * 2 * HALF + d[None, :]
    a, b = tl.load(x + at).to(tl.float32), tl.load(x + at + HALF).to(tl.float32)
    scale = tl.rsqrt((tl.sum(a * a, 1) + tl.sum(b * b, 1)) / (2 * HALF) + 1e-6)[:, None]
    a, b = a * scale * tl.load(weight + d)[None, :], b * scale * tl.load(weight + HALF + d)[None, :]
    turn = (row // heads)[:, None] * HALF + d[None, :]
    c, s = tl.load(cosine + turn), tl.load(sine + turn)
    tl.store(y + at, (a * c - b * s).to(tl.float16))
    tl.store(y + at + HALF, (b * c + a * s).to(tl.float16))


@triton.jit
def loss_in_pieces(x, label, loss, columns, smooth, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most, total, plain = -1e30, 0.0, 0.0
    for at in range(0, columns, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + i, mask=i < columns, other=-1e30).to(tl.float32)
        new = tl.maximum(most, tl.max(v, 0))
        total = total * tl.exp(most - new) + tl.sum(tl.exp(v - new), 0)
        plain += tl.sum(tl.where(i < columns, v, 0.0), 0)
        most = new
    high = most + tl.log(total)
    right = tl.load(x + row * columns + tl.load(label + row)).to(tl.float32)
    tl.store(loss + row, (1 - smooth) * (high - right) + smooth * (high - plain / columns))


@triton.jit
def drop_and_norm(x, before, weight, y, kept, seed, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    at, inside = row * columns + i, i < columns
    v = tl.load(x + at, mask=inside, other=0.0)
    v = tl.where(tl.rand(seed, at) > 0.1, v / 0.9, 0.0) + tl.load(before + at, mask=inside, other=0.0)
    tl.store(kept + at, v, mask=inside)
    mean = tl.sum(v, 0) / columns
    d = tl.where(inside, v - mean, 0.0)
    tl.store(y + at, d * tl.rsqrt(tl.sum(d * d, 0) / columns + 1e-5) * tl.load(weight + i, mask=inside, other=0.0), mask=inside)


@triton.jit
def rows_to_bytes(x, y, scale, columns, R: tl.constexpr, BLOCK: tl.constexpr):
    row, i = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, BLOCK)
    at, inside = row[:, None] * columns + i[None, :], i[None, :] < columns
    v = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    s = tl.maximum(tl.max(tl.abs(v), 1), 1e-6) / 127
    q = v / s[:, None]
    q = (q + tl.where(q < 0, -0.5, 0.5)).to(tl.int32)
    tl.store(y + at, (q & 255).to(tl.uint8), mask=inside)
    tl.store(scale + row, s)


@triton.jit
def bytes_and_rest(q, scale, rest, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(q + i, mask=i < n, other=128).to(tl.float32) - 128
    tl.store(y + i, (v * tl.load(scale + i // 128, mask=i < n, other=0.0) + tl.load(rest + i, mask=i < n, other=0.0).to(tl.float32)).to(tl.bfloat16), mask=i < n)


@triton.jit
def expert_places(expert, place, count, n, E: tl.constexpr, BLOCK: tl.constexpr):
    i, e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, E)
    mine = tl.load(expert + i)
    hot = (mine[:, None] == e[None, :]).to(tl.int32)
    before = tl.cumsum(hot, 0) - hot
    tl.store(place + i, tl.sum(before * hot, 1))
    tl.store(count + tl.program_id(0) * E + e, tl.sum(hot, 0))


@triton.jit
def sample_rows(x, y, seed, columns, heat, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best, where = -1e30, 0
    for at in range(0, columns, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + i, mask=i < columns, other=-1e30) / heat
        v -= tl.log(-tl.log(tl.rand(seed, row * columns + i) * 0.999 + 0.0005))
        m = tl.max(v, 0)
        where = tl.where(m > best, at + tl.argmax(v, 0), where)
        best = tl.maximum(best, m)
    tl.store(y + row, where)


@triton.jit
def ell_rows(value, column, x, y, K: tl.constexpr, R: tl.constexpr):
    row, k = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, K)
    at = row[:, None] * K + k[None, :]
    tl.store(y + row, tl.sum(tl.load(value + at) * tl.load(x + tl.load(column + at)), 1))


@triton.jit
def gate_and_bias(x, bias, y, width, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + row * 2 * width + i).to(tl.float32) + tl.load(bias + i)
    b = tl.load(x + row * 2 * width + width + i).to(tl.float32) + tl.load(bias + width + i)
    tl.store(y + row * width + i, (a * 0.5 * b * (1 + tl.erf(b * 0.70710678))).to(tl.float16))


@triton.jit
def ship(y, w, h, most, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.program_id(0) * R + tl.arange(0, R), tl.program_id(1) * C + tl.arange(0, C)
    a, b = (j[None, :] - w * 0.7) * 3.0 / w + i[:, None] * 0.0, (i[:, None] - h * 0.6) * 2.4 / h + j[None, :] * 0.0
    u, v, count = a * 0, b * 0, tl.zeros((R, C), dtype=tl.int32)
    for _ in range(0, most):
        inside = u * u + v * v < 4
        s = u * u - v * v + a
        v = tl.where(inside, tl.abs(2 * u * v) + b, v)
        u = tl.where(inside, s, u)
        count += inside.to(tl.int32)
    tl.store(y + i[:, None] * w + j[None, :], count)


@triton.jit
def magnet(ez, hx, hy, px, py, w, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.program_id(0) * R + tl.arange(0, R), tl.program_id(1) * C + tl.arange(0, C)
    at = i[:, None] * w + j[None, :]
    e = tl.load(ez + at)
    tl.store(px + at, tl.load(hx + at) - 0.5 * (tl.load(ez + at + w) - e))
    tl.store(py + at, tl.load(hy + at) + 0.5 * (tl.load(ez + at + 1) - e))


@triton.jit
def chroma(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    r, g, b = tl.load(x + 3 * i, mask=inside, other=0.0), tl.load(x + 3 * i + 1, mask=inside, other=0.0), tl.load(x + 3 * i + 2, mask=inside, other=0.0)
    luma = 0.299 * r + 0.587 * g + 0.114 * b
    tl.store(y + i, luma, mask=inside)
    tl.store(y + n + i, (b - luma) * 0.564, mask=inside)
    tl.store(y + 2 * n + i, (r - luma) * 0.713, mask=inside)


@triton.jit
def add_to_clusters(x, label, total, width, R: tl.constexpr, C: tl.constexpr):
    i, d = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, C)
    tl.atomic_add(total + tl.load(label + i)[:, None] * width + d[None, :], tl.load(x + i[:, None] * width + d[None, :]))


@triton.jit
def far_words(x, y, count, columns, R: tl.constexpr, C: tl.constexpr):
    i, k = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, C)
    v = tl.load(x + i[:, None] * columns + k[None, :]) ^ tl.load(y + k)[None, :]
    v = v - ((v >> 1) & 0x55555555)
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
    v = (v + (v >> 4)) & 0x0F0F0F0F
    tl.store(count + i, tl.sum(((v * 0x01010101) >> 24) & 255, 1))


def products(w):
    m, n, k = 512, 1024, 768
    for bm, bn, bk, group, warps, stages in ((128, 128, 64, 2, 8, 3), (64, 128, 64, 4, 4, 3), (64, 64, 64, 8, 4, 4), (64, 64, 32, 1, 4, 2), (128, 64, 64, 4, 4, 3)):
        w.launch(residual_product, (m // bm * n // bn,), Buffer(m * k, BF16), Buffer(k * n, BF16, seed=2), Buffer(m * n, BF16, seed=3), Buffer(m * n, BF16, out=True), m, n, k,
                 BM=bm, BN=bn, BK=bk, GROUP=group, num_warps=warps, num_stages=stages)
    for bm, bn, bk, warps, stages in ((128, 128, 64, 8, 3), (64, 128, 64, 4, 4), (64, 64, 64, 4, 3), (128, 64, 32, 4, 4)):
        w.launch(descriptor_product, (n // bn, m // bm), Buffer(m * k, F16), Buffer(n * k, F16, seed=2), Buffer(n), Buffer(m * n, F16, out=True), m, n, k,
                 BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages)
    for bm, bh, warps, stages in ((64, 32, 4, 2), (64, 64, 4, 2), (32, 64, 4, 3), (128, 64, 8, 2)):
        w.launch(two_layers, (8192 // bm,), Buffer(8192 * 64, F16), Buffer(64 * 256, F16, seed=2), Buffer(256 * 64, F16, seed=3), Buffer(8192 * 64, F16, out=True), 256,
                 D=64, BM=bm, BH=bh, num_warps=warps, num_stages=stages)
    for bn, warps, stages in ((32, 2, 3), (64, 4, 2), (128, 4, 2), (64, 4, 4)):
        w.launch(grouped_decode, (256,), Buffer(256 * 16 * 64, F16), Buffer(256 * 512 * 64, F16, seed=2), Buffer(256 * 512 * 64, F16, seed=3), Buffer(256 * 16 * 64, F16, out=True), 512,
                 G=16, D=64, BN=bn, num_warps=warps, num_stages=stages)
    for bm, bn, bk, warps, stages in ((64, 64, 64, 4, 3), (64, 128, 64, 4, 3), (32, 64, 128, 4, 2)):
        w.launch(byte_dots, (n // bn, m // bm), Buffer(m * k, U8), Buffer(n * k, U8, seed=2), Buffer(m), Buffer(n, seed=2), Buffer(m * n, F16, out=True), n, k,
                 BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages)
    for bn, bk, warps, stages in ((32, 32, 4, 3), (64, 32, 4, 3), (32, 64, 2, 2)):
        w.launch(thin_product, (4096 // bn,), Buffer(16 * 1024), Buffer(1024 * 4096, seed=2), Buffer(16 * 4096, out=True), 4096, 1024, R=16, BN=bn, BK=bk, num_warps=warps, num_stages=stages)


def rows(w):
    for r, warps in ((1, 1), (4, 2), (16, 4), (32, 8)):
        w.launch(norm_and_rotate, (16384 // r,), Buffer(16384 * 128, F16), Buffer(128, seed=2), Buffer(1024 * 64, seed=3), Buffer(1024 * 64, seed=4), Buffer(16384 * 128, F16, out=True), 16,
                 R=r, HALF=64, num_warps=warps)
    for block, warps in ((512, 4), (1024, 4), (4096, 8), (2048, 16)):
        w.launch(loss_in_pieces, (600,), Buffer(600 * 10000, F16), Buffer(600, I32, below=10000), Buffer(600, out=True), 10000, 0.1, BLOCK=block, num_warps=warps)
    for warps in (2, 4, 8):
        w.launch(drop_and_norm, (2000,), Buffer(2000 * 1000), Buffer(2000 * 1000, seed=2), Buffer(1000, seed=3), Buffer(2000 * 1000, out=True), Buffer(2000 * 1000, out=True), 5, 1000,
                 BLOCK=1024, num_warps=warps)
    for r, warps in ((1, 4), (4, 4), (2, 8)):
        w.launch(rows_to_bytes, (3000 // r,), Buffer(3000 * 900, F16), Buffer(3000 * 900, U8, out=True), Buffer(3000, out=True), 900, R=r, BLOCK=1024, num_warps=warps)
    n = 1 << 21
    for block, warps in ((256, 4), (1024, 4), (4096, 8)):
        w.launch(bytes_and_rest, (n // block,), Buffer(n, U8), Buffer(n // 128), Buffer(n, BF16, seed=2), Buffer(n, BF16, out=True), n, BLOCK=block, num_warps=warps)
    for block, warps in ((64, 2), (128, 4), (256, 4)):
        w.launch(expert_places, (65536 // block,), Buffer(65536, I32, below=32), Buffer(65536, I32, out=True), Buffer(65536 // 64 * 32, I32, out=True), 65536, E=32, BLOCK=block, num_warps=warps)
    for block, warps in ((512, 4), (1024, 8), (2048, 4)):
        w.launch(sample_rows, (400,), Buffer(400 * 8000), Buffer(400, I32, out=True), 3, 8000, 0.8, BLOCK=block, num_warps=warps)
    for r, warps in ((8, 1), (32, 4), (64, 4)):
        w.launch(ell_rows, (65536 // r,), Buffer(65536 * 16), Buffer(65536 * 16, I32, below=65536), Buffer(65536, seed=2), Buffer(65536, out=True), K=16, R=r, num_warps=warps)
    for block, warps in ((256, 2), (512, 4), (1024, 4)):
        w.launch(gate_and_bias, (1024, 2048 // block), Buffer(1024 * 4096, F16), Buffer(4096, seed=2), Buffer(1024 * 2048, F16, out=True), 2048, BLOCK=block, num_warps=warps)
    for r, warps in ((8, 2), (32, 4), (64, 8)):
        w.launch(add_to_clusters, (65536 // r,), Buffer(65536 * 32), Buffer(65536, I32, below=256), Buffer(256 * 32, out=True), 32, R=r, C=32, num_warps=warps)
    for r, warps in ((4, 1), (16, 4), (64, 4)):
        w.launch(far_words, (65536 // r,), Buffer(65536 * 32, I32, below=1 << 20), Buffer(32, I32, below=1 << 20, seed=2), Buffer(65536, I32, out=True), 32, R=r, C=32, num_warps=warps)


def grids(w):
    for r, c, warps in ((1, 128, 2), (8, 32, 4), (16, 64, 4)):
        w.launch(ship, (512 // r, 1024 // c), Buffer(512 * 1024, I32, out=True), 1024, 512, 40, R=r, C=c, num_warps=warps)
    for r, c, warps in ((1, 512, 4), (4, 128, 4), (16, 32, 2), (8, 128, 8)):
        w.launch(magnet, (1024 // r, 1024 // c), Buffer(1026 * 1024), *[Buffer(1024 * 1024, seed=s) for s in (2, 3)], *[Buffer(1024 * 1024, out=True) for _ in range(2)], 1024,
                 R=r, C=c, num_warps=warps)
    n = 1000000
    for block, warps in ((256, 4), (1024, 4), (2048, 8)):
        w.launch(chroma, (triton.cdiv(n, block),), Buffer(3 * n), Buffer(3 * n, out=True), n, BLOCK=block, num_warps=warps)


if __name__ == "__main__":
    write({"products": products, "rows": rows, "grids": grids}, __doc__)
