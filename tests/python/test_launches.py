"""Kernels, their arguments, and the records of launches."""

import ctypes
import unittest

import haul
from device_case import PTX, SECTORS, WithDevice, floats


class Launches(WithDevice):
    def copy(self, step=1):
        x, y = self.device.array(floats(1024)), self.device.zeros(32)
        return self.module["copy"][1, 32](x, y, step), y

    def test_a_kernel_computes(self):
        _, y = self.copy(2)
        self.assertEqual(y.tolist(), [2.0 * i for i in range(32)])

    def test_a_kernel_tells_its_name_and_parameters(self):
        kernel = self.module["copy"]
        self.assertEqual((kernel.symbol, kernel.name), ("_Z4copyPKfPfi", "copy"))
        self.assertEqual([(p.name, p.kind, p.bytes) for p in kernel.parameters],
                         [("in", "integer", 8), ("out", "integer", 8), ("step", "integer", 4)])
        self.assertEqual(self.module["wide"].parameters[2].kind, "bytes")
        self.assertEqual(self.module.kernel("copy(float const*, float*, int)").symbol, kernel.symbol)
        self.assertIn(kernel.symbol, self.module)
        self.assertGreater(kernel.blocks_per_sm(256), 0)

    def test_counters_are_a_dict(self):
        near, far = self.copy(1)[0].counters, self.copy(8)[0].counters
        self.assertEqual((near[SECTORS], far[SECTORS]), (4, 32))
        self.assertIn("<td", near._repr_html_())

    def test_tables_name_the_line(self):
        table = self.copy(8)[0].line_table()
        self.assertEqual(next(iter(table))["Line"], "copy.cu:12")
        self.assertEqual(table["Sectors/Request"], [32.0, 4.0])
        self.assertIn("32.00", repr(table))
        self.assertIn("<td", self.copy(8)[0]._repr_html_())
        self.assertRegex(str(self.copy(8)[0]), r"^<copy, grid \(1, 1, 1\)(.|\n)*Global Load")

    def test_an_estimate_has_its_parts(self):
        launch = self.copy()[0]
        self.assertGreater(launch.estimate_us, 0)
        self.assertGreater(launch.estimate["cycles"], 0)
        self.assertAlmostEqual(sum(launch.stalls.values()), 1)
        self.assertIsNone(launch.measured_us)

    # ---- arguments ----

    def types(self, *arguments):
        out = self.device.zeros(32, "uint8")
        self.module["types"][1, 1](*arguments, out)
        data = bytes(out.tolist())
        layout = (("a", ctypes.c_uint32), ("b", ctypes.c_int32), ("c", ctypes.c_uint64), ("d", ctypes.c_float),
                  ("f", ctypes.c_uint16), ("e", ctypes.c_double))
        seen = type("Seen", (ctypes.Structure,), {"_fields_": layout}).from_buffer_copy(data)
        return tuple(getattr(seen, name) for name in "abcdef")

    def test_numbers_become_what_the_kernel_declares(self):
        half = b"\x00\x3c"
        self.assertEqual(self.types(200, -3, 2**63, 1, 2, half), (200, -3, 2**63, 1.0, 2.0, 0x3C00))
        self.assertEqual(self.types(True, 7, 1, 0.5, 0.1, half), (1, 7, 1, 0.5, 0.1, 0x3C00))

    def test_numbers_that_do_not_fit(self):
        fine = [1, 1, 1, 1.0, 1.0, b"ab"]
        for i, value, text in ((0, 256, r"argument 1 is 256, but parameter 1 \(a\) is 1 bytes, which it does not fit"),
                               (1, -40000, "does not fit"), (2, 2**64, "does not fit"), (2, 1.5, r"pass int\(1.5\)"),
                               (3, "1", "type str"), (5, 1.5, "pass bytes"),
                               (1, None, "type NoneType"), (3, 10**400, "does not fit"), (5, b"abc", "3 bytes"), (0, haul.u32(1), "is 4 bytes"), (3, haul.f64(1), "is 8 bytes")):
            with self.subTest(i=i, value=value), self.refused(text):
                self.types(*fine[:i], value, *fine[i + 1:])

    def test_sized_arguments_and_structures(self):
        out = self.device.zeros(1, "float64")
        pair = (ctypes.c_uint32 * 2)(1, 100)
        self.module.launch("wide", 1, 1, haul.f64(0.5), haul.u64(2**40), pair, out)
        self.assertEqual(out.tolist(), [2**40 + 100.5])
        for make, value, text in ((haul.u8, 300, "300 does not fit 8 bits"), (haul.i32, 1.5, "is no number of 32 bits"),
                                  (haul.f32, "1", "is no number of 32 bits")):
            with self.refused(text):
                make(value)

    def test_wrong_arguments_say_what_to_do(self):
        x, kernel = self.device.zeros(32), self.module["copy"]
        for words, text in (((x, x), "takes 3 arguments, 2 given"), ((x, x, x), "argument 3 is an array, but parameter 3"), ((x, x, 1, 1), "4 given"),
                            ((floats(1), x, 1), r"pass device.array\(")):
            with self.refused(text):
                kernel[1, 32](*words)
        with self.refused("did you mean `copy`?"):
            self.module["copies"]
        with self.refused(r"write kernel\[grid, block\]"):
            kernel(x, x, 1)
        with self.refused(r"write kernel\[grid, block\]"):
            kernel[32]
        for shape in (("a", 1), (1, (1, 1, 1, 1)), (-1, 1), (1.5, 1), (1, 2**32)):
            with self.refused("give a number, or up to three"):
                kernel[shape](x, x, 1)
        for shape, text in (((0, 1), "grid"), ((1, 2048), "allows 1024")):
            with self.refused(text):
                kernel[shape](x, x, 1)
        for shared in (-1, 2**20, 2**33):
            with self.refused("shared"):
                kernel.launch(1, 32, x, x, 1, shared=shared)

    def test_none_is_a_null_pointer(self):
        with self.refused("4 bytes at 0x100000", haul.KernelError):
            self.module["beyond"][1, 1](None)

    def test_a_fault_is_an_error_and_the_device_goes_on(self):
        with self.refused("outside any allocation", haul.KernelError):
            self.module["beyond"][1, 1](self.device.zeros(4))
        self.assertEqual(self.copy()[1].tolist()[1], 1)


