#!/usr/bin/env python3
"""Registers, shared memory and occupancy of the kernels that ship, beside the same forms written by hand.

usage: tools/device/budget.py [--write]      (needs nvcc)

Compiles kernels/ and bench/by_hand/ for sm_80 and sm_90 and prints a table in Markdown; --write puts it into
docs/device.md, between the lines that say so. Launch shapes come from include/haul/kernels.def and kernels/tuned/.
"""

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

# Kernels that are made for several sizes, and which of these to show.
SIZES = {"stencil": ("_r2", "_r8"), "fused": ("_32",)}
# The form of another name that does the same by hand, in the same file.
TWINS = {"stencil_double_unified": "stencil_by_hand", "fused_roles": "fused_by_hand"}

# A row of kernels.def when the preprocessor has put in the constants of kernels/tuned/.
FORM = re.compile(
    r'^ROW \w+, "(?P<name>\w+)", "(?P<module>\w+)", "(?P<kernel>\w+)", "[^"]*", \d+, \{(?P<x>[^{},]+), (?P<y>[^{},]+)\}, '
    r"\{[^{}]+\}, \w+, (?P<shared>[^,]+), [^,]+$",
    re.M,
)
COMPILED = re.compile(r"Compiling entry function '(\w+)'.*?Used (\d+) registers(?:[^\n]*?(\d+) bytes smem)?", re.S)


def definitions(architecture):
    """The rows of kernels.def, a line each."""
    listed = (ROOT / "include/haul/kernels.def").read_text(encoding="utf-8")
    families = sorted(set(re.findall(r"^(HAUL_KERNEL_\w+)\(", listed, re.M)))
    source = f"#include <kernels/tuned/{architecture}.h>\n"
    source += "".join(f"#define {family}(...) ROW __VA_ARGS__ END\n" for family in families)
    source += "#include <haul/kernels.def>\n"
    command = ["cc", "-E", "-P", "-x", "c", f"-I{ROOT / 'include'}", f"-I{ROOT}", "-"]
    run = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    return re.sub(r"\s+", " ", run.stdout).replace(" END", "\n").replace(" ROW", "ROW")


def number(expression):
    """The value of products and sums of integers."""
    if not re.fullmatch(r"[\d\s+*()-]+", expression):
        sys.exit(f"budget: {expression}: not a number: is it a constant that kernels/tuned/ has no value for?")
    return eval(expression)  # of digits and operators only


def forms(architecture):
    for match in FORM.finditer(definitions(architecture)):
        form = match.groupdict()
        sizes = SIZES.get(form["module"], ("",)) if form["name"] != "plain" or form["module"] == "stencil" else ("",)
        for size in sizes:
            yield dict(form, size=size, threads=number(form["x"]) * number(form["y"]), shared=number(form["shared"]))


def constant(file, name):
    """The number that an enum of a C file gives a name."""
    return int(re.search(rf"\b{name} = (\d+)", (ROOT / file).read_text(encoding="utf-8")).group(1))


def tuned(architecture, name):
    header = (ROOT / f"kernels/tuned/{architecture}.h").read_text(encoding="utf-8")
    return int(re.search(rf"#define {name} (\d+)", header).group(1))


def dynamic_shared(architecture, form):
    """What the host functions of kernels/ ask for."""
    module, name = form["module"], form["name"]
    if module == "stencil" and name == "walk":
        warps, rows, ahead = (tuned(architecture, f"STENCIL_WALK_{n}") for n in ("WARPS", "ROWS", "AHEAD"))
        return warps * (int(form["size"][2:]) + (1 + ahead) * rows) * 576
    if module == "stencil" and name != "plain":
        return (2 - name.startswith("single")) * (128 + 16) * (32 + 2 * int(form["size"][2:])) * 4
    if module == "fused" and name == "strips":
        rows, k = int(form["size"][1:]), 32
        slabs = 2 * tuned(architecture, "FUSED_STRIP_WARPS") * tuned(architecture, "FUSED_STRIP_SLAB_32")
        return (k * rows + slabs * (64 * 32 // rows)) * 4
    if module == "fused" and form["size"]:
        rows, k = int(form["size"][1:]), 32
        stages = constant("kernels/fused.c", "STAGES_OF_ROLES" if name == "roles" else "STAGES")
        return (k * rows + stages * constant("kernels/fused.c", "SLAB") * (128 * 128 // rows)) * 4
    if module == "rows" and name == "transfer":
        return constant("kernels/rows.c", "STAGE_BYTES")
    return form["shared"]


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


def cell(compiled, architecture, form, kernel):
    if kernel not in compiled:
        return ""
    registers, shared = compiled[kernel]
    dynamic = dynamic_shared(architecture, form)
    shared += dynamic if shared < dynamic else 0  # forms by hand may have static arrays instead
    return f"{registers}, {shared}, {warps_per_sm(architecture, form['threads'], registers, shared)}"


def rows(nvcc):
    """(kernel, cells of its own, cells of its twin), a cell for each architecture."""
    everything = {a: list(forms(a)) for a in ARCHITECTURES}
    modules = sorted({form["module"] for form in everything[ARCHITECTURES[0]]})
    compiled = {
        (folder, m, a): compile_module(nvcc, ROOT / folder / f"{m}.cu", a)
        for folder in ("kernels", "bench/by_hand")
        for m in modules
        if (ROOT / folder / f"{m}.cu").exists()
        for a in ARCHITECTURES
    }
    for of_architecture in zip(*everything.values()):
        form = of_architecture[0]
        kernel, in_file = form["kernel"] + form["size"], TWINS.get(form["kernel"])
        twin = in_file + form["size"] if in_file else kernel
        folder = "kernels" if in_file else "bench/by_hand"
        both = list(zip(ARCHITECTURES, of_architecture))
        own = [cell(compiled["kernels", form["module"], a], a, f, kernel) for a, f in both]
        hand = [cell(compiled.get((folder, form["module"], a), {}), a, f, twin) for a, f in both]
        yield kernel, own, hand


def table(nvcc):
    everything = list(rows(nvcc))
    yield "| kernel | sm_80 | by hand | sm_90 | by hand |\n|---|---|---|---|---|\n"
    for kernel, own, hand in everything:
        if any(hand):
            yield f"| `{kernel}` | {own[0]} | {hand[0]} | {own[1]} | {hand[1]} |\n"
    yield "\nForms without a twin: plain ones, and variants.\n\n| kernel | sm_80 | sm_90 |\n|---|---|---|\n"
    for kernel, own, hand in everything:
        if not any(hand) and not kernel.startswith(tuple(TWINS.values())):
            yield f"| `{kernel}` | {own[0]} | {own[1]} |\n"


def main():
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        sys.exit("budget: nvcc not found: install the CUDA toolkit")
    text = "".join(table(nvcc))
    if sys.argv[1:] != ["--write"]:
        print(text, end="")
        return
    guide = GUIDE.read_text(encoding="utf-8")
    head, rest = guide.split(BEGIN)
    GUIDE.write_text(head + BEGIN + text + rest[rest.index(END) :], encoding="utf-8")


if __name__ == "__main__":
    main()
