/* programs_host [--check] PROGRAM.so: the program's own exit status; 1 if something was found, 2 if it cannot be run.
 */
#include "host.h"
#include "lib/device.h"
#include "lib/run.h"
#include "sim/driver/driver.h"

#include <dlfcn.h>
#include <haul/haul.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static haul_device *device;
static haul_run *run;
static CUresult fault;
static _Thread_local CUresult last;

/* ---- calls ---- */

const driver_table *host_enter(void) {
    pthread_mutex_lock(&lock);
    device->driver->context_set(device->context);
    return device->driver;
}

CUdevice host_device(void) {
    return device->handle;
}

CUresult host_fail(CUresult result) {
    if (result == CUDA_SUCCESS) result = fault;
    if (result != CUDA_SUCCESS && result != CUDA_NOT_READY) last = result;
    return result;
}

static bool ends_context(CUresult result) {
    return result == CUDA_ILLEGAL_ADDRESS || result == CUDA_LAUNCH_TIMEOUT ||
           (result >= CUDA_ASSERT && result <= CUDA_LAUNCH_FAILED);
}

CUresult host_leave(CUresult result) {
    if (ends_context(result) && !fault) {
        fprintf(stderr, "%s\n", haul_message());
        fault = result;
    }
    sim_driver_record(NULL, 0, NULL);
    pthread_mutex_unlock(&lock);
    return host_fail(result);
}

CUresult cudaGetLastError(void) {
    const CUresult result = last;
    last = fault;
    return result;
}

CUresult cudaPeekAtLastError(void) {
    return last;
}

const char *cudaGetErrorName(CUresult result) {
    return driver_result_name(result);
}

const char *cudaGetErrorString(CUresult result) {
    return driver_result_text(result);
}

/* ---- what was launched, and found ---- */

bool host_record(void) {
    haul_launch_record *record;
    if (run_add_launch(run, &record) != HAUL_OK) return false;
    sim_driver_record(run, run->launch_count - 1, run_memory(run));
    return true;
}

static void show(const haul_launch_record *r, const haul_finding *f) {
    const haul_instruction_record *i = &r->instructions[f->access.instruction];
    fprintf(stderr, "%s: %s in %s: %s (%s, PTX line %u)\n", haul_grade_names[f->grade], haul_finding_kinds[f->kind].key,
            r->kernel, f->what, i->text, i->ptx_line);
}

/* Advice is none of a test's business. */
static size_t show_findings(void) {
    size_t count = 0;
    for (size_t l = 0; l < run->launch_count; l++) {
        const haul_launch_record *r = &run->launches[l];
        for (size_t i = 0; i < r->finding_count; i++) {
            if (r->findings[i].grade == HAUL_GRADE_ADVICE) continue;
            show(r, &r->findings[i]);
            count++;
        }
    }
    return count;
}

/* ---- the program ---- */

typedef int program_main(int argc, char **argv);

static program_main *load(const char *path) {
    program_main *start = NULL;
    void *library = dlopen(path, RTLD_NOW);
    void *found = library ? dlsym(library, "main") : NULL;
    memcpy(&start, &found, sizeof start);
    if (!start) fprintf(stderr, "%s\n", dlerror());
    return start;
}

static bool prepare(bool check) {
    const haul_device_options options = {.check = check};
    if (haul_device_open("sim:h100", &options, &device) == HAUL_OK && haul_run_create(device, &run) == HAUL_OK)
        return true;
    fprintf(stderr, "%s\n", haul_message());
    return false;
}

int main(int argc, char **argv) {
    const bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
    if (argc != 2 + check) {
        fprintf(stderr, "usage: programs_host [--check] PROGRAM.so\n");
        return 2;
    }
    program_main *start = prepare(check) ? load(argv[1 + check]) : NULL;
    if (!start) return 2;
    const int status = start(1, argv + 1 + check);
    if (haul_device_leaks(device, run) != HAUL_OK) fprintf(stderr, "%s\n", haul_message());
    const size_t found = show_findings();
    return status ? status : found > 0;
}
