/* Arrays, mipmaps, and copies of boxes and rectangles between them and other memory.
 *
 * The runtime describes a copy by elements and by the direction that the program names; the driver counts bytes and
 * wants a kind of memory for each side. Every copy here becomes two `side`s, then one CUDA_MEMCPY3D for the driver's
 * copy_3d_async(). Functions without "Async" wait for the stream. The forms _ptds and _ptsz use the thread's own
 * default stream (standin_own()).
 *
 * The layout of arrays is in exec/texture/, their functions in vgpu/array.c. texture.c makes objects of arrays, and
 * memory.c has copies between plain addresses. */
#include "standin/runtime/array.h"

#include "standin/standin.h"

#include <string.h>

/* ---- channels ---- */

enum { SIGNED, UNSIGNED, FLOAT };

/* Each format of the driver, as the runtime describes one of its channels: width in bits, and kind. */
static const struct {
    CUarray_format format;
    int bits, kind;
} formats[] = {
#define FORMAT(id, value, bytes, kind, name) {DRIVER_FORMAT_##id, 8 * (bytes), kind},
#include "driver/formats.def"
#undef FORMAT
};

/* CUDA has formats of one, two or four channels, which are all of the same width. */
CUresult standin_format(const cudaChannelFormatDesc *channels, CUarray_format *format, unsigned *count) {
    const int bits[] = {channels->x, channels->y, channels->z, channels->w};
    *count = 0;
    while (*count < 4 && bits[*count]) ++*count;
    if (*count == 0 || *count == 3) return CUDA_INVALID_CHANNELS;
    for (unsigned i = 0; i < 4; i++)
        if (bits[i] != (i < *count ? bits[0] : 0)) return CUDA_INVALID_CHANNELS;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].bits != bits[0] || formats[i].kind != channels->kind) continue;
        *format = formats[i].format;
        return CUDA_SUCCESS;
    }
    return CUDA_INVALID_CHANNELS;
}

cudaChannelFormatDesc standin_channels(CUarray_format format, unsigned count) {
    cudaChannelFormatDesc channels = {0};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].format != format) continue;
        channels.kind = formats[i].kind;
        channels.x = formats[i].bits;
        channels.y = count > 1 ? formats[i].bits : 0;
        channels.z = channels.w = count > 2 ? formats[i].bits : 0;
    }
    return channels;
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (cudaChannelFormatDesc){x, y, z, w, kind};
}

/* ---- arrays ---- */

