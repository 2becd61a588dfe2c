/* Random sequences of operations as kernels: a loop over units of a few instructions. Each thread has registers and
 * memory of its own, which are written out at the end. A traced kernel also writes out the registers that a unit names,
 * before and after it. So a difference between two machines can be told from its consequences.
 *
 * %h0.. %r10.. %rd10.. %f0.. %fd0.. %p0.. are the units' registers; %r8, %r40.. and %rd16.. hold addresses. */
#ifndef HAUL_TESTS_SIM_COMPILED_STRETCH_H
#define HAUL_TESTS_SIM_COMPILED_STRETCH_H

#include "kernel.h"

#include "base/text.h"
#include "random.h"

#include <stdbool.h>

enum { THREADS = 96, BLOCKS = 2, IN_WORDS = 16384, THREAD_BYTES = 512, FOREIGN = THREADS * BLOCKS * THREAD_BYTES };
enum { REGISTERS = 6, PREDICATES = 3, ROUNDS = 5, MOST_UNITS = 48, MOST_NAMED = 24 };
enum { OUT_BYTES = FOREIGN + BLOCKS * 64 * THREADS + 4096, WARP = 32 };

typedef struct stretch {
    uint32_t seed, threads;
    unsigned apart_in; /* lanes whose number and round agree in these bits skip a round; 0: none */
    text unit[MOST_UNITS];
    unsigned count;
    uint64_t left_out; /* units, a bit each */
    bool traced;
    bool settled; /* doubles have one NaN, and the loop stays one: see put_one_nan() */
} stretch;

/* Distances between lanes of %r40.. in shared memory and of %rd20.. in global memory; each thread has 32 bytes to
 * spare. */
static const unsigned strides[] = {0, 1, 2, 4, 8, 16, 24, 32};
enum { STRIDES = sizeof strides / sizeof *strides };

static uint64_t in[IN_WORDS / 2];

static inline void free_stretch(stretch *s) {
    for (unsigned k = 0; k < s->count; k++) text_free(&s->unit[k]);
}

/* ---- the registers that a unit names ---- */

typedef struct named {
    char file; /* h r d f e p */
    unsigned number;
} named;

static inline void add_named(named *all, unsigned *count, char file, unsigned number) {
    for (unsigned k = 0; k < *count; k++)
        if (all[k].file == file && all[k].number == number) return;
    if (*count < MOST_NAMED) all[(*count)++] = (named){file, number};
}

static inline unsigned find_named(const char *unit, named *all) {
    unsigned count = 0, number;
    for (const char *c = strchr(unit, '%'); c; c = strchr(c + 1, '%')) {
        if (sscanf(c, "%%rd%u", &number) == 1 && number >= 10 && number < 10 + REGISTERS)
            add_named(all, &count, 'd', number);
        else if (sscanf(c, "%%r%u", &number) == 1 && number >= 10 && number < 10 + REGISTERS)
            add_named(all, &count, 'r', number);
        else if (sscanf(c, "%%fd%u", &number) == 1)
            add_named(all, &count, 'e', number);
        else if ((c[1] == 'h' || c[1] == 'f' || c[1] == 'p') && sscanf(c + 2, "%u", &number) == 1 && number < REGISTERS)
            add_named(all, &count, c[1], number);
    }
    return count;
}

static inline void put_trace(text *t, const named *all, unsigned count, unsigned at) {
    for (unsigned k = 0; k < count; k++, at += 8) {
        const unsigned n = all[k].number;
        switch (all[k].file) {
        case 'h': text_printf(t, "st.global.u16 [%%rd28+%u], %%h%u;\n", at, n); break;
        case 'r': text_printf(t, "st.global.u32 [%%rd28+%u], %%r%u;\n", at, n); break;
        case 'd': text_printf(t, "st.global.u64 [%%rd28+%u], %%rd%u;\n", at, n); break;
        case 'f': text_printf(t, "st.global.f32 [%%rd28+%u], %%f%u;\n", at, n); break;
        case 'e': text_printf(t, "st.global.f64 [%%rd28+%u], %%fd%u;\n", at, n); break;
        default: text_printf(t, "selp.u32 %%r60, 1, 0, %%p%u;\nst.global.u32 [%%rd28+%u], %%r60;\n", n, at); break;
        }
    }
}

