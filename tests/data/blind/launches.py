#!/usr/bin/env python3
"""Prints the launches of blind.cu, one JSON object a line."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "frameworks" / "corpus"))
from launch_lines import bits, doubles, halves, numbers, printer, whole, zero  # noqa: E402

launch = printer("blind.ptx")


def layers():
    rows, columns = 1024, 2048
    for name, blocks, block in (("block", rows, 128), ("block", rows, 256), ("warp", rows // 4, 128), ("warp", rows, 32)):
        launch("rms_residual__" + name, blocks, block, zero(rows * columns // 2), halves(rows * columns), halves(rows * columns, 2), halves(columns, 3), columns)
    rows, columns = 256, 16000
    for name, block in (("w1", 256), ("w1", 1024), ("w4", 256), ("w4", 1024)):
        launch("loss__" + name, rows, block, zero(rows), numbers(rows * columns), whole(rows, columns), columns)
    rows, columns = 2000, 1000
    for name, block in (("twice", 128), ("twice", 256), ("kept4", 256), ("kept8", 128)):
        launch("softmax_backward__" + name, rows, block, zero(rows * columns), numbers(rows * columns), numbers(rows * columns, 2), columns)
    words, width = 8192, 256
    launch("embedding_backward__atomic", words * width // 256, 256, zero(5000 * width), numbers(words * width), whole(words, 5000), width, words)
    launch("embedding_backward__atomic4", words * width // 4 // 256, 256, zero(5000 * width), numbers(words * width), whole(words, 5000), width, words)
    for n in (1 << 19, 3000000):
        for w in (1, 4):
            launch(f"adam__w{w}", (n // w + 255) // 256, 256, *[numbers(n, s) for s in (1, 2, 3, 4)], 0.001, n)
    n, width = 1 << 22, 2048
    launch("gated__halves", n // 256, 256, zero(n // 2), halves(2 * n), width, n)
    launch("gated__pairs", n // 2 // 256, 256, zero(n // 2), halves(2 * n), width, n)
    images, channels, pixels = 16, 96, 1024
    for name in ("welford", "squares"):
        for block in (128, 512):
            launch("batch_moments__" + name, channels, block, zero(channels), zero(channels), numbers(images * channels * pixels), images, channels, pixels)
    c, h, w = 48, 112, 112
    launch("depthwise__plain", (4, 14, c), (32, 8), zero(c * h * w), numbers(c * h * w), numbers(c * 9, 2), h, w)
    launch("depthwise__rows", (4, 2, c), (32, 7), zero(c * h * w), numbers(c * h * w), numbers(c * 9, 2), h, w)
    launch("depthwise__tile", (4, 14, c), (32, 8), zero(c * h * w), numbers(c * h * w), numbers(c * 9, 2), h, w)
    c, filters, h, w = 32, 32, 64, 64
    for f in (1, 4, 8):
        launch(f"convolve_channels__f{f}", (h * w // 128, filters // f), 128, zero(filters * h * w), numbers(c * h * w), numbers(filters * c * 9, 2), c, h, w)
    for heads, length in ((64, 2048), (256, 700)):
        for warps in (4, 16):
            launch(f"decode__{warps}", heads, warps * 32, zero(heads * 64), halves(heads * 64), halves(heads * length * 64, 2), halves(heads * length * 64, 3), length)


def products():
    for n in (512, 1024):
        for bn, stages in ((32, 2), (32, 4), (64, 2), (64, 3), (128, 3)):
            if n == 1024 and bn < 64:
                continue
            launch(f"bf16_product__64x{bn}s{stages}", (n // bn, n // 64), 128, zero(n * n // 2), halves(n * n, 1, "bf16"), halves(n * n, 2, "bf16"), n, n,
                   smem=stages * (64 + bn) * 80)
    for warps in (2, 4, 8):
        launch(f"tf32_product__{warps}", (10, 640 // warps // 16), warps * 32, zero(640 * 640), numbers(640 * 640), numbers(640 * 640, 2), 640, 640)
    for columns in (1, 4):
        launch(f"int8_product__{columns}", (1024 // 32 // columns, 512 // 16), 128, zero(512 * 1024), bits(512 * 256), bits(1024 * 256, 2), 1024, 1024)
    count = 100000
    launch("small_products__thread4", (count + 127) // 128, 128, zero(count * 16), numbers(count * 16), numbers(count * 16, 2), count)
    launch("small_products__element4", (count * 16 + 127) // 128, 128, zero(count * 16), numbers(count * 16), numbers(count * 16, 2), count)
    for blocks in (528, 4000):
        launch("small_products__shared16", blocks, 256, zero(4000 * 256), numbers(4000 * 256), numbers(4000 * 256, 2), 4000)
    for name in ("together", "apart"):
        for block in (64, 256):
            launch("cholesky__" + name, (20000 + block - 1) // block, block, zero(20000 * 64), numbers(20000 * 64), 20000)
    launch("dgemm__16", (24, 24), (16, 16), zero(2 * 384 * 384), doubles(384 * 384), doubles(384 * 384, 2), 384)
    launch("dgemm__32", (12, 12), (16, 16), zero(2 * 384 * 384), doubles(384 * 384), doubles(384 * 384, 2), 384)


def fewer_bits():
    rows, columns = 1500, 2048
    for name, block in (("bytes", 256), ("words", 256), ("words", 512)):
        launch("to_int8__" + name, rows, block, zero(rows * columns // 4), zero(rows), numbers(rows * columns), columns)
    words = 1 << 19
    launch("from_int4__one", words // 256, 256, zero(words * 4), bits(words), halves(words // 8, 2), words)
    launch("from_int4__whole", words // 256, 256, zero(words * 4), bits(words), halves(words // 8, 2), words)
    n = 1 << 20
    launch("fp8__there", n // 256, 256, zero(n), numbers(4 * n), 2.0, n)
    launch("fp8__back", n // 256, 256, zero(4 * n), bits(n), 0.5, n)


def methods():
    w, h, d = 128, 128, 64
    launch("box27__points", (4, 16, d), (32, 8), zero(w * h * d), numbers(w * h * d), w, h, d)
    launch("box27__points", (1, 64, d), (128, 2), zero(w * h * d), numbers(w * h * d), w, h, d)
    launch("box27__planes", (4, 32), (32, 4), zero(w * h * d), numbers(w * h * d), w, h, d)
    launch("box27__planes", (2, 32), (64, 4), zero(w * h * d), numbers(w * h * d), w, h, d)
    w, h = 1600, 1200
    for name in ("plain", "tile"):
        launch("wave__" + name, (w // 32, h // 8), (32, 8), zero(w * h), numbers(w * h), numbers(w * h, 2), w, h)
    w, h = 640, 500
    for name in ("planes", "cells"):
        for block in (128, 256):
            launch("lattice__" + name, w * h // block, block, zero(9 * w * h), numbers(9 * w * h), w, h)
    for batch in (400, 1500):
        launch("fourier__2", batch, 512, zero(2048 * batch), numbers(2048 * batch))
        launch("fourier__4", batch, 256, zero(2048 * batch), numbers(2048 * batch))
    for block in (32, 128):
        n = 8192 * 128
        launch("tridiagonal__threads", 8192 // block, block, zero(n), numbers(n), numbers(n, 2), numbers(n, 3), 8192, 128)
    launch("tridiagonal__block", 4096, 128, zero(4096 * 128), numbers(4096 * 128), numbers(4096 * 128, 2), numbers(4096 * 128, 3), 128, smem=128 * 16)
    n = 40000
    launch("neighbours__thread", (n + 127) // 128, 128, zero(4 * n), numbers(4 * n), whole(32 * n, n), n)
    launch("neighbours__warp", n * 32 // 128, 128, zero(4 * n), numbers(4 * n), whole(32 * n, n), n)
    n = 1 << 20
    for block in (128, 512):
        launch("options__closed", n // block, block, zero(n), zero(n), numbers(n), numbers(n, 2), numbers(n, 3), n)
    launch("options__paths", 264, 256, zero(264 * 256), 64)
    launch("options__paths", 528, 128, zero(528 * 128), 64)
    launch("philox__store", 4096, 256, zero(4 << 20), 1, 2)
    for name, block in (("all", 128), ("tiles", 128), ("tiles", 256)):
        launch("boxes__" + name, 16384 // block, block, zero(16384), numbers(6 * 16384), numbers(8 * 512, 2), 512)
    for name, blocks in (("shared", 264), ("shared", 1056), ("global", 264)):
        launch("nearest__" + name, blocks, 128, zero(200000), numbers(800000), numbers(4 * 64, 2), 200000, 64, smem=1024)


def sparse():
    rows, each = 50000, 24
    for name in ("apart", "together"):
        launch("ell__" + name, (rows + 127) // 128, 128, zero(rows), numbers(rows * each), whole(rows * each, rows), numbers(rows, 2), rows, each)
    n = 1 << 20
    launch("coordinates__atomic", n // 256, 256, zero(rows), numbers(n), whole(n, rows), whole(n, rows, 2), numbers(rows, 2), n)
    segments = 30000
    for room, most in ((128, 128), (32, 20)):
        for name, lanes in (("thread", 1), ("eight", 8), ("warp", 32)):
            launch("segments__" + name, (segments * lanes + 127) // 128, 128, zero(segments), numbers(segments * room), segments, room, most)
    nodes = 100000
    launch("ranks__pull", (nodes + 255) // 256, 256, zero(nodes), numbers(nodes), whole(nodes * 16, nodes), whole(nodes, 30), nodes)
    launch("ranks__push", nodes * 16 // 256, 256, zero(nodes), numbers(nodes), whole(nodes * 16, nodes), whole(nodes, 30), nodes)
    n = 300000
    launch("table__fill", (n + 255) // 256, 256, zero(1 << 20), whole(n, 1 << 30), n, (1 << 20) - 1)
    launch("table__ask", (n + 255) // 256, 256, zero(n), whole(1 << 20, 1 << 18), whole(n, 1 << 18, 2), n, (1 << 20) - 1)


def order():
    n = 1 << 20
    for name in ("atomic", "votes", "match"):
        for each in (4, 16):
            launch("digits__" + name, n // 256 // each, 256, zero(16 * n // 256 // each), whole(n, 1 << 30), each, 8)
    for each in (4, 16):
        launch(f"merge__{each}", 2 * n // each // 256, 256, zero(2 * n), {"buf": "iota", "words": n}, {"buf": "iota", "words": n, "seed": 1000}, n)
    for block in (128, 512):
        launch("odd_even__1024", 300, block, bits(300 * 1024))
    for name in ("plain", "padded"):
        launch("sweeps__" + name, 1000, 512, whole(1000 * 1024, 100))
    rows, columns = 4000, 700
    launch("largest_at__warp", rows // 4, 128, zero(rows), numbers(rows * columns), rows, columns)
    launch("largest_at__packed", rows, 128, zero(rows), numbers(rows * columns), rows, columns)


def texts():
    n = 4000000
    for name, blocks in (("bytes", 528), ("words", 528), ("words", 1056)):
        launch("pattern__" + name, blocks, 256, zero(1), bits(n // 4), bits(2, 7), n)
    rows, words = 33792, 32
    for name in ("shared", "constant", "bits"):
        launch("crc__" + name, rows // 128, 128, zero(rows), bits(rows * words), words, rows)
    n = 512
    launch("hamming__words", (n // 32, n // 8), (32, 8), zero(n * n), bits(n * 128), bits(n * 128, 2), n, 128)
    launch("hamming__tiles", (n // 32, n // 32), (32, 8), zero(n * n), bits(n * 128), bits(n * 128, 2), n, 128)
    launch("life__bits", (512 // 32, 16384 // 8), (32, 8), zero(512 * 16384), bits(512 * 16384), 512, 16384)
    launch("life__bytes", (2048 // 32, 1024 // 8), (32, 8), zero(2048 * 256), bits(2048 * 256), 2048, 1024)
    launch("life__bytes", (2048 // 128, 1024 // 2), (128, 2), zero(2048 * 256), bits(2048 * 256), 2048, 1024)
    launch("edits__shared", 200, 256, zero(200), bits(200 * 64), bits(200 * 64, 2))


def images():
    n = 3000000
    launch("grey__pixel", (n + 255) // 256, 256, zero(n // 4), bits(3 * n // 4), n)
    launch("grey__four", (n // 4 + 255) // 256, 256, zero(n // 4), bits(3 * n // 4), n)
    w, h = 800, 600
    for name in ("plain", "tile"):
        launch("bilateral__" + name, (w // 32, h // 8), (32, 8), zero(w * h), numbers(w * h), w, h)
    channels, pixels = 64, 20000
    launch("channels_last__plain", channels * pixels // 256, 256, zero(channels * pixels), numbers(channels * pixels), channels, pixels)
    for rows in (8, 32):
        launch("channels_last__tile", (pixels // 32, 2), (32, rows), zero(channels * pixels), numbers(channels * pixels), channels, pixels)
    outer, middle, inner = 16, 400, 500
    launch("middle_sum__thread", (4, outer), 128, zero(outer * inner), numbers(outer * middle * inner), middle, inner)
    launch("middle_sum__split", (16, outer), (32, 8), zero(outer * inner), numbers(outer * middle * inner), middle, inner)
    launch("middle_sum__atomic", (4, outer, 25), 128, zero(outer * inner), numbers(outer * middle * inner), middle, inner)
    n = 1 << 20
    for name in ("global", "shared"):
        for blocks in (132, 528):
            launch("joint__" + name, blocks, 256, zero(1024), bits(n), bits(n, 2), numbers(n), n)


for group in (layers, products, fewer_bits, methods, sparse, order, texts, images):
    group()