/* An extent of 0 means that the array lacks this dimension. */
static CUresult describe(const cudaChannelFormatDesc *channels, cudaExtent extent, unsigned flags,
                         CUDA_ARRAY3D_DESCRIPTOR *d) {
    *d = (CUDA_ARRAY3D_DESCRIPTOR){
        .width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    return channels ? standin_format(channels, &d->format, &d->channels) : CUDA_INVALID_VALUE;
}

/* The flags are the driver's: layers, cubes, surfaces, gathers. */
CUresult cudaMalloc3DArray(CUarray *array, const cudaChannelFormatDesc *channels, cudaExtent extent, unsigned flags) {
    CUDA_ARRAY3D_DESCRIPTOR description;
    const driver_table *d = standin_enter();
    const CUresult result = array ? describe(channels, extent, flags, &description) : CUDA_INVALID_VALUE;
    return standin_leave(result == CUDA_SUCCESS ? d->array_create_3d(array, &description) : result);
}

/* One dimension if the height is 0, otherwise two. */
CUresult cudaMallocArray(CUarray *array, const cudaChannelFormatDesc *channels, size_t width, size_t height,
                         unsigned flags) {
    return cudaMalloc3DArray(array, channels, (cudaExtent){width, height, 0}, flags);
}

/* NULL is allowed. Waits for all work, which may use the array. */
CUresult cudaFreeArray(CUarray array) {
    if (!array) return CUDA_SUCCESS;
    STANDIN_CALL(array_destroy(array));
}

/* CUDA_INVALID_CHANNELS if there is no such format. */
CUresult cudaMallocMipmappedArray(CUmipmappedArray *mipmap, const cudaChannelFormatDesc *channels, cudaExtent extent,
                                  unsigned levels, unsigned flags) {
    CUDA_ARRAY3D_DESCRIPTOR description;
    const driver_table *d = standin_enter();
    const CUresult result = mipmap ? describe(channels, extent, flags, &description) : CUDA_INVALID_VALUE;
    return standin_leave(result == CUDA_SUCCESS ? d->mipmap_create(mipmap, &description, levels) : result);
}

/* The level is an array that ends with the mipmap. */
CUresult cudaGetMipmappedArrayLevel(CUarray *array, CUmipmappedArray mipmap, unsigned level) {
    STANDIN_CALL(mipmap_level(array, mipmap, level));
}

CUresult cudaFreeMipmappedArray(CUmipmappedArray mipmap) {
    if (!mipmap) return CUDA_SUCCESS;
    STANDIN_CALL(mipmap_destroy(mipmap));
}

/* The program may pass NULL for values that it does not need. */
CUresult cudaArrayGetInfo(cudaChannelFormatDesc *channels, cudaExtent *extent, unsigned *flags, CUarray array) {
    CUDA_ARRAY3D_DESCRIPTOR a;
    const driver_table *d = standin_enter();
    const CUresult result = d->array_describe_3d(&a, array);
    if (result != CUDA_SUCCESS) return standin_leave(result);
    if (channels) *channels = standin_channels(a.format, a.channels);
    if (extent) *extent = (cudaExtent){a.width, a.height, a.depth};
    if (flags) *flags = a.flags;
    return standin_leave(CUDA_SUCCESS);
}

/* As cudaArrayGetInfo(), without extent and flags. */
CUresult cudaGetChannelDesc(cudaChannelFormatDesc *channels, CUarray array) {
    return cudaArrayGetInfo(channels, NULL, NULL, array);
}

/* ---- one side of a copy ---- */

/* An array with a position in it, or an address with the distance of its rows. */
typedef struct side {
    int kind;      /* DRIVER_MEMORY_... */
    CUarray array; /* if the kind is DRIVER_MEMORY_ARRAY; else `address` */
    void *address;
    size_t x, y, z, pitch, height; /* x: in bytes */
} side;

/* In an array there is no pitch: its layout is the GPU's. */
static side side_of_array(CUarray array, size_t x, size_t y, size_t z) {
    return (side){.kind = DRIVER_MEMORY_ARRAY, .array = array, .x = x, .y = y, .z = z};
}

/* The side begins at the address. `is_source` says which half of the direction is meant. */
static side side_of_memory(const void *address, size_t pitch, bool is_source, int kind) {
    return (side){
        .kind = standin_memory_kind(address, is_source, kind), .address = (void *)(uintptr_t)address, .pitch = pitch};
}

/* Sets host and device addresses alike, since the driver reads only the one that a side's kind selects. */
static CUDA_MEMCPY3D box_of(const side *to, const side *from, cudaExtent bytes) {
    return (CUDA_MEMCPY3D){.from_kind = from->kind,
                           .from_array = from->array,
                           .from_host = from->address,
                           .from_device = (uintptr_t)from->address,
                           .from_x = from->x,
                           .from_y = from->y,
                           .from_z = from->z,
                           .from_pitch = from->pitch,
                           .from_height = from->height,
                           .to_kind = to->kind,
                           .to_array = to->array,
                           .to_host = to->address,
                           .to_device = (uintptr_t)to->address,
                           .to_x = to->x,
                           .to_y = to->y,
                           .to_z = to->z,
                           .to_pitch = to->pitch,
                           .to_height = to->height,
                           .width = bytes.width,
                           .height = bytes.height,
                           .depth = bytes.depth};
}

/* A failed copy has queued nothing to wait for. */
static CUresult run(const driver_table *d, const CUDA_MEMCPY3D *box, CUstream stream, bool waits) {
    const CUresult result = d->copy_3d_async(box, stream);
    return result == CUDA_SUCCESS && waits ? d->stream_synchronize(stream) : result;
}

/* Copies a box, whose width is in bytes. */
static CUresult copy(const driver_table *d, const side *to, const side *from, cudaExtent bytes, CUstream stream,
                     bool waits) {
    const CUDA_MEMCPY3D box = box_of(to, from, bytes);
    return run(d, &box, stream, waits);
}

/* ---- boxes ---- */

/* Gets the bytes of one element: all channels have the width of the first. */
static CUresult texel_bytes(const driver_table *d, CUarray array, size_t *bytes) {
    CUDA_ARRAY3D_DESCRIPTOR a = {0};
    const CUresult result = d->array_describe_3d(&a, array);
    const cudaChannelFormatDesc channels = standin_channels(a.format, a.channels);
    *bytes = (size_t)channels.x / 8 * a.channels;
    return result;
}

/* An array's position counts its elements, that of other memory bytes. The width counts elements if there is an
 * array. Between two arrays, elements must be of the same size. */
CUresult standin_box(const driver_table *d, const cudaMemcpy3DParms *p, CUDA_MEMCPY3D *box) {
    size_t from_bytes = 1, to_bytes = 1;
    if (!p) return CUDA_INVALID_VALUE;
    CUresult result = p->from_array ? texel_bytes(d, p->from_array, &from_bytes) : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS && p->to_array) result = texel_bytes(d, p->to_array, &to_bytes);
    if (result != CUDA_SUCCESS) return result;
    if (p->from_array && p->to_array && from_bytes != to_bytes) return CUDA_INVALID_VALUE;
    side from = p->from_array ? side_of_array(p->from_array, 0, 0, 0)
                              : side_of_memory(p->from.address, p->from.pitch, true, p->kind);
    side to =
        p->to_array ? side_of_array(p->to_array, 0, 0, 0) : side_of_memory(p->to.address, p->to.pitch, false, p->kind);
    from.x = p->from_at.x * from_bytes, from.y = p->from_at.y, from.z = p->from_at.z, from.height = p->from.height;
    to.x = p->to_at.x * to_bytes, to.y = p->to_at.y, to.z = p->to_at.z, to.height = p->to.height;
    const size_t element = p->from_array ? from_bytes : to_bytes;
    *box = box_of(&to, &from, (cudaExtent){p->extent.width * element, p->extent.height, p->extent.depth});
    return CUDA_SUCCESS;
}

