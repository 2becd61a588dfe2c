"""Makes recorded launches small enough for a repository.

    condense.py RECORDED.jsonl TARGET.jsonl [PTX_BYTES] [INPUT_BYTES]

Reads launches that `haul replay --record` wrote. Numbers in their buffers become fill rules of the same type, so they have to be counted on
a GPU again. Launches that a GPU has counted keep their contents, and are left out if these have more than INPUT_BYTES (default 65536). PTX
loses debug information; launches whose PTX stays longer than PTX_BYTES (default 60000) are left out. Files go to TARGET.files."""
import array
import hashlib
import json
import pathlib
import re
import sys

MOST_BYTES = 8192  # of a buffer that is kept as it is
FILE_BYTES = 64  # smaller ones always are
SAMPLE = 50000  # elements that are looked at


def exponents_fit(data, code, shift, mask, low, high):
    """Whether nearly all elements that are not zero have an exponent between the bounds."""
    elements = array.array(code, data)
    found = [e >> shift & mask for e in elements[:SAMPLE] if e & ~(1 << (elements.itemsize * 8 - 1))]
    return bool(found) and sum(low <= e <= high for e in found) > 0.98 * len(found)


def integers(data):
    """A rule for whole numbers from 0 to what is there, so that indices stay within their arrays; None for other data."""
    for kind, code in (("i64", "q"), ("i32", "i"), ("u8", "B")):
        if len(data) % array.array(code).itemsize == 0:
            elements = array.array(code, data)
            if 0 <= min(elements) and max(elements) < 1 << 20:
                return {"buf": kind, "count": len(elements), "uniform": [0, max(elements)]}
    return None


def rule_of(data):
    """A fill rule for contents like these; None for other data than numbers."""
    if len(data) % 4:
        return None
    if not any(data):
        return {"buf": "zero", "words": len(data) // 4}
    for kind, *layout in (("f16", "H", 10, 31, 4, 20), ("f32", "I", 23, 255, 107, 137), ("f64", "Q", 52, 2047, 1003, 1033)):
        if len(data) % array.array(layout[0]).itemsize == 0 and exponents_fit(data, *layout):
            return {"buf": kind, "count": len(data) // array.array(layout[0]).itemsize, "normal": [0, 1]}
    return integers(data)


class Condenser:
    def __init__(self, source, target, most_ptx, most_input):
        self.root, self.most_ptx, self.most_input = source.parent, most_ptx, most_input
        self.files = target.with_suffix(".files")
        self.seed = 0
        self.counted = False  # the current launch has a GPU's counters
        self.bytes = 0  # of its contents
        self.saved = {}  # its files: name and contents

    def save(self, data, ending):
        name = hashlib.sha256(data).hexdigest()[:16] + ending
        self.saved[name] = data
        return f"{self.files.name}/{name}"

    def buffer(self, object):
        data = (self.root / object["path"]).read_bytes()
        if self.counted:
            self.bytes += len(data) if any(data) else 0
            if self.bytes > self.most_input:
                raise ValueError("large buffers")
            zero = {"buf": "zero", "words": len(data) // 4} if not any(data) and len(data) % 4 == 0 else None
            return (zero or {"buf": "file", "path": self.save(data, ".bin")}) | {k: object[k] for k in ("at", "after") if object.get(k)}
        rule = rule_of(data) if len(data) > FILE_BYTES else None
        if rule is None:
            if len(data) > MOST_BYTES:
                raise ValueError("a large buffer of other data than numbers")
            rule = {"buf": "file", "path": self.save(data, ".bin")}
        elif rule["buf"] != "zero":
            self.seed += 1
            rule["seed"] = self.seed
        return rule | ({"at": object["at"]} if object.get("at") else {})

    def argument(self, value):
        if isinstance(value, list):
            return [self.argument(v) for v in value]
        if not isinstance(value, dict):
            return value
        if value.get("buf") == "file":
            return self.buffer(value)
        return {key: self.argument(v) for key, v in value.items() if key != "after"}

    def ptx(self, path):
        text = (self.root / path).read_text()
        text = re.sub(r"^\s*\.(loc|file)\b.*\n", "", text.split("\n.section")[0], flags=re.M)
        text = re.sub(r"^\$L__tmp\d+:\n", "", text, flags=re.M)
        text = re.sub(r"^(\.target [^,\n]*), debug", r"\1", text, flags=re.M)
        if len(text) > self.most_ptx:
            raise ValueError("long PTX")
        return self.save(text.encode(), ".ptx")

    def launch(self, line):
        self.counted, self.bytes, self.saved = "counters" in line, 0, {}
        row = {key: line[key] for key in ("id", "kernel", "grid", "block", "smem", "counters", "us") if key in line}
        row |= {"ptx": self.ptx(line["ptx"]), "args": self.argument(line["args"])}
        row |= {"globals": self.argument(line["globals"])} if "globals" in line else {}
        self.files.mkdir(parents=True, exist_ok=True)
        for name, data in self.saved.items():
            (self.files / name).write_bytes(data)
        return row


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    source, target = map(pathlib.Path, sys.argv[1:3])
    limits = [int(word) for word in sys.argv[3:]] + [60000, 65536][len(sys.argv) - 3:]
    condenser = Condenser(source, target, *limits)
    kept, left = [], 0
    for line in source.read_text().splitlines():
        try:
            kept.append(condenser.launch(json.loads(line)))
        except ValueError:
            left += 1
    target.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in kept))
    print(f"{target.name}: {len(kept)} launches, {left} left out")


if __name__ == "__main__":
    main()
