"""Ordinary Triton kernels, as the tutorials and libraries have them: element-wise work, reductions, norms, products, attention, sorts, scans,
atomics. `haul check -- python3 triton_launches.py` must find nothing that is not told in docs/check.md."""
import sys

import numpy
import triton
import triton.language as tl

from tensors import Corpus, Tensor, bf16, cudart, digest, from_bf16

numbers = numpy.random.default_rng(7)
corpus = Corpus()


def randn(*shape):
    return numbers.standard_normal(shape).astype(numpy.float32)


def zeros(*shape, dtype=numpy.float32):
    return numpy.zeros(shape, dtype)


# Element-wise ------------------------------------------------------------------------------------


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n).to(tl.float32)
    u = 0.7978845608 * (v + 0.044715 * v * v * v)
    tl.store(out + i, (0.5 * v * (1 + (2 * tl.sigmoid(2 * u) - 1))).to(out.dtype.element_ty), mask=i < n)


@triton.jit
def swiglu(gate, up, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    g = tl.load(gate + row * n + i, mask=i < n, other=0).to(tl.float32)
    u = tl.load(up + row * n + i, mask=i < n, other=0)
    tl.store(out + row * n + i, g * tl.sigmoid(g) * u, mask=i < n)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, v / (1 - p), 0.0), mask=i < n)


@triton.jit
def normals(out, n, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.randn(seed, i), mask=i < n)


@triton.jit
def rotary(x, cos, sin, out, half: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, half)
    c, s = tl.load(cos + row * half + i), tl.load(sin + row * half + i)
    a, b = tl.load(x + row * 2 * half + i), tl.load(x + row * 2 * half + half + i)
    tl.store(out + row * 2 * half + i, a * c - b * s)
    tl.store(out + row * 2 * half + half + i, b * c + a * s)


@triton.jit
def persistent_add(x, y, out, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    blocks = tl.cdiv(n, BLOCK)
    for b in tl.range(tl.program_id(0), blocks, tl.num_programs(0), num_stages=STAGES):
        i = b * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) * 2 + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def interleave(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + tl.program_id(0) * 2 * BLOCK + tl.arange(0, 2 * BLOCK), tl.interleave(v, -v))


def element_wise():
    for n in (1, 1000, 4096, 65536 + 3):
        for block, warps in ((128, 1), (1024, 4), (2048, 8)):
            x, y, out = Tensor(randn(n)), Tensor(randn(n)), Tensor(zeros(n))

            def run(x=x, y=y, out=out, n=n, block=block, warps=warps):
                add[(triton.cdiv(n, block),)](x, y, out, n, BLOCK=block, num_warps=warps)
                return digest(out.numpy())

            corpus.step(f"add {n} {block}", run)
    for kind in ("fp32", "fp16", "bf16"):

        def run(kind=kind):
            v = randn(5000)
            v = {"fp32": v, "fp16": v.astype(numpy.float16), "bf16": bf16(v)}[kind]
            x, out = Tensor(v, kind), Tensor(numpy.zeros_like(v), kind)
            gelu[(5,)](x, out, 5000, BLOCK=1024)
            return digest(from_bf16(out.numpy()) if kind == "bf16" else out.numpy())

        corpus.step(f"gelu {kind}", run)

    def run():
        g, u, out = Tensor(randn(16, 700)), Tensor(randn(16, 700)), Tensor(zeros(16, 700))
        swiglu[(16,)](g, u, out, 700, BLOCK=1024)
        return digest(out.numpy())

    corpus.step("swiglu", run)

    def run():
        x, out = Tensor(randn(5000)), Tensor(zeros(5000))
        dropout[(5,)](x, out, 5000, 0.5, 123, BLOCK=1024)
        normals[(5,)](out, 5000, 99, BLOCK=1024)
        return digest(out.numpy())

    corpus.step("random", run)

    def run():
        x, c, s, out = Tensor(randn(32, 128)), Tensor(randn(32, 64)), Tensor(randn(32, 64)), Tensor(zeros(32, 128))
        rotary[(32,)](x, c, s, out, half=64, BLOCK=64, num_warps=2)
        return digest(out.numpy())

    corpus.step("rotary", run)
    for stages in (1, 2, 4):

        def run(stages=stages):
            x, y, out = Tensor(randn(50000)), Tensor(randn(50000)), Tensor(zeros(50000))
            persistent_add[(8,)](x, y, out, 50000, BLOCK=1024, STAGES=stages)
            return digest(out.numpy())

        corpus.step(f"persistent add, {stages} stages", run)

    def run():
        x, out = Tensor(randn(2048)), Tensor(zeros(4096))
        interleave[(4,)](x, out, BLOCK=512)
        return digest(out.numpy())

    corpus.step("interleave", run)


# Reductions and norms ----------------------------------------------------------------------------


