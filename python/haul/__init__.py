"""haul for Python: CUDA kernels on a virtual GPU, with their counters and findings. docs/python.md is the guide."""

from ._library import ArgumentError, CompileError, DriverError, Error, KernelError, ResourceError
from .device import Buffer, Device, Module, compile, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from .record import Access, Finding, Instruction, Launch, Place
from .tables import Table

__all__ = [
    "Access", "ArgumentError", "Buffer", "CompileError", "Device", "DriverError", "Error", "Finding", "Instruction",
    "KernelError", "Launch", "Module", "Place", "ResourceError", "Table", "compile", "f32", "f64", "i8", "i16", "i32",
    "i64", "u8", "u16", "u32", "u64",
]
