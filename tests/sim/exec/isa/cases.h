/* Reads the instruction tests of this folder and generates their kernels. README.md describes the format. */
#ifndef HAUL_TESTS_SIM_ISA_CASES_H
#define HAUL_TESTS_SIM_ISA_CASES_H

#include "base/text.h"
#include "ptx/ir.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REGISTERS = 24, MAX_VALUES = 64, MAX_FILES = 64, MAX_THREADS = 1024, SLOT_BYTES = 8 };

typedef struct value {
    uint64_t bits;
    bool any_nan;
} value;

typedef struct register_case {
    char name[32];
    unsigned type;
    value before[MAX_VALUES], after[MAX_VALUES];
    unsigned before_count, after_count;
    bool approximate;
} register_case;

typedef struct isa_case {
    const char *file;
    unsigned line; /* of its first PTX line */
    text module, ptx;
    register_case registers[MAX_REGISTERS];
    unsigned register_count, threads;
    uint32_t lanes;
    double relative, absolute;
    char target[16]; /* sm_90a */
    char version[8]; /* of PTX: 9.0 */
    char fails[128];
    bool must_fail, only_virtual;
} isa_case;

typedef void case_visitor(const isa_case *c, void *context);

/* ---- values ---- */

static unsigned type_named(const char *name) {
    for (unsigned type = 1; type < PTX_TYPE_COUNT; type++) {
        if (strcmp(ptx_types[type].name, name) == 0) return type;
    }
    return PTX_TYPE_NONE;
}

static double small_float(unsigned type, uint64_t bits) {
    const int mantissa = type == PTX_F16 ? 10 : 7, bias = type == PTX_F16 ? 15 : 127;
    const int exponent = (int)(bits >> mantissa) & (type == PTX_F16 ? 31 : 255);
    const double fraction = (double)(bits & ((1u << mantissa) - 1)) / (1 << mantissa);
    const double sign = bits >> 15 & 1 ? -1 : 1;
    if (exponent == 2 * bias + 1) return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1 + fraction, exponent - bias) : ldexp(fraction, 1 - bias));
}

