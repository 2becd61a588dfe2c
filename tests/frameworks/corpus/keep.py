"""Makes what the repository keeps of a folder that record_variants.sh has recorded: all times and states, and a part of the launches with counters.

    keep.py FOLDER TARGET [--most MILLIONS] [--every NVCC OTHERS] [--ptx BYTES]

FOLDER has what was in results.tar.gz. TARGET gets times.tsv, states.tsv, nvcc.jsonl with the PTX of its kernels, and others.jsonl with others.files."""
import argparse
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = re.compile(r'^(\s*\.file\s+\d+\s+")[^"\n]*/', re.M)  # of the source, on the machine that compiled it
FUNCTION = re.compile(r"^\.func(?:[^\n]*\)|)\s*(\w+)\s*\([^{;]*\)\s*(?:;|\{.*?^\})\n", re.M | re.S)
SUMS = re.compile(r"\b(?:red|atom)\.\S*\badd\b\S*\.(?:bf|f)\d")  # their order changes a result's last bits


def accuracy():
    """Returns tools/accuracy as a module."""
    loader = importlib.machinery.SourceFileLoader("accuracy", str(ROOT / "tools" / "accuracy"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("accuracy", loader))
    loader.exec_module(module)
    return module


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def without(value, keys):
    if isinstance(value, dict):
        return {k: without(v, keys) for k, v in value.items() if k not in keys}
    return [without(v, keys) for v in value] if isinstance(value, list) else value


def key_of(launch):
    return json.dumps([launch[k] for k in ("ptx", "kernel", "grid", "block", "smem")] + [without(launch["args"], ("after",))])


def write_tables(sets, folder, target, states_of_gpu):
    times, states, names = ["set\tlaunch\tkernel\tgrid\tblock\tus\tlow\thigh"], [], {}
    for name in sets:
        launches = lines_of(folder / f"{name}.jsonl")
        for i, row in enumerate(launches):
            extents = ["x".join(map(str, row[k])) for k in ("grid", "block")]
            times.append("\t".join(map(str, [name, i, row["kernel"], *extents, row["us"], row["us_low"], row["us_high"]])))
        found = states_of_gpu(folder / f"{name}.states.csv.gz")
        for i, row in enumerate(found if len(found) == len(launches) else []):
            states.append((name, i, row))
            for state, cycles in row.items():
                names[state] = names.get(state, 0) + cycles
    (target / "times.tsv").write_text("\n".join(times) + "\n")
    columns = sorted(names, key=lambda state: -names[state])
    rows = ["\t".join([name, str(i), *(f"{row.get(c, 0):.3g}" for c in columns)]) for name, i, row in states]
    (target / "states.tsv").write_text("\n".join(["\t".join(["set", "launch", *columns]), *rows]) + "\n")
    print(f"{len(times) - 1} times, {len(rows)} with states")


def entries_of(text):
    """A module's head with its variables, its kernels by name, and its functions: name and text, prototypes first."""
    pieces = re.split(r"^\s*// \.globl\s+(\w+)\n", FUNCTION.sub("", text), flags=re.M)
    return pieces[0], dict(zip(pieces[1::2], pieces[2::2])), [(m[1], m[0]) for m in FUNCTION.finditer(text)]


def called(body, functions):
    """The functions that the text calls, directly or not."""
    names = set()
    while True:
        more = {name for name, _ in functions if re.search(rf"\b{name}\b", body)} - names
        if not more:
            return "".join(text for name, text in functions if name in names)
        names |= more
        body += "".join(text for name, text in functions if name in more)


def counted(name, folder, most):
    """Launches with times and counters that have less than so many thread instructions."""
    timed = {key_of(row): row for row in lines_of(folder / f"{name}.jsonl")}
    for row in lines_of(folder / f"{name}.counted.jsonl"):
        first, executed = timed.get(key_of(row)), row["counters"]["thread_inst_executed"]
        if first and (executed if isinstance(executed, int) else max(executed)) < most:
            yield first, row


def kept(number, first, row, text, **more):
    same = json.dumps(first["args"]) == json.dumps(row["args"]) and not SUMS.search(text)
    fields = {k: first[k] for k in ("kernel", "grid", "block", "smem", "us", "us_low", "us_high")}
    return {"id": number, **fields, **more, "args": row["args"] if same else without(row["args"], ("after",)), "counters": row["counters"]}


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    executed = [row["counters"]["thread_inst_executed"] for row in rows]
    print(f"{path.name}: {len(rows)} launches, {sum(e if isinstance(e, int) else max(e) for e in executed) / 1e6:.0f} million thread instructions")


def keep_nvcc(folder, target, most, every):
    rows, used = [], {}
    modules = {path.name: entries_of(path.read_text()) for path in folder.glob("*.ptx")}
    for first, row in list(counted("nvcc", folder, most))[::every]:
        used.setdefault(row["ptx"], set()).add(row["kernel"])
        rows.append(kept(len(rows), first, row, modules[row["ptx"]][1][row["kernel"]], file=pathlib.Path(row["ptx"]).stem))
    for name, kernels in used.items():
        head, entries, functions = modules[name]
        body = "".join(text for kernel, text in entries.items() if kernel in kernels)
        body = called(body, functions) + body
        others = re.findall(r"^\.(?:const|global|extern|shared|visible \.(?:const|global))\b[^\n]*;\n", "".join(entries.values()), flags=re.M)
        lines = [line for line in (head + "".join(o for o in others if o not in body)).splitlines() if not line.startswith("//")]
        (target / name).write_text("\n".join(lines).strip() + "\n" + re.sub(r"^\s*//.*\n", "", body, flags=re.M))
    write_lines(target / "nvcc.jsonl", rows)


def keep_others(sets, folder, target, most, every, most_ptx):
    files = target / "others.files"
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir()
    rows, pool = [], []
    for name in sets:
        for first, row in counted(name, folder, most):
            text = (folder / row["ptx"]).read_text()
            if len(text) < most_ptx and "file" not in [a.get("buf") for a in row["args"] if isinstance(a, dict)]:
                pool.append((first, row, text))
    for first, row, text in pool[::every]:
        (files / pathlib.Path(row["ptx"]).name).write_text(FOLDER.sub(r"\1", text))
        rows.append(kept(len(rows), first, row, text, ptx=f"others.files/{pathlib.Path(row['ptx']).name}"))
    write_lines(target / "others.jsonl", rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--most", type=float, default=40, help="million thread instructions of a launch that is kept with counters (default 40)")
    parser.add_argument("--every", type=int, nargs=2, default=(3, 5), help="one launch by nvcc, and one by others, of so many (default 3 5)")
    parser.add_argument("--ptx", type=int, default=22000, help="bytes of the longest PTX by others (default 22000)")
    words = parser.parse_args()
    names = sorted(p.stem for p in words.folder.glob("*.jsonl") if not p.stem.endswith(".counted"))
    names.sort(key=lambda name: name != "nvcc")
    words.target.mkdir(parents=True, exist_ok=True)
    write_tables(names, words.folder, words.target, accuracy().states_of_gpu)
    keep_nvcc(words.folder, words.target, words.most * 1e6, words.every[0])
    keep_others(names[1:], words.folder, words.target, words.most * 1e6, words.every[1], words.ptx)


if __name__ == "__main__":
    main()
