// The driver API: a module from PTX text, its kernel, variable and attributes, launched with parameters in both forms.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                \
    do {                                                                           \
        const CUresult status_ = (call);                                           \
        if (status_ != CUDA_SUCCESS) {                                             \
            const char *name_ = "?";                                               \
            cuGetErrorName(status_, &name_);                                       \
            printf("%s, line %d: %s gave %s\n", __FILE__, __LINE__, #call, name_); \
            exit(1);                                                               \
        }                                                                          \
    } while (0)

static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n"
                          ".visible .global .align 4 .u32 offset = 11;\n"
                          ".visible .entry triple(.param .u64 data, .param .u32 count)\n"
                          "{\n"
                          "    .reg .u32 %r<8>;\n"
                          "    .reg .u64 %d<4>;\n"
                          "    .reg .pred %p;\n"
                          "    mov.u32 %r0, %ctaid.x;\n"
                          "    mov.u32 %r1, %ntid.x;\n"
                          "    mov.u32 %r2, %tid.x;\n"
                          "    mad.lo.u32 %r3, %r0, %r1, %r2;\n"
                          "    ld.param.u32 %r4, [count];\n"
                          "    setp.ge.u32 %p, %r3, %r4;\n"
                          "    @%p bra DONE;\n"
                          "    ld.param.u64 %d0, [data];\n"
                          "    cvta.to.global.u64 %d1, %d0;\n"
                          "    mul.wide.u32 %d2, %r3, 4;\n"
                          "    add.u64 %d3, %d1, %d2;\n"
                          "    ld.global.u32 %r5, [%d3];\n"
                          "    ld.global.u32 %r6, [offset];\n"
                          "    mad.lo.u32 %r7, %r5, 3, %r6;\n"
                          "    st.global.u32 [%d3], %r7;\n"
                          "DONE:\n"
                          "    ret;\n"
                          "}\n";

int main() {
    enum { COUNT = 600 };
    static unsigned values[COUNT];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction triple;
    CUdeviceptr data, offset;
    CUstream stream;
    size_t bytes = 0;
    unsigned count = COUNT, eleven = 0, wrong = 0;
    int most = 0;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&triple, module, "triple"));
    CHECK(cuModuleGetGlobal(&offset, &bytes, module, "offset"));
    CHECK(cuMemcpyDtoH(&eleven, offset, sizeof eleven));
    CHECK(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, triple));
    printf("a variable of %zu bytes has %u; blocks of %d\n", bytes, eleven, most);
    printf("no such kernel: %d\n", cuModuleGetFunction(&triple, module, "double") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetFunction(&triple, module, "triple"));

    for (unsigned i = 0; i < COUNT; i++) values[i] = i;
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuMemAlloc(&data, sizeof values));
    CHECK(cuMemcpyHtoDAsync(data, values, sizeof values, stream));
    void *arguments[] = {&data, &count};
    CHECK(cuLaunchKernel(triple, 5, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
    struct {
        CUdeviceptr data;
        unsigned count;
    } packed = {data, COUNT / 2};
    size_t size = sizeof(CUdeviceptr) + sizeof(unsigned); // the padding behind the last one is no parameter
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(triple, 5, 1, 1, 128, 1, 1, 0, stream, nullptr, extra));
    CHECK(cuMemcpyDtoHAsync(values, data, sizeof values, stream));
    CHECK(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < COUNT; i++) wrong += values[i] != (i < COUNT / 2 ? 3 * (3 * i + 11) + 11 : 3 * i + 11);
    printf("first %u, last %u, %u wrong\n", values[0], values[COUNT - 1], wrong);
    CHECK(cuMemFree(data));
    CHECK(cuStreamDestroy(stream));
    CHECK(cuModuleUnload(module));
    CHECK(cuDevicePrimaryCtxRelease(device));
    if (!wrong && eleven == 11) printf("ok\n");
    return wrong || eleven != 11;
}
