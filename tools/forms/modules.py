#!/usr/bin/env python3
"""Compares what haul and ptxas accept of declarations and directives, module by module.

    tools/forms/modules.py BUILD/tools/haul_forms [--jobs N] [--only REGEX] [--cache FILE] [--record FILE]

Both read some 17,000 small modules, good and bad ones. Prints the differences that EXPLAINED does not list, once for
each reason. --cache keeps the verdicts of ptxas, so that another run asks about new modules only. --record writes a
choice of the modules with these verdicts, for tests/ptx/test_modules.c, which needs no ptxas.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.abspath(__file__)) + "/../.."
TYPES = re.findall(r'^TYPE\(\w+, "(\w+)"', open(ROOT + "/src/ptx/types.def").read(), re.M)
OLDEST = 75  # what ptxas 13.0 assembles for

# Differences that are meant: who refuses, its message, and why.
EXPLAINED = [(who, re.compile(message)) for who, message in (  # of group and message
    # haul links modules: it names a function or variable without a definition when a kernel that needs it is launched
    ("ptxas", "Unresolved extern|Cannot take address of function|requires command line option '--compile-only'"),
    # what is later than PTX ISA 9.0 is read as 9.0
    ("ptxas", r"Unsupported \.version 9\.1|Unsupported \.target 'sm_(122|130|200)'"),
    # haul reads no debug information but .loc
    ("ptxas", "Debug information not found|^section: "),
    # names of registers: ptxas numbers a range when it is declared, haul when a register is used
    ("ptxas", "Duplicate definition of variable 'a1'|Inconsistent redefinition of variable '%tid'"),
    ("haul", "'a1' is declared twice|is a special register"),
    # bounds that keep hostile text from taking the machine's memory
    ("haul", r"alignment may be at most|extent may be at most|larger than 2\^40|file's number may be at most"),
    ("haul", "range of variables may be at most|does not fit into 64 bits"),
    # sizes that ptxas counts modulo 2^32
    ("haul", r"parameters of 'k' end at byte (4294967296|8589934592)"),
    # what no compiler emits, and haul does not read
    ("haul", "unsupported directive '(.target|.attribute)'|expected a version such as 8.0|map_f64_to_f32|'sm_[89]0'"),
    ("haul", "found '.(maxnctapersm|local_maxnreg|texref|surfref|samplerref)'|expected a name, found ';'"),
    ("haul",
        "range of vector registers is not possible|is a type of instructions only|predicate cannot lie in memory"),
    ("haul", "floating constant cannot initialise|cannot be a vector in .param|but the text ends"),
    ("haul", "calls pass .param variables|is in .param, the function's|address of a function has 64 bits"),
    ("haul", "the function has 1 parameters, the call 0"),
    # ptxas takes another state space and keeps the first
    ("haul", "was declared as another type"),
)]

cases = {}


def case(group, text, target="90", version="9.0"):
    """One module: what stands behind its header, on one line."""
    cases.setdefault((version, target, text), group)


def entry(body, params="", properties=""):
    return f".visible .entry k({params}) {properties} {{ {body} ret; }}"


def declared(declarations, text):
    """Those of the declarations, by name, that the text names."""
    return " ".join(d for name, d in declarations.items() if re.search(rf"\b{name}\b", text))


# ---- types ----

def types():
    contexts = [".global .{} x;", ".global .v2 .{} x;", ".global .v4 .{} x;", ".global .v8 .{} x;",
        ".global .{} x[4];",
                ".global .{} x = 0;", ".global .{} x = 1.0;", ".global .{} x = 0f3F800000;",
                ".global .{} x = 0d3FF0000000000000;", ".global .{} x[2] = {{1, 2}};", ".const .{} x;",
                ".shared .{} x;", ".extern .shared .{} x[];", ".extern .global .v2 .{} x;"]
    bodies = [".reg .{} r;", ".reg .{} r<4>;", ".reg .v2 .{} r;", ".reg .v4 .{} r;", ".reg .v2 .{} r<4>;",
              ".local .{} x;", ".shared .{} x;", ".param .{} x;", ".param .v2 .{} x;", ".global .{} x;"]
    params = [".param .{} p", ".param .v2 .{} p", ".param .{} p[3]", ".param .align 16 .{} p[3]", ".reg .{} p",
              ".param .v4 .{} p"]
    for name in TYPES:
        for c in contexts:
            case("type", c.format(name))
        for b in bodies:
            case("type", entry(b.format(name)))
        for p in params:
            case("type", entry("", p.format(name)))
            case("type", f".func f({p.format(name)}) {{ ret; }}")
            case("type", f".func ({p.format(name)}) f() {{ ret; }}")
            case("type", entry(f"P: .callprototype ({p.format('b32')}) _ ({p.format(name)});"))
        for version, target in (("8.0", "80"), ("6.0", "60"), ("9.0", "100a")):
            case("type", entry(f".reg .{name} r;"), target, version)
            case("type", f".global .{name} x;", target, version)
    for odd in ("u33", "b24", "b256", "f8", "f128", "u128", "texref", "samplerref", "surfref", "pred", "v2", "v4"):
        case("type", f".global .{odd} x;")
        case("type", entry(f".reg .{odd} r;"))


# ---- alignments, vectors, extents ----

def put(space, rest):
    """A declaration of the space, where it may stand."""
    text = f".{space} {rest};"
    if space == "entry":
        return entry("", f".param {rest}")
    if space == "func":
        return f".func f(.param {rest}) {{ ret; }}"
    if space == "result":
        return f".func (.param {rest}) f() {{ ret; }}"
    if space == "dynamic":
        return f".extern .shared {rest};"
    return text if space in ("global", "const", "shared") else entry(text)


SPACES = ("global", "const", "shared", "local", "param", "entry", "func", "result", "dynamic", "reg")


def shapes():
    for space in SPACES:
        for n in (0, 1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072,
            1 << 20, 1 << 30,
                  1 << 31, 1 << 32, 1 << 33, -1, -4):
            case("align", put(space, f".align {n} .b8 x[8]"))
        for n in (1, 2, 4, 8, 16):
            case("align", put(space, f".align {n} .b32 x"))
            case("align", put(space, f".align {n} .b64 x[2]"))
            case("align", put(space, f".align {n} .v2 .b32 x"))
            case("align", put(space, f".align {n} .v4 .b32 x"))
            case("align", put(space, f".v2 .align {n} .b32 x"))
            case("align", put(space, f".b32 .align {n} x"))
        for text in (".align .b32 x", ".align 4+4 .b32 x", ".align (4) .b32 x", ".align 0x8 .b32 x",
            ".align 4.0 .b32 x", ".align 8U .b32 x", ".align 010 .b32 x", ".align 0b100 .b32 x",
                     ".align 4 .align 8 .b32 x", ".align 8 .align 8 .b32 x", ".v2 .v2 .b32 x", ".v2 .b32 .b32 x",
                         ".b32 .v2 x", ".v2 .v4 .b32 x", ".v3 .b32 x", ".v1 .b32 x",
                     ".v2 .b64 x", ".v4 .b64 x", ".v4 .f64 x", ".v4 .b8 x", ".v2 .b8 x", ".v4 .b16 x", ".v8 .b16 x",
                         ".v8 .b8 x", ".v16 .b8 x", ".v2 .b128 x", ".b128 x", ".v8 .b32 x",
                     "x", ".b32", ".b32 x y", ".b32 x, y", ".b32 x, x", ".b32 x,", ".b32 ,x", ".b32 3x", ".b32 %x",
                         ".b32 $x", ".b32 _x", ".b32 _", ".b32 %", ".b32 x.y", ".b32 a$b", ".b32 $", ".b32 _1",
                         ".b32 %_", ".b32 _$",
                     ".b32 x[2]", ".b32 x[2], y", ".b32 x, y[2]", ".b32 add", ".b32 ld", ".b32 %tid", ".b32 WARP_SZ",
                         ".b32 %laneid", ".b32 global", ".b32 k", ".b32 %envreg0", ".b32 %clock",
                     ".b32 x<4>", ".b32 x<0>", ".b32 x<-1>", ".b32 x<1>", ".b32 x[2]<2>", ".b32 x<2>, y",
                         ".b32 x<2>, y<3>", ".v2 .b32 x<2>", ".b32 x<2+2>", ".b32 x<1.0>", ".b32 x<", ".b32 x<>",
                         ".b32 x<100000>", ".b32 x<1048576>"):
            case("shape", put(space, text))
        for extent in ("[0]", "[-1]", "[1]", "[]", "[][]", "[][2]", "[2][]", "[0][2]", "[2][0]", "[1.0]", "[1.5]",
            "[2*3]", "[1+1]", "[(2)]", "[2-1]", "[2-2]", "[2-3]", "[0x10]", "[16U]", "[x]", "[WARP_SZ]",
                       "[2][2][2]", "[1][1][1][1][1][1][1][1]", "[1][1][1][1][1][1][1][1][1]",
                           "[1][1][1][1][1][1][1][1][1][1][1][1]", "[2,2]", "[3>2]", "[1<<4]", "[7/2]", "[5%3]",
                           "[!0]", "[~0]", "[-1+2]", "[1?2:3]", "[ ]", "[2"):
            case("extent", put(space, f".b8 x{extent}"))
    for space in ("global", "const", "shared", "dynamic", "local", "param", "entry", "func"):
        for bytes_ in (4096, 4100, 4352, 4356, 32764, 32768, 49152, 65536, 65540, 1 << 20, 1 << 24, 1 << 30,
            (1 << 31) - 4, 1 << 31, (1 << 32) - 4, 1 << 32, 1 << 33, 1 << 40, 1 << 41, 1 << 62, 1 << 63, (1 << 64) - 1,
            1 << 64):
            case("size", put(space, f".b8 x[{bytes_}]"))
            if bytes_ >= 1 << 30:
                case("size", put(space, f".b32 x[{bytes_ // 4}]"))


# ---- initial values ----

def initial_values():
    values = ["0", "1", "-1", "255", "256", "-128", "-129", "65535", "65536", "-32768", "-32769", "4294967295",
        "4294967296", "-2147483648",
              "-2147483649", "18446744073709551615", "18446744073709551616", "0x1FF", "1.0", "0f3F800000",
                  "0d3FF0000000000000", "1e400", "-1.0", "+1",
              "1+1", "1+1.0", "(1)", "{1}", "{{1}}", "{}", "{1,}", "{,1}", "{1,2}", "", "x", "y", "k", "1;2", "1 2",
                  "1==1", "!1", "~1", "1/0", "1%0", "1.0/0.0", "(.s64)1", "(.u64)1", "(.s32)1", "(.f32)1", "5U", "5L",
                  "0b11",
              "017", "08", "1U+1", "1<<63", "1<<64", "'a'", '"a"', "g", "g+4", "g-4", "4+g", "generic(g)",
                  "generic(g)+4", "generic(g+4)", "-g", "g+g", "c", "generic(c)", "s", "generic(s)", "f", "generic(f)",
                  "f+4",
              "0xff(g)", "0xff00(g)", "0xff(generic(g))", "0x0ff0(g)", "mask(0xff,g)", "WARP_SZ", "%tid", "g.x", "{g}",
                  "&g", "1?2:3", "1?2.0:3", "1.0?2:3", "1.5<2", "1.0&1"]
    names = {"g": ".global .b32 g[4];", "c": ".const .b32 c;", "s": ".shared .b32 s;", "f": ".func f() { ret; }"}
    for v in values:
        head = (declared(names, v) + " ").lstrip()
        for t in ("u8", "s8", "b16", "u32", "s32", "b32", "u64", "b64", "f32", "f64", "f16"):
            case("value", head + f".global .{t} x = {v};")
        case("value", head + f".const .u64 x = {v};")
        case("value", head + f".shared .u32 x = {v};")
    for t in ("u32", "u64", "f32"):
        for shape in ("x", "x[1]", "x[2]", "x[]", "x[2][2]", "x[][2]", "x[2][]"):
            for v in ("1", "{1}", "{1,2}", "{1,2,3}", "{1,2,3,4}", "{1,2,3,4,5}", "{}", "{{1},{2}}", "{{1,2},{3,4}}",
                "{{1,2},3}", "{1,{2,3}}", "{{1,2,3}}", "{{1,2},{3,4},{5}}", "{{{1}}}", "{{}}", "{{},{}}", "{1,2,}"):
                case("list", f".global .{t} {shape} = {v};")
    for v in ("1", "{1}", "{1,2}", "{1,2,3}", "{{1,2}}", "{}"):
        case("list", f".global .v2 .u32 x = {v};")
        case("list", f".global .v4 .u32 x = {v};")
        for w in ("{{1,2},{3,4}}", "{1,2,3,4}", "{{1,2}}", "{{1},{2}}", "{1,2}", "{{1,2},{3,4},{5,6}}",
            "{{1,2,3},{4}}", v):
            case("list", f".global .v2 .u32 x[2] = {w};")
            case("list", f".global .v2 .u32 x[] = {w};")
    for space in SPACES:
        case("value", put(space, ".u32 x = 1"))
        case("value", put(space, ".u32 x[2] = {1, 2}"))
    for linkage in (".extern", ".weak", ".visible", ".common"):
        for space in ("global", "const", "shared"):
            case("value", f"{linkage} .{space} .u32 x = 1;")
    case("value", ".global .u32 x = 1, y = 2;")
    case("value", ".global .u32 x, y = 2;")
    case("value", ".global .u64 y = x; .global .u32 x;")
    case("value", ".global .u64 y = f; .func f() { ret; }")
    case("value", ".func f(); .global .u64 y = f; .func f() { ret; }")
    case("value", entry("") + " .global .u64 y = k;")
    case("value", ".extern .global .u32 e; .global .u64 y = e; .visible .global .u32 e;")
    case("value", entry(".global .u32 x = 1;"))
    case("value", entry(".const .u32 x = 1;"))
    case("value", entry("L: .global .u64 x = L;"))
    case("value", ".global .align 8 .u64 t[2] = {f, g}; .func f() {ret;} .func g() {ret;}")


# ---- directives of kernels ----

PROPERTIES = {
    ".maxntid": ("0", "1", "32", "1024", "1025", "2048", "65536", "4294967296", "-1", "1.0", "", "32, 32", "32, 33",
        "1024, 1, 1", "32, 32, 2", "1, 1, 64", "1, 1, 65", "1,1,1,1", "0, 1", "1, 0", "1, 1, 0", "65536, 65536", "32,",
        "16*2", "(32)", "0x20", "x", "1,1,1024", "1,1024,1", "1,1,1025", "4096,4096,4096"),
    ".reqntid": ("0", "1", "32", "1024", "1025", "2048", "65536", "4294967296", "-1", "1.0", "", "32, 32", "32, 33",
        "1024, 1, 1", "32, 32, 2", "1, 1, 64", "1, 1, 65", "1,1,1,1", "0, 1", "1, 0", "1, 1, 0", "65536, 65536", "32,",
        "16*2", "(32)", "0x20", "1,1,1024", "4096,4096,4096"),
    ".minnctapersm": ("0", "1", "2", "16", "32", "33", "64", "1000", "65536", "4294967295", "4294967296", "-1", "1.0",
        "", "1, 1"),
    ".maxnctapersm": ("0", "1", "16", "1000"),
    ".maxnreg": ("0", "1", "8", "15", "16", "23", "24", "32", "63", "64", "255", "256", "257", "1024", "65536",
        "4294967295", "4294967296", "-1", "1.0", "", "32, 32"),
    ".reqnctapercluster": ("0", "1", "2", "3", "8", "9", "16", "17", "32", "1024", "4294967296", "-1", "", "2, 2",
        "2, 2, 2", "4, 4, 1", "4,4,2", "2, 2, 2, 2", "0, 1", "1, 0", "0,0,0", "1,1,1", "8,2", "2.0"),
    ".maxclusterrank": ("0", "1", "2", "3", "8", "9", "16", "17", "32", "1024", "4294967296", "-1", "", "2, 2"),
    ".explicitcluster": ("", "1"),
    ".blocksareclusters": ("", "1"),
    ".noreturn": ("", "1"),
    ".abi_preserve": ("", "0", "1", "8", "16", "64", "255", "256", "1000", "-1", "4294967296"),
    ".abi_preserve_control": ("", "0", "1", "8", "14", "15", "16", "64", "-1", "4294967296"),
    ".pragma": ('"nounroll";', '"nounroll"', '"unknown";', '"";', "nounroll;", '"a", "b";', "",
        '"used_bytes_mask 0xfff";', '"enable_smem_spilling";', '"frequency 1";'),
    ".alias": ("k",), ".unknown": ("", "1"), ".ptr": ("",), ".align": ("4",), ".visible": ("",),
        ".local_maxnreg": ("32",),
    ".language": ("1",), ".regcount": ("3",), ".hidden": ("",),
}
USUAL = {".maxntid": "64", ".reqntid": "64", ".minnctapersm": "2", ".maxnctapersm": "2", ".maxnreg": "32",
    ".reqnctapercluster": "2", ".maxclusterrank": "4",
         ".explicitcluster": "", ".blocksareclusters": "", ".noreturn": "", ".pragma": '"nounroll";',
             ".abi_preserve": "8", ".abi_preserve_control": "8"}


def kernel_directives():
    for name, values in PROPERTIES.items():
        for value in values:
            text = f"{name} {value}"
            case("property", entry("", "", text))
            case("property", entry("", "", ".maxntid 64 " + text))
            case("property", entry("", "", ".reqntid 64 " + text))
            case("property", f".func f() {text} {{ ret; }}")
            if name in (".maxntid", ".reqntid", ".reqnctapercluster", ".maxclusterrank", ".maxnreg"):
                for version, target in (("9.0", "75"), ("7.0", "80"), ("8.0", "90"), ("9.0", "100"), ("9.0", "100a"),
                    ("9.0", "90a"), ("9.0", "120")):
                    case("property", entry("", "", text), target, version)
    pairs = list(itertools.product(USUAL, USUAL))
    for a, b in pairs:
        case("pair", entry("", "", f"{a} {USUAL[a]} {b} {USUAL[b]}"))
    for a, b, c in itertools.combinations(USUAL, 3):
        case("triple", entry("", "", f"{a} {USUAL[a]} {b} {USUAL[b]} {c} {USUAL[c]}"))
    for a in USUAL:
        text = f"{a} {USUAL[a]}"
        case("place", f".visible .entry k() {text}; ")
        case("place", f".entry k() {text}; .entry k() {{ ret; }}")
        case("place", f".entry k(); .entry k() {text} {{ ret; }}")
        case("place", f".entry k() {text}; .entry k() {text} {{ ret; }}")
        case("place", f".entry k {text} {{ ret; }}")
        case("place", f".entry {text} k() {{ ret; }}")
        case("place", f"{text} .entry k() {{ ret; }}")
        case("place", f".func f() {text}; .func f() {{ ret; }}")
        case("place", f".func f() {text}; .func f() {text} {{ ret; }}")
        case("place", f".func f(); .func f() {text} {{ ret; }}")
        case("place", f".func {text} f() {{ ret; }}")
        case("place", f".extern .func f() {text};")
        case("place", entry(f"{text} "))
        case("place", entry(f"{text}; "))
        case("place", text)
        case("place", text + ";")
        case("place", entry(f"P: .callprototype _ () {text};"))
        case("place", entry(".reg .pred p; @p " + text + ";"))
        case("place", f".global .u32 x {text};")
        case("place", entry("", "", f"{text},"))
        case("place", entry("", "", f"{text};"))
        for version, target in (("7.8", "90"), ("7.7", "80"), ("9.0", "80"), ("2.0", "20"), ("6.3", "70"), ("8.9",
            "90"), ("9.0", "75")):
            case("place", entry("", "", text), target, version)
    cluster = [".reqnctapercluster {}", ".maxclusterrank {}"]
    for n, m in itertools.product((0, 1, 2, 4, 8, 9, 16), (0, 1, 2, 4, 8, 9, 16)):
        case("cluster", entry("", "", f".reqnctapercluster {n} .maxclusterrank {m}"))
        case("cluster", entry("", "", f".reqnctapercluster {n}, {m}"))
    for n, m in itertools.product((1, 32, 64, 1024, 1025), (0, 1, 2, 32, 33, 64, 65, 100, 2048)):
        case("blocks", entry("", "", f".maxntid {n} .minnctapersm {m}"))
        case("blocks", entry("", "", f".reqntid {n} .minnctapersm {m}"))
        case("blocks", entry("", "", f".maxntid {n} .maxnreg {m}"))
        case("blocks", entry("", "", f".maxntid {n} .reqntid {m}"))
    for rest in (".blocksareclusters", ".reqntid 32 .blocksareclusters", ".reqnctapercluster 2 .blocksareclusters",
        ".reqntid 32 .reqnctapercluster 2 .blocksareclusters", ".maxntid 32 .reqnctapercluster 2 .blocksareclusters",
                 ".blocksareclusters .reqntid 32 .reqnctapercluster 2",
                     ".reqntid 32 .explicitcluster .blocksareclusters",
                     ".reqntid 32 .reqnctapercluster 2 .explicitcluster", ".explicitcluster .reqnctapercluster 2",
                 ".explicitcluster .maxclusterrank 4", ".reqntid 32 .maxclusterrank 4 .blocksareclusters"):
        case("cluster", entry("", "", rest))


# ---- linkage ----

LINKAGES = ["", ".visible", ".extern", ".weak", ".common", ".hidden"]


def linkages():
    things = [".entry k() { ret; }", ".entry k();", ".func f() { ret; }", ".func f();", ".func f", ".global .u32 x;",
        ".global .u32 x[];", ".global .u32 x = 1;",
              ".const .u32 x;", ".const .u32 x[];", ".const .u32 x = 1;", ".shared .u32 x;", ".shared .u32 x[];",
                  ".local .u32 x;", ".param .u32 x;", ".reg .u32 x;", ".shared .u32 x[4];",
              ".global .u32 x[4];", ".global .attribute(.managed) .u32 x;", ".func (.param .u32 r) f() { ret; }",
                  ".pragma \"nounroll\";", ".file 1 \"a\"", ";"]
    for thing in things:
        for a in LINKAGES:
            case("linkage", f"{a} {thing}")
            for b in LINKAGES[1:]:
                if a:
                    case("linkage", f"{a} {b} {thing}")
    for a in LINKAGES:
        for thing in (".shared .u32 x;", ".shared .u32 x[];", ".global .u32 x;", ".local .u32 x;", ".reg .u32 x;",
            ".param .u32 x;", ".const .u32 x;"):
            case("linkage", entry(f"{a} {thing}"))
    uses = [(".global .u32 x;", "mov.u64 d, x;"), (".const .u32 x;", "mov.u64 d, x;"), (".shared .u32 x;",
        "mov.u64 d, x;"), (".shared .u32 x[];", "mov.u64 d, x;"),
            (".shared .u32 x[4];", "mov.u64 d, x;"), (".global .u32 x[];", "mov.u64 d, x;"), (".func f();", "call f;"),
                (".func f();", "mov.u64 d, f;"), (".func x();", "call x;")]
    for a in LINKAGES:
        for declaration, use in uses:
            case("use", f"{a} {declaration} {entry('.reg .b64 d; ' + use)}")
    for name, head, use in (
            ("vprintf", ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);",
                ".param .b32 r; .param .b64 a; .param .b64 b; call (r), vprintf, (a, b);"),
            ("malloc", ".extern .func (.param .b64 r) malloc (.param .b64 a);",
                ".param .b64 r; .param .b64 a; call (r), malloc, (a);"),
            ("free", ".extern .func free (.param .b64 a);", ".param .b64 a; call free, (a);"),
            ("assert",
                ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);",
                ".param .b64 a; .param .b32 c; call __assertfail, (a, a, c, a, a);"),
            ("other", ".extern .func other (.param .b64 a);", ".param .b64 a; call other, (a);")):
        case("use", head + entry(use))
        case("use", head + entry(""))
        case("use", head)


# ---- declared again ----

def redeclarations():
    variables = [".global .u32 x;", ".global .s32 x;", ".global .b32 x;", ".global .u64 x;", ".global .u32 x[2];",
        ".global .u32 x[];", ".global .align 16 .u32 x;", ".global .v2 .u32 x;",
                 ".const .u32 x;", ".shared .u32 x;", ".global .u32 x = 1;", ".func x() { ret; }", ".func x();",
                     ".entry x() { ret; }", ".shared .u32 x[];", ".shared .u32 x[2];", ".shared .u64 x[];",
                     ".shared .align 16 .u32 x[];", ".global .f32 x;"]
    linkages_ = ["", ".extern", ".visible", ".weak", ".common"]
    for i, a in enumerate(variables):
        for j, b in enumerate(variables):
            case("again", f"{a} {b}")
            for la, lb in ((".extern", ""), (".extern", ".visible"), (".extern", ".extern")):
                case("again", f"{la} {a} {lb} {b}")
    for la, lb in itertools.product(linkages_, linkages_):
        case("again", f"{la} .global .u32 x; {lb} .global .u32 x;")
        case("again", f"{la} .global .u32 x; {lb} .global .u32 x = 1;")
        case("again", f"{la} .shared .u32 x; {lb} .shared .u32 x;")
        case("again", f"{la} .func f(); {lb} .func f() {{ ret; }}")
        case("again", f"{la} .func f(); {lb} .func f();")
        case("again", f"{la} .func f() {{ ret; }} {lb} .func f();")
        case("again", f"{la} .func f() {{ ret; }} {lb} .func f() {{ ret; }}")
        case("again", f"{la} .entry f(); {lb} .entry f() {{ ret; }}")
        case("again", f"{la} .entry f(); {lb} .func f() {{ ret; }}")
        case("again", f"{la} .entry f() {{ ret; }} {lb} .entry f();")
        case("again", f"{la} .entry f(); {lb} .entry f();")
    headers = ["f()", "f(.param .u32 a)", "f(.param .u32 b)", "f(.param .s32 a)", "f(.param .b32 a)",
        "f(.param .f32 a)", "f(.param .u64 a)", "f(.param .u32 a, .param .u32 b)", "f(.reg .u32 a)", "f(.reg .b32 a)",
        "f(.reg .f32 a)",
               "f(.param .align 4 .b8 a[4])", "f(.param .align 8 .b8 a[8])", "f(.param .align 4 .b8 a[8])",
                   "f(.param .b8 a[4])", "f(.param .u32 a[2])", "f(.param .b8 a[])",
               "(.param .u32 r) f()", "(.param .s32 r) f()", "(.param .u64 r) f()", "(.reg .u32 r) f()",
                   "(.param .u32 r) f(.param .u32 a)", "(.param .u32 r, .param .u32 s) f()",
                   "(.reg .u32 r, .reg .u32 s) f()", "f", "f(.param .u64 .ptr a)", "f(.param .v2 .u32 a)",
                   "f(.param .align 8 .u32 a)"]
    for a, b in itertools.product(headers, headers):
        case("header", f".func {a}; .func {b} {{ ret; }}")
    for a in headers:
        case("header", f".entry {a} {{ ret; }}")
        case("header", f".func {a} {{ ret; }}")
        case("header", f".func {a};")
        case("header", f".extern .func {a};")
        case("header", entry(f"P: .callprototype {a.replace('f', '_', 1) if 'f(' in a or a == 'f' else a};"))
    for a, b in itertools.product([h for h in headers if not h.startswith("(")], repeat=2):
        if a == headers[1]:
            case("header", f".entry {a}; .entry {b} {{ ret; }}")


# ---- names and labels ----

def names():
    bodies = ["L: L:", "L: ret; L: ret;", "L: { L: }", "{ L: } { L: }", "bra L; { L: }", "{ bra L; } L:",
        "L: { bra L; }", "bra L;", "{ L: } bra L;", "L: .reg .b32 L;", ".reg .b32 L; L:",
        ".reg .b32 a; { .reg .b32 a; }", ".reg .b32 a; { .reg .b64 a; }",
              ".reg .b32 a; .reg .b32 a;", ".reg .b32 a; .reg .b64 a;", ".reg .b32 a, a;",
                  ".reg .b32 a<4>; .reg .b32 a<4>;", ".reg .b32 a<4>; .reg .b32 a1;", ".reg .b32 a1; .reg .b32 a<4>;",
                  ".reg .b32 a<4>; .reg .b32 a4;", ".reg .b32 a<4>; .reg .b32 a;", ".reg .b32 a<4>; .shared .b32 a1;",
              ".reg .b32 a<12>; .reg .b32 a1<3>;", ".reg .b32 a1<3>; .reg .b32 a<12>;",
                  ".reg .b32 a<4>; { .reg .b64 a<2>; }", ".reg .b32 a<4>; a1:", ".reg .b32 a<4>; a2: bra a2;",
                  ".reg .b32 k;", "k: bra k;", ".shared .b32 k;", ".reg .b32 x; .shared .b32 x;",
                  ".local .b32 x; .shared .b32 x;", ".param .b32 x; .reg .b32 x;",
                  ".shared .b32 x; { .shared .b32 x; }", "L: bra L;", "bra L; L:",
              ".reg .b32 r; mov.b32 r, L; L:", ".shared .b32 L; L:", ".shared .b32 s; bra s;", "bra k;",
                  ".reg .b32 r; bra r;", "bra 1;", "ld: bra ld;", "ret: bra ret;", "%L: bra %L;", "$L: bra $L;",
                  "_L: bra _L;", "_: bra _;", "1: bra 1;", "L.x: bra L.x;", "L: ;", "L:", "A: B: bra A;", "L : bra L;",
                  "@L: bra L;",
              ".reg .pred p; @p L: bra L;", ".reg .pred p; L: @p bra L;", ".reg .pred p; @p { ret; }",
                  ".reg .pred p; @p .reg .b32 x;", ".reg .pred p; @p ; ", ".reg .pred p; @p ret",
                  ".reg .pred p; @!p ret;", ".reg .pred p; @!!p ret;", ".reg .pred p; !@p ret;",
                  ".reg .b32 p; @p ret;", "@q ret;", ".reg .pred p<2>; @p1 ret;", ".reg .pred p<2>; @p2 ret;",
                  ".reg .pred p; @ p ret;", ".reg .pred p; @p @p ret;", ".reg .v2 .pred p; @p.x ret;",
              "{", "}", "{ }", "{ { } }", "{ ret; }", ";", ";;", "ret", "ret; ret;", "{ret;};", "reg .b32 a;",
                  ".reg a;", ".reg .b32;", ".reg", "", "exit;", "trap;", "brkpt;",
              ".reg .b32 %r<3>; mov.b32 %r3, 1;", ".reg .b32 %r<3>; mov.b32 %r2, 1;",
                  ".reg .b32 %r<3>; mov.b32 %r02, 1;", ".reg .b32 %r<3>; mov.b32 %r, 1;",
                  ".reg .b32 %r<3>; mov.b32 %R1, 1;", ".reg .b32 a; MOV.b32 a, 1;",
                  ".reg .b32 tid; mov.b32 tid, %tid.x;",
              "{ .reg .b32 a; } mov.b32 a, 1;", ".reg .b32 a; { mov.b32 a, 1; }", "{ .reg .b32 a; { mov.b32 a, 1; } }",
                  "mov.b32 a, 1; .reg .b32 a;", "bra L; .reg .b32 a; L: mov.b32 a, 1;"]
    for b in bodies:
        case("name", entry(b))
        case("name", f".func f() {{ {b} ret; }}")
    for text in (".func f() { L: ret; } " + entry("bra L;"), ".func f() { L: ret; } .func g() { L: ret; }",
        entry("bra f;") + ".func f() {ret;}", ".func f() {ret;} " + entry("bra f;"),
        ".global .u32 x; " + entry("bra x;"), ".global .u32 x; " + entry(".reg .b32 x;"),
        ".global .u32 x; " + entry("x: bra x;"), ".global .u32 x; " + entry("", ".param .u32 x"), entry("",
        ".param .u32 k"), entry(".reg .b32 p;", ".param .u32 p"), entry("{ .reg .b32 p; }", ".param .u32 p"),
        entry("p: bra p;", ".param .u32 p"), entry("", ".param .u32 p, .param .u32 p"), entry("",
        ".param .u32 _, .param .u32 _"),
                 ".func f(.reg .u32 a, .reg .u32 a) { ret; }", ".func (.reg .u32 a) f(.reg .u32 a) { ret; }",
                     ".func (.param .u32 a) f(.param .u32 a) { ret; }",
                     ".func (.reg .u32 a) f(.reg .u32 b) { .reg .u32 a; ret; }", ".func f(.reg .u32 f) { ret; }",
                     ".entry k() { ret; } .entry k() { ret; }", ".entry k() { ret; } .func k() { ret; }",
                     ".func f() { ret; } .func f(.reg .u32 a) { ret; }", ".entry 1k() {ret;}", ".entry %k() {ret;}",
                     ".entry $k() {ret;}", ".entry _() {ret;}", ".entry k.x() {ret;}", ".entry add() {ret;}",
                     ".entry %tid() {ret;}", ".entry () {ret;}", ".entry k( {ret;}", ".entry k) {ret;}",
                     ".entry k(,) {ret;}", ".entry k(.param .u32 a,) {ret;}", ".entry k(.param .u32) {ret;}",
                     ".entry k(.u32 a) {ret;}", ".entry k(.reg .u32 a) {ret;}", ".entry k(.global .u32 a) {ret;}",
                 ".entry k() ret;", ".entry k()", ".entry k() {", ".entry k() }", ".entry k();", ".entry k() {};",
                     ".entry k() { };;", ".entry k() { ret; } }", "{ }", "ret;", ".reg .b32 r;", ".local .b32 l;",
                     "L:", "@p ret;", "", ".entry k", ".entry k;", ".func", ".entry", ".func f", ".func f;",
                     ".entry k() { .entry j() { ret; } }", ".entry k() { .func j() { ret; } }",
                     ".entry k() { .version 9.0 ret; }", ".entry k() { .target sm_90 ret; }",
                     ".entry k() { .file 1 \"a\" ret; }", ".entry k() { .section .debug_str { } ret; }",
                     ".entry k() { .alias a, b; ret; }", ".func (.param .u32 r) k() { ret; } .entry j() { ret; }",
                     ".entry (.param .u32 r) k() { ret; }", ".func (.pred r) f() { ret; }",
                     ".func (.reg .pred r) f() { ret; }", ".func f(.reg .pred r) { ret; }",
                     ".func f(.reg .v2 .u32 r) { ret; }", ".func f(.reg .u32 r<3>) { ret; }",
                     ".func f(.reg .u32 r[2]) { ret; }", ".func f(.reg .align 8 .u32 r) { ret; }",
                     ".func f(.local .u32 r) { ret; }", ".func f(.shared .u32 r) { ret; }",
                     ".func (.param .u32 a, .param .u32 b) f() { ret; }", ".func () f() { ret; }",
                     ".func () f { ret; }", ".func (.param .u32 a) { ret; }"):
        case("name", text)


# ---- parameters ----

def parameters():
    for n in (4096, 4100, 4352, 4353, 4356, 32760, 32764, 32765, 32768):
        for version, target in (("9.0", "90"), ("8.1", "90"), ("8.0", "90"), ("8.1", "70"), ("8.1", "75"), ("8.1",
            "60"), ("9.0", "60"), ("9.0", "100a"), ("7.0", "80"), ("2.0", "20"), ("1.4", "13"), ("8.0", "80")):
            case("parameters", entry("", f".param .b8 p[{n}]"), target, version)
            case("parameters", f".func f(.param .b8 p[{n}]) {{ ret; }}", target, version)
        case("parameters", entry("", f".param .align 16 .b8 p[{n - 8}], .param .b64 q"))
        case("parameters", entry("", f".param .b8 a, .param .align 128 .b8 p[{n - 128}]"))
        case("parameters", entry("", f".param .b8 a, .param .align 128 .b8 p[{n - 127}]"))
        case("parameters", f".func (.param .b8 r[{n}]) f() {{ ret; }}")
        case("parameters", entry(f".param .b8 r[{n}];"))
        case("parameters", entry(f"P: .callprototype _ (.param .b8 p[{n}]);"))
    for n in (64, 256, 257, 512, 513, 1024, 4191):
        case("parameters", entry("", ", ".join(f".param .b64 p{i}" for i in range(n))))
        case("parameters", ".func f(" + ", ".join(f".param .b64 p{i}" for i in range(n)) + ") { ret; }")
        case("parameters", ".func f(" + ", ".join(f".reg .b64 p{i}" for i in range(n)) + ") { ret; }")
        case("parameters", ".func (" + ", ".join(f".reg .b64 p{i}" for i in range(n)) + ") f() { ret; }")
    for hint in (".ptr", ".ptr .global", ".ptr .shared", ".ptr .const", ".ptr .local", ".ptr .param", ".ptr .generic",
        ".ptr .reg", ".ptr .align 4", ".ptr .align 3", ".ptr .align 0", ".ptr .align 4096", ".ptr .global .align 16",
        ".ptr .align 16 .global", ".ptr .global .global", ".ptr .align", ".ptr .ptr", ".ptr .global .align 1048576"):
        for t in ("u64", "u32", "b64", "s64", "f64", "u16", "b8", "b32", "f32"):
            case("pointer", entry("", f".param .{t} {hint} p"))
        case("pointer", f".func f(.param .u64 {hint} p) {{ ret; }}")
        case("pointer", entry("", f".param {hint} .u64 p"))
        case("pointer", entry("", f".param .u64 p {hint}"))
        case("pointer", entry("", f".param .u64 {hint} p[2]"))
        case("pointer", entry(f".param .u64 {hint} p;"))
        case("pointer", f".func f(.reg .u64 {hint} p) {{ ret; }}")
    names = {"r": ".reg .b32 r;", "d": ".reg .b64 d;", "h": ".reg .b16 h;", "f": ".reg .f32 f;", "q": ".reg .pred q;",
             "b": ".param .b32 b;", "c": ".param .align 16 .b8 c[16];", "l": ".local .b32 l;", "s": ".shared .b32 s;"}
    accesses = ["ld.param.u32 r, [p];", "ld.param.u32 r, [p+4];", "ld.param.u32 r, [p+1];", "ld.param.u32 r, [p+8];",
        "ld.param.u32 r, [p-4];", "ld.param.u64 d, [p];", "ld.param.u64 d, [p+4];", "ld.param.u16 h, [p+2];",
        "ld.param.u16 h, [p+7];", "ld.param.v2.u32 {r, r}, [p];", "ld.param.v2.u32 {r, r}, [p+4];",
        "ld.param.v4.u32 {r, r, r, r}, [p];",
                "st.param.u32 [p], r;", "st.param.u32 [b], r;", "st.param.u32 [b+4], r;", "st.param.u64 [b], d;",
                    "ld.param.u32 r, [b];", "ld.param.u32 r, [b+4];", "ld.param.u64 d, [b];",
                    "st.param.v4.u32 [c], {r, r, r, r};", "st.param.v4.u32 [c+4], {r, r, r, r};",
                    "st.param.u8 [c+15], r;", "st.param.u8 [c+16], r;", "ld.param.u32 r, [d];", "ld.param.u32 r, [0];",
                    "ld.param.u32 r, [r];", "mov.u64 d, p;", "mov.u32 r, p;", "mov.u64 d, b;", "mov.u64 d, c;",
                    "mov.b32 r, b;", "mov.b32 r, p;", "ld.u32 r, [p];", "ld.global.u32 r, [p];", "ld.u32 r, [b];",
                    "ld.shared.u32 r, [b];", "ld.param.u32 r, [l];", "ld.param.u32 r, [s];", "cvta.param.u64 d, p;",
                    "cvta.param.u64 d, b;", "atom.add.u32 r, [p], r;", "atom.param.add.u32 r, [p], r;",
                    "prefetch.param.L1 [p];", "ld.param::entry.u32 r, [p];", "ld.param::func.u32 r, [p];",
                    "ld.param::entry.u32 r, [b];", "ld.param::func.u32 r, [b];", "st.param::func.u32 [b], r;",
                    "st.param::func.u32 [p], r;", "ld.volatile.param.u32 r, [p];", "ld.param.b128 d, [p];",
                    "ld.param.pred q, [p];", "ld.param.f32 f, [p];", "add.u32 r, b, 1;", "add.u32 r, p, 1;",
                    "ld.param.u32 r, [k];", "ld.param.u32 r, [undeclared];", "@q ld.param.u32 r, [p];",
                    "@q st.param.u32 [b], r;", "@q ld.param.u32 r, [b];"]
    for a in accesses:
        for p in (".param .u64 p", ".param .u32 p", ".param .align 8 .b8 p[16]", ".param .u32 p[2]"):
            case("access", entry(declared(names, a) + " " + a, p))
            case("access", f".func g({p}) {{ {declared(names, a)} {a} ret; }}")
        case("access", f".func (.param .u32 p) g(.param .u32 x) {{ {declared(names, a)} {a} ret; }}")
    for space in ("local", "shared", "global", "const"):
        for a in ("ld.{0}.u32 r, [x];", "ld.{0}.u32 r, [x+4];", "ld.{0}.u32 r, [x+8];", "ld.{0}.u32 r, [x-4];",
            "ld.{0}.u64 d, [x];", "ld.{0}.u64 d, [x+4];", "st.{0}.u32 [x+8], r;", "st.{0}.u32 [x+1], r;",
            "ld.{0}.u32 r, [x+1];", "ld.{0}.v4.u32 {{r, r, r, r}}, [x];", "ld.{0}.u32 r, [x+1000000];"):
            case("access", entry(f".reg .b32 r; .reg .b64 d; .{space} .u32 x[2]; " + a.format(space)))


# ---- calls ----

def calls():
    functions = [".func f() { ret; }", ".func f(.param .u32 a) { ret; }", ".func f(.param .u64 a) { ret; }",
        ".func f(.param .f32 a) { ret; }", ".func f(.param .align 8 .b8 a[8]) { ret; }",
        ".func f(.param .align 4 .b8 a[8]) { ret; }", ".func f(.reg .u32 a) { ret; }", ".func f(.reg .f32 a) { ret; }",
        ".func f(.reg .pred a) { ret; }", ".func f(.reg .b64 a) { ret; }", ".func f(.param .u16 a) { ret; }",
        ".func f(.param .b8 a) { ret; }", ".func f(.reg .u16 a) { ret; }",
                 ".func (.param .u32 r) f() { ret; }", ".func (.reg .u32 r) f() { ret; }",
                     ".func (.param .f32 r) f() { ret; }", ".func (.param .u32 r) f(.param .u32 a) { ret; }",
                     ".func (.reg .u32 r, .reg .u32 t) f() { ret; }", ".func f(.param .u32 a, .param .u32 b) { ret; }",
                     ".entry f() { ret; }", ".entry f(.param .u32 a) { ret; }", ".func f();", ".extern .func f();",
                     ".extern .func f(.param .u32 a);", ".func f(.param .b8 a[]) { ret; }",
                     ".func (.param .align 8 .b8 r[8]) f() { ret; }"]
    names = {r"r\d": ".reg .b32 r<3>;", "u": ".reg .u32 u;", "s": ".reg .s32 s;", "g": ".reg .f32 g;",
        "d": ".reg .b64 d;", "h": ".reg .b16 h;", "q": ".reg .pred q;", "b": ".param .b32 b;", "w": ".param .u32 w;",
        "y": ".param .f32 y;",
             "c": ".param .b64 c;", "m": ".param .align 8 .b8 m[8];", "n": ".param .align 4 .b8 n[8];",
                 "hh": ".param .b16 hh;", "o": ".param .b8 o;", "l": ".local .b32 l;", "z": ".shared .b32 z;"}
    arguments = ["call f;", "call f, ();", "call f, (b);", "call f, (w);", "call f, (y);", "call f, (c);",
        "call f, (m);", "call f, (n);", "call f, (r1);", "call f, (u);", "call f, (s);", "call f, (g);",
        "call f, (d);", "call f, (h);", "call f, (q);", "call f, (5);", "call f, (1.0);", "call f, (0f3F800000);",
        "call f, (l);", "call f, (z);", "call f, (b, b);", "call f, (r1, r1);", "call f, (b+4);", "call f, (hh);",
        "call f, (o);",
                 "call (b), f;", "call (b), f, ();", "call (w), f, ();", "call (y), f, ();", "call (r1), f, ();",
                     "call (g), f, ();", "call (d), f, ();", "call (5), f, ();", "call (b), f, (b);",
                     "call (b), f, (r1);", "call (r1), f, (r1);", "call (r1, r2), f;", "call (r1, r1), f;",
                     "call (_), f;", "call (_), f, (_);", "call (m), f;", "call (), f, ();", "call (b, w), f;",
                     "call.uni f;", "@q call f;", "call f, b;", "call f(b);", "call b;", "call d;", "call f f;",
                     "call (b) f;", "call f, (r1),;", "call k;", "call f, (f);", "call f, (%tid.x);", "call f, (-1);",
                     "call f, (!q);", "call f, ({r1, r2});", "call f, ([d]);", "call f, (b),;"]
    for f in functions:
        for a in arguments:
            case("call", f + " " + entry(declared(names, a) + " " + a))
    prototypes = ["P: .callprototype _ ();", "P: .callprototype _;", "P: .callprototype _ (.param .b32 _);",
        "P: .callprototype (.param .b32 _) _ ();", "P: .callprototype (.param .b32 _) _ (.param .b32 _);",
        "P: .callprototype (.reg .b32 _) _ (.reg .b32 _);", "P: .callprototype f ();", "P: .callprototype ();",
        "P: .callprototype _ (.param .b32 a);", "P: .callprototype _ () .noreturn;", "P: .calltargets f;",
        "P: .calltargets f, f;", "P: .calltargets g;", "P: .calltargets k;", "P: .calltargets L;", "P: .calltargets;",
        "P: .calltargets f, e;", "P: .branchtargets L;", ".calltargets f;", ".callprototype _ ();",
        "P: P2: .callprototype _ ();", "P: .calltargets f,;", "P: .calltargets x;",
        "P: .callprototype _ (.param .b32 _, .param .b32 _);", "P: .callprototype _ (.param .b32 a, .param .b32 a);",
        "P: .callprototype _ (.param .align 16 .b8 _[32]);", "P:"]
    head = ".func f() { ret; } .func (.param .b32 v) e(.param .b32 a) { ret; } .global .u32 x; "
    for p in prototypes:
        for c in ("call d, P;", "call d, (b), P;", "call (b), d, P;", "call (b), d, (b), P;", "call (r1), d, (r1), P;",
            "", "call r1, P;", "call d;", "call d, ();", "call f, P;", "call f, (), P;", "bra P;", "call d, (), P;",
            "call d, L;", "call d, f;", "@q call d, P;", "call.uni d, P;"):
            case("indirect", head + entry(declared(names, p + c) + " " + p + " " + c + " L:"))
    for c in ("call d, P; P: .callprototype _ ();", "{ P: .callprototype _ (); } call d, P;",
        "P: .callprototype _ (); P: .callprototype _ ();", "P: .callprototype _ (); P: ",
        "{ P: .callprototype _ (); call d, P; } { P: .callprototype _ (); call d, P; }"):
        case("indirect", head + entry(declared(names, c) + " " + c))
    case("indirect", ".global .u64 P; " + entry(".reg .b64 d; P: .callprototype _ (); call d, P;"))
    case("indirect", ".func f() { P: .callprototype _ (); ret; } " + entry(".reg .b64 d; call d, P;"))
    tables = ["T: .branchtargets A;", "T: .branchtargets A, B;", "T: .branchtargets A, A;", "T: .branchtargets C;",
        "T: .branchtargets f;", "T: .branchtargets x;", "T: .branchtargets T;", "T: .branchtargets;",
        "T: .branchtargets A,;", "T: .branchtargets 1;", ".branchtargets A;", "T: .branchtargets A B;",
        "T: .branchtargets k;", "T: .branchtargets U;", "T: .branchtargets r1;",
        "T: .branchtargets A; T: .branchtargets A;", "T: .calltargets f;", "T: .branchtargets N<4>;",
        "@q T: .branchtargets A;", "T: .branchtargets D;"]
    for t in tables:
        for b in ("brx.idx r1, T;", "brx.idx.uni r1, T;", "", "brx.idx d, T;", "brx.idx 0, T;", "bra T;",
            "brx.idx r1, A;", "brx.idx r1, U;", "@q brx.idx r1, T;", "brx.idx r1;", "brx.idx T, r1;", "mov.u64 d, T;",
            "brx.idx h, T;", "brx.idx s, T;", "brx.idx g, T;"):
            case("table", head + entry(declared(names, t + b) + " " + t + " " + b + " A: B: { D: }"))
    case("table", head + entry(".reg .b32 r<3>; " + "brx.idx r1, T; A: T: .branchtargets A;"))
    case("table", head + entry(".reg .b32 r<3>; " + "{ T: .branchtargets A; } brx.idx r1, T; A: "))
    case("table", head + entry(".reg .b32 r<3>; " + "T: .branchtargets A; { brx.idx r1, T; A: }"))
    case("table", head + entry(".reg .b32 r<3>; " + "T: .branchtargets A; { A: brx.idx r1, T; } A:"))
    case("table", head + entry(".reg .b32 r<3>; " + "bra B; B: T: .branchtargets A; A: brx.idx r1, T;"))


# ---- limits of a module ----

def limits():
    use = "st.shared.b8 [{}], r;"
    for target, version in (("75", "9.0"), ("80", "9.0"), ("86", "9.0"), ("89", "9.0"), ("90", "8.0"), ("90", "9.0"),
        ("90a", "8.0"), ("90a", "9.0"), ("100", "9.0"), ("100a", "9.0"), ("100f", "9.0"), ("103", "9.0"), ("103a",
        "9.0"),
                            ("103f", "9.0"), ("110", "9.0"), ("110a", "9.0"), ("110f", "9.0"), ("120", "9.0"), ("120a",
                                "9.0"), ("120f", "9.0"), ("121", "9.0"), ("121a", "9.0"), ("70", "9.0"), ("60", "7.0"),
                                ("20", "3.0"), ("13", "1.4")):
        for n in (16384, 16385, 48128, 48129, 49152, 49153, 65537, 101376, 101377, 166912, 166913, 232448, 232449):
            case("shared", f".shared .b8 s[{n}]; " + entry(".reg .b16 r; mov.u16 r, 1; " + use.format("s")), target,
                version)
    for n in (49151, 49152, 49153, 49150, 49136):
        for a in (1, 8, 16, 128, 1024):
            m = f".shared .align {a} .b8 s[{n - a}]; .shared .b8 t[{a}]; "
            case("shared", m + entry(".reg .b16 r; mov.u16 r, 1; " + use.format("s") + use.format("t")))
            m = f".shared .b8 t[1]; .shared .align {a} .b8 s[{n - a}]; "
            case("shared", m + entry(".reg .b16 r; mov.u16 r, 1; " + use.format("s") + use.format("t")))
            case("shared", m + entry(".reg .b16 r; mov.u16 r, 1; " + use.format("s")))
            case("shared", entry(m))
    s, big = ".reg .b16 r; mov.u16 r, 1; ", ".shared .b8 {}[30000]; "
    for text in (entry(".shared .b8 s[60000];"), ".shared .b8 s[60000]; " + entry(""),
        big.format("s") + big.format("t") + entry(s + use.format("s")),
        big.format("s") + big.format("t") + entry(s + use.format("s") + use.format("t")),
                 big.format("s") + big.format("t") + entry(s + use.format("s"))
                     + entry(s + use.format("t")).replace(" k(",
                     " j("), ".func f() { .shared .b8 s[60000]; ret; } " + entry("call f;"),
                     ".func f() { .shared .b8 s[60000]; ret; } " + entry(""),
                     ".func f() { .shared .b8 s[60000]; ret; }", ".visible .func f() { .shared .b8 s[60000]; ret; }",
                 ".func f() { .shared .b8 s[30000]; ret; } " + entry(".shared .b8 t[30000]; call f;"),
                     ".func f() { .shared .b8 s[30000]; ret; } .func g() { .shared .b8 t[30000]; ret; } "
                         + entry("call f; call g;"),
                     ".func g() { .shared .b8 t[30000]; ret; } .func f() { .shared .b8 s[30000]; call g; ret; } "
                         + entry("call f;"),
                     ".func g() { .shared .b8 t[30000]; ret; } .func f() { .shared .b8 s[30000]; call g; ret; } "
                         + entry("call g;"),
                 ".extern .shared .b8 s[]; "
                     + entry(".shared .b8 t[49152]; .reg .b16 r; mov.u16 r, 1; " + use.format("s")),
                     ".extern .shared .b8 s[60000]; " + entry(s + use.format("s")),
                     ".extern .shared .b8 s[60000]; " + entry(""),
                     entry("{ .shared .b8 s[30000]; } { .shared .b8 t[30000]; }"),
                     entry("{ .shared .b8 s[30000]; } { .shared .b8 s[30000]; }"),
                     entry("bra E; .shared .b8 s[60000]; E:"),
                     big.format("s") + big.format("t") + ".func f() { " + s + use.format("s") + " ret; } "
                         + entry(s + use.format("t") + "call f;"),
                 ".func f() { .shared .b8 s[60000]; ret; } .global .u64 t = f; "
                     + entry(".reg .b64 d; ld.global.u64 d, [t]; P: .callprototype _ (); call d, P;"),
                     ".func f() { .shared .b8 s[60000]; ret; } "
                         + entry(".reg .b64 d; mov.u64 d, f; P: .callprototype _ (); call d, P;"),
                     ".func f() { .shared .b8 s[60000]; ret; } .global .u64 t = f; " + entry(""),
                     ".func f() { .shared .b8 s[60000]; ret; } " + entry(".reg .b64 d; mov.u64 d, f;"),
                     ".func f() { .shared .b8 s[60000]; ret; } .global .u64 t = f; "
                         + entry(".reg .b64 d; ld.global.u64 d, [t]; P: .calltargets f; call d, P;"),
                 ".func f(); .func g() { .shared .b8 t[30000]; call f; ret; } .func f() { .shared .b8 s[30000]; call g; ret; } "
                     + entry("call f;"),
                     ".func f(); " + entry("call f;") + ".func f() { .shared .b8 s[60000]; ret; }",
                     ".func f() { .shared .b8 s[60000]; ret; } .func g(); .alias g, f; " + entry("call g;"),
                     ".weak .func f() { .shared .b8 s[60000]; ret; } " + entry("call f;"),
                     ".extern .shared .align 1024 .b8 s[]; "
                         + entry(".shared .b8 t[48129]; .reg .b16 r; mov.u16 r, 1; " + use.format("s")),
                     ".weak .shared .b8 s[60000]; " + entry(s + use.format("s")),
                     ".visible .shared .b8 s[60000]; " + entry("")):
        case("shared", text)
    for n in (16384, 65536, 65537, 65540):
        case("const", f".const .b8 c[{n}];")
        case("const", f".const .b8 c[{n}]; " + entry(".reg .b32 r; ld.const.u32 r, [c];"))
        case("const",
            f".const .b8 a[4]; .const .align 8 .b8 c[{n - 8}]; " + entry(".reg .b32 r; ld.const.u32 r, [c];"))
        case("const", f".const .b8 a[4]; .const .b8 c[{n - 4}]; " + entry(".reg .b32 r; ld.const.u32 r, [a];"))
    case("const", ".const .b8 a[32768]; .const .b8 b[32768]; .const .b8 c[4];")
    for n in (16384, 16385, 524288, 524289, 1 << 20, (1 << 24) - 16, 1 << 24, 1 << 25):
        for target, version in (("90", "9.0"), ("75", "9.0"), ("13", "1.4")):
            case("local", entry(f".local .b8 l[{n}]; .reg .b16 r; mov.u16 r, 1; st.local.u8 [l], r;"), target, version)
            case("local",
                f".func f() {{ .local .b8 l[{n}]; .reg .b16 r; mov.u16 r, 1; st.local.u8 [l], r; ret; }} "
                    + entry("call f;"),
                target, version)
    case("local", entry(".local .b8 l[400000]; .local .b8 m[400000];"))
    case("local", ".local .b8 l[4];")
    case("local", ".local .b8 l[4]; " + entry(".reg .b16 r; mov.u16 r, 1; st.local.u8 [l], r;"))


# ---- headers, pragmas, files ----

def headers():
    for text in ('.pragma "nounroll";', '.pragma "nounroll"', ".pragma nounroll;", '.pragma "a", "b";', '.pragma "";',
        '.pragma;', '.pragma "nounroll",;', ".pragma 'a';"):
        case("pragma", text + " " + entry(""))
        case("pragma", entry(text))
        case("pragma", entry("L: " + text + " bra L;"))
        case("pragma", entry("", "", text))
        case("pragma", ".func f() " + text + " { ret; }")
        case("pragma", entry(".reg .pred p; @p " + text))
        case("pragma", text, "20", "1.5")
    for text in ('.file 1 "a"', '.file 0 "a"', '.file -1 "a"', '.file "a"', ".file 1", ".file 1 a", '.file 1 "a", 1',
        '.file 1 "a", 1, 2', '.file 1 "a", 1, 2, 3', '.file 1 "a";', '.file 1 "a" .file 1 "a"',
        '.file 1 "a" .file 1 "b"', '.file 1.0 "a"', '.file 4294967296 "a"', '.file 100000 "a"', ".loc 1 1 1",
        '.file 1 "a" .loc 1 1 1'):
        case("file", text + " " + entry(""))
        case("file", entry("") + " " + text)
    for text in (".loc 1 1 1", ".loc 1 1", ".loc 1", ".loc", ".loc 2 1 1", ".loc 1 0 0", ".loc 1 -1 0", ".loc 1 1 1;",
        ".loc 1 1 1 1", ".loc 1 1 1, function_name f, inlined_at 1 1 1", ".loc 1 1 1, inlined_at 1 1 1",
        ".loc 1 1 1, function_name f", ".loc 1 1 1, function_name f+4, inlined_at 1 1 1", ".loc 1.0 1 1", ".loc 0 1 1",
        ".loc 1 4294967296 1", ".loc 1 1 4294967296", ".reg .pred p; @p .loc 1 1 1 ", ".loc 1 1 1, other 1",
        ".loc 1 1 1, inlined_at 1 1 1, function_name f"):
        case("loc", '.file 1 "a" ' + entry(text))
        case("loc", '.file 1 "a" ' + entry(text + " .reg .b32 r; mov.u32 r, 1;"))
        case("loc", entry(text) + ' .file 1 "a" ')
    for text in (".section .debug_str { }", ".section .debug_str { .b8 1 }", ".section .debug_str { .b8 1; }",
        ".section .other { .b8 1 }", ".section debug_str { }", ".section { }", ".section .debug_str",
        ".section .debug_str { .b8 256 }", ".section .debug_str { .b16 65536 }", ".section .debug_str { .u8 1 }",
        ".section .debug_str { .b8 }", ".section .debug_str { L: .b8 1 }", ".section .debug_str { .b32 L }",
        ".section .debug_str { .b64 L L: }", ".section .debug_str { .b32 .debug_str }",
        ".section .debug_str { .b32 .debug_str+4 }", ".section .debug_str { .b32 .debug_info }",
        ".section .debug_str { } .section .debug_str { }", ".section .debug_str { .b8 -1 }",
        ".section .debug_str { .b8 1,2,3 }", ".section .debug_str { .b8 1, }", ".section .debug_str { 1 }",
        ".section .debug_str { .b8 1.0 }", ".section .debug_str { { } }", ".section .debug_str { .b32 a-b }",
        ".section .debug_str { .b64 1 .b8 2 }"):
        case("section", text + " " + entry(""))
        case("section", entry("") + " " + text)
    for text in (".address_size 64", ".address_size 32", ".address_size 64 .address_size 64", ".address_size 16",
        ".address_size", ".address_size 64;", ".target sm_90", ".version 9.0", ".version 9.0 .target sm_90",
        ".target sm_80", ".target debug", ".target texmode_independent", ".target texmode_unified"):
        case("header", text + " " + entry(""))
        case("header", entry("") + " " + text)
    for target in ("90", "90a", "100", "100a", "100f", "120", "121f", "110", "101", "103a", "88", "89", "87", "86",
        "80", "75", "72", "70", "62", "61", "60", "53", "52", "50", "37", "35", "32", "30", "21", "20", "13", "12",
        "11", "10", "14", "22", "36", "51", "63", "71", "76", "81", "91", "99", "95", "104", "111", "122", "130",
        "200", "80a", "89a", "90f", "90b", "75f", "", "x", "9", "090"):
        for version in ("9.0", "8.0", "7.0", "6.0", "3.0", "1.0"):
            case("header", entry(""), target, version)
    for version in ("9.1", "9.2", "10.0", "8.9", "7.9", "6.6", "5.1", "4.4", "3.3", "2.4", "1.6", "0.9", "9", "9.00",
        "9.0.1", "09.0", "", "x", "6.7", "5.2", "9.10"):
        case("header", entry(""), "20", version)
        case("header", entry(""), "90", version)
    for options in ("debug", "texmode_independent", "texmode_unified", "map_f64_to_f32", "debug, debug",
        "debug, texmode_independent", "texmode_independent, texmode_unified", "other", "sm_80", "sm_90", "", "debug,",
        "texmode_raw"):
        for target in ("90", "20", "12"):
            for version in ("9.0", "2.0"):
                case("header", entry(""), f"{target}, {options}", version)
    for a in (".managed", ".unified(1, 2)", ".unified(1)", ".unified", ".unified()", ".managed, .managed",
        ".managed, .unified(1, 2)", ".other", "", ".unified(1,2,3)", ".managed(1)", ".unified(0xffffffffffffffff, 1)",
        ".unified(-1, 1)", ".unified(1.0, 1)"):
        for thing in (".global .attribute({}) .u32 x;", ".const .attribute({}) .u32 x;",
            ".shared .attribute({}) .u32 x;", ".global .u32 .attribute({}) x;",
            ".global .attribute({}) .align 8 .u32 x;", ".global .align 8 .attribute({}) .u32 x;",
            ".func .attribute({}) f() {{ ret; }}", ".entry .attribute({}) k() {{ ret; }}",
            ".attribute({}) .global .u32 x;", ".extern .global .attribute({}) .u32 x;",
            ".func f() .attribute({}) {{ ret; }}"):
            case("attribute", thing.format(a))
    for text in (".alias f, g;", ".func f() { ret; } .func g(); .alias g, f;",
        ".func g(); .alias g, f; .func f() { ret; }", ".func g(); .func f() { ret; } .alias f, g;",
        ".func g(); .alias g, g;", ".func f() { ret; } .func g() { ret; } .alias g, f;",
        ".func f() { ret; } .alias g, f;", ".func g(); .func f(.param .u32 a) { ret; } .alias g, f;",
        ".visible .func f() { ret; } .visible .func g(); .alias g, f;",
        ".weak .func f() { ret; } .func g(); .alias g, f;", ".entry f() { ret; } .func g(); .alias g, f;",
        ".entry f() { ret; } .entry g(); .alias g, f;", ".global .u32 f; .func g(); .alias g, f;",
        ".func f() { ret; } .func g(); .alias g, f", ".func f() { ret; } .func g(); .alias g f;",
        ".func f() { ret; } .func g(); .alias g, f; .alias g, f;",
        ".func f() { ret; } .func g(); .func h(); .alias g, f; .alias h, g;",
        ".func f() { ret; } .func g(); .alias g, f; .func g() { ret; }", ".extern .func f(); .func g(); .alias g, f;",
        ".func f() { ret; } .extern .func g(); .alias g, f;", ".func f() .noreturn { exit; } .func g(); .alias g, f;",
        ".func f() .noreturn { exit; } .func g() .noreturn; .alias g, f;"):
        case("alias", text + " " + entry(""))
    for text in (".func f() .noreturn { ret; }", ".func f() .noreturn { exit; }", ".func f() .noreturn { trap; }",
        ".func (.param .u32 r) f() .noreturn { exit; }", ".func f() .noreturn; .func f() { exit; }",
        ".func f(); .func f() .noreturn { exit; }", ".func f() .noreturn; .func f() .noreturn { exit; }", entry("ret;",
        "", ".noreturn"), ".func f() .noreturn .noreturn { exit; }", ".func f() .noreturn { }", ".func f() { }",
        ".entry k() { }", ".func (.param .u32 r) f() { }", ".func (.reg .u32 r) f() { ret; }"):
        case("noreturn", text)


def all_cases():
    for make in (types, shapes, initial_values, kernel_directives, linkages, redeclarations, names, parameters, calls,
        limits, headers):
        make()
    return sorted(cases)


# ---- both ----

def architecture(target):
    first = target.split("sm_")[-1].split(",")[0]  # of several architectures the last one counts
    number = int("0" + "".join(c for c in first if c.isdigit()))
    return "sm_" + first.replace("101", "110") if number > OLDEST and first in KNOWN else f"sm_{OLDEST}"


KNOWN = {m[1] + m[2].strip("_") for m in re.finditer(r"^TARGET\((\d+), (\w)",
    open(ROOT + "/src/ptx/targets.def").read(), re.M)}


def module_of(item):
    version, target, text = item
    return f".version {version}\n.target sm_{target}\n{text}\n"


def ask(item):
    """Returns ptxas's message for the module; empty if it accepts the module."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(module_of(item))
        f.flush()
        limits = ["sh", "-c", 'ulimit -t 10 -v 8000000; exec "$@"', "sh"]
        done = subprocess.run(limits + ["ptxas", "-arch=" + architecture(item[1]), f.name, "-o", os.devnull],
                              capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    if done.returncode < 0:
        return "crashes ptxas"
    for line in done.stderr.splitlines():
        m = re.search(r"(?:error|fatal)\s*: (.*)", line)
        if m:
            return m[1].strip()
    return "fails"


def read_cache(path):
    try:
        with open(path) as f:
            return {tuple(row[:3]): row[3] for row in json.load(f)}
    except OSError:
        return {}


def ask_all(items, cache, jobs):
    said = read_cache(cache)
    missing = [item for item in items if item not in said]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for k, (item, answer) in enumerate(zip(missing, pool.map(ask, missing))):
            said[item] = answer
            if cache and (k % 200 == 199 or k + 1 == len(missing)):
                with open(cache, "w") as f:
                    json.dump([list(key) + [value] for key, value in said.items()], f)
    return said


def judge(tool, items):
    """Returns haul's message for each module; empty if it accepts the module."""
    done = subprocess.run([tool, "modules"], input="".join("\t".join(item) + "\n" for item in items),
        capture_output=True,
                          text=True, check=True)
    return done.stdout.split("\n")[:-1]


def reason(text):
    return re.sub(r"'[^']*'|\d+", "..", re.sub(r"^form:\d+:\d+: ", "", text))


def is_explained(who, group, message):
    return any(who == side and pattern.search(f"{group}: {message}") for side, pattern in EXPLAINED)


def differences_of(items, said, ours):
    """(who, group, reason): [(module, message)]; without those where ptxas came to no end."""
    found = collections.defaultdict(list)
    for item in items:
        if bool(said[item]) != bool(ours[item]) and said[item] != "crashes ptxas":
            who, message = ("ptxas", said[item]) if said[item] else ("haul", ours[item])
            found[who, cases[item], reason(message)].append((item, message))
    return found


def record(path, items, said, ours, most):
    """Up to `most` modules of each group and verdict, those that both judge alike, in an order that hashes give."""
    kept = collections.defaultdict(list)
    for item in sorted(items, key=lambda i: hashlib.sha1(repr(i).encode()).digest()):
        kept[cases[item], reason(said[item])].append(item)
    chosen = [i for some in kept.values() for i in [i for i in some if bool(said[i]) == bool(ours[i])][:most]]
    with open(path, "w") as f:
        f.writelines("\t".join((cases[i], *i[:2], said[i], i[2])) + "\n" for i in sorted(chosen,
            key=lambda i: (cases[i], i)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--cache", default="")
    parser.add_argument("--record", default="")
    parser.add_argument("--most", type=int, default=20, help="modules that --record keeps of each group and verdict")
    options = parser.parse_args()
    items = [item for item in all_cases() if re.match(options.only, cases[item])]
    said = ask_all(items, options.cache, options.jobs)
    ours = dict(zip(items, judge(options.tool, items)))
    found = differences_of(items, said, ours)
    unexplained = {key: some for key, some in found.items() if not is_explained(key[0], key[1], some[0][1])}
    for (who, group, _), some in sorted(unexplained.items(), key=lambda d: (d[0][0], d[0][1], -len(d[1]))):
        print(f"only {who} refuses {len(some)} of {group}: {some[0][1]}")
        for (version, target, text), _ in some[:3]:
            print(f"    .version {version} sm_{target}: {text}")
    if options.record:
        record(options.record, items, said, ours, options.most)
    total, left = (sum(map(len, some.values())) for some in (found, unexplained))
    print(f"{len(items)} modules, {total} differences, {left} not explained")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