/* A side of a box in the runtime's terms. */
static cudaPitchedPtr memory_of(int kind, const void *host, CUdeviceptr device, size_t pitch, size_t height,
                                size_t width) {
    void *const at = kind == DRIVER_MEMORY_HOST ? (void *)(uintptr_t)host : (void *)(uintptr_t)device;
    return (cudaPitchedPtr){at, pitch, width, height};
}

CUresult standin_unbox(const driver_table *d, const CUDA_MEMCPY3D *b, cudaMemcpy3DParms *p) {
    const bool is_from_array = b->from_kind == DRIVER_MEMORY_ARRAY, is_to_array = b->to_kind == DRIVER_MEMORY_ARRAY;
    size_t from_bytes = 1, to_bytes = 1;
    CUresult result = is_from_array ? texel_bytes(d, b->from_array, &from_bytes) : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS && is_to_array) result = texel_bytes(d, b->to_array, &to_bytes);
    if (result != CUDA_SUCCESS) return result;
    *p = (cudaMemcpy3DParms){.from_at = {b->from_x / from_bytes, b->from_y, b->from_z},
                             .to_at = {b->to_x / to_bytes, b->to_y, b->to_z},
                             .extent = {b->width / (is_from_array ? from_bytes : to_bytes), b->height, b->depth},
                             .kind = COPY_DEFAULT};
    if (is_from_array)
        p->from_array = b->from_array;
    else
        p->from = memory_of(b->from_kind, b->from_host, b->from_device, b->from_pitch, b->from_height, b->width);
    if (is_to_array)
        p->to_array = b->to_array;
    else
        p->to = memory_of(b->to_kind, b->to_host, b->to_device, b->to_pitch, b->to_height, b->width);
    const bool from_host = b->from_kind == DRIVER_MEMORY_HOST, to_host = b->to_kind == DRIVER_MEMORY_HOST;
    if (b->from_kind != DRIVER_MEMORY_UNIFIED && b->to_kind != DRIVER_MEMORY_UNIFIED)
        p->kind = from_host ? (to_host ? COPY_ON_HOST : COPY_IN) : to_host ? COPY_OUT : COPY_ON_DEVICE;
    return CUDA_SUCCESS;
}

/* All forms of cudaMemcpy3D(): `waits` for those without "Async". */
static CUresult copy_3d(const cudaMemcpy3DParms *p, CUstream stream, bool waits) {
    CUDA_MEMCPY3D box;
    const driver_table *d = standin_enter();
    const CUresult result = standin_box(d, p, &box);
    return standin_leave(result == CUDA_SUCCESS ? run(d, &box, stream, waits) : result);
}

