/* Scalar arguments of described launches. */
#ifndef HAUL_LIB_LAUNCH_SCALAR_H
#define HAUL_LIB_LAUNCH_SCALAR_H

#include <haul/run.h>
#include <haul/status.h>
#include <jansson.h>
#include <stdint.h>

/* The only list of scalars: NEXT(name, kind, low, high), and FIRST(...) for the first one; low and high bound integers,
 * and are 0 for floating-point numbers. i32 also takes unsigned numbers as the bits of signed ones, as recorded
 * launches do. f16 and bf16 pass their bits as 16-bit integers. */
#define LAUNCH_SCALARS(FIRST, NEXT)          \
    FIRST("i32", I32, INT32_MIN, UINT32_MAX) \
    NEXT("i64", I64, INT64_MIN, INT64_MAX)   \
    NEXT("f32", F32, 0, 0)                   \
    NEXT("f64", F64, 0, 0)                   \
    NEXT("i8", I8, INT8_MIN, INT8_MAX)       \
    NEXT("u8", I8, 0, UINT8_MAX)             \
    NEXT("i16", I16, INT16_MIN, INT16_MAX)   \
    NEXT("u16", I16, 0, UINT16_MAX)          \
    NEXT("u32", I32, 0, UINT32_MAX)          \
    NEXT("u64", I64, 0, INT64_MAX)           \
    NEXT("bool", I8, 0, 1)                   \
    NEXT("f16", I16, 0, 0)                   \
    NEXT("bf16", I16, 0, 0)

/* "i32, i64, ...": for messages; "i32:N, ...": for help. */
#define LAUNCH_FIRST_SCALAR(name, kind, low, high) name
#define LAUNCH_NEXT_SCALAR(name, kind, low, high) ", " name
#define LAUNCH_SCALAR_LIST LAUNCH_SCALARS(LAUNCH_FIRST_SCALAR, LAUNCH_NEXT_SCALAR)

typedef struct launch_scalar {
    const char *name;
    haul_argument_kind kind;
    int64_t low, high;
} launch_scalar;

struct launch_argument;

unsigned launch_scalar_bytes(const launch_scalar *scalar);
/* NULL if there is none of that name. */
const launch_scalar *launch_scalar_find(const char *name);
/* The scalar that an object of a launch file names, with its value; NULL if it names none. */
const launch_scalar *launch_scalar_of(json_t *object, json_t **value);

/* Set kind, integer and real of the argument. Errors: HAUL_ERROR_ARGUMENT; the message says what is allowed, not
 * where. */
haul_status launch_scalar_read(const launch_scalar *scalar, json_t *value, struct launch_argument *argument);
haul_status launch_scalar_parse(const launch_scalar *scalar, const char *text, struct launch_argument *argument);
/* {"i32":7}; NULL when out of memory. */
json_t *launch_scalar_to_json(const struct launch_argument *argument);

#endif
