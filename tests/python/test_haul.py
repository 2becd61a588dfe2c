"""The Python package, with numpy and without. usage: test_haul.py [TEST...]"""

import array
import ctypes
import gc
import threading
import unittest

import haul

try:
    import numpy
except ImportError:
    numpy = None

PTX = """.version 8.3
.target sm_80
.address_size 64
.global .align 4 .u32 total[4];
.visible .entry _Z4copyPKfPfi(.param .u64 in, .param .u64 out, .param .u32 step) {
.reg .b64 %rd<5>; .reg .b32 %r<5>; .reg .f32 %f<2>;
ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [step];
mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, %r2; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd0, %rd0, %rd2;
.loc 1 12 3
ld.global.f32 %f0, [%rd0]; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd1, %rd1, %rd3;
st.global.f32 [%rd1], %f0; ret; }
.visible .entry race() {
.reg .b32 %r<3>; .shared .align 4 .u32 s;
mov.u32 %r0, %tid.x; st.shared.u32 [s], %r0; ld.shared.u32 %r1, [s]; st.global.u32 [total], %r1; ret; }
.visible .entry wide(.param .f64 x, .param .u64 n, .param .align 4 .b8 pair[8], .param .u64 out) {
.reg .b64 %rd<4>; .reg .f64 %d<3>; .reg .b32 %r<2>; .reg .f64 %e<2>;
ld.param.f64 %d0, [x]; ld.param.u64 %rd0, [n]; ld.param.b32 %r0, [pair+4]; ld.param.u64 %rd1, [out];
cvt.rn.f64.u64 %d1, %rd0; add.f64 %d0, %d0, %d1; cvt.rn.f64.u32 %d1, %r0; add.f64 %d0, %d0, %d1;
st.global.f64 [%rd1], %d0; ret; }
.visible .entry beyond(.param .u64 p) {
.reg .b64 %rd<2>; .reg .b32 %r<1>;
ld.param.u64 %rd0, [p]; ld.global.u32 %r0, [%rd0+1048576]; st.global.u32 [%rd0], %r0; ret; }
.file 1 "copy.cu"
"""
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"


def floats(count):
    return array.array("f", range(count))


