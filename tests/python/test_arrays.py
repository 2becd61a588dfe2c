"""Arrays on the device, with numpy and without."""

import array
import unittest

import haul
from device_case import WithDevice, floats

try:
    import numpy
except ImportError:
    numpy = None


class Arrays(WithDevice):
    def test_contents_come_back(self):
        for letter in "bBhHiIqQfd":
            sent = array.array(letter, [0, 1, 2])
            self.assertEqual(self.device.array(sent).tolist(), [0, 1, 2])
        self.assertEqual(self.device.array(b"ab").dtype, "uint8")
        self.assertEqual(self.device.array(array.array("f")).tolist(), [])
        self.assertEqual(self.device.array(memoryview(bytes(6)).cast("B", (2, 3))).shape, (2, 3))
        self.assertEqual(self.device.zeros((2, 2), "i4").tolist(), [[0, 0], [0, 0]])
        self.assertEqual(self.device.zeros(()).nbytes, 4)

    def test_types_have_several_names(self):
        for dtype, name in (("f4", "float32"), ("<u8", "uint64"), (float, "float64"), (bool, "bool"), ("torch.int16", "int16")):
            self.assertEqual(self.device.empty(2, dtype).dtype, name)
        for dtype in ("float31", ">f4", "complex64", None):
            with self.refused("no type of elements is"):
                self.device.empty(2, dtype)

    def test_shapes_that_are_none(self):
        for shape, text in ((-1, "negative"), ((2, -3), "negative"), (1.5, "give a number"), ("ab", "give a number"),
                            ((2**40, 2**40), "too large"), (None, "give a number")):
            with self.refused(text):
                self.device.empty(shape)

    def test_bytes_that_do_not_fit(self):
        with self.refused("16 bytes cannot be written to an array of 8"):
            self.device.zeros(2).write(floats(4))
        with self.refused("is no array"):
            self.device.array([1, 2])
        with self.refused("not contiguous"):
            self.device.array(memoryview(floats(4))[::2])

    def test_memory_runs_out(self):
        with haul.Device("sim:h200", memory_bytes=2**30) as device:
            self.assertEqual(device.memory[1], 2**30)
            with self.refused("memory", haul.ResourceError):
                device.empty(2**31, "uint8")

    def test_variables(self):
        self.module["race"][1, 1]()
        total = self.module.variable("total", "uint32")
        self.assertEqual(total.shape, (4,))
        total.write(array.array("I", [7, 8, 9, 10]))
        self.assertEqual(total.tolist(), [7, 8, 9, 10])
        with self.refused("16 bytes, which are no float32 of shape"):
            self.module.variable("total", "float32", (3,))
        with self.refused("totals"):
            self.module.variable("totals")
        with self.refused("no text"):
            self.module.variable(None)

    def test_another_device(self):
        with haul.Device("sim:a100") as other:
            x = other.array(floats(2))
            with self.refused("argument 1 is an array on another device"):
                self.module["beyond"][1, 1](x)
            here = haul.asarray(x, self.device)
            self.assertEqual((here.device, here.tolist()), (self.device, [0, 1]))
            self.assertIs(haul.asarray(here, self.device), here)

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_numpy(self):
        for dtype in ("int8", "uint16", "int64", "float16", "float64", "bool"):
            sent = numpy.arange(6).reshape(2, 3).astype(dtype)
            got = self.device.array(sent).numpy()
            self.assertEqual((got.dtype, got.shape), (sent.dtype, (2, 3)))
            self.assertTrue((got == sent).all())
        self.assertEqual(self.device.empty(1, numpy.float16).dtype, "float16")
        self.assertEqual(self.device.empty(1, numpy.dtype("u2")).dtype, "uint16")
        x = self.device.array(numpy.ones(32, numpy.float32))
        self.module["copy"][numpy.int64(1), 32](x, x, numpy.int64(1))
        self.assertEqual(numpy.asarray(x).sum(), 32)
        with self.refused("ascontiguousarray"):
            self.device.array(numpy.arange(6)[::2])
        for wrong in (numpy.ones(2, ">f4"), numpy.ones(2, "c8"), numpy.array([None])):
            with self.refused("no type of elements|cannot be passed"):
                self.device.array(wrong)

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_scalars_of_numpy(self):
        out = self.device.zeros(32, "uint8")
        self.module["types"][1, 1](numpy.bool_(True), numpy.int64(-3), numpy.uint32(5), numpy.float64(0.5), numpy.float32(2),
                                   numpy.float16(1), out)
        words = out.numpy()
        self.assertEqual(list(words.view("i4")[[0, 1, 2]]), [1, -3, 5])
        self.assertEqual((words.view("f4")[4], words.view("f2")[10], words.view("f8")[3]), (0.5, 1, 2))

    @unittest.skipUnless(numpy and hasattr(numpy, "from_dlpack"), "numpy has no from_dlpack()")
    def test_dlpack(self):
        class Tensor:  # as of a framework: no buffer protocol
            inner = numpy.arange(4, dtype=numpy.float32)
            where = (1, 0)

            def __dlpack__(self, **options):
                return self.inner.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.where

        buffer = self.device.array(Tensor())
        self.assertEqual(buffer.tolist(), [0, 1, 2, 3])
        self.assertEqual(numpy.from_dlpack(buffer).tolist(), [0, 1, 2, 3])
        Tensor.where = (2, 0)  # a GPU
        with self.refused("not in host memory"):
            self.device.array(Tensor())


if __name__ == "__main__":
    unittest.main()
