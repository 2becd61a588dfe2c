/* haul's host library: devices (virtual or real), buffers, modules, launches.
 *
 * All functions may be called from any thread, but one object by one thread at a time. Calls block until the work
 * is done. Every failing call leaves a message (haul_message()). */
#ifndef HAUL_HAUL_H
#define HAUL_HAUL_H

#include <haul/run.h>
#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haul_device haul_device;
typedef struct haul_buffer haul_buffer;
typedef struct haul_module haul_module;

/* How a virtual device runs. Zero fields mean the default. */
typedef struct haul_device_options {
    uint32_t threads;           /* host threads; default: all cores. Results and counters do not depend on it */
    uint64_t instruction_limit; /* warp-level instructions one launch may execute before it counts as endless;
                                   default 2^36 */
    uint64_t memory_bytes;      /* device memory; default: the machine's, as far as the host has it */
} haul_device_options;

/* `name`: "sim:h100" (any machine of `haul info`), "sim" (h100), "gpu:0", or "auto" (gpu:0 where there is one, else
 * sim). `options` may be NULL. Errors: HAUL_ERROR_NO_DEVICE (unknown name; no driver), HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_device_open(const char *name, const haul_device_options *options, haul_device **device);
/* Also ends the modules and buffers that are left. NULL is allowed. */
void haul_device_close(haul_device *device);
const char *haul_device_name(const haul_device *device);    /* "sim:h100" */
const char *haul_device_product(const haul_device *device); /* "NVIDIA H100 80GB HBM3" */
bool haul_device_is_virtual(const haul_device *device);

/* Device memory of `bytes` (0 is allowed), aligned to 512 bytes, contents undefined. Errors: HAUL_ERROR_OUT_OF_MEMORY.
 */
haul_status haul_buffer_create(haul_device *device, uint64_t bytes, haul_buffer **buffer);
void haul_buffer_free(haul_buffer *buffer);
uint64_t haul_buffer_bytes(const haul_buffer *buffer);
uint64_t haul_buffer_address(const haul_buffer *buffer); /* device address */
/* Copies between host memory and the buffer at byte `offset`. Errors: HAUL_ERROR_ARGUMENT beyond the buffer's end. */
haul_status haul_buffer_write(haul_buffer *buffer, uint64_t offset, const void *host, uint64_t bytes);
haul_status haul_buffer_read(haul_buffer *buffer, uint64_t offset, void *host, uint64_t bytes);

/* Loads PTX text; `name` is for messages. Errors: HAUL_ERROR_SYNTAX, HAUL_ERROR_UNSUPPORTED with name:line:column. */
haul_status haul_module_load(haul_device *device, const char *name, const char *ptx, size_t length,
                             haul_module **module);
void haul_module_unload(haul_module *module);
size_t haul_module_kernel_count(const haul_module *module);
const char *haul_module_kernel_name(const haul_module *module, size_t index);

typedef struct haul_argument {
    haul_argument_kind kind;
    int64_t integer;     /* I32, I64 */
    double real;         /* F32, F64 */
    haul_buffer *buffer; /* BUFFER: the kernel gets its device address + offset */
    uint64_t offset;
} haul_argument;

/* grid: blocks, block: threads, in x, y, z; shared_bytes: dynamic shared memory a block. */
typedef struct haul_launch {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    const haul_argument *arguments;
    size_t argument_count;
} haul_launch;

/* Launches a kernel and waits for its end. Arguments are checked against the kernel's parameters by number and size.
 * `run` (may be NULL) gets a launch record appended. Errors: HAUL_ERROR_NOT_FOUND (no such kernel),
 * HAUL_ERROR_ARGUMENT, HAUL_ERROR_LIMIT (grid, block or shared memory beyond the device), HAUL_ERROR_FAULT, _TRAP,
 * _TIMEOUT, _DEADLOCK (the kernel's). */
haul_status haul_launch_run(haul_module *module, const haul_launch *launch, haul_run *run);

/* An empty run record stamped with the device. End it with haul_run_free(). */
haul_status haul_run_create(haul_device *device, haul_run **run);

#ifdef __cplusplus
}
#endif
#endif
