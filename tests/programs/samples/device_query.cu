// What a program asks of the device before it begins: properties that fit to attributes, versions, memory, its PCI
// address.
#include "sample.h"

static void same(const char *what, cudaDeviceAttr attribute, long long value) {
    int got = -1;
    CHECK(cudaDeviceGetAttribute(&got, attribute, 0));
    if (got != value) printf("%s: %d and %lld\n", what, got, value);
    expect(what, got == value);
}

int main() {
    int devices = 0, device = -1, driver = 0, runtime = 0, found = -1, access = 1;
    size_t left = 0, total = 0;
    char bus[32];
    cudaDeviceProp p;
    CHECK(cudaGetDeviceCount(&devices));
    expect("there is a device", devices > 0);
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    expect("it is the first one", device == 0);
    CHECK(cudaGetDeviceProperties(&p, 0));
    expect("it has a name", p.name[0]);
    same("major", cudaDevAttrComputeCapabilityMajor, p.major);
    same("minor", cudaDevAttrComputeCapabilityMinor, p.minor);
    same("processors", cudaDevAttrMultiProcessorCount, p.multiProcessorCount);
    same("threads of a processor", cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor);
    same("shared memory of a block", cudaDevAttrMaxSharedMemoryPerBlock, (long long)p.sharedMemPerBlock);
    same("shared memory by consent", cudaDevAttrMaxSharedMemoryPerBlockOptin, (long long)p.sharedMemPerBlockOptin);
    same("registers", cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock);
    same("L2", cudaDevAttrL2CacheSize, p.l2CacheSize);
    same("bus", cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth);
    same("managed memory", cudaDevAttrManagedMemory, p.managedMemory);
    same("textures", cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]);
    same("PCI bus", cudaDevAttrPciBusId, p.pciBusID);
    printf("warps of %d, blocks of %d, %zu bytes of constants\n", p.warpSize, p.maxThreadsPerBlock, p.totalConstMem);
    printf("grids of %d x %d x %d\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);

    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    expect("versions", driver >= runtime && runtime == CUDART_VERSION);
    CHECK(cudaMemGetInfo(&left, &total));
    expect("memory", left > 0 && left <= total && total == p.totalGlobalMem);
    void *memory;
    size_t less = 0;
    CHECK(cudaMalloc(&memory, 256 << 20));
    CHECK(cudaMemGetInfo(&less, &total));
    expect("an allocation is seen", less <= left - (256 << 20));
    CHECK(cudaFree(memory));
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(cudaDeviceGetByPCIBusId(&found, bus));
    expect("it is found by its address", found == 0);
    CHECK(cudaDeviceCanAccessPeer(&access, 0, 0));
    expect("it is no peer of its own", access == 0);
    cudaDeviceProp wanted = {};
    wanted.major = 5;
    CHECK(cudaChooseDevice(&found, &wanted));
    expect("one is chosen", found >= 0 && found < devices);
    return finish();
}
