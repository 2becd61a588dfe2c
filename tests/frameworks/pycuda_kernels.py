"""PyCUDA: a kernel of a source module, arrays of the GPU, a reduction. Prints the same on the virtual GPU and on a real one."""
import numpy
import pycuda.autoinit  # noqa: F401
import pycuda.driver as driver
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

module = SourceModule(
    """
__global__ void scale(float *out, const float *in, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * by;
}
"""
)
scale = module.get_function("scale")
numbers = numpy.arange(1000, dtype=numpy.float32)
out = numpy.zeros_like(numbers)
scale(driver.Out(out), driver.In(numbers), numpy.float32(3), numpy.int32(1000), block=(128, 1, 1), grid=(8, 1))
print("scaled", out[999], out.sum())
a = gpuarray.to_gpu(numbers)
print("array", (2 * a + 1).get().sum(), "sum", gpuarray.sum(a).get())
