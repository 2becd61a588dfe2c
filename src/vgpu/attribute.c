/* Device attributes that follow from the machine's description, or are the same for all.
 *
 * attributes.def has a row for each; a row's value may call a function of this file. context.c has those that need
 * more than an expression. */
#include "vgpu/internal.h"

#include <math.h>

/* Computes the bus width that gives the peak bandwidth with two transfers a clock. HBM stacks have 1024 bits; other
 * buses are multiples of 64. */
static int bus_bits(const sim_machine *m) {
    const double bits = m->memory_gbps * 8e3 / (2 * m->memory_mhz);
    const int step = bits < 1024 ? 64 : 1024;
    return (int)lround(bits / step) * step;
}

bool sim_general_attribute(const sim_machine *m, unsigned device, int attribute, int *value) {
    switch (attribute) {
#define ATTRIBUTE(number, what, answer) \
    case number:                        \
        *value = (answer);              \
        return true;
#include "vgpu/attributes.def"
#undef ATTRIBUTE
    default: return false;
    }
}
