#!/usr/bin/env python3
"""Prints the launches of one of the sources here, of `kernels` (those that haul ships), or of `some` (every eleventh of all but
`sets`), one JSON object a line.

usage: launches.py NAME
"""
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
launches = []


def buf(fill, words, seed=1, offset=0):
    return {"buf": fill, "words": words, "seed": seed, "offset": offset}


def i32(value):
    return {"i32": value}


def f32(value):
    return {"f32": value}


def three(extent):
    extent = [extent] if isinstance(extent, int) else list(extent)
    return extent + [1] * (3 - len(extent))


def launch(kernel, grid, block, smem, *args):
    """Numbers among the arguments are i32."""
    args = [i32(a) if isinstance(a, int) else a for a in args]
    launches.append({"kernel": kernel, "grid": three(grid), "block": three(block), "smem": smem, "args": args})


def words(elements, size):
    return (elements * size + 3) // 4


# ---- global.cu ----

SIZES = {"u8": 1, "s8": 1, "u16": 2, "u32": 4, "u64": 8, "f64": 8, "v2u8": 2, "v4u8": 4, "v2u16": 4, "v4u16": 8, "v2f32": 8,
         "v4f32": 16, "v2f64": 16}


def strides_of_types():
    shapes = [(1, 32), (2, 33), (3, 100), (2, 160), (5, 96), (1, 1000), (3, 224), (4, 72)]
    for t, (name, size) in enumerate(SIZES.items()):
        for k, (stride, shift) in enumerate([(1, 0), (1, 3), (3, 1), (7, 0), (32, 5)]):
            blocks, block = shapes[(t + k) % len(shapes)]
            n = blocks * block - (5 if k % 2 else 0)
            far = words((n - 1) * stride + shift + 1, size)
            launch("load_" + name, blocks, block, 0, buf("u32", far), buf("zero", words(n, size)), n, stride, shift)
            if k in (0, 1, 3):
                launch("store_" + name, blocks, block, 0, buf("u32", words(n, size)), buf("zero", far), n, stride, shift)
    for offset in (4, 12, 16, 48, 100, 128, 252):
        launch("load_u32", 3, 100, 0, buf("u32", 300, 1, offset), buf("zero", 300, 1, 256 - offset), 300, 1, 0)
    for offset in (16, 32, 96):
        launch("load_v4f32", 2, 96, 0, buf("f01", 768, 1, offset), buf("zero", 768, 1, offset ^ 48), 192, 1, 0)


def structures():
    n = 700
    for block in (64, 100, 352):
        grid = (n + block - 1) // block
        launch("aos_small", grid, block, 0, buf("u32", 2 * n), buf("zero", n), n)
        launch("aos_particle", grid, block, 0, buf("f01", 8 * n), f32(0.5), n)
        launch("aos_field", grid, block, 0, buf("f01", 8 * n), buf("zero", n), n)
        launch("aos_pixel", grid, block, 0, buf("u32", words(3 * n, 1)), buf("zero", words(n, 1)), n)
    launch("soa_particle", 7, 100, 0, *[buf("f01", n, k) for k in range(6)], f32(0.5), n)
    launch("soa_restrict", 7, 100, 0, *[buf("f01", n, k) for k in range(4)], f32(0.5), n)
    launch("aos_odd", 7, 100, 0, buf("f01", 6 * n), buf("zero", 6 * n), n)
    launch("planes_to_pixels", 7, 100, 0, *[buf("u32", words(n, 1), k) for k in range(3)], buf("zero", words(3 * n, 1)), n)


def gathers():
    rows = 500
    for block in (96, 128):
        launch("csr_thread", (rows + block - 1) // block, block, 0, buf("u32", 4096), buf("f01", 4096), buf("f01", 3000), buf("zero", rows), rows,
               3000)
    for width in (2, 4, 8, 16, 32):
        launch("csr_part", (rows * width + 127) // 128, 128, 0, buf("u32", 4096), buf("f01", 4096), buf("f01", 3000), buf("zero", rows), rows,
               3000, width)
    launch("ell", 4, 128, 0, buf("u32", 5 * rows), buf("f01", 5 * rows), buf("f01", 3000), buf("zero", rows), rows, 3000)
    for mask in (31, 255, 4095):
        launch("gather_wide", 3, 160, 0, buf("f01", 8192), buf("u32", 480), buf("zero", 960), 470, mask)
        launch("gather_vectors", 3, 160, 0, buf("f01", 16384), buf("u32", 480), buf("zero", 1920), 470, mask)
        launch("gather_bytes", 3, 160, 0, buf("u32", 1024), buf("u32", 480), buf("zero", 120), 470, mask)
    for seed in (3, 17, 129):
        launch("scatter_wide", 4, 128, 0, buf("zero", 1024), buf("perm", 512, seed), 512)
        launch("scatter_bytes", 4, 128, 0, buf("zero", 128), buf("perm", 512, seed), 512)
    launch("chase", 2, 96, 0, buf("perm", 1021, 7), buf("zero", 192), 190, 12)
    launch("binary_search", 2, 160, 0, buf("iota", 1000), buf("u32", 320), buf("zero", 320), 310, 1000)


