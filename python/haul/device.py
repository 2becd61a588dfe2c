"""Devices, memory, modules and launches."""

import ctypes
import math
import operator
import os
import threading
import weakref
from pathlib import Path

from . import _api
from ._library import ArgumentError, CompileError, KernelError, check, encoded, error_of, library, text
from .record import Launch, base_name

try:
    import numpy
except ImportError:  # arrays are then memoryviews
    numpy = None

# Types of elements: the letter of Python's struct module.
FORMATS = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q",
           "float16": "e", "float32": "f", "float64": "d", "bool": "?"}
SIZES = {"b": 1, "B": 1, "?": 1, "h": 2, "H": 2, "e": 2, "i": 4, "I": 4, "f": 4, "l": 8, "L": 8, "q": 8, "Q": 8, "d": 8}
SCHEDULES = {"in order": _api.HAUL_SCHEDULE_IN_ORDER, "reversed": _api.HAUL_SCHEDULE_REVERSED,
             "random": _api.HAUL_SCHEDULE_RANDOM}
COMPLETIONS = {"at wait": _api.HAUL_COMPLETION_AT_WAIT, "late": _api.HAUL_COMPLETION_LATE,
               "early": _api.HAUL_COMPLETION_EARLY, "swapped": _api.HAUL_COMPLETION_SWAPPED,
               "random": _api.HAUL_COMPLETION_RANDOM}


# ---- arguments of kernels ----