CUresult cudaMemcpy3D(const cudaMemcpy3DParms *p) {
    return copy_3d(p, NULL, true);
}

CUresult cudaMemcpy3D_ptds(const cudaMemcpy3DParms *p) {
    return copy_3d(p, standin_own(NULL), true);
}

CUresult cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, CUstream stream) {
    return copy_3d(p, stream, false);
}

CUresult cudaMemcpy3DAsync_ptsz(const cudaMemcpy3DParms *p, CUstream stream) {
    return copy_3d(p, standin_own(stream), false);
}

/* Arrays and addresses tell which device they belong to. */
static CUresult copy_3d_peer(const cudaMemcpy3DPeerParms *p, CUstream stream, bool waits) {
    if (!p) return standin_fail(CUDA_INVALID_VALUE);
    if (!standin_is_device(p->from_device) || !standin_is_device(p->to_device))
        return standin_fail(CUDA_INVALID_DEVICE);
    const cudaMemcpy3DParms whole = {.from_array = p->from_array,
                                     .from_at = p->from_at,
                                     .from = p->from,
                                     .to_array = p->to_array,
                                     .to_at = p->to_at,
                                     .to = p->to,
                                     .extent = p->extent,
                                     .kind = COPY_DEFAULT};
    return copy_3d(&whole, stream, waits);
}

/* Unlike CUDA's, this does not return before the copy is over. */
CUresult cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p) {
    return copy_3d_peer(p, NULL, true);
}

CUresult cudaMemcpy3DPeer_ptds(const cudaMemcpy3DPeerParms *p) {
    return copy_3d_peer(p, standin_own(NULL), true);
}

CUresult cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p, CUstream stream) {
    return copy_3d_peer(p, stream, false);
}

CUresult cudaMemcpy3DPeerAsync_ptsz(const cudaMemcpy3DPeerParms *p, CUstream stream) {
    return copy_3d_peer(p, standin_own(stream), false);
}

/* ---- rectangles: all widths and x are bytes ---- */

/* The side's x and the width are passed on as they are: here the runtime counts bytes, as the driver does. */
static CUresult copy_2d(side to, side from, size_t width, size_t height, CUstream stream, bool waits) {
    const driver_table *d = standin_enter();
    return standin_leave(copy(d, &to, &from, (cudaExtent){width, height, 1}, stream, waits));
}

/* The lock is needed to look up the address, as standin_memory_kind() asks the driver for its allocation. */
static CUresult to_array(CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
                         int kind, CUstream stream, bool waits) {
    standin_enter();
    const side target = side_of_array(to, x, y, 0), source = side_of_memory(from, pitch, true, kind);
    standin_leave(CUDA_SUCCESS);
    return copy_2d(target, source, width, height, stream, waits);
}

/* x counts bytes, y rows. */
CUresult cudaMemcpy2DToArray(CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                             size_t height, int kind) {
    return to_array(to, x, y, from, pitch, width, height, kind, NULL, true);
}

CUresult cudaMemcpy2DToArray_ptds(CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                  size_t height, int kind) {
    return to_array(to, x, y, from, pitch, width, height, kind, standin_own(NULL), true);
}

CUresult cudaMemcpy2DToArrayAsync(CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                  size_t height, int kind, CUstream stream) {
    return to_array(to, x, y, from, pitch, width, height, kind, stream, false);
}

CUresult cudaMemcpy2DToArrayAsync_ptsz(CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                       size_t height, int kind, CUstream stream) {
    return to_array(to, x, y, from, pitch, width, height, kind, standin_own(stream), false);
}

static CUresult from_array(void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width, size_t height,
                           int kind, CUstream stream, bool waits) {
    standin_enter();
    const side target = side_of_memory(to, pitch, false, kind), source = side_of_array(from, x, y, 0);
    standin_leave(CUDA_SUCCESS);
    return copy_2d(target, source, width, height, stream, waits);
}

CUresult cudaMemcpy2DFromArray(void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width, size_t height,
                               int kind) {
    return from_array(to, pitch, from, x, y, width, height, kind, NULL, true);
}

CUresult cudaMemcpy2DFromArray_ptds(void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width,
                                    size_t height, int kind) {
    return from_array(to, pitch, from, x, y, width, height, kind, standin_own(NULL), true);
}

CUresult cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width,
                                    size_t height, int kind, CUstream stream) {
    return from_array(to, pitch, from, x, y, width, height, kind, stream, false);
}

