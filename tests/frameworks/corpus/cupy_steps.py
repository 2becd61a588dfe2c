"""Arrays on the GPU for the steps of a set by CuPy, and their run. For `haul replay --record`, as cupy_launches.py."""
import cupy
import numpy

import steps

numbers = numpy.random.default_rng(5)


def there(*shape, dtype=numpy.float32):
    return cupy.asarray(numbers.standard_normal(shape).astype(dtype))


def whole(below, *shape):
    return cupy.asarray(numbers.integers(0, below, shape).astype(numpy.int32))


def work(step):
    step()
    cupy.cuda.runtime.deviceSynchronize()


def run(parts):
    steps.run(parts, work)
