/* Implements lib/argument.h: the bytes of arguments, and messages about arguments that do not fit.
 *
 * PTX declares the size of each parameter, and for scalars a type. So haul can find an int that is passed for a long,
 * or a float for an int, which a driver would pass on as wrong bits. It cannot find what has the right size and kind.
 * The messages name what would fit in the notation of --arg. */
#include "lib/argument.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t argument_value_of(const haul_argument *a, argument_value *v) {
    switch (a->kind) {
    case HAUL_ARGUMENT_I8: v->i8 = (int8_t)a->integer; return sizeof v->i8;
    case HAUL_ARGUMENT_I16: v->i16 = (int16_t)a->integer; return sizeof v->i16;
    case HAUL_ARGUMENT_I32: v->i32 = (int32_t)a->integer; return sizeof v->i32;
    case HAUL_ARGUMENT_I64: v->i64 = a->integer; return sizeof v->i64;
    case HAUL_ARGUMENT_F32: v->f32 = (float)a->real; return sizeof v->f32;
    case HAUL_ARGUMENT_F64: v->f64 = a->real; return sizeof v->f64;
    case HAUL_ARGUMENT_BYTES: return a->size;
    case HAUL_ARGUMENT_BUFFER: break;
    }
    v->address = a->buffer->address + a->offset;
    return sizeof v->address;
}

/* ---- types of parameters ---- */

/* Addresses count as whole numbers. */
static haul_parameter_kind kind_of_argument(const haul_argument *a) {
    if (a->kind == HAUL_ARGUMENT_BYTES) return HAUL_PARAMETER_BYTES;
    return a->kind == HAUL_ARGUMENT_F32 || a->kind == HAUL_ARGUMENT_F64 ? HAUL_PARAMETER_FLOATING
                                                                        : HAUL_PARAMETER_INTEGER;
}

/* The kind that the PTX declares. No scalar argument has a floating type of less than 32 bits: integers of that size
 * pass their bits. */
haul_parameter_kind argument_kind_of(const ptx_variable *v) {
    switch (ptx_types[v->type].kind) {
    case 'F': return ptx_bits(v->type) >= 32 ? HAUL_PARAMETER_FLOATING : HAUL_PARAMETER_BYTES;
    case 'U':
    case 'S': return HAUL_PARAMETER_INTEGER;
    default: return HAUL_PARAMETER_BYTES;
    }
}

static uint64_t element_bytes(const ptx_variable *v) {
    return ptx_bits(v->type) / 8;
}

/* Writes "u8:1" to `out`: the scalar kind that the variable takes, with the argument's value, or with N or X if it has
 * none. NULL if no scalar has that size. The sign follows the PTX type, or the value. */
static const char *scalar_for(const ptx_variable *v, const haul_argument *a, char out[64]) {
    const uint64_t bytes = element_bytes(v) == 1 && v->size != 1 ? v->size : element_bytes(v);
    const bool floating =
        argument_kind_of(v) == HAUL_PARAMETER_FLOATING ||
        (argument_kind_of(v) == HAUL_PARAMETER_BYTES && kind_of_argument(a) == HAUL_PARAMETER_FLOATING && bytes >= 4);
    const bool is_signed = ptx_is_signed(v->type) || a->integer < 0 || a->real < 0;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return NULL;
    const int length = snprintf(out, 64, "%s%d:", floating ? "f" : is_signed ? "i" : "u", (int)bytes * 8);
    const size_t left = 64 - (size_t)length;
    if (a->kind == HAUL_ARGUMENT_BUFFER || a->kind == HAUL_ARGUMENT_BYTES)
        snprintf(out + length, left, "%s", floating ? "X" : "N");
    else if (kind_of_argument(a) == HAUL_PARAMETER_FLOATING)
        snprintf(out + length, left, floating ? "%.9g" : "%.0f", a->real);
    else
        snprintf(out + length, left, "%" PRId64, a->integer);
    return out;
}

static const char *bytes_of(uint64_t bytes, char out[32]) {
    snprintf(out, 32, "%llu byte%s", (unsigned long long)bytes, bytes == 1 ? "" : "s");
    return out;
}

