"""Finds and loads libhaul, declares its functions, and turns status codes into exceptions."""

import ctypes
import os
import sysconfig
from pathlib import Path

from . import _api

PLACE = Path(__file__).resolve().parent
NAME = f"libhaul.so.{_api.VERSION.split('.')[0]}"


class Error(Exception):
    """A call that failed. The text says what is wrong, where, and what to do; `status` is libhaul's code."""

    def __init__(self, text, status=_api.HAUL_ERROR_INTERNAL):
        super().__init__(text)
        self.status = status


class ArgumentError(Error, ValueError):
    """Wrong arguments: names, sizes, syntax of PTX, limits of a device (codes 1xx)."""

    def __init__(self, text, status=_api.HAUL_ERROR_ARGUMENT):
        super().__init__(text, status)


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of a type that the call does not take, or an option that it does not have."""


class ResourceError(Error, OSError):
    """The machine lacks something: memory, a file, a GPU (codes 2xx)."""

    def __str__(self):
        return self.args[0]


class CompileError(Error):
    """Source that does not compile, or no compiler. `messages` has the compiler's output."""

    def __init__(self, text, messages=""):
        super().__init__(text, _api.HAUL_ERROR_COMPILER)
        self.messages = messages

    def __str__(self):
        return "\n".join(filter(None, (self.args[0], self.messages.rstrip())))


class KernelError(Error):
    """A kernel that faulted, trapped, deadlocked or did not end (codes 3xx). With checks, `launch` has its findings."""

    launch = None


class DriverError(Error):
    """The driver, or haul itself, failed (codes 4xx)."""


_CLASSES = {1: ArgumentError, 2: ResourceError, 3: KernelError, 4: DriverError}


def text(value):
    return value.decode(errors="replace") if value else ""


def _places():
    """Where libhaul may be: named by the user, in the wheel, in an installation or a build around this folder, or
    wherever the loader looks."""
    if os.environ.get("HAUL_LIBRARY"):
        return [os.environ["HAUL_LIBRARY"]]
    folders, found = ["lib", "lib64", "build"], []
    if sysconfig.get_config_var("MULTIARCH"):
        folders.append("lib/" + sysconfig.get_config_var("MULTIARCH"))
    for root in (PLACE / "_tree", *list(PLACE.parents)[:4]):  # share/haul/python/haul, or lib/python3/dist-packages/haul
        for folder in folders:
            if (root / folder / NAME).exists():
                found.append(str(root / folder / NAME))
    return found + [NAME]


def _load():
    why = None
    for place in _places():
        try:
            library = ctypes.CDLL(place)
            break
        except OSError as error:
            why = why or error  # of the most likely place
    else:
        raise ImportError(f"{NAME} is not found: install haul or its wheel, or set HAUL_LIBRARY to its path ({why})")
    for name, (result, arguments) in _api.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{place} has no {name}(): it is of another version than this package, {_api.VERSION}") from None
        function.restype, function.argtypes = result, arguments
    has, wants = text(library.haul_version()).split("."), _api.VERSION.split(".")
    if has[:2] != wants[:2]:
        raise ImportError(f"{place} is of version {'.'.join(has)}, this package of {_api.VERSION}: install both of one version")
    return library


library = _load()


def version():
    """The library's version."""
    return text(library.haul_version())


def table(name):
    """A constant array of the library."""
    return _api.TABLES[name].in_dll(library, name)


def error_of(status):
    """The exception for the calling thread's last failure."""
    message = text(library.haul_message()) or text(library.haul_status_text(status))
    return _CLASSES.get(status // 100, Error)(message, status)


def check(status):
    if status == _api.HAUL_ERROR_COMPILER:
        raise CompileError(text(library.haul_message()))
    if status:
        raise error_of(status)


def encoded(value):
    """A text or path as the library takes it."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise ArgumentTypeError(f"{value!r} is no text")
    data = os.fsencode(value)
    if b"\0" in data:
        raise ArgumentError(f"{value!r} has a zero byte")
    return data


def optional(value):
    return None if value is None else encoded(value)
