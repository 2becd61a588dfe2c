// Host memory that kernels use in place: mapped when allocated, or registered later; and what pointers are said to be.
#include "sample.h"

__global__ void reverse_words(const int *in, int *out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[count - 1 - i] = in[i] + 1;
}

static const char *kind(const void *pointer) {
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, pointer));
    switch (attributes.type) {
    case cudaMemoryTypeHost: return "host";
    case cudaMemoryTypeDevice: return "device";
    case cudaMemoryTypeManaged: return "managed";
    default: return "unregistered";
    }
}

static void check(const char *what, const int *in, const int *out, int count) {
    int wrong = 0;
    for (int i = 0; i < count; i++) wrong += out[count - 1 - i] != in[i] + 1;
    printf("%s: %d wrong\n", what, wrong);
    expect(what, wrong == 0);
}

int main() {
    const int count = 1000;
    const size_t bytes = count * sizeof(int);
    int *in, *out, *device_in, *device_out, *managed;
    CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
    CHECK(cudaHostAlloc((void **)&in, bytes, cudaHostAllocMapped | cudaHostAllocWriteCombined));
    CHECK(cudaHostAlloc((void **)&out, bytes, cudaHostAllocMapped));
    for (int i = 0; i < count; i++) in[i] = (int)draw(1000);
    CHECK(cudaHostGetDevicePointer((void **)&device_in, in, 0));
    CHECK(cudaHostGetDevicePointer((void **)&device_out, out, 0));
    reverse_words<<<8, 128>>>(device_in, device_out, count);
    CHECK(cudaDeviceSynchronize());
    check("mapped", in, out, count);

    int *own = (int *)malloc(2 * bytes); // from the C library; the device uses it at the same address
    for (int i = 0; i < 2 * count; i++) own[i] = i < count ? (int)draw(1000) : 0;
    printf("before it is registered: %s\n", kind(own));
    CHECK(cudaHostRegister(own, 2 * bytes, cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer((void **)&device_in, own, 0));
    reverse_words<<<8, 128>>>(device_in, device_in + count, count);
    CHECK(cudaDeviceSynchronize());
    check("registered", own, own + count, count);

    CHECK(cudaMallocManaged((void **)&managed, bytes));
    int *device = on_device<int>(count);
    printf("pinned: %s, registered: %s, managed: %s, allocated: %s\n", kind(in), kind(own + 5), kind(managed),
           kind(device));
    expect("kinds", !strcmp(kind(in), "host") && !strcmp(kind(own), "host") && !strcmp(kind(device), "device"));
    CHECK(cudaHostUnregister(own));
    free(own);
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    CHECK(cudaFree(managed));
    CHECK(cudaFree(device));
    return finish();
}
