#!/usr/bin/env python3
"""Prints the launches of layers.cu and methods.cu, one JSON object a line."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "frameworks" / "corpus"))
from launch_lines import bits, doubles, halves, numbers, printer, whole, zero  # noqa: E402


def networks(launch):
    groups, size, plane = 1024, 4096, 256
    for name, block in (("twice", 128), ("twice", 512), ("once", 256), ("fours", 128), ("fours", 512)):
        launch("group_norm__" + name, groups, block, zero(groups * size), numbers(groups * size), numbers(512, 2), size, plane, 512)
    rows, columns = 2048, 512
    for name, grid, block, smem in (("warp", rows // 4, 128, 0), ("warp", rows // 8, 256, 0), ("joined", rows // 4, 128, 0), ("kept", rows, 128, 2048), ("kept", rows, 64, 2048)):
        launch("biased_scores__" + name, grid, block, zero(rows * columns), numbers(rows * columns), columns, 0.05, smem=smem)
    n = 1 << 21
    for name, grid, block in (("each", n // 256, 256), ("fours", n // 4 // 256, 256), ("fours", n // 4 // 64, 64), ("halves", 528, 256)):
        launch("drop_add__" + name, grid, block, zero(n // 2), halves(n), halves(n, 2), n, 11)
    rows, columns = 1024, 1536
    for name, grid, block in (("each", (6, rows), 256), ("fours", (3, rows), 128), ("fours", (6, rows), 64), ("columns", (12, rows // 8), 128)):
        launch("rescale__" + name, grid, block, zero(rows * columns // 2), whole(rows * columns, 20000), numbers(rows), numbers(columns, 2), numbers(columns, 3), rows, columns)
    n = 1 << 18
    for name, block in (("global", 256), ("shared", 256), ("shared", 1024), ("match", 256)):
        launch("slots__" + name, n // block, block, zero(64), zero(n), whole(n, 64), n)
    rows = 100000
    for name, lanes, block in (("thread", 1, 128), ("eights", 8, 256), ("warp", 32, 128), ("warp", 32, 512)):
        launch("ragged_max__" + name, (rows * lanes + block - 1) // block, block, zero(rows), numbers(24 * rows + 64), whole(rows + 1, 8), rows)
    m, n, k = 512, 1024, 512
    for name in ("direct", "staged", "two", "three", "four"):
        launch("dense__" + name, (n // 64, m // 64), 128, zero(m * n // 2), halves(m * k), halves(n * k, 2), numbers(n), m, n, k)
    n = 16384
    for name, channels, block in (("each", 32, 128), ("eight", 4, 128), ("eight", 4, 64), ("weights", 4, 128)):
        launch("dilated__" + name, (n // block, channels), block, zero(32 * n), numbers(32 * n), numbers(2048, 2), n, 64)
    n = 1 << 21
    for name, grid, block in (("two", n // 256, 256), ("eight", n // 4 // 256, 256), ("eight", n // 4 // 64, 64), ("floats", 1056, 256)):
        launch("half_series__" + name, grid, block, zero(n), halves(2 * n), n)
    for name, grid in (("one", 264), ("two", 264), ("six", 264), ("two", 132), ("six", 132)):
        launch("bulk_rows__" + name, grid, 256, zero(4096 * 1024), numbers(4096 * 1024), 4096)


def codes(launch):
    n = 1 << 17
    for name, block in (("one", 256), ("four", 256), ("four", 1024), ("global", 256), ("copies", 256)):
        launch("tables__" + name, n // block, block, zero(4 * n), bits(4 * n), bits(256, 2), n)
    n = 1 << 16
    for name, each, block in (("thread", 1, 128), ("thread", 1, 64), ("two", 2, 128), ("shared", 1, 128)):
        launch("sha1__" + name, n // each // block, block, zero(5 * n), bits(16 * n), n)
    n = 32768
    for name, block in (("global", 128), ("words", 128), ("words", 32), ("shared", 128)):
        launch("automaton__" + name, n // block, block, zero(n), bits(32 * n), whole(2048, 64), n)
    n = 1 << 17
    for name, lanes, block in (("thread", 1, 128), ("fours", 8, 128), ("fours", 8, 512), ("warp", 32, 256)):
        launch("alike__" + name, n * lanes // block, block, zero(n), bits(32 * n), bits(32, 2), n)
    n = 1 << 18
    for name, block in (("linear", 128), ("linear", 512), ("looks", 128)):
        launch("fill__" + name, n // block, block, zero(1 << 19), zero(1), bits(n), n)
    n = 1 << 20
    for mask in (0, 31, 1023):
        for name in ("plain", "match", "shared"):
            launch("demand__" + name, 264, 256, zero(1024), bits(n), n, mask)
    launch("demand__plain", 1056, 256, zero(1 << 18), bits(n), n, (1 << 18) - 1)


def layers():
    launch = printer("layers.ptx")
    networks(launch)
    codes(launch)


def grids(launch):
    w, h = 1024, 768
    for name, grid, block in (("plain", (32, 96), (32, 8)), ("plain", (8, 384), (128, 2)), ("rows", (8, 48), 128), ("tile", (32, 96), (32, 8))):
        launch("elastic__" + name, grid, block, numbers(w * h), numbers(w * h, 2), numbers(w * h, 3), numbers(w * h, 4), numbers(w * h, 5), w, h)
    w, h, d = 160, 128, 48
    for name, grid, block in (("points", (5, 16, d - 2), (32, 8)), ("points", (3, 32, d - 2), (64, 4)), ("columns", (5, 32), (32, 4)), ("columns", (5, 128), (32, 1))):
        launch("burgers__" + name, grid, block, zero(2 * w * h * d), doubles(w * h * d), w, h, d)
    n = 1 << 20
    for name, each, block in (("thread", 1, 256), ("rows", 1, 256), ("fours", 4, 256), ("fours", 4, 64)):
        launch("diagonals__" + name, n // each // block, block, zero(n), numbers(7 * n), numbers(n, 2), n, 1024, 1 << 15)
    nodes = 40000
    for name, grid, block in (("scatter", 1563, 128), ("apart", 1563, 128), ("apart", 391, 512), ("gather", 313, 128)):
        launch("elements__" + name, grid, block, zero(3 * nodes), numbers(3 * nodes), whole(20 * nodes, nodes), 5 * nodes, nodes)


def systems(launch):
    rows = 4096
    for name, block in (("shuffles", 128), ("shuffles", 256), ("shared", 128), ("shared", 256)):
        launch("spectrum__" + name, rows * 32 // block, block, zero(512 * rows), numbers(512 * rows))
    n = 1 << 16
    for name, lanes, block in (("thread", 1, 64), ("thread", 1, 256), ("lanes", 8, 128), ("lanes", 8, 512)):
        launch("reflect__" + name, n * lanes // block, block, zero(16 * n), numbers(32 * n), n)
    n = 16384
    for name, block in (("together", 32), ("together", 128), ("lines", 32), ("lines", 128)):
        launch("penta__" + name, n // block, block, numbers(96 * n), n)
    for block in (32, 128):
        launch("penta64__together", n // block, block, doubles(96 * n), n)
    n, m = 16384, 512
    for name, block in (("global", 128), ("tile", 64), ("tile", 128), ("tile", 256)):
        launch("charges__" + name, n // block, block, zero(2 * n), doubles(3 * n), n, m)
    for name, grid, block in (("one", 512, 128), ("fast", 512, 128), ("fast", 128, 512), ("two", 256, 128)):
        launch("barrier__" + name, grid, block, zero(65536), 48, 77)
    n = 100000
    for name, grid, block in (("global", 391, 256), ("shared", 132, 256), ("shared", 66, 1024), ("shared", 391, 256)):
        launch("means__" + name, grid, block, zero(512), zero(64), numbers(8 * n), whole(n, 64), n)
    pairs = 4096
    for name, grid, block in (("warp", pairs // 4, 128), ("warp", pairs // 8, 256), ("block", pairs, 64)):
        launch("warping__" + name, grid, block, zero(pairs), numbers(64 * pairs), numbers(64 * pairs, 2))
    n = 1 << 16
    for name, each, block in (("vertices", 1, 128), ("edges", 8, 128), ("edges", 8, 512), ("looks", 8, 256)):
        launch("relax__" + name, n * each // block, block, whole(n, 100000), whole(n, 100000), whole(8 * n, n), whole(8 * n, 50000, 2), n)
    for name, block in (("shared", 512), ("mixed", 1024)):
        for grid in (264, 528):
            launch("pairs__" + name, grid, block, bits(2048 * grid))


def images(launch):
    w, h = 800, 600
    for name, grid, block in (("plain", (25, 75), (32, 8)), ("plain", (13, 150), (64, 4)), ("tile", (25, 75), (32, 8))):
        launch("patches__" + name, grid, block, zero(w * h), numbers(w * h), w, h)
    n = 1 << 20
    for name, each, block in (("interleaved", 1, 256), ("planes", 1, 256), ("fours", 4, 256), ("fours", 4, 64)):
        launch("lab__" + name, n // each // block, block, zero(3 * n), bits(3 * n // 4), n)
    for name, grid, block in (("single", (32, 75), (32, 8)), ("single", (8, 300), (128, 2)), ("double", (32, 75), (32, 8))):
        launch("roots__" + name, grid, block, zero(1024 * 600), 1024, 600, 30)
    for name, grid, block in (("table", (32, 128), (32, 8)), ("shared", (32, 128), (32, 8)), ("shared", (8, 256), (128, 4)), ("hash", (32, 128), (32, 8))):
        launch("noise__" + name, grid, block, zero(1 << 20), numbers(1024), 1024, 1024)
    for name in ("structures", "arrays", "staged"):
        launch("turn__" + name, n // 256, 256, zero(3 * n), numbers(4 * n), numbers(3 * n, 2), n)


def methods():
    launch = printer("methods.ptx")
    for part in (grids, systems, images):
        part(launch)


layers()
methods()