@triton.jit
def softmax(x, out, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        i = tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(out + row * columns + i, e / tl.sum(e, axis=0), mask=i < columns)


@triton.jit
def layer_norm(x, out, w, b, mean, rstd, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, columns, BLOCK):
        i = at + tl.arange(0, BLOCK)
        total += tl.load(x + row * columns + i, mask=i < columns, other=0.0).to(tl.float32)
    m = tl.sum(total, axis=0) / columns
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, columns, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + i, mask=i < columns, other=0.0).to(tl.float32)
        v = tl.where(i < columns, v - m, 0.0)
        total += v * v
    r = 1 / tl.sqrt(tl.sum(total, axis=0) / columns + eps)
    tl.store(mean + row, m)
    tl.store(rstd + row, r)
    for at in range(0, columns, BLOCK):
        i = at + tl.arange(0, BLOCK)
        mask = i < columns
        v = tl.load(x + row * columns + i, mask=mask, other=0.0).to(tl.float32)
        y = (v - m) * r * tl.load(w + i, mask=mask) + tl.load(b + i, mask=mask)
        tl.store(out + row * columns + i, y, mask=mask)


@triton.jit
def layer_norm_back(dx, dy, dw, db, x, w, mean, rstd, lock, columns, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < columns
    v = tl.load(x + row * columns + i, mask=mask, other=0).to(tl.float32)
    g = tl.load(dy + row * columns + i, mask=mask, other=0).to(tl.float32)
    m, r = tl.load(mean + row), tl.load(rstd + row)
    xhat = tl.where(mask, (v - m) * r, 0.0)
    wdy = tl.where(mask, tl.load(w + i, mask=mask).to(tl.float32) * g, 0.0)
    c1, c2 = tl.sum(xhat * wdy, axis=0) / columns, tl.sum(wdy, axis=0) / columns
    tl.store(dx + row * columns + i, (wdy - (xhat * c1 + c2)) * r, mask=mask)
    part_w, part_b = g * xhat, g
    mine = row % GROUPS
    count = lock + GROUPS + mine
    dw += mine * columns + i
    db += mine * columns + i
    while tl.atomic_cas(lock + mine, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        part_w += tl.load(dw, mask=mask)
        part_b += tl.load(db, mask=mask)
    tl.store(dw, part_w, mask=mask)
    tl.store(db, part_b, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock + mine, 0)


@triton.jit
def sum_columns(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    j = tl.program_id(0) * C + tl.arange(0, C)
    total = tl.zeros((R, C), dtype=tl.float32)
    for at in range(0, rows, R):
        i = at + tl.arange(0, R)
        total += tl.load(x + i[:, None] * columns + j[None, :], mask=(i[:, None] < rows) & (j[None, :] < columns), other=0.0)
    tl.store(out + j, tl.sum(total, axis=0), mask=j < columns)


@triton.jit
def rms_norm(x, w, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0.0)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / columns + 1e-6)
    tl.store(out + row * columns + i, v * r * tl.load(w + i, mask=i < columns), mask=i < columns)


@triton.jit
def cross_entropy(logits, labels, loss, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row)
    most, total = -float("inf"), 0.0
    for at in range(0, columns, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(logits + row * columns + i, mask=i < columns, other=-float("inf"))
        new = tl.maximum(most, tl.max(v, axis=0))
        total = total * tl.exp(most - new) + tl.sum(tl.exp(v - new), axis=0)
        most = new
    tl.store(loss + row, tl.log(total) + most - tl.load(logits + row * columns + label))


@triton.jit
def merge_moments(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    d = mean_b - mean_a
    share = tl.where(n > 0, n_b / n, 0.0)
    return mean_a + d * share, m2_a + m2_b + d * d * n_a * share, n


@triton.jit
def moments(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0.0)
    one = tl.where(i < columns, 1.0, 0.0)
    mean, m2, n = tl.reduce((v, tl.zeros_like(v), one), 0, merge_moments)
    tl.store(out + row * 2, mean)
    tl.store(out + row * 2 + 1, m2 / n)


@triton.jit
def extremes(x, at_most, at_least, out, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    v = tl.load(x + i[:, None] * C + j[None, :])
    k = j if AXIS == 0 else i
    tl.store(at_most + k, tl.argmax(v, axis=AXIS))
    tl.store(at_least + k, tl.argmin(v, axis=AXIS))
    tl.store(out + k, tl.max(v, axis=AXIS) - tl.min(v, axis=AXIS))


@triton.jit
def xor_all(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0), tl.xor_sum(tl.load(x + i), axis=0))


def reductions():
    for rows, columns, block, warps, stages in (
        (64, 100, 128, 1, 1), (64, 781, 1024, 4, 2), (32, 2000, 2048, 8, 4), (8, 8000, 8192, 16, 2)):

        def run(rows=rows, columns=columns, block=block, warps=warps, stages=stages):
            x, out = Tensor(randn(rows, columns)), Tensor(zeros(rows, columns))
            softmax[(max(1, rows // 4),)](x, out, rows, columns, BLOCK=block, STAGES=stages, num_warps=warps)
            return digest(out.numpy())

        corpus.step(f"softmax {rows} x {columns}", run)
    for columns, block in ((512, 512), (1151, 512)):

        def run(columns=columns, block=block):
            rows = 24
            x, out, w, b = (Tensor(randn(rows, columns)), Tensor(zeros(rows, columns)), Tensor(randn(columns)),
                            Tensor(randn(columns)))
            mean, rstd = Tensor(zeros(rows)), Tensor(zeros(rows))
            layer_norm[(rows,)](x, out, w, b, mean, rstd, columns, 1e-5, BLOCK=block)
            groups = 4
            dx, dy = Tensor(zeros(rows, columns)), Tensor(randn(rows, columns))
            dw, db = Tensor(zeros(groups, columns)), Tensor(zeros(groups, columns))
            lock = Tensor(zeros(2 * groups, dtype=numpy.int32))
            layer_norm_back[(rows,)](dx, dy, dw, db, x, w, mean, rstd, lock, columns, GROUPS=groups,
                                     BLOCK=triton.next_power_of_2(columns), num_warps=4)
            final = Tensor(zeros(columns))
            sum_columns[(triton.cdiv(columns, 128),)](dw, final, groups, columns, R=32, C=128)
            return digest(out.numpy()) + " " + digest(dx.numpy()) + " " + digest(final.numpy())

        corpus.step(f"layer norm {columns}", run)

    def run():
        x, w, out = Tensor(randn(16, 900)), Tensor(randn(900)), Tensor(zeros(16, 900))
        rms_norm[(16,)](x, w, out, 900, BLOCK=1024)
        return digest(out.numpy())

    corpus.step("rms norm", run)

    def run():
        x, labels, loss = Tensor(randn(16, 5000)), Tensor(numbers.integers(0, 5000, 16).astype(numpy.int64)), Tensor(zeros(16))
        cross_entropy[(16,)](x, labels, loss, 5000, BLOCK=1024)
        return digest(loss.numpy())

    corpus.step("cross entropy", run)
    for warps in (1, 4, 8):

        def run(warps=warps):
            x, out = Tensor(randn(12, 1500)), Tensor(zeros(12, 2))
            moments[(12,)](x, out, 1500, BLOCK=2048, num_warps=warps)
            return digest(out.numpy())

        corpus.step(f"moments, {warps} warps", run)
    for rows, columns, axis in ((16, 128, 0), (16, 128, 1), (128, 64, 0), (128, 64, 1), (4, 1024, 1)):

        def run(rows=rows, columns=columns, axis=axis):
            n = columns if axis == 0 else rows
            x, most, least, out = (Tensor(randn(rows, columns)), Tensor(zeros(n, dtype=numpy.int32)),
                                   Tensor(zeros(n, dtype=numpy.int32)), Tensor(zeros(n)))
            extremes[(1,)](x, most, least, out, R=rows, C=columns, AXIS=axis)
            return f"{most.numpy().sum()} {least.numpy().sum()} {digest(out.numpy())}"

        corpus.step(f"extremes {rows} x {columns}, axis {axis}", run)

    def run():
        x, out = Tensor(numbers.integers(0, 1 << 30, 4096).astype(numpy.int32)), Tensor(zeros(4, dtype=numpy.int32))
        xor_all[(4,)](x, out, BLOCK=1024)
        return out.numpy().tolist()

    corpus.step("xor", run)


# Products ----------------------------------------------------------------------------------------


@triton.jit
def matmul(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
           PRECISION: tl.constexpr, ACC: tl.constexpr, LEAKY: tl.constexpr):
    pid = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    per = GROUP * columns
    first = pid // per * GROUP
    size = min(rows - first, GROUP)
    pm, pn = first + (pid % per) % size, (pid % per) // size
    i = (pm * BM + tl.arange(0, BM)) % M
    j = (pn * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    pa, pb = a + i[:, None] * am + k[None, :] * ak, b + k[:, None] * bk + j[None, :] * bn
    total = tl.zeros((BM, BN), dtype=ACC)
    for at in range(0, tl.cdiv(K, BK)):
        va = tl.load(pa, mask=k[None, :] < K - at * BK, other=0.0)
        vb = tl.load(pb, mask=k[:, None] < K - at * BK, other=0.0)
        total = tl.dot(va, vb, total, input_precision=PRECISION, out_dtype=ACC)
        pa += BK * ak
        pb += BK * bk
    if LEAKY:
        total = tl.where(total >= 0, total, 0.01 * total)
    i, j = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN)
    tl.store(c + cm * i[:, None] + cn * j[None, :], total.to(c.dtype.element_ty), mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def split_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    pm, pn, pk = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    i, j = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN)
    k = pk * BK + tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K // (BK * SPLIT)):
        total = tl.dot(tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + j[None, :]), total)
        k += BK * SPLIT
    tl.atomic_add(c + i[:, None] * N + j[None, :], total)


@triton.jit
def persistent_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, FLATTEN: tl.constexpr):
    tiles_n = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * tiles_n
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=FLATTEN):
        i, j = tile // tiles_n * BM + tl.arange(0, BM), tile % tiles_n * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for at in range(0, K, BK):
            k = at + tl.arange(0, BK)
            total = tl.dot(tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + j[None, :]), total)
        tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))


@triton.jit
def descriptor_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STORE: tl.constexpr):
    da = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    db = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    dc = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    tiles_n = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * tiles_n, tl.num_programs(0)):
        i, j = tile // tiles_n * BM, tile % tiles_n * BN
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for at in range(0, K, BK):
            total = tl.dot(da.load([i, at]), db.load([j, at]).T, total)
        if STORE:
            dc.store([i, j], total.to(tl.float16))
        else:
            ii, jj = i + tl.arange(0, BM), j + tl.arange(0, BN)
            tl.store(c + ii[:, None] * N + jj[None, :], total.to(tl.float16))


