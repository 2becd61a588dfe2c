/* Runs one OpenCL kernel on whatever OpenCL platform there is, and prints its time: what the virtual GPU is compared
 * with (Oclgrind, PoCL).
 *
 *     bench_opencl [--platform TEXT] [--repeat R] [--options TEXT] FILE.cl KERNEL GLOBAL LOCAL ARGUMENT...
 *     bench_opencl --list
 *
 * TEXT names a platform by a part of its name (default: the first one with a device). GLOBAL and LOCAL are X, XxY or
 * XxYxZ work-items. Arguments: i32:N, f32:V, buf:N (a buffer of N floats, filled with k % 1024 / 1024 once, before the
 * first run). Prints one line of JSON: platform, device, kernel, the seconds of the best of R runs (default 3) from
 * enqueuing to the end, and the sum of each buffer's floats behind the last run. `oclgrind bench_opencl …` runs it on
 * Oclgrind. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_PLATFORMS = 16, MOST_BUFFERS = 8, NAME_BYTES = 256 };

typedef struct options {
    const char *platform, *build, *file, *kernel;
    unsigned repeat;
    size_t global[3], local[3];
    cl_uint dimensions;
    char **arguments;
    int argument_count;
} options;

typedef struct run {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffers[MOST_BUFFERS];
    size_t floats[MOST_BUFFERS];
    unsigned buffer_count;
} run;

static void fail(const char *what, const char *which) {
    fprintf(stderr, "bench_opencl: %s%s%s\n", what, which ? ": " : "", which ? which : "");
    exit(2);
}

static void must(cl_int status, const char *what) {
    char number[32];
    if (status == CL_SUCCESS) return;
    snprintf(number, sizeof number, "OpenCL error %d", (int)status);
    fail(what, number);
}

/* ---- platforms ---- */

static cl_uint all_platforms(cl_platform_id platforms[MOST_PLATFORMS]) {
    cl_uint count = 0;
    if (clGetPlatformIDs(MOST_PLATFORMS, platforms, &count) != CL_SUCCESS) return 0;
    return count < MOST_PLATFORMS ? count : MOST_PLATFORMS;
}

static void platform_name(cl_platform_id platform, char name[NAME_BYTES]) {
    must(clGetPlatformInfo(platform, CL_PLATFORM_NAME, NAME_BYTES, name, NULL), "platform name");
}

static int list(void) {
    cl_platform_id platforms[MOST_PLATFORMS];
    char name[NAME_BYTES];
    for (cl_uint i = 0, count = all_platforms(platforms); i < count; i++) {
        platform_name(platforms[i], name);
        puts(name);
    }
    return 0;
}

static void pick_device(const options *o, run *r) {
    cl_platform_id platforms[MOST_PLATFORMS];
    char name[NAME_BYTES];
    for (cl_uint i = 0, count = all_platforms(platforms); i < count; i++) {
        platform_name(platforms[i], name);
        if (o->platform && !strstr(name, o->platform)) continue;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &r->device, NULL) != CL_SUCCESS) continue;
        r->platform = platforms[i];
        return;
    }
    fail("no OpenCL device", o->platform);
}

/* ---- the kernel ---- */

static char *read_source(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) fail("cannot be read", path);
    char *source = calloc(1, 1 << 16);
    if (!source || fread(source, 1, (1 << 16) - 1, f) == 0) fail("is empty", path);
    fclose(f);
    return source;
}

