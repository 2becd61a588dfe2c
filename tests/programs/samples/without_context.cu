// Threads without a current context: the driver finds it by a stream, an event, a kernel or the like. Calls that have
// nothing of the kind, or a default stream, give CUDA_ERROR_INVALID_CONTEXT (201).
// Calls that fail: 24
#include <cuda.h>
#include <stdio.h>
#include <thread>

static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n"
                          ".visible .global .u32 word;\n"
                          ".visible .entry add_one(.param .u64 to)\n"
                          "{\n"
                          "    .reg .u32 %r<2>;\n"
                          "    .reg .u64 %d;\n"
                          "    ld.param.u64 %d, [to];\n"
                          "    ld.global.u32 %r0, [%d];\n"
                          "    add.u32 %r1, %r0, 1;\n"
                          "    st.global.u32 [%d], %r1;\n"
                          "    ret;\n"
                          "}\n";

static void gave(const char *call, CUresult result) {
    printf("%4d %s\n", (int)result, call);
}
#define TRY(call) gave(#call, call)

static CUdevice device;
static CUcontext context;
static CUstream stream, other;
static CUevent event, second;
static CUmodule module;
static CUfunction add_one;
static CUgraph graph;
static CUgraphExec executable;
static CUdeviceptr memory, piece;
static void *pinned;
static unsigned words[64];

static void CUDA_CB nothing(void *) {}

static void contexts() {
    CUcontext current;
    CUdevice of;
    size_t bytes;
    int warp;
    TRY(cuCtxGetCurrent(&current));
    TRY(cuCtxPopCurrent(&current));
    TRY(cuCtxSynchronize());
    TRY(cuCtxGetDevice(&of));
    TRY(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
    TRY(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
}

static void streams_and_events() {
    CUstream made;
    CUevent spare;
    unsigned flags;
    float ms;
    TRY(cuStreamQuery(stream));
    TRY(cuStreamSynchronize(stream));
    TRY(cuStreamSynchronize(0));
    TRY(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    TRY(cuStreamGetFlags(stream, &flags));
    TRY(cuStreamGetCtx(stream, &context));
    TRY(cuStreamCopyAttributes(other, stream));
    TRY(cuLaunchHostFunc(stream, nothing, 0));
    TRY(cuLaunchHostFunc(0, nothing, 0));
    TRY(cuEventRecord(event, stream));
    TRY(cuEventRecord(event, 0));
    TRY(cuStreamWaitEvent(other, event, 0));
    TRY(cuStreamWaitEvent(0, event, 0));
    TRY(cuEventRecord(second, stream));
    TRY(cuEventSynchronize(second));
    TRY(cuEventElapsedTime(&ms, event, second));
    TRY(cuStreamCreate(&made, 0));
    TRY(cuStreamDestroy(other));
    TRY(cuEventCreate(&spare, 0));
    TRY(cuEventDestroy(second));
}

static void memories() {
    CUdeviceptr base;
    size_t bytes, total;
    unsigned kind;
    TRY(cuMemAlloc(&base, 4096));
    TRY(cuMemHostRegister(words, sizeof words, 0));
    TRY(cuMemHostUnregister(words));
    TRY(cuMemGetInfo(&bytes, &total));
    TRY(cuMemGetAddressRange(&base, &bytes, memory));
    TRY(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
    TRY(cuMemcpyHtoD(memory, words, 4));
    TRY(cuMemcpyHtoDAsync(memory, words, 4, stream));
    TRY(cuMemcpyHtoDAsync(memory, words, 4, 0));
    TRY(cuMemcpyDtoHAsync(words, memory, 4, stream));
    TRY(cuMemcpyAsync(memory, memory + 64, 4, stream));
    TRY(cuMemsetD32(memory, 7, 4));
    TRY(cuMemsetD32Async(memory, 7, 4, stream));
    TRY(cuMemAllocAsync(&piece, 4096, 0));
    TRY(cuMemAllocAsync(&piece, 4096, stream));
    TRY(cuMemFreeAsync(piece, stream));
}

static void kernels() {
    void *arguments[] = {&memory};
    CUdeviceptr word;
    CUmodule another;
    CUfunction found;
    size_t bytes;
    int registers, blocks;
    TRY(cuModuleLoadData(&another, ptx));
    TRY(cuModuleGetFunction(&found, module, "add_one"));
    TRY(cuModuleGetGlobal(&word, &bytes, module, "word"));
    TRY(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, add_one));
    TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_one, 128, 0));
    TRY(cuLaunchKernel(add_one, 1, 1, 1, 1, 1, 1, 0, stream, arguments, 0));
    TRY(cuLaunchKernel(add_one, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0));
}

static void graphs() {
    CUgraphNode node;
    CUgraph made;
    CUgraphExec instance;
    TRY(cuGraphCreate(&made, 0));
    TRY(cuGraphAddEmptyNode(&node, graph, 0, 0));
    TRY(cuGraphInstantiate(&instance, graph, 0));
    TRY(cuGraphLaunch(executable, stream));
    TRY(cuGraphLaunch(executable, 0));
    TRY(cuStreamSynchronize(stream));
    TRY(cuGraphExecDestroy(executable));
    TRY(cuGraphDestroy(graph));
    TRY(cuModuleUnload(module));
    TRY(cuMemFreeHost(pinned));
    TRY(cuMemFree(memory));
}

int main() {
    CUgraphNode node;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    cuStreamCreate(&other, CU_STREAM_NON_BLOCKING);
    cuEventCreate(&event, 0);
    cuEventCreate(&second, 0);
    cuModuleLoadData(&module, ptx);
    cuModuleGetFunction(&add_one, module, "add_one");
    cuMemAlloc(&memory, 4096);
    cuMemHostAlloc(&pinned, 4096, 0);
    cuGraphCreate(&graph, 0);
    cuGraphAddEmptyNode(&node, graph, 0, 0);
    cuGraphInstantiate(&executable, graph, 0);
    for (auto part : {contexts, streams_and_events, memories, kernels, graphs}) std::thread(part).join();
    cuCtxSetCurrent(context);
    gave("the context at the end", cuCtxSynchronize());
}
