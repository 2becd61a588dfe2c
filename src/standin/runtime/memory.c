/* Memory, copies, fills, variables.
 *
 * The runtime leaves it to the addresses, or to the direction that the program names, which memory a copy reads and
 * writes; the driver has a function for each direction. direction_of() chooses. Copies between host addresses are
 * queued as host functions, so that they keep their place in the stream.
 *
 * Functions without "Async" wait for the stream where the driver's function does not. The forms _ptds and _ptsz use
 * the thread's own default stream. array.c has copies of boxes and arrays, managed.c has managed memory, pool.c has
 * pools. */
#include "standin/runtime/array.h"
#include "standin/standin.h"
#include "vgpu/driver.h"

#include <stdlib.h>
#include <string.h>

/* The runtime's addresses are pointers, the driver's are numbers. */
static CUdeviceptr number_of(const void *address) {
    return (CUdeviceptr)(uintptr_t)address;
}

static void *pointer_of(CUdeviceptr address) {
    return (void *)(uintptr_t)address;
}

/* Unlike the driver, the runtime accepts 0 bytes and returns NULL for them. */
CUresult cudaMalloc(void **address, size_t bytes) {
    CUdeviceptr at = 0;
    const driver_table *d = standin_enter_beside();
    CUresult result = address ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    if (address && bytes) result = d->allocate(&at, bytes);
    if (address) *address = pointer_of(at);
    return standin_leave(result);
}

/* NULL is allowed, and does not even open the device. */
CUresult cudaFree(void *address) {
    if (!address) return CUDA_SUCCESS;
    STANDIN_CALL(release(number_of(address)));
}

/* Pinned memory, which kernels can access, too. */
CUresult cudaMallocHost(void **host, size_t bytes) {
    STANDIN_CALL(host_allocate(host, bytes, 0));
}

CUresult cudaHostAlloc(void **host, size_t bytes, unsigned flags) {
    STANDIN_CALL(host_allocate(host, bytes, flags));
}

CUresult cudaHostGetDevicePointer(void **address, void *host, unsigned flags) {
    CUdeviceptr at = 0;
    const driver_table *d = standin_enter();
    const CUresult result = address ? d->host_address(&at, host, flags) : CUDA_INVALID_VALUE;
    if (address) *address = pointer_of(at);
    return standin_leave(result);
}

/* Pins memory of the program's own. */
CUresult cudaHostRegister(void *host, size_t bytes, unsigned flags) {
    STANDIN_CALL(host_register(host, bytes, flags));
}

CUresult cudaHostUnregister(void *host) {
    STANDIN_CALL(host_unregister(host));
}

/* Bytes of the current device. */
CUresult cudaMemGetInfo(size_t *left, size_t *all) {
    STANDIN_CALL_BESIDE(memory_info(left, all));
}

/* The runtime's pitch suits all element sizes of textures. */
CUresult cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height) {
    enum { ELEMENT = 16 };
    CUdeviceptr at = 0;
    const driver_table *d = standin_enter_beside();
    CUresult result = address && pitch ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = d->allocate_pitch(&at, pitch, width, height, ELEMENT);
    if (address) *address = pointer_of(at);
    return standin_leave(result);
}

CUresult cudaFreeHost(void *host) {
    if (!host) return CUDA_SUCCESS;
    STANDIN_CALL(host_release(host));
}

/* As cudaMalloc(), in the order of the stream. */
static CUresult allocate_in(void **address, size_t bytes, CUstream stream) {
    CUdeviceptr at = 0;
    const driver_table *d = standin_enter_beside();
    CUresult result = address ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    if (address && bytes) result = d->allocate_async(&at, bytes, stream);
    if (address) *address = pointer_of(at);
    return standin_leave(result);
}

CUresult cudaMallocAsync(void **address, size_t bytes, CUstream stream) {
    return allocate_in(address, bytes, stream);
}

