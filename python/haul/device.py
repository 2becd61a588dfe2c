"""Devices."""

import collections
import contextlib
import ctypes
import operator
import os
import threading
import weakref
from pathlib import Path

from . import _api
from ._library import ArgumentError, ArgumentTypeError, ResourceError, check, encoded, library, text
from .memory import Buffer, host_view
from .module import Module, compile, is_path
from .tables import Table

SCHEDULES = {"in order": _api.HAUL_SCHEDULE_IN_ORDER, "reversed": _api.HAUL_SCHEDULE_REVERSED,
             "random": _api.HAUL_SCHEDULE_RANDOM}
COMPLETIONS = {"at wait": _api.HAUL_COMPLETION_AT_WAIT, "late": _api.HAUL_COMPLETION_LATE,
               "early": _api.HAUL_COMPLETION_EARLY, "swapped": _api.HAUL_COMPLETION_SWAPPED,
               "random": _api.HAUL_COMPLETION_RANDOM}
COUNTINGS = {"all": _api.HAUL_COUNT_ALL, "none": _api.HAUL_COUNT_NONE}
WORDS = {"schedule": SCHEDULES, "completion": COMPLETIONS, "counting": COUNTINGS}
TYPES = dict(_api.haul_device_options._fields_)
OF_CHECKS = ("schedule", "seed", "completion", "strict", "unfenced", "diverged", "dirty")


def option(word, value):
    """The value of a field of haul_device_options."""
    if word in WORDS:
        if value not in WORDS[word]:
            raise ArgumentError(f"{word} is {value!r}: there are {', '.join(WORDS[word])}")
        return WORDS[word][value]
    if TYPES[word] is ctypes.c_bool:
        return bool(value)
    try:
        value = operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"{word} is {value!r}: give a number") from None
    if not 0 <= value < 2 ** (8 * ctypes.sizeof(TYPES[word])):
        raise ArgumentError(f"{word} is {value}: give a number from 0 on that fits {8 * ctypes.sizeof(TYPES[word])} bits")
    return value


def read_options(given, known, where):
    for word in given.keys() - set(known):
        raise ArgumentTypeError(f"{where} has no option {word!r}: there are {', '.join(sorted(known))}")
    return {word: option(word, value) for word, value in given.items()}


class Device:
    """A virtual or a real GPU: "sim:h200", "gpu:0", "auto". Options are the fields of haul_device_options: check=True looks
    for findings in each launch; schedule="reversed", completion="late" and the like choose what a check tries."""

    def __init__(self, name="sim", **options):
        self._handle, self._lock = None, threading.RLock()
        self._objects = weakref.WeakSet()  # arrays and modules, which end with the device
        self._discarded = collections.deque()
        self._options = read_options(options, TYPES, "Device()")
        made, self.name = ctypes.c_void_p(), name
        # With checks from the start, memory is laid out for those of later launches.
        opened = _api.haul_device_options(**{**self._options, "check": True})
        check(library.haul_device_open(encoded(name), ctypes.byref(opened), ctypes.byref(made)))
        self._handle = made
        self.name = text(library.haul_device_name(made))
        self.product = text(library.haul_device_product(made))
        self.is_virtual = library.haul_device_is_virtual(made)
        if self.is_virtual:
            self._set_checks(self._options)

    # ---- one thread at a time ----

    @contextlib.contextmanager
    def _use(self):
        """Gives the device to one thread, which may take it again."""
        with self._lock:
            if not self._handle:
                raise ArgumentError(f"device {self.name} was closed: open it again")
            self._free_discarded()
            yield self._handle

    def _free_discarded(self):
        while self._discarded:
            free, handle = self._discarded.popleft()
            free(handle)

    def _discard(self, free, handle):
        """Frees what an object owned that is collected, at the latest with the next call: the collector may run while
        another thread uses the device."""
        if not self._handle:
            return
        self._discarded.append((free, handle))
        if self._lock.acquire(blocking=False):
            try:
                if self._handle:
                    self._free_discarded()
            finally:
                self._lock.release()

    # ---- checks ----

    def _set_checks(self, options):
        check(library.haul_device_set_checks(self._handle, ctypes.byref(_api.haul_device_options(**options))))

    @contextlib.contextmanager
    def _checking(self, given):
        options = {**self._options, **read_options(given, OF_CHECKS, "check()"), "check": True}
        with self._use():
            self._set_checks(options)
            try:
                yield
            finally:
                self._set_checks(self._options)

    # ---- facts ----

    @property
    def properties(self):
        """Limits of the device, as a dict: shared_per_block, l2_bytes and others of <haul/properties.def>."""
        found = _api.haul_device_properties()
        with self._use() as handle:
            library.haul_device_properties_of(handle, ctypes.byref(found))
        return {name: getattr(found, name) for name, _ in found._fields_}

    @property
    def memory(self):
        """(free, total) bytes of device memory."""
        free, total = ctypes.c_uint64(), ctypes.c_uint64()
        with self._use() as handle:
            check(library.haul_device_memory(handle, ctypes.byref(free), ctypes.byref(total)))
        return free.value, total.value

    # ---- arrays ----

    def array(self, data):
        """Copies an array of the host, or of another device, into new device memory."""
        data = data.read() if isinstance(data, Buffer) else data
        view, dtype = host_view(data), getattr(data, "dtype", None)
        return Buffer(self, view.shape, view.format if dtype is None else dtype).write(view)

    def empty(self, shape, dtype="float32"):
        """Device memory with undefined contents."""
        return Buffer(self, shape, dtype)

    def zeros(self, shape, dtype="float32"):
        """Device memory filled with zeros."""
        made, stream = self.empty(shape, dtype), ctypes.c_void_p()
        with self._use() as handle:
            check(library.haul_stream_default(handle, ctypes.byref(stream)))
            check(library.haul_stream_fill(stream, made._open(), 0, 0, made.nbytes))
        return made

    # ---- code ----

    def load(self, ptx, name="PTX"):
        """Loads PTX: a text, or the path of a file."""
        if is_path(ptx, ".ptx"):
            name = os.fspath(ptx)
            try:
                ptx = Path(ptx).read_bytes()
            except OSError as error:
                raise ResourceError(f"{name}: {error.strerror}", _api.HAUL_ERROR_FILE) from None
        return Module(self, ptx, name)

    def compile(self, source, **options):
        """Compiles CUDA source for this device, as haul.compile(), and loads it."""
        if not options.get("architecture"):
            options["architecture"] = f"sm_{self.properties['architecture']}"
        name = os.fspath(source) if is_path(source, ".cu") else options.get("name", "kernel.cu")
        return Module(self, compile(source, **options), name)

    # ---- its end ----

    def synchronize(self):
        """Waits for all work of the device. Launches and copies of this package have waited already."""
        with self._use() as handle:
            check(library.haul_device_wait(handle))

    def close(self):
        """Frees the device with its modules and arrays, which are then invalid. Records of launches stay. Closing it again
        does nothing."""
        with self._lock:
            handle, self._handle = self._handle, None
            self._discarded.clear()
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
        return f"<haul.Device {self.name}: {self.product}{'' if self._handle else ', closed'}>"

    def _repr_html_(self):
        facts = [("product", self.product), *self.properties.items()] if self._handle else [("state", "closed")]
        return Table(("Property", "Value"), facts, self.name)._repr_html_()


def asarray(data, device):
    """The array on the device: itself if it is there, else a copy."""
    return data if isinstance(data, Buffer) and data.device is device else device.array(data)