class Checks(WithDevice):
    def test_findings(self):
        found = self.module["race"].check(1, 64).findings
        self.assertEqual((found[0].kind, found[0].severity), ("race-shared", "error"))
        self.assertIn("write", (found[0].access.action, found[0].other.action))
        self.assertRegex(str(found[0]), "^copy.cu:20: error: race-shared: .*")
        self.assertEqual((found[0].file, found[0].line), ("copy.cu", 20))
        self.assertIn("race-shared", found._repr_html_())

    def test_only_that_launch_is_checked(self):
        race = self.module["race"]
        for _ in range(2):
            self.assertFalse(race[1, 64]().checked)
            self.assertTrue(race.check(1, 64).findings)

    def test_unwritten_memory_is_found_and_that_of_unchecked_launches_is_written(self):
        a, b, kernel = self.device.empty(1, "uint32"), self.device.zeros(1, "uint32"), self.module["first"]
        self.assertEqual([f.kind for f in kernel.check(1, 1, a, b).findings], ["uninitialised-read"])
        self.assertEqual(kernel.check(1, 1, b, a).findings, [])
        kernel[1, 1](b, a)
        self.assertEqual(kernel.check(1, 1, a, b).findings, [])

    def test_a_fault_has_its_record(self):
        with self.refused("outside any allocation", haul.KernelError) as caught:
            self.module["beyond"].check(1, 1, self.device.zeros(4))
        self.assertEqual(caught.exception.launch.findings[0].kind, "out-of-bounds")
        self.assertFalse(self.module["race"][1, 64]().checked)

    def test_schedules(self):
        total, race = self.module.variable("total", "uint32"), self.module["race"]
        seen = set()
        for schedule in ("in order", "reversed"):
            race.check(1, 64, schedule=schedule)
            seen.add(total.tolist()[0])
        self.assertEqual(seen, {0, 32})
        for options, text in (({"schedule": "upwards"}, "there are in order, reversed, random"),
                              ({"schedules": "random"}, r"check\(\) has no option 'schedules'"), ({"seed": -1}, "from 0 on")):
            with self.refused(text):
                race.check(1, 64, **options)

    def test_a_device_may_check_all(self):
        with haul.Device("sim:h200", check=True, schedule="reversed") as device:
            launch = device.load(PTX)["race"][1, 64]()
            self.assertTrue(launch.checked and launch.findings)


if __name__ == "__main__":
    unittest.main()
