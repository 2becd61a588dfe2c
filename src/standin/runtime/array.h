/* Structures of the runtime API for arrays, boxes and textures, with CUDA's layout. */
#ifndef HAUL_STANDIN_RUNTIME_ARRAY_H
#define HAUL_STANDIN_RUNTIME_ARRAY_H

#include "driver/driver.h"

typedef struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits of the channels; 0: no such channel */
    int kind;
} cudaChannelFormatDesc;

typedef struct cudaExtent {
    size_t width, height, depth;
} cudaExtent;

typedef struct cudaPos {
    size_t x, y, z;
} cudaPos;

typedef struct cudaPitchedPtr {
    void *address;
    size_t pitch, width, height;
} cudaPitchedPtr;

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

/* Functions of the runtime that others call. */
CUresult cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height);
CUresult cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, CUstream stream);

#endif