class Scalar:
    """A number with a size, for parameters that a Python number does not fit: haul.u64(n), haul.f64(x)."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value


def i8(value):
    return Scalar(_api.HAUL_ARGUMENT_I8, value)


def i16(value):
    return Scalar(_api.HAUL_ARGUMENT_I16, value)


def i32(value):
    return Scalar(_api.HAUL_ARGUMENT_I32, value)


def i64(value):
    return Scalar(_api.HAUL_ARGUMENT_I64, value)


def f32(value):
    return Scalar(_api.HAUL_ARGUMENT_F32, value)


def f64(value):
    return Scalar(_api.HAUL_ARGUMENT_F64, value)


u8, u16, u32, u64 = i8, i16, i32, i64  # the same bits
INTEGERS = {1: i8, 2: i16, 4: i32, 8: i64}


def scalar_of(value):
    """int is 32 bits if it fits, float is 32 bits; scalars of numpy have their own size."""
    if isinstance(value, Scalar):
        return value
    kind = getattr(getattr(value, "dtype", None), "kind", "") if getattr(value, "shape", None) == () else ""
    if kind in "iub" and kind:
        return INTEGERS[value.dtype.itemsize](int(value))
    if kind == "f" and value.dtype.itemsize >= 4:
        return (f32 if value.dtype.itemsize == 4 else f64)(float(value))
    if isinstance(value, bool):
        return i8(value)
    if isinstance(value, int):
        return i32(value) if -2**31 <= value < 2**32 else i64(value)
    return f32(value) if isinstance(value, float) else None


def argument_of(value):
    """The C argument, and an object that must live as long."""
    if isinstance(value, Buffer):
        return _api.haul_argument(kind=_api.HAUL_ARGUMENT_BUFFER, buffer=value._open()), value
    if isinstance(value, (bytes, bytearray, ctypes.Structure, ctypes.Array)):
        kept = ctypes.create_string_buffer(bytes(value), len(bytes(value)))
        return _api.haul_argument(kind=_api.HAUL_ARGUMENT_BYTES, bytes=ctypes.addressof(kept), size=len(kept)), kept
    scalar = scalar_of(value)
    if scalar is None:
        raise TypeError(f"a kernel takes no {type(value).__name__}: pass device.array(...), a number, or bytes of a structure")
    if scalar.kind in (_api.HAUL_ARGUMENT_F32, _api.HAUL_ARGUMENT_F64):
        return _api.haul_argument(kind=scalar.kind, real=scalar.value), None
    signed = int(scalar.value) if scalar.value < 2**63 else int(scalar.value) - 2**64
    return _api.haul_argument(kind=scalar.kind, integer=signed), None


def three(value, what):
    """x, y, z of a number or a sequence of up to three."""
    try:
        values = tuple(map(operator.index, value if hasattr(value, "__iter__") else (value,)))
    except TypeError:
        values = ()
    if not 1 <= len(values) <= 3 or not all(0 <= v < 2**32 for v in values):
        raise ArgumentError(f"{what} is {value!r}: give a number, or up to three in a tuple", _api.HAUL_ERROR_ARGUMENT)
    return (ctypes.c_uint32 * 3)(*values, *(1,) * (3 - len(values)))


# ---- memory ----

def host_view(data):
    """A contiguous memoryview of an array: of numpy, of anything with the buffer protocol, or a CPU tensor (DLPack)."""
    try:
        view = memoryview(data)
    except TypeError:
        if not hasattr(data, "__dlpack__") or numpy is None:
            raise TypeError(f"{type(data).__name__} is no array: pass one of numpy, or of the buffer protocol") from None
        view = memoryview(numpy.from_dlpack(data))
    if not view.c_contiguous:
        raise ValueError("the array is not contiguous: pass numpy.ascontiguousarray(array)")
    return view


class Buffer:
    """Device memory with a shape and a type of elements. Made by device.array(), zeros() and empty()."""

    def __init__(self, device, shape, dtype):
        self.device, self.shape = device, (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype = str(dtype)
        self._format = FORMATS.get(self.dtype, self.dtype)
        if self._format not in SIZES:
            raise ArgumentError(f"no type {self.dtype!r}: there are {', '.join(FORMATS)}", _api.HAUL_ERROR_ARGUMENT)
        self.nbytes = math.prod(self.shape) * SIZES[self._format]
        self._handle = ctypes.c_void_p()
        with device._use() as handle:
            check(library.haul_buffer_create(handle, self.nbytes, ctypes.byref(self._handle)))
        device._objects.add(self)

    def _open(self):
        if not self._handle:
            raise ArgumentError("the buffer was freed, or its device closed", _api.HAUL_ERROR_ARGUMENT)
        return self._handle

    def write(self, data):
        """Copies an array into the buffer; it must have as many bytes."""
        view = host_view(data)
        if view.nbytes != self.nbytes:
            raise ArgumentError(f"{view.nbytes} bytes cannot be written to a buffer of {self.nbytes}",
                                _api.HAUL_ERROR_ARGUMENT)
        kept = view.cast("B") if view.nbytes else b""
        source = (ctypes.c_char * view.nbytes).from_buffer(kept) if not view.readonly and view.nbytes else bytes(kept)
        with self.device._use():
            check(library.haul_buffer_write(self._open(), 0, ctypes.cast(source, ctypes.c_void_p), view.nbytes))
        return self

    def read(self):
        """Copies the buffer to a new array of numpy, or to a memoryview if numpy is not installed."""
        target = (ctypes.c_char * self.nbytes)()
        with self.device._use():
            check(library.haul_buffer_read(self._open(), 0, target, self.nbytes))
        if numpy is not None:
            return numpy.frombuffer(bytearray(target), dtype=self._format).reshape(self.shape)
        view = memoryview(bytearray(target)).cast(self._format)
        return view.cast("B").cast(self._format, self.shape) if len(self.shape) > 1 and self.nbytes else view

    def tolist(self):
        return self.read().tolist()

    def __array__(self, dtype=None, copy=None):
        array = numpy.asarray(self.read())
        return array if dtype is None else array.astype(dtype)

    def __dlpack__(self, **options):
        """A copy on the host, for frameworks: torch.from_dlpack(buffer)."""
        return self.read().__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)  # the CPU

    def __len__(self):
        return self.shape[0]

    def free(self):
        """Frees the memory now rather than with the object."""
        if self._handle and self.device._handle:
            with self.device._use():
                library.haul_buffer_free(self._handle)
        self._handle = None

    def __del__(self):
        if getattr(self, "_handle", None) and getattr(self.device, "_handle", None):
            self.free()

    def __repr__(self):
        return f"<buffer of {self.dtype}, shape {self.shape}, on {self.device.name}>"


# ---- code ----

def compile(source, *, architecture=None, compiler=None, flags=(), name="kernel.cu"):
    """Compiles CUDA source, a text or the path of a .cu file, to PTX. `flags` are those of haul: "-I", DIR, "-D", NAME and
    so on. Raises CompileError with the compiler's messages."""
    is_file = isinstance(source, os.PathLike) or (isinstance(source, str) and "\n" not in source and source.endswith(".cu"))
    words = (ctypes.c_char_p * len(flags))(*map(encoded, flags))
    options = _api.haul_compile_options(compiler=encoded(compiler), architecture=encoded(architecture),
                                        flags=ctypes.cast(words, type(_api.haul_compile_options().flags)),
                                        flag_count=len(flags))
    result = _api.haul_compilation()
    status = library.haul_compile(encoded(source if is_file else name), None if is_file else source.encode(),
                                  ctypes.byref(options), ctypes.byref(result))
    try:
        if status == _api.HAUL_ERROR_COMPILER:
            raise CompileError(text(library.haul_message()), text(result.messages))
        check(status)
        return result.ptx.decode()
    finally:
        library.haul_compilation_free(ctypes.byref(result))