class Package(unittest.TestCase):
    def setUp(self):
        self.device = haul.Device("sim:h200", check=True)
        self.module = self.device.load(PTX, "copy.ptx")

    def tearDown(self):
        self.device.close()

    def copy(self, step=1):
        x, y = self.device.array(floats(1024)), self.device.zeros(32)
        return self.module.launch("copy", 1, 32, x, y, step), y

    def test_a_kernel_computes(self):
        _, y = self.copy(2)
        self.assertEqual(y.tolist(), [2.0 * i for i in range(32)])

    def test_counters_are_a_dict(self):
        near, far = self.copy(1)[0].counters, self.copy(8)[0].counters
        self.assertEqual((near[SECTORS], far[SECTORS]), (4, 32))

    def test_tables_name_the_line(self):
        table = self.copy(8)[0].line_table()
        self.assertEqual(next(iter(table))["Line"], "copy.cu:12")
        self.assertEqual(table["Sectors/Request"], [32.0, 4.0])
        self.assertIn("32.00", repr(table))
        self.assertIn("<td", self.copy(8)[0]._repr_html_())

    def test_findings(self):
        found = self.module.launch("race", 1, 64).findings
        self.assertEqual(found[0].kind, "race-shared")
        self.assertEqual(found[0].grade, "error")
        self.assertIn("write", (found[0].access.action, found[0].other.action))
        self.assertEqual(self.copy()[0].findings, [])

    def test_a_fault_has_its_record(self):
        with self.assertRaisesRegex(haul.KernelError, "outside any allocation") as caught:
            self.module.launch("beyond", 1, 1, self.device.zeros(4))
        self.assertEqual(caught.exception.launch.findings[0].kind, "out-of-bounds")

    def test_sized_arguments(self):
        out = self.device.zeros(1, "float64")
        pair = (ctypes.c_uint32 * 2)(1, 100)
        self.module.launch("wide", 1, 1, haul.f64(0.5), haul.u64(2**40), pair, out)
        self.assertEqual(out.tolist(), [2**40 + 100.5])

    def test_wrong_arguments_say_what_to_do(self):
        x = self.device.zeros(32)
        for words, text in (((x, x), "takes 3 arguments, 2 given"), ((x, x, 1.0), "pass it as `u32:"),
                            ((x, x, haul.i64(1)), "is 8 bytes")):
            with self.assertRaisesRegex(haul.ArgumentError, text):
                self.module.launch("copy", 1, 32, *words)
        with self.assertRaisesRegex(TypeError, "pass device.array"):
            self.module.launch("copy", 1, 32, floats(1), x, 1)
        with self.assertRaisesRegex(haul.ArgumentError, "no kernel is called 'copies': there are"):
            self.module.launch("copies", 1, 32)
        with self.assertRaisesRegex(haul.ArgumentError, "grid is 'a'"):
            self.module.launch("race", "a", 1)
        with self.assertRaisesRegex(TypeError, "no option 'chek'"):
            haul.Device("sim", chek=True)
        with self.assertRaisesRegex(haul.ResourceError, "no such machine"):
            haul.Device("sim:none")

    def test_records_and_errors_outlive_the_device(self):
        launch, y = self.copy()
        self.device.close()
        self.assertEqual(launch.counters[SECTORS], 4)
        with self.assertRaisesRegex(haul.ArgumentError, "freed, or its device closed|was closed"):
            y.read()
        with self.assertRaisesRegex(haul.ArgumentError, "was closed"):
            self.module.launch("race", 1, 32)

    def test_memory_is_freed_with_its_object(self):
        with haul.Device("sim:h200", memory_bytes=2**30) as device:
            for _ in range(10):
                device.empty(2**29, "uint8")
                gc.collect()
            with self.assertRaises(haul.ResourceError):
                device.empty(2**31, "uint8")

    def test_bytes_that_do_not_fit(self):
        with self.assertRaisesRegex(haul.ArgumentError, "16 bytes cannot be written to a buffer of 8"):
            self.device.zeros(2).write(floats(4))
        with self.assertRaisesRegex(haul.ArgumentError, "no type 'float31'"):
            self.device.empty(2, "float31")

    def test_variables(self):
        self.module.launch("race", 1, 1)
        total = self.module.variable("total", "uint32")
        self.assertEqual(total.shape, (4,))
        total.write(array.array("I", [7, 8, 9, 10]))
        self.assertEqual(total.tolist(), [7, 8, 9, 10])

    def test_modules_are_unloaded(self):
        other = self.device.load(PTX)
        total = other.variable("total", "uint32")
        other.unload()
        for use in (lambda: other.launch("race", 1, 1), total.read):
            with self.assertRaisesRegex(haul.ArgumentError, "module was unloaded"):
                use()

    def test_an_empty_array(self):
        self.assertEqual(self.device.array(array.array("f")).tolist(), [])

    def test_threads_share_a_device_and_have_their_own_errors(self):
        seen = []

        def work(name):
            for _ in range(20):
                try:
                    self.module.launch(name, 1, 32)
                except haul.Error as error:
                    seen.append(name in str(error))

        threads = [threading.Thread(target=work, args=(name,)) for name in ("first", "second", "race")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(seen, [True] * 40)

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_arrays_of_numpy(self):
        for dtype in ("int8", "uint16", "int64", "float16", "float64", "bool"):
            sent = numpy.arange(6).reshape(2, 3).astype(dtype)
            got = self.device.array(sent).read()
            self.assertEqual((got.dtype, got.shape), (sent.dtype, (2, 3)))
            self.assertTrue((got == sent).all())
        x = self.device.array(numpy.ones(32, numpy.float32))
        self.module.launch("copy", 1, 32, x, x, numpy.int32(1))
        self.assertEqual(numpy.asarray(x).sum(), 32)
        with self.assertRaisesRegex(ValueError, "ascontiguousarray"):
            self.device.array(numpy.arange(6)[::2])

    @unittest.skipUnless(numpy and hasattr(numpy, "from_dlpack"), "numpy has no from_dlpack()")
    def test_arrays_of_dlpack(self):
        class Tensor:  # as of a framework: no buffer protocol
            inner = numpy.arange(4, dtype=numpy.float32)

            def __dlpack__(self, **options):
                return self.inner.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.inner.__dlpack_device__()

        sent = self.device.array(Tensor())
        self.assertEqual(sent.tolist(), [0, 1, 2, 3])
        self.assertEqual(numpy.from_dlpack(sent).tolist(), [0, 1, 2, 3])


if __name__ == "__main__":
    unittest.main()
