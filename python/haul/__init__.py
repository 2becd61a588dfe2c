"""haul for Python: CUDA kernels on a virtual GPU, with their counters and findings. docs/python.md is the guide."""

from ._api import VERSION as __version__
from ._library import (ArgumentError, ArgumentTypeError, CompileError, DriverError, Error, KernelError, ResourceError,
                       version)
from .arguments import f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from .device import Device, asarray
from .memory import Buffer
from .module import Kernel, Module, compile
from .record import Access, Finding, Instruction, Launch, Place
from .tables import Table

__all__ = [
    "Access", "ArgumentError", "ArgumentTypeError", "Buffer", "CompileError", "Device", "DriverError", "Error", "Finding",
    "Instruction", "Kernel", "KernelError", "Launch", "Module", "Place", "ResourceError", "Table", "asarray", "compile",
    "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "version",
]
