"""Makes of a kept set a folder like the one that record_variants.sh recorded, as far as this machine's compilers allow.

    restore.py SET FOLDER        SET: variants, blind, unseen, fresh or kinds, as in tests/data

FOLDER gets nvcc.jsonl with all launches of nvcc's kernels, nvrtc.jsonl with those by NVRTC if the library is there, and kept.jsonl with the kept
launches of other compilers; their PTX; their states; and the shares of peaks that some of nvcc's launches have. `tools/accuracy BUILD FOLDER` scores a model with it. Needs nvcc; takes a minute or two."""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parents[1] / "data"
SHAPE = ("kernel", "grid", "block")


def table(path):
    """The rows of a recorded table by set and launch."""
    if not path.exists():
        return {}
    return {(row["set"], int(row["launch"])): row for row in csv.DictReader(path.open(), delimiter="\t")}


def shape_of(launch):
    return launch["kernel"], *("x".join(map(str, launch[k])) for k in ("grid", "block"))


def with_times(launches, name, times):
    """Adds the recorded times to launches that a script has written in the recorded order."""
    for i, launch in enumerate(launches):
        row = times[name, i]
        if tuple(row[k] for k in SHAPE) != shape_of(launch):
            sys.exit(f"restore.py: launch {i} of {name} is {shape_of(launch)}, recorded was {tuple(row[k] for k in SHAPE)}")
        launch.update(us=float(row["us"]), us_low=float(row["low"]), us_high=float(row["high"]))
    return launches, [(name, i) for i in range(len(launches))]


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def compiled(source, folder):
    """nvcc.jsonl: the kernels' PTX, and all launches."""
    for path in sorted(source.glob("*.cu")):
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-ptx", path, "-o", folder / f"{path.stem}.ptx"], check=True)
    return lines_of(subprocess.run([sys.executable, source / "launches.py"], check=True, capture_output=True, text=True).stdout)


def compiled_by_nvrtc(name, folder):
    """nvrtc.jsonl; none if the set has no such launches or this machine no NVRTC."""
    script, written = HERE / f"{name}_nvrtc.py", folder / "nvrtc.jsonl"
    if not script.exists() or subprocess.run([sys.executable, script, folder]).returncode:
        return []
    launches = lines_of(written.read_text())
    written.unlink()
    return launches


def kept(source, times):
    """The kept launches of other compilers, and which of the recorded ones they are."""
    launches, found = lines_of((source / "others.jsonl").read_text()), []
    by_shape = {}
    for key, row in times.items():
        if key[0] not in ("nvcc", "cuda", "nvrtc"):
            by_shape.setdefault((*(row[k] for k in SHAPE), float(row["us"])), key)
    for launch in launches:
        key = by_shape.get((*shape_of(launch), launch["us"]))
        if key:
            found.append((launch, key))
    return [f[0] for f in found], [f[1] for f in found]


def write(folder, name, launches, keys, states):
    if not launches:
        return
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(launch, separators=(",", ":")) + "\n" for launch in launches))
    rows = [states[key] for key in keys if key in states]
    if len(rows) == len(keys):
        with (folder / f"{name}.states.tsv").open("w") as file:
            table = csv.DictWriter(file, rows[0].keys(), delimiter="\t", lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
    print(f"{name}: {len(launches)} launches, {len(rows)} with states")


def write_shares(name, folder):
    """nvcc.shares.tsv: the rows of tests/data/shares for the set."""
    first, *rows = (DATA / "shares" / "h200.tsv").read_text().splitlines()
    (folder / "nvcc.shares.tsv").write_text("\n".join([first, *(row for row in rows if row.startswith(f"{name}\t"))]) + "\n")


def main(name, folder):
    source = DATA / name
    folder = pathlib.Path(folder).resolve()
    os.makedirs(folder, exist_ok=True)
    times, states = table(source / "times.tsv"), table(source / "states.tsv")
    write(folder, "nvcc", *with_times(compiled(source, folder), "nvcc" if ("nvcc", 0) in times else "cuda", times), states)
    write_shares(name, folder)
    write(folder, "nvrtc", *with_times(compiled_by_nvrtc(name, folder), "nvrtc", times), states)
    shutil.copytree(source / "others.files", folder / "others.files", dirs_exist_ok=True)
    write(folder, "kept", *kept(source, times), states)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