/* The functions wrong_...() begin with `what`, the argument, and name `target`, the parameter or variable. */
static haul_status wrong_size(const char *what, const char *target, uint64_t bytes, const haul_argument *a,
                              const ptx_variable *v) {
    char has[32], wants[32], scalar[64];
    const char *is = a->kind == HAUL_ARGUMENT_BUFFER ? "a buffer, whose address is " : "";
    const char *instead = scalar_for(v, a, scalar);
    if (instead)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s is %s%s, but %s is %s; pass it as `%s`", what, is,
                         bytes_of(bytes, has), target, bytes_of(v->size, wants), instead);
    return haul_fail(HAUL_ERROR_ARGUMENT,
                     "%s is %s%s, but %s is %s; pass a structure as `struct:{...}`, or its bytes as `bytes:HEX`", what,
                     is, bytes_of(bytes, has), target, bytes_of(v->size, wants));
}

static haul_status wrong_kind(const char *what, const char *target, const haul_argument *a, const ptx_variable *v) {
    char scalar[64];
    const char *is = a->kind == HAUL_ARGUMENT_BUFFER                  ? "a buffer"
                     : kind_of_argument(a) == HAUL_PARAMETER_FLOATING ? "a floating-point number"
                                                                      : "a whole number";
    const char *instead = scalar_for(v, a, scalar);
    return haul_fail(HAUL_ERROR_ARGUMENT, "%s is %s, but %s is %s (.%s); pass it as `%s`", what, is, target,
                     argument_kind_of(v) == HAUL_PARAMETER_FLOATING ? "a floating-point number" : "a whole number",
                     ptx_types[v->type].name, instead ? instead : "bytes");
}

/* Untyped sides fit anything. */
static bool kinds_differ(const haul_argument *a, const ptx_variable *v) {
    const haul_parameter_kind given = kind_of_argument(a), wanted = argument_kind_of(v);
    return given != HAUL_PARAMETER_BYTES && wanted != HAUL_PARAMETER_BYTES && given != wanted;
}

/* Compilers name parameters KERNEL_param_0 and so on, which tells nothing. */
static const char *name_parameter(const haul_launch *l, size_t i, const ptx_variable *p, char out[160]) {
    const size_t length = strlen(l->kernel);
    const bool counted = strncmp(p->name, l->kernel, length) == 0 && strncmp(p->name + length, "_param_", 7) == 0;
    if (counted)
        snprintf(out, 160, "the kernel's parameter %zu", i + 1);
    else
        snprintf(out, 160, "parameter `%s`", p->name);
    return out;
}

haul_status argument_check(const haul_launch *l, size_t i, const ptx_variable *p) {
    const haul_argument *a = &l->arguments[i];
    argument_value ignored;
    const uint64_t bytes = argument_value_of(a, &ignored);
    const bool is_array = p->size != element_bytes(p);
    char what[96], target[160];
    if (bytes == p->size && (is_array || !kinds_differ(a, p))) return HAUL_OK;
    snprintf(what, sizeof what, "kernel %.60s: argument %zu", l->kernel, i + 1);
    name_parameter(l, i, p, target);
    return bytes == p->size ? wrong_kind(what, target, a, p) : wrong_size(what, target, bytes, a, p);
}

/* A variable of bytes may be a structure, of which the scalar sets the beginning. Other variables take one element. */
haul_status module_check_variable(const haul_module *m, const char *name, const haul_argument *a) {
    const ptx_variable *v = module_find_variable(m, name);
    argument_value ignored;
    const uint64_t bytes = argument_value_of(a, &ignored);
    char target[160];
    if (!v || (element_bytes(v) == 1 && v->size >= bytes)) return HAUL_OK;
    snprintf(target, sizeof target, "variable `%s`", name);
    if (bytes != element_bytes(v)) {
        ptx_variable element = *v;
        element.size = element_bytes(v);
        return wrong_size("its value", target, bytes, a, &element);
    }
    return kinds_differ(a, v) ? wrong_kind("its value", target, a, v) : HAUL_OK;
}
