/* For run_shared.sh: launches a kernel through libhaul. It is linked with libhaul, or opens it: program LIBRARY
 * VERSION. It then has functions of its own with names that libhaul's parts, or libraries like them, have too. */
#define _GNU_SOURCE
#include <haul/haul.h>
#include <haul/kernels.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char kernel[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                             ".visible .entry load(.param .u64 data) {\n"
                             ".reg .b32 %r<3>; .reg .b64 %d<4>;\n"
                             "ld.param.u64 %d1, [data]; cvta.to.global.u64 %d2, %d1;\n"
                             "mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.s64 %d3, %d2, %d3;\n"
                             "ld.global.u32 %r2, [%d3]; st.global.u32 [%d3], %r2; ret;\n}\n";

#ifdef OPENS
#define OWN(name)     \
    void name(void) { \
        abort();      \
    }
OWN(memory_zeroed)
OWN(memory_free)
OWN(haul_fail)
OWN(haul_vfail)
OWN(json_loads)
OWN(json_decref)
OWN(LLVMContextCreate)
OWN(GOMP_parallel)
#undef OWN
static void *library;
static const char *version;

/* The function of the version, as a program that was linked with it gets it. */
static void *find(const char *name) {
    void *found = dlvsym(library, name, version);
    if (!found) puts(dlerror()), exit(1);
    return found;
}
#define CALL(name) ((__typeof__(&name))find(#name))
#else
#define CALL(name) name
#endif

#define MUST(call) ((call) == HAUL_OK ? (void)0 : (puts(CALL(haul_message)()), exit(1)))

static void open_library(char **words) {
#ifdef OPENS
    library = dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
    version = words[2];
    if (!library) puts(dlerror()), exit(1);
#else
    (void)words;
#endif
}

static void launch(haul_device *device) {
    haul_module *module;
    haul_buffer *data;
    haul_run *run;
    MUST(CALL(haul_module_load)(device, "load.ptx", kernel, sizeof kernel - 1, &module));
    MUST(CALL(haul_buffer_create)(device, 4096, &data));
    MUST(CALL(haul_run_create)(device, &run));
    const haul_argument argument = {.kind = HAUL_ARGUMENT_BUFFER, .buffer = data};
    MUST(CALL(haul_launch_run)(
        module,
        &(haul_launch){
            .kernel = "load", .grid = {1, 1, 1}, .block = {1024, 1, 1}, .arguments = &argument, .argument_count = 1},
        run));
    printf("%s: %.0f sectors\n", run->launches[0].kernel,
           run->launches[0].counters[CALL(haul_counter_find)("l1tex__t_sectors_pipe_lsu_mem_global_op_ld")]);
    CALL(haul_run_free)(run);
}

/* A kernel that ships, whose module is inside the library. */
static void add_twice(haul_device *device) {
    haul_kernels *kernels;
    haul_buffer *x, *y;
    const float sent[] = {1, 2, 3, 4};
    float got[4];
    MUST(CALL(haul_kernels_open)(device, &kernels));
    MUST(CALL(haul_buffer_create)(device, sizeof sent, &x));
    MUST(CALL(haul_buffer_create)(device, sizeof sent, &y));
    MUST(CALL(haul_buffer_write)(x, 0, sent, sizeof sent));
    MUST(CALL(haul_buffer_write)(y, 0, sent, sizeof sent));
    MUST(CALL(haul_saxpy)(kernels, HAUL_SAXPY_AUTO, 4, 2.0f, x, y, NULL));
    MUST(CALL(haul_buffer_read)(y, 0, got, sizeof got));
    printf("saxpy: %g %g %g %g\n", got[0], got[1], got[2], got[3]);
    CALL(haul_kernels_close)(kernels);
}

int main(int count, char **words) {
    (void)count;
    haul_device *device;
    open_library(words);
    if (CALL(haul_device_open)("sim:none", NULL, &device) == HAUL_OK) return 1;
    puts(CALL(haul_message)());
    MUST(CALL(haul_device_open)("sim:h100", NULL, &device));
    launch(device);
    add_twice(device);
    CALL(haul_device_close)(device);
    return 0;
}
