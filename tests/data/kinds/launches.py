#!/usr/bin/env python3
"""Prints the launches of machines.cu and libraries.cu, one JSON object a line."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "frameworks" / "corpus"))
from launch_lines import bits, doubles, halves, numbers, printer, whole, zero  # noqa: E402


def clusters(launch):
    for blocks, block in ((32, 128), (528, 256)):
        launch("hand_on", blocks, block, zero(1024 * blocks), numbers(1024 * blocks))
    for blocks in (16, 264):
        launch("same_row", blocks, 256, zero(256 * blocks), numbers(512 * blocks), numbers(256 * blocks, 2))
    for blocks in (8, 1056):
        launch("exchange_words", blocks, 256, zero(256 * blocks), bits(512 * blocks))
    for blocks, n in ((8, 20000), (64, 300000)):
        launch("spread_bins", blocks, 256, zero(512), bits(n), n)
    launch("dependent", 132, 256, zero(100000), numbers(100000), 100000)


def matrices(launch):
    for m, n, k in ((64, 96, 64), (512, 512, 128)):
        launch("double_tiles", (n // 32, m // 32), 128, zero(2 * m * n), doubles(m * k), doubles(n * k, 2), n, k)
        launch("double_fragments", (n // 32, m // 32), 128, zero(2 * m * n), doubles(m * k), doubles(n * k, 2), n, k)
    for m, n, words in ((64, 64, 32), (1024, 1024, 64)):
        launch("common_bits", (n // 32, m // 16), 128, zero(m * n), bits(m * words), bits(n * words, 2), n, words)
    for m, n, k in ((64, 64, 128), (512, 1024, 256)):
        launch("two_of_four", (n // 32, m // 16), 128, zero(m * n), halves(m * k // 2), bits(m * k // 64, 3), halves(n * k, 2), n, k)
    for w, h, blocks in ((64, 48, 12), (1024, 1024, 528)):
        launch("turned_tiles", blocks, 128, zero(w * h // 2), halves(w * h), w, h)


def integers(launch):
    for n in (1000, 100000):
        launch("big_products", (n + 127) // 128, 128, zero(16 * n), bits(16 * n), n)
        launch("modular_powers", (n // 8 + 63) // 64, 64, zero(n // 4), bits(n // 4), n // 8, 1000003)
        launch("morton", (n + 255) // 256, 256, zero(n), bits(n), n)
        launch("bloom_set", 66, 256, zero(4096), bits(n), n, 4095)
        launch("short_taps", (n // 4 + 255) // 256, 256, zero(n), bits(n + 8), bits(4, 2), n)
        launch("byte_distances", (n + 127) // 128, 128, zero(n), bits(8 * n + 8), bits(8 * n + 8, 2), n + 1, n)
    for n in (4096, 1 << 20):
        launch("reduced", n // 256, 256, zero(n // 8), bits(n), n)
        launch("group_scans", n // 256, 256, zero(n), bits(n), n)


def control(launch):
    for apart in (0, 1):
        launch("interpreter", 128, 256, zero(32768), bits(32768), bits(64 * 100 // 4, 2), 32768, 100, apart)
    for n in (2000, 50000):
        launch("least_of_column", (n + 127) // 128, 128, zero(n), numbers(n * 64), n, 64)
        launch("chosen_room", (n + 127) // 128, 128, zero(n), whole(n, 1000), n)
    for n in (2048, 262144):
        launch("any_memory", n // 256, 256, zero(n), numbers(n), whole(n, 16), n)


def methods(launch):
    for w, h, d in ((32, 16, 16), (128, 128, 64)):
        launch("coarser", (w * h * d // 8 + 127) // 128, 128, zero(w * h * d // 4), doubles(w * h * d), w, h, d)
    for n in (1000, 60000):
        launch("double_functions", (n + 127) // 128, 128, zero(2 * n), doubles(n), n)
    for rows in (64, 16384):
        launch("half_scores", rows // 4, 128, zero(rows * 128), halves(rows * 256), 128)
    for size, blocks in ((12, 40), (24, 264)):
        launch("turns_in_plane", blocks, 32, zero(blocks * size * size), numbers(blocks * size * size), size, smem=4 * (size * (size + 1) + 2))


def libraries(launch):
    for blocks in (4, 400):
        launch("runs_out", blocks, 128, zero(2048 * blocks), whole(256 * blocks, 7))
        launch("long_keys", blocks, 128, bits(1280 * blocks), whole(640 * blocks, 1 << 30, 2))
        launch("chained_lines", blocks, 192, zero(576 * blocks), numbers(1152 * blocks))
        launch("kept_together", blocks, 256, zero(1024 * blocks), zero(blocks), whole(1024 * blocks, 1 << 20))
    for columns, rows, blocks in ((200, 60, 8), (333, 4000, 264)):
        launch("odd_rows_ahead", blocks, 128, zero(columns * rows), numbers(columns * rows), columns, rows, smem=12 * columns)


for part in (clusters, matrices, integers, control, methods):
    part(printer("machines.ptx"))
libraries(printer("libraries.ptx"))
