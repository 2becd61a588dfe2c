"""Kernels by Triton for the set tests/data/kinds: tiles from a queue, sums between programs, lengths in a table, doubles, calls, orders of pairs.

    kinds_triton.py FOLDER [NAME...]    writes FOLDER/triton.jsonl (triton-NAME.jsonl with names) and FOLDER/triton.files"""
import triton
import triton.language as tl

from triton_writer import BF16, F16, F64, I32, U8, Buffer, write


@triton.jit
def queue_of_tiles(a, b, c, place, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    across = N // BN
    tiles = M // BM * across
    at = tl.program_id(0)
    while at < tiles:
        i, j, k = at // across * BM + tl.arange(0, BM), at % across * BN + tl.arange(0, BN), tl.arange(0, BK)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for s in range(0, K, BK):
            total = tl.dot(tl.load(a + i[:, None] * K + s + k[None, :]), tl.load(b + (s + k[:, None]) * N + j[None, :]), total)
        tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))
        at = tl.num_programs(0) + tl.atomic_add(place, 1)


@triton.jit
def two_halves(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN)
    first = tl.program_id(2) * (K // 2)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for s in range(first, first + K // 2, BK):
        k = s + tl.arange(0, BK)
        total = tl.dot(tl.load(a + k[None, :] * tl.num_programs(1) * BM + i[:, None]), tl.load(b + k[:, None] * N + j[None, :]), total)
    tl.atomic_add(c + i[:, None] * N + j[None, :], total, sem="relaxed")


@triton.jit
def added_by_descriptor(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    m, n, first = tl.program_id(1) * BM, tl.program_id(0) * BN, tl.program_id(2) * (K // 2)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(first, first + K // 2, BK):
        total = tl.dot(da.load([m, k]), db.load([k, n]), total)
    dc.atomic_add([m, n], total)


@triton.jit
def specialised(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, APART: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    across = N // BN
    for tile in tl.range(tl.program_id(0), M // BM * across, tl.num_programs(0), flatten=not APART, warp_specialize=APART):
        m, n = tile // across * BM, tile % across * BN
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(da.load([m, k]), db.load([n, k]).T, total)
        dc.store([m, n], total.to(tl.bfloat16))


@triton.jit
def ragged_attention(q, k, v, first, o, H: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    who, head = tl.program_id(1), tl.program_id(2)
    start = who * 200 + tl.load(first + who)
    length = (who + 1) * 200 + tl.load(first + who + 1) - start
    from_row = tl.program_id(0) * BM
    if from_row >= length:
        return
    i, d = from_row + tl.arange(0, BM), tl.arange(0, D)
    at = (start + i[:, None]) * H * D + head * D + d[None, :]
    vq = tl.load(q + at, mask=i[:, None] < length, other=0.0)
    most, total, out = tl.full((BM,), -1e30, tl.float32), tl.zeros((BM,), tl.float32), tl.zeros((BM, D), tl.float32)
    for s in range(0, tl.minimum(from_row + BM, length), BN):
        j = s + tl.arange(0, BN)
        there = (start + j) * H * D + head * D
        score = tl.dot(vq, tl.load(k + there[None, :] + d[:, None], mask=j[None, :] < length, other=0.0)) * 0.18
        score = 20.0 * (2.0 / (1.0 + tl.exp(-0.1 * score)) - 1.0)
        score = tl.where((j[None, :] <= i[:, None]) & (j[None, :] < length), score, -1e30)
        new = tl.maximum(most, tl.max(score, 1))
        p, old = tl.exp(score - new[:, None]), tl.exp(most - new)
        total = total * old + tl.sum(p, 1)
        out = tl.dot(p.to(tl.float16), tl.load(v + there[:, None] + d[None, :], mask=j[:, None] < length, other=0.0), out * old[:, None])
        most = new
    tl.store(o + at, (out / total[:, None]).to(tl.float16), mask=i[:, None] < length)


@triton.jit
def scaled_blocks(a, b, sa, sb, c, N, K, BM: tl.constexpr, BN: tl.constexpr):
    i, j, k = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, 128)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for s in range(0, K, 128):
        va = (tl.load(a + i[:, None] * K + s + k[None, :]) & 0xBF).to(tl.float8e4nv, bitcast=True)
        vb = (tl.load(b + j[None, :] * K + s + k[:, None]) & 0xBF).to(tl.float8e4nv, bitcast=True)
        total += tl.dot(va, vb) * tl.load(sa + i * (K // 128) + s // 128)[:, None] * tl.load(sb + j // 128 * (K // 128) + s // 128)[None, :]
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.bfloat16))


@triton.jit
def codebook_product(x, code, book, scale, y, N, K, BM: tl.constexpr, BN: tl.constexpr):
    i, j, k = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, 64)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for s in range(0, K, 64):
        c = tl.load(code + (s + k[:, None]) // 8 * N + j[None, :])
        w = tl.load(book + ((c >> (k[:, None] % 8 * 4)) & 15)) * tl.load(scale + s // 64 * N + j)[None, :]
        total = tl.dot(tl.load(x + i[:, None] * K + s + k[None, :]), w.to(tl.float16), total)
    tl.store(y + i[:, None] * N + j[None, :], total.to(tl.float16))


@triton.jit
def double_product(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float64)
    for s in range(0, K, BK):
        total = tl.dot(tl.load(a + i[:, None] * K + s + k[None, :]), tl.load(b + (s + k[:, None]) * N + j[None, :]), total, out_dtype=tl.float64)
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def three_products(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for s in range(0, K, BK):
        total = tl.dot(tl.load(a + i[:, None] * K + s + k[None, :]), tl.load(b + (s + k[:, None]) * N + j[None, :]), total, input_precision="tf32x3")
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def many_small(a, b, c, G: tl.constexpr, S: tl.constexpr):
    g, i, j = tl.program_id(0) * G + tl.arange(0, G), tl.arange(0, S), tl.arange(0, S)
    at = g[:, None, None] * S * S + i[None, :, None] * S + j[None, None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)).to(tl.float16))


@triton.jit
def part_of_polynomial(x, w, I: tl.constexpr):
    s = w
    for k in tl.static_range(6):
        s = s * x + (I + k) * 0.125
    return s


@triton.jit(noinline=True)
def far_away(x, y):
    return tl.where(x > 0, part_of_polynomial(x, y, 3), part_of_polynomial(y, x, 1))


@triton.jit
def calls_functions(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(y + tl.program_id(0)), tl.load(y + tl.num_programs(0) - tl.program_id(0))
    tl.store(z + i, tl.load(x + i, mask=i < n, other=0.0) * far_away(a, b) + far_away(b, a), mask=i < n)


@triton.jit
def softmax_back(p, g, out, columns, R: tl.constexpr, C: tl.constexpr):
    row, i = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, C)
    at, inside = row[:, None] * columns + i[None, :], i[None, :] < columns
    vp, vg = tl.load(p + at, mask=inside, other=0.0).to(tl.float32), tl.load(g + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + at, (vp * (vg - tl.sum(vp * vg, 1)[:, None])).to(tl.bfloat16), mask=inside)


@triton.jit
def rms_back(x, w, g, dx, part, rows, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    inside = i < columns
    vw, sums = tl.load(w + i, mask=inside, other=0.0), tl.zeros((BLOCK,), tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        v = tl.load(x + row * columns + i, mask=inside, other=0.0).to(tl.float32)
        d = tl.load(g + row * columns + i, mask=inside, other=0.0).to(tl.float32)
        scale = tl.rsqrt(tl.sum(v * v, 0) / columns + 1e-6)
        h = v * scale
        sums += d * h
        d *= vw
        tl.store(dx + row * columns + i, (scale * (d - h * tl.sum(d * h, 0) / columns)).to(tl.float16), mask=inside)
    tl.store(part + tl.program_id(0) * columns + i, sums, mask=inside)


@triton.jit
def join_segments(va, fa, vb, fb):
    return tl.where(fb != 0, vb, va + vb), fa | fb


@triton.jit
def segmented_scan(x, flag, y, columns: tl.constexpr, R: tl.constexpr):
    at = (tl.program_id(0) * R + tl.arange(0, R))[:, None] * columns + tl.arange(0, columns)[None, :]
    v, _ = tl.associative_scan((tl.load(x + at), (tl.load(flag + at) == 0).to(tl.int32)), 1, join_segments)
    tl.store(y + at, v)


@triton.jit
def near_minimum(a, b):
    return tl.minimum(a, b)


@triton.jit
def distances_in_rows(x, y, columns: tl.constexpr):
    i = tl.arange(0, columns)
    at = tl.program_id(0) * columns + i
    seed = tl.where(tl.load(x + at) == 0, 0, 1 << 20)
    left = tl.associative_scan(seed - i, 0, near_minimum) + i
    right = tl.associative_scan(seed + i, 0, near_minimum, reverse=True) - i
    tl.store(y + at, tl.minimum(left, right))


@triton.jit
def kept_numbers(x, y, place, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    keep = (v % 3 == 0).to(tl.int32)
    at = tl.cumsum(keep, 0) - keep
    base = tl.program_id(0) * BLOCK
    tl.store(y + base + at, v, mask=keep != 0)
    tl.atomic_add(place + v % 16, keep, mask=keep != 0, sem="relaxed")


@triton.jit
def orders_of_rows(x, y, columns: tl.constexpr):
    i = tl.arange(0, columns)
    at = tl.program_id(0) * columns + i
    key = (tl.load(x + at).to(tl.int64) << 12) | i
    tl.store(y + at, (tl.sort(key, descending=True) & 4095).to(tl.int32))


@triton.jit
def nucleus(x, y, part, columns: tl.constexpr):
    at = tl.program_id(0) * columns + tl.arange(0, columns)
    v = tl.load(x + at)
    p = tl.exp(v - tl.max(v, 0))
    p = p / tl.sum(p, 0)
    s = tl.sort(p, descending=True)
    least = tl.min(tl.where(tl.cumsum(s, 0) - s < part, s, 2.0), 0)
    tl.store(y + at, tl.where(p >= least, p, 0.0))


@triton.jit
def sums_and_differences(x, y, R: tl.constexpr, C: tl.constexpr):
    at = (tl.program_id(0) * R + tl.arange(0, R))[:, None] * C + tl.arange(0, C)[None, :]
    v = tl.load(x + at)
    for k in tl.static_range(4):
        a, b = tl.split(tl.reshape(v, (R, C // 2, 2)))
        v = tl.reshape(tl.permute(tl.join(a + b, a - b), (0, 2, 1)), (R, C))
    tl.store(y + at, v)


@triton.jit
def bits_of_chance(y, seed, part, BLOCK: tl.constexpr):
    word, bit = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, 32)
    keep = tl.rand(seed, word[:, None] * 32 + bit[None, :]) < part
    tl.store(y + word, tl.sum(keep.to(tl.int32) << bit[None, :], 1))


@triton.jit
def boxes_of_images(x, box, y, w, h, P: tl.constexpr, C: tl.constexpr):
    who, c = tl.program_id(0), tl.arange(0, C)
    left, top = tl.load(box + 4 * who) % (w - 8), tl.load(box + 4 * who + 1) % (h - 8)
    wide, high = 1 + tl.load(box + 4 * who + 2) % 8, 1 + tl.load(box + 4 * who + 3) % 8
    for bin in range(0, P * P):
        r0, r1 = top + bin // P * high // P, top + (bin // P + 1) * high // P + 1
        c0, c1 = left + bin % P * wide // P, left + (bin % P + 1) * wide // P + 1
        best = tl.full((C,), -1e30, tl.float32)
        for r in range(r0, r1):
            for s in range(c0, c1):
                best = tl.maximum(best, tl.load(x + (r * w + s) * C + c))
        tl.store(y + (who * P * P + bin) * C + c, best)


@triton.jit
def rows_of_segments(first, x, y, width: tl.constexpr):
    d = tl.arange(0, width)
    total = tl.zeros((width,), tl.float32)
    start, end = tl.program_id(0) * 24 + tl.load(first + tl.program_id(0)), tl.program_id(0) * 24 + 24 + tl.load(first + tl.program_id(0) + 1)
    for at in tl.range(start, end, num_stages=3):
        total += tl.load(x + at * width + d).to(tl.float32)
    tl.store(y + tl.program_id(0) * width + d, total)


@triton.jit
def small_moments(w, g, code, scale, n, rate, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.load(scale + tl.program_id(0))
    m = (tl.load(code + i).to(tl.float32) - 128.0) * s
    v = tl.load(g + i).to(tl.float32)
    step = 0.9 * m + 0.1 * v
    p = tl.load(w + i)
    tl.store(w + i, p - rate * (tl.where(step > 0, 1.0, tl.where(step < 0, -1.0, 0.0)) + 0.01 * p))
    m = 0.99 * m + 0.01 * v
    s = tl.max(tl.abs(m), 0) / 127.0 + 1e-12
    tl.store(code + i, (m / s + 128.5).to(tl.uint8))
    tl.store(scale + tl.program_id(0), s)


@triton.jit
def complex_turns(x, turn, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    pair = 2 * i[:, None] + tl.arange(0, 2)[None, :]
    a, b = tl.split(tl.load(x + pair))
    c, d = tl.split(tl.load(turn + pair))
    tl.store(y + pair, tl.join(a * c - b * d, a * d + b * c))


@triton.jit
def quick_tanh(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(y + i, tl.inline_asm_elementwise("tanh.approx.f16x2 $0, $1;", "=r,r", [v], dtype=tl.float16, is_pure=True, pack=2))


@triton.jit
def least_and_most(x, low, high, width, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, C)
    v = tl.load(x + i[:, None] * width + j[None, :], mask=j[None, :] < width, other=0.0)
    tl.atomic_min(low + j, tl.min(v, 0), mask=j < width)
    tl.atomic_max(high + j, tl.max(v, 0), mask=j < width)


@triton.jit
def chosen_in_rows(x, which, y, columns: tl.constexpr, R: tl.constexpr):
    at = (tl.program_id(0) * R + tl.arange(0, R))[:, None] * columns + tl.arange(0, columns)[None, :]
    tl.store(y + at, tl.gather(tl.load(x + at), tl.load(which + at), 1))


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def seen_through(density, colour, y, columns: tl.constexpr, R: tl.constexpr):
    row = tl.program_id(0) * R + tl.arange(0, R)
    at = row[:, None] * columns + tl.arange(0, columns)[None, :]
    left = tl.exp(-tl.abs(tl.load(density + at)))
    upto = tl.associative_scan(left, 1, times)
    tl.store(y + row, tl.sum(upto / left * (1.0 - left) * tl.load(colour + at), 1))


@triton.jit
def hints(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, eviction_policy="evict_first")
    b = tl.load(y + i % 4096, cache_modifier=".ca")
    c = tl.load(x + (i ^ 64), volatile=True)
    tl.store(z + i, a + b * c, cache_modifier=".cs")


@triton.jit
def bordered(x, y, h, w, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.program_id(1) * R, tl.program_id(0) * C
    total = tl.zeros((R, C), tl.float32)
    for a in tl.static_range(3):
        p = tl.make_block_ptr(x, (h, w), (w, 1), (i + a - 1, j - 1), (R, C), (1, 0))
        for b in tl.static_range(3):
            total += tl.load(tl.advance(p, (0, b)), boundary_check=(0, 1), padding_option="zero") * (1 + a * b)
    tl.store(tl.make_block_ptr(y, (h, w), (w, 1), (i, j), (R, C), (1, 0)), total, boundary_check=(0, 1))


@triton.jit
def best_paths(score, y, steps, S: tl.constexpr):
    # One state is a label; its score is the best of itself and the state before, which other threads have written.
    s = tl.arange(0, S)
    base = y + tl.program_id(0) * (steps + 1) * S
    for t in range(0, steps):
        before = tl.load(base + t * S + s - 1, mask=s > 0, other=-1e30)
        v = tl.maximum(tl.load(base + t * S + s), before) + tl.load(score + (tl.program_id(0) * steps + t) * S + s)
        tl.store(base + (t + 1) * S + s, v)
        tl.debug_barrier()


def products(w):
    for m, n, k, grid in ((128, 128, 128, 3), (1024, 768, 256, 100)):
        w.launch(queue_of_tiles, (grid,), Buffer(m * k, F16), Buffer(k * n, F16, seed=2), Buffer(m * n, F16, out=True), Buffer(1, I32, out=True), m, n, k,
                 BM=64, BN=64, BK=32, num_warps=4, num_stages=3)
    for m, n, k in ((64, 64, 128), (512, 512, 512)):
        w.launch(two_halves, (n // 64, m // 64, 2), Buffer(m * k, BF16), Buffer(k * n, BF16, seed=2), Buffer(m * n, out=True), n, k, BM=64, BN=64, BK=32, num_warps=4, num_stages=3)
        w.launch(added_by_descriptor, (n // 64, m // 64, 2), Buffer(m * k, F16), Buffer(k * n, F16, seed=2), Buffer(m * n, out=True), m, n, k, BM=64, BN=64, BK=64, num_warps=4, num_stages=2)
    for apart in (False, True):
        w.launch(specialised, (60,), Buffer(1024 * 512, BF16), Buffer(1024 * 512, BF16, seed=2), Buffer(1024 * 1024, BF16, out=True), 1024, 1024, 512,
                 BM=128, BN=128, BK=64, APART=apart, num_warps=4 if apart else 8, num_stages=3)
    w.launch(scaled_blocks, (8, 8), Buffer(512 * 512, U8), Buffer(1024 * 512, U8, seed=2), Buffer(512 * 4), Buffer(32, seed=2), Buffer(512 * 1024, BF16, out=True), 1024, 512,
             BM=64, BN=128, num_warps=4, num_stages=3)
    w.launch(codebook_product, (16, 4), Buffer(128 * 512, F16), Buffer(64 * 1024, I32, below=1 << 30), Buffer(16), Buffer(8 * 1024, seed=3), Buffer(128 * 1024, F16, out=True), 1024, 512,
             BM=32, BN=64, num_warps=4, num_stages=2)
    for m, n, k in ((32, 32, 64), (256, 256, 128)):
        w.launch(double_product, (n // 32, m // 32), Buffer(m * k, F64), Buffer(k * n, F64, seed=2), Buffer(m * n, F64, out=True), n, k, BM=32, BN=32, BK=16, num_warps=4, num_stages=2)
    w.launch(three_products, (8, 8), Buffer(512 * 256), Buffer(256 * 512, seed=2), Buffer(512 * 512, out=True), 512, 256, BM=64, BN=64, BK=32, num_warps=4, num_stages=2)
    for size in (16, 32):
        w.launch(many_small, (256,), Buffer(1024 * size * size, F16), Buffer(1024 * size * size, F16, seed=2), Buffer(1024 * size * size, F16, out=True), G=4, S=size, num_warps=4)
    for warps in (4, 8):
        w.launch(ragged_attention, (4, 8, 4), *[Buffer(4096 * 4 * 64, F16, seed=s) for s in (1, 2, 3)], Buffer(9, I32, below=64), Buffer(4096 * 4 * 64, F16, out=True),
                 H=4, D=64, BM=64, BN=64, num_warps=warps, num_stages=2)


def rows(w):
    for rows, r, warps in ((64, 2, 4), (3000, 1, 4), (3000, 4, 8)):
        w.launch(softmax_back, (rows // r,), Buffer(rows * 700, BF16), Buffer(rows * 700, BF16, seed=2), Buffer(rows * 700, BF16, out=True), 700, R=r, C=1024, num_warps=warps)
    for rows, grid in ((50, 10), (4000, 264)):
        w.launch(rms_back, (grid,), Buffer(rows * 900, F16), Buffer(900, seed=2), Buffer(rows * 900, F16, seed=3), Buffer(rows * 900, F16, out=True), Buffer(grid * 900, out=True), rows, 900,
                 BLOCK=1024, num_warps=4)
    for n, r in ((16, 2), (8192, 4)):
        w.launch(segmented_scan, (n // r,), Buffer(n * 256), Buffer(n * 256, I32, below=9), Buffer(n * 256, out=True), columns=256, R=r, num_warps=4)
    for rows in (20, 2000):
        w.launch(distances_in_rows, (rows,), Buffer(rows * 512, I32, below=60), Buffer(rows * 512, I32, out=True), columns=512, num_warps=4)
    for blocks in (4, 1000):
        w.launch(kept_numbers, (blocks,), Buffer(blocks * 1024, I32, below=1 << 20), Buffer(blocks * 1024, I32, out=True), Buffer(16, I32, out=True), blocks * 1024, BLOCK=1024, num_warps=4)
    for rows in (8, 600):
        w.launch(orders_of_rows, (rows,), Buffer(rows * 256, I32, below=1 << 30), Buffer(rows * 256, I32, out=True), columns=256, num_warps=4)
        w.launch(nucleus, (rows,), Buffer(rows * 512), Buffer(rows * 512, out=True), 0.8, columns=512, num_warps=4)
    for r, warps in ((2, 2), (8, 4)):
        w.launch(sums_and_differences, (4096 // r,), Buffer(4096 * 128), Buffer(4096 * 128, out=True), R=r, C=128, num_warps=warps)
    w.launch(bits_of_chance, (512,), Buffer(512 * 64, I32, out=True), 7, 0.3, BLOCK=64, num_warps=4)
    for boxes in (20, 600):
        w.launch(boxes_of_images, (boxes,), Buffer(64 * 48 * 64), Buffer(boxes * 4, I32, below=1 << 20), Buffer(boxes * 9 * 64, out=True), 64, 48, P=3, C=64, num_warps=2)
    for segments in (8, 1000):
        w.launch(rows_of_segments, (segments,), Buffer(segments + 1, I32, below=20), Buffer((segments + 2) * 24 * 256, F16), Buffer(segments * 256, out=True), width=256, num_warps=2)
    for blocks in (8, 2048):
        w.launch(small_moments, (blocks,), Buffer(blocks * 256), Buffer(blocks * 256, BF16, seed=2), Buffer(blocks * 256, U8), Buffer(blocks, seed=4), blocks * 256, 0.001, BLOCK=256, num_warps=2)
    for r in (4, 16):
        w.launch(least_and_most, (2048 // r,), Buffer(2048 * 100), Buffer(100, out=True), Buffer(100, out=True), 100, R=r, C=128, num_warps=4)
    for r, warps in ((2, 2), (8, 4)):
        w.launch(chosen_in_rows, (2048 // r,), Buffer(2048 * 128), Buffer(2048 * 128, I32, below=128), Buffer(2048 * 128, out=True), columns=128, R=r, num_warps=warps)
        w.launch(seen_through, (8192 // r,), Buffer(8192 * 64), Buffer(8192 * 64, seed=2), Buffer(8192, out=True), columns=64, R=r, num_warps=warps)


def grids(w):
    for n in (5000, 1000000):
        w.launch(calls_functions, (triton.cdiv(n, 512),), Buffer(n), Buffer(n, seed=2), Buffer(n, out=True), n, BLOCK=512, num_warps=4)
    for n in (4096, 1 << 21):
        w.launch(complex_turns, (n // 512,), Buffer(2 * n), Buffer(2 * n, seed=2), Buffer(2 * n, out=True), n, BLOCK=512, num_warps=4)
        w.launch(quick_tanh, (n // 1024,), Buffer(n, F16), Buffer(n, F16, out=True), BLOCK=1024, num_warps=4)
        w.launch(hints, (n // 1024,), Buffer(n), Buffer(4096, seed=2), Buffer(n, out=True), n, BLOCK=1024, num_warps=4)
    for h, width in ((30, 50), (700, 900)):
        w.launch(bordered, (triton.cdiv(width, 64), triton.cdiv(h, 16)), Buffer(h * width), Buffer(h * width, out=True), h, width, R=16, C=64, num_warps=4)
    for batch, steps in ((4, 20), (200, 50)):
        w.launch(best_paths, (batch,), Buffer(batch * steps * 128), Buffer(batch * (steps + 1) * 128, seed=2), steps, S=128, num_warps=4)


if __name__ == "__main__":
    write({"products": products, "rows": rows, "grids": grids}, __doc__)
