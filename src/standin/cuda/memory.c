/* Memory: alternative forms of the driver's functions, copies between any addresses, fills.
 *
 * cuMemcpy() and the like take any two addresses. sim_driver_is_device_address() says for each whether it is a
 * device's, and copy() chooses the driver's function by that. Copies to and from arrays become boxes of one row, as
 * they are for one-dimensional arrays. Most other functions of this kind need no code here: generate-calls.c makes
 * them from the driver's table. */
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

#include <stdint.h>
#include <string.h>

CUresult cuMemAllocHost_v2(void **host, size_t bytes) {
    return cuMemHostAlloc(host, bytes, 0);
}

/* Forms of earlier versions, which take the same or fewer bits. */
CUresult cuMemAllocHost(void **host, unsigned bytes) {
    return cuMemAllocHost_v2(host, bytes);
}

CUresult cuMemHostRegister(void *host, size_t bytes, unsigned flags) {
    return cuMemHostRegister_v2(host, bytes, flags);
}

/* ---- copies from anywhere to anywhere ---- */

static void *host_of(CUdeviceptr address) {
    return (void *)(uintptr_t)address;
}

/* Copies between host addresses in stream order: it waits for the stream, then copies at once. */
static CUresult copy_on_host(const driver_table *d, CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    const CUresult result = d->stream_synchronize(stream);
    if (result == CUDA_SUCCESS) memmove(host_of(to), host_of(from), bytes);
    return result;
}

/* Queues the copy. Address 0 is refused, because it would count as the host's. */
static CUresult copy(const driver_table *d, CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    const bool in = sim_driver_is_device_address(to), out = sim_driver_is_device_address(from);
    if (!bytes) return CUDA_SUCCESS;
    if (!to || !from) return cuda_wrong(CUDA_INVALID_VALUE, "a copy to or from address 0");
    if (in && out) return d->copy_on_device_async(to, from, bytes, stream);
    if (in) return d->copy_to_device_async(to, host_of(from), bytes, stream);
    return out ? d->copy_to_host_async(host_of(to), from, bytes, stream) : copy_on_host(d, to, from, bytes, stream);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    CUDA_ENTER_STREAM_BESIDE(d, stream);
    return cuda_leave(copy(d, to, from, bytes, stream));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    CUDA_ENTER_BESIDE(d);
    const CUresult result = copy(d, to, from, bytes, NULL);
    return cuda_leave(result == CUDA_SUCCESS ? d->stream_synchronize(NULL) : result);
}

/* The addresses tell the devices; contexts are only checked. */
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream) {
    CUDA_ENTER_STREAM_BESIDE(d, stream);
    CUresult result = cuda_check_context(to_context);
    if (result == CUDA_SUCCESS) result = cuda_check_context(from_context);
    return cuda_leave(result == CUDA_SUCCESS ? copy(d, to, from, bytes, stream) : result);
}

/* Does not wait, as the legacy default stream's work is done at once unless a kernel waits for the host. */
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes) {
    return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, NULL);
}

/* Any pitch is allowed in cuMemcpy2D(), too. */
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *box) {
    return cuMemcpy2D_v2(box);
}

/* The structure is that of cuMemcpy3D(), with contexts in the reserved places. */
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D *given, CUstream stream) {
    if (!given) return CUDA_INVALID_VALUE;
    CUDA_MEMCPY3D box = *given;
    box.reserved_from = box.reserved_to = NULL;
    return cuMemcpy3DAsync_v2(&box, stream);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D *given) {
    if (!given) return CUDA_INVALID_VALUE;
    CUDA_MEMCPY3D box = *given;
    box.reserved_from = box.reserved_to = NULL;
    return cuMemcpy3D_v2(&box);
}

/* ---- copies to and from one-dimensional arrays ---- */

/* Offsets count bytes, and must be whole elements. */
CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray array, size_t offset, size_t bytes, CUstream stream) {
    const CUDA_MEMCPY2D row = {.from_kind = DRIVER_MEMORY_ARRAY,
                               .from_array = array,
                               .from_x = offset,
                               .to_kind = DRIVER_MEMORY_HOST,
                               .to_host = to,
                               .width = bytes,
                               .height = 1};
    return bytes ? cuMemcpy2DAsync_v2(&row, stream) : CUDA_SUCCESS;
}

CUresult cuMemcpyHtoAAsync_v2(CUarray array, size_t offset, const void *from, size_t bytes, CUstream stream) {
    const CUDA_MEMCPY2D row = {.from_kind = DRIVER_MEMORY_HOST,
                               .from_host = from,
                               .to_kind = DRIVER_MEMORY_ARRAY,
                               .to_array = array,
                               .to_x = offset,
                               .width = bytes,
                               .height = 1};
    return bytes ? cuMemcpy2DAsync_v2(&row, stream) : CUDA_SUCCESS;
}