CUresult cudaMallocAsync_ptsz(void **address, size_t bytes, CUstream stream) {
    return allocate_in(address, bytes, standin_own(stream));
}

/* The memory must have been allocated in stream order. */
CUresult cudaFreeAsync(void *address, CUstream stream) {
    if (!address) return CUDA_SUCCESS;
    STANDIN_CALL(release_async(number_of(address), stream));
}

CUresult cudaFreeAsync_ptsz(void *address, CUstream stream) {
    return cudaFreeAsync(address, standin_own(stream));
}

/* ---- copies ---- */

/* A copy between host addresses that waits in a stream; copy_on_host() frees it. */
typedef struct host_copy {
    void *to;
    const void *from;
    size_t bytes;
} host_copy;

/* Run as a host function of the stream. That of a graph may run again, so it keeps its data to the program's end. */
static void copy_on_host_again(void *data) {
    const host_copy *c = data;
    memcpy(c->to, c->from, c->bytes);
}

static void copy_on_host(void *data) {
    copy_on_host_again(data);
    free(data);
}

/* The stream copies when its earlier work is done. */
static CUresult queue_on_host(const driver_table *d, void *to, const void *from, size_t bytes, CUstream stream) {
    host_copy *c = malloc(sizeof *c);
    if (!c) return CUDA_OUT_OF_MEMORY;
    *c = (host_copy){to, from, bytes};
    int captures = 0;
    (void)d->capture_status(stream, &captures);
    const CUresult result = d->stream_host(stream, captures ? copy_on_host_again : copy_on_host, c);
    if (result != CUDA_SUCCESS) free(c);
    return result;
}

/* Memory that only kernels and copies can access. */
static bool is_for_device(const void *address) {
    sim_allocation a;
    return sim_driver_allocation(number_of(address), &a) && !a.host;
}

/* Addresses tell their kind, so the direction matters only if both sides can access the memory. As on hardware, an
 * address declared as the host's that is not is taken for what it is. Returns the direction that the driver must
 * copy in, COPY_ON_HOST to COPY_ON_DEVICE. */
static int direction_of(const void *to, const void *from, int kind) {
    const bool by_address = kind == COPY_DEFAULT;
    const bool in = by_address ? sim_driver_is_device_address(number_of(to))
                               : kind == COPY_IN || kind == COPY_ON_DEVICE || is_for_device(to);
    const bool out = by_address ? sim_driver_is_device_address(number_of(from))
                                : kind == COPY_OUT || kind == COPY_ON_DEVICE || is_for_device(from);
    return in ? (out ? COPY_ON_DEVICE : COPY_IN) : out ? COPY_OUT : COPY_ON_HOST;
}

/* Queues a copy in the stream. The program's direction must be one of CUDA's five, unless nothing is copied. */
static CUresult copy(const driver_table *d, void *to, const void *from, size_t bytes, int kind, CUstream stream) {
    if (!bytes) return CUDA_SUCCESS;
    if (kind < COPY_ON_HOST || kind > COPY_DEFAULT) return CUDA_INVALID_COPY_DIRECTION;
    switch (direction_of(to, from, kind)) {
    case COPY_ON_HOST: return queue_on_host(d, to, from, bytes, stream);
    case COPY_IN: return d->copy_to_device_async(number_of(to), from, bytes, stream);
    case COPY_OUT: return d->copy_to_host_async(to, number_of(from), bytes, stream);
    case COPY_ON_DEVICE: return d->copy_on_device_async(number_of(to), number_of(from), bytes, stream);
    default: return CUDA_INVALID_COPY_DIRECTION;
    }
}

/* Ends the call: waits for the stream if the copy was queued. */
static CUresult and_wait(const driver_table *d, CUresult result, CUstream stream) {
    return standin_leave(result == CUDA_SUCCESS ? d->stream_synchronize(stream) : result);
}

