#!/usr/bin/env python3
"""Registers, shared memory and occupancy of the kernels that ship, beside the same forms written by hand.

usage: tools/device/budget.py [--build FOLDER] [--write]      (needs nvcc, and haul built in FOLDER, default build)

Compiles kernels/ and bench/by_hand/ for sm_80 and sm_90 and prints a table in Markdown; --write puts it into
docs/device.md, between the lines that say so. What a kernel is launched with is what its host function asks for:
FOLDER/tools/haul_list_launches tells.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GUIDE = ROOT / "docs" / "device.md"
BEGIN, END = "<!-- tools/device/budget.py: begin -->\n", "<!-- tools/device/budget.py: end -->\n"
ARCHITECTURES = ("sm_80", "sm_90")
SHARED_OF_SM = {"sm_80": 164 << 10, "sm_90": 228 << 10}

# The form of another name that does the same by hand, in the same file.
TWINS = {"stencil_double_unified": "stencil_by_hand", "fused_roles": "fused_by_hand"}

COMPILED = re.compile(r"Compiling entry function '(\w+)'.*?Used (\d+) registers(?:[^\n]*?(\d+) bytes smem)?", re.S)


def launches(program):
    """(threads, bytes of dynamic shared memory) by architecture and kernel, and each kernel's file, in order."""
    listed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    asked, modules = {a: {} for a in ARCHITECTURES}, {}
    for architecture, module, kernel, threads, shared in map(str.split, listed.splitlines()):
        asked[architecture][kernel] = int(threads), int(shared)
        modules[kernel] = module
    return asked, modules


def compile_module(nvcc, source, architecture):
    """(registers, static shared bytes) by kernel."""
    command = [nvcc, "-O3", f"-arch={architecture}", f"-I{ROOT / 'include'}", "-cubin", "-Xptxas", "-v"]
    run = subprocess.run(command + ["-o", "/dev/null", source], capture_output=True, text=True, check=True)
    if re.search(r"[1-9]\d* bytes (stack frame|spill)", run.stderr):
        print(f"{source}: {architecture}: registers are spilled", file=sys.stderr)
    return {k: (int(r), int(s or 0)) for k, r, s in COMPILED.findall(run.stderr)}


def warps_per_sm(architecture, threads, registers, shared):
    """CUDA's occupancy calculation: registers by 256 a warp, shared memory by 128 bytes and 1 KiB for the system."""
    warps = (threads + 31) // 32
    register_warps = 65536 // ((registers * 32 + 255) // 256 * 256) // 4 * 4
    blocks = min(32, 64 // warps, register_warps // warps)
    blocks = min(blocks, SHARED_OF_SM[architecture] // ((shared + 127) // 128 * 128 + 1024))
    return blocks * warps


def cell(compiled, architecture, launch, kernel):
    if kernel not in compiled or not launch:
        return "–"
    registers, shared = compiled[kernel]
    threads, dynamic = launch
    shared += dynamic if shared < dynamic else 0  # forms by hand may have static arrays instead
    return f"{registers}, {shared}, {warps_per_sm(architecture, threads, registers, shared)}"


def twin_of(kernel):
    """The same by hand: of the same name in bench/by_hand/, or a form of its own beside the kernel."""
    for own, hand in TWINS.items():
        if kernel.startswith(own):
            return "kernels", hand + kernel[len(own) :]
    return "bench/by_hand", kernel


def rows(nvcc, program):
    """(kernel, cells of its own, cells of its twin), a cell for each architecture."""
    asked, modules = launches(program)
    compiled = {
        (folder, m, a): compile_module(nvcc, ROOT / folder / f"{m}.cu", a)
        for folder in ("kernels", "bench/by_hand")
        for m in sorted(set(modules.values()))
        if (ROOT / folder / f"{m}.cu").exists()
        for a in ARCHITECTURES
    }
    for kernel, module in modules.items():
        folder, twin = twin_of(kernel)
        of = [(a, asked[a].get(kernel)) for a in ARCHITECTURES]
        own = [cell(compiled["kernels", module, a], a, launch, kernel) for a, launch in of]
        hand = [cell(compiled.get((folder, module, a), {}), a, launch, twin) for a, launch in of]
        yield kernel, own, hand


def table(nvcc, program):
    everything = list(rows(nvcc, program))
    yield "| kernel | sm_80 | by hand | sm_90 | by hand |\n|---|---|---|---|---|\n"
    for kernel, own, hand in everything:
        if set(hand) != {"–"}:
            yield f"| `{kernel}` | {own[0]} | {hand[0]} | {own[1]} | {hand[1]} |\n"
    yield "\nForms without a twin: plain ones, and variants.\n\n| kernel | sm_80 | sm_90 |\n|---|---|---|\n"
    for kernel, own, hand in everything:
        if set(hand) == {"–"} and not kernel.startswith(tuple(TWINS.values())):
            yield f"| `{kernel}` | {own[0]} | {own[1]} |\n"


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    program = options.build / "tools/haul_list_launches"
    if not nvcc:
        sys.exit("budget: nvcc not found: install the CUDA toolkit")
    if not program.exists():
        sys.exit(f"budget: {program} not found: build haul, or name its folder with --build")
    text = "".join(table(nvcc, program))
    if not options.write:
        print(text, end="")
        return
    guide = GUIDE.read_text(encoding="utf-8")
    head, rest = guide.split(BEGIN)
    GUIDE.write_text(head + BEGIN + text + rest[rest.index(END) :], encoding="utf-8")


if __name__ == "__main__":
    main()
