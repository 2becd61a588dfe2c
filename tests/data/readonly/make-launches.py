#!/usr/bin/env python3
"""Prints the launches of readonly.cu, a JSON object a line."""
import json

TABLE = {"table": {"buf": "u32", "words": 16128}}
MB = 1 << 20
number = 0


def put(kernel, grid, block, *args, **more):
    global number
    line = {"id": number, "kernel": kernel, "grid": [grid], "block": [block], "smem": 0, "args": list(args)}
    print(json.dumps(line | more, separators=(",", ":")))
    number += 1


def out(words):
    return {"buf": "poison", "words": words}


def i32(*values):
    return [{"i32": v} for v in values]


def constant(kernel, grid, block, *args, width=1):
    put(kernel, grid, block, out(grid * block * width), *args, globals=TABLE)


def constants():
    constant("const_lanes", 1, 32, *i32(1, 1))
    for stride in (1, 2, 3, 4, 8, 16, 17, 32, 64, 256):
        for distinct in (2, 3, 4, 8, 16, 32):
            constant("const_lanes", 1, 32, *i32(distinct, stride))
    for stride in (1, 16):
        for size in (1, 2, 4, 8, 16, 32):
            constant("const_groups", 1, 32, *i32(size, stride))
    for active in (1, 5, 16, 17, 31):
        constant("const_active", 1, 32, *i32(active, 2))
    for stride in (1, 2, 4, 16):
        for distinct in (1, 2, 32):
            for kernel, width in (("const_wide8", 2), ("const_wide16", 4), ("const_bytes", 1), ("const_halves", 1)):
                constant(kernel, 1, 32, *i32(distinct, stride), width=width)
    for distinct in (1, 4, 32):
        constant("const_three", 1, 32, *i32(distinct, 8))
        constant("const_generic", 1, 32, *i32(distinct, 1))
        constant("const_generic", 1, 32, *i32(distinct, 8))
        for kernel in ("ldu_lanes", "ldg_lanes"):
            for stride in (1, 8):
                put(kernel, 1, 32, out(32), {"buf": "u32", "words": 1024}, *i32(distinct, stride))
    put("param_fixed", 1, 32, out(32), *i32(3, 4))
    for grid, block in ((1, 32), (1, 256), (264, 256)):
        constant("const_argument", grid, block, *i32(77))
    constant("const_block", 264, 64)
    constant("const_fixed", 1, 32)
    constant("const_fixed", 1, 256)
    for grid, block in ((1, 32), (1, 256), (8, 256)):
        constant("const_gather", grid, block, {"buf": "u32", "words": grid * block})
    for grid, block, stride in ((1, 256, 1), (264, 64, 1), (1, 1024, 33)):
        constant("const_lanes", grid, block, *i32(32, stride))


def walks():
    zero = {"buf": "zero", "words": 256}
    for rounds in (1, 4):
        for words in (128, 256, 384, 448, 512, 544, 576, 640, 768, 1024, 2048, 4096, 8192, 16128):
            constant("const_walk", 1, 32, zero, *i32(words, 1, rounds))
    for words in (512, 1024, 4096, 8192, 16128):
        constant("const_walk", 1, 32, zero, *i32(words, 16, 4))
        constant("const_walk", 1, 32, zero, *i32(words, 64, 4))
        constant("const_walk", 1, 256, zero, *i32(words, 1, 2))
    for words in (512, 16128):
        constant("const_walk", 132, 32, zero, *i32(words, 16, 2))
        constant("const_walk", 264, 256, zero, *i32(words, 16, 2))


def hot(kernel, hot_mb, part_mb, l2=None, rounds=8):
    stream_mb = part_mb * rounds
    args = [{"buf": "u32", "words": hot_mb * MB // 4}, {"buf": "u32", "words": stream_mb * MB // 4},
            out(264 * 512 * 4), *i32(hot_mb * MB // 16, part_mb * MB // 16, rounds)]
    more = {"l2": l2} if l2 else {}
    put(kernel, 264, 512, *args, **more)


MOST = 32768000  # what an H100 sets aside at most


def keep(set_aside, ratio=1, arg=0, hit="persisting", miss="streaming"):
    return {"set_aside": set_aside, "arg": arg, "ratio": ratio, "hit": hit, "miss": miss}


def windows():
    for hot_mb, part_mb in ((4, 32), (8, 32), (16, 32), (24, 32), (40, 32), (8, 8), (16, 8), (16, 4)):
        hot("hot_stream", hot_mb, part_mb)
    hot("hot_stream", 16, 8, {"set_aside": MOST})
    for hot_mb in (4, 8, 16, 24, 30, 40, 60):
        hot("hot_stream", hot_mb, 32, keep(MOST))
    for hot_mb, ratio in ((40, .75), (40, .5), (40, .25), (40, .1), (16, .5), (16, .25), (24, .5)):
        hot("hot_stream", hot_mb, 32, keep(MOST, ratio))
    for aside, hot_mb in ((4, 16), (8, 16), (12, 16), (16, 16), (20, 16), (8, 8), (4, 8), (8, 4), (2, 4), (12, 12), (24, 24), (0, 8)):
        hot("hot_stream", hot_mb, 32, keep(aside * MB))
    hot("hot_stream", 16, 32, keep(MOST, miss="normal"))
    hot("hot_stream", 16, 32, keep(MOST, .5, miss="normal"))
    hot("hot_stream", 16, 8, keep(0, 1, 1, "streaming", "normal"))
    hot("hot_stream", 24, 16, keep(0, 1, 1, "streaming", "normal"))
    hot("hot_stream", 16, 8, keep(0, 1, 0, "streaming", "normal"))
    for aside in (0, MOST):
        for hot_mb in (8, 16, 24, 40):
            for kernel in ("hot_last", "hot_last_first", "hot_first"):
                hot(kernel, hot_mb, 32, {"set_aside": aside})
    for hot_mb in (8, 16, 24, 40):
        hot("hot_streaming", hot_mb, 32)
    hot("hot_half", 16, 32, {"set_aside": MOST})


constants()
walks()
windows()