/* Returns the bytes of a unit's trace in a round. */
static inline unsigned trace_of(const stretch *s, unsigned unit) {
    named all[MOST_NAMED];
    return s->left_out >> unit & 1 ? 0 : 16 * find_named(text_string(&s->unit[unit]), all);
}

static inline unsigned trace_before(const stretch *s, unsigned unit) {
    unsigned bytes = 0;
    for (unsigned k = 0; k < unit; k++) bytes += trace_of(s, k);
    return bytes;
}

static inline size_t out_bytes_of(const stretch *s) {
    if (!s->traced) return OUT_BYTES;
    return OUT_BYTES + (size_t)THREADS * BLOCKS * ROUNDS * trace_before(s, s->count);
}

/* ---- kernels ---- */

/* Loads registers from `in`, at a place of the round's and the thread's own. */
static inline void put_fresh(text *t, uint64_t *state, unsigned n) {
    static const char *const loads[] = {"u16 %h", "u32 %r1", "u64 %rd1", "f32 %f", "f64 %fd"};
    for (unsigned k = 0; k < sizeof loads / sizeof *loads; k++)
        text_printf(t, "ld.global.%s%u, [%%rd9+%u];\n", loads[k], n, 8 * draw_below(state, 64));
}

/* One function that is inlined, and one that calls itself up to seven times. */
static const char functions[] =
    ".func (.reg .b32 d) mix(.reg .b32 a, .reg .b32 b) {\n.reg .pred p;\n"
    "setp.lt.u32 p, a, b;\n@p mad.lo.u32 d, a, 31, b;\n@!p xor.b32 d, a, b;\nret;\n}\n"
    ".func (.param .b32 d) deep(.param .b32 a, .param .b32 n) {\n.reg .b32 %r<6>;\n.reg .pred p;\n"
    ".param .b32 arg0, arg1, back;\n"
    "ld.param.b32 %r0, [a];\nld.param.b32 %r4, [n];\nand.b32 %r1, %r4, 7;\nsetp.eq.u32 p, %r1, 0;\n"
    "st.param.b32 [d], %r0;\n@p ret;\nmad.lo.u32 %r2, %r0, 5, %r4;\nsub.u32 %r3, %r1, 1;\n"
    "st.param.b32 [arg0], %r2;\nst.param.b32 [arg1], %r3;\ncall (back), deep, (arg0, arg1);\n"
    "ld.param.b32 %r5, [back];\nadd.u32 %r5, %r5, %r0;\nst.param.b32 [d], %r5;\nret;\n}\n";

static inline void put_start(text *t, uint64_t *state) {
    text_printf(t, "%s.const .align 8 .b8 table[64] = {0xff, 0xff, 1, 0x80, 0, 0, 0xc0, 0x7f, 9, 8, 7, 6};\n", HEAD);
    text_put(t, functions);
    text_printf(t,
                "%s.param .b32 left, right, sum;\n.local .align 16 .b8 own[48];\n.shared .align 16 .b8 buffer[%u];\n",
                BEGIN, 64 * THREADS);
    text_printf(t, "mov.u32 %%r8, buffer;\nmov.u32 %%r3, 0;\nmul.wide.u32 %%rd9, %%r1, 144;\n");
    text_printf(t, "add.u64 %%rd9, %%rd9, %%rd1;\nmul.wide.u32 %%rd8, %%r1, %u;\n", THREAD_BYTES);
    text_printf(t, "add.u64 %%rd8, %%rd8, %%rd0;\nadd.u64 %%rd18, %%rd0, %u;\nmov.u64 %%rd19, table;\n", FOREIGN);
    text_printf(t, ".reg .b32 %%ctaid_;\nmov.u32 %%ctaid_, %%ctaid.x;\n");
    text_printf(t, "add.u64 %%rd17, %%rd18, %d;\n", BLOCKS * 64 * THREADS);
    text_put(t, "mad.lo.u32 %r7, %r0, 64, %r8;\nmov.u64 %rd16, 0;\n"); /* nothing in shared memory yet */
    for (unsigned k = 0; k < 8; k++) text_printf(t, "st.shared.u64 [%%r7+%u], %%rd16;\n", 8 * k);
    text_put(t, "bar.sync 0;\n");
    for (unsigned k = 0; k < STRIDES; k++) {
        text_printf(t, "mad.lo.u32 %%r%u, %%r0, %u, %%r8;\n", 40 + k, strides[k]);
        text_printf(t, "mul.wide.u32 %%rd%u, %%r0, %u;\nadd.u64 %%rd%u, %%rd%u, %%rd18;\n", 20 + k, strides[k], 20 + k,
                    20 + k);
        text_printf(t, "mad.wide.u32 %%rd%u, %%ctaid_, %u, %%rd%u;\n", 20 + k, 64 * THREADS, 20 + k);
    }
    for (unsigned k = 0; k < REGISTERS; k++) put_fresh(t, state, k);
    for (unsigned k = 0; k < REGISTERS; k++) text_printf(t, "st.local.u64 [own+%u], %%rd%u;\n", 8 * k, 10 + k);
    for (unsigned k = 0; k < PREDICATES; k++) text_printf(t, "setp.lt.u32 %%p%u, %%r%u, %%r0;\n", k, 10 + k);
}

