#!/usr/bin/env python3
"""Compares the machine accesses that haul predicts (haul_foreseen) with machine code: of random kernels, cut down to what
still differs, or of PTX files. Needs ptxas and cuobjdump of the CUDA toolkit (or what PTXAS and CUOBJDUMP
name). docs/memory-evidence.md says what it has found.

usage: compare.py BUILD [--seed N] [--kernels N] [--loops] [--only KIND,...] [FILE.ptx ...]
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

HEAD = ".version 8.3\n.target sm_90\n.address_size 64\n"
TYPES = {"u8": 1, "s8": 1, "u16": 2, "u32": 4, "f32": 4, "u64": 8, "f64": 8}

# ---- machine code ----

ACCESS = re.compile(r"^\s+/\*[0-9a-f]+\*/\s+(@!?U?P\S+\s+)?(LDS|STS|LDG|STG|LDL|STL|RED|REDG|ATOMG|ATOM|ATOMS|LDGSTS)((?:\.[A-Z0-9_]+)*) ")
LETTERS = {"LDS": "LDS", "STS": "STS", "LDG": "LDG", "STG": "STG", "LDL": "LDL", "STL": "STL", "RED": "RED", "REDG": "RED",
           "ATOMG": "ATOMG", "ATOM": "ATOMG", "ATOMS": "ATOMS"}


def width(suffixes):
    for s in suffixes.split("."):
        if s in ("U8", "S8"):
            return 8
        if s in ("U16", "S16"):
            return 16
        if s in ("64", "128"):
            return int(s)
    return 32


def machine_accesses(disassembly):
    """{kernel: Counter of NAME.BITS}"""
    kernels, current = {}, None
    for line in disassembly.splitlines():
        head = re.search(r"Function : (\S+)", line)
        if head:
            current = kernels.setdefault(head[1], collections.Counter())
            continue
        m = ACCESS.match(line)
        if not m or (m[1] and "PT " in m[1]):  # never executed: fillers in front of copies
            continue
        if m[2] == "LDGSTS":
            current["%s.%d" % ("BYPASS" if "BYPASS" in m[3] else "LDGSTS", width(m[3]))] += 1
            current["PREDICATED.LDGSTS" if m[1] else "PLAIN.LDGSTS"] += 1
        elif m[2] in ("ATOMS", "ATOMG", "ATOM", "RED", "REDG"):
            current[LETTERS[m[2]]] += 1
        else:
            current["%s.%d" % (LETTERS[m[2]], width(m[3]))] += 1
    return kernels


def assemble(ptx, arch):
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
        with open(source, "w", encoding="ascii") as f:
            f.write(ptx)
        subprocess.run([os.environ.get("PTXAS", "ptxas"), "-arch=" + arch, source, "-o", cubin], check=True)
        dump = [os.environ.get("CUOBJDUMP", "cuobjdump"), "-sass", cubin]
        return machine_accesses(subprocess.run(dump, check=True, capture_output=True, text=True).stdout)


def foresee(build, ptx):
    out = subprocess.run([os.path.join(build, "tools", "haul_foreseen")], input=ptx, check=True, capture_output=True, text=True)
    kernels = collections.defaultdict(collections.Counter)
    for line in out.stdout.splitlines():
        kernel, access, count = line.split()
        if access.split(".")[0] in ("RED", "ATOMG", "ATOMS"):
            access = access.split(".")[0]
        kernels[kernel][access] += int(count)
    return kernels


# ---- random kernels: a list of statements ----

SHARED_BASES = {"%t16": 16, "%t8": 8, "%t4": 4, "%n1": 1, "%n8": 8, "s": 16, "q": 4, "%c": 16}
GLOBAL_BASES = ["%g16", "%g4", "%h16"]


def random_access(r, bases, kinds):
    base = r.choice(bases)
    kind = r.choice(kinds)
    size = TYPES[kind]
    vector = r.choice([1, 1, 1, 1, 2, 4]) if size <= 4 else r.choice([1, 1, 2])
    while vector * size > 16:
        vector //= 2
    whole = vector * size
    # what the base is not known to divide by, PTX may not promise
    if base in SHARED_BASES and SHARED_BASES[base] < whole:
        vector, whole = 1, size
    return base, r.randrange(0, 64 // whole) * whole, kind, vector


def statements(r, depth, length, loops):
    kinds = r.choice([["u32"], ["f32"], ["u32", "u64"], ["u32", "u16", "u8"], ["u32", "f32", "u64"], list(TYPES)])
    bases = r.sample(list(SHARED_BASES), r.choice([1, 1, 2, 3]))
    weights = {"load": 10, "store": 4, "gload": 2, "gstore": 1, "if": 2 if depth else 0, "bar": 0.7, "shfl": 0.7, "atom": 0.4, "vload": 0.4,
               "warp": 0.3, "loop": 1 if loops and depth else 0}
    out = []
    for _ in range(length):
        what = r.choices(list(weights), list(weights.values()))[0]
        if what in ("load", "vload"):
            out.append((what, random_access(r, bases, kinds), r.random() < 0.9))
        elif what == "store":
            out.append((what, random_access(r, bases, kinds)))
        elif what in ("gload", "gstore"):
            out.append((what, random_access(r, GLOBAL_BASES, kinds)))
        elif what == "if":
            then = statements(r, depth - 1, r.choice([1, 2, 4]), loops)
            other = statements(r, depth - 1, r.choice([1, 3]), loops) if r.random() < 0.3 else []
            out.append((what, r.randrange(1 << 16), then, other))
        elif what == "loop":
            out.append((what, statements(r, depth - 1, r.choice([1, 2, 4]), loops)))
        else:
            out.append((what,))
    return out


class Printer:
    """PTX of a list of statements. Loaded values end up in %acc: at once, or (late) at the end of their list."""

    def __init__(self, late):
        self.late, self.lines, self.next, self.label = late, [], 0, 0

    def new(self, kind):
        self.next += 1
        name = "%%%s_%d" % (kind, self.next)
        self.lines.append(".reg .%s %s;" % ({"u8": "u16", "s8": "s16"}.get(kind, kind), name))
        return name

    def use(self, kind, name):
        if kind in ("f32", "u32"):
            return ["xor.b32 %%acc, %%acc, %s;" % name] if kind == "u32" else \
                   ["{ .reg .b32 %%x; mov.b32 %%x, %s; xor.b32 %%acc, %%acc, %%x; }" % name]
        if kind in ("u64", "f64"):
            return ["{ .reg .b32 %%x, %%y; mov.b64 {%%x, %%y}, %s; xor.b32 %%acc, %%acc, %%x; add.u32 %%acc, %%acc, %%y; }" % name]
        return ["{ .reg .b32 %%x; cvt.%s.%s %%x, %s; add.u32 %%acc, %%acc, %%x; }" % ("s32" if kind == "s8" else "u32", "s16" if kind == "s8" else "u16", name)]

    def value(self, kind):
        return {"u32": "%acc", "f32": "%fv", "u64": "%dv", "f64": "%ev", "u16": "%hv", "u8": "%hv", "s8": "%hs"}[kind]

    def access(self, a):
        base, offset, kind, vector = a
        return "[%s+%d]" % (base, offset), kind, vector, (".v%d" % vector if vector > 1 else "") + "." + kind

    def load(self, space, a, used):
        place, kind, vector, suffix = self.access(a)
        regs = [self.new(kind) for _ in range(vector)]
        self.lines.append("ld.%s%s %s, %s;" % (space, suffix, "{%s}" % ", ".join(regs) if vector > 1 else regs[0], place))
        return [u for k in regs for u in self.use(kind, k)] if used else []

    def store(self, space, a):
        place, kind, vector, suffix = self.access(a)
        value = self.value(kind)
        self.lines.append("st.%s%s %s, %s;" % (space, suffix, place, "{%s}" % ", ".join([value] * vector) if vector > 1 else value))

    def block(self, body):
        pending = []
        for s in body:
            uses = []
            if s[0] == "load":
                uses = self.load("shared", s[1], s[2])
            elif s[0] == "vload":
                uses = self.load("volatile.shared", s[1], s[2])
            elif s[0] == "gload":
                uses = self.load("global", s[1], True)
            elif s[0] == "store":
                self.store("shared", s[1])
            elif s[0] == "gstore":
                self.store("global", s[1])
            elif s[0] == "if":
                self.branch(s)
            elif s[0] == "loop":
                self.loop(s)
            else:
                self.lines += {"bar": ["bar.sync 0;"], "warp": ["bar.warp.sync 0xffffffff;"],
                               "shfl": ["shfl.sync.bfly.b32 %acc, %acc, 1, 31, 0xffffffff;"],
                               "atom": ["atom.shared.add.u32 %old, [%t4], %acc;"]}[s[0]]
            if self.late:
                pending += uses
            else:
                self.lines += uses
        self.lines += pending

    def branch(self, s):
        if not s[2] and not s[3]:
            return
        self.label += 1
        self.lines.append("{ .reg .pred %%p%d; setp.gt.u32 %%p%d, %%t, %d;" % (s[1], s[1], s[1]))
        label = "L%d" % self.label
        if s[3]:
            self.lines.append("@%%p%d bra %s;" % (s[1], label))
            self.block(s[2])
            self.lines += ["bra %sE;" % label, label + ":"]
            self.block(s[3])
            self.lines.append(label + "E:")
        else:
            self.lines.append("@%%p%d bra %s;" % (s[1], label))
            self.block(s[2])
            self.lines.append(label + ":")
        self.lines.append("}")

    def loop(self, s):
        self.label += 1
        label = "L%d" % self.label
        self.lines += [".reg .u32 %%i%d;" % self.label, "mov.u32 %%i%d, %%n;" % self.label, label + ":", '.pragma "nounroll";']
        number = self.label
        self.block(s[1])
        self.lines += ["sub.u32 %%i%d, %%i%d, 1;" % (number, number), "setp.ne.u32 %%pl, %%i%d, 0;" % number, "@%%pl bra %s;" % label]


def kernel(name, body, late):
    p = Printer(late)
    p.block(body)
    return """.visible .entry %s(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n, .param .u32 p_m) {
.reg .u32 %%t, %%n, %%m, %%acc, %%old, %%t16, %%t8, %%t4, %%n1, %%n8, %%x0, %%c;
.reg .u64 %%g16, %%g4, %%h16, %%in, %%out, %%o, %%dv; .reg .f32 %%fv; .reg .f64 %%ev; .reg .u16 %%hv; .reg .s16 %%hs; .reg .pred %%pl;
.shared .align 16 .b8 s[4096]; .shared .align 4 .b8 q[1024];
ld.param.u64 %%in, [p_in]; ld.param.u64 %%out, [p_out]; ld.param.u32 %%n, [p_n]; ld.param.u32 %%m, [p_m];
cvta.to.global.u64 %%in, %%in; cvta.to.global.u64 %%out, %%out;
mov.u32 %%t, %%tid.x; mov.u32 %%c, s;
mad.lo.u32 %%t16, %%t, 16, %%c; mad.lo.u32 %%t8, %%t, 8, %%c; mad.lo.u32 %%t4, %%t, 4, %%c; add.u32 %%n1, %%c, %%m; shl.b32 %%x0, %%n, 3; add.u32 %%n8, %%c, %%x0;
mad.wide.u32 %%g16, %%t, 16, %%in; mad.wide.u32 %%g4, %%t, 4, %%in; mad.wide.u32 %%h16, %%t, 16, %%out; mad.wide.u32 %%o, %%t, 4, %%out;
mov.u32 %%acc, %%m;
cvt.rn.f32.u32 %%fv, %%m; cvt.u64.u32 %%dv, %%m; cvt.rn.f64.u32 %%ev, %%n; cvt.u16.u32 %%hv, %%m; cvt.s16.u32 %%hs, %%m;
%s
st.global.u32 [%%o+4096], %%acc;
ret;
}
""" % (name, "\n".join(p.lines).replace("%acc_", "%acc"))


def text(cases):
    return HEAD + "".join(kernel(name, body, late) for name, body, late in cases)


# ---- what still differs when less is left ----

def smaller(body):
    for k, s in enumerate(body):
        yield body[:k] + body[k + 1:]
    for k, s in enumerate(body):
        if s[0] == "if":
            yield body[:k] + s[2] + body[k + 1:]
            for then in smaller(s[2]):
                yield body[:k] + [("if", s[1], then, s[3])] + body[k + 1:]
            if s[3]:
                yield body[:k] + [("if", s[1], s[2], [])] + body[k + 1:]
                for other in smaller(s[3]):
                    yield body[:k] + [("if", s[1], s[2], other)] + body[k + 1:]
        if s[0] == "loop":
            yield body[:k] + s[1] + body[k + 1:]
            for inner in smaller(s[1]):
                yield body[:k] + [("loop", inner)] + body[k + 1:]


def differing(build, arch, cases, only):
    ptx = text(cases)
    machine, foreseen = assemble(ptx, arch), foresee(build, ptx)
    return {name: (foreseen[name], machine[name]) for name, _, _ in cases
            if any(foreseen[name][k] != machine[name][k] for k in set(foreseen[name]) | set(machine[name]) if not only or k.split(".")[0] in only)}


def shrink(build, arch, body, late, only):
    while True:
        cases = [("c%d" % k, b, late) for k, b in enumerate(smaller(body))]
        bad = differing(build, arch, cases, only) if cases else {}
        left = [b for name, b, _ in cases if name in bad]
        if not left:
            return body
        body = min(left, key=lambda b: len(repr(b)))


def show(difference):
    foreseen, machine = difference
    names = sorted(k for k in set(foreseen) | set(machine) if foreseen[k] != machine[k])
    return "  ".join("%s %d foreseen, %d made" % (k, foreseen[k], machine[k]) for k in names)


def describe(body, indent=1):
    for s in body:
        if s[0] == "if":
            print("    " * indent + "if")
            describe(s[2], indent + 1)
            if s[3]:
                print("    " * indent + "else")
                describe(s[3], indent + 1)
        elif s[0] == "loop":
            print("    " * indent + "loop")
            describe(s[1], indent + 1)
        else:
            print("    " * indent + " ".join(str(x) for x in s))


def compare_random(options, only):
    r = random.Random(options.seed)
    cases = [("k%d" % k, statements(r, 2, r.choice([4, 8, 12, 20]), options.loops), r.random() < 0.5) for k in range(options.kernels)]
    bad = differing(options.build, options.arch, cases, only)
    seen = collections.Counter()
    for name, body, late in cases:
        if name not in bad or len(seen) >= options.show:
            continue
        body = shrink(options.build, options.arch, body, late, only)
        difference = differing(options.build, options.arch, [("k", body, late)], only)["k"]
        key = repr([(s[0],) for s in body]) + show(difference)
        seen[key] += 1
        if seen[key] == 1:
            print("%s %s: %s" % (name, "late" if late else "at once", show(difference)))
            describe(body)
    print("%d of %d kernels as foreseen" % (len(cases) - len(bad), len(cases)))
    return bool(bad)


def compare_file(options, path, only):
    with open(path, encoding="utf-8") as f:
        ptx = f.read()
    machine, foreseen = assemble(ptx, options.arch), foresee(options.build, ptx)
    agree = 0
    for name in machine:
        keys = [k for k in set(foreseen[name]) | set(machine[name]) if not only or k.split(".")[0] in only]
        if all(foreseen[name][k] == machine[name][k] for k in keys):
            agree += 1
        else:
            print("%s: %s: %s" % (path, name, show((foreseen[name], machine[name]))))
    print("%s: %d of %d kernels as foreseen" % (path, agree, len(machine)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernels", type=int, default=300)
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--arch", default="sm_90")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    for path in options.files:
        compare_file(options, path, only)
    return 0 if options.files else compare_random(options, only)


if __name__ == "__main__":
    sys.exit(main())
