"""CUDA source, modules, kernels, and their launches."""

import ctypes
import operator
import os
from collections import namedtuple

from . import _api
from ._library import (ArgumentError, ArgumentTypeError, CompileError, KernelError, check, encoded, error_of, library,
                       optional, text)
from .arguments import pack, pack_buffer
from .memory import Buffer, Variable
from .record import Launch, source_name


class Parameter(namedtuple("Parameter", "number name kind bytes")):
    """A kernel's parameter as the PTX declares it; kind: integer (also addresses), floating or bytes."""

    def __str__(self):
        return str(self.number) if "_param_" in self.name else f"{self.number} ({self.name})"


KINDS = {_api.HAUL_PARAMETER_BYTES: "bytes", _api.HAUL_PARAMETER_INTEGER: "integer",
         _api.HAUL_PARAMETER_FLOATING: "floating"}


def is_path(source, ending):
    return isinstance(source, os.PathLike) or (isinstance(source, str) and "\n" not in source and source.endswith(ending))


def compile(source, *, options=(), architecture=None, compiler=None, name="kernel.cu"):
    """Compiles CUDA source, a text or the path of a .cu file, to PTX. `options` are a list of haul's: "-I", DIR, "-D", NAME
    and so on. Raises CompileError with the compiler's messages."""
    if not is_path(source, ".cu") and not isinstance(source, str):
        raise ArgumentTypeError(f"the source is of type {type(source).__name__}: pass a text, or the path of a .cu file")
    if isinstance(options, str):
        raise ArgumentTypeError(f"options are {options!r}: give a list of words")
    words = (ctypes.c_char_p * len(options))(*map(encoded, options))
    c = _api.haul_compile_options(compiler=optional(compiler), architecture=optional(architecture), flag_count=len(words))
    c.flags = ctypes.cast(words, type(c.flags))
    result = _api.haul_compilation()
    given = (encoded(source), None) if is_path(source, ".cu") else (encoded(name), source.encode())
    status = library.haul_compile(*given, ctypes.byref(c), ctypes.byref(result))
    try:
        if status == _api.HAUL_ERROR_COMPILER:
            raise CompileError(text(library.haul_message()), text(result.messages))
        check(status)
        return result.ptx.decode()
    finally:
        library.haul_compilation_free(ctypes.byref(result))


def three(value, what):
    """x, y, z of a number or a sequence of up to three."""
    try:
        values = tuple(map(operator.index, value if hasattr(value, "__iter__") else (value,)))
    except TypeError:
        values = ()
    if not 1 <= len(values) <= 3 or not all(0 <= v < 2**32 for v in values):
        raise ArgumentError(f"{what} is {value!r}: give a number, or up to three in a tuple")
    return (ctypes.c_uint32 * 3)(*values, *(1,) * (3 - len(values)))


def size(value, what):
    try:
        value = operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"{what} is {value!r}: give a number of bytes") from None
    if not 0 <= value < 2**32:
        raise ArgumentError(f"{what} is {value}: give a number of bytes from 0 on")
    return value