@triton.jit
def host_descriptor_matmul(da, db, dc, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        total = tl.dot(da.load([i, at]), db.load([j, at]).T, total)
    dc.store([i, j], total.to(tl.float16))


@triton.jit
def grouped_matmul(pointers, sizes, groups, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile, last = tl.program_id(0), 0
    for g in range(groups):
        M, N, K = tl.load(sizes + g * 3), tl.load(sizes + g * 3 + 1), tl.load(sizes + g * 3 + 2)
        nn = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * nn
        a = tl.load(pointers + g * 3).to(tl.pointer_type(tl.float16))
        b = tl.load(pointers + g * 3 + 1).to(tl.pointer_type(tl.float16))
        c = tl.load(pointers + g * 3 + 2).to(tl.pointer_type(tl.float16))
        while tile >= last and tile < last + tiles:
            t = tile - last
            i, j, k = t // nn * BM + tl.arange(0, BM), t % nn * BN + tl.arange(0, BN), tl.arange(0, BK)
            total = tl.zeros((BM, BN), dtype=tl.float32)
            for at in range(0, K, BK):
                total += tl.dot(tl.load(a + i[:, None] * K + (at + k)[None, :]), tl.load(b + (at + k)[:, None] * N + j[None, :]))
            tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))
            tile += tl.num_programs(0)
        last += tiles


