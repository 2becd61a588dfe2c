/* Arguments of launches: their bytes, and checks against the types of parameters and variables in the PTX. */
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

/* Sets the value, except for BYTES, and returns how many bytes the kernel gets. */
uint64_t argument_value_of(const haul_argument *argument, argument_value *value);

/* The kind of number that the PTX declares for a parameter or a variable. */
haul_parameter_kind argument_kind_of(const ptx_variable *variable);

/* Checks that the argument has the parameter's size and, if the PTX declares it (not .bN), its kind: integer or
 * floating. The message says what to pass instead. `index` counts from 0. Errors: HAUL_ERROR_ARGUMENT. */
haul_status argument_check(const haul_launch *launch, size_t index, const ptx_variable *parameter);

/* The same for a scalar that sets the module's variable of this name. Variables unknown to haul pass. */
haul_status module_check_variable(const haul_module *module, const char *name, const haul_argument *scalar);

#endif
