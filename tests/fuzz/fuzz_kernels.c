/* Any bytes as a module whose kernels are run: each ends, or says why it cannot be run or went wrong. Arguments are
 * addresses of a small buffer (8-byte parameters), small numbers, and zeros. Compiled kernels say and write the same as
 * interpreted ones. */
#include "base/hash.h"
#include "vgpu/driver.h"

#include <haul/haul.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 4096, MAX_PARAMETERS = 64, MAX_PARAMETER_BYTES = 4096 };

static void require(int condition) {
    if (!condition) abort();
}

typedef struct outcome {
    uint64_t said; /* hash of all messages */
    unsigned char buffer[BUFFER_BYTES];
} outcome;

static void run_kernel(const driver_table *cu, CUmodule module, const ptx_function *kernel, CUdeviceptr buffer,
                       outcome *o) {
    static unsigned char values[MAX_PARAMETERS][MAX_PARAMETER_BYTES];
    void *parameters[MAX_PARAMETERS];
    CUfunction function;
    if (!kernel->is_entry || kernel->param_count > MAX_PARAMETERS) return;
    for (size_t p = 0; p < kernel->param_count; p++) {
        const uint64_t bytes = kernel->params[p]->size;
        if (bytes > MAX_PARAMETER_BYTES) return;
        memset(values[p], 0, sizeof values[p]);
        if (bytes == 8) memcpy(values[p], &buffer, 8);
        if (bytes == 4) values[p][0] = 3;
        parameters[p] = values[p];
    }
    if (cu->module_function(&function, module, kernel->name) == CUDA_SUCCESS &&
        cu->launch(function, 2, 1, 1, 48, 1, 1, 256, NULL, parameters, NULL) == CUDA_SUCCESS)
        return;
    require(*haul_message() != '\0');
    o->said = hash_bytes(o->said, haul_message(), strlen(haul_message()));
}

static void run_all(const char *text, const char *form, outcome *o) {
    const haul_device_options options = {.threads = 1, .instruction_limit = 1 << 18, .memory_bytes = 1 << 24};
    const driver_table *cu = sim_driver();
    haul_device *device;
    CUmodule module;
    CUdeviceptr buffer;
    memset(o, 0, sizeof *o);
    require(setenv("HAUL_COMPILE", form, 1) == 0 && setenv("HAUL_CACHE", "off", 1) == 0);
    require(haul_device_open("sim:h100", &options, &device) == HAUL_OK);
    require(cu->allocate(&buffer, BUFFER_BYTES) == CUDA_SUCCESS);
    if (cu->module_load(&module, text, 0, NULL, NULL) == CUDA_SUCCESS)
        for (size_t k = 0; k < sim_driver_module_ptx(module)->function_count; k++)
            run_kernel(cu, module, sim_driver_module_ptx(module)->functions[k], buffer, o);
    (void)cu->copy_to_host(o->buffer, buffer, BUFFER_BYTES);
    haul_device_close(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static outcome interpreted, compiled;
    char *text = malloc(size + 1);
    require(text != NULL);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    run_all(text, "off", &interpreted);
    run_all(text, "1", &compiled);
    require(memcmp(&interpreted, &compiled, sizeof compiled) == 0);
    free(text);
    return 0;
}
