/* The host half: everything of the runtime API that the headers declare is called once, so that it parses as it does
 * with nvcc. The program is never run. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>
#include <math_constants.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

__constant__ float factors[4];
__device__ int counter;

__global__ void scale(float *data, float by, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= by * factors[i & 3] + CUDART_PI_F;
}
template <int steps> __global__ void repeat(double *data) {
    for (int i = 0; i < steps; i++) data[threadIdx.x] = data[threadIdx.x] * CUDART_LN2 + CUDART_INF;
}
struct Settings {
    CUtensorMap map;
    CUdeviceptr address;
};
__global__ void tensor(const __grid_constant__ CUtensorMap map, const void **out) {
    *out = &map;
}

static void errors_and_devices() {
    int n = 0, v = 0;
    cudaDeviceProp properties;
    size_t bytes;
    printf("%s %s %d\n", cudaGetErrorName(cudaGetLastError()), cudaGetErrorString(cudaPeekAtLastError()),
           (int)cudaSuccess);
    cudaDriverGetVersion(&v);
    cudaRuntimeGetVersion(&v);
    cudaGetDeviceCount(&n);
    cudaGetDevice(&n);
    cudaSetDevice(n);
    cudaInitDevice(0, 0, 0);
    cudaGetDeviceProperties(&properties, n);
    cudaChooseDevice(&n, &properties);
    cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, n);
    printf("%s %zu %d.%d %d\n", properties.name, properties.sharedMemPerBlockOptin, properties.major, properties.minor,
           properties.l2CacheSize);
    cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity);
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes);
    cudaDeviceSetCacheConfig(cudaFuncCachePreferShared);
    cudaDeviceGetStreamPriorityRange(&n, &v);
    cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);
    cudaDeviceCanAccessPeer(&v, 0, 1);
    cudaDeviceEnablePeerAccess(1, 0);
    cudaDeviceDisablePeerAccess(1);
    cudaCtxResetPersistingL2Cache();
    cudaProfilerStart();
    cudaProfilerStop();
    cudaDeviceSynchronize();
    cudaDeviceReset();
}
static void streams_and_events() {
    cudaStream_t s, t;
    cudaEvent_t a, b;
    float ms;
    int priority;
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaStreamCreateWithPriority(&t, cudaStreamDefault, -1);
    cudaStreamGetPriority(s, &priority);
    cudaEventCreate(&a);
    cudaEventCreate(&b, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&b, cudaEventBlockingSync);
    cudaEventRecord(a);
    cudaEventRecord(b, s);
    cudaStreamWaitEvent(t, b);
    cudaStreamWaitEvent(t, b, 0);
    cudaEventQuery(a);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b);
    cudaStreamQuery(s);
    cudaStreamSynchronize(s);
    cudaLaunchHostFunc(
        s, [](void *user) { *(int *)user = 1; }, &priority);
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &value);
    cudaEventDestroy(a);
    cudaStreamDestroy(s);
}
static void memory() {
    float *d, *h;
    void *p;
    size_t pitch, free_bytes, total;
    int host[4] = {};
    float table[4] = {1, 2, 3, 4};
    cudaStream_t s = nullptr;
    cudaMemPool_t pool;
    cudaPointerAttributes attributes;
    cudaMalloc(&d, 64);
    cudaMalloc(&p, 64);
    cudaMalloc((void **)&d, 64);
    cudaMallocHost(&h, 64);
    cudaHostAlloc(&h, 64, cudaHostAllocMapped | cudaHostAllocPortable);
    cudaHostGetDevicePointer(&d, h, 0);
    cudaMallocManaged(&d, 64);
    cudaMallocPitch(&d, &pitch, 64, 4);
    cudaMallocAsync(&d, 64, s);
    cudaHostRegister(host, sizeof(host), cudaHostRegisterDefault);
    cudaHostUnregister(host);
    cudaMemGetInfo(&free_bytes, &total);
    cudaPointerGetAttributes(&attributes, d);
    cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice);
    cudaMemcpy(h, d, 64, cudaMemcpyDefault);
    cudaMemcpyAsync(d, h, 64, cudaMemcpyHostToDevice, s);
    cudaMemcpyAsync(d, h, 64, cudaMemcpyHostToDevice);
    cudaMemcpy2D(d, pitch, h, 16, 16, 4, cudaMemcpyHostToDevice);
    cudaMemcpy2DAsync(d, pitch, h, 16, 16, 4, cudaMemcpyHostToDevice, s);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(h, 16, 4, 4);
    copy.dstPtr = make_cudaPitchedPtr(d, 16, 4, 4);
    copy.extent = make_cudaExtent(16, 4, 1);
    copy.srcPos = make_cudaPos(0, 0, 0);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    cudaMemcpyToSymbol(factors, table, sizeof(table));
    cudaMemcpyFromSymbol(host, counter, sizeof(counter));
    cudaMemcpyToSymbolAsync(factors, table, 8, 0, cudaMemcpyHostToDevice, s);
    cudaGetSymbolAddress(&p, counter);
    cudaGetSymbolSize(&total, factors);
    cudaMemset(d, 0, 64);
    cudaMemsetAsync(d, 0, 64, s);
    cudaMemset2D(d, pitch, 0, 16, 4);
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &total);
    cudaMemPoolTrimTo(pool, 0);
    cudaFreeAsync(d, s);
    cudaFree(d);
    cudaFreeHost(h);
}
static void launches(float *d, double *e) {
    float by = 2.0f;
    int n = 4, blocks, value;
    void *arguments[] = {&d, &by, &n};
    cudaFuncAttributes attributes;
    scale<<<1, 128>>>(d, by, n);
    scale<<<dim3(1, 2), dim3(32, 4), 1024, nullptr>>>(d, by, n);
    repeat<3><<<1, 32>>>(e);
    cudaLaunchKernel((const void *)scale, dim3(1), dim3(128), arguments, 0, nullptr);
    cudaLaunchKernel(scale, 1, 128, arguments);
    cudaLaunchCooperativeKernel((void *)scale, 1, 128, arguments, 0, nullptr);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 2;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.gridDim = dim3(2);
    config.blockDim = dim3(128);
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, scale, d, by, n);
    cudaFuncGetAttributes(&attributes, scale);
    cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    cudaFuncSetAttribute((const void *)scale, cudaFuncAttributePreferredSharedMemoryCarveout,
                         cudaSharedmemCarveoutMaxShared);
    cudaFuncSetCacheConfig(scale, cudaFuncCachePreferL1);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 128, 0);
    cudaOccupancyMaxActiveClusters(&value, (const void *)scale, &config);
}

int main() {
    std::vector<float> numbers(4, std::sqrt(2.0f));
    const std::string name = "host";
    auto settings = std::make_unique<Settings>();
    settings->address = (CUdeviceptr)(size_t)numbers.data();
    errors_and_devices();
    streams_and_events();
    memory();
    launches(numbers.data(), nullptr);
    printf("%s %d %.9g %d\n", name.c_str(), min(1, 2), sin(0.5) + fabsf(-1.0f), CUDART_VERSION / 1000);
    return 0;
}