static inline double as_double(unsigned type, uint64_t bits) {
    double wide;
    float single;
    const uint32_t low = (uint32_t)bits;
    if (type == PTX_F16 || type == PTX_BF16) return small_float(type, bits);
    if (type == PTX_F32) {
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}

/* Finds 16-bit floats by trying them all: slow, but needs no second encoder. */
static bool float_bits(unsigned type, const char *token, uint64_t *bits) {
    char *end;
    const double wide = strtod(token, &end);
    const float single = strtof(token, NULL);
    uint32_t low;
    *bits = 0;
    if (*end) return false;
    if (type == PTX_F64) {
        memcpy(bits, &wide, sizeof wide);
    } else if (type == PTX_F32) {
        memcpy(&low, &single, sizeof single);
        *bits = low;
    } else {
        while (*bits < 0x10000 && !(small_float(type, *bits) == wide && (*bits >> 15 != 0) == (signbit(wide) != 0)))
            ++*bits;
    }
    return *bits < 0x10000 || ptx_bits(type) > 16;
}

static bool is_float(unsigned type) {
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}

static uint64_t mask_of(unsigned type) {
    return ptx_bits(type) >= 64 ? UINT64_MAX : (UINT64_C(1) << ptx_bits(type)) - 1;
}

static uint64_t nan_bits(unsigned type) {
    switch (type) {
    case PTX_F16: return 0x7e00;
    case PTX_BF16: return 0x7fc0;
    case PTX_F32: return 0x7fc00000;
    default: return UINT64_C(0x7ff8000000000000);
    }
}

static bool parse_value(unsigned type, const char *token, value *v) {
    char *end;
    *v = (value){0};
    if (*token == '#') {
        v->bits = strtoull(token + 1, &end, 16);
        return token[1] && !*end;
    }
    if (is_float(type)) {
        v->any_nan = strcmp(token, "nan") == 0;
        v->bits = nan_bits(type);
        return v->any_nan || float_bits(type, token, &v->bits);
    }
    v->bits = (*token == '-' ? (uint64_t)strtoll(token, &end, 0) : strtoull(token, &end, 0)) & mask_of(type);
    return end != token && !*end;
}

/* One token, which may stand for several values: 0..31 or 7*4. */
static bool parse_token(unsigned type, char *token, value *values, unsigned *count) {
    char *range = strstr(token, ".."), *times = strchr(token, '*');
    unsigned repeat = 1;
    if (range) {
        const long first = strtol(token, NULL, 0), last = strtol(range + 2, NULL, 0);
        for (long n = first; n <= last && *count < MAX_VALUES; n++) values[(*count)++] = (value){.bits = (uint64_t)n};
        return true;
    }
    if (times) {
        *times = 0;
        repeat = (unsigned)strtoul(times + 1, NULL, 10);
    }
    value v;
    if (!parse_value(type, token, &v)) return false;
    while (repeat-- && *count < MAX_VALUES) values[(*count)++] = v;
    return true;
}

/* ---- lines ---- */

static void bad_line(const isa_case *c, unsigned number, const char *line) {
    fprintf(stderr, "%s:%u: cannot be read: %s\n", c->file, number, line);
    exit(2);
}

static register_case *find_register(isa_case *c, const char *name, unsigned type) {
    for (unsigned n = 0; n < c->register_count; n++) {
        if (strcmp(c->registers[n].name, name) == 0) return &c->registers[n];
    }
    register_case *r = &c->registers[c->register_count++];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->type = type;
    return r;
}

/* Reads NAME TYPE < VALUES and the like; returns false if the line is something else. */
static bool register_line(isa_case *c, unsigned number, const char *line) {
    char name[32], type_name[16], mark[2];
    int used = 0;
    if (sscanf(line, " %31s %15s %1[<>~] %n", name, type_name, mark, &used) < 3 || !used) return false;
    const unsigned type = type_named(type_name);
    if (!type) return false;
    register_case *r = find_register(c, name, type);
    const bool before = *mark == '<';
    r->approximate |= *mark == '~';
    char *values = strdup(line + used), *rest = values;
    for (char *token = strtok_r(values, " \t\n", &rest); token; token = strtok_r(NULL, " \t\n", &rest)) {
        const bool read = before ? parse_token(type, token, r->before, &r->before_count)
                                 : parse_token(type, token, r->after, &r->after_count);
        if (!read) bad_line(c, number, line);
    }
    free(values);
    return true;
}

static bool directive_line(isa_case *c, const char *line) {
    char word[16];
    int used = 0;
    if (sscanf(line, " %15s %n", word, &used) < 1) return false;
    const char *rest = line + used;
    if (strcmp(word, "lanes") == 0) return c->lanes = (uint32_t)strtoul(rest, NULL, 0), true;
    if (strcmp(word, "threads") == 0) return c->threads = (unsigned)strtoul(rest, NULL, 0), true;
    if (strcmp(word, "within") == 0) return c->relative = strtod(rest, NULL), true;
    if (strcmp(word, "error") == 0) return c->absolute = strtod(rest, NULL), true;
    if (strcmp(word, "version") == 0) return sscanf(rest, "%7s", c->version) == 1;
    if (strcmp(word, "target") == 0) return sscanf(rest, "%15s", c->target) == 1;
    if (strcmp(word, "module") == 0) return text_put(&c->module, rest), true;
    if (strcmp(word, "virtual") == 0) return c->only_virtual = true, true;
    if (strcmp(word, "fails") != 0) return false;
    c->must_fail = true;
    snprintf(c->fails, sizeof c->fails, "%.*s", (int)strcspn(rest, "\n"), rest);
    return true;
}

static void start_case(isa_case *c, const char *file) {
    *c = (isa_case){.file = file, .threads = 32, .lanes = UINT32_MAX, .target = "sm_90a", .version = "9.0"};
}

static void end_case(isa_case *c, case_visitor *visit, void *context) {
    if (c->ptx.length) visit(c, context);
    text_free(&c->ptx);
    text_free(&c->module);
}

static void read_line(isa_case *c, unsigned number, const char *line) {
    if (line[strspn(line, " \t")] == '#') return;
    if (register_line(c, number, line) || directive_line(c, line)) return;
    if (!c->ptx.length) c->line = number;
    text_put(&c->ptx, line);
}

/* Calls `visit` for each test of a file. */
static void read_cases(const char *path, case_visitor *visit, void *context) {
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    isa_case *c = malloc(sizeof *c);
    if (!in || !c) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    start_case(c, path);
    for (unsigned number = 1; getline(&line, &capacity, in) >= 0; number++) {
        if (line[strspn(line, " \t\n")]) {
            read_line(c, number, line);
            continue;
        }
        end_case(c, visit, context);
        start_case(c, path);
    }
    end_case(c, visit, context);
    free(line);
    free(c);
    fclose(in);
}

static int is_case_file(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".isa") == 0;
}

