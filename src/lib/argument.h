/* Arguments of launches: their bytes, and whether a parameter or variable of the PTX can take them. */
#ifndef HAUL_LIB_ARGUMENT_H
#define HAUL_LIB_ARGUMENT_H

#include "lib/device.h"

typedef union argument_value {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    uint64_t address;
} argument_value;

/* Sets the value, but of BYTES, and returns how many bytes the kernel gets. */
uint64_t argument_value_of(const haul_argument *argument, argument_value *value);

/* A parameter has to have the argument's size, and where it says whether it is whole or floating (.bN does not), the
 * argument has to be of that kind. The message says what to pass instead. `index` counts from 0. Errors:
 * HAUL_ERROR_ARGUMENT. */
haul_status argument_check(const haul_launch *launch, size_t index, const ptx_variable *parameter);

/* The same for a scalar that the module's variable of that name is set to. Variables that haul does not know pass. */
haul_status module_check_variable(const haul_module *module, const char *name, const haul_argument *scalar);

#endif
