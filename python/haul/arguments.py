"""Arguments of kernels: numbers are converted by the type that the kernel declares."""

import ctypes
import operator

from . import _api
from ._library import ArgumentError, ArgumentTypeError

INTEGERS = {1: _api.HAUL_ARGUMENT_I8, 2: _api.HAUL_ARGUMENT_I16, 4: _api.HAUL_ARGUMENT_I32, 8: _api.HAUL_ARGUMENT_I64}
FLOATS = {4: _api.HAUL_ARGUMENT_F32, 8: _api.HAUL_ARGUMENT_F64}


class Scalar:
    """A number of a fixed size: haul.u64(n), haul.f64(x). It is passed as it is, or refused."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value


def _integer(bytes):
    def scalar(value):
        value = operator.index(value)
        if not fits(value, bytes):
            raise ArgumentError(f"{value} does not fit {8 * bytes} bits")
        return Scalar(INTEGERS[bytes], value)
    return scalar


def f32(value):
    return Scalar(_api.HAUL_ARGUMENT_F32, float(value))


def f64(value):
    return Scalar(_api.HAUL_ARGUMENT_F64, float(value))


def fits(value, bytes):
    """Whether an integer has so many bytes, signed or not."""
    return -2 ** (8 * bytes - 1) <= value < 2 ** (8 * bytes)


i8, i16, i32, i64 = map(_integer, (1, 2, 4, 8))
u8, u16, u32, u64 = i8, i16, i32, i64  # the same bits


def number_of(value):
    """An int, a float, or None: numbers of Python and scalars of numpy."""
    if getattr(value, "shape", ()) == () and getattr(getattr(value, "dtype", None), "kind", "") == "f":
        return float(value)
    if isinstance(value, float):
        return value
    try:
        return operator.index(value)
    except TypeError:
        return None


def bytes_of(value):
    """The bytes of a structure, or None."""
    if isinstance(value, (bytes, bytearray, ctypes.Structure, ctypes.Union, ctypes.Array)):
        return bytes(value)
    kind, size = getattr(getattr(value, "dtype", None), "kind", ""), getattr(getattr(value, "dtype", None), "itemsize", 0)
    is_structure = kind == "V" or (kind == "f" and size == 2)  # of numpy; float16 has no argument of its own
    return value.tobytes() if is_structure and value.shape == () else None


def scalar_of(number, parameter, where):
    """The number as the parameter's type; without a parameter as 32 bits, or 64 bits if it needs them."""
    is_float = isinstance(number, float)
    if parameter is None:
        return Scalar(FLOATS[4] if is_float else INTEGERS[4 if fits(number, 4) else 8], number)
    wants = f"{where} is {number}, but parameter {parameter} is"
    if parameter.kind == "floating":
        return Scalar(FLOATS[parameter.bytes], float(number))
    if parameter.kind == "integer" and is_float:
        raise ArgumentTypeError(f"{wants} an integer; pass int({number})")
    if parameter.bytes not in (FLOATS if is_float else INTEGERS):
        raise ArgumentError(f"{wants} {parameter.bytes} bytes; pass bytes or a ctypes.Structure of that size")
    if is_float:
        return Scalar(FLOATS[parameter.bytes], number)
    if not fits(number, parameter.bytes):
        raise ArgumentError(f"{wants} {parameter.bytes} bytes, which it does not fit")
    return Scalar(INTEGERS[parameter.bytes], number)


def pack_buffer(buffer, parameter, where):
    if parameter and (parameter.bytes != 8 or parameter.kind == "floating"):
        raise ArgumentTypeError(f"{where} is an array, but parameter {parameter} is no address: it is {parameter.kind} of "
                                f"{parameter.bytes} bytes")
    return _api.haul_argument(kind=_api.HAUL_ARGUMENT_BUFFER, buffer=buffer._open()), buffer


def pack(value, parameter, where):
    """The C argument of a number or a structure, and an object that must live as long."""
    data = bytes_of(value)
    if data is not None:
        kept = ctypes.create_string_buffer(data, len(data))
        return _api.haul_argument(kind=_api.HAUL_ARGUMENT_BYTES, bytes=ctypes.addressof(kept), size=len(data)), kept
    if not isinstance(value, Scalar):
        is_null = value is None and parameter and parameter.bytes == 8 and parameter.kind == "integer"
        number = 0 if is_null else number_of(value)
        if number is None:
            raise ArgumentTypeError(f"{where} is of type {type(value).__name__}, which kernels do not take: "
                                    "pass device.array(...), a number, or bytes of a structure")
        value = scalar_of(number, parameter, where)
    if value.kind in FLOATS.values():
        return _api.haul_argument(kind=value.kind, real=value.value), None
    return _api.haul_argument(kind=value.kind, integer=ctypes.c_int64(value.value).value), None
