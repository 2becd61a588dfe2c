/* Launches on the command line: arguments and extents. */
#include "base/number.h"
#include "base/status.h"
#include "lib/launch/launches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static haul_status no_memory(void) {
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the arguments");
}

haul_status launch_parse_extent(const char *what, const char *string, uint32_t extent[3]) {
    static const char separators[] = "x, ";
    const char *s = string;
    size_t count = 0;
    extent[0] = extent[1] = extent[2] = 1;
    s += *s == '[';
    while (count < 3) {
        size_t digits = strspn(s, "0123456789");
        unsigned long long n = digits ? strtoull(s, NULL, 10) : 0;
        if (n < 1 || n > UINT32_MAX) break;
        extent[count++] = (uint32_t)n;
        s += digits;
        if (!*s || !strchr(separators, *s)) break;
        s++;
    }
    s += *s == ']';
    if (!count || *s || string[strlen(string) - 1] == 'x' || string[strlen(string) - 1] == ',') {
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "%s: `%s` is no extent: write up to three numbers from 1 to 4294967295, as 256 or 16x16", what,
                         string);
    }
    return HAUL_OK;
}

haul_status launch_parse_window(const char *string, launch_l2 *l2) {
    char *end;
    *l2 = (launch_l2){.given = true, .has_window = true, .hit = HAUL_L2_PERSISTING, .miss = HAUL_L2_STREAMING};
    const unsigned long argument = strtoul(string, &end, 10);
    const bool is_number = end != string && strspn(string, "0123456789") == (size_t)(end - string);
    l2->argument = argument;
    l2->ratio = 1;
    if (is_number && (!*end || (*end == ':' && number_f64(end + 1, &l2->ratio) && l2->ratio >= 0 && l2->ratio <= 1)))
        return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT,
                     "--window %s: write the number of an argument that is a buffer, from 0 on, and perhaps the share "
                     "of its accesses: 0 or 0:0.5",
                     string);
}

/* ---- arguments ---- */

static haul_status wrong(const char *string, const char *must) {
    return haul_fail(HAUL_ERROR_ARGUMENT, "--arg %s: %s", string, must);
}

static haul_status parse_integer(const char *string, const char *digits, int64_t low, int64_t high,
                                 launch_argument *a) {
    if (!number_i64(digits, &a->integer)) return wrong(string, "needs a whole number behind the colon");
    if (a->integer < low || a->integer > high) return wrong(string, "the number does not fit");
    return HAUL_OK;
}

static haul_status parse_real(const char *string, const char *digits, launch_argument *a) {
    return number_f64(digits, &a->real) ? HAUL_OK : wrong(string, "needs a number behind the colon");
}

/* Cuts the field off at `end` and steps behind it; NULL when there is none left. */
static char *next_field(char **rest, char end) {
    char *field = *rest;
    if (!field) return NULL;
    *rest = strchr(field, end);
    if (*rest) *(*rest)++ = '\0';
    return field;
}

/* Words may have a binary suffix, as sizes do. */
static haul_status parse_numbers(const char *string, char *fields, launch_argument *a) {
    const char *words = next_field(&fields, ':'), *seed = next_field(&fields, ':'), *offset = next_field(&fields, ':');
    uint64_t value;
    if (fields) return wrong(string, "too many fields: buf:FILL:WORDS:SEED:OFFSET");
    if (!words || !number_size(words, &a->words) || a->words > UINT64_C(1) << 40)
        return wrong(string, "needs a number of 32-bit words, as 65536 or 64K");
    a->seed = 1;
    if (seed) {
        if (!number_u64(seed, &value) || value > UINT32_MAX) return wrong(string, "the seed is no 32-bit number");
        a->seed = (uint32_t)value;
    }
    if (offset && (!number_u64(offset, &a->offset) || a->offset > LAUNCH_SLACK))
        return wrong(string, "the offset is not between 0 and 256 bytes");
    return HAUL_OK;
}

static haul_status parse_buffer(const char *string, char *fields, launch_argument *a) {
    char *rest = fields, *out = strstr(fields, ",out=");
    if (out) {
        *out = '\0';
        a->output = out + strlen(",out=");
        if (!*a->output) return wrong(string, "out= needs a file");
    }
    a->kind = HAUL_ARGUMENT_BUFFER;
    if (strncmp(fields, "file=", 5) == 0) {
        a->fill = LAUNCH_FILL_FILE;
        a->input = fields + 5;
        return *a->input ? HAUL_OK : wrong(string, "file= needs a file");
    }
    const char *name = next_field(&rest, ':');
    a->fill = launch_fill_find(name);
    if (a->fill == LAUNCH_FILL_COUNT || a->fill == LAUNCH_FILL_FILE)
        return wrong(string, "no such fill rule; use f01, u32, iota, perm, zero, poison or file=PATH");
    return parse_numbers(string, rest, a);
}

haul_status launch_parse_variable(launch_list *list, const char *string, launch_argument *a) {
    char *name = arena_copy(&list->memory, string, strlen(string)), *value = name ? strchr(name, '=') : NULL;
    if (!name) return no_memory();
    if (!value || value == name)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--global %s: write NAME=ARGUMENT, as table=buf:f01:1024", string);
    *value = '\0';
    HAUL_TRY(launch_parse_argument(list, value + 1, a));
    a->variable = name;
    return HAUL_OK;
}

haul_status launch_parse_argument(launch_list *list, const char *string, launch_argument *a) {
    *a = (launch_argument){0};
    char *copy = arena_copy(&list->memory, string, strlen(string)), *rest = copy;
    if (!copy) return no_memory();
    const char *kind = next_field(&rest, ':');
    if (!rest)
        return wrong(
            string,
            "is no argument: write i32:N, i64:N, f32:X, f64:X, buf:FILL:WORDS, buf:file=PATH or tex:FILL:SHAPE:FORMAT");
    if (strcmp(kind, "buf") == 0) return parse_buffer(string, rest, a);
    if (strcmp(kind, "tex") == 0 || strcmp(kind, "surf") == 0) return launch_parse_texture(list, rest, *kind == 's', a);
    if (strcmp(kind, "i32") == 0) {
        a->kind = HAUL_ARGUMENT_I32;
        return parse_integer(string, rest, INT32_MIN, UINT32_MAX, a);
    }
    if (strcmp(kind, "i64") == 0) {
        a->kind = HAUL_ARGUMENT_I64;
        return parse_integer(string, rest, INT64_MIN, INT64_MAX, a);
    }
    a->kind = strcmp(kind, "f64") == 0 ? HAUL_ARGUMENT_F64 : HAUL_ARGUMENT_F32;
    if (strcmp(kind, "f32") != 0 && strcmp(kind, "f64") != 0)
        return wrong(string, "the kind is none of i32, i64, f32, f64, buf, tex, surf");
    return parse_real(string, rest, a);
}
