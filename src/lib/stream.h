/* Structures of streams, events and host memory; haul/stream.h has their contracts. */
#ifndef HAUL_LIB_STREAM_H
#define HAUL_LIB_STREAM_H

#include "lib/device.h"

#include <haul/stream.h>

struct haul_stream {
    haul_device *device;
    CUstream handle;
};

struct haul_event {
    haul_device *device;
    CUevent handle;
};

struct haul_host {
    haul_device *device;
    void *memory;
    uint64_t bytes;
    bool registered; /* the caller owns the memory */
    haul_host_kind kind;
    haul_buffer view; /* the same memory as kernels see it; its device and bytes are set, too */
    haul_host *next;  /* in the device's list */
};

#endif
