"""CuPy: element-wise kernels, a reduction, a raw kernel. Prints the same on the virtual GPU and on a real one."""
import cupy

a = cupy.arange(4096, dtype=cupy.float32)
b = a * 2 + 1
print("sum", float(b.sum()), "max", float(b.max()))
print("sorted", int(cupy.argmax(cupy.sin(a))))

scale = cupy.RawKernel(
    r"""
extern "C" __global__ void scale(float *out, const float *in, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * by;
}
""",
    "scale",
)
out = cupy.zeros_like(a)
scale((16,), (256,), (out, a, cupy.float32(3), cupy.int32(4096)))
print("raw", float(out[4095]), float(out.sum()))
clip = cupy.ElementwiseKernel("float32 x, float32 most", "float32 y", "y = x < most ? x : most", "clip")
print("element-wise", float(clip(a, 100).sum()))
