#!/usr/bin/env python3
"""Prints the launches of variants.cu, one JSON object a line."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "frameworks" / "corpus"))
from launch_lines import halves, numbers, printer, whole, zero  # noqa: E402

launch = printer("variants.ptx")


def element_by_element():
    for n in (1 << 20, 1 << 23):
        for w, u in ((1, 1), (2, 1), (4, 1), (1, 4), (4, 4)):
            blocks = n // w // u // 256
            launch(f"axpy__w{w}u{u}", blocks, 256, numbers(n), numbers(n, 2), 1.5, n)
    launch("axpy__w4u1", 132 * 8, 256, numbers(1 << 23), numbers(1 << 23, 2), 1.5, 1 << 23)
    launch("axpy__w1u4", 132 * 2, 1024, numbers(1 << 23), numbers(1 << 23, 2), 1.5, 1 << 23)
    for w in (1, 2, 4):
        for block in (128, 512):
            n = 1 << 21
            launch(f"chain__w{w}", n // w // block, block, zero(n), numbers(n), n)
    n = 1 << 23
    for name, per in (("one", 1), ("two", 2), ("eight", 8)):
        launch("halves__" + name, n // per // 256, 256, halves(n), halves(n, 2), n)
    for name in ("plain", "fast"):
        launch("rotary__" + name, 4096 * 64 // 256, 256, numbers(4096 * 128), numbers(64), 4096, 64)


def norms():
    for t, w in ((64, 1), (128, 1), (256, 1), (1024, 1), (128, 4), (256, 4)):
        launch(f"layer_norm__t{t}w{w}", 2048, t, zero(2048 * 2048), numbers(2048 * 2048), numbers(2048), 2048)
    for t, w in ((64, 1), (256, 1), (256, 4)):
        launch(f"layer_norm__t{t}w{w}", 300, t, zero(300 * 8192), numbers(300 * 8192), numbers(8192), 8192)
    rows, columns = 4000, 1024
    launch("softmax__warps", rows // 4, 128, zero(rows * columns), numbers(rows * columns), rows)
    for t in (64, 256, 1024):
        launch(f"softmax__t{t}", rows, t, zero(rows * columns), numbers(rows * columns), columns)
    n = 1 << 23
    for t, u in ((128, 1), (256, 1), (256, 4), (256, 8), (1024, 1), (1024, 4)):
        launch(f"sum__t{t}u{u}", 264, t, zero(1), numbers(n), n)
    launch("sum__tree", 264, 256, zero(1), numbers(n), n)
    launch("sum__t256u1", 4096, 256, zero(1), numbers(n), n)
    for u in (1, 4, 8):
        launch(f"sum_columns__u{u}", (16, 16), 256, zero(4096), numbers(2048 * 4096), 2048, 4096)


def products():
    for n in (512, 1024):
        for bm, bn, bk, tm, tn in ((16, 16, 16, 1, 1), (32, 32, 16, 2, 2), (64, 64, 8, 4, 4), (64, 64, 16, 4, 4), (128, 128, 8, 8, 8), (128, 64, 8, 8, 4)):
            if n == 1024 and bm < 64:
                continue
            launch(f"sgemm__{bm}x{bn}x{bk}t{tm}x{tn}", (n // bn, n // bm), bm // tm * bn // tn, zero(n * n), numbers(n * n), numbers(n * n, 2), n, n)
    for n in (512, 1024):
        for bm, bn, stages in ((32, 32, 2), (64, 64, 2), (64, 64, 3), (64, 64, 4), (128, 64, 3), (128, 128, 2), (128, 128, 3)):
            room = stages * (bm * 40 + 32 * (bn + 8)) * 2
            launch(f"hgemm__{bm}x{bn}s{stages}", (n // bn, n // bm), 128, zero(n * n), halves(n * n), halves(n * n, 2), n, n, smem=room)
    for t in (1, 2, 4):
        launch(f"bytes__{t}", (768 // 16 // t, 768 // 16 // t), (16, 16), zero(768 * 768), whole(768 * 192, 1 << 30), whole(768 * 192, 1 << 30, 2), numbers(768),
               768, 192)
    for lanes in (1, 8, 32):
        launch(f"matvec__{lanes}", 4096 * lanes // 128, 128, zero(4096), numbers(4096 * 2048), numbers(2048), 4096, 2048)
    for lanes in (1, 4, 32):
        rows, each = 30000, 40
        launch(f"sparse__{lanes}", (rows * lanes + 127) // 128, 128, zero(rows), numbers(rows * each), whole(rows * each, rows), numbers(rows), rows, each)
    for tile in (16, 64):
        for block in (64, 128):
            launch(f"attention__{tile}", (512 // block, 16), block, zero(16 * 512 * 32), *[numbers(16 * 512 * 32, s) for s in (1, 2, 3)], 512)


def neighbours():
    n = 2048
    for name in ("plain", "shared", "padded"):
        for rows in (8, 32):
            launch("transpose__" + name, (n // 32, n // 32), (32, rows), zero(n * n), numbers(n * n), n)
    w = h = 2048
    launch("heat__plain", (w // 32, h // 8), (32, 8), zero(w * h), numbers(w * h), w, h)
    launch("heat__plain", (w // 128, h // 2), (128, 2), zero(w * h), numbers(w * h), w, h)
    launch("heat__4", (w // 128, h // 4), (128, 1), zero(w * h), numbers(w * h), w, h)
    launch("heat__8", (w // 128, h // 8), (128, 1), zero(w * h), numbers(w * h), w, h)
    launch("heat__tile", (w // 32, h // 16), (32, 8), zero(w * h), numbers(w * h), w, h)
    w, h, d = 192, 160, 96
    launch("seven__points", (w // 32, h // 8, d), (32, 8), zero(w * h * d), numbers(w * h * d), w, h, d)
    launch("seven__columns", (w // 32, h // 8), (32, 8), zero(w * h * d), numbers(w * h * d), w, h, d)
    launch("seven__columns", (w // 64, h // 2), (64, 2), zero(w * h * d), numbers(w * h * d), w, h, d)
    w = h = 1500
    for r, p in ((3, 1), (5, 1), (5, 4)):
        launch(f"convolve__r{r}p{p}", ((w + 32 * p - 1) // (32 * p), (h + 7) // 8), (32, 8), zero(w * h), numbers(w * h), numbers(25), w, h)
    for name in ("plain", "pairs"):
        launch("pool__" + name, (32, 128), (32, 8), zero(1 << 20), numbers(1 << 22), 2048, 2048)


def orders():
    for per in (1, 4, 16):
        launch(f"scan__{per}", (1 << 21) // 256 // per, 256, zero(1 << 21), numbers(1 << 21))
    for n, blocks, block in ((256, 2000, 64), (256, 2000, 128), (2048, 200, 256), (2048, 200, 1024)):
        launch(f"sort__{n}", blocks, block, numbers(n * blocks))
    for name, blocks in (("global", 1024), ("1", 264), ("8", 264)):
        launch("histogram__" + name, blocks, 256, zero(256), whole(1 << 21, 1 << 16), 1 << 21)
    for name in ("lanes", "warps"):
        launch("compact__" + name, 1024, 256, zero(1 << 18), zero(1), whole(1 << 18, 1 << 20), 1 << 18)
    for k in (4, 16):
        launch(f"largest__{k}", 1000, 128, zero(4000 * k), numbers(4000 * 1024), 4000)


def searches():
    for width in (64, 512):
        for w in (1, 4):
            rows = (1 << 22) // width
            launch(f"gather__w{w}", rows * width // w // 256, 256, zero(rows * width), numbers(1 << 22), whole(rows, rows), rows, width)
    for name in ("add", "store"):
        launch("scatter__" + name, 2048, 256, zero(1 << 20), numbers(1 << 19), whole(1 << 19, 1 << 20), 1 << 19)
    for name in ("halves", "strides"):
        launch("search__" + name, 1000, 256, zero(256000), {"buf": "iota", "words": 1 << 20}, whole(256000, 1 << 20), 1 << 20, 256000)
    for name in ("1", "2"):
        launch("chase__" + name, 264, 128, zero(264 * 128), {"buf": "perm", "words": 1 << 20, "seed": 7}, 1 << 20, 20)


def arithmetic():
    for u in (1, 8):
        launch(f"bodies__u{u}", 64, 128, zero(4 * 8192), numbers(4 * 8192), 8192)
    for bits in (32, 64):
        for block in ((32, 4), (8, 8)):
            launch(f"fractal__{bits}", (1024 // block[0], 512 // block[1]), block, zero(1024 * 512), 1024, 512, 100)
    launch("random__hash", 1056, 256, zero(1056 * 256), 200)
    launch("random__hash", 264, 1024, zero(1056 * 256), 200)
    for name in ("registers", "2", "4"):
        for blocks in (264, 1056):
            launch("staged__" + name, blocks, 256, zero(1 << 23), numbers(1 << 23), 8192)


for group in (element_by_element, norms, products, neighbours, orders, searches, arithmetic):
    group()
