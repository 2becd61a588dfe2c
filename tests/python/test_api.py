"""The declarations for ctypes have the C compiler's layout and values."""

import ctypes
import subprocess
import unittest
from pathlib import Path

from haul import _api

INCLUDE = Path(__file__).resolve().parents[2] / "include"


def layout():
    """C that does not compile if a size, an offset or a value differs."""
    yield '#include <haul/compile.h>\n#include <haul/stream.h>\n#include <stddef.h>'
    for name, kind in vars(_api).items():
        if isinstance(kind, int):
            yield f'_Static_assert({name} == {kind}, "{name}");'
        if not hasattr(kind, "_fields_"):
            continue
        yield f'_Static_assert(sizeof({name}) == {ctypes.sizeof(kind)}, "{name}");'
        for field, _ in kind._fields_:
            place = getattr(kind, field)
            yield f'_Static_assert(offsetof({name}, {field}) == {place.offset}, "{name}.{field}");'
            yield f'_Static_assert(sizeof((({name} *)0)->{field}) == {place.size}, "{name}.{field}");'


class Layout(unittest.TestCase):
    def test_layout(self):
        lines = list(layout())
        self.assertGreater(len(lines), 300)
        done = subprocess.run(["cc", "-std=c17", "-fsyntax-only", "-x", "c", f"-I{INCLUDE}", "-"], input="\n".join(lines),
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
