/* Scalars of described launches, from launch files, the command line and back (lib/launch/scalar.h). */
#include "base/number.h"
#include "base/status.h"
#include "exec/half.h"
#include "lib/launch/launches.h"
#include "lib/launch/read.h"
#include "lib/launch/scalar.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const launch_scalar scalars[] = {
#define SCALAR(name, kind, low, high) {name, HAUL_ARGUMENT_##kind, low, high},
    LAUNCH_SCALARS(SCALAR, SCALAR)
#undef SCALAR
};
enum { SCALARS = sizeof scalars / sizeof *scalars };

static bool is_real(const launch_scalar *s) {
    return s->low == s->high;
}

static bool is_bool(const launch_scalar *s) {
    return s->high == 1;
}

unsigned launch_scalar_bytes(const launch_scalar *s) {
    switch (s->kind) {
    case HAUL_ARGUMENT_I8: return 1;
    case HAUL_ARGUMENT_I16: return 2;
    case HAUL_ARGUMENT_I32:
    case HAUL_ARGUMENT_F32: return 4;
    default: return 8;
    }
}

const launch_scalar *launch_scalar_find(const char *name) {
    for (size_t i = 0; i < SCALARS; i++)
        if (strcmp(scalars[i].name, name) == 0) return &scalars[i];
    return NULL;
}

const launch_scalar *launch_scalar_of(json_t *object, json_t **value) {
    for (size_t i = 0; i < SCALARS; i++)
        if ((*value = json_object_get(object, scalars[i].name))) return &scalars[i];
    return NULL;
}

/* ---- reading ---- */

/* JSON has no numbers for infinities and NaN: "inf", "-inf", "nan". */
static bool real_of(json_t *value, double *real) {
    const char *word = json_string_value(value);
    if (word) return number_f64(word, real) && !isfinite(*real);
    *real = json_number_value(value);
    return json_is_number(value);
}

/* Sets the bits of a 16-bit number, rounded to nearest even. */
static haul_status take_real(const launch_scalar *s, launch_argument *a) {
    if (s->kind == HAUL_ARGUMENT_I16)
        a->integer = encode(*s->name == 'b' ? sim_bf16 : sim_f16, a->real, SIM_ROUND_EVEN, false);
    return HAUL_OK;
}

haul_status launch_scalar_read(const launch_scalar *s, json_t *value, launch_argument *a) {
    a->kind = s->kind;
    a->scalar = s;
    if (is_bool(s) && json_is_boolean(value)) {
        a->integer = json_is_true(value);
        return HAUL_OK;
    }
    if (!is_real(s)) return launch_read_integer(value, s->name, s->low, s->high, &a->integer);
    return real_of(value, &a->real) ? take_real(s, a) : haul_fail(HAUL_ERROR_ARGUMENT, "%s: must be a number", s->name);
}

/* Reads a u64, which may need all bits, though its limit in the table is INT64_MAX. False for other scalars. */
static bool parse_u64(const launch_scalar *s, const char *digits, int64_t *integer) {
    uint64_t whole;
    if (s->low != 0 || s->high != INT64_MAX || !number_u64(digits, &whole)) return false;
    *integer = (int64_t)whole;
    return true;
}

haul_status launch_scalar_parse(const launch_scalar *s, const char *digits, launch_argument *a) {
    a->kind = s->kind;
    a->scalar = s;
    if (is_real(s))
        return number_f64(digits, &a->real) ? take_real(s, a)
                                            : haul_fail(HAUL_ERROR_ARGUMENT, "needs a number behind the colon");
    if (is_bool(s) && (strcmp(digits, "true") == 0 || strcmp(digits, "false") == 0)) {
        a->integer = *digits == 't';
        return HAUL_OK;
    }
    if (parse_u64(s, digits, &a->integer)) return HAUL_OK;
    if (!number_i64(digits, &a->integer))
        return haul_fail(HAUL_ERROR_ARGUMENT, "needs a whole number behind the colon");
    if (a->integer >= s->low && a->integer <= s->high) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "the number is not between %" PRId64 " and %" PRId64, s->low, s->high);
}

/* ---- writing ---- */

static const char *non_finite(double real) {
    return isnan(real) ? "nan" : real < 0 ? "-inf" : "inf";
}

/* A u64 above the limit is written as the i64 with the same bits. */
json_t *launch_scalar_to_json(const launch_argument *a) {
    /* JSON's integers are signed. */
    const bool is_large = a->integer < 0 && a->scalar->low == 0;
    if (!is_real(a->scalar)) return json_pack("{s:I}", is_large ? "i64" : a->scalar->name, (json_int_t)a->integer);
    if (!isfinite(a->real)) return json_pack("{s:s}", a->scalar->name, non_finite(a->real));
    return json_pack("{s:f}", a->scalar->name, a->real);
}