def sheets():
    for nx, ny, nz, block in ((33, 9, 5, (32, 4)), (70, 17, 3, (16, 8)), (64, 10, 4, (8, 8, 4)), (100, 7, 2, (20, 7))):
        b = three(block)
        grid = [(nx + b[0] - 1) // b[0], (ny + b[1] - 1) // b[1], (nz + b[2] - 1) // b[2]]
        launch("copy_3d", grid, block, 0, buf("f01", nz * (ny + 1) * (nx + 3)), buf("zero", nx * ny * nz), nx, ny, nz, nx + 3, ny + 1)
    for nx, ny, block in ((64, 48, (32, 8)), (50, 33, (16, 16)), (40, 100, (8, 25))):
        grid = [(nx + block[0] - 1) // block[0], (ny + block[1] - 1) // block[1]]
        launch("transpose_bytes", grid, block, 0, buf("u32", words(nx * ny, 1)), buf("zero", words(nx * ny, 1)), nx, ny)
        launch("transpose_double", grid, block, 0, buf("f01", 2 * nx * ny), buf("zero", 2 * nx * ny), nx, ny)
        launch("blur_bytes", grid, block, 0, buf("u32", words(nx * ny, 1)), buf("zero", words(nx * ny, 1)), nx, ny)
    launch("stencil_3d", [3, 4, 6], (32, 8), 0, buf("f01", 98 * 34 * 8), buf("zero", 98 * 34 * 8), 98, 34, 8)
    launch("bilinear", [5, 7], (32, 6), 0, buf("f01", 50 * 30), buf("zero", 150 * 41), 50, 30, 150, 41)
    launch("bilinear", [2, 3], (16, 10), 0, buf("f01", 200 * 100), buf("zero", 30 * 25), 200, 100, 30, 25)


def parts_of_warps():
    for lanes in (1, 3, 8, 17, 31):
        launch("first_lanes", 3, 100, 0, buf("f01", 300), buf("zero", 300), lanes)
    for mask in (0x55555555, 0x0000ffff, 0x80000001, 0x00f0f00f, 0x11111111):
        launch("lanes_of", 2, 160, 0, buf("f01", 1024), buf("zero", 320), mask)
    launch("early_exit", 3, 100, 0, buf("f01", 290), buf("zero", 290), 290)
    launch("both_ways", 4, 96, 0, buf("f01", 380), buf("f01", 380, 3), buf("zero", 760), 380)
    launch("switch_four", 4, 96, 0, buf("f01", 384), buf("zero", 380), 380)


def loops_and_hints():
    launch("rows_reduce", 2, 100, 0, buf("f01", 190 * 24), buf("zero", 190), 190, 24)
    launch("rows_reduce", 2, 100, 0, buf("f01", 190 * 33), buf("zero", 190), 190, 33)
    launch("columns_reduce", 3, 64, 0, buf("f01", 190 * 24), buf("zero", 190), 24, 190)
    launch("block_stride", 2, 1000, 0, buf("f01", 5003), buf("zero", 2000), 5003)
    launch("block_stride", 3, 96, 0, buf("f01", 1003), buf("zero", 288), 1003)
    launch("grid_stride_vectors", 3, 224, 0, buf("f01", 4 * 2000), buf("zero", 4 * 2000), 2000)
    launch("polynomial", 2, 160, 0, buf("f01", 20), buf("f01", 640), buf("zero", 640), 310, 7)
    launch("prefetch_next", 2, 128, 0, buf("f01", 2000), buf("zero", 256 * 9), 2000, 9)
    for which in range(4):
        launch("hints_wide", 2, 160, 0, buf("f01", 1280), buf("zero", 1280), which)
    launch("no_allocate", 2, 160, 0, buf("f01", 320), buf("zero", 320), 320)
    launch("prefetch_l2", 2, 160, 0, buf("f01", 320), buf("zero", 320))
    launch("prefetch_l1", 2, 160, 0, buf("f01", 320), buf("zero", 320))
    launch("volatile_both", 2, 160, 0, buf("f01", 320), buf("zero", 320))
    launch("relaxed_acquire", 2, 160, 0, buf("u32", 320), buf("zero", 320))
    launch("store_twice", 2, 160, 0, buf("zero", 320), buf("f01", 320))
    launch("store_then_read", 2, 160, 0, buf("zero", 320), buf("zero", 320))
    launch("words_of_one_line", 2, 160, 0, buf("zero", 1280))
    for shift in (1, 8, 33, 1000):
        launch("shifted_copies", 3, 160, 0, buf("f01", 480 + 3 * shift), buf("zero", 480), 470, shift)


def of_global():
    strides_of_types()
    structures()
    gathers()
    sheets()
    parts_of_warps()
    loops_and_hints()


# ---- shared.cu ----


def banks():
    sizes = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "v2f32": 8, "v4f32": 16, "v2f64": 16}
    for name, size in sizes.items():
        for k, stride in enumerate({1: (1, 3, 4, 36, 128), 2: (1, 2, 5, 34, 64)}.get(size, (1, 2, 3, 4, 6, 8, 12, 16, 17, 32))):
            block = (32, 64, 100, 128, 33)[k % 5]
            n = 256
            while n < block * stride:
                n *= 2
            launch("bank_" + name, 1, block, n * size, buf("u32", words(block, size)), buf("zero", words(block, size)), stride, n - 1)


def patterns():
    for table in (buf("u32", 160), buf("perm", 160, 7), buf("perm", 1021, 33), buf("perm", 1021, 64), buf("perm", 509, 101)):
        for name, size in (("u8", 1), ("u32", 4), ("v2", 8), ("v4", 16)):
            launch("pick_" + name, 1, 160, 512 * size, buf("u32", words(512, size)), table, buf("zero", words(160, size)), 512)
    for seed in (5, 9, 33, 129):
        for name, size in (("u32", 4), ("v2", 8), ("v4", 16)):
            launch("put_" + name, 1, 160, 512 * size, buf("u32", words(512, size)), buf("perm", 512, seed), buf("zero", words(512, size)), 512)
    for divide, step, turn in ((1, 1, 1), (2, 1, 0), (2, 8, 0), (4, 1, 0), (4, 9, 0), (8, 3, 0), (3, 5, 0), (2, 1, 1), (1, 2, 3), (16, 8, 0),
                               (32, 1, 0)):
        launch("pairs_v2", 1, 96, 0, buf("f01", 2048), buf("zero", 192), divide, step, turn)
        launch("pairs_v4", 1, 96, 0, buf("f01", 4096), buf("zero", 384), divide, step, turn)
    for mask in (0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff, 0x01010101, 0x80000001, 0xfff00fff):
        for step in (1, 8):
            launch("some_lanes_v4", 1, 96, 0, buf("f01", 4096), buf("zero", 384), mask, step)
        launch("some_lanes_v2", 1, 96, 0, buf("f01", 2048), buf("zero", 192), mask, 16)


def tiles():
    for name, size in (("u32_0", 4), ("u32_1", 4), ("u32_2", 4), ("u8_0", 1), ("u8_4", 1), ("u16_0", 2), ("u16_2", 2), ("f64_0", 8), ("f64_1", 8),
                       ("f32x2_1", 8), ("f32x4_0", 16)):
        launch("tile_" + name, [3, 3], (32, 8), 0, buf("u32", words(96 * 96, size)), buf("zero", words(96 * 96, size)), 96)
    for rows in (4, 8, 7):
        launch("swizzle_columns", 2, (32, rows), 0, buf("f01", 2048), buf("zero", 2048))
    launch("swizzle_vectors", 1, 256, 0, buf("f01", 2048), buf("zero", 2048))
    launch("plain_vectors", 1, 256, 0, buf("f01", 2048), buf("zero", 2048))


def blocks_of_work():
    launch("bodies", 2, 128, 0, buf("f01", 1024), buf("zero", 1024), 256)
    launch("bodies", 3, 64, 0, buf("f01", 768), buf("zero", 768), 192)
    launch("window_rows", 4, 256, 0, buf("f01", 1000), buf("zero", 1000), 1000)
    launch("window_vectors", 2, 128, 0, buf("f01", 1000), buf("zero", 1000), 1000)
    for n in (64, 96):
        launch("product", [n // 16, n // 16], (16, 16), 0, buf("f01", n * n), buf("f01", n * n, 5), buf("zero", n * n), n)
        launch("product_double", [n // 16, n // 16], (16, 16), 0, buf("f01", 2 * n * n), buf("f01", 2 * n * n, 5), buf("zero", 2 * n * n), n)
    launch("product_wide", [2, 2], 256, 0, buf("f01", 128 * 128), buf("f01", 128 * 128, 5), buf("zero", 128 * 128), 128)
    for block in (96, 160, 1000, 1024):
        launch("reduce_tree", 3, block, 0, buf("f01", 3 * block), buf("zero", 3), 3 * block - 7)
    for block in (64, 512, 320):
        launch("reduce_interleaved", 2, block, 0, buf("f01", 2 * block), buf("zero", 2))
        launch("reduce_warps", 2, block, 0, buf("iota", 2 * block), buf("zero", 2))
    for block in (64, 192, 1000):
        launch("scan_hillis", 2, block, 0, buf("iota", 2 * block), buf("zero", 2 * block))
    for block in (64, 256, 512):
        launch("scan_blelloch", 1, block, 0, buf("iota", 2 * block), buf("zero", 2 * block), 2 * block)
    launch("stack_of_bytes", 1, 128, 0, buf("u32", 2048), buf("zero", 32))
    launch("struct_rows", 1, 256, 0, buf("f01", 768), buf("zero", 256))
    launch("struct_five", 1, 256, 0, buf("f01", 1280), buf("zero", 256))
    for shift in (0, 1, 3, 5):
        launch("same_words", 1, 224, 0, buf("u32", 256), buf("zero", 224), shift)
    launch("warp_private", 2, 224, 0, buf("f01", 448), buf("zero", 448))
    launch("two_arrays", 1, 128, 8 * 131, buf("f01", 128), buf("zero", 128), 131)
    launch("histogram_private", 1, 128, 0, buf("u32", 2000), buf("zero", 32), 2000)


def of_shared():
    banks()
    patterns()
    tiles()
    blocks_of_work()


# ---- atomics.cu ----


def of_atomics():
    patterns_of = ((1, 1, 1023), (1, 8, 1023), (1, 33, 1023), (2, 1, 1023), (3, 1, 1023), (1, 1, 7), (32, 1, 1023), (1024, 1, 1023))
    for name, size in (("add_u32", 4), ("max_u32", 4), ("add_u64", 8)):
        for pattern in patterns_of:
            launch("red_" + name, 2, 96, 0, buf("zero", 256 * size), buf("iota", 24 * size), *pattern)
    for name, size in (("add_s32", 4), ("min_s32", 4), ("and_u32", 4), ("or_u32", 4), ("xor_u32", 4), ("inc_u32", 4), ("max_u64", 8)):
        for pattern in ((1, 1, 1023), (1, 3, 15)) if name != "inc_u32" else ((1, 1, 1023),):
            launch("red_" + name, 2, 96, 0, buf("zero", 256 * size), buf("iota", 24 * size), *pattern)
    for name, size in (("add_f32", 4), ("add_f64", 8), ("add_f16x2", 4), ("add_bf16", 2), ("add_v2", 8), ("add_v4", 16)):
        for pattern in ((1, 1, 1023), (1, 5, 1023), (2, 1, 1023), (1, 1, 3), (32, 1, 1023)):
            launch("red_" + name, 2, 96, 0, buf("zero", words(1024, size)), *pattern)
    for name, size in (("add_u32", 4), ("add_u64", 8), ("max_s32", 4), ("min_u64", 8), ("or_u32", 4), ("exch_u32", 4)):
        for pattern in ((1, 1, 1023), (1, 8, 1023), (1, 1, 3)) if name not in ("exch_u32", "or_u32") else ((1, 1, 1023), (1, 8, 1023)):
            launch("atom_" + name, 1, 96, 0, buf("zero", 256 * size), buf("iota", 24 * size), buf("zero", 24 * size), *pattern)
    launch("atom_add_f32", 2, 96, 0, buf("zero", 1024), buf("zero", 192), 1, 2, 1023)
    for pattern in ((1, 1, 1023), (1, 1, 3), (32, 1, 1023)):
        launch("atom_cas_u32", 2, 96, 0, buf("zero", 1024), buf("zero", 192), *pattern)
        launch("atom_cas_u64", 2, 96, 0, buf("zero", 2048), buf("zero", 192), *pattern)
    launch("red_system", 2, 96, 0, buf("zero", 32), 31)
    launch("red_block", 2, 96, 0, buf("zero", 64), 7)
    for lanes in (0x1, 0x55555555, 0xffff0000):
        launch("red_some_lanes", 2, 96, 0, buf("zero", 1024), lanes, 2)
        launch("red_uniform_some", 2, 96, 0, buf("zero", 2), lanes)
    for mask in (15, 255, 65535):
        launch("red_random", 4, 160, 0, buf("zero", 65536), buf("u32", 640), 630, mask)
        launch("red_random_f32", 4, 160, 0, buf("zero", 65536), buf("u32", 640), 630, mask)
    launch("cas_maximum", 1, 64, 0, buf("zero", 64), buf("u32", 64), 64)
    launch("ticket", 8, 64, 0, buf("zero", 1), buf("zero", 512))
    launch("last_block", 8, 128, 0, buf("f01", 1024), buf("zero", 32), buf("zero", 1), buf("zero", 1))
    launch("aggregated", 4, 160, 0, buf("u32", 640), buf("zero", 1), 630)
    for name, size in (("add_u32", 4), ("max_s32", 4), ("xor_u32", 4), ("inc_u32", 4), ("add_f32", 4), ("add_f64", 8), ("add_u64", 8),
                       ("max_u64", 8), ("exch_u32", 4), ("cas_u32", 4)):
        for pattern in ((1, 1, 1023), (1, 32, 1023), (2, 1, 1023), (1, 1, 7)) if name in ("add_u32", "add_f32") else ((1, 1, 1023), (1, 4, 63)):
            launch("shared_" + name, 1, 100, 0, buf("zero", words(100, size)), *pattern)
    for shift in (0, 24, 29):
        launch("shared_histogram", 3, 160, 0, buf("u32", 3000), buf("zero", 256), 3000, shift)
    launch("shared_returned", 2, 160, 0, buf("u32", 320), buf("zero", 320))


# ---- copies.cu ----


def of_copies():
    for name, size in (("4", 4), ("8", 8), ("16", 16), ("cg", 16)):
        for source, shift, to, skew in ((1, 0, 1, 0), (1, 1, 1, 0), (1, 0, 1, 3), (2, 0, 1, 0), (1, 0, 9, 0), (3, 1, 5, 2), (8, 0, 8, 0)):
            block = 100 if to in (1, 9, 5) else 96
            launch("stride_" + name, 1, block, 0, buf("f01", words(block * source + shift, size)), buf("zero", words(block, size)), source, shift, to,
                   skew)
    for n in (33, 64, 70):
        launch("sizes_4", 1, 96, 0, buf("f01", 96), buf("zero", 96), n)
        launch("sizes_8", 1, 96, 0, buf("f01", 192), buf("zero", 192), 8 * n + 4)
        launch("sizes_16", 1, 96, 0, buf("f01", 384), buf("zero", 384), 16 * n + 4)
    for pitch in (8, 9, 24):
        launch("tile_by_rows", 2, (8, 16), 0, buf("f01", 64 * pitch * 4), buf("zero", 2048), pitch, 32)
    launch("tile_by_rows", 2, (8, 12), 0, buf("f01", 60 * 12 * 4), buf("zero", 60 * 32), 12, 30)
    for pitch in (8, 10, 16):
        launch("tile_swizzled", 1, 256, 0, buf("f01", 32 * pitch * 4), buf("zero", 1024), pitch)
    for radius in (1, 16):
        launch("halo", 5, 192, 0, buf("f01", 950), buf("zero", 950), 950, radius)
    for stages in (2, 3, 4, 8):
        for tiles_of_block in (3, 10):
            launch("ring_%d" % stages, 2, 128, 0, buf("f01", 1024 * tiles_of_block), buf("zero", 1024 * tiles_of_block), tiles_of_block)
    launch("product_ring", [2, 2], 256, 0, buf("f01", 4096), buf("f01", 4096, 5), buf("zero", 4096), 64)
    for block, count in ((64, 200), (96, 333), (160, 512)):
        launch("group_memcpy", 2, block, 4 * count, buf("f01", 2 * count), buf("zero", 2 * count), count)
    for block, count in ((64, 200), (160, 96)):
        launch("group_memcpy_aligned", 2, block, 16 * count, buf("f01", 8 * count), buf("zero", 8 * count), count)
    for block, count in ((96, 96), (256, 128)):
        launch("group_memcpy_warps", 2, block, 0, buf("f01", block // 16 * count), buf("zero", block // 16 * count), count)
    for block in (96, 256):
        launch("barrier_memcpy", 2, block, 0, buf("f01", 8 * block), buf("zero", 8 * block))
    for count in (2, 7):
        launch("pipeline_thread", 2, 128, 0, buf("f01", 1024 * count), buf("zero", 1024 * count), count)
        launch("pipeline_unified", 2, 256, 0, buf("f01", 512 * count), buf("zero", 512 * count), count)
        launch("pipeline_roles", 2, 128, 0, buf("f01", 768 * count), buf("zero", 768 * count), count)
    for size, pieces, gap in ((16, 4, 0), (16, 4, 16), (48, 8, 16), (128, 8, 0), (256, 4, 64), (4096, 2, 0), (1008, 3, 32)):
        launch("bulk_pieces", 2, 96, size * pieces, buf("f01", 2 * pieces * (size + gap) // 4), buf("zero", 2 * pieces * size // 4), size, pieces, gap)
    for size in (16, 64, 144):
        launch("bulk_by_lanes", 1, 64, size * 32, buf("f01", size * 8), buf("zero", size * 8), size)
    for size, offset in ((16, 0), (512, 0), (512, 16), (4096, 48)):
        launch("bulk_out", 3, 96, size, buf("zero", 3 * (size + 64) // 4), size, offset)
    for size in (64, 2048):
        launch("bulk_add", 2, 64, size, buf("iota", size // 4), size)
    for count in (3, 9):
        launch("bulk_ring", 2, 128, 0, buf("f01", 1024 * count), buf("zero", 1024 * count), count)
    launch("bulk_prefetch", 2, 128, 0, buf("f01", 256), buf("zero", 256), 512)
    launch("bulk_between", 4, 256, 0, buf("f01", 1024), buf("zero", 1024))
    launch("remote_loads", 4, 256, 0, buf("f01", 1024), buf("zero", 1024))


# ---- tensors.cu ----

TYPES = {"u8": 1, "u16": 2, "f16": 2, "u32": 4, "f32": 4, "f64": 8}


WIDTHS = {"none": 0, "32B": 32, "64B": 64, "128B": 128}


class Tensor:
    """A map, and the bytes of its array, of a box, and of the shared memory that a box takes."""

    def __init__(self, kind, extent, box, swizzle="none", pad=0, **more):
        size, reach, pitch = TYPES[kind], TYPES[kind], []
        for k, e in enumerate(extent):
            reach *= e + (0 if k else pad)
            pitch.append(reach)
        self.array, self.box, self.kind = reach, size, kind
        steps = more.get("step", [1] * 5)
        for k, b in enumerate(box):
            self.box *= (b + steps[k] - 1) // steps[k] if k else b
        if "pixels" in more:
            self.box *= more["pixels"]
        row = box[0] * size
        self.held = self.box // row * max(row, WIDTHS[swizzle])
        self.map = {"tensor": kind, "of": 0, "extent": list(extent), "pitch": pitch[:-1], "box": list(box), "swizzle": swizzle, **more}

    def argument(self, of):
        return {**self.map, "of": of}

    def data(self):
        return buf("u32" if self.kind[0] == "u" else "f01", self.array // 4)


def box_load(t, at, block=96):
    at5 = list(at) + [0] * (5 - len(at))
    launch("box_load", 1, block, t.held, t.argument(1), t.data(), buf("zero", t.held // 4), len(at), *at5, t.held, t.box)


def box_store(kernel, t, at):
    at5 = list(at) + [0] * (5 - len(at))
    launch(kernel, 1, 96, t.held, t.argument(1), t.data(), len(at), *at5, t.held)


def of_tensors():
    cases = [("f32", [64], [32], "none", [8]), ("f32", [64], [64], "none", [48]), ("u8", [64, 20], [32, 8], "none", [16, 3]),
             ("f32", [40, 30], [16, 8], "none", [4, 5]), ("f32", [40, 30], [8, 16], "32B", [8, 2]), ("f32", [40, 30], [16, 16], "64B", [16, 10]),
             ("f32", [64, 40], [32, 32], "128B", [32, 4]), ("f32", [64, 40], [32, 32], "128B", [-16, 20]), ("f16", [128, 20], [64, 8], "128B", [64, 0]),
             ("f16", [128, 20], [32, 8], "64B", [96, 15]), ("u16", [80, 20], [16, 4], "32B", [24, 7]), ("f64", [32, 16], [16, 8], "128B", [4, 4]),
             ("f32", [20, 20], [16, 16], "none", [12, 12]), ("u32", [32, 12, 6], [8, 4, 3], "none", [8, 2, 1]),
             ("f32", [32, 12, 6], [32, 4, 2], "128B", [0, 3, 2]), ("f16", [64, 6, 4, 3], [32, 2, 2, 2], "64B", [32, 1, 1, 0]),
             ("u8", [64, 4, 3, 3, 2], [16, 2, 2, 2, 2], "none", [16, 1, 1, 1, 0]), ("f32", [16, 4, 3, 3, 2], [8, 4, 2, 1, 2], "32B", [8, 0, 1, 2, 0]),
             ("u32", [64, 16], [8, 8], "none", [20, 4]), ("u32", [64, 16], [32, 4], "128B", [28, 4])]
    for kind, extent, box, swizzle, at in cases:
        t = Tensor(kind, extent, box, swizzle)
        box_load(t, at)
        if min(at) >= 0:
            box_store("box_store", t, at)
        if min(at) >= 0 and kind == "u32":
            box_store("box_add", t, at)
    for box, at, step in (([16, 8], [4, 5], [1, 2]), ([8, 6], [0, 0], [1, 3])):
        box_load(Tensor("f32", [40, 30], box, step=step), at)
    for promotion in ("64B", "128B", "256B"):
        box_load(Tensor("f32", [40, 30], [16, 8], promotion=promotion), [4, 5])
        box_load(Tensor("f32", [40, 30], [4, 16], promotion=promotion), [4, 5])
    box_load(Tensor("f32", [40, 30], [16, 8], nan=True), [36, 28])
    for width, height, pad in ((32, 8, 0), (32, 8, 4), (16, 16, 0), (64, 4, 0), (12, 8, 0)):
        t = Tensor("f32", [96, 32], [width, height], pad=pad)
        launch("tiles_copy", [(96 + width - 1) // width, 32 // height], 96, t.held, t.argument(2), t.argument(3), t.data(),
               buf("zero", t.array // 4), width, height, t.box)
    for swizzle, which in (("none", 0), ("128B", 1)):
        t = Tensor("f32", [96, 96], [32, 32], swizzle)
        launch("tile_transpose", [3, 3], 256, 0, t.argument(1), t.data(), buf("zero", 96 * 96), 96, which)
    t = Tensor("f32", [64, 32], [32, 8])
    launch("box_prefetch", 1, 64, 0, t.argument(1), t.data(), buf("zero", 64), 0, 0)
    launch("box_multicast", 4, 64, t.held, t.argument(1), t.data(), buf("zero", t.held), 32, 8, t.box)
    for at, place in (((0, -1, -1, 0), (0, 0)), ((16, 2, 1, 1), (1, 2))):
        t = Tensor("f16", [32, 8, 6, 2], [16], "32B", pixels=24, lower=[-1, -1], upper=[-1, -1])
        launch("pixels_load", 1, 96, t.held, t.argument(1), t.data(), buf("zero", t.held // 4), *at, *place, t.box)


# ---- cub.cu ----


def of_cub():
    moves = {"direct": (128, 4, 4), "striped": (128, 4, 4), "vectorize": (128, 4, 4), "transpose": (128, 4, 4), "transpose_odd": (96, 7, 4),
             "warp_transpose": (128, 4, 4), "warp_transpose_double": (64, 5, 8), "timesliced": (128, 4, 4), "bytes": (128, 8, 1),
             "shorts": (256, 4, 2)}
    for name, (threads, items, size) in moves.items():
        tile = threads * items
        for n in (-1, 2 * tile - tile // 3):
            launch("move_" + name, 2, threads, 0, buf("iota", words(2 * tile, size)), buf("zero", words(2 * tile, size)), n)
    for name, threads, items, size in (("warps", 128, 4, 4), ("raking", 128, 4, 4), ("commutative", 160, 3, 4), ("double", 256, 2, 8)):
        launch("reduce_" + name, 3, threads, 0, buf("zero" if size == 8 else "iota", 3 * threads * items * size // 4), buf("zero", 3 * size // 4))
    for name, threads, items, size in (("warps", 128, 4, 4), ("raking", 128, 4, 4), ("memoize", 128, 3, 4), ("long", 64, 4, 8)):
        launch("scan_" + name, 2, threads, 0, buf("iota", 2 * threads * items * size // 4), buf("zero", 2 * threads * items * size // 4))
    for name, threads, items, size, end in (("u32", 128, 4, 4, 32), ("u32", 128, 4, 4, 8), ("u16", 64, 3, 2, 16), ("u64", 128, 2, 8, 20)):
        launch("sort_" + name, 2, threads, 0, buf("u32", words(2 * threads * items, size)), buf("zero", words(2 * threads * items, size)), end)
    launch("sort_pairs", 1, 128, 0, buf("u32", 256), buf("zero", 256), buf("zero", 256))
    launch("exchange_striped", 1, 128, 0, buf("f01", 640), buf("zero", 640))
    for seed in (1, 3, 33, 129):
        launch("exchange_scatter", 1, 128, 0, buf("iota", 256), buf("perm", 256, seed), buf("zero", 256))
    launch("histogram_atomic", 2, 128, 0, buf("u32", 256), buf("zero", 512))
    launch("warp_sums", 2, 128, 0, buf("iota", 256), buf("zero", 16))
    launch("warp_scans", 2, 128, 0, buf("iota", 256), buf("zero", 256))


# ---- stack.cu ----


def of_stack():
    for name, size in (("f32_8", 4), ("f32_40", 4), ("f64_12", 8), ("u8_64", 1)):
        for block in (32, 100):
            launch("places_" + name, 2, block, 0, buf("f01", words(400, size)), buf("u32", 300), buf("zero", words(2 * block, size)), 300)
    for block in (64, 160):
        launch("insertion", 2, block, 0, buf("f01", 24 * block), buf("zero", 24 * block))
    for rounds in (1, 5):
        launch("spills", 2, 96, 0, buf("f01", 300), buf("zero", 192), rounds)
    launch("queue", 2, 96, 0, buf("u32", 500), buf("zero", 192), 500)
    for count in (3, 16, 200):
        launch("constant_uniform", 2, 160, 0, buf("f01", 320), buf("zero", 310), 310, count)
    for stride in (0, 1, 5):
        launch("constant_lanes", 2, 96, 0, buf("f01", 192), buf("zero", 192), stride)
    launch("constant_offsets", 2, 96, 0, buf("f01", 192), buf("zero", 192), 192)


# ---- matrix.cu ----


def of_matrix():
    for pitch, turn, chunk in ((8, 0, 0), (16, 0, 1), (24, 0, 0), (32, 0, 2), (32, 3, 0), (40, 0, 0), (64, 0, 0), (64, 7, 3), (72, 0, 1)):
        halves = 32 * pitch + 16
        for name in ("ldmatrix_x1", "ldmatrix_x2", "ldmatrix_x4", "stmatrix_x4"):
            if name in ("ldmatrix_x1", "ldmatrix_x2") and pitch in (24, 40):
                continue
            block = 32 if name == "stmatrix_x4" else 96
            launch(name, 1, block, 2 * halves, buf("u32", halves // 2), buf("zero", halves // 2 if block == 32 else 96), halves, pitch, turn, chunk)
    for pitch, turn in ((16, 0), (32, 0), (40, 0), (64, 7)):
        halves = 32 * pitch + 16
        launch("ldmatrix_x4_halves", 1, 64, 2 * halves, buf("u32", halves // 2), buf("zero", 64), halves, pitch, turn, 0)
    launch("stmatrix_x1", 1, 32, 1056, buf("u32", 264), buf("zero", 264), 528, 16, 0, 0)
    for pitch in (16, 24, 32, 40, 72):
        for name in ("row_row", "row_col", "col_row", "col_col") if pitch in (16, 24) else ("row_row", "col_col"):
            launch("wmma_shared_" + name, 1, 64, 64 * pitch, buf("zero", 4), buf("zero", 4), buf("zero", 512), pitch)
    for pitch in (32, 40, 64):
        for name in ("row_row", "row_col", "col_row"):
            launch("wmma_global_" + name, 1, 32, 0, buf("zero", 32 * pitch), buf("zero", 32 * pitch), buf("zero", 32 * pitch), pitch)
    for pitch in (16, 24):
        launch("wmma_half_store", 1, 32, 32 * pitch, buf("zero", 128), buf("zero", 128), pitch)
    launch("mma_fragments", 3, 32, 0, buf("u32", 384), buf("u32", 192), buf("zero", 384))
    launch("product_ldmatrix", [2, 2], 128, 0, buf("zero", 2048), buf("zero", 2048), buf("zero", 4096), 64)


# ---- sets.cu ----

MIB = 1 << 18  # words


def of_sets():
    for size in (1, 8, 40, 96):
        grid = 264 if size > 1 else 64
        launch("copy_all", grid, 256, 0, buf("f01", size * MIB), buf("zero", size * MIB), size * MIB // 4)
        launch("sum_all", grid, 256, 0, buf("f01", size * MIB), buf("zero", grid * 256), size * MIB // 4)
    launch("fill_all", 264, 256, 0, buf("zero", 16 * MIB), 4 * MIB)
    for size in (4, 16, 32, 80):
        launch("sum_twice", 264, 256, 0, buf("f01", size * MIB), buf("zero", 264 * 256), size * MIB // 4)
    for kib in (8, 64, 160, 200, 400):
        for blocks in (1, 132):
            launch("own_part", blocks, 512, 0, buf("f01", blocks * kib * 256), buf("zero", blocks * 512), kib * 256, 3)
    for kib in (32, 180, 1024):
        launch("shared_part", 132, 512, 0, buf("f01", kib * 256), buf("zero", 132 * 512), kib * 256, 2)
        launch("shared_part", 300, 96, 0, buf("f01", kib * 64), buf("zero", 300 * 96), kib * 64, 2)
    for log in (10, 14, 18, 22, 25):
        launch("table_lookup", 264, 256, 0, buf("f01", 1 << log), buf("zero", 264 * 256), 264 * 256, (1 << log) - 1)
    launch("column_walk", 132, 64, 0, buf("f01", 200 * 132 * 64), buf("zero", 132 * 64), 200, 132 * 64)
    launch("column_walk", 64, 33, 0, buf("f01", 100 * 2200), buf("zero", 64 * 33), 100, 2200)
    for length in (16, 33, 64):
        launch("row_by_thread", 132, 128, 0, buf("f01", 132 * 128 * length), buf("zero", 132 * 128), length)
    for stride in (8, 16, 33, 64):
        launch("strided_sectors", 264, 256, 0, buf("f01", 264 * 256 * stride), buf("zero", 264 * 256), stride)
    for kib, held in ((40, 4), (100, 100), (40, 200), (20, 220)):
        launch("held_shared", 132, 256, held * 1024, buf("f01", kib * 256), buf("zero", 132 * 256), kib * 256, 3)
    for nx, ny in ((1026, 514), (4098, 1026)):
        launch("stencil_sheet", [(nx + 29) // 32, (ny + 5) // 8], (32, 8), 0, buf("f01", nx * ny), buf("zero", nx * ny), nx, ny)
    for step in (1, 9, 40503):
        launch("scatter_all", 264, 256, 0, buf("zero", 1 << 20), 1 << 20, step)
    for block, held in ((32, 128), (64, 4096), (1024, 4096), (992, 100000), (96, 20000), (256, 1024)):
        for grid in (1, 132, 1000):
            launch("occupancy", grid, block, max(held, 4 * block), buf("f01", 65536), buf("zero", grid * block), 65536)


# ---- the kernels that haul ships ----

RADII = ("_r1", "_r4", "_r8")


def of_kernels():
    folder = os.path.join(here, "..", "kernels")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".jsonl"):
            continue
        with open(os.path.join(folder, name)) as lines:
            for line in map(json.loads, lines):
                if name == "stencil.jsonl" and not line["kernel"].endswith(RADII):
                    continue
                launches.append({**line, "grid": three(line["grid"]), "block": three(line["block"]), "file": name[:-6]})


# ---- unseen_plain.cu, unseen_async.cu, unseen_cub.cu: by another hand ----


def blocks(n, block):
    return (n + block - 1) // block


def over(w, h, block):
    return [blocks(w, block[0]), blocks(h, block[1])]


def unseen_vectors():
    for n, block, offset in ((1000, 96, 0), (4099, 200, 0), (3000, 1000, 4), (1, 32, 0), (513, 256, 60)):
        launch("saxpy", blocks(n, block), block, 0, n, f32(2.5), buf("f01", n, 1, offset), buf("f01", n, 7))
    for n, grid, block in ((5000, 5, 96), (40000, 131, 200), (133000, 133, 256), (777, 1, 1000)):
        launch("saxpy_grid_stride", grid, block, 0, n, f32(-1.25), buf("f01", n), buf("f01", n, 3))
    for n in (1001, 2048):
        launch("axpby_double2", blocks(n // 2, 128), 128, 0, {"i64": n}, f32(2.0), f32(0.5), buf("zero", 2 * n + 2), buf("zero", 2 * n + 2), buf("zero", 2 * n + 2))
    launch("haxpy2", 3, 160, 0, 1999, buf("zero", 1999), buf("zero", 1999))
    launch("bf16_widen", 11, 96, 0, 1001, buf("zero", 501), buf("zero", 1001))
    launch("quantize_int8", 4, 128, 0, 500, buf("f01", 2000), buf("zero", 500), f32(100.0))
    launch("dot_int", 7, 256, 0, 9999, buf("iota", 9999), buf("iota", 9999, 5), buf("zero", 1))
    launch("dot_int", 3, 96, 0, 500, buf("iota", 500, 1, 20), buf("iota", 500, 5, 4), buf("zero", 1))
    launch("sum_unrolled4", 3, 192, 0, 2100, buf("iota", 2100), buf("zero", 768 * 3))
    for n, block in ((1000, 128), (5000, 512), (64, 64)):
        launch("reduce_classic", blocks(n, 2 * block), block, 4 * block, n, buf("f01", n), buf("zero", blocks(n, 2 * block)))
    for block in (64, 256, 1024):
        launch("scan_block_shuffle", 2, block, 0, buf("iota", 2 * block), buf("zero", 2 * block))
    launch("compact_ballot", 6, 192, 0, 990, buf("u32", 990), buf("zero", 1024), buf("zero", 1))
    for n, grid, block in ((5000, 2, 128), (3001, 3, 96)):
        launch("histogram_warp_private", grid, block, 0, n, buf("u32", words(n, 1)), buf("zero", 256))
    for n, shift in ((700, 0), (700, 5), (130, 8)):
        launch("histogram_global", blocks(n, 160), 160, 0, n, buf("u32", n), buf("zero", 256), shift)


def unseen_matrices():
    for w, h, pitch, block in ((100, 30, 100, (8, 8)), (67, 35, 67, (16, 4)), (99, 21, 128, (33, 7)), (130, 9, 131, (64, 2)), (40, 40, 41, (1, 32))):
        launch("matrix_add_pitched", over(w, h, block), block, 0, w, h, pitch, *[buf("f01", pitch * h, k) for k in (1, 2)], buf("zero", pitch * h))
    for w, h, block in ((64, 64, (32, 8)), (50, 37, (16, 16)), (33, 65, (8, 4))):
        launch("transpose_naive_any", over(w, h, block), block, 0, w, h, buf("f01", w * h), buf("zero", w * h))
    for w, h in ((48, 64), (37, 50)):
        launch("transpose_tile16", over(w, h, (16, 16)), (16, 16), 0, w, h, buf("u32", 2 * w * h), buf("zero", 2 * w * h))
    launch("transpose_diagonal", [3, 3], (32, 8), 0, 96, buf("f01", 9216), buf("zero", 9216))
    for n in (48, 50):
        launch("gemm_textbook", over(n, n, (16, 16)), (16, 16), 0, n, buf("f01", n * n), buf("f01", n * n, 3), buf("zero", n * n))
    launch("gemm_vectors", [2, 2], 256, 0, 128, buf("f01", 16384), buf("f01", 16384, 3), buf("zero", 16384))
    launch("gemm_tensor_cores", [2, 2], 128, 0, 64, buf("zero", 2048), buf("zero", 2048), buf("zero", 4096))
    for rows, cols, block in ((30, 100, 128), (17, 33, 96)):
        launch("gemv_warp_row", blocks(32 * rows, block), block, 0, rows, cols, buf("f01", rows * cols), buf("f01", cols, 3), buf("zero", rows))


def unseen_sheets():
    for n, block in ((1000, 256), (301, 96)):
        launch("stencil_1d_shared", blocks(n, block), block, 0, n, buf("f01", n), buf("zero", n))
    for w, h, block in ((66, 34, (32, 4)), (50, 41, (33, 7)), (128, 20, (16, 16))):
        launch("heat_2d", over(w, h, block), block, 0, w, h, buf("f01", w * h), buf("zero", w * h))
    for nx, ny, nz, block in ((34, 18, 8, (32, 8)), (50, 20, 6, (16, 4))):
        launch("heat_3d_marching", over(nx, ny, block), block, 0, nx, ny, nz, buf("f01", nx * ny * nz), buf("zero", nx * ny * nz))
    for w, h in ((64, 32), (75, 21)):
        launch("convolve_5x5", over(w, h, (32, 8)), (32, 8), 0, w, h, buf("f01", w * h), buf("zero", w * h))
    launch("rgba_to_gray", 5, 200, 0, 999, buf("u32", 999), buf("zero", 250))
    launch("rgb24_to_gray", 5, 200, 0, 999, buf("u32", 750), buf("zero", 250))
    for w, h, pitch, block in ((70, 20, 72, (32, 8)), (60, 30, 61, (16, 8))):
        launch("sobel_bytes", over(w - 2, h - 2, block), block, 0, w, h, pitch, buf("u32", words(pitch * h, 1)), buf("zero", words(pitch * h, 1)))
    for r in (0, 2):
        launch("box_blur_rgba", [2, 12], 64, 0, 100, 12, buf("u32", 1200), buf("zero", 1200), r)
    launch("flip_rows_short4", [2, 5], 40, 0, 70, buf("u32", 700), buf("zero", 700))
    launch("life_bytes", over(50, 22, (16, 8)), (16, 8), 0, 50, 22, buf("u32", 275), buf("zero", 275))
    launch("downsample_2x2", over(40, 20, (20, 5)), (20, 5), 0, 40, 20, buf("f01", 3200), buf("zero", 800))


def unseen_networks():
    for cols, block in ((200, 128), (1000, 96)):
        launch("softmax_like_rows", 3, block, 0, cols, buf("f01", 3 * cols), buf("zero", 3 * cols))
    for rows, cols in ((9, 128), (7, 70)):
        launch("softmax_warp", blocks(rows, 4), (32, 4), 0, rows, cols, buf("f01", rows * cols), buf("zero", rows * cols))
    launch("layernorm_float4", 5, 128, 0, 192, buf("f01", 3840), buf("f01", 768, 3), buf("zero", 3840))
    launch("layernorm_float4", 3, 64, 0, 25, buf("f01", 300), buf("f01", 100, 3), buf("zero", 300))
    launch("attention_scores", [3, 2], (16, 16), 0, 48, 64, buf("f01", 32 * 64), buf("f01", 48 * 64, 5), buf("zero", 32 * 48))
    for dim4, block in ((16, 32), (25, 64), (192, 128)):
        launch("embedding_float4", 20, block, 0, dim4, buf("u32", 20), buf("f01", 100 * dim4 * 4), buf("zero", 20 * dim4 * 4), 100)
    launch("embedding_bag", 9, 96, 0, 150, 5, buf("u32", 45), buf("zero", 60 * 75), buf("zero", 9 * 150), 60)
    launch("bias_relu_inplace", [2, 3], 96, 0, 180, 10, buf("f01", 180), buf("f01", 1800, 9))
    launch("nchw_to_nhwc", 12, 128, 0, 3, 500, buf("f01", 1500), buf("zero", 1500))
    launch("nchw_to_nhwc", 8, 200, 0, 20, 77, buf("f01", 1540), buf("zero", 1540))
    launch("maxpool_2x2", [2, 3, 2], (16, 4), 0, 60, 22, buf("f01", 2640), buf("zero", 660))


def unseen_sparse():
    for rows, average in ((300, 6), (100, 17)):
        far = (rows + 2) * average
        launch("spmv_csr_scalar", blocks(rows, 96), 96, 0, rows, average, buf("u32", far), buf("f01", far), buf("f01", 2000), buf("zero", rows), 2000)
        launch("spmv_csr_vector", blocks(8 * rows, 128), 128, 0, rows, average, buf("u32", far), buf("zero", 2 * far), buf("zero", 4000), buf("zero", 2 * rows), 2000)
    for seed in (1, 5, 77, 333):
        launch("gather_indexed", 4, 200, 0, 777, buf("perm", 1000, seed if seed != 5 else 7), buf("f01", 1000), buf("zero", 777))
    for seed in (7, 111):
        launch("scatter_indexed", 3, 192, 0, 500, buf("perm", 500, seed), buf("f01", 1000), buf("zero", 1000))
    launch("lower_bound_many", 3, 128, 0, 3000, buf("iota", 3000, 200), 300, buf("u32", 300), buf("zero", 300))
    for n, m, each in ((500, 700, 7), (256, 256, 4)):
        launch("merge_path", blocks(blocks(n + m, each), 64), 64, 0, n, m, buf("iota", n), buf("iota", m, 100), buf("zero", n + m), each)
    launch("bitonic_block", 2, 256, 0, buf("u32", 1024), buf("zero", 1024))
    launch("odd_even_sort", 1, 64, 0, buf("u32", 64), buf("zero", 64))
    launch("list_walk", 2, 96, 0, buf("perm", 1024, 77), buf("zero", 192), 9)
    launch("collatz", 2, 100, 0, 190, buf("zero", 190))
    launch("ragged_rows", 2, 128, 0, 250, buf("f01", 2000), buf("zero", 250))


def unseen_structures():
    for n, block, offset in ((500, 128, 0), (333, 96, 4)):
        launch("vec3_length2", blocks(n, block), block, 0, n, buf("f01", 3 * n, 1, offset), buf("zero", n))
        launch("vec3_scale", blocks(n, block), block, 0, n, buf("f01", 3 * n, 1, offset), f32(3.0))
    launch("atoms_charge", 4, 100, 0, 399, buf("u32", 5 * 399), buf("zero", 399))
    launch("bodies_move", 3, 128, 0, 300, buf("zero", 12 * 300), f32(0.5))
    launch("mixed_update", 3, 96, 0, 280, buf("u32", 4 * 280))
    launch("soa_to_aos", 3, 160, 0, 450, *[buf("f01", 450, k) for k in (1, 2, 3)], buf("zero", 1350))
    launch("aos_to_soa_shared", 3, 192, 0, 500, buf("f01", 1500), *[buf("zero", 500) for k in range(3)])


def unseen_hints():
    for which in range(5):
        launch("cache_operators", 3, 96, 0, buf("f01", 300), buf("zero", 288), which)
    launch("policy_loads", 4, 96, 0, buf("f01", 256), buf("f01", 4000), buf("zero", 4000), 1000)
    for which in range(4):
        launch("sector_promotions", 2, 128, 0, buf("f01", 256 * 24), buf("zero", 256), which, 1 if which % 2 else 24)
    launch("prefetch_ahead", 3, 128, 0, buf("f01", 384 * 5), buf("zero", 384 * 5), 5)
    launch("volatile_neighbours", 3, 100, 0, buf("f01", 302), buf("zero", 300))
    launch("acquire_release", 2, 96, 0, buf("iota", 192), buf("zero", 192))
    for n, stride in ((1000, 2), (4000, 8), (20000, 16)):
        launch("reread_two_strides", 3, 128, 0, buf("f01", 3 * n), buf("zero", 384), n, stride)
    launch("funnel_copy", 3, 200, 0, 590, buf("u32", 591), buf("zero", 590), 8)
    launch("byte_reverse_copy", 6, 192, 0, 1111, buf("u32", 278), buf("zero", 278))
    launch("scale_in_place_twice", 3, 128, 0, 370, buf("f01", 370, 1, 8))
    launch("two_outputs", 3, 128, 0, 370, buf("f01", 370), buf("zero", 185), buf("zero", 185))
    launch("nested_exits", 4, 96, 0, 380, buf("u32", 440), buf("zero", 760))
    launch("sign_select", 4, 96, 0, 380, buf("f01", 380), buf("f01", 380, 5), buf("zero", 380))


def unseen_atomics():
    for which in range(5):
        for mask in (0, 63, 4095):
            if which != 4 or mask:
                launch("atomics_of", 3, 200, 0, 590, buf("u32", 590), buf("zero", 4096), mask, which)
    for width in (1, 10, 64):
        launch("atomic_f64_rows", 3, 128, 0, 370, buf("f01", 370), buf("zero", 2 * 370), width)
    for mask in (0, 15, 1023):
        launch("atomic_half2_pairs", 2, 160, 0, 310, buf("zero", 1024), mask)
    for stride in (1, 9):
        launch("atomic_bf162_pairs", 2, 160, 0, 310, buf("zero", 9 * 310), stride)
    launch("exchange_128", 2, 96, 0, buf("u32", 768), buf("u32", 768, 5), buf("zero", 768))
    for buckets in (1, 7, 300):
        launch("float_max_cas", 3, 160, 0, 450, buf("f01", 450), buf("zero", 300), buckets)
    launch("degree_count", 5, 128, 0, 600, buf("u32", 600), buf("zero", 100), buf("zero", 3), 100)
    launch("warp_leader_add", 4, 160, 0, 600, buf("iota", 600), buf("zero", 2))
    for which in range(6):
        for mask in (7, 127):
            launch("shared_bins_any", 2, 128 if which == 4 else 160, 0, 128 if which == 4 else 400, buf("u32", 800), buf("zero", 256), which, mask)
    launch("shared_cursor", 3, 192, 0, buf("u32", 576), buf("zero", 576), buf("zero", 3))


def unseen_shared():
    for stride in (1, 2, 3, 8, 16):
        launch("shared_double_stride", 1, 128, 0, buf("u32", 256), buf("zero", 256), stride)
    for pitch in (8, 9, 12):
        launch("shared_float4_matrix", 1, 128, 16 * 16 * pitch, buf("f01", 512), buf("zero", 512), pitch)
    launch("shared_vec3", 1, 192, 0, buf("f01", 576), buf("zero", 576))
    launch("shared_struct_mixed", 1, 128, 0, buf("u32", 512), buf("zero", 512))
    launch("shared_bytes_table", 3, 200, 0, buf("u32", 150), buf("zero", 150), 599)
    for pad in (0, 1, 4):
        launch("shared_pad_columns", 1, (32, 4), 4 * 32 * (32 + pad), buf("f01", 1024), buf("zero", 1024), pad)
    launch("shared_complex_fft", 2, 64, 0, buf("f01", 512), buf("f01", 128, 5), buf("zero", 512))
    launch("nbody_tiles", 3, 96, 0, 288, buf("f01", 1152), buf("zero", 1152))
    launch("lu_column", 2, (16, 16), 0, buf("f01", 512), buf("zero", 512))
    launch("sliding_window", 4, 128, 0, buf("f01", 500), buf("zero", 500), 500)
    launch("warp_transpose_shuffle", 2, 96, 0, buf("f01", 768), buf("zero", 768))
    launch("palette_lookup", 3, 160, 0, 470, buf("u32", 118), buf("zero", 470))
    launch("config_use", 3, 160, 0, 470, buf("f01", 470), buf("zero", 470))
    launch("digits_local", 2, 96, 0, 190, buf("u32", 190), buf("zero", 48))
    for w in (5, 9):
        launch("median_local", 2, 96, 0, w, buf("f01", 202), buf("zero", 192))
    launch("histogram_local", 2, 96, 0, 24, buf("u32", 1152), buf("zero", 3072))


def unseen_sets():
    launch("big_blocks", 264, 1024, 0, 700000, buf("f01", 2800000), buf("zero", 2800000))
    launch("big_blocks", 3, 1024, 0, 4000, buf("f01", 16000), buf("zero", 16000))
    for n, grid, block, held, rounds in ((8000, 5, 256, 1024, 3), (30000, 133, 256, 40000, 2), (45000, 2, 512, 1024, 3), (60000, 1, 1024, 2048, 3), (12000, 264, 128, 100000, 2)):
        launch("loop_over_table", grid, block, max(held, 4 * block), buf("f01", n), buf("zero", grid * block), n, rounds)
    launch("sum_columns_of", [9, 16], 128, 0, 600, 1100, buf("f01", 660000), buf("zero", 17600))
    launch("copy_reversed_blocks", 1300, 256, 0, buf("f01", 1331200), buf("zero", 1331200), 332800)


def of_unseen_plain():
    unseen_vectors()
    unseen_matrices()
    unseen_sheets()
    unseen_networks()
    unseen_sparse()
    unseen_structures()
    unseen_hints()
    unseen_atomics()
    unseen_shared()
    unseen_sets()


def unseen_ldgsts():
    for n in (128, 300):
        launch("async_float3", blocks(n, 128), 128, 0, buf("f01", 3 * n), buf("zero", n), n)
    for n, block, shift in ((200, 100, 0), (190, 96, 1), (250, 256, 3)):
        launch("async_halves", blocks(n, block), block, 0, buf("f01", 2 * (n + shift)), buf("zero", 2 * n), n, shift)
    for size in (0, 100, 1000, 3072):
        launch("async_zfill", 1, 192, 0, buf("f01", 768), buf("zero", 768), size)
    for rows in (3, 8):
        launch("async_zfill_ca16", 1, (16, 8), 0, buf("f01", 512), buf("zero", 512), rows)
    for w, h in ((64, 16), (45, 13)):
        launch("async_tile_halo", over(w, h, (32, 8)), (32, 8), 0, w, h, buf("f01", w * h), buf("zero", w * h))
    for width in (12, 13):
        launch("async_gather_rows", 2, 200, 0, buf("perm", 35, 11), buf("f01", 35 * 4 * width), buf("zero", 2 * 16 * 48), width)
    for tiles_of_block in (2, 9):
        launch("async_stage5", 2, 160, 0, buf("f01", 320 * tiles_of_block), buf("zero", 320), tiles_of_block)
    for block, tiles_of_block in ((96, 4), (200, 3)):
        launch("async_double_buffer", 2, block, 32 * block, buf("f01", 8 * block * tiles_of_block), buf("zero", 8 * block * tiles_of_block), tiles_of_block)
    for block in (128, 96):
        launch("async_mbarrier_noinc", 2, block, 0, buf("f01", 8 * block), buf("zero", 8 * block))
    launch("gemm_async", [2, 2], 128, 0, 64, buf("f01", 4096), buf("f01", 4096, 3), buf("zero", 4096))
    launch("async_im2col", [4, 3], 64, 16 * 9 * 3, 6, 3, buf("f01", 6 * 5 * 12), buf("zero", 12 * 9 * 12))


def unseen_groups():
    for count in (64, 333, 1000):
        launch("group_odd_bytes", 2, 96, count + 16, buf("u32", words(2 * count, 1)), buf("zero", words(2 * count, 1)), count)
    for count in (64, 333):
        launch("group_aligned4", 2, 128, 4 * count, buf("iota", 2 * count), buf("zero", 2 * count), count)
    launch("tiles8_memcpy", 2, 128, 0, buf("f01", 1024), buf("zero", 1024))
    for n in (320, 101):
        launch("barrier_two_arrays", 2, 128, 0, buf("f01", 2 * n), buf("f01", 2 * n, 5), buf("zero", 2 * n), n)
    launch("barrier_thread_copies", 2, 96, 0, buf("iota", 768), buf("zero", 768))
    for each in (200, 77):
        launch("pipeline_odd", 2, 224, 0, buf("f01", 10 * each), buf("zero", 448), 5, each)
    launch("group_reduce", 3, 160, 0, 470, buf("iota", 470), buf("zero", 30))
    launch("coalesced_add", 3, 160, 0, 470, buf("u32", 470), buf("zero", 1), buf("zero", 480))


def unseen_bulk():
    for size, at, to in ((16, 0, 0), (64, 16, 0), (128, 64, 64), (512, 48, 16), (1040, 0, 0), (2048, 80, 32), (16384, 16, 0)):
        launch("bulk_one", 2, 96, size + to, buf("u32", (2 * size + at) // 4), buf("zero", 2 * size // 4), size, at, to)
    for size in (80, 1024, 8192):
        launch("bulk_in_out", 3, 128, size, buf("f01", 3 * size // 4), buf("zero", 3 * size // 4), size)
    for size in (32, 256, 656):
        launch("bulk_warps_own", 2, 256, 8 * size, buf("u32", 4 * size), buf("zero", 4 * size), size)
    for n in (32, 500):
        launch("bulk_reduce_f32", 3, 128, 4 * n, buf("zero", n), n)
    for n, skew in ((64, 0), (256, 4)):
        launch("bulk_reduce_max", 2, 128, 4 * n, buf("zero", n + 4), n, skew)
    for tiles_of_block in (3, 11):
        launch("specialised_copy", 2, 128, 0, buf("f01", 768 * tiles_of_block), buf("zero", 768 * tiles_of_block), tiles_of_block)
    launch("multicast_rows", 4, 64, 0, buf("f01", 1024), buf("zero", 1024))
    launch("cluster_ring_sum", 8, 128, 0, buf("f01", 1024), buf("zero", 1024))
    launch("cluster_push", 6, 192, 0, buf("f01", 1152), buf("zero", 1152))
    launch("cluster_histogram", 4, 128, 0, 3000, buf("u32", 3000), buf("zero", 128))
    launch("cluster_halo", [4, 2], (16, 16), 0, 64, buf("f01", 2048), buf("zero", 2048))


def unseen_tensors():
    cases = [("f32", [100], [52], "none", [20]), ("u8", [256], [112], "none", [176]), ("f32", [60, 33], [12, 7], "none", [52, 30]),
             ("f32", [60, 33], [16, 9], "64B", [4, 0]), ("f16", [72, 25], [64, 5], "128B", [8, 22]), ("u16", [64, 64], [16, 32], "32B", [48, -5]),
             ("f64", [40, 10], [4, 10], "32B", [2, 0]), ("u8", [144, 30], [128, 6], "128B", [16, 26]), ("u8", [144, 30], [48, 11], "64B", [96, 3]),
             ("f32", [24, 10, 9], [20, 3, 4], "none", [4, 8, 2]), ("f16", [40, 12, 5], [32, 5, 3], "64B", [8, 4, -1]),
             ("u32", [16, 8, 6, 5], [8, 3, 2, 2], "32B", [4, 6, 1, 3]), ("f32", [36, 5, 4, 3], [32, 2, 3, 2], "128B", [0, 4, 2, 1]),
             ("u16", [24, 4, 4, 4, 3], [8, 3, 2, 2, 2], "none", [16, 2, 3, 0, 1]), ("f32", [8, 5, 4, 3, 3], [4, 2, 2, 3, 2], "none", [4, 4, 0, 0, 2])]
    for kind, extent, box, swizzle, at in cases:
        t = Tensor(kind, extent, box, swizzle)
        at5 = list(at) + [0] * (5 - len(at))
        launch("tensor_sum", 1, 128, t.held, t.argument(1), t.data(), buf("zero", t.held // 4), len(at), *at5, t.held, t.box)
    for height, pad in ((4, 0), (7, 4)):
        t = Tensor("f32", [96, 3 * height], [32, height], pad=pad)
        launch("tensor_pipeline", 3, 128, 2 * t.held, t.argument(2), t.argument(3), t.data(), buf("zero", t.array // 4), 3, height, t.held)
    t = Tensor("f32", [32, 16], [32, 8])
    launch("tensor_multicast4", 8, 96, t.held, t.argument(1), t.data(), buf("zero", 768), t.held)


def of_unseen_async():
    unseen_ldgsts()
    unseen_groups()
    unseen_bulk()
    unseen_tensors()


def of_unseen_cub():
    launch("cub_merge_sort", 2, 64, 0, buf("u32", 640), buf("zero", 640))
    launch("cub_radix_descending", 2, 64, 0, buf("u32", 768), buf("zero", 768))
    launch("cub_radix_rank4", 1, 256, 0, buf("u32", 128), buf("zero", 128))
    for n in (960, 901):
        launch("cub_load_transpose_odd", 2, 160, 0, buf("u32", 480), buf("zero", 480), n)
    launch("cub_reduce_double_max", 2, 192, 0, buf("zero", 2304), buf("zero", 4))
    for n in (128, 77):
        launch("cub_reduce_partial", 1, 128, 0, buf("iota", 128), buf("zero", 1), n)
    launch("cub_scan_prefix", 2, 224, 0, buf("iota", 1792), buf("zero", 1792))
    launch("cub_scan_max_raking", 2, 128, 0, buf("f01", 512), buf("zero", 512))
    launch("cub_histogram_sort", 2, 128, 0, buf("u32", 256), buf("zero", 128))
    launch("cub_differences", 2, 128, 0, buf("u32", 768), buf("zero", 768), buf("zero", 768))
    launch("cub_shuffle_up", 2, 96, 0, buf("zero", 384), buf("zero", 384))
    launch("cub_warp_merge", 2, 128, 0, buf("u32", 1024), buf("zero", 1024))
    launch("cub_warp_exchange", 1, 128, 0, buf("f01", 512), buf("zero", 512))
    launch("cub_exchange_warp_striped", 1, 64, 0, buf("u32", 384), buf("zero", 384))


# ---- fresh_*.cu: the second blind test ----


def floats(n, seed=1, offset=0):
    return buf("f01", n, seed, offset)


def bits(n, seed=1, offset=0):
    return buf("u32", n, seed, offset)


def zeros(n):
    return buf("zero", n)


def fresh_sparse():
    for rows, width, block in ((1000, 7, 128), (301, 16, 37), (5000, 3, 672)):
        launch("spmv_ell", blocks(rows, block), block, 0, rows, width, bits(rows * width), floats(rows * width), floats(700), zeros(rows), 700)
    for rows, diagonals in ((500, 5), (1000, 9)):
        launch("spmv_dia", blocks(rows, 160), 160, 0, rows, diagonals, buf("iota", diagonals, 0), zeros(2 * rows * diagonals), zeros(2 * rows), zeros(2 * rows))
    for n in (16, 1000):
        launch("spmv_coo", 6, 128, 0, 3000, bits(3000), bits(3000, 77), bits(3000, 5), bits(n), zeros(n), n)
    for rows, per in ((60, 20), (33, 100)):
        launch("spmv_csr_warp", blocks(32 * rows, 96), 96, 0, rows, buf("iota", rows + 1, 0), bits(rows * per), floats(rows * per), floats(4000), zeros(rows), per, 4000)
    launch("spmv_bsr3", 4, 192, 0, 250, 4, bits(1000), floats(9000), floats(900), zeros(750), 300)
    for per in (3, 8):
        launch("csr_stream", blocks(700, 1024 // per), 256, 0, 700, per, floats(700 * per), bits(700 * per), floats(512), zeros(700), 512)


def fresh_grids():
    for w, h, block in ((60, 30, (32, 8)), (39, 35, (13, 7)), (100, 16, (16, 16))):
        launch("stencil_9pt_ghost", over(w, h, block), block, 4 * (block[0] + 2) * (block[1] + 2), w, h, w + 2, floats((w + 2) * (h + 2)), zeros((w + 2) * (h + 2)))
    for nx, ny, nz, block in ((34, 18, 10, (32, 4, 2)), (41, 23, 11, (13, 7, 3)), (66, 10, 6, (64, 2, 2))):
        launch("stencil_3d_box", [blocks(nx - 2, block[0]), blocks(ny - 2, block[1]), blocks(nz - 2, block[2])], block, 0, nx, ny, nz, floats(nx * ny * nz), zeros(nx * ny * nz))
    launch("fdtd_25d", [2, 3], (32, 8), 0, 64, 24, 9, floats(64 * 24 * 9), zeros(64 * 24 * 9))
    for w, h, block in ((100, 12, 64), (64, 20, 32)):
        launch("lattice_stream", [blocks(w, block), h], block, 0, w, h, floats(9 * w * h), zeros(9 * w * h))
    for block in ((16, 16), (32, 4)):
        launch("jacobi_residual", over(50, 50, block), block, 0, 50, floats(2500), floats(2500, 9), zeros(2500), zeros(1))
    for color in (0, 1):
        launch("red_black_gs", [2, 9], (16, 4), 0, 70, 38, floats(70 * 38), color)
    launch("restrict_full_weight", [3, 4], (16, 8), 0, 31, zeros(2 * 63 * 63), zeros(2 * 31 * 31))
    for n in (64, 100, 512):
        launch("tridiagonal_pcr", 3, n, 16 * n, *[floats(3 * n, k) for k in (1, 3, 5, 7)], zeros(3 * n), n)
    for systems, n in ((200, 16), (1000, 9)):
        launch("thomas_columns", blocks(systems, 96), 96, 0, systems, n, *[floats(systems * n, k) for k in (1, 3, 5, 7)], zeros(systems * n))


def fresh_particles():
    for n, block in ((300, 128), (256, 64), (500, 160)):
        launch("nbody_softened", blocks(n, block), block, 16 * block, n, floats(4 * n), zeros(3 * n))
    for cells in (4, 16):
        launch("cells_count", 6, 192, 0, 1100, floats(3300), zeros(cells ** 3), cells)
    launch("kmeans_assign", 5, 160, 0, 777, floats(4 * 777), zeros(195), zeros(12))
    launch("centroid_lookup", 5, 160, 0, 777, bits(777), zeros(4 * 777))
    launch("nearest_k", 3, 96, 0, 280, 60, floats(560, 3), floats(120), zeros(6 * 280))
    for n, grid, block in ((1000, 8, 128), (300000, 264, 256)):
        launch("leapfrog_soa", grid, block, 0, n, f32(0.125), *[floats(n, k) for k in range(1, 10)])


def fresh_signals():
    for half, span, block in ((512, 1, 128), (512, 16, 96), (500, 4, 160), (2048, 1024, 256)):
        launch("fft_radix2_stage", blocks(half, block), block, 0, half, floats(4 * half), zeros(4 * half), span)
    launch("fft_radix4_block", 3, 64, 0, floats(1536), zeros(1536))
    for log, block in ((7, 32), (9, 64), (10, 160)):
        launch("walsh_block", 2, block, 4 << log, floats(2 << log), zeros(2 << log), log)
    launch("haar_levels", 2, 512, 0, floats(2048), zeros(1024), zeros(1024))
    launch("dct_8x8", [2, 3], (8, 4), 0, floats(64 * 24), zeros(64 * 24), 64)
    for n, block in ((1000, 128), (333, 96)):
        launch("fir_filter", blocks(n, block), block, 4 * (block + 16), n, floats(n), zeros(n))


def fresh_dense():
    launch("lu_tile", 3, (16, 16), 0, floats(48 * 20), 20)
    for n in (12, 24):
        launch("cholesky_column", 1, 64, 8 * n * n, zeros(2 * n * n), zeros(2 * n * n), n)
    for n in (8, 32):
        launch("trsm_lower", 2, 64, 0, n, floats(n * n), floats(n * 100, 3), 100)
    for phase, grid in ((0, [1, 1]), (1, [4, 2]), (2, [4, 4])):
        launch("floyd_tile", grid, (16, 16), 0, 64, 16, bits(4096), phase)
    for m, n, k in ((64, 64, 32), (100, 70, 50)):
        launch("gemm_regs_4x4", [blocks(n, 64), blocks(m, 64)], 256, 0, m, n, k, floats(m * k), floats(k * n, 3), zeros(m * n))
    for n in (128, 256):
        launch("gemm_regs_8x8", [n // 128, n // 128], 256, 0, n, floats(n * n), floats(n * n, 3), zeros(n * n))
    launch("gemv_columns", 4, (32, 8), 0, 100, 40, floats(4000), floats(40), zeros(100))
    for rows, cols4, block in ((50, 16, 64), (77, 21, 128)):
        launch("gemv_shared_vector", blocks(rows, block // 8), block, 16 * cols4, rows, cols4, floats(4 * rows * cols4), floats(4 * cols4, 3), zeros(rows))
    launch("rank1_update", [3, 5], 64, 0, 18, 150, f32(0.5), floats(18), floats(150), floats(2700, 7))
    launch("givens_rows", 4, 96, 0, 350, floats(350), floats(350, 5, 8), f32(0.6), f32(0.8))
    launch("syrk_triangle", [5, 5], (8, 8), 0, 40, 24, floats(960), zeros(1600))


def fresh_trees():
    for block in (64, 256, 1000):
        launch("reduce_interleaved", 2, block, 4 * block, buf("iota", 2 * block), zeros(2))
    for block in (128, 672):
        launch("reduce_modulo", 2, block, 4 * block, buf("iota", 2 * block), zeros(2))
    for n, grid in ((5000, 7), (100000, 132)):
        launch("reduce_last_block", grid, 128, 0, n, buf("iota", n), zeros(grid), zeros(1))
    for n in (128, 1024):
        launch("scan_blelloch", 2, n // 2, 4 * (n + n // 32 + 2), buf("iota", 2 * n), zeros(2 * n), n)
    for block in (32, 256):
        launch("scan_brent_kung", 2, block, 8 * block, buf("iota", 4 * block), zeros(4 * block))
    for n, block in ((500, 128), (1000, 1024)):
        launch("scan_kogge_stone", blocks(n, block), block, 8 * block, floats(n), zeros(n), n)
    launch("segmented_sum", 4, 160, 0, 600, bits(600), buf("iota", 600), zeros(600))


def fresh_graphs():
    for current, degree in ((0, 5), (0, 12)):
        launch("bfs_level", 4, 128, 0, 500, degree, bits(500 * degree), zeros(500), zeros(500), current, zeros(1))
    launch("bfs_seed_bits", 8, 128, 0, 1000, bits(32, 9), bits(6000), zeros(32), 6)
    launch("find_roots", 4, 160, 0, 600, buf("iota", 600, 0x55), zeros(600))
    for degree in (4, 10):
        launch("pagerank_pull", 5, 192, 0, 230, degree, bits(230 * degree), floats(230), zeros(230))
    launch("relax_edges", 8, 128, 0, 1000, bits(1000), bits(1000, 33), bits(1000, 5), bits(200), bits(200, 7), 200)
    launch("triangle_bits", 9, 96, 0, 70, 3, bits(210), zeros(2))


def of_fresh_hpc():
    fresh_sparse()
    fresh_grids()
    fresh_particles()
    fresh_signals()
    fresh_dense()
    fresh_trees()
    fresh_graphs()


def fresh_norms():
    for n, c, block in ((20, 96, 128), (9, 200, 96)):
        launch("layernorm_forward3", blocks(n, block // 32), block, 0, zeros(n * c), zeros(n), zeros(n), floats(n * c), floats(c, 3), floats(c, 5), n, c)
    for n, c, rows in ((12, 128, 4), (7, 200, 3)):
        launch("layernorm_cached", blocks(n, rows), (32, rows), 4 * c * (2 + rows), zeros(n * c), floats(n * c), floats(c, 3), floats(c, 5), n, c)
    launch("rmsnorm_half", 5, 128, 0, buf("iota", 500), buf("iota", 100, 7), zeros(500), 100)
    for hw, block in ((49, 64), (200, 256)):
        launch("batchnorm_stats", 6, block, 0, 3, 6, hw, floats(18 * hw), zeros(6), zeros(6))
    launch("groupnorm_nhwc", 4, 160, 0, 60, 24, 4, floats(1440), zeros(1440))


def fresh_elements():
    for n, block in ((2000, 160), (4000000, 512)):
        launch("residual_add", blocks(n, 4 * block), block, 0, zeros(n), floats(n), floats(n, 3), n)
    launch("gelu_forward", 3, 96, 0, zeros(1000), floats(1000), 2000)
    launch("silu_gate", [2, 5], 96, 0, zeros(750), floats(1500), 5, 150)
    launch("dropout_bytes", 5, 128, 0, 999, floats(999), zeros(999), zeros(250), 77)
    for n, block in ((1000, 512), (333, 37)):
        launch("adamw_step", blocks(n, block), block, 0, floats(n), floats(n, 3), floats(n, 5), floats(n, 7), n, f32(0.001), f32(0.1))
    launch("rope_pairs", 6, (32, 4), 0, floats(6 * 4 * 64), floats(6 * 64, 3), 4, 32)
    launch("rope_halves", 18, 64, 0, buf("iota", 18 * 40), floats(6 * 40), floats(6 * 40, 3), 3, 80)
    launch("encoder_forward", 5, 96, 0, zeros(1728), bits(18), floats(50 * 96), floats(9 * 96, 3), 2, 9, 96, 50)
    for vocabulary in (3, 50):
        launch("encoder_backward", 14, 128, 0, zeros(vocabulary * 96), zeros(9 * 96), floats(1728), bits(18), 2, 9, 96, vocabulary)
    launch("bias_backward", 4, 256, 0, floats(100), floats(6000, 3), 60, 100)


def fresh_attention():
    launch("permute_qkv", 12, 128, 0, *[zeros(1536) for k in range(3)], floats(4608), 2, 12, 4, 16)
    launch("unpermute_heads", 12, 128, 0, floats(1440), zeros(1440), 2, 15, 3, 16)
    for rows, cols in ((8, 100), (5, 1000)):
        launch("softmax_online", blocks(rows, 4), (32, 4), 0, floats(rows * cols), zeros(rows * cols), rows, cols)
    for t, block in ((40, 64), (300, 128)):
        launch("softmax_causal_inplace", t // 2, block, 0, floats(t * t), t)
    launch("attention_tile", [2, 3], 32, 0, floats(6144), floats(6144, 3), floats(6144, 5), zeros(6144), 64)
    launch("paged_keys", 13, (16, 8), 0, floats(20 * 16 * 64), bits(7), zeros(100 * 64), 100, 20)
    launch("kv_append", 5, 64, 0, bits(5 * 48), bits(5 * 48, 3), zeros(2 * 29 * 48), zeros(5), 48, 29)
    launch("cross_entropy", 2, 64, 0, zeros(100), floats(5000), bits(100), 100, 50)
    launch("cross_entropy_backward", 6, 96, 0, floats(6 * 130), floats(6, 3), floats(6 * 130, 5), bits(6), 130)
    for cols, block in ((500, 128), (77, 96)):
        launch("argmax_rows", 4, block, 0, floats(4 * cols), zeros(4), cols)
    launch("topk_insert", 2, 64, 0, floats(128 * 40), zeros(128 * 5), zeros(128 * 5), 40, 5)
    launch("expert_counts", 3, 160, 0, 400, bits(3200), zeros(8), zeros(100))


def fresh_quantised():
    launch("gemm_dp4a", [4, 4], (16, 16), 0, 64, bits(1024), bits(1024, 3), zeros(4096))
    launch("gemv_int4", 5, (32, 4), 0, 18, 512, bits(18 * 64), buf("iota", 18 * 8), floats(512), zeros(18))
    launch("quantise_rows", 4, 96, 0, floats(1000), zeros(250), zeros(4), 250)
    for rows, cols in ((10, 512), (6, 1000), (1024, 4096)):
        launch("gemv_bf16", blocks(rows, 4), 128, 0, rows, cols, floats(rows * cols // 2), floats(cols // 2, 3), zeros(rows))


def fresh_pixels():
    for c, h, w in ((3, 16, 32), (2, 13, 37)):
        launch("conv3x3_direct", [blocks(w, 16), blocks(h, 8), 2], (16, 8), 0, c, h, w, floats(c * h * w), floats(2 * c * 9, 3), zeros(2 * h * w))
    for k, pad, stride in ((3, 1, 1), (5, 0, 2)):
        oh, ow = (14 + 2 * pad - k) // stride + 1, (21 + 2 * pad - k) // stride + 1
        launch("im2col_float", 4, 128, 0, 3 * oh * ow, floats(3 * 14 * 21), 14, 21, k, pad, stride, oh, ow, zeros(3 * k * k * oh * ow))
    launch("depthwise_nhwc4", [3, 7], (12, 8), 0, 7, 20, 10, floats(7 * 20 * 40), floats(360, 3), zeros(7 * 20 * 40))
    launch("avgpool_3s2", [2, 3, 2], (16, 4), 0, 51, 24, 12, buf("iota", words(2 * 25 * 51, 2)), zeros(words(2 * 12 * 24, 2)))


def fresh_tensor_cores():
    for n in (32, 64):
        launch("wmma_half_tiles", [n // 32, n // 32], 128, 0, n, buf("iota", n * n // 2), buf("iota", n * n // 2, 3), zeros(n * n))
        launch("mma_ldmatrix_gemm", [n // 32, n // 32], 128, 0, n, buf("iota", n * n // 2), buf("iota", n * n // 2, 3), zeros(n * n))
    launch("mma_tf32_tile", 1, 32, 0, 40, floats(640), floats(320, 3), zeros(128))
    launch("mma_int8_tile", 3, 96, 0, 64, bits(9 * 16 * 16), bits(128, 3), zeros(9 * 128))


def of_fresh_nets():
    fresh_norms()
    fresh_elements()
    fresh_attention()
    fresh_quantised()
    fresh_pixels()
    fresh_tensor_cores()


def fresh_pictures():
    for w, h, pitch in ((128, 16, 128), (100, 10, 103)):
        launch("blur_rows", [blocks(w, 64), blocks(h, 4)], (64, 4), 0, w, h, pitch, bits(words(pitch * h, 1)), zeros(w * h))
        launch("blur_columns", [blocks(w, 16), blocks(h, 32)], (16, 16), 0, w, h, floats(w * h), zeros(words(w * h, 1)))
    launch("median_3x3", [3, 4], (32, 8), 0, 70, 30, floats(2100), zeros(2100))
    for w, h, ow, oh in ((40, 30, 100, 33), (90, 60, 30, 20)):
        launch("resize_bilinear", over(ow, oh, (16, 8)), (16, 8), 0, bits(w * h), w, h, zeros(ow * oh), ow, oh)
    for block in (128, 37):
        launch("bgr_to_planes", blocks(700, block), block, 0, 700, bits(525), *[zeros(175) for k in range(3)])
    launch("bgr_to_planes_shared", 4, 64, 0, 1000, bits(750), zeros(750), 250)
    launch("yuv420_to_rgb", [2, 4], (32, 4), 0, 100, 30, bits(750), bits(375, 3), zeros(3000))
    launch("integral_rows", 3, 256, 0, 700, bits(525), zeros(2100))
    launch("erode_bits", [2, 4], (8, 8), 0, 13, 30, bits(390), zeros(390))
    launch("life_packed", 3, 96, 0, 10, 40, bits(400), zeros(400))
    launch("mandelbrot", [4, 5], (16, 8), 0, 60, 37, f32(-2.0), f32(-1.25), f32(0.05), zeros(2220), 40)
    launch("warp_affine_bytes", [4, 6], (16, 8), 0, 64, 48, bits(768), zeros(768), f32(0.875), f32(0.375))


def fresh_transposes():
    for w, h in ((64, 96), (45, 50)):
        launch("transpose_bytes_tile", over(w, h, (32, 32)), (32, 8), 0, w, h, bits(words(w * h, 1)), zeros(words(w * h, 1)))
    for rows in (4, 32):
        launch("transpose_half_swizzled", [2, 2], (32, rows), 0, 64, bits(2048), zeros(2048))
    launch("transpose_half2_pairs", [2, 2], (32, 8), 0, 128, bits(8192), zeros(8192))
    launch("transpose_double_xor", [3, 3], (16, 16), 0, 48, bits(4608), zeros(4608))
    for extent, block in (((30, 20, 9), (8, 8, 4)), ((26, 14, 6), (13, 7, 3))):
        launch("permute_3d", [blocks(e, b) for e, b in zip(extent, block)], block, 0, *extent, floats(extent[0] * extent[1] * extent[2]), zeros(extent[0] * extent[1] * extent[2]))


def fresh_sorting():
    for j, k in ((1, 2), (4, 8), (64, 512)):
        launch("bitonic_step", 4, 256, 0, bits(1024), j, k)
    launch("bitonic_pairs_shared", 2, 256, 0, bits(1024), floats(1024), zeros(1024), zeros(1024))
    for n, block, shift in ((3000, 128, 28), (2048, 96, 4)):
        launch("radix_count", blocks(n, 1024), block, 0, n, bits(n), zeros(16 * blocks(n, 1024)), shift)
    launch("radix_split_bits", 2, 256, 0, bits(512), zeros(512), 4)
    launch("rank_sort", 3, 96, 0, 250, floats(250), zeros(250))
    for n in (640, 5000):
        launch("histogram64_bytes", 4, 64, 0, n, bits(n), zeros(256))
    for copies, block in ((1, 192), (4, 128), (8, 256)):
        launch("histogram_replicated", 3, block, 1024 * copies, 2000, bits(2000), zeros(256), copies)
    launch("histogram_match", 5, 128, 0, 600, bits(600), zeros(32))
    launch("run_heads", 4, 160, 0, 600, bits(600), zeros(640), zeros(1))


def fresh_hashes():
    for each in (4, 13):
        launch("crc_nibbles", 3, 96, 0, 270, each, bits(words(270 * each, 1)), zeros(270))
    launch("chacha_rounds", 2, 64, 0, bits(12), zeros(2048), 6)
    launch("monte_carlo_pi", 8, 96, 0, 50, zeros(2))
    launch("count_words", 4, 192, 0, 700, bits(175), zeros(1))
    launch("edit_distance_tile", 3, 65, 0, 40, bits(48), bits(48, 9), zeros(3))
    launch("forest_walk", 3, 96, 0, 260, 5, 63, bits(5 * 63 * 4), floats(260 * 9), 9, zeros(260))
    launch("records_filter", 3, 128, 0, 350, bits(350 * 6), zeros(384 * 6), zeros(1))


def fresh_operators():
    for n, grid, block in ((1000, 3, 160), (600000, 132, 1024)):
        launch("copy_ldcg_stcs", grid, block, 0, n, floats(4 * n), zeros(4 * n))
    launch("copy_ldcs_stcg", 4, 128, 0, 500, bits(1000), zeros(1000))
    launch("stencil_ldg_twice", 4, 128, 0, 500, bits(250), zeros(250))
    launch("column_sums_stwt", 3, 96, 0, 20, 250, bits(1250), zeros(250))
    launch("volatile_shared_warp", 3, 128, 0, floats(384), zeros(12))
    launch("volatile_flags", 3, 96, 0, zeros(288), buf("iota", 288), zeros(288), 4)
    launch("read_only_broadcast", 4, 96, 0, 370, floats(25), zeros(370))
    launch("local_histogram_nibbles", 2, 96, 0, bits(192 * 5), zeros(192 * 4), 5)
    launch("local_stack_dfs", 2, 64, 0, 100, bits(100), zeros(128))
    launch("local_matrix_power", 2, 64, 0, floats(2048), zeros(128), 2)
    for spread in (1, 4, 64):
        launch("constant_divergent", 3, 96, 0, 280, bits(280), zeros(560), spread)


def fresh_atomics():
    for slots in (1, 5, 200):
        launch("atomic_double_sum", 3, 128, 0, 1000, bits(1000), zeros(2 * slots), slots)
    launch("atomic_float_warp", 4, 160, 0, 600, bits(600), zeros(1))
    launch("atomic_min_max_64", 3, 128, 0, 370, bits(370), bits(8, 5), zeros(6))
    launch("atomic_scopes", 3, 128, 0, 370, bits(370), zeros(24), bits(64), bits(64, 5))
    launch("cas_multiply", 3, 128, 0, 380, bits(380), bits(96, 5))
    launch("spin_lock_update", 4, 32, 0, 3, zeros(4), zeros(4))
    launch("shared_votes_half2", 4, 64, 0, 250, bits(250), zeros(16))
    launch("shared_tickets", 3, 96, 0, 200, bits(600), zeros(12))
    launch("hash_insert", 3, 128, 0, 360, bits(360), zeros(512), 511)
    for slots in (3, 64):
        launch("float4_atomics", 2, 128, 0, 250, zeros(4 * slots), bits(250), slots)


def of_fresh_bits():
    fresh_pictures()
    fresh_transposes()
    fresh_sorting()
    fresh_hashes()
    fresh_operators()
    fresh_atomics()


def fresh_ldgsts():
    for n, block in ((1000, 160), (1300, 672), (100, 37)):
        launch("copy_tail_4", blocks(n, block), block, 0, n, floats(n), zeros(n))
    for n, block in ((300, 160), (333, 96)):
        launch("copy_tail_8", blocks(n, block), block, 0, n, zeros(2 * n), zeros(2 * n))
    for rows, pitch, block in ((8, 128, 64), (16, 64, 96), (5, 240, 37)):
        launch("copy_rows_16", 2, block, rows * (pitch + 16), rows, pitch, bits(rows * pitch // 2), zeros(rows * pitch // 2))
    for tiles in (1, 6):
        launch("staged_sum2", 2, 128, 0, tiles, floats(1024 * tiles), zeros(1024))
        launch("staged_sum4", 3, 128, 0, tiles, floats(1536 * tiles), zeros(1536))
    for n in (64, 128):
        launch("sgemm_cp_async", [n // 64, n // 64], 256, 0, n, floats(n * n), floats(n * n, 3), zeros(n * n))
    launch("attention_scores_async", 5, (32, 4), 0, 96, floats(640), floats(96 * 32, 3), zeros(20 * 96))
    for w, h in ((32, 8), (37, 9)):
        launch("halo_zfill", over(w, h, (16, 4)), (16, 4), 0, w, h, floats(4 * w * h), zeros(4 * w * h))
    for dim, block in ((64, 96), (100, 128)):
        launch("gather_embedding_async", 3, block, 4 * dim * block // 32, dim, bits(3 * block // 32), floats(40 * dim), zeros(3 * block), 40)


def fresh_groups():
    for block, batches in ((128, 3), (96, 2)):
        launch("compute_staging", 2, block, 4 * block, zeros(2 * block * batches), buf("iota", 2 * block * batches), batches)
    for block, batches in ((128, 5), (192, 4)):
        launch("with_pipeline2", 2, block, 8 * block, zeros(2 * block), buf("iota", 2 * block * batches), batches)
        launch("with_pipeline3", 2, block, 12 * block, zeros(2 * block), buf("iota", 2 * block * batches), batches)
    launch("pipeline_by_roles", 3, 128, 0, floats(3 * 5 * 96), zeros(3 * 5 * 96), 5)
    launch("thread_pipeline_double2", 3, 64, 0, zeros(3 * 4 * 256), zeros(768), 4)
    for each in (32, 50):
        launch("warp_memcpy", 2, 96, 12 * each, floats(6 * each), zeros(192), each)
    launch("barrier_tokens", 3, 128, 0, floats(3 * 4 * 128), zeros(384), 4)


def fresh_bulk():
    launch("add_one_bulk", 3, 128, 0, buf("iota", 3072), 3072)
    for bytes_of_tile, tiles, block in ((1024, 5, 96), (2064, 4, 160)):
        launch("bulk_ring", 2, block, 3 * bytes_of_tile, floats(2 * tiles * bytes_of_tile // 4), zeros(2 * tiles * bytes_of_tile // 4), tiles, bytes_of_tile)
    for width in (32, 100):
        launch("bulk_scatter_rows", 6, 64, 4 * width, floats(6 * width), zeros(6 * width), buf("perm", 6, 5), width)
    for n in (64, 520):
        launch("bulk_reduce_integers", 3, 96, 4 * n, bits(3 * n), zeros(2 * n), n)
    launch("bulk_to_neighbour", 4, 256, 0, floats(1024), zeros(1024))


def tile(kernel, t, at, grid=1, block=96):
    launch(kernel, grid, block, t.held, t.argument(1), t.data(), zeros(grid * t.held // 4), *at, t.held, t.box)


def fresh_tensors():
    for kind, extent, box, at, grid in (("f32", [200], [64], 16, 3), ("u8", [1024], [256], 896, 1), ("f64", [64], [16], -8, 2)):
        tile("tma_tile_1d", Tensor(kind, extent, box), [at], grid)
    for kind, extent, box, swizzle, at, pad in (("f32", [64, 64], [32, 16], "128B", [32, 8], 0), ("f32", [64, 64], [16, 32], "64B", [8, 40], 0), ("f16", [96, 40], [16, 20], "32B", [48, 10], 0),
                                                ("u8", [208, 24], [128, 8], "none", [96, 20], 48), ("f32", [36, 20], [36, 4], "none", [0, -2], 4), ("f64", [32, 32], [16, 8], "128B", [24, 3], 0),
                                                ("u16", [128, 16], [64, 16], "128B", [-32, 1], 8)):
        tile("tma_tile_2d", Tensor(kind, extent, box, swizzle, pad=pad), at, 2)
    for kind, extent, box, swizzle, at in (("f32", [32, 8, 8], [32, 4, 2], "128B", [0, 2, 3]), ("f16", [40, 9, 5], [8, 9, 2], "none", [24, 3, 4]), ("u32", [16, 16, 4], [8, 8, 2], "32B", [12, 10, 1])):
        tile("tma_tile_3d", Tensor(kind, extent, box, swizzle), at, 2)
    for kind, extent, box, swizzle, at in (("f32", [24, 6, 4, 4], [16, 3, 2, 2], "64B", [4, 2, 1, 1]), ("u8", [80, 5, 4, 3], [32, 4, 3, 1], "32B", [48, 1, 2, 0])):
        tile("tma_tile_4d", Tensor(kind, extent, box, swizzle), at, 2)
    for kind, extent, box, swizzle, at in (("u16", [48, 4, 3, 3, 3], [16, 2, 2, 2, 1], "32B", [16, 1, 1, 0, 1]), ("f32", [12, 3, 3, 3, 2], [12, 2, 1, 3, 1], "none", [0, 1, 2, 0, 0])):
        tile("tma_tile_5d", Tensor(kind, extent, box, swizzle), at, 1)
    for w, h, pad in ((32, 8, 0), (16, 16, 4), (64, 2, 0)):
        t = Tensor("f32", [128, 2 * h], [w, h], pad=pad)
        launch("tma_copy_scale", [128 // w, 2], 96, t.held, t.argument(2), t.argument(3), t.data(), zeros(t.array // 4), w, h, t.held)
    for box, at in (([32, 4], [0, 0]), ([12, 6], [20, 3])):
        t = Tensor("u32", [32, 16], box)
        launch("tma_reduce_add", 2, 64, t.held, t.argument(1), zeros(t.array // 4), *at, box[0] * box[1])
    for kind, pixels, at, place in (("f32", 20, [0, -1, -1, 0], (1, 1)), ("f32", 33, [0, 3, 1, 0], (2, 0))):
        t = Tensor(kind, [16, 10, 6, 2], [16], "64B", pixels=pixels, lower=[-1, -1], upper=[-1, -1])
        launch("tma_im2col_nhwc", 1, 64, t.held, t.argument(1), t.data(), zeros(t.held // 4), *at, *place, t.held)
    a, b = (Tensor("f32", [96, 96], [32, 32]) for k in range(2))
    launch("tma_gemm_tiles", [3, 3], (32, 8), 16384, a.argument(2), b.argument(3), a.data(), b.data(), zeros(9216), 96)
    t = Tensor("f32", [64, 64], [32, 32], "128B")
    launch("tma_swizzled_transpose", [2, 2], 128, 4096, t.argument(1), t.data(), zeros(4096), 64)


def of_fresh_copies():
    fresh_ldgsts()
    fresh_groups()
    fresh_bulk()
    fresh_tensors()


def of_fresh_libs():
    launch("cub_sum_37", 3, 37, 0, buf("iota", 111), zeros(3))
    launch("cub_argmax_3d", 2, (13, 7, 3), 0, bits(546), zeros(4))
    launch("cub_scan_672", 2, 672, 0, buf("iota", 4032), zeros(4034))
    for begin, end in ((0, 32), (8, 14)):
        launch("cub_sort_pairs_96", 2, 96, 0, bits(576), bits(288, 3), zeros(576), zeros(288), begin, end)
    launch("cub_vector_copy", 3, 64, 0, zeros(1536), zeros(1536), 700)
    launch("cub_flags_and_runs", 2, 128, 0, bits(256), zeros(256), zeros(1024))
    launch("cub_warp_scan_16", 2, 160, 0, floats(320), zeros(320))
    launch("cub_warp_reduce_segments", 2, 128, 0, buf("iota", 256), zeros(256))
    launch("cub_exchange_blocked", 2, 96, 0, bits(480), zeros(480))
    for n in (384, 301):
        launch("cub_merge_sort_by_key", 2, 128, 0, bits(2 * n), zeros(2 * n), n)
    launch("cub_histogram_bytes", 3, 128, 0, bits(384), zeros(256))
    launch("cg_tile16_softsum", 3, 160, 0, buf("iota", 470), zeros(500), 470)
    launch("cg_labels", 3, 128, 0, bits(350), zeros(16), 350)
    for n, block in ((5000, 192), (700, 96)):
        launch("cg_block_sum", 4, block, 4 * 32, buf("iota", n), zeros(1), n)
    launch("cg_cluster_scan", 8, 96, 0, buf("iota", 768), zeros(768))
    launch("cg_cluster_histogram", 6, 160, 512, 3000, bits(3000), zeros(256))
    launch("atomic_refs", 4, 128, 0, 480, bits(480), zeros(64), zeros(64), zeros(1))
    launch("atomic_double_cas", 3, 96, 0, 270, buf("iota", 270), zeros(540))
    launch("ordered_atomics", 3, 96, 0, 270, zeros(270), zeros(270))
    launch("latch_phases", 2, 192, 0, floats(384), zeros(384))
    launch("complex_products", 4, 96, 0, 350, floats(700), floats(700, 3), floats(700, 5))
    launch("mdspan_stencil", [3, 4], (16, 8), 0, zeros(1500), floats(1500), 50, 30)
    for each in (4, 7):
        launch("span_windows", 2, 96, 0, bits(170 * each), zeros(192), 170 * each, each)
    launch("array_rotate", 2, 96, 0, floats(12 * 192), zeros(12 * 192), 5)
    launch("persisting_lookup", 4, 128, 0, 500, bits(500), floats(256), zeros(500))


def of_fresh_ampere():
    launch("axpy_unrolled", 3, 160, 0, 1700, f32(0.75), floats(1700), floats(1700, 3))
    for n4, grid, block in ((500, 2, 128), (1000000, 264, 256)):
        launch("dot_float4", grid, block, 0, n4, floats(4 * n4), floats(4 * n4, 3), zeros(grid))
    for m, n, k in ((64, 32, 64), (50, 70, 40)):
        launch("matmul_tile_32", [blocks(n, 32), blocks(m, 32)], (32, 32), 0, m, n, k, floats(m * k), floats(k * n, 3), zeros(m * n))
    launch("conv_separable_rows", [2, 2], (16, 4), 0, floats(256 * 8), zeros(256 * 8), 256, 256)
    launch("conv_separable_columns", [3, 2], (16, 8), 0, floats(48 * 128), zeros(48 * 128), 128, 48)
    for n, block in ((3000, 256), (500, 96)):
        launch("reduce_min_max", 3, block, 8 * block, n, floats(n), zeros(6))
    launch("flash_like", 2, 64, 0, buf("iota", 2048), buf("iota", 1024, 7), buf("iota", 1024, 99), zeros(4096), 64)
    for n in (64, 128):
        launch("hgemm_wmma_padded", [n // 64, n // 64], 128, 0, n, buf("iota", n * n // 2), buf("iota", n * n // 2, 5), zeros(n * n))
    launch("black_scholes", 5, 128, 0, 600, floats(600), floats(600, 3), floats(600, 5), zeros(600), zeros(600))
    launch("sobol_dimensions", [2, 3], 96, 0, 500, bits(96), zeros(1500))
    for stride in (1, 64):
        launch("merge_tiles", 2, 256, 0, bits(1024), zeros(1024), stride)
    launch("odd_block_3d", [3, 2, 2], (13, 7, 3), 0, 30, 12, 5, zeros(3600), zeros(3600))
    launch("adaptive_ranks", 3, 96, 0, 250, floats(250), zeros(250))
    launch("bfloat_sum", 3, 128, 0, 500, buf("iota", 500), buf("iota", 500, 9), zeros(500))
    launch("counters_64", 3, 96, 0, 280, bits(280), zeros(64))


# ---- third_*.cu: the third blind test ----


def third_types():
    for n, block, incx, incy in ((1000, 96, 1, 1), (500, 64, 3, 2), (300, 100, 17, 1)):
        launch("axpy_inc", 3, block, 0, n, f32(0.5), incx, incy, floats(n * incx), floats(n * incy, 3))
    launch("rot_inc", 4, 160, 0, 600, f32(0.8), f32(0.6), 1, 5, floats(600), floats(3000, 3))
    for kind, size, from_, to in (("char3", 3, 1, 2), ("uchar4", 4, 3, 0), ("short2", 4, 0, 5), ("short3", 6, 2, 1), ("float3", 12, 0, 0), ("float3", 12, 3, 1),
                                  ("double2", 16, 1, 0), ("int4", 16, 0, 3), ("longlong2", 16, 2, 2), ("half", 2, 7, 1), ("bool8", 1, 5, 30)):
        for block in (72, 256):
            launch("copy_" + kind, blocks(500, block), block, 0, 500, from_, to, bits(words(520, size)), zeros(words(540, size)))
    for n, offset in ((4099, 0), (16000, 16)):
        launch("sum_bytes_vector", 2, 128, 0, n, bits(words(n, 1), 1, offset), zeros(256))


def third_structures():
    for block in (96, 250):
        launch("aos_advance", blocks(600, block), block, 0, 600, f32(0.1), floats(8 * 600))
        launch("aos_energy", blocks(600, block), block, 0, 600, floats(8 * 600), zeros(600))
    launch("records_pick", 5, 128, 0, 610, bits(4 * 610), zeros(610), 2)
    launch("quads_permute", 5, 128, 0, 610, floats(4 * 610), zeros(4 * 610))
    launch("aosoa_8", 5, 128, 0, 610, floats(3 * 616), zeros(610))
    launch("aosoa_24", 5, 128, 0, 610, floats(3 * 624), zeros(610))
    launch("soa_five", 5, 128, 0, 610, floats(610), floats(1220, 3), bits(305), bits(153), bits(1220), zeros(1220))
    for w, h, pitch, block in ((100, 20, 100, (32, 4)), (61, 33, 64, (16, 16)), (300, 3, 301, (256, 1))):
        launch("rgb_to_gray", over(w, h, block), block, 0, w, h, pitch, bits(words(pitch * h, 3)), zeros(words(w * h, 1)))


def third_gathers():
    for width in (2, 8, 32):
        launch("csr_by_part", blocks(200 * width, 128), 128, 0, 200, 19, 3000, width, bits(3800), floats(3810), floats(3000, 5), zeros(200))
    for rows, width in ((500, 9), (333, 5)):
        launch("ell_columns", blocks(rows, 128), 128, 0, rows, width, 2000, bits(rows * width), floats(rows * width), floats(2000, 3), zeros(rows))
    launch("coo_integer", 4, 96, 0, 2000, 300, 400, bits(2000), bits(2000, 77), bits(400), zeros(300))
    for reach in (64, 4000):
        launch("gather_doubles", 4, 160, 0, 600, reach, floats(2 * reach), bits(600), zeros(1200))
        launch("gather_pairs", 4, 160, 0, 600, reach, floats(2 * reach), bits(1200), zeros(2400))
    launch("scatter_shorts", 4, 160, 0, 601, bits(301), buf("perm", 601, 7), zeros(301))
    for stride, n in ((1, 700), (2, 700), (5, 333), (33, 256)):
        launch("stride_up_and_down", blocks(n, 96), 96, 0, n, stride, floats(n * stride), zeros(n))
    for step in (1, 3, 33):
        launch("partial_sectors", 3, 100, 0, 290, step, zeros(words(290 * step, 1)))


def third_shared():
    for kind, size, steps in (("f4", 16, (1, 2, 3, 8)), ("f2", 8, (1, 2, 5, 16)), ("f64", 8, (1, 4, 7)), ("u8", 1, (1, 4, 9, 128)), ("u16", 2, (1, 6, 32)), ("f3", 12, (1, 2, 8))):
        for k, step in enumerate(steps):
            block = (128, 96, 160, 72)[k]
            launch("shared_step_" + kind, 2, block, block * step * size, step, bits(words(block * step, size)), zeros(words(2 * block, size)))
    for group, block in ((1, 256), (4, 96), (32, 1000), (64, 128)):
        launch("shared_broadcast", 2, block, 0, group, floats(2 * block), zeros(2 * block))
    for pitch in (8, 9, 12, 17):
        launch("shared_write_columns", 2, 256, 32 * pitch * 8, pitch, floats(1024), zeros(1024))
    for n in (48, 50):
        launch("transpose_f64_padded", [4, 4], (16, 16), 0, n, floats(2 * n * n), zeros(2 * n * n))
    for rows in (4, 8, 32):
        launch("transpose_xor", [2, 3], (32, rows), 0, 96, floats(96 * 96), zeros(96 * 96))
    launch("transpose_bytes_prmt", [1, 5], (32, 4), 0, 80, bits(1600), zeros(1600))
    for swizzled in (0, 1):
        launch("tile_half_vectors", 2, 128, 0, bits(4096), zeros(4096), swizzled)


def third_atomics():
    for group, spread in ((1, 1), (1, 8), (4, 1), (32, 1), (1000, 1), (7, 3)):
        launch("atomics_by_group", 3, 128, 0, 370, group, spread, zeros((370 // group + 1) * spread))
        launch("atomics_returning", 3, 128, 0, 370, group, spread, zeros((370 // group + 1) * spread), zeros(370))
    for group in (1, 16, 100):
        launch("atomics_wide", 3, 128, 0, 370, group, zeros(2 * group), zeros(2 * (370 // group + 1)), bits(370))
        launch("atomics_f64", 3, 96, 0, 280, group, zeros(2 * group), bits(280))
        launch("atomics_half2", 3, 128, 0, 370, group, zeros(group), zeros(370 // group + 1))
    for group in (200, 370):
        launch("atomics_cas16", 1, 96, 0, 90, group, zeros(words(group, 2)))
    launch("atomics_float_max", 3, 192, 0, 2000, 37, floats(2000), zeros(37))
    launch("atomics_logic", 3, 128, 0, 370, bits(370), buf("poison", 8), zeros(12), zeros(32))
    launch("atomics_inc_exch", 3, 128, 0, 370, zeros(16), zeros(370), zeros(370))
    for group in (1, 4, 32):
        launch("atomics_shared_wide", 2, 160, 0, group, bits(320), zeros(128))
    for limit in (1 << 28, (1 << 31) - 1):
        launch("aggregated_filter", 4, 128, 0, 500, limit, bits(500), zeros(1), zeros(1))
    launch("system_scopes", 3, 96, 0, 280, zeros(16), zeros(3))


def third_caches():
    for window, passes, grid in ((1024, 4, 2), (12000, 3, 3), (40000, 2, 2), (50000, 3, 1)):
        launch("l1_window", grid, 256, 0, window, passes, floats(window * grid), zeros(256 * grid))
    for n, passes in ((100000, 2), (1500000, 2)):
        launch("l2_sweep", 132, 512, 0, n, passes, floats(4 * n), zeros(132 * 512))
    for which in range(6):
        launch("cache_loads", 3, 128, 0, 370, which, bits(372), zeros(370))
    launch("cache_stores", 3, 96, 0, 280, floats(560), *[zeros(560) for k in range(4)])
    launch("write_then_read_back", 3, 128, 0, 370, zeros(384), zeros(384))
    for degree in (3, 11):
        launch("constant_poly", 3, 128, 0, 370, degree, floats(370), zeros(370))
    launch("constant_moves", 3, 128, 0, 370, bits(370), zeros(740))
    for step in (0, 1, 13):
        launch("constant_doubles", 3, 128, 0, 370, step, zeros(740))


def third_calls():
    launch("local_histogram", 3, 128, 0, 370, bits(370), zeros(370))
    launch("local_bytes_sort", 3, 96, 0, 280, bits(280), zeros(280))
    launch("recursion_binomial", 2, 64, 0, 120, zeros(120))
    launch("recursion_hanoi", 2, 64, 0, 100, zeros(100))
    for by_lane in (0, 1):
        launch("calls_by_table", 4, 96, 0, 370, by_lane, floats(370), zeros(370))
    launch("matrices_by_value", 3, 64, 0, 190, floats(190 * 16), zeros(190 * 16))
    launch("spilled_sums", 2, 1024, 0, 3000, floats(3000), zeros(2048))
    launch("spilled_sums", 3, 96, 0, 3000, floats(3000), zeros(288))
    launch("collatz", 3, 128, 0, 370, zeros(370))
    launch("gcd_pairs", 3, 96, 0, 280, bits(560), zeros(280))
    launch("ragged_loads", 3, 96, 0, 280, bits(280 * 7), zeros(280))
    for block in (96, 500):
        launch("switch_by_lane", 2, block, 0, 2 * block - 10, floats(2 * block), zeros(2 * block))
    for extent, block in (((20, 9, 7), (8, 4, 3)), ((33, 5, 4), (11, 5, 2)), ((70, 2, 6), (64, 1, 4))):
        launch("index_3d", [blocks(e, b) for e, b in zip(extent, block)], block, 0, *extent, bits(words(extent[0] * extent[1] * extent[2], 2)),
               zeros(extent[0] * extent[1] * extent[2]))


def third_lanes():
    launch("butterfly_f64", 2, 96, 0, floats(384), zeros(384))
    for width in (4, 16, 32):
        launch("segmented_lane_scan", 2, 96, 0, width, bits(192), zeros(192))
    launch("match_and_redux", 3, 128, 0, 370, bits(370), zeros(370))
    for block in (128, 1024):
        launch("compact_block", 2, block, 0, 2 * block - 9, bits(2 * block), zeros(2 * block), zeros(2))
    launch("morton_codes", 3, 128, 0, 370, bits(370), zeros(370))
    launch("video_bytes", 3, 128, 0, 370, bits(370), bits(370, 9), zeros(370))
    launch("bits_of_everything", 3, 128, 0, 370, bits(370), zeros(740))
    launch("divide_many", 3, 128, 0, 370, 7, 1000, {"i64": 12345}, bits(370), zeros(740))


def of_third_memory():
    third_types()
    third_structures()
    third_gathers()
    third_shared()
    third_atomics()
    third_caches()
    third_calls()
    third_lanes()


def third_dense():
    launch("fft_radix4", 3, 64, 0, floats(1536), zeros(1536))
    for n in (1000, 333):
        launch("fir_registers", blocks(n, 512), 128, 0, n, floats(n), floats(8, 3), zeros(n))
    launch("lu_16", 3, (16, 16), 0, floats(768), zeros(768))
    launch("lu_23", 2, (23, 23), 0, floats(1058), zeros(1058))
    for pivot in (0, 2):
        launch("floyd_rest", [4, 4], (16, 16), 0, 64, pivot, bits(4096), zeros(4096))
    launch("floyd_pivot", 1, (16, 16), 0, 64, 1, bits(4096), zeros(4096))
    for m, n, k in ((64, 128, 32), (128, 64, 72)):
        launch("sgemm_prefetch", [n // 64, m // 64], 256, 0, m, n, k, floats(m * k), floats(n * k, 3), zeros(m * n))
    for rows, cols in ((100, 90), (37, 33)):
        launch("gemv_transposed", blocks(cols, 32), (32, 8), 0, rows, cols, floats(2 * rows * cols), floats(2 * rows, 3), zeros(2 * cols))
    for width, block in ((64, (32, 4)), (20, (16, 8)), (9, (4, 20))):
        launch("spmm_csr", blocks(60, block[1]), block, 0, 60, 11, 200, width, bits(660), floats(660), floats(200 * width, 3), zeros(60 * width))
    for depth in (32, 96):
        launch("sddmm", blocks(8 * 70, 96), 96, 0, 70, depth, 40, 50, bits(140), floats(40 * depth), floats(50 * depth, 3), zeros(70))


def third_grids():
    for nx, ny, nz in ((64, 20, 6), (35, 17, 5)):
        launch("jacobi_3d", [blocks(nx - 1, 32), blocks(ny - 1, 8)], (32, 8), 0, nx, ny, nz, floats(nx * ny * nz), zeros(nx * ny * nz))
    for steps, block in ((3, 128), (8, 96)):
        launch("heat_in_time", blocks(700, block - 2 * steps), block, 8 * block, 700, steps, floats(700), zeros(700))
    for w, h in ((64, 24), (50, 19)):
        launch("conv2d_halo", over(w, h, (32, 8)), (32, 8), 0, w, h, floats(w * h), zeros(w * h))


def third_networks():
    for cols, block in ((768, 256), (100, 96), (333, 1024)):
        launch("layernorm_rows", 3, block, 0, cols, floats(3 * cols), floats(cols, 3), floats(cols, 5), zeros(3 * cols))
    for cols in (128, 77):
        launch("softmax_warp", 3, (32, 5), 0, 13, cols, floats(13 * cols), zeros(13 * cols))
    for keys in (16, 64):
        launch("attention_tile", 2, (32, 16), 0, keys, floats(1024), floats(32 * keys, 3), floats(32 * keys, 5), zeros(1024))
    for n, k, block in ((256, 10, 128), (1024, 32, 192)):
        launch("top_k", 2, block, 4 * n, n, k, bits(2 * n), zeros(2 * k))


def third_sorting():
    for shift in (0, 28):
        launch("radix_pass", 2, 128, 0, shift, bits(1024), zeros(1024))
    for each in (3, 8):
        launch("merge_path", blocks(blocks(800, each), 64), 64, 0, 500, 300, each, buf("iota", 500), buf("iota", 300, 40), zeros(800))
    for each in (20, 33):
        launch("quicksort_stack", 2, 64, 0, each, bits(128 * each))
    launch("shell_sort_shared", 1, 128, 4 * 700, 700, bits(700), zeros(700))
    for build, probe in ((300, 900), (700, 2000)):
        launch("hash_join", 3, 192, 0, build, probe, bits(build), bits(probe, 5), zeros(3))
    launch("lower_bounds", 3, 96, 0, 500, 280, floats(1000), floats(280, 3), zeros(280))
    for k, block in ((7, 128), (40, 96)):
        launch("kmeans_assign", 4, block, 12 * k, 370, k, floats(740), floats(2 * k, 3), zeros(370), zeros(k))
    for n, block in ((256, 64), (200, 96)):
        launch("nbody_forces", blocks(n, block), block, 16 * block, n, floats(4 * n), zeros(4 * n))
    launch("bfs_level", 3, 128, 0, 370, 5, 0, bits(1850), bits(93, 7), zeros(370), zeros(1))
    for n in (6, 8):
        launch("queens_count", 1, n * n, 0, n, zeros(n * n))


def third_pictures():
    for w, h, block in ((64, 20, (32, 4)), (45, 31, (16, 8))):
        launch("bilateral", over(w, h, block), block, 0, w, h, bits(words(w * h, 1)), zeros(words(w * h, 1)))
        launch("mandelbrot", over(w, h, block), block, 0, w, h, 40, zeros(words(w * h, 1)))
        launch("median_3x3", over(w - 2, h - 2, block), block, 0, w, h, bits(words(w * h, 1)), zeros(words(w * h, 1)))
        launch("sobel_shared", over(w, h, (16, 16)), (16, 16), 0, w, h, bits(words(w * h, 1)), zeros(words(w * h, 2)))
    for w, h in ((128, 20), (50, 30)):
        launch("pyramid_down", over(w // 2, h // 2, (32, 5)), (32, 5), 0, w, h, bits(w * h), zeros(w * h // 4))
    launch("life_words", [1, 4], (32, 4), 0, 20, 16, bits(320), zeros(320))


def third_text():
    for length, block in ((3, 128), (7, 250)):
        launch("find_words", blocks(1500, block), block, 0, 1500, length, bits(words(1500, 1)), bits(4, 99), zeros(1))
    launch("lz_decode", 2, 32, 0, 50, 64, 100, bits(words(50 * 64, 1)), zeros(words(50 * 100, 1)))
    for each in (4, 9):
        launch("crc32_slices", 2, 96, 0, 180, each, bits(180 * each), zeros(180))
    launch("base64_encode", 3, 128, 0, 370, bits(words(370, 3)), zeros(370))
    launch("edit_distance", 2, 64, 3 * 4 * 51, 40, 50, bits(80), bits(50, 7), zeros(2))
    launch("monte_carlo_pi", 3, 96, 0, 20, 1234, zeros(1))
    launch("xorshift_states", 3, 96, 0, 280, 12, bits(560), zeros(280))
    launch("option_tree", 3, 128, 0, 100, f32(1.01), f32(0.99), f32(0.505), floats(3), zeros(3))
    launch("sha256_rounds", 2, 96, 0, 180, bits(180 * 16), zeros(180 * 8))


def of_third_algos():
    third_dense()
    third_grids()
    third_networks()
    third_sorting()
    third_pictures()
    third_text()


def third_ldgsts():
    for tiles, block in ((6, 128), (2, 96)):
        launch("ring3_f32", 2, block, 12 * block, tiles, floats(2 * tiles * block), zeros(2 * tiles * block))
        launch("ring4_f64", 2, block, 32 * block, tiles, floats(4 * tiles * block), zeros(4 * tiles * block))
        launch("ring5_f4", 2, block, 80 * block, tiles, floats(8 * tiles * block), zeros(8 * tiles * block))
    for n in (999, 1024):
        launch("tail_filled_16", 3, 96, 16 * 96, n, floats(1152), zeros(1152))
        launch("tail_filled_8", 3, 192, 8 * 192, n, floats(1152), zeros(1152))
    for width in (32, 9):
        launch("gathered_rows", 3, 128, 64 * width, 40, width, bits(12), floats(160 * width), zeros(48 * width))
    for form in range(4):
        launch("tile_to_columns", [2, 2], (32, 8), 0, 64, form, floats(4096), zeros(4096))
    for n, k in ((64, 32), (128, 40)):
        launch("sgemm_ldgsts", [n // 64, n // 64], 256, 0, n, k, floats(n * k), floats(n * k, 3), zeros(n * n))


def third_pipelines():
    launch("pipeline_primitives", 2, 96, 16 * 96, 4, bits(1536), zeros(1536))
    for tiles, block in ((5, 128), (2, 64)):
        launch("unified_pipeline", 2, block, 12 * block, tiles, floats(2 * tiles * block), zeros(2 * block))
    launch("pipeline_roles", 2, 128, 0, 5, bits(960), zeros(192))
    for n, size in ((1024, 1024), (1000, 996), (520, 515)):
        launch("group_memcpy", 2, 96, 1024, n, size, bits(words(2 * n, 1)), zeros(192))
    launch("tile_memcpy_staged", 2, 128, 0, 4, floats(4 * 16 * 16 * 4), zeros(1024))
    for block in (64, 160):
        launch("barrier_memcpy", 2, block, 16 * block, 3, bits(24 * block), zeros(8 * block))


def third_bulk():
    for tiles, size, block in ((5, 2048, 96), (4, 1040, 160)):
        launch("bulk_stages", 2, block, 2 * size, tiles, size, bits(2 * tiles * size // 4), zeros(2 * (block - 32)))
    for size, skew in ((1024, 0), (4112, 0), (480, 4)):
        launch("bulk_both_ways", 3, 96, size + 4 * skew, size, skew, bits(3 * size // 4), zeros(3 * size // 4))
    launch("bulk_reduce_max", 3, 64, 1200, 300, bits(900), zeros(300))
    launch("bulk_prefetch_then_read", 2, 128, 0, 1024, floats(2048), zeros(256))


def third_tensors():
    for kind, extent, box, swizzle, at, grid in (
            ("u32", [256], [128], "none", [96], 2), ("u8", [512], [160], "none", [-32], 1), ("f64", [48, 20], [16, 6], "128B", [20, 3], 1),
            ("f32", [48, 20], [8, 10], "32B", [40, 12], 2), ("f16", [80, 24], [32, 16], "64B", [24, -4], 1), ("u8", [256, 16], [128, 8], "128B", [64, 5], 1),
            ("f32", [36, 12], [20, 3], "none", [8, 4], 2), ("f32", [24, 10, 6], [16, 3, 2], "64B", [8, 8, 1], 1), ("u16", [64, 7, 5], [64, 3, 2], "128B", [0, 2, 4], 2),
            ("f32", [16, 6, 5, 4], [8, 2, 3, 2], "32B", [4, 1, 1, 2], 1), ("f16", [32, 5, 4, 3, 2], [16, 3, 2, 1, 2], "none", [8, 1, 1, 1, 0], 1),
            ("f32", [32, 4, 3, 3, 2], [32, 2, 2, 1, 2], "128B", [0, 1, 1, 2, 0], 1)):
        t = Tensor(kind, extent, box, swizzle)
        launch("tensor_load", grid, 96, t.held, t.argument(1), t.data(), zeros(grid * t.held // 4), len(at), *(list(at) + [0] * (5 - len(at))), t.held, t.box)
    for w, h, swizzle, block in ((32, 8, "128B", 64), (16, 16, "64B", 128), (20, 6, "none", 96)):
        t = Tensor("f32", [80, 24], [w, h], swizzle)
        launch("tensor_scale", [blocks(80, w), blocks(24, h)], block, t.held, t.argument(2), t.argument(3), t.data(), zeros(t.array // 4), w, h, t.held)
    for box, at, swizzle, least in (([8, 4, 2], [4, 3, 1], "none", 0), ([16, 2, 3], [8, 0, 1], "64B", 1), ([8, 3, 2], [12, 6, 2], "32B", 0)):
        t = Tensor("u32", [20, 8, 4], box, swizzle)
        launch("tensor_reduce_3d", 2, 64, t.held, t.argument(1), zeros(t.array // 4), *at, t.held // 4, least)
    for w, h, swizzle in ((32, 8, "128B"), (16, 4, "none")):
        t = Tensor("f32", [64, 16], [w, h], swizzle)
        launch("tensor_multicast", 4, 96, 2 * t.held, t.argument(1), t.data(), zeros(2 * t.held), w, h, t.held)


def third_clusters():
    for size in (1024, 4096):
        launch("bulk_multicast", 8, 96, size, size, bits(2 * size // 4), zeros(2 * size))
    for block in (256, 96):
        launch("cluster_ring_sum", 8, block, 0, bits(8 * block), zeros(8 * block))
    launch("cluster_transpose", [4, 2], (16, 16), 0, 64, floats(2048), zeros(2048))
    for n in (5000, 777):
        launch("cluster_histogram", 8, 128, 0, n, bits(n), zeros(256))
    launch("cluster_bulk_swap", 4, 128, 0, floats(2048), zeros(2048))


def of_third_async():
    third_ldgsts()
    third_pipelines()
    third_bulk()
    third_tensors()
    third_clusters()


def of_third_mma():
    for pitch in (16, 32, 48, 64, 80, 128, 144):
        launch("ldmatrix_x4", 2, 64, 64 * pitch, pitch, bits(512), zeros(512))
        launch("ldmatrix_x4_trans", 2, 64, 64 * pitch, pitch, bits(512), zeros(512))
    for swizzled in (0, 1):
        launch("ldmatrix_few", 2, 32, 0, swizzled, bits(512), zeros(64))
    for pitch in (16, 80, 128):
        launch("stmatrix_forms", 2, 32, 32 * pitch, pitch, bits(256), zeros(256))
    for kind in ("f16", "bf16", "tf32", "e4m3", "e5m2", "s8"):
        launch("mma_" + kind, 2, 64, 0, 3, bits(4 * 3 * 128), bits(192, 7), zeros(512))
    launch("mma_f64", 2, 64, 0, 3, floats(768), floats(192, 7), zeros(512))
    launch("mma_half_sum", 2, 64, 0, 3, bits(4 * 3 * 128), bits(192, 7), zeros(256))
    for n, k in ((64, 64), (32, 96)):
        launch("hgemm_ldmatrix", [n // 32, n // 32], 128, 0, n, k, bits(n * k // 2), bits(n * k // 2, 7), zeros(n * n))
    launch("wmma_8x32", 2, 32, 0, 3, bits(384), bits(768, 7), zeros(512))
    launch("wmma_int8", 2, 32, 0, bits(512), bits(256, 7), zeros(512))
    launch("wgmma_f16_swizzled", 2, 128, 0, bits(4096), bits(1024, 7), zeros(4096))
    launch("wgmma_bf16_registers", 2, 128, 0, bits(1024), bits(256, 7), zeros(4096))
    launch("wgmma_tf32", 2, 128, 0, floats(1024), floats(256, 7), zeros(4096))
    launch("wgmma_e4m3", 2, 128, 0, bits(2048), bits(512, 7), zeros(4096))
    launch("wgmma_s8", 2, 128, 0, bits(1024), bits(128, 7), zeros(2048))
    launch("wgmma_columns", 2, 128, 0, bits(1024), bits(512, 7), zeros(4096))


def of_third_libs():
    launch("reduce_raking", 3, 96, 0, 90, bits(288), zeros(3))
    launch("reduce_commutative", 2, 128, 0, 128, bits(512), zeros(4))
    for valid in (224, 100):
        launch("reduce_warps", 2, 224, 0, valid, floats(448), zeros(2))
    launch("scan_raking", 2, 128, 0, bits(1024), zeros(1024))
    launch("scan_memoize", 3, 64, 0, bits(1344), zeros(1344))
    launch("scan_warps", 2, 160, 0, bits(960), zeros(960))
    launch("scan_with_max", 2, 128, 0, 500, bits(512), zeros(512))
    for valid in (512, 411):
        launch("load_striped_store_vector", 2, 64, 0, valid, bits(512), zeros(512))
    launch("load_warp_transpose_timesliced", 2, 96, 0, floats(1152), zeros(1152))
    launch("radix_sort_u16", 2, 128, 0, bits(768), zeros(768))
    for begin, end in ((0, 64), (40, 64)):
        launch("radix_sort_f64", 2, 64, 0, floats(512), zeros(512), begin, end)
    launch("merge_sort_low", 2, 64, 0, bits(640), zeros(640))
    launch("warp_merge_sort", 2, 96, 0, bits(768), zeros(768))
    launch("histogram_sort", 2, 128, 0, bits(256), zeros(128))
    launch("histogram_atomic", 2, 128, 0, bits(256), zeros(128))
    launch("differences_and_heads", 2, 128, 0, bits(768), zeros(768))
    launch("run_length_decode", 2, 64, 0, bits(256), zeros(128))
    launch("warp_exchange_and_load", 2, 128, 0, floats(1024), zeros(1024))
    launch("warp_scans", 2, 128, 0, bits(256), zeros(256))
    launch("block_shuffle", 2, 160, 0, bits(640), zeros(320))
    for block in (64, 160):
        launch("tiles_scan_and_reduce", 2, block, 0, bits(2 * block), zeros(2 * block))
    launch("coalesced_votes", 3, 96, 0, 280, bits(280), zeros(280), zeros(1))
    launch("partitions_by_key", 2, 96, 0, bits(192), zeros(192))
    launch("block_tile_64", 2, 256, 0, bits(512), zeros(512))
    launch("cluster_softcount", 8, 96, 0, bits(768), zeros(8))
    launch("atomic_ref_orders", 3, 96, 0, 280, zeros(7), zeros(6))
    launch("complex_mandel", 3, 96, 0, 280, floats(560), zeros(280))
    launch("spin_ticket", 5, 32, 0, 6, zeros(1), zeros(1))
    launch("look_back_scan", 4, 128, 0, bits(512), zeros(512), zeros(4))


def of_third_fast():
    launch("fast_ratios", 3, 128, 0, 370, floats(370), floats(370, 3), zeros(370))
    launch("fast_trig", 3, 128, 0, 370, floats(370), zeros(740))
    launch("black_scholes_fast", 3, 128, 0, 370, floats(370), floats(370, 3), floats(370, 5), zeros(370))
    launch("gelu_half2", 3, 128, 0, 370, bits(370), zeros(370))
    launch("reduce_unrolled_512", 2, 512, 2048, 5000, bits(5000), zeros(2))
    launch("reduce_unrolled_128", 3, 128, 512, 1111, bits(1111), zeros(3))
    launch("matrix_bounded", [2, 2], (32, 8), 0, 64, floats(4096), floats(4096, 3), zeros(4096))
    launch("not_unrolled", 3, 100, 0, 290, 5, bits(words(1450, 2)), zeros(290))
    launch("lambda_stencil", 2, 96, 0, 500, floats(500), zeros(500))
    launch("views_blend", over(50, 20, (16, 5)), (16, 5), 0, 50, 20, f32(0.3), floats(53 * 20), floats(1000, 3), zeros(1000))
    launch("histogram_per_warp", 3, 128, 0, 1000, bits(1000), zeros(64))
    launch("dynamic_local", 3, 96, 0, 280, bits(280), zeros(280))


def of_third_small():
    of_third_fast()


# ---- fourth_*.cu: the fourth blind test ----


def fourth_structures():
    for n, block in ((500, 96), (333, 416)):
        grid = blocks(n, block)
        launch("atoms_shift", grid, block, 0, n, f32(0.25), floats(3 * n))
        launch("atoms_reversed_length", grid, block, 0, n, floats(3 * n), zeros(n))
        launch("cells_balance", grid, block, 0, n, bits(5 * n), zeros(n))
        launch("spins_cross", grid, block, 0, n, floats(6 * n), floats(6 * n, 3), zeros(6 * n))
        launch("grains_filter", grid, block, 0, n, bits(10 * n), zeros(n))
        launch("pixels_fog", grid, block, 0, n, bits(words(10 * n, 1)))
    for group in (5, 32, 100):
        launch("spins_first_of_group", 4, 160, 0, 601, group, floats(6 * 601), zeros(1202))


def fourth_strides():
    for n, from_, to, shift, block in ((500, 1, 1, 1, 96), (400, 3, 5, 0, 160), (300, 11, 2, 7, 416), (250, 33, 17, 3, 72)):
        far = n * max(from_, to) + shift
        launch("stride_i16", blocks(n, block), block, 0, n, from_, to, shift, bits(words(far, 2)), zeros(words(far, 2)))
        launch("stride_i8", blocks(n, block), block, 0, n, from_, to, shift, bits(words(far, 1)), zeros(words(far, 1)))
        launch("stride_f64", blocks(n, block), block, 0, n, from_, to, shift, floats(2 * far), zeros(2 * far))
    for n, shift, block in ((5000, 3, 160), (1000, 16, 96), (77, 9, 32)):
        launch("copy_peeled", 2, block, 0, n, shift, bits(words(n + shift, 1)), zeros(words(n + shift, 1)))
    for nx, ny, nz, block in ((20, 18, 9, (7, 9, 3)), (33, 10, 8, (13, 5, 2)), (50, 7, 6, (5, 1, 6)), (70, 20, 2, (33, 3))):
        b = three(block)
        launch("block_3d_volume", [blocks(nx, b[0]), blocks(ny, b[1]), blocks(nz, b[2])], block, 0, nx, ny, nz, floats(nx * ny * nz), zeros(nx * ny * nz))
    for w, h, block in ((70, 45, (19, 5)), (64, 64, (32, 8)), (130, 9, (48, 3))):
        launch("rotate_90_bytes", over(w, h, block), block, 0, w, h, bits(words(w * h, 1)), zeros(words(w * h, 1)))
    launch("morton_read", 13, 224, 0, 2900, floats(4096), zeros(2900))
    launch("odd_lanes_only", 4, 96, 0, 350, floats(704), zeros(700))
    for each in (3, 4, 7, 16):
        launch("blocked_items", 3, 96, 0, 280 * each, each, floats(280 * each), zeros(288))


def fourth_gathers():
    for mask in (63, 1023, 65535):
        launch("gather_hashed", 4, 160, 0, 610, mask, floats(mask + 1), zeros(610))
        launch("gather_hashed_float4", 4, 160, 0, 610, mask, floats(4 * mask + 4), zeros(2440))
    for mask in (255, 4095):
        launch("gather_hashed_bytes", 4, 96, 0, 370, mask, bits(words(mask + 1, 1)), zeros(370))
    for mask in (127, 2047):
        launch("probe_linear", 4, 96, 0, 370, mask, bits(mask + 1), bits(370, 3), zeros(370))
    for size in (800, 40000):
        launch("bloom_query", 3, 128, 0, 350, size, bits(words(size, 1) // 8 + 1), bits(350, 3), zeros(words(350, 1)))
    launch("spmv_block_row", 7, 96, 0, 7, 2000, bits(1100), floats(1100), floats(2000, 3), zeros(7))
    for rows in (256, 200):
        launch("spmv_sliced_ell", blocks(rows, 96), 96, 0, rows, 500, bits(32 * 36), floats(2 * 32 * 36), floats(1000, 3), zeros(2 * rows))
    for rows, cols, block in ((300, 100, 96), (300, 5000, 160), (1000, 1000, 992)):
        launch("spmv_ragged", blocks(rows, block), block, 0, rows, cols, bits(4 * rows + 4), floats(4 * rows + 4), floats(cols, 3), zeros(rows))
        launch("spmv_transposed", blocks(rows, block), block, 0, rows, cols, bits(4 * rows + 4), bits(4 * rows + 4, 7), bits(rows, 3), zeros(cols))
    for n in (384, 500):
        launch("coo_by_segment", 4, 128, 0, n, buf("iota", n), buf("iota", n), zeros(110))


def fourth_shared():
    for step in (1, 2, 3, 5, 8, 12):
        launch("shared_v4_step", 2, 96 if step & 1 else 160, 16 * 160, step, floats(1280), zeros(1280))
        launch("shared_v4_scatter", 2, 96 if step % 3 else 160, 16 * 160, 1 if step == 8 else 7 if step == 12 else 11, floats(1280), zeros(320))
    for mode in (0, 1):
        launch("shared_v4_gather", 2, 160, 0, mode, floats(1280), buf("perm", 320, 5), zeros(1280))
        launch("shared_v2_gather", 1, 224, 0, mode, floats(448), buf("perm", 224, 9), zeros(448))
    for pitch in (32, 36, 44):
        launch("shared_short4_rows", 2, 128, 2 * 16 * pitch, pitch, bits(512), zeros(128))
    launch("shared_aos12", 3, 96, 0, floats(288), zeros(288))
    launch("shared_aos20_field", 3, 128, 0, bits(384), zeros(384))
    for w, h, rows in ((72, 48, 8), (50, 61, 6), (24, 24, 24)):
        launch("transpose24_f32", over(w, h, (24, 24)), (24, rows), 0, w, h, floats(w * h), zeros(w * h))
        launch("transpose24_f32_padded", over(w, h, (24, 24)), (24, rows), 0, w, h, floats(w * h), zeros(w * h))
        launch("transpose24_i16", over(w, h, (24, 24)), (24, rows), 0, w, h, bits(words(w * h, 2)), zeros(words(w * h, 2)))
        launch("transpose24_f64", over(w, h, (24, 24)), (24, rows), 0, w, h, floats(2 * w * h), zeros(2 * w * h))
    launch("swizzle_double2", 2, 256, 0, floats(2048), zeros(2048))
    launch("bit_reversed", 2, 256, 0, floats(1024), zeros(1024))


def fourth_atomics():
    for n, bins, block in ((500, 16, 128), (300, 100, 96), (992, 7, 992)):
        launch("bins_returning", blocks(n, block), block, 4 * bins, n, bins, bits(n), zeros(n), zeros(bins))
    launch("shared_ops_64", 2, 256, 0, bits(512), zeros(32))
    for group in (1, 3, 32, 200):
        launch("add_double_group", 3, 96, 0, group, zeros(600))
    for stride in (1, 3, 40):
        launch("exchange_strided", 2, 96, 0, stride, bits(192 * stride), zeros(192))
        launch("cas_once", 2, 96, 0, stride + 1, zeros(192 * stride + 400), zeros(192))
    for step in (0, 1, 5):
        launch("add_half2_step", 2, 96, 0, step, zeros(500))
    for mask in (15, 255, 8191):
        launch("add_float_hashed", 4, 160, 0, 601, mask, zeros(mask + 1))
    for keys in (3, 20, 500):
        launch("aggregated_by_match", 4, 96, 0, 350, keys, bits(350), zeros(500))
    launch("count_positive", 3, 160, 0, 3001, bits(3001), zeros(1))


def fourth_caches():
    for name in ("ca", "cg", "cs", "lu", "cv"):
        launch("twice_" + name, 3, 160, 0, floats(512), zeros(480))
    launch("stores_hinted", 4, 96, 0, 350, floats(350), zeros(350), zeros(350), zeros(350), zeros(350))
    launch("evict_hints", 2, 128, 0, floats(1024), zeros(1024))
    for stride in (1, 2, 9):
        launch("store_load_same_line", 2, 96, 0, stride, zeros(192 * stride))
    launch("in_place_three_times", 3, 96, 0, 270, 3, floats(270))
    for count in (1000, 20000, 45000):
        launch("table_in_l1", 4, 128, 0, count, 500, bits(count), zeros(512))
    for megabytes, passes in ((20, 2), (40, 2), (60, 2), (90, 1)):
        n4 = megabytes * 65536
        launch("stream_again", 264, 256, 0, n4, passes, floats(4 * n4), zeros(264 * 256))
    launch("triad", 264, 416, 0, 3000000, f32(0.5), floats(3000000), floats(3000000, 3), zeros(3000000))
    launch("columns_strided", 5, 96, 0, 40, 450, floats(18000), zeros(450))
    for rows, cols in ((450, 40), (300, 33)):
        launch("rows_strided", 5, 96, 0, rows, cols, floats(rows * cols), zeros(rows))


def fourth_places():
    for mask in (3, 63):
        launch("constant_float4", 3, 96, 0, 280, mask, bits(280), zeros(4 * 280))
    launch("constant_bytes", 3, 96, 0, 280, bits(70), zeros(70))
    launch("constant_rows", 3, 160, 0, 470, bits(480), zeros(470))
    for each in (10, 50):
        launch("local_bytes_count", 3, 96, 0, 280, each, bits(words(280 * each, 1)), zeros(280))
    launch("local_sort_24", 3, 96, 0, 280, floats(280 * 24), zeros(280 * 24))
    launch("local_doubles_permuted", 3, 96, 0, 280, floats(560), bits(16), zeros(560))
    launch("spilled_window", 2, 992, 0, 1900, floats(2000), zeros(1900))
    for m in (2, 4):
        launch("recursion_uniform", 2, 96, 0, 180, m, zeros(180))


def of_fourth_memory():
    fourth_structures()
    fourth_strides()
    fourth_gathers()
    fourth_shared()
    fourth_atomics()
    fourth_caches()
    fourth_places()


def fourth_grids():
    for nx, ny, nz in ((64, 16, 6), (50, 21, 5)):
        launch("stencil7_marching", [blocks(nx, 32), blocks(ny, 8)], (32, 8), 0, nx, ny, nz, floats(nx * ny * nz), zeros(nx * ny * nz))
    for w, h in ((90, 24), (71, 20)):
        launch("stencil5_odd_tile", [blocks(w, 30), blocks(h, 6)], (32, 8), 0, w, h, floats(w * h), zeros(w * h))
    for block in ((32, 4), (13, 7)):
        launch("stencil13_plain", over(77, 30, block), block, 0, 77, 30, floats(2 * 77 * 30), zeros(2 * 77 * 30))
    for w, h in ((64, 32), (45, 19)):
        launch("convolve7_tile", [blocks(w, 16), blocks(h, 8)], (16, 8), 0, w, h, floats(w * h), zeros(w * h))
    launch("upsample_bicubic_rows", over(100, 12, (20, 5)), (20, 5), 0, 37, 12, 100, floats(37 * 12), zeros(1200))
    launch("bilateral_bytes", over(70, 40, (24, 6)), (24, 6), 0, 70, 40, bits(700), zeros(700))
    for w, h in ((300, 20), (128, 33)):
        launch("integral_columns", blocks(w, 96), 96, 0, w, h, bits(w * h))
    for count, h, block in ((20, 50, (10, 9)), (32, 24, (32, 3))):
        launch("life_words", over(count, h, block), block, 0, count, h, bits(count * h), zeros(count * h))
    for block in ((32, 4), (16, 16), (160, 1)):
        launch("mandelbrot_rows", over(100, 40, block), block, 0, 100, 40, 60, zeros(2000))


def fourth_text():
    for m, n, block in ((60, 90, 64), (96, 50, 96), (100, 33, 128)):
        launch("smith_waterman", 2, block, 12 * (m + 1), m, n, bits(words(m, 1)), bits(words(2 * n, 1) + 1, 3), zeros(2))
    launch("lcs_by_shuffle", 2, 96, 0, 50, bits(words(6 * 32, 1)), bits(words(6 * 50, 1), 3), zeros(6))
    launch("viterbi_step", 2, 48, 4 * 48, 48, 6, floats(48 * 48), floats(4 * 48, 3), bits(12), zeros(2 * 6 * 48), zeros(96))
    for m, each in ((5, 40), (3, 17)):
        launch("match_horspool", 3, 96, 0, 288 * each, m, each, bits(words(288 * each, 1) + 8), bits(8, 9), zeros(288))
    for groups in (200, 333):
        launch("base64_encode", blocks(groups, 96), 96, 0, groups, bits(words(3 * groups, 1)), zeros(groups))
    launch("varint_lengths", 4, 160, 0, 610, bits(160), zeros(610))
    launch("utf8_count", 3, 128, 0, 3000, bits(3000), zeros(1))
    launch("table_cipher", 3, 96, 0, 250, bits(1000), bits(1024, 3), zeros(1000))
    for count in (3, 8):
        launch("mix_murmur", 3, 96, 0, 280, count, bits(280 * count), zeros(280))


def fourth_blocks():
    for block in (96, 416, 992):
        launch("reduce_%d" % block, 3, block, 0, 5000, floats(5000), zeros(3))
    for block in (100, 160, 511):
        launch("reduce_folding", 2, block, 8 * block, floats(4 * block), zeros(4))
    for block in (96, 128, 512):
        launch("scan_sklansky", 2, block, 4 * block, bits(2 * block), zeros(2 * block))
        launch("scan_double_buffer", 2, block, 8 * block, floats(2 * block), zeros(2 * block))
    for n, block in ((600, 160), (800, 416)):
        launch("scan_segments_flagged", blocks(n, block), block, 0, n, bits(n), bits(n, 3), zeros(n))
    for p, k in ((1, 1), (4, 2), (16, 16), (64, 32)):
        launch("odd_even_merge_step", 4, 96, 0, 700, p, k, bits(700))
    for shift in (0, 12):
        launch("split_four_bits", 3, 128, 0, shift, bits(384), zeros(384))
    for block in (96, 416):
        launch("counting_sort_block", 2, block, 0, bits(words(2 * block, 1)), zeros(words(2 * block, 1)))
    launch("quickselect_lanes", 2, 96, 0, 200, 77, floats(1200), zeros(6))
    launch("histogram_by_ballot", 2, 96, 0, 1000, bits(250), zeros(32))
    launch("histogram_padded_copies", 2, 160, 0, 3000, bits(3000), zeros(32))


def fourth_dense():
    for name, rows, cols, size in (("gemm_2x4", 2, 4, 1), ("gemm_8x2", 8, 2, 1), ("dgemm_4x2", 4, 2, 2)):
        for m, n, k in ((64, 64, 32), (50, 70, 37)):
            launch(name, [blocks(n, 16 * cols), blocks(m, 8 * rows)], (16, 8), 0, m, n, k, floats(size * m * k), floats(size * k * n, 3), zeros(size * m * n))
    launch("gemm_a_transposed", over(60, 60, (20, 6)), (20, 6), 0, 60, 45, floats(2700), floats(2700, 3), zeros(3600))
    for n in (60, 47):
        launch("gemm_tile_20", [blocks(n, 20)] * 2, (20, 20), 0, n, bits(n * n), bits(n * n, 3), zeros(n * n))
    for m, count in ((24, 40), (16, 64)):
        launch("xnor_gemm", [3, blocks(m, 8)], (32, 8), 0, m, 96, count, bits(m * count), bits(96 * count, 3), zeros(96 * m))
    for k in (0, 17):
        launch("lu_row_step", over(63 - k, 63 - k, (16, 10)), (16, 10), 0, 64, k, floats(4096))
        launch("floyd_step", over(70, 70, (32, 5)), (32, 5), 0, 70, k, bits(4900))
    for n, block in ((12, 48), (20, 96)):
        launch("gauss_jordan_shared", 3, block, 4 * n * (n + 1), n, floats(3 * n * n), zeros(3 * n * n))
    launch("floyd_row_tiles", 5, (16, 16), 0, 80, 32, buf("iota", 6400))
    launch("batched_3x3_inverse", 3, 96, 0, 280, floats(2520), zeros(2520))


def fourth_signals():
    for span in (1, 8, 128):
        launch("fft_stockham", 3, 96, 0, 512, span, floats(1024), zeros(1024))
    launch("fft_shared_padded", 3, 128, 0, floats(1536), zeros(1536))
    for channels, n in ((90, 30), (300, 17)):
        launch("iir_channels", blocks(channels, 96), 96, 0, channels, n, floats(channels * n), zeros(channels * n))
    launch("autocorrelation", 2, 96, 400, 200, bits(100), zeros(200))
    launch("goertzel", 3, (24, 5), 0, 40, 13, floats(520), zeros(13 * 48))


def fourth_fields():
    launch("d2q9_collide", 5, 160, 0, 750, floats(9 * 750), zeros(9 * 750))
    for colour in (0, 1):
        launch("ising_checkerboard", [2, 6], (20, 5), 0, 80, 30, colour, bits(1200), bits(600, 3))
    for each in (30, 64):
        launch("lennard_jones_cells", 6, 64, 0, 6, each, floats(18 * each), zeros(18 * each))
    launch("ray_grid_walk", over(60, 40, (12, 8)), (12, 8), 0, 60, 40, 64, bits(1024), zeros(2400))
    launch("depth_points", 4, 160, 0, 610, 40, 30, floats(1830), buf("u32", 1200, 5))
    launch("winograd_input", blocks(15 * 15, 96), 96, 0, 225, 32, floats(1024), zeros(16 * 225))
    launch("pixel_shuffle", blocks(2 * 9 * 10 * 4, 160), 160, 0, 2, 9, 10, bits(360), zeros(360))
    launch("lstm_gates", 4, 96, 0, 350, floats(1400), floats(350, 3), zeros(350))
    launch("dequantise_groups", [2, 7], 96, 0, 7, 320, bits(280), bits(35, 3), zeros(1120))
    launch("union_roots", 4, 96, 0, 350, buf("iota", 350), zeros(350))
    launch("triangle_rows", 2, 96, 0, 150, floats(11400), zeros(150))
    launch("rle_lengths", 4, 160, 0, 610, bits(153), zeros(610))


def of_fourth_algos():
    fourth_grids()
    fourth_text()
    fourth_blocks()
    fourth_dense()
    fourth_signals()
    fourth_fields()


def fourth_ldgsts():
    for tiles, block in ((5, 96), (2, 160), (3, 416)):
        for size in (4, 8, 16):
            n = 2 * tiles * block * size // 4
            launch("flip_tiles_%d" % size, 2, block, 2 * size * block, tiles, bits(n), zeros(n))
    for w, h in ((64, 24), (45, 19)):
        launch("halo_tile_4", [blocks(w, 16), blocks(h, 8)], (16, 8), 0, w, h, floats(w * h), zeros(w * h))
    for valid, pitch in ((96, 96), (61, 64), (90, 101)):
        launch("rows_zfill_16", 2, 96, 1536, 5, pitch, valid, floats(20 * pitch), zeros(1920))
    launch("aos24_in_eights", 3, 96, 0, floats(1728), zeros(576))
    for width in (3, 8, 13):
        launch("gather_rows_16", 3, 96, 16 * 96 // width * (width + 1), width, bits(96), floats(256 * width), zeros(1152))
    for n, k in ((64, 24), (32, 64)):
        launch("gemm_three_stages", [n // 32, n // 32], 128, 0, n, k, floats(n * k), floats(n * k, 3), zeros(n * n))


def fourth_libraries_copies():
    for tiles, block in ((6, 96), (2, 160)):
        launch("pipeline_of_thread", 2, block, 24 * block, tiles, floats(4 * tiles * block), zeros(2 * block))
        launch("pipeline_of_block", 2, block, 32 * block, tiles, bits(8 * tiles * block), zeros(2 * block))
    launch("pipeline_one_producer_warp", 2, 128, 0, 5, floats(960), zeros(192))
    for size, from_ in ((777, 0), (1024, 16), (510, 4), (333, 3)):
        launch("group_copy_odd", 2, 96, 1024, size, from_, bits(1100), zeros(1024))
    for count in (96, 70):
        launch("group_copy_elements", 2, 96, 1152, count, floats(576), zeros(192))
    launch("tile16_copy", 2, 128, 0, bits(512), zeros(512))
    for block in (96, 224):
        launch("barrier_copy_threads", 2, block, 4 * block, 3, bits(6 * block), zeros(2 * block))


def fourth_bulk():
    for size, from_, to in ((16, 0, 0), (208, 16, 0), (1008, 48, 64), (2000, 0, 112), (3200, 96, 32)):
        launch("bulk_load_at", 2, 96, size + to, size, from_, to, bits(2048 + 64), zeros(2048))
        launch("bulk_store_at", 2, 96, size + from_, size, from_, to, zeros(2048 + 64))
    launch("bulk_ragged_rows", 2, 128, 0, floats(2100), zeros(2048))
    for n in (30, 200):
        launch("bulk_add_u64", 3, 64, 8 * n, n, zeros(2 * n))
        launch("bulk_min_s32", 3, 64, 4 * n + 8, n // 4 * 4, zeros(n))
        launch("bulk_or_b32", 2, 96, 4 * n + 8, n // 4 * 4, bits(n))


def fourth_boxes(kernel_in, t, at, grid):
    at5 = list(at) + [0] * (5 - len(at))
    launch("box_in", grid, 96, t.held, t.argument(1), t.data(), zeros(grid * t.held // 4), len(at), *at5, t.held, t.box)
    if kernel_in == "both":
        launch("box_out", grid, 96, t.held, t.argument(1), zeros(t.array // 4), len(at), *at5, t.held)


def fourth_tensors():
    for which, kind, extent, box, swizzle, at, grid, pad in (
            ("both", "u32", [300], [100], "none", [200], 1, 0), ("in", "u8", [640], [112], "none", [560], 2, 0), ("both", "u16", [120], [64], "128B", [72], 1, 0),
            ("both", "f32", [44, 18], [12, 7], "64B", [32, 13], 1, 0), ("in", "f32", [44, 18], [12, 7], "64B", [-8, -3], 2, 4),
            ("both", "u8", [96, 30], [96, 11], "128B", [16, 4], 1, 16), ("both", "f64", [20, 9], [8, 5], "64B", [8, 2], 1, 0),
            ("both", "f16", [72, 13], [24, 6], "none", [40, 9], 1, 8), ("in", "f16", [72, 13], [16, 13], "32B", [64, -1], 2, 0),
            ("both", "f32", [28, 9, 7], [20, 3, 3], "128B", [12, 5, 3], 1, 0), ("both", "u32", [12, 12, 5], [4, 5, 2], "none", [8, 8, 2], 1, 0),
            ("in", "u8", [160, 4, 6], [48, 2, 5], "64B", [112, 3, 2], 2, 0), ("both", "f32", [20, 5, 4, 3], [12, 2, 3, 2], "64B", [4, 2, 0, 1], 1, 0),
            ("in", "u16", [40, 6, 3, 4], [40, 1, 2, 3], "128B", [0, 5, 1, 2], 1, 0), ("both", "u32", [8, 4, 3, 3, 2], [8, 3, 2, 1, 2], "32B", [0, 1, 1, 2, 0], 1, 0),
            ("in", "f16", [24, 3, 4, 2, 3], [24, 2, 3, 2, 1], "64B", [8, 1, 2, 0, 1], 1, 0)):
        fourth_boxes(which, Tensor(kind, extent, box, swizzle, pad=pad), at, grid)
    for w, h, swizzle in ((32, 8, "128B"), (16, 6, "none")):
        launch("boxes_ahead", 3, 96, 2 * 4 * w * h, Tensor("f32", [96, 40], [w, h], swizzle).argument(1), floats(96 * 40), zeros(288), w, h, 5)
    for pixels, swizzle, at, place in ((18, "64B", [0, -1, -1, 0], (0, 2)), (40, "none", [0, 2, 3, 1], (2, 1))):
        t = Tensor("f32", [16, 9, 7, 2], [16], swizzle, pixels=pixels, lower=[-1, -1], upper=[-1, -1])
        launch("pixels_in", 1, 96, t.held, t.argument(1), t.data(), zeros(t.held // 4), *at, *place, t.held, t.box)
    for box, at, op in (([12, 5], [8, 3], 0), ([16, 4], [20, 9], 1)):
        t = Tensor("u32", [28, 12], box)
        launch("box_reduce_2d", 2, 64, t.held, t.argument(1), zeros(t.array // 4), *at, box[0] * box[1], op)


def of_fourth_async():
    fourth_ldgsts()
    fourth_libraries_copies()
    fourth_bulk()
    fourth_tensors()
    for block in (160, 96):
        launch("cluster_halo_rows", 6, block, 0, floats(6 * block), zeros(6 * block))
    launch("cluster_max", 8, 96, 0, bits(768), zeros(2))


def of_fourth_libs():
    for valid in (288, 201):
        launch("move_transpose_3", 1, 96, 0, valid, bits(288), zeros(288))
        launch("move_transpose_8_bytes", 1, 64, 0, valid, bits(128), zeros(128))
    launch("move_direct_5_doubles", 1, 160, 0, 800, floats(1600), zeros(1600))
    for valid in (1152, 1000):
        launch("move_warp_transpose_9", 1, 128, 0, valid, floats(1152), zeros(1152))
    launch("sort_keys_96_5", 2, 96, 0, bits(960), zeros(960))
    launch("sort_bytes_striped", 2, 128, 0, bits(256), zeros(256))
    launch("sort_doubles_pairs", 2, 64, 0, floats(768), bits(384, 3), zeros(768), zeros(384))
    launch("scan_inclusive_7", 2, 224, 0, bits(3136), zeros(3136))
    launch("scan_2d_raking", 3, (12, 9), 0, floats(324), zeros(324))
    launch("reduce_pairs_416", 3, 416, 0, bits(1248), zeros(6))
    launch("reduce_commutative_raking", 3, 160, 0, bits(960), zeros(6))
    launch("exchange_scatter", 2, 128, 0, bits(384), zeros(4), zeros(384))
    launch("adjacent_differences", 2, 96, 0, bits(1152), zeros(1152))
    launch("merge_sort_128_3", 2, 128, 0, bits(768), zeros(768))
    launch("histogram_atomic_5", 2, 96, 0, bits(240), zeros(200))
    launch("warp_sum_8", 2, 160, 0, floats(320), zeros(40))
    launch("warp_scan_lowest", 2, 128, 0, bits(256), zeros(256))
    launch("tile4_reduce", 3, 96, 0, bits(288), zeros(288))
    launch("group_leaders", 3, 96, 0, 280, bits(280), zeros(280), zeros(1))
    launch("atomic_block_scope", 3, 160, 0, 450, bits(450), zeros(3))
    launch("array_of_twelve", 3, 96, 0, 280, floats(3360), zeros(280))


# ---- a few of each, for other machines ----


def of_some():
    for name in ("global", "shared", "atomics", "stack", "copies", "tensors", "cub", "matrix", "kernels"):
        before = len(launches)
        globals()["of_" + name]()
        chosen = [{**line, "file": line.get("file", name)} for line in launches[before::11]]
        launches[before:] = chosen


def main():
    if len(sys.argv) != 2 or "of_" + sys.argv[1] not in globals():
        sys.exit(__doc__)
    globals()["of_" + sys.argv[1]]()
    for number, line in enumerate(launches):
        line = {**line, "id": number, "file": line.get("file", sys.argv[1])}
        print(json.dumps(line, separators=(",", ":")))


main()
