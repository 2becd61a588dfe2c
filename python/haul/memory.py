"""Device memory with a shape and a type of elements."""

import ctypes
import math
import operator

from ._library import ArgumentError, ArgumentTypeError, check, encoded, library

try:
    import numpy
except ImportError:  # read() then returns memoryviews
    numpy = None

# Types of elements: the letter of Python's struct module, and bytes.
TYPES = {"int8": ("b", 1), "uint8": ("B", 1), "int16": ("h", 2), "uint16": ("H", 2), "int32": ("i", 4), "uint32": ("I", 4),
         "int64": ("q", 8), "uint64": ("Q", 8), "float16": ("e", 2), "float32": ("f", 4), "float64": ("d", 8),
         "bool": ("?", 1)}
# Other spellings: numpy's codes ("f4"), letters of formats, names of Python's and numpy's types.
SPELLINGS = {name: name for name in TYPES}
SPELLINGS.update({letter: name for name, (letter, _) in TYPES.items()})
SPELLINGS.update({f"{name[0]}{bytes}": name for name, (_, bytes) in TYPES.items()})
SPELLINGS.update({"l": "int64", "L": "uint64", "c": "uint8", "bool_": "bool", "float": "float64", "int": "int64"})


def type_of(dtype):
    """The name in TYPES of a name, a code, a type of Python or numpy, or a dtype of a framework."""
    name = getattr(dtype, "__name__", None) or str(dtype)
    found = SPELLINGS.get(name.lstrip("<=@|").rsplit(".", 1)[-1])
    if not found or getattr(dtype, "byteorder", "=") == ">":
        raise ArgumentError(f"no type of elements is {name!r}: there are {', '.join(TYPES)}, in the host's byte order")
    return found


def shape_of(shape):
    """A tuple of sizes."""
    try:
        sizes = tuple(map(operator.index, shape if hasattr(shape, "__iter__") else (shape,)))
    except TypeError:
        raise ArgumentTypeError(f"the shape is {shape!r}: give a number, or several in a tuple") from None
    if min(sizes, default=0) < 0:
        raise ArgumentError(f"the shape is {shape!r}: no size may be negative")
    return sizes


def host_view(data):
    """A contiguous memoryview of an array: of numpy, of anything with the buffer protocol, or a CPU tensor (DLPack)."""
    try:
        view = memoryview(data)
    except (TypeError, BufferError):
        if not hasattr(data, "__dlpack__"):
            raise ArgumentTypeError(f"{type(data).__name__} is no array: pass one of numpy, of the buffer protocol, "
                                    "or of DLPack") from None
        if getattr(data, "__dlpack_device__", lambda: (1, 0))()[0] != 1:
            raise ArgumentError("the array is not in host memory: copy it there first") from None
        if numpy is None:
            raise ArgumentError("arrays of DLPack need numpy: install it") from None
        view = memoryview(numpy.from_dlpack(data))
    except ValueError as error:  # types of numpy that have no format
        raise ArgumentError(f"the array's type cannot be passed: {error}") from None
    if not view.c_contiguous:
        raise ArgumentError("the array is not contiguous: pass numpy.ascontiguousarray(array)")
    return view


class Buffer:
    """Device memory. Made by device.array(), zeros() and empty(); freed with the object, or with its device."""

    def __init__(self, device, shape, dtype):
        self.device, self.shape, self.dtype = device, shape_of(shape), type_of(dtype)
        self._handle, self._format = None, TYPES[self.dtype][0]
        self.nbytes = math.prod(self.shape) * TYPES[self.dtype][1]
        if self.nbytes >= 2**63:
            raise ArgumentError(f"an array of shape {self.shape} is too large")
        made = ctypes.c_void_p()
        with device._use() as handle:
            check(library.haul_buffer_create(handle, self.nbytes, ctypes.byref(made)))
            self._handle = made
            device._objects.add(self)

    def _open(self):
        if not self._handle:
            raise ArgumentError("the array was freed, or its device closed")
        return self._handle

    @property
    def address(self):
        """The device address."""
        with self.device._use():
            return library.haul_buffer_address(self._open())

    def write(self, data):
        """Copies an array into the buffer; it must have as many bytes."""
        view = host_view(data)
        if view.nbytes != self.nbytes:
            raise ArgumentError(f"{view.nbytes} bytes cannot be written to an array of {self.nbytes}")
        flat = view.cast("B") if view.nbytes else b""
        source = bytes(flat) if view.readonly or not view.nbytes else (ctypes.c_char * view.nbytes).from_buffer(flat)
        with self.device._use():
            check(library.haul_buffer_write(self._open(), 0, ctypes.cast(source, ctypes.c_void_p), view.nbytes))
        return self

    def _bytes(self):
        target = bytearray(self.nbytes)
        with self.device._use():
            check(library.haul_buffer_read(self._open(), 0, (ctypes.c_char * self.nbytes).from_buffer(target), self.nbytes))
        return target

    def read(self):
        """Copies the buffer to a new array of numpy, or to a memoryview if numpy is not installed."""
        if numpy is not None:
            return self.numpy()
        view = memoryview(self._bytes()).cast(self._format)
        return view.cast("B").cast(self._format, self.shape) if len(self.shape) > 1 and self.nbytes else view

    def numpy(self):
        """A copy as an array of numpy."""
        if numpy is None:
            raise ArgumentError("numpy is not installed: use read(), which then returns a memoryview")
        return numpy.frombuffer(self._bytes(), dtype=self.dtype).reshape(self.shape)

    def tolist(self):
        return self.read().tolist()

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("an array on a device cannot be used without a copy")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __dlpack__(self, **options):
        """A copy on the host, for frameworks: torch.from_dlpack(buffer)."""
        return self.numpy().__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)  # the CPU

    def __len__(self):
        if not self.shape:
            raise ArgumentTypeError("an array without dimensions has no length")
        return self.shape[0]

    def free(self):
        """Frees the memory now rather than with the object. Freeing it again does nothing."""
        with self.device._lock:
            handle, self._handle = self._handle, None
            if handle:
                library.haul_buffer_free(handle)

    def __del__(self):
        if getattr(self, "_handle", None):
            self.device._discard(library.haul_buffer_free, self._handle)

    def __repr__(self):
        state = "" if self._handle else ", freed"
        return f"<haul.{type(self).__name__} of {self.dtype}, shape {self.shape}, on {self.device.name}{state}>"


class Variable(Buffer):
    """Global or constant memory that a module declares. It is freed with the module."""

    def __init__(self, module, name, dtype, shape):
        self.device, self.module, self.dtype = module.device, module, type_of(dtype)
        self._handle, (self._format, size) = None, TYPES[self.dtype]
        found = ctypes.c_void_p()
        with self.device._use():
            check(library.haul_module_variable(module._open(), encoded(name), ctypes.byref(found)))
            self.nbytes = library.haul_buffer_bytes(found)
            self._handle = found
            self.device._objects.add(self)
        self.shape = shape_of(shape) if shape is not None else (self.nbytes // size,)
        if math.prod(self.shape) * size != self.nbytes:
            raise ArgumentError(f"{name} has {self.nbytes} bytes, which are no {self.dtype} of shape {self.shape}")

    def _open(self):
        self.module._open()
        return super()._open()

    def free(self):
        self._handle = None

    def __del__(self):
        """The module has the memory."""
