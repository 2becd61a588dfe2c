"""Kernels by Triton for the set tests/data/variants, each in several variants: tiles, warps, stages.

    variants_triton.py FOLDER [NAME...]    writes FOLDER/triton.jsonl (triton-NAME.jsonl with names) and FOLDER/triton.files"""
import triton
import triton.language as tl

from triton_writer import F16, F32, I32, U8, Buffer, write


@triton.jit
def axpy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 1.5 + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def activation(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n).to(tl.float32)
    v = v * tl.sigmoid(1.59576912 * (v + 0.044715 * v * v * v))
    tl.store(y + i, (tl.exp(-v * v) + tl.log(1 + v * v)).to(y.dtype.element_ty), mask=i < n)


@triton.jit
def rms_norm(x, w, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / columns + 1e-6)
    tl.store(y + row * columns + i, (v * r * tl.load(w + i, mask=i < columns)).to(y.dtype.element_ty), mask=i < columns)


@triton.jit
def softmax(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * columns + i, e / tl.sum(e, axis=0), mask=i < columns)


@triton.jit
def softmax_in_pieces(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most, total = -float("inf"), 0.0
    for at in range(0, columns, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
        new = tl.maximum(most, tl.max(v, axis=0))
        total = total * tl.exp(most - new) + tl.sum(tl.exp(v - new), axis=0)
        most = new
    for at in range(0, columns, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + i, mask=i < columns)
        tl.store(y + row * columns + i, tl.exp(v - most) / total, mask=i < columns)


@triton.jit
def sum_rows(x, y, rows, columns, R: tl.constexpr, C: tl.constexpr):
    i = tl.program_id(0) * R + tl.arange(0, R)
    total = tl.zeros((R, C), dtype=tl.float32)
    for at in range(0, columns, C):
        j = at + tl.arange(0, C)
        total += tl.load(x + i[:, None] * columns + j[None, :], mask=(i[:, None] < rows) & (j[None, :] < columns), other=0.0)
    tl.store(y + i, tl.sum(total, axis=1), mask=i < rows)


@triton.jit
def sum_columns(x, y, rows, columns, R: tl.constexpr, C: tl.constexpr):
    j = tl.program_id(0) * C + tl.arange(0, C)
    total = tl.zeros((R, C), dtype=tl.float32)
    for at in range(0, rows, R):
        i = at + tl.arange(0, R)
        total += tl.load(x + i[:, None] * columns + j[None, :], mask=(i[:, None] < rows) & (j[None, :] < columns), other=0.0)
    tl.store(y + j, tl.sum(total, axis=0), mask=j < columns)


@triton.jit
def sum_all(x, y, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for at in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = at + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(y, tl.sum(total, axis=0))


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr):
    pid = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    per = GROUP * columns
    first = pid // per * GROUP
    size = min(rows - first, GROUP)
    pm, pn = first + (pid % per) % size, (pid % per) // size
    i, j, k = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
    pa, pb = a + i[:, None] * K + k[None, :], b + k[:, None] * N + j[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, tl.cdiv(K, BK)):
        total = tl.dot(tl.load(pa), tl.load(pb), total, input_precision=PRECISION)
        pa += BK
        pb += BK * N
    tl.store(c + i[:, None] * N + j[None, :], total.to(c.dtype.element_ty))


@triton.jit
def split_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    i, j = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.program_id(2) * BK + tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K // (BK * SPLIT)):
        total = tl.dot(tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + j[None, :]), total)
        k += BK * SPLIT
    tl.atomic_add(c + i[:, None] * N + j[None, :], total)


@triton.jit
def quantised_matmul(a, q, scale, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    s = tl.load(scale + j)
    for at in range(0, K, BK):
        k = at + tl.arange(0, BK)
        w = tl.load(q + k[:, None] * N + j[None, :]).to(tl.float16) - 128
        total = tl.dot(tl.load(a + i[:, None] * K + k[None, :]), w, total)
    tl.store(c + i[:, None] * N + j[None, :], total * s[None, :])


@triton.jit
def convolve(x, w, y, C, H, W, F, R: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    p, f = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    oh, ow = H - R + 1, W - R + 1
    u, v = p // ow, p % ow
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, C * R * R, BK):
        k = at + tl.arange(0, BK)
        ch, rs = k // (R * R), k % (R * R)
        va = tl.load(x + ch[None, :] * H * W + (u[:, None] + rs[None, :] // R) * W + v[:, None] + rs[None, :] % R,
                     mask=(p[:, None] < oh * ow) & (k[None, :] < C * R * R), other=0.0)
        vb = tl.load(w + f[None, :] * C * R * R + k[:, None], mask=k[:, None] < C * R * R, other=0.0)
        total = tl.dot(va, vb, total)
    tl.store(y + f[None, :] * oh * ow + p[:, None], total, mask=p[:, None] < oh * ow)


@triton.jit
def attention(q, k, v, o, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1) * length * D
    i, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    vq = tl.load(q + head + i[:, None] * D + d[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    total, out = tl.zeros((BM,), tl.float32), tl.zeros((BM, D), tl.float32)
    end = (tl.program_id(0) + 1) * BM if CAUSAL else length
    for at in range(0, end, BN):
        j = at + tl.arange(0, BN)
        s = tl.dot(vq, tl.load(k + head + j[None, :] * D + d[:, None])) * 0.125
        if CAUSAL:
            s = tl.where(i[:, None] >= j[None, :], s, -1e9)
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        old = tl.exp(most - new)
        total = total * old + tl.sum(p, 1)
        out = tl.dot(p.to(tl.float16), tl.load(v + head + j[:, None] * D + d[None, :]), out * old[:, None])
        most = new
    tl.store(o + head + i[:, None] * D + d[None, :], (out / total[:, None]).to(tl.float16))


@triton.jit
def cumulate(x, y, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(y + row * columns + i, tl.cumsum(tl.load(x + row * columns + i), 0))


@triton.jit
def sort_rows(x, y, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(y + row * columns + i, tl.sort(tl.load(x + row * columns + i)))


@triton.jit
def histogram(x, y, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y + tl.arange(0, BINS), tl.histogram(tl.load(x + i), BINS))


@triton.jit
def transpose(x, y, rows, columns, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.program_id(0) * R + tl.arange(0, R), tl.program_id(1) * C + tl.arange(0, C)
    tl.store(y + j[:, None] * rows + i[None, :], tl.trans(tl.load(x + i[:, None] * columns + j[None, :])))


@triton.jit
def embed(table, index, y, width, BLOCK: tl.constexpr):
    row = tl.load(index + tl.program_id(0))
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0) * width + i, tl.load(table + row * width + i, mask=i < width), mask=i < width)


@triton.jit
def blur(x, y, w, h, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.program_id(0) * R + tl.arange(0, R), tl.program_id(1) * C + tl.arange(0, C)
    at = i[:, None] * w + j[None, :]
    inside = (i[:, None] > 0) & (i[:, None] < h - 1) & (j[None, :] > 0) & (j[None, :] < w - 1)
    s = tl.zeros((R, C), dtype=tl.float32)
    for u in tl.static_range(-1, 2):
        for v in tl.static_range(-1, 2):
            s += tl.load(x + at + u * w + v, mask=inside, other=0.0)
    tl.store(y + at, s / 9, mask=inside)


@triton.jit
def cross_entropy(x, labels, y, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    most = tl.max(v, 0)
    tl.store(y + row, tl.log(tl.sum(tl.exp(v - most), 0)) + most - tl.load(x + row * columns + tl.load(labels + row)))


@triton.jit
def quantise(x, y, scale, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0.0)
    s = tl.max(tl.abs(v), axis=0) / 127.0
    tl.store(scale + row, s)
    tl.store(y + row * columns + i, (v / s).to(tl.int8).to(tl.uint8, bitcast=True), mask=i < columns)


def element_wise(w):
    for n in (1 << 20, 5000000):
        for block, warps in ((256, 2), (1024, 4), (4096, 4)):
            w.launch(axpy, (triton.cdiv(n, block),), Buffer(n), Buffer(n, seed=2), n, BLOCK=block, num_warps=warps)
    n = 1 << 22
    for kind in (F32, F16):
        for block, warps in ((512, 4), (2048, 8)):
            w.launch(activation, (n // block,), Buffer(n, kind), Buffer(n, kind, out=True), n, BLOCK=block, num_warps=warps)
    for r, c, warps in ((4, 128, 4), (16, 64, 4), (16, 128, 8)):
        w.launch(blur, (2048 // r, 2048 // c), Buffer(2048 * 2048), Buffer(2048 * 2048, out=True), 2048, 2048, R=r, C=c, num_warps=warps)
    for r, c, warps in ((32, 32, 4), (64, 64, 4), (64, 64, 8)):
        w.launch(transpose, (2048 // r, 2048 // c), Buffer(2048 * 2048), Buffer(2048 * 2048, out=True), 2048, 2048, R=r, C=c, num_warps=warps)
    for block, warps in ((128, 2), (512, 4)):
        w.launch(embed, (8000, 512 // block), Buffer(20000 * 512), Buffer(8000, I32, below=20000), Buffer(8000 * 512, out=True), 512, BLOCK=block, num_warps=warps)


def reductions(w):
    rows, columns = 3000, 1500
    for warps in (2, 4, 8):
        w.launch(rms_norm, (rows,), Buffer(rows * columns), Buffer(columns), Buffer(rows * columns, out=True), columns, BLOCK=2048, num_warps=warps)
        w.launch(softmax, (rows,), Buffer(rows * columns), Buffer(rows * columns, out=True), columns, BLOCK=2048, num_warps=warps)
    for block, warps in ((512, 4), (2048, 8)):
        w.launch(softmax_in_pieces, (500,), Buffer(500 * 10000), Buffer(500 * 10000, out=True), 10000, BLOCK=block, num_warps=warps)
    for r, c, warps in ((4, 64, 4), (16, 128, 4), (64, 64, 8)):
        w.launch(sum_rows, (triton.cdiv(4000, r),), Buffer(4000 * 1000), Buffer(4000, out=True), 4000, 1000, R=r, C=c, num_warps=warps)
        w.launch(sum_columns, (triton.cdiv(4000, c),), Buffer(1000 * 4000), Buffer(4000, out=True), 1000, 4000, R=r, C=c, num_warps=warps)
    for block, warps in ((1024, 4), (4096, 8)):
        w.launch(sum_all, (264,), Buffer(1 << 23), Buffer(1, out=True), 1 << 23, BLOCK=block, num_warps=warps)
    for warps in (4, 16):
        w.launch(cross_entropy, (1000,), Buffer(1000 * 5000), Buffer(1000, I32, below=5000), Buffer(1000, out=True), 5000, BLOCK=8192, num_warps=warps)
    for warps in (1, 4):
        w.launch(quantise, (4096,), Buffer(4096 * 1024), Buffer(4096 * 1024, U8, out=True), Buffer(4096, out=True), 1024, BLOCK=1024, num_warps=warps)


def products(w):
    for n in (512, 1024):
        for bm, bn, bk, warps, stages in ((64, 64, 32, 4, 2), (64, 64, 64, 4, 4), (128, 64, 64, 4, 3), (128, 128, 64, 8, 3), (128, 128, 32, 4, 4), (32, 32, 32, 2, 2)):
            w.launch(matmul, (n // bm * (n // bn),), Buffer(n * n, F16), Buffer(n * n, F16, seed=2), Buffer(n * n, F16, out=True), n, n, n,
                     BM=bm, BN=bn, BK=bk, GROUP=8, PRECISION="tf32", num_warps=warps, num_stages=stages)
    for bm, bn, bk, warps, stages in ((64, 64, 32, 4, 3), (128, 64, 32, 4, 2), (32, 64, 32, 4, 2)):
        w.launch(matmul, (768 // bm * (768 // bn),), Buffer(768 * 768), Buffer(768 * 768, seed=2), Buffer(768 * 768, out=True), 768, 768, 768,
                 BM=bm, BN=bn, BK=bk, GROUP=8, PRECISION="tf32", num_warps=warps, num_stages=stages)
    for bm, bn, bk, warps in ((64, 64, 16, 4), (32, 32, 16, 4)):
        w.launch(matmul, (512 // bm * (512 // bn),), Buffer(512 * 512), Buffer(512 * 512, seed=2), Buffer(512 * 512, out=True), 512, 512, 512,
                 BM=bm, BN=bn, BK=bk, GROUP=8, PRECISION="ieee", num_warps=warps, num_stages=2)
    for split in (4, 16):
        w.launch(split_matmul, (4, 4, split), Buffer(256 * 4096, F16), Buffer(4096 * 256, F16, seed=2), Buffer(256 * 256, out=True), 256, 256, 4096,
                 BM=64, BN=64, BK=32, SPLIT=split, num_warps=4, num_stages=3)
    for bm, bn in ((16, 64), (32, 32)):
        w.launch(quantised_matmul, (32 // bm, 4096 // bn), Buffer(32 * 2048, F16), Buffer(2048 * 4096, U8), Buffer(4096), Buffer(32 * 4096, out=True), 4096, 2048,
                 BM=bm, BN=bn, BK=64, num_warps=4, num_stages=3)
    for bm, bn, warps in ((64, 32, 4), (128, 64, 8)):
        w.launch(convolve, (triton.cdiv(62 * 62, bm), 64 // bn), Buffer(64 * 64 * 64, F16), Buffer(64 * 576, F16), Buffer(64 * 62 * 62, out=True), 64, 64, 64, 64,
                 R=3, BM=bm, BN=bn, BK=32, num_warps=warps, num_stages=2)


def others(w):
    for causal in (False, True):
        for bm, bn, warps, stages in ((64, 32, 4, 2), (64, 64, 4, 3), (128, 64, 8, 2)):
            w.launch(attention, (1024 // bm, 12), *[Buffer(12 * 1024 * 64, F16, seed=s) for s in (1, 2, 3)], Buffer(12 * 1024 * 64, F16, out=True), 1024,
                     D=64, BM=bm, BN=bn, CAUSAL=causal, num_warps=warps, num_stages=stages)
    for warps in (2, 8):
        w.launch(cumulate, (2000,), Buffer(2000 * 2048), Buffer(2000 * 2048, out=True), 2048, BLOCK=2048, num_warps=warps)
        w.launch(sort_rows, (500,), Buffer(500 * 512), Buffer(500 * 512, out=True), 512, BLOCK=512, num_warps=warps)
    for block, warps in ((1024, 4), (4096, 8)):
        w.launch(histogram, ((1 << 20) // block,), Buffer(1 << 20, I32, below=256), Buffer(256, I32, out=True), 1 << 20, BLOCK=block, BINS=256, num_warps=warps)


if __name__ == "__main__":
    write({"element-wise": element_wise, "reductions": reductions, "products": products, "others": others}, __doc__)