/* Lists the paths of all test files, in order. */
static unsigned list_files(char *paths[MAX_FILES]) {
    const char *folder = TEST_DATA "/../sim/exec/isa";
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_case_file, alphasort);
    for (int n = 0; n < count; n++) {
        if (asprintf(&paths[n], "%s/%s", folder, entries[n]->d_name) < 0) exit(2);
        free(entries[n]);
    }
    free(entries);
    return count < 0 ? 0 : (unsigned)count;
}

/* ---- kernels ---- */

static const char *declared(unsigned type) {
    return type == PTX_PRED ? "pred" : ptx_bits(type) <= 16 ? "b16" : ptx_bits(type) == 32 ? "b32" : "b64";
}

static void put_load(text *t, const register_case *r, unsigned place) {
    if (r->type == PTX_PRED) {
        text_printf(t, "ld.global.u32 isa_word, [isa_in + %u]; setp.ne.u32 %s, isa_word, 0;\n", place, r->name);
    } else {
        text_printf(t, "ld.global.%s %s, [isa_in + %u];\n", declared(r->type), r->name, place);
    }
}

static void put_store(text *t, const register_case *r, unsigned place) {
    if (r->type == PTX_PRED) {
        text_printf(t, "selp.u32 isa_word, 1, 0, %s; st.global.u32 [isa_out + %u], isa_word;\n", r->name, place);
    } else {
        text_printf(t, "st.global.%s [isa_out + %u], %s;\n", declared(r->type), place, r->name);
    }
}

/* Writes the kernel `test(in, out, scratch)`. Register n of thread t is at (n * threads + t) * SLOT_BYTES. Returns the
 * number of the test's own first line, and that after its last. */
static void put_kernel(text *t, const isa_case *c, unsigned *first, unsigned *end) {
    text_printf(t, ".version %s\n.target %s\n.address_size 64\n%s\n", c->version, c->target, text_string(&c->module));
    text_put(t, ".visible .entry test(.param .u64 isa_p0, .param .u64 isa_p1, .param .u64 isa_p2)\n{\n"
                ".reg .b64 isa_in, isa_out, scratch, isa_offset;\n.reg .b32 lane, isa_word;\n.reg .pred isa_off;\n"
                ".shared .align 128 .b8 shared[4096];\n");
    for (unsigned n = 0; n < c->register_count; n++)
        text_printf(t, ".reg .%s %s;\n", declared(c->registers[n].type), c->registers[n].name);
    text_put(t, "mov.u32 lane, %tid.x;\nmul.wide.u32 isa_offset, lane, 8;\n"
                "ld.param.u64 isa_in, [isa_p0];\nld.param.u64 isa_out, [isa_p1];\nld.param.u64 scratch, [isa_p2];\n"
                "add.u64 isa_in, isa_in, isa_offset;\nadd.u64 isa_out, isa_out, isa_offset;\n");
    for (unsigned n = 0; n < c->register_count; n++) put_load(t, &c->registers[n], n * c->threads * SLOT_BYTES);
    if (c->lanes != UINT32_MAX) {
        text_printf(t,
                    "and.b32 isa_word, lane, 31;\nshr.u32 isa_word, 0x%x, isa_word;\nand.b32 isa_word, isa_word, 1;\n"
                    "setp.eq.u32 isa_off, isa_word, 0;\n@isa_off bra isa_end;\n",
                    c->lanes);
    }
    const char *at = text_string(t);
    for (*first = 1; (at = strchr(at, '\n')); at++) ++*first;
    text_put(t, text_string(&c->ptx));
    *end = *first;
    for (at = text_string(&c->ptx); (at = strchr(at, '\n')); at++) ++*end;
    text_put(t, "isa_end:\n");
    for (unsigned n = 0; n < c->register_count; n++) put_store(t, &c->registers[n], n * c->threads * SLOT_BYTES);
    text_put(t, "ret;\n}\n");
}

#endif
