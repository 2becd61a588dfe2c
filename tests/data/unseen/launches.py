#!/usr/bin/env python3
"""Prints the launches of networks.cu, methods.cu and codes.cu, one JSON object a line."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "frameworks" / "corpus"))
from launch_lines import bits, doubles, halves, numbers, printer, whole, zero  # noqa: E402


def blocks_of(threads, block):
    return (threads + block - 1) // block


def networks():
    launch = printer("networks.ptx")
    length = 8192
    for name, grid, block in (("plain", length // 4, 128), ("plain", length // 8, 256), ("fours", length // 4, 128), ("tile", length // 64, 256), ("tile", length // 64, 512)):
        launch("window_scores__" + name, grid, block, zero(length * 32), numbers(length * 64), numbers(length * 64, 2), length)
    tokens, width = 4096, 512
    for w in (1, 2, 4):
        for block in (128, 512):
            launch(f"combine__w{w}", tokens * width // w // block, block, zero(tokens * width), numbers(8192 * width), numbers(4 * tokens, 2), whole(4 * tokens, 8192), tokens, width)
    rows = 65536
    for name, grid, block in (("thread", rows // 128, 128), ("thread", rows // 64, 64), ("warp", rows // 8, 256), ("tile", rows // 64, 128), ("tile", rows // 64, 256)):
        launch("route__" + name, grid, block, zero(2 * rows), zero(2 * rows), numbers(64 * rows), rows)
    rows, words = 4096, 1024
    for name, per, block in (("warp", 1, 128), ("warp", 1, 512), ("fours", 1, 128), ("fours", 1, 256), ("rows4", 4, 128)):
        launch("matvec8__" + name, rows // per * 32 // block, block, zero(rows), bits(rows * words), bits(words, 2), rows, words)
    rows, columns = 4096, 2048
    for name, block, smem in (("global", 128, 0), ("shared", 128, 9216), ("shared", 512, 9216), ("wide", 128, 0), ("wide", 64, 0)):
        launch("matvec4__" + name, rows * 32 // block, block, zero(rows), bits(rows * columns // 8), numbers(rows * columns // 32), numbers(columns, 2), rows, columns, smem=smem)
    channels, h, w = 64, 114, 114
    tiles = (h // 2 - 1) * (w // 2 - 1)
    for name, block in (("planes", 128), ("planes", 256), ("pairs", 128), ("pairs", 64), ("together", 128)):
        launch("winograd__" + name, (blocks_of(tiles, block), channels), block, zero(16 * channels * tiles), numbers(channels * h * w), channels, h, w)
    channels, h, w = 48, 96, 96
    for name, per, block in (("each", 9, 256), ("pixel", 1, 128), ("pixel", 1, 512), ("loop", 1, 128)):
        launch("columns_of__" + name, channels * h * w * per // block, block, zero(9 * channels * h * w), numbers(channels * h * w), channels, h, w)
    channels, h, w = 64, 64, 64
    for name, grid, block in (("gather", (4, 16), (32, 8)), ("gather", (8, 16), (16, 8)), ("scatter", (2, 8), (32, 8)), ("quads", (2, 8), (32, 8)), ("quads", (1, 16), (64, 4))):
        launch("upsample__" + name, (*grid, channels), block, zero(4 * channels * h * w), numbers(channels * h * w), numbers(16 * channels, 2), h, w)
    batch, width = 512, 1024
    for name, w, block in (("w1", 1, 128), ("w1", 1, 512), ("w4", 4, 128)):
        launch("recurrent__" + name, batch * width // w // block, block, numbers(batch * width), numbers(3 * batch * width, 2), numbers(3 * batch * width, 3), batch, width)
    for name in ("shared", "registers", "global"):
        launch("viterbi__" + name, 200, 64, zero(200 * 64), zero(200 * 60 * 64), numbers(4096), numbers(200 * 60 * 64, 2), 60)
    n = 256
    for name, grid, block in (("plain", (16, 16), (16, 16)), ("plain", (8, 32), (32, 8)), ("tile", (16, 16), (16, 16)), ("async", (16, 16), (16, 16))):
        launch("complex_product__" + name, grid, block, zero(2 * n * n), numbers(2 * n * n), numbers(2 * n * n, 2), n)
    rows, width, each = 4096, 1024, 256
    for name, grid, block in (("two", rows * width // 2 // 256, 256), ("eight", rows * width // 8 // 256, 256), ("eight", rows * width // 8 // 64, 64), ("rows", (4, 16), 128)):
        launch("modulate__" + name, grid, block, zero(rows * width // 2), halves(rows * width), halves(rows // each * 2 * width, 2), rows, width, each)


def grids(launch):
    w, h, d = 200, 136, 40
    for name, grid, block in (("points", (6, 16, d - 8), (32, 8)), ("points", (3, 32, d - 8), (64, 4)), ("columns", (6, 16), (32, 8)), ("columns", (6, 64), (32, 2)), ("tile", (6, 16), (32, 8))):
        launch("star__" + name, grid, block, zero(w * h * d), numbers(w * h * d), w, h, d)
    w, h = 1536, 1024
    for name, grid, block in (("plain", (48, 128), (32, 8)), ("plain", (12, 512), (128, 2)), ("rows4", (48, 32), (32, 8)), ("rows4", (12, 256), (128, 1)), ("async", (48, 128), (32, 8))):
        launch("jacobi__" + name, grid, block, zero(2 * w * h), doubles(w * h), doubles(w * h, 2), w, h)
    n = 1 << 19
    for name, grid, block in (("global", n // 256, 256), ("shared", 132, 256), ("shared", 264, 512)):
        launch("deposit__" + name, grid, block, zero(4096), numbers(n), numbers(n, 2), numbers(n, 3), n)
    n = 1 << 20
    for name in ("together", "apart"):
        for block in (128, 512):
            launch("push__" + name, n // block, block, numbers(4 * n), numbers(16384, 2), numbers(16384, 3), n)


def systems(launch):
    n = 16000
    for name, lanes, block in (("thread", 1, 64), ("thread", 1, 128), ("shared", 16, 128), ("lanes", 16, 128), ("lanes", 16, 256)):
        launch("lu__" + name, blocks_of(n * lanes, block), block, numbers(144 * n), n)
    n = 1 << 20
    for name, block in (("together", 128), ("together", 512), ("pairs", 128), ("staged", 128)):
        launch("eigen__" + name, n // block, block, zero(n), numbers(6 * n), n)
    for name, block in (("lanes", 1024), ("four", 256), ("shared", 1024)):
        launch("prefix__" + name, n // 1024, block, zero(2 * n), doubles(n))
    for span in (64, 4096):
        for name, each, block in (("sincos", 1, 256), ("fast", 1, 256), ("table", 1, 256), ("pairs", 2, 256)):
            launch("stage__" + name, n // 2 // each // block, block, zero(2 * n), numbers(2 * n), numbers(8192, 2), n, span)


def graphs(launch):
    for name, block in (("warps", 256), ("threads", 256), ("fours", 128), ("fours", 256)):
        launch("triangles__" + name, 768, block, zero(768), bits(768 * 24), 24)
    n = 1 << 18
    for name, each in (("plain", 1), ("checked", 1), ("edges", 8), ("wide", 1)):
        launch("frontier__" + name, n * each // 256, 256, whole(n, 20), whole(n, 20), whole(8 * n, n, 2), n)
    n = 1 << 20
    for name, grid in (("1", n // 256), ("4", n // 1024), ("strided", 264), ("strided", 1056)):
        launch("jump__" + name, grid, 256, zero(n), zero(n), {"buf": "perm", "words": n, "seed": 3}, whole(n, 100), n)
    for name, block in (("one", 128), ("one", 512), ("staged", 128), ("staged", 512)):
        launch("knapsack__" + name, 400, block, zero(400), whole(400 * 64, 60), whole(400 * 64, 1000, 2))


def chance(launch):
    for name, grid, block in (("u1", 264, 256), ("u1", 1056, 64), ("u4", 264, 256), ("u4", 528, 128)):
        launch("integral__" + name, grid, block, zero(264 * 256), 40, 5)
    for name, grid, block in (("global", 132, 256), ("shared", 132, 256), ("shared", 33, 1024)):
        launch("walk__" + name, grid, block, zero(512), 40)


def methods():
    launch = printer("methods.ptx")
    for part in (grids, systems, graphs, chance):
        part(launch)


def images(launch):
    w, h = 1920, 1080
    for name, grid, block in (("pixel", (60, 135), (32, 8)), ("square", (30, 68), (32, 8)), ("four", (15, 135), (32, 8)), ("four", (4, 540), (128, 2))):
        launch("video__" + name, grid, block, zero(w * h), bits(w * h // 4), bits(w * h // 8, 2), w, h)
    w, h = 1536, 1024
    for name, grid, block in (("thread", 3, 64), ("thread", 6, 32), ("rows", 12, 128), ("shared", 12, 128)):
        launch("jpeg__" + name, (grid, h // 8), block, zero(w * h), numbers(w * h), w, h)
    for name, grid, block in (("plain", (48, 128), (32, 8)), ("plain", (12, 1024), (128, 1)), ("rows4", (48, 32), (32, 8)), ("rows4", (12, 256), (128, 1)), ("tile", (48, 128), (32, 8))):
        launch("despeckle__" + name, grid, block, zero(w * h), numbers(w * h), w, h)
    out = 600
    for name, columns, block in (("computed", 1, (32, 8)), ("table", 1, (32, 8)), ("table", 1, (128, 1)), ("four", 4, (32, 8)), ("four", 4, (64, 1))):
        launch("shrink__" + name, (w // columns // block[0], out // block[1]), block, zero(w * out), numbers(w * 1000), numbers(30, 2), w, 1000, out)
    w, h = 8192, 256
    for name, block in (("loop", 32), ("loop", 128), ("ahead", 32), ("ahead", 128)):
        launch("integral_columns__" + name, w // block, block, zero(w * h), numbers(w * h), w, h)


def sounds(launch):
    n = 1 << 18
    for name, block in (("plain", 128), ("plain", 512), ("fours", 128), ("phases", 128)):
        launch("decimate__" + name, n // block, block, zero(n), numbers(4 * n + 64), numbers(64, 2), n)
    n = 1 << 19
    for name in ("thread", "shared", "registers"):
        launch("lags__" + name, n // 1024, 128, zero(128), numbers(n + 128), n)


def texts(launch):
    n = 1 << 24
    for name, grid, block in (("bytes", 1056, 256), ("words", 1056, 256), ("words", 264, 1024), ("sixteen", 1056, 256), ("sixteen", 264, 256)):
        launch("lines__" + name, grid, block, zero(1), bits(n // 4), n)
    n = 1 << 20
    for name, each, block in (("bytes", 1, 256), ("word", 1, 256), ("four", 4, 256), ("four", 4, 64), ("table", 1, 256)):
        launch("base64__" + name, n // each // block, block, zero(n), bits(3 * n // 4), n)
    launch("align__block", 600, 128, zero(600), bits(600 * 32), bits(600 * 32, 2))
    launch("align__warp", 600, 32, zero(600), bits(600 * 32), bits(600 * 32, 2))


def codes_of_bits(launch):
    n = 1 << 20
    for name in ("all", "stops", "word"):
        for block in (128, 512):
            launch("bloom__" + name, n // block, block, zero(n // 4), bits(1 << 18), bits(n, 2), n)
    blocks = 1 << 16
    for name, lanes, block in (("thread", 1, 128), ("wide", 1, 128), ("wide", 1, 64), ("lanes", 4, 128)):
        launch("chacha__" + name, blocks * lanes // block, block, zero(16 * blocks), bits(16 * blocks))
    n = 1 << 21
    for name, grid in (("magic", n // 256), ("loop", n // 256), ("table", 264), ("table", 1056)):
        launch("morton__" + name, grid, 256, zero(n), bits(n), bits(1024, 2), n)
    for name, grid, block in (("gather", 4096, 256), ("scatter", 4096, 256), ("tile", 1024, (32, 8)), ("tile", 1024, (32, 16))):
        launch("reverse__" + name, grid, block, zero(1 << 21), numbers(1 << 21), 20)
    rows = 32768
    for name in ("lanes", "shared", "ranks"):
        launch("sort_rows__" + name, rows // 4, 128, bits(32 * rows), rows)
    rows = 8192
    for name, lanes, block in (("thread", 1, 64), ("warp", 32, 128), ("eights", 32, 128), ("eights", 32, 256)):
        launch("deltas__" + name, rows * lanes // block, block, zero(256 * rows), whole(256 * rows, 100), rows)
    w, h, d = 256, 200, 60
    nx, ny, nz = 100, 180, 50
    for name, grid, block in (("thread", blocks_of(nx * ny * nz, 256), 256), ("rows", ny * nz // 4, (32, 4)), ("rows", ny * nz // 2, (128, 2)), ("blocks", 264, (32, 8))):
        launch("pack__" + name, grid, block, zero(nx * ny * nz), numbers(w * h * d), w, h, nx, ny, nz)
    n = 1 << 17
    for name, each, block in (("global", 1, 256), ("shared", 1, 256), ("shared", 1, 1024), ("two", 2, 128)):
        launch("lookups__" + name, n // each // block, block, zero(n), whole(2048, 2048), whole(n, 2048, 2), n, 30)


def codes():
    launch = printer("codes.ptx")
    for part in (images, sounds, texts, codes_of_bits):
        part(launch)


for file in (networks, methods, codes):
    file()
