"""Objects are closed, freed or collected in any order and by any thread."""

import gc
import os
import subprocess
import sys
import threading
import unittest
from pathlib import Path

import haul
from device_case import PTX, SECTORS, WithDevice, floats


class Lifetime(WithDevice):
    def test_records_outlive_the_device_and_nothing_else_does(self):
        x, kernel, total = self.device.array(floats(32)), self.module["copy"], self.module.variable("total")
        launch = kernel[1, 32](x, x, 1)
        self.device.close()
        self.device.close()
        self.assertEqual(launch.counters[SECTORS], 4)
        for use in (lambda: kernel[1, 32](x, x, 1), x.read, lambda: x.write(floats(32)), lambda: self.module["race"],
                    total.read, lambda: self.device.zeros(1), lambda: self.device.properties, self.device.synchronize,
                    lambda: self.device.load(PTX), lambda: kernel.check(1, 32, x, x, 1), lambda: x.address):
            with self.refused("sim:h200 was closed: open it again"):
                use()
        for freed in (x.free, self.module.unload, total.free):
            freed()
        for shown in (x, kernel, total, self.module, self.device, launch):
            self.assertTrue(repr(shown))
        self.assertIn("closed", self.device._repr_html_())

    def test_freed_arrays_are_refused(self):
        x = self.device.zeros(4)
        x.free()
        x.free()
        for use in (x.read, lambda: self.module["beyond"][1, 1](x)):
            with self.refused("the array was freed"):
                use()

    def test_modules_are_unloaded(self):
        other = self.device.load(PTX)
        total, race = other.variable("total", "uint32"), other["race"]
        other.unload()
        other.unload()
        for use in (lambda: race[1, 1](), total.read):
            with self.refused("module was unloaded"):
                use()

    def test_memory_is_freed_with_its_object(self):
        with haul.Device("sim:h200", memory_bytes=2**30) as device:
            for _ in range(10):
                device.empty(2**29, "uint8")
            held = [device.empty(2**29, "uint8")]
            held.append(held)  # a cycle
            del held
            gc.collect()
            device.empty(2**29 + 2**28, "uint8")

    def test_freed_arrays_take_no_host_memory(self):
        def used():
            return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        self.device.zeros(2**23)
        before = used()
        for _ in range(8):
            self.device.zeros(2**23)
        self.assertLess(used() - before, 2**23)  # each has four times as many bytes, and their marks as many

    def test_an_object_is_collected_while_another_thread_uses_the_device(self):
        x = self.device.zeros(2**20)
        begun, done = threading.Event(), threading.Event()

        def use():
            with self.device._use():
                begun.set()
                done.wait(10)

        thread = threading.Thread(target=use)
        thread.start()
        begun.wait()
        del x  # does not wait for the thread
        gc.collect()
        done.set()
        thread.join()
        self.assertEqual(len(self.device._discarded), 1)
        before = self.device.memory[0]
        self.assertEqual(len(self.device._discarded), 0)
        self.assertEqual(self.device.memory[0], before)

    def test_a_program_may_end_with_all_open(self):
        program = """
import haul, device_case
device = haul.Device("sim:h200")
module = device.load(device_case.PTX)
x = device.array(device_case.floats(32))
launch = module["copy"][1, 32](x, x, 1)
loop = [device, module, x, launch]
loop.append(loop)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              cwd=Path(__file__).parent,
                              env={**os.environ, "PYTHONPATH": str(Path(haul.__file__).resolve().parents[1])})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_threads_share_a_device_and_have_their_own_errors(self):
        seen = []

        def work(name):
            for _ in range(20):
                try:
                    self.module.launch(name, 1, 32)
                except haul.Error as error:
                    seen.append(name in str(error))

        threads = [threading.Thread(target=work, args=(name,)) for name in ("first_of_all", "second", "race")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(seen, [True] * 40)


class Devices(unittest.TestCase):
    def test_threads_with_devices_of_their_own(self):
        sums = []

        def work(step):
            with haul.Device("sim:h200", threads=1) as device:
                x, y, copy = device.array(floats(256)), device.zeros(32), device.load(PTX)["copy"]
                for _ in range(10):
                    launch = (copy.check if step % 2 else copy.launch)(1, 32, x, y, step)
                sums.append((step, sum(y.tolist()), launch.checked))

        threads = [threading.Thread(target=work, args=(step,)) for step in (1, 2, 3, 4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(sums), [(step, 496.0 * step, step % 2 == 1) for step in (1, 2, 3, 4)])

    def test_names_and_options(self):
        for name, kind, text in (("sim:none", haul.ResourceError, "no such machine"), (None, TypeError, "no text"),
                                 ("sim\0", haul.ArgumentError, "zero byte"), ("", haul.ArgumentError, "")):
            with self.assertRaisesRegex(kind, text):
                haul.Device(name)
        for options, text in (({"chek": True}, "no option 'chek'"), ({"threads": -1}, "from 0 on"),
                              ({"threads": "two"}, "give a number"), ({"completion": "soon"}, "there are at wait, late")):
            with self.assertRaisesRegex(haul.ArgumentError, text):
                haul.Device("sim", **options)

    def test_facts(self):
        with haul.Device("sim:a100", threads=1) as device:
            self.assertEqual((device.name, device.is_virtual), ("sim:a100", True))
            self.assertEqual(device.properties["architecture"], 80)
            self.assertIn("A100", device.product)
            self.assertIn("l2_bytes", device._repr_html_())
            device.synchronize()

    def test_versions_are_equal(self):
        self.assertEqual(haul.version(), haul.__version__)

    def test_ptx_that_is_none(self):
        with haul.Device("sim") as device:
            for ptx, kind, text in (("nothing\n", haul.ArgumentError, "PTX:1"), (None, TypeError, "pass a text"),
                                    ("missing.ptx", haul.ResourceError, "missing.ptx: No such file")):
                with self.assertRaisesRegex(kind, text):
                    device.load(ptx)
            for source, kind, text in ((None, TypeError, "pass a text"), ("missing.cu", haul.Error, "missing.cu")):
                with self.assertRaisesRegex(kind, text):
                    device.compile(source)
            with self.assertRaisesRegex(TypeError, "give a list of words"):
                device.compile("int i;\n", options="-DX")


if __name__ == "__main__":
    unittest.main()