static inline void put_end(text *t) {
    unsigned at = 0;
    for (unsigned k = 0; k < REGISTERS; k++) {
        text_printf(t, "st.global.u64 [%%rd8+%u], %%rd%u;\nst.global.f64 [%%rd8+%u], %%fd%u;\n", at, 10 + k, at + 8, k);
        text_printf(t, "st.global.u32 [%%rd8+%u], %%r%u;\nst.global.f32 [%%rd8+%u], %%f%u;\n", at + 16, 10 + k, at + 20,
                    k);
        text_printf(t, "st.global.u16 [%%rd8+%u], %%h%u;\n", at + 24, k);
        at += 32;
    }
    for (unsigned k = 0; k < PREDICATES; k++)
        text_printf(t, "selp.u32 %%r7, 1, 0, %%p%u;\nst.global.u32 [%%rd8+%u], %%r7;\n", k, at + 4 * k);
    /* shared memory, as the threads find it */
    text_printf(t, "bar.sync 0;\nmad.lo.u32 %%r7, %%r0, 64, %%r8;\n");
    for (unsigned k = 0; k < 8; k++)
        text_printf(t, "ld.shared.u64 %%rd9, [%%r7+%u];\nst.global.u64 [%%rd8+%u], %%rd9;\n", 8 * k, 256 + 8 * k);
    text_printf(t, "ret;\n}\n");
}

/* PTX leaves open which of two NaNs a sum or product of doubles gives, and ptxas reorders operands. So doubles have
 * only one NaN here. */
static inline void put_one_nan(text *t, const named *all, unsigned count) {
    for (unsigned k = 0; k < count; k++)
        if (all[k].file == 'e')
            text_printf(t, "setp.nan.f64 %%p8, %%fd%u, %%fd%u;\n@%%p8 mov.f64 %%fd%u, 0d7FF8000000000000;\n",
                        all[k].number, all[k].number, all[k].number);
}

static inline void put_units(text *t, const stretch *s) {
    named all[MOST_NAMED];
    unsigned at = 0;
    for (unsigned k = 0; k < s->count; k++) {
        if (s->left_out >> k & 1) continue;
        const char *unit = text_string(&s->unit[k]);
        const unsigned count = find_named(unit, all);
        if (s->traced) put_trace(t, all, count, at);
        text_put(t, unit);
        if (s->settled) put_one_nan(t, all, count);
        if (s->traced) put_trace(t, all, count, at + 8 * count);
        at += 16 * count;
    }
}

/* Writes a loop over the units; with `apart_in`, some lanes skip it in some rounds. state: the state after `in`. */
static inline void put_stretch(text *t, const stretch *s, uint64_t state) {
    const unsigned trace = trace_before(s, s->count);
    put_start(t, &state);
    if (s->traced)
        text_printf(t, "add.u64 %%rd28, %%rd0, %u;\nmad.wide.u32 %%rd28, %%r1, %u, %%rd28;\n", OUT_BYTES,
                    ROUNDS * trace);
    if (s->settled)
        for (unsigned k = 0; k < REGISTERS; k++) put_one_nan(t, &(named){'e', k}, 1);
    text_printf(t, "$loop:\n%s", s->settled ? ".pragma \"nounroll\";\n" : "");
    if (s->apart_in)
        text_printf(t,
                    "xor.b32 %%r6, %%r0, %%r3;\nand.b32 %%r6, %%r6, %u;\nsetp.eq.u32 %%p9, %%r6, 0;\n@%%p9 bra "
                    "$over;\n",
                    s->apart_in);
    put_units(t, s);
    text_printf(t, "$over:\nadd.u64 %%rd9, %%rd9, 1184;\nadd.u32 %%r3, %%r3, 1;\n");
    if (s->traced) text_printf(t, "add.u64 %%rd28, %%rd28, %u;\n", trace);
    text_printf(t, "setp.lt.u32 %%p9, %%r3, %d;\n@%%p9 bra $loop;\n", ROUNDS);
    put_end(t);
}

