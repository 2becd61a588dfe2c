"""Shared by the scripts that compare the virtual GPU with other programs."""
import json
import pathlib
import subprocess
import tempfile

PEERS = pathlib.Path(__file__).resolve().parent / "peers" / "opencl"


def simulated(folder, repeat, *options):
    """bench_simulator's rows for the most threads."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([folder / "bench_simulator", *options, "--repeat", str(repeat), "--json", out.name], check=True,
                       stdout=subprocess.DEVNULL)
        rows = json.load(open(out.name, encoding="utf-8"))
    most = max(row["threads"] for row in rows)
    return [row for row in rows if row["threads"] == most]


def saxpy_works(words):
    """File, kernel, work-items, of a group, arguments, by bench_simulator's name."""
    data = f"i32:{words} f32:1.5 buf:{words} buf:{words}"
    return {
        "saxpy 2^24": ("saxpy.cl", "saxpy_scalar", str(words), "256", data),
        "saxpy 2^24, float4": ("saxpy.cl", "saxpy_vector", str(words // 4), "256", data),
    }