class Kernel:
    """A kernel of a module. kernel[grid, block](*arguments) launches it, kernel.check() looks for defects too."""

    def __init__(self, module, symbol):
        self.module, self.symbol, self.name = module, symbol, source_name(symbol)
        self.parameters = self._read_parameters()

    def _read_parameters(self):
        """None if haul cannot parse the PTX."""
        count, name, room = ctypes.c_size_t(), encoded(self.symbol), ()
        with self.module.device._use():
            for _ in range(2):
                room = (_api.haul_parameter * count.value)()
                status = library.haul_module_parameters(self.module._open(), name, room, len(room), ctypes.byref(count))
                if status == _api.HAUL_ERROR_UNSUPPORTED:
                    return None
                check(status)
        return [Parameter(i + 1, text(p.name), KINDS[p.kind], p.bytes) for i, p in enumerate(room)]

    def _pack(self, i, value):
        where = f"kernel {self.name}: argument {i + 1}"
        parameter = self.parameters[i] if self.parameters and i < len(self.parameters) else None
        if not isinstance(value, Buffer):
            return pack(value, parameter, where)
        if value.device is not self.module.device:
            raise ArgumentError(f"{where} is an array on another device: copy it with device.array()")
        return pack_buffer(value, parameter, where)

    def launch(self, grid, block, *arguments, shared=0, cluster=(0, 0, 0)):
        """Launches the kernel, waits for its end, and returns its record. grid is in blocks, block in threads; shared is
        the dynamic shared memory of a block in bytes, for which the kernel is opted in. Arguments are arrays of the device,
        numbers, which become the type of the kernel's parameter, None as a null pointer, and bytes of structures."""
        with self.module.device._use():
            pairs = [self._pack(i, value) for i, value in enumerate(arguments)]
            launch = _api.haul_launch(kernel=encoded(self.symbol), grid=three(grid, "grid"), block=three(block, "block"),
                                      shared_bytes=size(shared, "shared"), cluster=three(cluster, "cluster"),
                                      arguments=(_api.haul_argument * len(pairs))(*(a for a, _ in pairs)),
                                      argument_count=len(pairs))
            return self._run(launch)

    def _run(self, launch):
        module, run = self.module._open(), ctypes.POINTER(_api.haul_run)()
        if launch.shared_bytes:
            check(library.haul_module_allow_shared(module, launch.kernel, launch.shared_bytes))
        check(library.haul_run_create(self.module.device._handle, ctypes.byref(run)))
        status = library.haul_launch_run(module, ctypes.byref(launch), run)
        error = error_of(status) if status else None
        record = Launch(run) if run.contents.launch_count else None
        if not record:
            library.haul_run_free(run)
        if error:
            if isinstance(error, KernelError):
                error.launch = record
            raise error
        return record

    def check(self, grid, block, *arguments, shared=0, cluster=(0, 0, 0), **options):
        """Launches the kernel on a virtual GPU, and also looks for defects: the record has `findings`. Options: schedule,
        seed, completion, strict, unfenced, diverged and dirty, as of haul.Device()."""
        with self.module.device._checking(options):
            return self.launch(grid, block, *arguments, shared=shared, cluster=cluster)

    def blocks_per_sm(self, threads, shared=0):
        """Returns how many blocks of so many threads an SM of the device holds at once."""
        count = ctypes.c_uint32()
        with self.module.device._use():
            check(library.haul_module_blocks_per_sm(self.module._open(), encoded(self.symbol), size(threads, "threads"),
                                                    size(shared, "shared"), ctypes.byref(count)))
        return count.value

    def __getitem__(self, shape):
        """kernel[grid, block](*arguments) is kernel.launch(grid, block, *arguments)."""
        if not isinstance(shape, tuple) or len(shape) != 2:
            raise ArgumentError(f"kernel {self.name}: the shape is {shape!r}: write kernel[grid, block](...)")
        return lambda *arguments, **options: self.launch(*shape, *arguments, **options)

    def __call__(self, *arguments, **options):
        raise ArgumentTypeError(f"kernel {self.name}: a launch needs a shape: write kernel[grid, block](...)")

    def __repr__(self):
        inside = ", ".join(f"{p.kind} of {p.bytes} B" for p in self.parameters or ())
        return f"<haul.Kernel {self.name}({inside})>"


class Module:
    """Kernels of a PTX text on a device: module["name"], or a part of the C++ declaration, as module["add<float>"]."""

    def __init__(self, device, ptx, name="PTX"):
        if not isinstance(ptx, (str, bytes)):
            raise ArgumentTypeError(f"the PTX is of type {type(ptx).__name__}: pass a text, or the path of a .ptx file")
        self.device, self._handle, made = device, None, ctypes.c_void_p()
        data = ptx.encode() if isinstance(ptx, str) else ptx
        with device._use() as handle:
            check(library.haul_module_load(handle, encoded(name), data, len(data), ctypes.byref(made)))
            self._handle = made
            device._objects.add(self)
            count = library.haul_module_kernel_count(made)
            self.kernels = [text(library.haul_module_kernel_name(made, i)) for i in range(count)]

    def _open(self):
        if not self._handle:
            raise ArgumentError("the module was unloaded, or its device closed")
        return self._handle

    def kernel(self, name):
        """A kernel by its name in the PTX or in the source, or by its C++ declaration if several have that name."""
        symbol = ctypes.c_char_p()
        with self.device._use():
            check(library.haul_module_find_kernel(self._open(), encoded(name), ctypes.byref(symbol)))
            return Kernel(self, text(symbol.value))

    __getitem__ = kernel

    def __iter__(self):
        return iter(self.kernels)

    def launch(self, kernel, grid, block, *arguments, **options):
        """self.kernel(kernel).launch(grid, block, *arguments)."""
        return self.kernel(kernel).launch(grid, block, *arguments, **options)

    def variable(self, name, dtype="uint8", shape=None):
        """A variable of the module as an array."""
        return Variable(self, name, dtype, shape)

    def unload(self):
        """Frees the module and its variables now rather than with the object."""
        with self.device._lock:
            handle, self._handle = self._handle, None
            if handle:
                library.haul_module_unload(handle)

    def __del__(self):
        if getattr(self, "_handle", None):
            self.device._discard(library.haul_module_unload, self._handle)

    def __repr__(self):
        state = "" if self._handle else ", unloaded"
        return f"<haul.Module with {', '.join(map(source_name, self.kernels)) or 'no kernels'} on {self.device.name}{state}>"