CUresult cudaMemcpy2DFromArrayAsync_ptsz(void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width,
                                         size_t height, int kind, CUstream stream) {
    return from_array(to, pitch, from, x, y, width, height, kind, standin_own(stream), false);
}

/* Both sides are on a device, so the direction says nothing. */
CUresult cudaMemcpy2DArrayToArray(CUarray to, size_t to_x, size_t to_y, CUarray from, size_t from_x, size_t from_y,
                                  size_t width, size_t height, int kind) {
    (void)kind;
    return copy_2d(side_of_array(to, to_x, to_y, 0), side_of_array(from, from_x, from_y, 0), width, height, NULL, true);
}

CUresult cudaMemcpy2DArrayToArray_ptds(CUarray to, size_t to_x, size_t to_y, CUarray from, size_t from_x, size_t from_y,
                                       size_t width, size_t height, int kind) {
    (void)kind;
    return copy_2d(side_of_array(to, to_x, to_y, 0), side_of_array(from, from_x, from_y, 0), width, height,
                   standin_own(NULL), true);
}

/* ---- stretches: bytes of an array, row after row ---- */

/* The runtime's oldest copies take a number of bytes that may start within a row and continue in the next ones. */
typedef struct stretch {
    CUarray array;
    size_t x, y, row_bytes; /* the next byte: x in bytes, y in rows */
} stretch;

/* Sets the length of rows. CUDA_INVALID_VALUE if the stretch begins behind the end of a row. */
static CUresult begin_stretch(const driver_table *d, stretch *s) {
    CUDA_ARRAY3D_DESCRIPTOR a = {0};
    CUresult result = d->array_describe_3d(&a, s->array);
    if (result == CUDA_SUCCESS) result = texel_bytes(d, s->array, &s->row_bytes);
    s->row_bytes *= a.width;
    return result == CUDA_SUCCESS && s->x >= s->row_bytes ? CUDA_INVALID_VALUE : result;
}

/* A piece never reaches beyond its row, so at most one row ends. */
static void advance(stretch *s, size_t bytes) {
    s->x += bytes;
    if (s->x < s->row_bytes) return;
    s->x = 0;
    s->y++;
}

/* The longest piece that can begin at the stretch's next byte. */
static size_t left_in_row(const stretch *s) {
    return s->row_bytes - s->x;
}

/* Copies piece by piece; each piece lies in one row. `is_source`: the memory is the source, the array the target. */
static CUresult copy_stretch(stretch s, void *memory, size_t bytes, bool is_source, int kind, CUstream stream,
                             bool waits) {
    const driver_table *d = standin_enter();
    CUresult result = begin_stretch(d, &s);
    for (size_t done = 0, piece; done < bytes && result == CUDA_SUCCESS; done += piece) {
        piece = left_in_row(&s) < bytes - done ? left_in_row(&s) : bytes - done;
        const side array = side_of_array(s.array, s.x, s.y, 0),
                   other = side_of_memory((char *)memory + done, piece, is_source, kind);
        result =
            copy(d, is_source ? &array : &other, is_source ? &other : &array, (cudaExtent){piece, 1, 1}, stream, waits);
        advance(&s, piece);
    }
    return standin_leave(result);
}

/* CUDA has deprecated this function and those like it, but older programs call them. */
CUresult cudaMemcpyToArray(CUarray to, size_t x, size_t y, const void *from, size_t bytes, int kind) {
    return copy_stretch((stretch){.array = to, .x = x, .y = y}, (void *)(uintptr_t)from, bytes, true, kind, NULL, true);
}

CUresult cudaMemcpyToArray_ptds(CUarray to, size_t x, size_t y, const void *from, size_t bytes, int kind) {
    return copy_stretch((stretch){.array = to, .x = x, .y = y}, (void *)(uintptr_t)from, bytes, true, kind,
                        standin_own(NULL), true);
}

CUresult cudaMemcpyToArrayAsync(CUarray to, size_t x, size_t y, const void *from, size_t bytes, int kind,
                                CUstream stream) {
    return copy_stretch((stretch){.array = to, .x = x, .y = y}, (void *)(uintptr_t)from, bytes, true, kind, stream,
                        false);
}

CUresult cudaMemcpyToArrayAsync_ptsz(CUarray to, size_t x, size_t y, const void *from, size_t bytes, int kind,
                                     CUstream stream) {
    return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, standin_own(stream));
}

