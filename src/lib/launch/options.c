/* Launches on the command line: extents, windows and arguments.
 *
 * An argument is fields separated by colons. It is copied into the list's arena and cut there, so names of files can
 * point into the copy. Suffixes (`,out=`, `,below=`) are cut off before the fields. Messages repeat the argument as it
 * was given. */
#include "base/number.h"
#include "base/status.h"
#include "lib/launch/launches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Accepts the notations of command lines and of launch files. */
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
                         "%s: `%s` is not an extent: write up to three numbers from 1 to 4294967295, as 256 or 16x16",
                         what, string);
    }
    return HAUL_OK;
}

/* Whether the argument is a buffer is checked by the caller, who knows the arguments. */
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

/* `string` is the argument as given. */
static haul_status wrong(const char *string, const char *must) {
    return haul_fail(HAUL_ERROR_ARGUMENT, "--arg %s: %s", string, must);
}

/* Turns the message of a function that does not know the argument into one about it. */
static haul_status wrong_as_said(const char *string, haul_status status) {
    return status == HAUL_OK ? HAUL_OK : haul_fail_in(status, "--arg %s", string);
}

/* Cuts off the field up to `end` and moves past it; NULL if there is none left. */
static char *next_field(char **rest, char end) {
    char *field = *rest;
    if (!field) return NULL;
    *rest = strchr(field, end);
    if (*rest) *(*rest)++ = '\0';
    return field;
}

/* Reads WORDS[:SEED[:OFFSET]]. Words may have a binary suffix, as sizes do. */
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

/* Cuts ",NAME=VALUE" off the end of the text; NULL if it is not there. */
static const char *cut_suffix(char *string, const char *name) {
    char *at = strstr(string, name);
    if (!at) return NULL;
    *at = '\0';
    return at + strlen(name);
}

/* `below` is NULL if it was not given. */
static haul_status parse_bound(const char *string, const char *below, launch_argument *a) {
    if (!below || (number_size(below, &a->below) && a->below && a->below <= LAUNCH_MOST_INDICES)) return HAUL_OK;
    return wrong(string, "below= needs a number from 1 to 4G");
}

/* Cuts off and reads a distribution, as ",uniform=0:1"; the type is before it. */
static haul_status parse_spread(const char *string, char *fields, launch_argument *a) {
    char type[8], option[16];
    snprintf(type, sizeof type, "%.*s", (int)strcspn(fields, ":"), fields);
    for (unsigned k = LAUNCH_SPREAD_PLAIN + 1; launch_spread_name(k); k++) {
        snprintf(option, sizeof option, ",%s=", launch_spread_name(k));
        const char *numbers = cut_suffix(fields, option);
        if (!numbers) continue;
        a->elements.scalar = launch_scalar_find(type);
        if (!a->elements.scalar) return wrong(string, "a distribution needs a type: " LAUNCH_SCALAR_LIST);
        return wrong_as_said(string, launch_parse_spread(launch_spread_name(k), numbers, &a->elements));
    }
    return HAUL_OK;
}

/* Refuses a `perm` that is none: a step that shares a factor with the number of words would skip some numbers and
 * repeat others. Euclid's algorithm finds the factor. */
static haul_status check_step(const char *string, const launch_argument *a) {
    uint64_t n = a->words, step = a->seed;
    while (step) {
        const uint64_t rest = n % step;
        n = step;
        step = rest;
    }
    if (a->fill != LAUNCH_FILL_PERM || n <= 1) return HAUL_OK;
    return wrong(string,
                 "i * SEED mod WORDS is not a permutation where both have a factor in common; use shuffle for a "
                 "random one, or index for random numbers that repeat");
}

/* Elements have a count and a seed where rules have words and a seed. */
static haul_status parse_elements(const char *string, char *fields, launch_argument *a) {
    HAUL_TRY(parse_numbers(string, fields, a));
    if (a->below) return wrong(string, "only `index` has a bound; write uniform=0:N");
    a->fill = LAUNCH_FILL_ELEMENTS;
    a->elements.count = a->words;
    return wrong_as_said(string, launch_settle_elements(a));
}

/* Reads FILL:WORDS[:SEED[:OFFSET]]. */
static haul_status parse_rule(const char *string, char *fields, launch_argument *a) {
    char *rest = fields;
    const char *name = next_field(&rest, ':');
    a->fill = launch_fill_find(name);
    a->elements.scalar = launch_scalar_find(name);
    const bool has_spread = a->elements.spread != LAUNCH_SPREAD_PLAIN;
    if (a->elements.scalar && (has_spread || a->fill == LAUNCH_FILL_COUNT)) return parse_elements(string, rest, a);
    if (a->fill == LAUNCH_FILL_COUNT || a->fill == LAUNCH_FILL_FILE || a->fill == LAUNCH_FILL_ELEMENTS)
        return wrong(string, "no such fill rule; use " LAUNCH_RULE_LIST ", file=PATH, or a type: " LAUNCH_SCALAR_LIST);
    const bool seed_given = rest && strchr(rest, ':');
    HAUL_TRY(parse_numbers(string, rest, a));
    HAUL_TRY(wrong_as_said(string, launch_settle_fill(a, seed_given)));
    return check_step(string, a);
}

/* A file gives the number of words itself, so there are no further fields. */
static haul_status parse_buffer(const char *string, char *fields, launch_argument *a) {
    a->kind = HAUL_ARGUMENT_BUFFER;
    a->output = cut_suffix(fields, ",out=");
    if (a->output && !*a->output) return wrong(string, "out= needs a file");
    if (strncmp(fields, "file=", 5) == 0) {
        a->fill = LAUNCH_FILL_FILE;
        a->input = fields + 5;
        return *a->input ? HAUL_OK : wrong(string, "file= needs a file");
    }
    HAUL_TRY(parse_bound(string, cut_suffix(fields, ",below="), a));
    HAUL_TRY(parse_spread(string, fields, a));
    return parse_rule(string, fields, a);
}

haul_status launch_parse_variable(launch_list *list, const char *string, launch_argument *a) {
    char *name = arena_copy(&list->memory, string, strlen(string)), *value = name ? strchr(name, '=') : NULL;
    if (!name) return haul_no_memory("the arguments");
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
    if (!copy) return haul_no_memory("the arguments");
    const char *kind = next_field(&rest, ':');
    if (!rest)
        return wrong(string, "is not an argument: write KIND:NUMBER with a kind of " LAUNCH_SCALAR_LIST
                             "; or buf:FILL:WORDS, buf:file=PATH, tex:FILL:SHAPE:FORMAT, bytes:HEX, struct:{FIELDS}");
    if (strcmp(kind, "buf") == 0) return parse_buffer(string, rest, a);
    if (strcmp(kind, "tex") == 0 || strcmp(kind, "surf") == 0) return launch_parse_texture(list, rest, *kind == 's', a);
    if (strcmp(kind, "bytes") == 0) return wrong_as_said(string, launch_parse_bytes(list, rest, a));
    if (strcmp(kind, "struct") == 0) return wrong_as_said(string, launch_parse_structure(list, rest, a));
    if (launch_is_vector(kind)) return wrong_as_said(string, launch_parse_vector(list, kind, rest, a));
    const launch_scalar *scalar = launch_scalar_find(kind);
    if (!scalar)
        return wrong(string, "the kind is none of buf, tex, surf, bytes, struct, " LAUNCH_SCALAR_LIST
                             ", or a vector or array of these, as f32x4 and i32[3]");
    return wrong_as_said(string, launch_scalar_parse(scalar, rest, a));
}
