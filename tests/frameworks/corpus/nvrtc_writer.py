"""Compiles kernels by NVRTC, with their sizes and choices as macros, and writes their launches."""
import ctypes
import glob
import os
import pathlib
import re
import sys
import sysconfig

from launch_lines import Lines


def library():
    """The newest libnvrtc of a toolkit or of a Python package."""
    folders = [os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/lib*", "/usr/local/cuda*/lib*", sysconfig.get_paths()["purelib"] + "/nvidia/*/lib",
               *(f"{p}/nvidia/*/lib" for p in sys.path if p.endswith("-packages"))]
    found = [f for folder in folders for f in glob.glob(folder + "/libnvrtc.so*") if "builtins" not in f]
    if not found:
        sys.exit("nvrtc_writer.py: no libnvrtc")
    return ctypes.CDLL(sorted(found, key=lambda f: [int(n) for n in re.findall(r"\d+", f.rsplit("libnvrtc", 1)[1])])[-1])


class Writer:
    def __init__(self, folder):
        self.nvrtc = library()
        self.lines = Lines(folder, "nvrtc")

    def call(self, name, *args):
        status = getattr(self.nvrtc, name)(*args)
        if status:
            raise RuntimeError(f"{name}: status {status}")

    def compiled(self, source, macros):
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
        options = [b"--gpu-architecture=compute_90", b"-default-device", *(f"-D{k}={v}".encode() for k, v in macros.items())]
        self.call("nvrtcCompileProgram", program, len(options), (ctypes.c_char_p * len(options))(*options))
        self.call("nvrtcGetPTXSize", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self.call("nvrtcGetPTX", program, text)
        return re.sub(r"^//.*\n", "", text.value.decode(), flags=re.M)

    def launch(self, source, macros, grid, block, *args, smem=0):
        try:
            text = self.compiled(source, macros)
        except RuntimeError as error:
            print(source.split("void ")[-1][:20], macros, error, flush=True)
            return
        self.lines.write(text, grid, block, args, smem)


def write(part, usage):
    """Writes the launches of a part to the folder that the command line names."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    part(Writer(pathlib.Path(sys.argv[1])))
