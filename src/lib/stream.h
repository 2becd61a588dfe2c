/* What streams, events and host memory are made of; haul/stream.h has their contracts. */
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
    bool registered; /* the memory is the caller's */
    haul_host_kind kind;
    haul_buffer view;
    haul_host *next;
};

/* The driver's answer to a query: *done, or what went wrong. */
haul_status stream_answer(const haul_device *device, CUresult result, bool *done);

#endif