CUresult cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
    const driver_table *d = standin_enter_beside();
    return and_wait(d, copy(d, to, from, bytes, kind, NULL), NULL);
}

CUresult cudaMemcpy_ptds(void *to, const void *from, size_t bytes, int kind) {
    const driver_table *d = standin_enter_beside();
    return and_wait(d, copy(d, to, from, bytes, kind, standin_own(NULL)), standin_own(NULL));
}

CUresult cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, CUstream stream) {
    const driver_table *d = standin_enter_beside();
    return standin_leave(copy(d, to, from, bytes, kind, stream));
}

CUresult cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, int kind, CUstream stream) {
    return cudaMemcpyAsync(to, from, bytes, kind, standin_own(stream));
}

/* The addresses tell the devices; as on hardware, nothing checks that the arguments name these. */
CUresult cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
    if (!standin_is_device(to_device) || !standin_is_device(from_device)) return standin_fail(CUDA_INVALID_DEVICE);
    return cudaMemcpy(to, from, bytes, COPY_DEFAULT);
}

/* Device numbers must exist. */
CUresult cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                             CUstream stream) {
    if (!standin_is_device(to_device) || !standin_is_device(from_device)) return standin_fail(CUDA_INVALID_DEVICE);
    return cudaMemcpyAsync(to, from, bytes, COPY_DEFAULT, stream);
}

/* The variable's module is loaded first if nothing has used it yet. */
static CUresult copy_to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                               CUstream stream, bool waits) {
    CUdeviceptr at = 0;
    const driver_table *d = standin_enter();
    CUresult result = standin_variable(d, symbol, &at, NULL);
    if (result == CUDA_SUCCESS) result = copy(d, pointer_of(at + offset), from, bytes, kind, stream);
    return waits ? and_wait(d, result, stream) : standin_leave(result);
}

static CUresult copy_from_symbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind, CUstream stream,
                                 bool waits) {
    CUdeviceptr at = 0;
    const driver_table *d = standin_enter();
    CUresult result = standin_variable(d, symbol, &at, NULL);
    if (result == CUDA_SUCCESS) result = copy(d, to, pointer_of(at + offset), bytes, kind, stream);
    return waits ? and_wait(d, result, stream) : standin_leave(result);
}

CUresult cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind) {
    return copy_to_symbol(symbol, from, bytes, offset, kind, NULL, true);
}

CUresult cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                                 CUstream stream) {
    return copy_to_symbol(symbol, from, bytes, offset, kind, stream, false);
}

CUresult cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind) {
    return copy_from_symbol(to, symbol, bytes, offset, kind, NULL, true);
}

CUresult cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                                   CUstream stream) {
    return copy_from_symbol(to, symbol, bytes, offset, kind, stream, false);
}

CUresult cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t bytes, size_t offset, int kind) {
    return copy_to_symbol(symbol, from, bytes, offset, kind, standin_own(NULL), true);
}

CUresult cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                                      CUstream stream) {
    return copy_to_symbol(symbol, from, bytes, offset, kind, standin_own(stream), false);
}

CUresult cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t bytes, size_t offset, int kind) {
    return copy_from_symbol(to, symbol, bytes, offset, kind, standin_own(NULL), true);
}

CUresult cudaMemcpyFromSymbolAsync_ptsz(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                                        CUstream stream) {
    return copy_from_symbol(to, symbol, bytes, offset, kind, standin_own(stream), false);
}

/* ---- rectangles ---- */

/* With COPY_DEFAULT the driver decides by the address. Memory that only kernels can access is the device's, whatever
 * the program says. */
int standin_memory_kind(const void *address, bool is_source, int kind) {
    const bool is_host = kind == COPY_ON_HOST || kind == (is_source ? COPY_IN : COPY_OUT);
    if (kind == COPY_DEFAULT) return DRIVER_MEMORY_UNIFIED;
    return is_host && !is_for_device(address) ? DRIVER_MEMORY_HOST : DRIVER_MEMORY_DEVICE;
}

