/* Structures of the runtime API for arrays, boxes and textures, with CUDA's layout.
 *
 * The program's compiler lays these structures out, so the order, the types and the reserved words are CUDA's; the
 * names of fields are haul's. Fields without a comment mean what CUDA's documentation says. nodes.c and graph.c use
 * the structures for copies in graphs, texture.c those of resources and textures. */
#ifndef HAUL_STANDIN_RUNTIME_ARRAY_H
#define HAUL_STANDIN_RUNTIME_ARRAY_H

#include "driver/driver.h"

typedef struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits of the channels; 0: no such channel */
    int kind;       /* cudaChannelFormatKind: 0 signed, 1 unsigned, 2 floating */
} cudaChannelFormatDesc;

typedef struct cudaExtent {
    size_t width, height, depth;
} cudaExtent;

typedef struct cudaPos {
    size_t x, y, z;
} cudaPos;

/* Rows of `width` bytes, `pitch` bytes apart; `height` rows make a slice. */
typedef struct cudaPitchedPtr {
    void *address;
    size_t pitch, width, height;
} cudaPitchedPtr;

/* Each side is an array or, if that is NULL, memory. A position counts elements of an array, bytes of memory. The
 * extent's width counts elements if either side is an array, else bytes. */
typedef struct cudaMemcpy3DParms {
    CUarray from_array;
    cudaPos from_at;
    cudaPitchedPtr from;
    CUarray to_array;
    cudaPos to_at;
    cudaPitchedPtr to;
    cudaExtent extent;
    int kind;
} cudaMemcpy3DParms;

/* As cudaMemcpy3DParms, with a device for each side in place of the direction. */
typedef struct cudaMemcpy3DPeerParms {
    CUarray from_array;
    cudaPos from_at;
    cudaPitchedPtr from;
    int from_device;
    CUarray to_array;
    cudaPos to_at;
    cudaPitchedPtr to;
    int to_device;
    cudaExtent extent;
} cudaMemcpy3DPeerParms;

typedef struct cudaResourceDesc {
    int kind; /* DRIVER_RESOURCE_..., which has the runtime's numbers */
    union {
        CUarray array;
        CUmipmappedArray mipmap;
        struct {
            void *address;
            cudaChannelFormatDesc channels;
            size_t bytes;
        } linear;
        struct {
            void *address;
            cudaChannelFormatDesc channels;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    } of;
    unsigned flags;
} cudaResourceDesc;

/* The flags that CUDA 11 lacks are at the end, so that one structure serves all versions. */
typedef struct cudaTextureDesc {
    int address[3], filter, reads_fractions, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int level_filter;
    float level_bias, level_least, level_most;
    int no_trilinear_tricks, seamless; /* seamless: not in CUDA 11 */
} cudaTextureDesc;

/* The driver's format for channels, and their number; CUDA_INVALID_CHANNELS if there is none. */
CUresult standin_format(const cudaChannelFormatDesc *channels, CUarray_format *format, unsigned *count);
cudaChannelFormatDesc standin_channels(CUarray_format format, unsigned count);

/* Translates a copy into the driver's terms; between standin_enter() and standin_leave(). */
CUresult standin_box(const driver_table *d, const cudaMemcpy3DParms *p, CUDA_MEMCPY3D *box);

/* Translates back; the program's pointers are addresses of either memory. */
CUresult standin_unbox(const driver_table *d, const CUDA_MEMCPY3D *box, cudaMemcpy3DParms *p);

/* Functions of the runtime that others call. */
CUresult cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height);
/* Fills a rectangle of bytes. With `waits`, in the legacy default stream, by the driver's form that may wait. */
CUresult standin_fill_rows(void *to, size_t pitch, int value, size_t width, size_t height, CUstream stream, bool waits);

#endif