/* ---- differences ---- */

/* A sequence's traced results on two machines. */
typedef struct two {
    const stretch *s;
    const unsigned char *got, *want;
} two;

static inline size_t trace_at(const two *t, unsigned thread, unsigned round, unsigned unit) {
    const size_t bytes = trace_before(t->s, t->s->count);
    return OUT_BYTES + (thread * (size_t)ROUNDS + round) * bytes + trace_before(t->s, unit);
}

static inline bool is_same_at(const two *t, size_t at, size_t bytes) {
    return memcmp(t->got + at, t->want + at, bytes) == 0;
}

/* Returns the first thread whose registers were the same before the unit in all lanes of its warp, and differ after
 * it. */
static inline int first_that_differs(const two *t, unsigned round, unsigned unit, const bool *differed) {
    const unsigned half = trace_of(t->s, unit) / 2;
    const char *unit_text = text_string(&t->s->unit[unit]);
    const bool across = strstr(unit_text, ".sync"), memory = strchr(unit_text, '[');
    for (unsigned thread = 0; half && thread < t->s->threads * BLOCKS; thread++) {
        const size_t at = trace_at(t, thread, round, unit);
        const unsigned block = thread / t->s->threads, lane = thread % t->s->threads % WARP, warp = thread - lane;
        bool before = true;
        if (is_same_at(t, at + half, half)) continue;
        for (unsigned k = warp; k < warp + WARP && k < (block + 1) * t->s->threads; k++) {
            if (k != thread && !across) continue;
            before = before && is_same_at(t, trace_at(t, k, round, unit), half) && !(memory && differed[k]);
        }
        if (before) return (int)thread;
    }
    return -1;
}

static inline void note_differences(const two *t, unsigned round, unsigned unit, bool *differed) {
    const unsigned bytes = trace_of(t->s, unit);
    for (unsigned thread = 0; thread < t->s->threads * BLOCKS; thread++)
        if (!is_same_at(t, trace_at(t, thread, round, unit), bytes)) differed[thread] = true;
}

static inline void tell_registers(const two *t, const char *what, const unsigned char *side, size_t at, unsigned unit) {
    named all[MOST_NAMED];
    const unsigned count = find_named(text_string(&t->s->unit[unit]), all);
    fprintf(stderr, "    %s:", what);
    for (unsigned k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, side + at + 8 * k, sizeof bits);
        fprintf(stderr, " %c%u=%llx", all[k].file, all[k].number, (unsigned long long)bits);
    }
    fputc('\n', stderr);
}

static inline void tell_unit(const two *t, unsigned thread, unsigned round, unsigned unit) {
    const size_t at = trace_at(t, thread, round, unit);
    const unsigned half = trace_of(t->s, unit) / 2;
    const bool across = strstr(text_string(&t->s->unit[unit]), ".sync");
    fprintf(stderr, "seed %u, thread %u, round %u, by itself: %s", t->s->seed, thread, round,
            text_string(&t->s->unit[unit]));
    const unsigned lane = thread % t->s->threads % WARP;
    for (unsigned k = 0; across && k < WARP && lane + k < WARP; k++)
        tell_registers(t, "lane", t->want, trace_at(t, thread - lane + k, round, unit), unit);
    tell_registers(t, "before", t->want, at, unit);
    tell_registers(t, "got   ", t->got, at + half, unit);
    tell_registers(t, "not   ", t->want, at + half, unit);
}

/* Prints every unit that makes different results from the same input; returns their number. */
static inline unsigned tell_units(const two *t) {
    bool differed[THREADS * BLOCKS] = {false};
    unsigned told = 0;
    uint64_t seen = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned unit = 0; unit < t->s->count; unit++) {
            const int thread = first_that_differs(t, round, unit, differed);
            if (thread >= 0 && !(seen >> unit & 1)) {
                tell_unit(t, (unsigned)thread, round, unit);
                seen |= UINT64_C(1) << unit;
                told++;
            }
            note_differences(t, round, unit, differed);
        }
    }
    return told;
}

#endif
