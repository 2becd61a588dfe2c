/* Timelines: what was done when, on which engine, as plain data. */
#ifndef HAUL_TIMELINE_H
#define HAUL_TIMELINE_H

#include <haul/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What works at the same time as the others. */
typedef enum haul_engine {
    HAUL_ENGINE_READ,      /* the host reads files */
    HAUL_ENGINE_STAGE,     /* host threads copy into pinned memory, or make data */
    HAUL_ENGINE_TO_DEVICE, /* the copy engine from host to device */
    HAUL_ENGINE_KERNEL,    /* the SMs */
    HAUL_ENGINE_TO_HOST,   /* the copy engine from device to host */
    HAUL_ENGINE_UNSTAGE,   /* host threads copy out of pinned memory, or take data */
    HAUL_ENGINE_WRITE,     /* the host writes files */
    HAUL_ENGINE_COUNT
} haul_engine;
extern const char *const haul_engine_names[HAUL_ENGINE_COUNT]; /* "read", "stage", "to device", ... */

typedef struct haul_operation {
    haul_engine engine;
    uint64_t chunk;
    uint64_t bytes;          /* moved; of a kernel 0 */
    double start_us, end_us; /* since the beginning */
} haul_operation;

/* Operations in order of chunks. Of long runs the first ones are kept; the sums are of all. */
typedef struct haul_timeline {
    haul_stamp stamp;    /* simulated: by the virtual GPU's clock */
    const char *machine; /* "h100"; the text lives as long as the device */
    haul_operation *operations;
    size_t count;
    uint64_t omitted; /* operations that were not kept */
    double busy_us[HAUL_ENGINE_COUNT];
    uint64_t bytes[HAUL_ENGINE_COUNT];
    double elapsed_us;
} haul_timeline;

/* The engine that was busy longest: what bounds the whole. */
haul_engine haul_timeline_busiest(const haul_timeline *timeline);
/* Its time over the elapsed time: 1 when it never waited; 0 for an empty timeline. */
double haul_timeline_efficiency(const haul_timeline *timeline);

#ifdef __cplusplus
}
#endif
#endif