class Module:
    """Kernels of a PTX text on a device."""

    def __init__(self, device, ptx, name="PTX"):
        self.device, self._handle = device, ctypes.c_void_p()
        data = ptx.encode() if isinstance(ptx, str) else bytes(ptx)
        with device._use() as handle:
            check(library.haul_module_load(handle, encoded(name), data, len(data), ctypes.byref(self._handle)))
            count = library.haul_module_kernel_count(self._handle)
            self.kernels = [text(library.haul_module_kernel_name(self._handle, i)) for i in range(count)]
        device._objects.add(self)

    def unload(self):
        """Frees the module and its variables now rather than with the object."""
        if self._handle and self.device._handle:
            with self.device._use():
                library.haul_module_unload(self._handle)
        self._handle = None

    def __del__(self):
        if getattr(self, "_handle", None) and getattr(self.device, "_handle", None):
            self.unload()

    def _open(self):
        if not self._handle:
            raise ArgumentError("the module was unloaded, or its device closed", _api.HAUL_ERROR_ARGUMENT)
        return self._handle

    def _find(self, name):
        """A kernel by its name in the PTX, or in the source if only one has it."""
        if name in self.kernels:
            return name
        found = [k for k in self.kernels if base_name(k) == name]
        if len(found) == 1:
            return found[0]
        raise ArgumentError(f"{'several kernels are' if found else 'no kernel is'} called {name!r}: "
                            f"there are {', '.join(found or self.kernels) or 'none'}", _api.HAUL_ERROR_NOT_FOUND)

    def launch(self, kernel, grid, block, *arguments, shared=0, cluster=(0, 0, 0)):
        """Launches a kernel, waits for its end, and returns its record. grid is in blocks, block in threads; shared is
        the dynamic shared memory of a block in bytes, for which the kernel is opted in. Arguments are buffers, numbers,
        and bytes of structures."""
        name = encoded(self._find(kernel))
        pairs = [argument_of(a) for a in arguments]
        launch = _api.haul_launch(kernel=name, grid=three(grid, "grid"), block=three(block, "block"), shared_bytes=shared,
                                  arguments=(_api.haul_argument * len(pairs))(*(a for a, _ in pairs)),
                                  argument_count=len(pairs), cluster=three(cluster, "cluster"))
        run = ctypes.POINTER(_api.haul_run)()
        with self.device._use() as handle:
            if shared:
                check(library.haul_module_allow_shared(self._open(), name, shared))
            module = self._open()
            check(library.haul_run_create(handle, ctypes.byref(run)))
            status = library.haul_launch_run(module, ctypes.byref(launch), run)
            error = error_of(status) if status else None
        if error is None:
            return Launch(run)
        if isinstance(error, KernelError) and run.contents.launch_count:
            error.launch = Launch(run)
        else:
            library.haul_run_free(run)
        raise error

    def __getitem__(self, kernel):
        """module["name"](grid, block, *arguments) launches."""
        name = self._find(kernel)
        return lambda grid, block, *arguments, **options: self.launch(name, grid, block, *arguments, **options)

    def variable(self, name, dtype="uint8", shape=None):
        """A variable of the module as a buffer."""
        return Variable(self, name, dtype, shape)

    def __repr__(self):
        return f"<module with {', '.join(map(base_name, self.kernels))} on {self.device.name}>"