/* Sets host and device addresses alike; the kind says which one counts. */
static CUDA_MEMCPY2D rectangle_of(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                  size_t height, int kind) {
    return (CUDA_MEMCPY2D){.from_kind = standin_memory_kind(from, true, kind),
                           .from_host = from,
                           .from_device = number_of(from),
                           .from_pitch = from_pitch,
                           .to_kind = standin_memory_kind(to, false, kind),
                           .to_host = to,
                           .to_device = number_of(to),
                           .to_pitch = to_pitch,
                           .width = width,
                           .height = height};
}

CUresult cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                           int kind, CUstream stream) {
    const driver_table *d = standin_enter();
    const CUDA_MEMCPY2D c = rectangle_of(to, to_pitch, from, from_pitch, width, height, kind);
    return standin_leave(d->copy_2d_async(&c, stream));
}

CUresult cudaMemcpy2DAsync_ptsz(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                size_t height, int kind, CUstream stream) {
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, standin_own(stream));
}

/* The driver's form waits. */
CUresult cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                      int kind) {
    const driver_table *d = standin_enter();
    const CUDA_MEMCPY2D c = rectangle_of(to, to_pitch, from, from_pitch, width, height, kind);
    return standin_leave(d->copy_2d(&c));
}

CUresult cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                           int kind) {
    const driver_table *d = standin_enter();
    const CUDA_MEMCPY2D c = rectangle_of(to, to_pitch, from, from_pitch, width, height, kind);
    return and_wait(d, d->copy_2d_async(&c, standin_own(NULL)), standin_own(NULL));
}

/* ---- fills ---- */

/* The value's lowest byte is repeated. */
CUresult cudaMemset(void *to, int value, size_t bytes) {
    STANDIN_CALL_BESIDE(fill_bytes(number_of(to), (unsigned char)value, bytes));
}

/* Rows without a gap between them are filled at once, others one by one. */
CUresult standin_fill_rows(void *to, size_t pitch, int value, size_t width, size_t height, CUstream stream,
                           bool waits) {
    CUresult result = CUDA_SUCCESS;
    const driver_table *d = standin_enter_beside();
    const unsigned char byte = (unsigned char)value;
    if (pitch == width) width *= height, height = 1;
    for (size_t y = 0; y < height && result == CUDA_SUCCESS; y++) {
        const CUdeviceptr row = number_of(to) + y * pitch;
        result = waits ? d->fill_bytes(row, byte, width) : d->fill_bytes_async(row, byte, width, stream);
    }
    return standin_leave(result);
}

CUresult cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, CUstream stream) {
    return standin_fill_rows(to, pitch, value, width, height, stream, false);
}

CUresult cudaMemset2DAsync_ptsz(void *to, size_t pitch, int value, size_t width, size_t height, CUstream stream) {
    return cudaMemset2DAsync(to, pitch, value, width, height, standin_own(stream));
}

CUresult cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    return standin_fill_rows(to, pitch, value, width, height, NULL, true);
}

CUresult cudaMemset2D_ptds(void *to, size_t pitch, int value, size_t width, size_t height) {
    return cudaMemset2DAsync(to, pitch, value, width, height, standin_own(NULL));
}

CUresult cudaMemset_ptds(void *to, int value, size_t bytes) {
    const driver_table *d = standin_enter();
    const CUstream own = standin_own(NULL);
    return and_wait(d, d->fill_bytes_async(number_of(to), (unsigned char)value, bytes, own), own);
}

CUresult cudaMemsetAsync(void *to, int value, size_t bytes, CUstream stream) {
    STANDIN_CALL(fill_bytes_async(number_of(to), (unsigned char)value, bytes, stream));
}

CUresult cudaMemsetAsync_ptsz(void *to, int value, size_t bytes, CUstream stream) {
    return cudaMemsetAsync(to, value, bytes, standin_own(stream));
}
