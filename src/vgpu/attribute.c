/* Device attributes. attributes.def has a row for each; a row's value may call a function of this file. */
#include "ptx/limits.h"
#include "vgpu/driver.h"
#include "vgpu/internal.h"

#include <math.h>

/* Computes the bus width that gives the peak bandwidth with two transfers a clock. HBM stacks have 1024 bits; other
 * buses are multiples of 64. */
static int bus_bits(const sim_machine *m) {
    const double bits = m->memory_gbps * 8e3 / (2 * m->memory_mhz);
    const int step = bits < 1024 ? 64 : 1024;
    return (int)lround(bits / step) * step;
}

/* An attribute without a row is an error, so that no program gets an answer by chance. */
CUresult sim_call_device_attribute(int *value, int attribute, CUdevice device) {
    const sim_machine *m = sim_driver_machine(device);
    switch (attribute) {
#define ATTRIBUTE(number, what, answer) \
    case number:                        \
        *value = (answer);              \
        return CUDA_SUCCESS;
#include "vgpu/attributes.def"
#undef ATTRIBUTE
    default: return sim_wrong("cuDeviceGetAttribute: attribute not known");
    }
}