/* Array copies without a stream wait for the legacy default stream. */
static CUresult and_wait(CUresult result) {
    return result == CUDA_SUCCESS ? cuStreamSynchronize(NULL) : result;
}

CUresult cuMemcpyAtoH_v2(void *to, CUarray array, size_t offset, size_t bytes) {
    return and_wait(cuMemcpyAtoHAsync_v2(to, array, offset, bytes, NULL));
}

CUresult cuMemcpyHtoA_v2(CUarray array, size_t offset, const void *from, size_t bytes) {
    return and_wait(cuMemcpyHtoAAsync_v2(array, offset, from, bytes, NULL));
}

/* Waits, as the other forms without a stream do. */
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray array, size_t offset, size_t bytes) {
    const CUDA_MEMCPY2D row = {.from_kind = DRIVER_MEMORY_ARRAY,
                               .from_array = array,
                               .from_x = offset,
                               .to_kind = DRIVER_MEMORY_DEVICE,
                               .to_device = to,
                               .width = bytes,
                               .height = 1};
    return bytes ? cuMemcpy2D_v2(&row) : CUDA_SUCCESS;
}

CUresult cuMemcpyDtoA_v2(CUarray array, size_t offset, CUdeviceptr from, size_t bytes) {
    const CUDA_MEMCPY2D row = {.from_kind = DRIVER_MEMORY_DEVICE,
                               .from_device = from,
                               .to_kind = DRIVER_MEMORY_ARRAY,
                               .to_array = array,
                               .to_x = offset,
                               .width = bytes,
                               .height = 1};
    return bytes ? cuMemcpy2D_v2(&row) : CUDA_SUCCESS;
}

CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes) {
    const CUDA_MEMCPY2D row = {.from_kind = DRIVER_MEMORY_ARRAY,
                               .from_array = from,
                               .from_x = from_offset,
                               .to_kind = DRIVER_MEMORY_ARRAY,
                               .to_array = to,
                               .to_x = to_offset,
                               .width = bytes,
                               .height = 1};
    return bytes ? cuMemcpy2D_v2(&row) : CUDA_SUCCESS;
}

/* ---- fills of rectangles, row by row ---- */

/* Fills `count` elements. With `waits`, in the legacy default stream, by the driver's form that may wait. */
typedef CUresult fill_row(const driver_table *d, CUdeviceptr to, unsigned value, size_t count, CUstream stream,
                          bool waits);

static CUresult fill_bytes(const driver_table *d, CUdeviceptr to, unsigned value, size_t count, CUstream stream,
                           bool waits) {
    return waits ? d->fill_bytes(to, (unsigned char)value, count)
                 : d->fill_bytes_async(to, (unsigned char)value, count, stream);
}

static CUresult fill_halves(const driver_table *d, CUdeviceptr to, unsigned value, size_t count, CUstream stream,
                            bool waits) {
    return waits ? d->fill_halves(to, (unsigned short)value, count)
                 : d->fill_halves_async(to, (unsigned short)value, count, stream);
}

static CUresult fill_words(const driver_table *d, CUdeviceptr to, unsigned value, size_t count, CUstream stream,
                           bool waits) {
    return waits ? d->fill_words(to, value, count) : d->fill_words_async(to, value, count, stream);
}

/* Rows without a gap are one fill. Otherwise each row is one, in stream order. `width` counts elements of `element`
 * bytes; `pitch` counts bytes. */
static CUresult fill(fill_row *row, CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                     size_t element, CUstream stream, bool waits) {
    CUresult result = CUDA_SUCCESS;
    CUDA_ENTER_STREAM(d, stream);
    if (pitch == width * element) return cuda_leave(row(d, to, value, width * height, stream, waits));
    if (height > 1 && pitch < width * element)
        return cuda_leave(cuda_wrong(CUDA_INVALID_VALUE, "a fill whose rows overlap: the pitch is too small"));
    for (size_t y = 0; y < height && result == CUDA_SUCCESS; y++)
        result = row(d, to + y * pitch, value, width, stream, waits);
    return cuda_leave(result);
}

/* Defines a fill with a stream, and the same in the legacy default stream. */
#define FILL_CALL(name, type, row, bytes)                                                                          \
    CUresult name##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, CUstream stream) { \
        return fill(row, to, pitch, value, width, height, bytes, stream, false);                                   \
    }                                                                                                              \
    CUresult name##_v2(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) {                    \
        return fill(row, to, pitch, value, width, height, bytes, NULL, true);                                      \
    }
FILL_CALL(cuMemsetD2D8, unsigned char, fill_bytes, 1)
FILL_CALL(cuMemsetD2D16, unsigned short, fill_halves, 2)
FILL_CALL(cuMemsetD2D32, unsigned, fill_words, 4)