@triton.jit
def quantised_matmul(a, q, scale, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    s = tl.load(scale + j)
    for at in range(0, K, BK):
        k = at + tl.arange(0, BK)
        packed = tl.load(q + (k[:, None] // 2) * N + j[None, :])
        w = ((packed >> ((k[:, None] % 2) * 4).to(tl.uint8)) & 15).to(tl.float16) - 8
        total = tl.dot(tl.load(a + i[:, None] * K + k[None, :]), w, total)
    tl.store(c + i[:, None] * N + j[None, :], total * s[None, :])


@triton.jit
def convolve(x, w, out, C, H, W, R: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, F: tl.constexpr):
    p = tl.program_id(0) * BM + tl.arange(0, BM)
    f = tl.program_id(1) * BN + tl.arange(0, BN)
    oh, ow = H - R + 1, W - R + 1
    y, xx = p // ow, p % ow
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, C * R * R, BK):
        k = at + tl.arange(0, BK)
        ch, rs = k // (R * R), k % (R * R)
        va = tl.load(x + ch[None, :] * H * W + (y[:, None] + rs[None, :] // R) * W + xx[:, None] + rs[None, :] % R,
                     mask=(p[:, None] < oh * ow) & (k[None, :] < C * R * R), other=0.0)
        vb = tl.load(w + f[None, :] * C * R * R + k[:, None], mask=k[:, None] < C * R * R, other=0.0)
        total = tl.dot(va, vb, total)
    tl.store(out + f[None, :] * oh * ow + p[:, None], total, mask=p[:, None] < oh * ow)


def product(kind, M, N, K, BM, BN, BK, warps, stages, transposed=False, leaky=False):
    a, b = randn(M, K), randn(N, K) if transposed else randn(K, N)
    precision = "tf32" if kind != "ieee" else "ieee"
    if kind == "fp16":
        ta, tb = Tensor(a.astype(numpy.float16)), Tensor(b.astype(numpy.float16))
    elif kind == "bf16":
        ta, tb = Tensor(bf16(a), "bf16"), Tensor(bf16(b), "bf16")
    elif kind == "fp8":
        ta = Tensor((numbers.integers(0, 112, a.shape) | (numbers.integers(0, 2, a.shape) << 7)).astype(numpy.uint8), "fp8e4nv")
        tb = Tensor((numbers.integers(0, 112, b.shape) | (numbers.integers(0, 2, b.shape) << 7)).astype(numpy.uint8), "fp8e4nv")
    elif kind == "int8":
        ta, tb = (Tensor(numbers.integers(-100, 100, v.shape).astype(numpy.int8)) for v in (a, b))
    else:
        ta, tb = Tensor(a), Tensor(b)
    whole = kind == "int8"
    c = Tensor(zeros(M, N, dtype=numpy.int32 if whole else numpy.float32))
    strides = (K, 1, 1, K) if transposed else (K, 1, N, 1)
    matmul[(triton.cdiv(M, BM) * triton.cdiv(N, BN),)](
        ta, tb, c, M, N, K, *strides, N, 1, BM=BM, BN=BN, BK=BK, GROUP=4, PRECISION=precision,
        ACC=tl.int32 if whole else tl.float32, LEAKY=leaky, num_warps=warps, num_stages=stages)
    return digest(c.numpy())


def products():
    for kind in ("fp16", "bf16", "tf32", "ieee", "fp8", "int8"):
        for BM, BN, BK, warps, stages in ((16, 16, 32, 1, 2), (64, 64, 32, 4, 2), (128, 64, 64, 4, 3), (64, 128, 32, 8, 4)):
            transposed = kind in ("fp8", "int8")
            corpus.step(f"product {kind} {BM} x {BN} x {BK}, {stages} stages",
                        lambda s=(kind, 128, 128, 160, BM, BN, BK, warps, stages, transposed): product(*s))
    corpus.step("product fp16 transposed", lambda: product("fp16", 100, 90, 130, 64, 64, 32, 4, 3, True, True))
    corpus.step("product bf16 one stage", lambda: product("bf16", 128, 128, 128, 128, 128, 64, 8, 1, False, True))

    def run():
        a, b, c = Tensor(randn(64, 256).astype(numpy.float16)), Tensor(randn(256, 64).astype(numpy.float16)), Tensor(zeros(64, 64))
        split_matmul[(1, 1, 4)](a, b, c, 64, 64, 256, BM=64, BN=64, BK=32, SPLIT=4)
        return digest(c.numpy())

    corpus.step("product, split", run)
    for flatten in (False, True):

        def run(flatten=flatten):
            a, b = Tensor(randn(256, 128).astype(numpy.float16)), Tensor(randn(128, 256).astype(numpy.float16))
            c = Tensor(zeros(256, 256, dtype=numpy.float16))
            persistent_matmul[(3,)](a, b, c, 256, 256, 128, BM=64, BN=64, BK=32, FLATTEN=flatten, num_stages=3)
            return digest(c.numpy())

        corpus.step(f"product, persistent{', flattened' if flatten else ''}", run)
    kept = []

    def allocate(size, alignment, stream):
        kept.append(Tensor(numpy.zeros(size, numpy.uint8)))
        return kept[-1]

    triton.set_allocator(allocate)
    for BM, BN, BK, warps, stages in ((128, 64, 64, 4, 2), (64, 64, 32, 4, 3), (128, 128, 64, 8, 3)):
        for store in (True, False):

            def run(BM=BM, BN=BN, BK=BK, warps=warps, stages=stages, store=store):
                a, b = Tensor(randn(256, 192).astype(numpy.float16)), Tensor(randn(256, 192).astype(numpy.float16))
                c = Tensor(zeros(256, 256, dtype=numpy.float16))
                descriptor_matmul[(4,)](a, b, c, 256, 256, 192, BM=BM, BN=BN, BK=BK, STORE=store, num_warps=warps, num_stages=stages)
                return digest(c.numpy())

            corpus.step(f"product, descriptors made by the kernel, {BM} x {BN} x {BK}, {'bulk' if store else 'plain'} stores", run)

    def run():
        from triton.tools.tensor_descriptor import TensorDescriptor

        a, b = Tensor(randn(256, 192).astype(numpy.float16)), Tensor(randn(128, 192).astype(numpy.float16))
        c = Tensor(zeros(256, 128, dtype=numpy.float16))
        of = lambda t, block: TensorDescriptor(t, list(t.shape), t.stride(), block)
        host_descriptor_matmul[(2, 2)](of(a, [128, 64]), of(b, [64, 64]), of(c, [128, 64]), 256, 128, 192, BM=128, BN=64, BK=64)
        return digest(c.numpy())

    corpus.step("product, descriptors of the host", run)

    def run():
        sizes = [(64, 128, 64), (128, 64, 32), (64, 64, 128)]
        all_of = [[Tensor(randn(m, k).astype(numpy.float16)), Tensor(randn(k, n).astype(numpy.float16)),
                   Tensor(zeros(m, n, dtype=numpy.float16))] for m, n, k in sizes]
        at = Tensor(numpy.array([[t.data_ptr() for t in g] for g in all_of], numpy.int64))
        grouped_matmul[(2,)](at, Tensor(numpy.array(sizes, numpy.int32)), 3, BM=64, BN=64, BK=32, num_stages=2)
        return " ".join(digest(g[2].numpy()) for g in all_of)

    corpus.step("product, groups", run)

    def run():
        a, q = Tensor(randn(64, 128).astype(numpy.float16)), Tensor(numbers.integers(0, 256, (64, 128)).astype(numpy.uint8))
        s, c = Tensor(randn(128)), Tensor(zeros(64, 128))
        quantised_matmul[(1, 2)](a, q, s, c, 128, 128, BM=64, BN=64, BK=32, num_stages=3)
        return digest(c.numpy())

    corpus.step("product, 4-bit weights", run)

    def run():
        x, w = Tensor(randn(8, 20, 20).astype(numpy.float16)), Tensor(randn(32, 8, 3, 3).astype(numpy.float16))
        out = Tensor(zeros(32, 18 * 18))
        convolve[(triton.cdiv(18 * 18, 64), 1)](x, w, out, 8, 20, 20, R=3, BM=64, BN=32, BK=32, F=32, num_stages=2)
        return digest(out.numpy())

    corpus.step("convolution", run)


# Attention ---------------------------------------------------------------------------------------


@triton.jit
def attention(q, k, v, out, lse, scale, T, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1)
    q += head * T * D
    k += head * T * D
    v += head * T * D
    i, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    most = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    qq = tl.load(q + i[:, None] * D + d[None, :])
    end = (tl.program_id(0) + 1) * BM if CAUSAL else T
    for at in range(0, end, BN):
        j = at + tl.arange(0, BN)
        s = tl.dot(qq, tl.load(k + j[None, :] * D + d[:, None])) * scale
        if CAUSAL:
            s = tl.where(i[:, None] >= j[None, :], s, -1.0e6)
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        alpha = tl.exp2(most - new)
        total = total * alpha + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + j[:, None] * D + d[None, :]), acc * alpha[:, None])
        most = new
    tl.store(lse + head * T + i, most + tl.log2(total))
    tl.store(out + head * T * D + i[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def attention_back(q, k, v, do, dq, dk, dv, lse, delta, scale, T, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1)
    j, d = tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, D)
    base = head * T * D
    kk, vv = tl.load(k + base + j[:, None] * D + d[None, :]), tl.load(v + base + j[:, None] * D + d[None, :])
    gk, gv = tl.zeros((BN, D), dtype=tl.float32), tl.zeros((BN, D), dtype=tl.float32)
    for at in range(0, T, BM):
        i = at + tl.arange(0, BM)
        qq, gg = tl.load(q + base + i[:, None] * D + d[None, :]), tl.load(do + base + i[:, None] * D + d[None, :])
        p = tl.exp2(tl.dot(qq, tl.trans(kk)) * scale - tl.load(lse + head * T + i)[:, None])
        gv += tl.dot(tl.trans(p.to(tl.float16)), gg)
        ds = (p * (tl.dot(gg, tl.trans(vv)) - tl.load(delta + head * T + i)[:, None])).to(tl.float16)
        gk += tl.dot(tl.trans(ds), qq)
        tl.atomic_add(dq + base + i[:, None] * D + d[None, :], tl.dot(ds, kk))
    tl.store(dk + base + j[:, None] * D + d[None, :], gk)
    tl.store(dv + base + j[:, None] * D + d[None, :], gv)


@triton.jit
def paged_attention(q, k, v, table, out, length, scale, PAGE: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(0)
    d, j = tl.arange(0, D), tl.arange(0, PAGE)
    qq = tl.load(q + head * D + d)
    most, total = -float("inf"), 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    for at in range(0, tl.cdiv(length, PAGE)):
        page = tl.load(table + at)
        mask = at * PAGE + j < length
        s = tl.sum(tl.load(k + (page * PAGE + j[:, None]) * D + d[None, :]) * qq[None, :], 1) * scale
        s = tl.where(mask, s, -float("inf"))
        new = tl.maximum(most, tl.max(s, 0))
        p = tl.exp(s - new)
        alpha = tl.exp(most - new)
        acc = acc * alpha + tl.sum(p[:, None] * tl.load(v + (page * PAGE + j[:, None]) * D + d[None, :]), 0)
        total = total * alpha + tl.sum(p, 0)
        most = new
    tl.store(out + head * D + d, acc / total)


def attentions():
    for D, BM, BN, causal, warps, stages in (
        (64, 64, 64, False, 4, 2), (64, 128, 64, True, 4, 3), (128, 128, 64, True, 8, 2), (32, 64, 32, False, 4, 4)):

        def run(D=D, BM=BM, BN=BN, causal=causal, warps=warps, stages=stages):
            T, heads = 256, 2
            q, k, v = (Tensor(randn(heads, T, D).astype(numpy.float16)) for _ in range(3))
            out, lse = Tensor(zeros(heads, T, D, dtype=numpy.float16)), Tensor(zeros(heads, T))
            attention[(T // BM, heads)](q, k, v, out, lse, 1.44 / D**0.5, T, D=D, BM=BM, BN=BN, CAUSAL=causal, num_warps=warps,
                                        num_stages=stages)
            return digest(out.numpy())

        corpus.step(f"attention {D}{', causal' if causal else ''}", run)
    for D, stages in ((64, 1), (32, 3)):

        def run(D=D, stages=stages):
            T, heads = 128, 2
            q, k, v, do = (Tensor(randn(heads, T, D).astype(numpy.float16)) for _ in range(4))
            dq, dk, dv = (Tensor(zeros(heads, T, D)) for _ in range(3))
            attention_back[(T // 64, heads)](q, k, v, do, dq, dk, dv, Tensor(randn(heads, T) + 8), Tensor(randn(heads, T)), 0.2, T,
                                             D=D, BM=64, BN=64, num_stages=stages)
            return " ".join(digest(t.numpy()) for t in (dq, dk, dv))

        corpus.step(f"attention's gradients {D}", run)

    def run():
        q, k, v, out = Tensor(randn(4, 64)), Tensor(randn(8 * 16, 64)), Tensor(randn(8 * 16, 64)), Tensor(zeros(4, 64))
        table = Tensor(numpy.array([5, 2, 7, 0, 1], numpy.int32))
        paged_attention[(4,)](q, k, v, table, out, 70, 0.125, PAGE=16, D=64)
        return digest(out.numpy())

    corpus.step("attention, pages", run)


# Sorts, scans, histograms, atomics ---------------------------------------------------------------


@triton.jit
def sort_rows(x, out, C: tl.constexpr, DOWN: tl.constexpr):
    i = tl.program_id(0) * C + tl.arange(0, C)
    tl.store(out + i, tl.sort(tl.load(x + i), descending=DOWN))


@triton.jit
def largest(x, out, C: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out + row * K + tl.arange(0, K), tl.topk(tl.load(x + row * C + tl.arange(0, C)), K))


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def linear(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def scans(x, out, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr, BACK: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    at = i[:, None] * C + j[None, :]
    tl.store(out + at, tl.associative_scan(tl.load(x + at), AXIS, plus, reverse=BACK))


@triton.jit
def recurrence(a, b, out, C: tl.constexpr):
    at = tl.program_id(0) * C + tl.arange(0, C)
    _, h = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 0, linear)
    tl.store(out + at, h)


@triton.jit
def cumulate(x, sums, products, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(sums + i, tl.cumsum(v, 0))
    tl.store(products + i, tl.cumprod(v * 0.01 + 1, 0))


@triton.jit
def histograms(x, out, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.histogram(tl.load(x + i, mask=i < n, other=0), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), h)


@triton.jit
def gather_rows(x, index, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    v = tl.load(x + i[:, None] * C + j[None, :])
    at = tl.load(index + i[:, None] * C + j[None, :])
    tl.store(out + i[:, None] * C + j[None, :], tl.gather(v, at, 0))


@triton.jit
def embed(table, index, out, C: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, C)
    tl.store(out + row * C + j, tl.load(table + tl.load(index + row) * C + j))


@triton.jit
def flip_and_turn(x, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    v = tl.flip(tl.load(x + i[:, None] * C + j[None, :]), 1)
    tl.store(out + j[:, None] * R + i[None, :], tl.trans(v))


@triton.jit
def reduce_by_atomics(x, total, most, counts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(total, tl.sum(v, axis=0))
    tl.atomic_max(most, tl.max(v, axis=0))
    tl.atomic_add(counts + (i % 16), 1, mask=i < n, sem="relaxed")


@triton.jit
def last_block(x, parts, done, out, n, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(parts + pid, tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0))
    if tl.atomic_add(done, 1, sem="acq_rel") == tl.num_programs(0) - 1:
        tl.store(out, tl.sum(tl.load(parts + tl.arange(0, PARTS), mask=tl.arange(0, PARTS) < tl.num_programs(0), other=0.0), axis=0))


@triton.jit
def look_back(x, out, flags, sums, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    v = tl.cumsum(tl.load(x + i), 0)
    mine = tl.sum(tl.load(x + i), axis=0)
    before = 0.0
    if pid > 0:
        while tl.atomic_cas(flags + pid - 1, 1, 1, sem="acquire") != 1:
            pass
        before = tl.load(sums + pid - 1, volatile=True)
    tl.store(sums + pid, before + mine)
    tl.debug_barrier()
    tl.atomic_xchg(flags + pid, 1, sem="release")
    tl.store(out + i, v + before)


@triton.jit
def inline_shift(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.inline_asm_elementwise("shf.l.wrap.b32 $0, $1, $1, 5;", "=r,r", [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, v)


@triton.jit
def quantise(x, out, scales, C: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, C)
    v = tl.load(x + row * C + j)
    s = tl.max(tl.abs(v), axis=0) / 448.0
    tl.store(scales + row, s)
    tl.store(out + row * C + j, (v / s).to(tl.float8e4nv))


def orders():
    for rows, columns, kind in ((8, 32, numpy.float32), (4, 256, numpy.float32), (2, 1024, numpy.int32), (2, 2048, numpy.float16)):
        for down in (False, True):

            def run(rows=rows, columns=columns, kind=kind, down=down):
                v = (randn(rows, columns) * 1000).astype(kind)
                x, out = Tensor(v), Tensor(numpy.zeros_like(v))
                sort_rows[(rows,)](x, out, C=columns, DOWN=down)
                right = numpy.sort(v, axis=1)
                return bool((out.numpy() == (right[:, ::-1] if down else right)).all())

            corpus.step(f"sort {rows} x {columns}{', falling' if down else ''}", run)
    for k in (8, 32):

        def run(k=k):
            x, out = Tensor(randn(4, 512)), Tensor(zeros(4, k))
            largest[(4,)](x, out, C=512, K=k)
            return digest(out.numpy())

        corpus.step(f"largest {k}", run)
    for rows, columns, axis, back in ((32, 64, 0, False), (32, 64, 1, False), (8, 512, 1, True), (256, 8, 0, True)):

        def run(rows=rows, columns=columns, axis=axis, back=back):
            x, out = Tensor(randn(rows, columns)), Tensor(zeros(rows, columns))
            scans[(1,)](x, out, R=rows, C=columns, AXIS=axis, BACK=back)
            return digest(out.numpy())

        corpus.step(f"scan {rows} x {columns}, axis {axis}{', backwards' if back else ''}", run)
    for columns, warps in ((256, 2), (2048, 8)):

        def run(columns=columns, warps=warps):
            a, b, out = Tensor(0.9 + 0.01 * randn(4, columns)), Tensor(randn(4, columns)), Tensor(zeros(4, columns))
            recurrence[(4,)](a, b, out, C=columns, num_warps=warps)
            return digest(out.numpy())

        corpus.step(f"recurrence {columns}", run)

    def run():
        x, s, p = Tensor(randn(4096)), Tensor(zeros(4096)), Tensor(zeros(4096))
        cumulate[(4,)](x, s, p, BLOCK=1024)
        return digest(s.numpy()) + " " + digest(p.numpy())

    corpus.step("sums and products so far", run)
    for bins in (16, 256):

        def run(bins=bins):
            x, out = Tensor(numbers.integers(0, bins, 5000).astype(numpy.int32)), Tensor(zeros(bins, dtype=numpy.int32))
            histograms[(5,)](x, out, 5000, BINS=bins, BLOCK=1024)
            return out.numpy()[1:5].tolist()

        corpus.step(f"histogram {bins}", run)

    def run():
        x, index, out = Tensor(randn(32, 64)), Tensor(numbers.integers(0, 32, (32, 64)).astype(numpy.int32)), Tensor(zeros(32, 64))
        gather_rows[(1,)](x, index, out, R=32, C=64)
        return digest(out.numpy())

    corpus.step("gather", run)

    def run():
        x, index, out = Tensor(randn(100, 128)), Tensor(numbers.integers(0, 100, 40).astype(numpy.int64)), Tensor(zeros(40, 128))
        embed[(40,)](x, index, out, C=128, num_warps=1)
        return digest(out.numpy())

    corpus.step("embedding", run)
    for rows, columns in ((32, 32), (64, 128)):

        def run(rows=rows, columns=columns):
            x, out = Tensor(randn(rows, columns)), Tensor(zeros(columns, rows))
            flip_and_turn[(1,)](x, out, R=rows, C=columns)
            return digest(out.numpy())

        corpus.step(f"flip and turn {rows} x {columns}", run)

    def run():
        x, total, most = Tensor(numpy.abs(randn(5000))), Tensor(zeros(1)), Tensor(zeros(1))
        counts = Tensor(zeros(16, dtype=numpy.int32))
        reduce_by_atomics[(5,)](x, total, most, counts, 5000, BLOCK=1024)
        return digest(total.numpy()) + " " + digest(most.numpy()) + f" {counts.numpy().tolist()}"

    corpus.step("atomics", run)

    def run():
        x, parts, done, out = Tensor(randn(5000)), Tensor(zeros(16)), Tensor(zeros(1, dtype=numpy.int32)), Tensor(zeros(1))
        last_block[(5,)](x, parts, done, out, 5000, BLOCK=1024, PARTS=16)
        return digest(out.numpy())

    corpus.step("the last block sums", run)

    def run():
        x, out, flags, sums = Tensor(randn(4096)), Tensor(zeros(4096)), Tensor(zeros(8, dtype=numpy.int32)), Tensor(zeros(8))
        look_back[(8,)](x, out, flags, sums, BLOCK=512)
        return digest(out.numpy())

    corpus.step("scan with flags between blocks", run)

    def run():
        x, out = Tensor(numbers.integers(0, 1 << 30, 1024).astype(numpy.int32)), Tensor(zeros(1024, dtype=numpy.int32))
        inline_shift[(2,)](x, out, BLOCK=512)
        return int(out.numpy().astype(numpy.int64).sum())

    corpus.step("inline assembly", run)

    def run():
        x, out, scales = Tensor(randn(8, 256)), Tensor(zeros(8, 256, dtype=numpy.uint8), "fp8e4nv"), Tensor(zeros(8))
        quantise[(8,)](x, out, scales, C=256)
        return int(out.numpy().astype(numpy.int64).sum())

    corpus.step("quantise to fp8", run)


PARTS = {"element-wise": element_wise, "reductions": reductions, "products": products, "attention": attentions, "orders": orders}
for part in sys.argv[1:] or PARTS:
    PARTS[part]()
cudart.cudaDeviceSynchronize()
corpus.end()
