/* For tests of the driver API: its table `cu`, and open_context() and close_context(), which set up and tear down a
 * test, or a group, with a context of a virtual H100. */
#ifndef HAUL_TESTS_SIM_CONTEXT_H
#define HAUL_TESTS_SIM_CONTEXT_H

#include "base/status.h"
#include "machine/machine.h"
#include "vgpu/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)                                                                                                 \
    do {                                                                                                         \
        const CUresult result_ = (call);                                                                         \
        if (result_ != CUDA_SUCCESS) fail_msg("%s: %s: %s", #call, driver_result_name(result_), haul_message()); \
    } while (0)

static const driver_table *cu;
static CUcontext context;

static inline CUdevice device_named(const char *machine) {
    return (CUdevice)(sim_machine_find(machine) - sim_machines);
}

/* Returns 0 on success, as cmocka asks. */
static inline int open_context(void **state) {
    (void)state;
    cu = sim_driver();
    return cu->init(0) || cu->context_retain(&context, device_named("h100")) || cu->context_set(context);
}

static inline int close_context(void **state) {
    (void)state;
    return cu->context_release(device_named("h100")) != CUDA_SUCCESS;
}

#endif
