"""Arguments of kernels: numbers are converted by the type that the kernel declares."""

import ctypes
import operator

from . import _api
from ._library import ArgumentError, ArgumentTypeError

INTEGERS = {1: _api.HAUL_ARGUMENT_I8, 2: _api.HAUL_ARGUMENT_I16, 4: _api.HAUL_ARGUMENT_I32, 8: _api.HAUL_ARGUMENT_I64}
FLOATS = {4: _api.HAUL_ARGUMENT_F32, 8: _api.HAUL_ARGUMENT_F64}


class Scalar:
    """A number of a fixed size: haul.u64(n), haul.f64(x). It is passed as it is, or refused."""

    def __init__(self, kinds, bytes, value):
        self.kind, self.bytes, self.value = kinds[bytes], bytes, value


def _sized(kinds, bytes):
    def scalar(value):
        number = number_of(value)
        if number is None or (kinds is INTEGERS and isinstance(number, float)):
            raise ArgumentTypeError(f"{value!r} is no number of {8 * bytes} bits")
        if kinds is INTEGERS and not fits(number, bytes):
            raise ArgumentError(f"{number} does not fit {8 * bytes} bits")
        return Scalar(kinds, bytes, number)
    return scalar


def fits(value, bytes):
    """Whether an integer has so many bytes, signed or not."""
    return -2 ** (8 * bytes - 1) <= value < 2 ** (8 * bytes)


i8, i16, i32, i64 = (_sized(INTEGERS, bytes) for bytes in INTEGERS)
f32, f64 = (_sized(FLOATS, bytes) for bytes in FLOATS)
u8, u16, u32, u64 = i8, i16, i32, i64  # the same bits


def number_of(value):
    """An int, a float, or None: numbers of Python and scalars of numpy."""
    kind = getattr(getattr(value, "dtype", None), "kind", "") if getattr(value, "shape", ()) == () else ""
    if kind in ("f", "b"):
        return float(value) if kind == "f" else int(value)
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
    kinds = FLOATS if isinstance(number, float) else INTEGERS
    if parameter is None:
        return Scalar(kinds, 4 if kinds is FLOATS or fits(number, 4) else 8, number)
    wants = f"{where} is {number}, but parameter {parameter} is"
    if parameter.kind == "floating":
        if abs(number) >= 2**1024 and kinds is INTEGERS:
            raise ArgumentError(f"{wants} a floating-point number, which it does not fit")
        return Scalar(FLOATS, parameter.bytes, float(number))
    if parameter.kind == "integer" and kinds is FLOATS:
        raise ArgumentTypeError(f"{wants} an integer; pass int({number})")
    if parameter.bytes not in kinds:
        raise ArgumentError(f"{wants} {parameter.bytes} bytes; pass bytes or a ctypes.Structure of that size")
    if kinds is INTEGERS and not fits(number, parameter.bytes):
        raise ArgumentError(f"{wants} {parameter.bytes} bytes, which it does not fit")
    return Scalar(kinds, parameter.bytes, number)


def check_size(bytes, parameter, where, advice=""):
    if parameter and bytes != parameter.bytes:
        raise ArgumentError(f"{where} is {bytes} bytes, but parameter {parameter} is {parameter.bytes} bytes{advice}")


def pack_buffer(buffer, parameter, where):
    if parameter and (parameter.bytes != 8 or parameter.kind == "floating"):
        raise ArgumentTypeError(f"{where} is an array, but parameter {parameter} is no address: it is {parameter.kind} of "
                                f"{parameter.bytes} bytes")
    return _api.haul_argument(kind=_api.HAUL_ARGUMENT_BUFFER, buffer=buffer._open()), buffer


def pack_bytes(data, parameter, where):
    check_size(len(data), parameter, where)
    kept = ctypes.create_string_buffer(data, len(data))
    return _api.haul_argument(kind=_api.HAUL_ARGUMENT_BYTES, bytes=ctypes.addressof(kept), size=len(data)), kept


def pack(value, parameter, where):
    """The C argument of a number or a structure, and an object that must live as long."""
    data = bytes_of(value)
    if data is not None:
        return pack_bytes(data, parameter, where)
    if isinstance(value, Scalar):
        check_size(value.bytes, parameter, where, "; pass the plain number, which is converted")
    else:
        is_null = value is None and parameter and parameter.bytes == 8 and parameter.kind == "integer"
        number = 0 if is_null else number_of(value)
        if number is None:
            raise ArgumentTypeError(f"{where} is of type {type(value).__name__}, which kernels do not take: "
                                    "pass device.array(...), a number, or bytes of a structure")
        value = scalar_of(number, parameter, where)
    if value.kind in FLOATS.values():
        return _api.haul_argument(kind=value.kind, real=value.value), None
    return _api.haul_argument(kind=value.kind, integer=ctypes.c_int64(value.value).value), None
