/* y = alpha * x + y, as kernels/saxpy.cu has it: by words, and by vectors of four (n is a multiple of four here). */
__kernel void saxpy_scalar(uint n, float alpha, __global const float *x, __global float *y) {
    uint i = get_global_id(0);
    if (i < n) y[i] = fma(alpha, x[i], y[i]);
}

__kernel void saxpy_vector(uint n, float alpha, __global const float4 *x, __global float4 *y) {
    uint i = get_global_id(0);
    if (i < n / 4) y[i] = fma((float4)(alpha), x[i], y[i]);
}