CUresult cudaMemcpyFromArray(void *to, CUarray from, size_t x, size_t y, size_t bytes, int kind) {
    return copy_stretch((stretch){.array = from, .x = x, .y = y}, to, bytes, false, kind, NULL, true);
}

CUresult cudaMemcpyFromArray_ptds(void *to, CUarray from, size_t x, size_t y, size_t bytes, int kind) {
    return copy_stretch((stretch){.array = from, .x = x, .y = y}, to, bytes, false, kind, standin_own(NULL), true);
}

CUresult cudaMemcpyFromArrayAsync(void *to, CUarray from, size_t x, size_t y, size_t bytes, int kind, CUstream stream) {
    return copy_stretch((stretch){.array = from, .x = x, .y = y}, to, bytes, false, kind, stream, false);
}

CUresult cudaMemcpyFromArrayAsync_ptsz(void *to, CUarray from, size_t x, size_t y, size_t bytes, int kind,
                                       CUstream stream) {
    return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, standin_own(stream));
}

/* A piece ends where a row of either array ends. The runtime has no asynchronous form of this copy. */
static CUresult copy_between(stretch to, stretch from, size_t bytes, CUstream stream) {
    const driver_table *d = standin_enter();
    CUresult result = begin_stretch(d, &to);
    if (result == CUDA_SUCCESS) result = begin_stretch(d, &from);
    for (size_t done = 0, piece; done < bytes && result == CUDA_SUCCESS; done += piece) {
        piece = left_in_row(&to) < left_in_row(&from) ? left_in_row(&to) : left_in_row(&from);
        if (piece > bytes - done) piece = bytes - done;
        const side target = side_of_array(to.array, to.x, to.y, 0),
                   source = side_of_array(from.array, from.x, from.y, 0);
        result = copy(d, &target, &source, (cudaExtent){piece, 1, 1}, stream, true);
        advance(&to, piece);
        advance(&from, piece);
    }
    return standin_leave(result);
}

CUresult cudaMemcpyArrayToArray(CUarray to, size_t to_x, size_t to_y, CUarray from, size_t from_x, size_t from_y,
                                size_t bytes, int kind) {
    (void)kind;
    return copy_between((stretch){.array = to, .x = to_x, .y = to_y},
                        (stretch){.array = from, .x = from_x, .y = from_y}, bytes, NULL);
}

CUresult cudaMemcpyArrayToArray_ptds(CUarray to, size_t to_x, size_t to_y, CUarray from, size_t from_x, size_t from_y,
                                     size_t bytes, int kind) {
    (void)kind;
    return copy_between((stretch){.array = to, .x = to_x, .y = to_y},
                        (stretch){.array = from, .x = from_x, .y = from_y}, bytes, standin_own(NULL));
}

/* ---- memory for boxes, and fills of it ---- */

/* A box is a rectangle whose slices follow each other: the rows of all slices have one pitch. */
CUresult cudaMalloc3D(cudaPitchedPtr *memory, cudaExtent extent) {
    if (!memory) return standin_fail(CUDA_INVALID_VALUE);
    *memory = (cudaPitchedPtr){.width = extent.width, .height = extent.height};
    return cudaMallocPitch(&memory->address, &memory->pitch, extent.width, extent.height * extent.depth);
}

/* Slices are as far apart as the memory's height says, however few of their rows are filled. */
static CUresult fill_slices(cudaPitchedPtr to, int value, cudaExtent extent, CUstream stream, bool waits) {
    CUresult result = CUDA_SUCCESS;
    for (size_t z = 0; z < extent.depth && result == CUDA_SUCCESS; z++)
        result = standin_fill_rows((char *)to.address + z * to.pitch * to.height, to.pitch, value, extent.width,
                                   extent.height, stream, waits);
    return result;
}

CUresult cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, CUstream stream) {
    return fill_slices(to, value, extent, stream, false);
}

CUresult cudaMemset3DAsync_ptsz(cudaPitchedPtr to, int value, cudaExtent extent, CUstream stream) {
    return cudaMemset3DAsync(to, value, extent, standin_own(stream));
}

CUresult cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return fill_slices(to, value, extent, NULL, true);
}

CUresult cudaMemset3D_ptds(cudaPitchedPtr to, int value, cudaExtent extent) {
    return cudaMemset3DAsync(to, value, extent, standin_own(NULL));
}