static void build(const options *o, run *r) {
    cl_int status;
    char *source = read_source(o->file), log[4096] = "";
    r->context = clCreateContext(NULL, 1, &r->device, NULL, NULL, &status);
    must(status, "context");
    r->queue = clCreateCommandQueue(r->context, r->device, 0, &status);
    must(status, "queue");
    r->program = clCreateProgramWithSource(r->context, 1, (const char *[]){source}, NULL, &status);
    must(status, "program");
    if (clBuildProgram(r->program, 1, &r->device, o->build, NULL, NULL) != CL_SUCCESS) {
        clGetProgramBuildInfo(r->program, r->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail(o->file, log);
    }
    r->kernel = clCreateKernel(r->program, o->kernel, &status);
    must(status, o->kernel);
    free(source);
}

static void set_buffer(run *r, cl_uint index, size_t floats) {
    cl_int status;
    float *contents = malloc(floats * sizeof *contents);
    if (!contents || !floats || r->buffer_count == MOST_BUFFERS) fail("no room for the buffers", NULL);
    for (size_t i = 0; i < floats; i++) contents[i] = (float)(i % 1024) / 1024.0f;
    cl_mem buffer = clCreateBuffer(r->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, floats * sizeof *contents,
                                   contents, &status);
    must(status, "buffer");
    free(contents);
    must(clSetKernelArg(r->kernel, index, sizeof buffer, &buffer), "argument");
    r->floats[r->buffer_count] = floats;
    r->buffers[r->buffer_count++] = buffer;
}

static void set_argument(run *r, cl_uint index, const char *argument) {
    const char *colon = strchr(argument, ':'), *value = colon ? colon + 1 : "";
    const cl_int integer = (cl_int)strtol(value, NULL, 0);
    const cl_float real = strtof(value, NULL);
    if (strncmp(argument, "i32:", 4) == 0)
        must(clSetKernelArg(r->kernel, index, sizeof integer, &integer), argument);
    else if (strncmp(argument, "f32:", 4) == 0)
        must(clSetKernelArg(r->kernel, index, sizeof real, &real), argument);
    else if (strncmp(argument, "buf:", 4) == 0)
        set_buffer(r, index, strtoul(value, NULL, 0));
    else
        fail("not an argument: i32:N, f32:V or buf:FLOATS", argument);
}

/* ---- running ---- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double run_once(const options *o, run *r) {
    const double start = now();
    must(clEnqueueNDRangeKernel(r->queue, r->kernel, o->dimensions, NULL, o->global, o->local, 0, NULL, NULL),
         "launch");
    must(clFinish(r->queue), "run");
    return now() - start;
}

static json_t *sums_of(const run *r) {
    json_t *sums = json_array();
    for (unsigned b = 0; b < r->buffer_count; b++) {
        const size_t bytes = r->floats[b] * sizeof(float);
        double sum = 0;
        float *contents = malloc(bytes);
        if (!contents) fail("no memory", NULL);
        must(clEnqueueReadBuffer(r->queue, r->buffers[b], CL_TRUE, 0, bytes, contents, 0, NULL, NULL), "read");
        for (size_t i = 0; i < r->floats[b]; i++) sum += (double)contents[i];
        free(contents);
        json_array_append_new(sums, json_real(sum));
    }
    return sums;
}

static void report(const options *o, run *r) {
    char platform[NAME_BYTES], device[NAME_BYTES];
    double best = run_once(o, r);
    for (unsigned k = 1; k < o->repeat; k++) {
        const double seconds = run_once(o, r);
        if (seconds < best) best = seconds;
    }
    platform_name(r->platform, platform);
    must(clGetDeviceInfo(r->device, CL_DEVICE_NAME, sizeof device, device, NULL), "device name");
    json_t *row = json_pack("{s:s, s:s, s:s, s:f, s:o}", "platform", platform, "device", device, "kernel", o->kernel,
                            "seconds", best, "sums", sums_of(r));
    json_dumpf(row, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(row);
}

static void tear_down(run *r) {
    for (unsigned b = 0; b < r->buffer_count; b++) clReleaseMemObject(r->buffers[b]);
    clReleaseKernel(r->kernel);
    clReleaseProgram(r->program);
    clReleaseCommandQueue(r->queue);
    clReleaseContext(r->context);
}

/* ---- options ---- */

static cl_uint parse_sizes(const char *text, size_t sizes[3]) {
    char *end = NULL;
    for (cl_uint i = 0; i < 3; i++) {
        sizes[i] = strtoul(text, &end, 10);
        if (sizes[i] == 0 || (*end && *end != 'x')) fail("not a size: X, XxY or XxYxZ", text);
        if (!*end) return i + 1;
        text = end + 1;
    }
    fail("more than three dimensions", text);
    return 0;
}

static void parse(int count, char **words, options *o) {
    int i = 1;
    *o = (options){.repeat = 3, .build = ""};
    for (; i + 1 < count && strncmp(words[i], "--", 2) == 0; i += 2) {
        if (strcmp(words[i], "--platform") == 0)
            o->platform = words[i + 1];
        else if (strcmp(words[i], "--repeat") == 0)
            o->repeat = (unsigned)strtoul(words[i + 1], NULL, 10);
        else if (strcmp(words[i], "--options") == 0)
            o->build = words[i + 1];
        else
            fail("no such option", words[i]);
    }
    if (count - i < 5)
        fail("usage: bench_opencl [--platform TEXT] [--repeat R] [--options TEXT] FILE.cl KERNEL GLOBAL LOCAL "
             "ARGUMENT...",
             NULL);
    o->file = words[i];
    o->kernel = words[i + 1];
    o->dimensions = parse_sizes(words[i + 2], o->global);
    if (parse_sizes(words[i + 3], o->local) != o->dimensions) fail("GLOBAL and LOCAL differ in dimensions", NULL);
    o->arguments = words + i + 4;
    o->argument_count = count - i - 4;
}

int main(int count, char **words) {
    options o;
    run r = {0};
    if (count == 2 && strcmp(words[1], "--list") == 0) return list();
    parse(count, words, &o);
    pick_device(&o, &r);
    build(&o, &r);
    for (int i = 0; i < o.argument_count; i++) set_argument(&r, (cl_uint)i, o.arguments[i]);
    report(&o, &r);
    tear_down(&r);
    return 0;
}
