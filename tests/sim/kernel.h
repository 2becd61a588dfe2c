/* Small PTX kernels for tests: KERNEL("instructions") is a module with one kernel `k` that has two buffers.
 *
 *     %rd0, %rd1   addresses of the buffers `out` and `in`
 *     %rd2         address of the thread's own 32-bit word of `out`
 *     %r0          the thread's number in its block, %r1 its number in the grid
 *     %r2..%r63, %rd3..%rd31, %f0..%f15, %h0..%h15 (16 bits), %p0..%p15 are free
 */
#ifndef HAUL_TESTS_SIM_KERNEL_H
#define HAUL_TESTS_SIM_KERNEL_H

#include <haul/haul.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define HEAD ".version 8.6\n.target sm_90\n.address_size 64\n"
#define BEGIN                                                                                                      \
    ".visible .entry k(.param .u64 p_out, .param .u64 p_in) {\n"                                                   \
    ".reg .b16 %h<16>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<16>;\n.reg .f64 %fd<16>;\n.reg .pred " \
    "%p<16>;\n"                                                                                                    \
    "ld.param.u64 %rd0, [p_out];\nld.param.u64 %rd1, [p_in];\n"                                                    \
    "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.u32 %r1, %r1, %r2, %r0;\n"        \
    "mad.wide.u32 %rd2, %r1, 4, %rd0;\n"
#define END "ret;\n}\n"
#define KERNEL(body) HEAD BEGIN body END
/* The same with declarations in front of the kernel. */
#define KERNEL_WITH(declarations, body) HEAD declarations BEGIN body END
#define OUT(reg) "st.global.u32 [%rd2], " reg ";\n"

typedef struct kernel_run {
    const char *ptx, *kernel; /* NULL: "k" */
    const char *device;       /* NULL: "sim:h100" */
    uint32_t blocks, threads; /* 0: one block, 32 threads */
    uint32_t cluster;         /* blocks; 0: as the kernel says */
    uint32_t shared;          /* dynamic bytes */
    uint32_t host_threads;
    uint64_t limit;
    bool uncounted;
    uint64_t sample; /* blocks to count; 0: all */
    const void *in;
    size_t in_bytes;
    void *out; /* written to the device before, read back after */
    size_t out_bytes;
    haul_launch_record *record;         /* its counters and their bounds are filled in */
    const haul_device_options *options; /* NULL: the fields above */
} kernel_run;

/* A buffer's initial content, and where its final content goes: arrays. */
#define FROM(array) .in = (array), .in_bytes = sizeof(array)
#define INTO(array) .out = (array), .out_bytes = sizeof(array)

static inline haul_status launch_on(haul_device *device, haul_module *module, const kernel_run *r) {
    haul_buffer *out, *in;
    haul_run *run = NULL;
    haul_status status = haul_buffer_create(device, r->out_bytes, &out);
    if (status == HAUL_OK) status = haul_buffer_create(device, r->in_bytes, &in);
    if (status == HAUL_OK) status = haul_buffer_write(out, 0, r->out, r->out_bytes);
    if (status == HAUL_OK) status = haul_buffer_write(in, 0, r->in, r->in_bytes);
    if (status == HAUL_OK && r->record) status = haul_run_create(device, &run);
    if (status != HAUL_OK) return status;
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = out},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = in}};
    const haul_launch launch = {.kernel = r->kernel ? r->kernel : "k",
                                .grid = {r->blocks ? r->blocks : 1, 1, 1},
                                .block = {r->threads ? r->threads : 32, 1, 1},
                                .shared_bytes = r->shared,
                                .arguments = arguments,
                                .argument_count = 2,
                                .cluster = {r->cluster, 0, 0}};
    status = haul_module_allow_shared(module, launch.kernel, launch.shared_bytes);
    if (status == HAUL_OK) status = haul_launch_run(module, &launch, run);
    if (status == HAUL_OK) status = haul_buffer_read(out, 0, r->out, r->out_bytes);
    if (status == HAUL_OK && run) {
        memcpy(r->record->counters, run->launches[0].counters, sizeof r->record->counters);
        memcpy(r->record->bounds, run->launches[0].bounds, sizeof r->record->bounds);
        r->record->estimate_us = run->launches[0].estimate_us;
        r->record->estimate_us = run->launches[0].estimate_us;
    }
    haul_run_free(run);
    return status;
}

/* Runs it on a device of its own. */
static inline haul_status try_kernel(const kernel_run *r) {
    const haul_device_options options = {.threads = r->host_threads ? r->host_threads : 1,
                                         .instruction_limit = r->limit,
                                         .counting = r->uncounted ? HAUL_COUNT_NONE : HAUL_COUNT_ALL,
                                         .sample_blocks = r->sample};
    haul_device *device;
    haul_module *module;
    haul_status status =
        haul_device_open(r->device ? r->device : "sim:h100", r->options ? r->options : &options, &device);
    if (status != HAUL_OK) return status;
    status = haul_module_load(device, "test.ptx", r->ptx, strlen(r->ptx), &module);
    if (status == HAUL_OK) status = launch_on(device, module, r);
    haul_device_close(device);
    return status;
}

/* Runs it on a device that stays open from run to run, anew after each 100: opening a GPU takes long. */
static inline haul_status try_elsewhere(const char *name, const kernel_run *r) {
    enum { RUNS_A_DEVICE = 100 };
    static haul_device *device;
    static unsigned runs;
    haul_module *module;
    if (runs++ % RUNS_A_DEVICE == 0) {
        haul_device_close(device);
        assert_int_equal(haul_device_open(name, &(haul_device_options){0}, &device), HAUL_OK);
    }
    const haul_status status = haul_module_load(device, "test.ptx", r->ptx, strlen(r->ptx), &module);
    return status == HAUL_OK ? launch_on(device, module, r) : status;
}

static inline void run_kernel(const kernel_run *r) {
    if (try_kernel(r) != HAUL_OK) fail_msg("%s", haul_message());
}

/* One word for each thread; `out` starts as zeros. */
static inline void run_words(const char *ptx, uint32_t blocks, uint32_t threads, uint32_t *out) {
    const size_t bytes = sizeof *out * blocks * threads;
    memset(out, 0, bytes);
    run_kernel(&(kernel_run){.ptx = ptx, .blocks = blocks, .threads = threads, .out = out, .out_bytes = bytes});
}

/* The launch must fail with `status` and a message that has `text` in it. */
static inline void expect_failure(const kernel_run *r, haul_status status, const char *text) {
    uint32_t words[64] = {0};
    kernel_run with_memory = *r;
    if (!r->out) with_memory.out = words, with_memory.out_bytes = sizeof words;
    const haul_status got = try_kernel(&with_memory);
    if (got != status) fail_msg("status %d, not %d: %s", (int)got, (int)status, haul_message());
    if (!strstr(haul_message(), text)) fail_msg("'%s' has no '%s'", haul_message(), text);
}

/* A number from the environment: how many random kernels to run, and from which seed on. */
static inline uint32_t number_from(const char *variable, uint32_t otherwise) {
    const char *value = getenv(variable);
    return value ? (uint32_t)strtoul(value, NULL, 0) : otherwise;
}

#define expect_words(out, count, expression)                                          \
    do {                                                                              \
        for (uint32_t i = 0; i < (count); i++) {                                      \
            const uint32_t got_ = (out)[i], want_ = (uint32_t)(expression);           \
            if (got_ != want_) fail_msg("word %u is 0x%x, not 0x%x", i, got_, want_); \
        }                                                                             \
    } while (0)

#endif