class Variable(Buffer):
    """Global or constant memory that a module declares. It is freed with the module."""

    def __init__(self, module, name, dtype, shape):
        self.device, self.module, self.dtype, self._format = module.device, module, dtype, FORMATS[dtype]
        self._handle = ctypes.c_void_p()
        self.device._objects.add(self)
        with self.device._use():
            check(library.haul_module_variable(module._open(), encoded(name), ctypes.byref(self._handle)))
            self.nbytes = library.haul_buffer_bytes(self._handle)
        self.shape = tuple(shape) if shape else (self.nbytes // SIZES[self._format],)

    def _open(self):
        self.module._open()
        return super()._open()

    def free(self):
        self._handle = None


# ---- devices ----

class _Use:
    """One thread at a time uses a device; the lock may be taken again by the thread that has it."""

    def __init__(self, device):
        self.device = device

    def __enter__(self):
        self.device._lock.acquire()
        if not self.device._handle:
            self.device._lock.release()
            raise ArgumentError(f"{self.device.name} was closed", _api.HAUL_ERROR_ARGUMENT)
        return self.device._handle

    def __exit__(self, *_):
        self.device._lock.release()


class Device:
    """A virtual or a real GPU: "sim:h200", "gpu:0", "auto". Options are the fields of haul_device_options: check=True looks
    for findings in each launch; schedule="reversed", completion="late" and the like choose what a check tries."""

    def __init__(self, name="sim", **options):
        known = {field for field, _ in _api.haul_device_options._fields_}
        for word in options.keys() - known:
            raise TypeError(f"Device() has no option {word!r}: there are {', '.join(sorted(known))}")
        for word, values in (("schedule", SCHEDULES), ("completion", COMPLETIONS)):
            if isinstance(options.get(word), str):
                if options[word] not in values:
                    raise ArgumentError(f"{word} {options[word]!r}: there are {', '.join(values)}", _api.HAUL_ERROR_ARGUMENT)
                options[word] = values[options[word]]
        self.name, self._handle, self._lock = name, ctypes.c_void_p(), threading.RLock()
        self._objects = weakref.WeakSet()  # buffers and modules, which end with the device
        check(library.haul_device_open(encoded(name), ctypes.byref(_api.haul_device_options(**options)),
                                       ctypes.byref(self._handle)))
        self.name = text(library.haul_device_name(self._handle))
        self.product = text(library.haul_device_product(self._handle))
        self.is_virtual = library.haul_device_is_virtual(self._handle)

    def _use(self):
        return _Use(self)

    @property
    def properties(self):
        """Limits of the device, as a dict: shared_per_block, l2_bytes and others of <haul/properties.def>."""
        found = _api.haul_device_properties()
        with self._use() as handle:
            library.haul_device_properties_of(handle, ctypes.byref(found))
        return {name: getattr(found, name) for name, _ in found._fields_}

    def array(self, data):
        """Copies an array of the host into new device memory."""
        view = host_view(data)
        dtype = getattr(data, "dtype", None)
        kind = view.format.lstrip("@=<") if dtype is None else str(dtype)
        kind = {v: k for k, v in FORMATS.items()}.get({"l": "q", "L": "Q"}.get(kind, kind), kind)
        return Buffer(self, view.shape, kind.rsplit(".", 1)[-1]).write(view)

    def empty(self, shape, dtype="float32"):
        """Device memory with undefined contents."""
        return Buffer(self, shape, getattr(dtype, "__name__", dtype))

    def zeros(self, shape, dtype="float32"):
        buffer = self.empty(shape, dtype)
        return buffer.write(bytes(buffer.nbytes))

    def load(self, ptx, name="PTX"):
        """Loads PTX: a text, or the path of a file."""
        if isinstance(ptx, os.PathLike) or (isinstance(ptx, str) and "\n" not in ptx and ptx.endswith(".ptx")):
            name, ptx = os.fspath(ptx), Path(ptx).read_bytes()
        return Module(self, ptx, name)

    def compile(self, source, **options):
        """Compiles CUDA source for this device, as haul.compile(), and loads it."""
        architecture = options.pop("architecture", None) or f"sm_{self.properties['architecture']}"
        return Module(self, compile(source, architecture=architecture, **options), options.get("name", "kernel.cu"))

    def close(self):
        """Frees the device with its modules and buffers. Records stay."""
        with self._lock:
            handle, self._handle = self._handle, None
            for part in list(self._objects):
                part._handle = None
            if handle:
                library.haul_device_close(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def __repr__(self):
        return f"<{self.name}: {self.product or 'closed'}>"
