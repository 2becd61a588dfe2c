/* Random structured kernels: nested branches, loops with break and continue, switches, early returns, guarded
 * instructions, and shuffles among whatever lanes are active. The virtual GPU's results are compared with an
 * interpretation of the same statements that keeps a mask of lanes and knows nothing of paths and joins.
 *
 * From time to time the kernel also runs with all blocks compiled after one execution: values and counters must stay
 * the same.
 *
 * HAUL_STRESS=N runs N kernels instead of the usual ones; HAUL_STRESS_FROM=S starts with seed S (and prints the kernel
 * if N is 1). With HAUL_TEST_DEVICE=gpu:0 they run on a real GPU instead, which must compute the same. */
#include "kernel.h"

#include "base/text.h"
#include "random.h"

#include <stdbool.h>

enum { WORDS = 5, LONGS = 2, MAX_DEPTH = 4, MAX_STATEMENTS = 400, LANES = 32, MAX_SHUFFLES = 4096, THREADS = 72 };

typedef enum kind { BLOCK, ASSIGN, LONG, IF, LOOP, SWITCH, BREAK, CONTINUE, RETURN, SHUFFLE, MEET } kind;

typedef enum operation { ADD, SUB, MUL, XOR, AND, OR, MIN, MAX, OPERATIONS } operation;
static const char *const operation_names[OPERATIONS] = {"add.u32", "sub.u32", "mul.lo.u32", "xor.b32",
                                                        "and.b32", "or.b32",  "min.u32",    "max.u32"};

typedef enum relation { LT, LE, EQ, NE, GT, GE, RELATIONS } relation;
static const char *const relation_names[RELATIONS] = {"lt", "le", "eq", "ne", "gt", "ge"};

/* word[a] & bits compares with `value` */
typedef struct condition {
    relation relation;
    unsigned a;
    uint32_t bits, value;
} condition;

typedef struct statement statement;
struct statement {
    kind kind;
    operation operation;
    unsigned d, a, b;
    uint32_t value;
    bool has_value, guarded, negated; /* ASSIGN */
    bool falls;                       /* SWITCH: from one case into the next, where lanes do not reconverge */
    condition condition;
    unsigned depth;                   /* LOOP: its counter */
    statement *first, *second, *next; /* body, else or further cases; the following statement */
};

/* ---- generation ---- */

typedef struct maker {
    uint64_t state;
    statement statements[MAX_STATEMENTS];
    unsigned count, loops;
    bool leaves; /* break, continue and return may occur in it; then lanes may not reconverge everywhere they could */
} maker;

static uint32_t draw(maker *m, uint32_t below) {
    return draw_below(&m->state, below);
}

static condition draw_condition(maker *m) {
    static const uint32_t masks[] = {1, 2, 3, 4, 7, 15, 16, 31, 0xffffffff};
    const uint32_t bits = masks[draw(m, 9)];
    return (condition){(relation)draw(m, RELATIONS), draw(m, WORDS), bits, bits + 1 ? draw(m, bits + 1) : draw(m, 99)};
}

static statement *make_block(maker *m, unsigned depth);

static kind draw_kind(maker *m, unsigned depth) {
    const uint32_t pick = draw(m, 100);
    const bool nests = depth < MAX_DEPTH && m->count < MAX_STATEMENTS / 2;
    if (nests && pick < 22) return IF;
    if (nests && pick < 32 && m->loops < 3) return LOOP;
    if (nests && pick < 38) return SWITCH;
    if (pick < 46) return SHUFFLE;
    if (pick < 50) return LONG;
    if (!m->leaves) return pick < 60 ? MEET : ASSIGN;
    if (m->loops && pick < 55) return BREAK;
    if (m->loops && pick < 58) return CONTINUE;
    return pick < 60 && depth > 1 ? RETURN : ASSIGN;
}

static statement *make_statement(maker *m, unsigned depth) {
    statement *s = &m->statements[m->count++];
    *s = (statement){.kind = draw_kind(m, depth),
                     .operation = (operation)draw(m, OPERATIONS),
                     .d = draw(m, WORDS),
                     .a = draw(m, WORDS),
                     .b = draw(m, WORDS),
                     .value = draw(m, 1000),
                     .has_value = draw(m, 2),
                     .guarded = draw(m, 4) == 0,
                     .negated = draw(m, 2),
                     .condition = draw_condition(m)};
    switch (s->kind) {
    case IF:
        s->first = make_block(m, depth + 1);
        if (draw(m, 2)) s->second = make_block(m, depth + 1);
        break;
    case LOOP:
        s->depth = m->loops++;
        s->first = make_block(m, depth + 1);
        m->loops--;
        break;
    case SWITCH:
        s->falls = m->leaves && draw(m, 2);
        s->first = make_block(m, depth + 1);
        s->second = make_block(m, depth + 1);
        break;
    default: break;
    }
    return s;
}

static statement *make_block(maker *m, unsigned depth) {
    statement *block = &m->statements[m->count++];
    *block = (statement){.kind = BLOCK};
    statement **link = &block->first;
    for (unsigned n = 1 + draw(m, 5); n && m->count < MAX_STATEMENTS - 40; n--) {
        *link = make_statement(m, depth);
        link = &(*link)->next;
    }
    return block;
}

/* ---- its PTX: words are %r10.., longs %rd10.., counters %r20.., limits %r24.., shuffles so far %r9 ---- */

typedef struct writer {
    text ptx;
    unsigned labels;
} writer;

static void write_block(writer *w, const statement *block, unsigned break_to, unsigned continue_to);

/* Sets %p`p`. */
static void write_condition(writer *w, const condition *c, unsigned p) {
    text_printf(&w->ptx, "and.b32 %%r8, %%r%u, %u;\n", 10 + c->a, c->bits);
    text_printf(&w->ptx, "setp.%s.u32 %%p%u, %%r8, %u;\n", relation_names[c->relation], p, c->value);
}

static void write_assignment(writer *w, const statement *s) {
    if (s->guarded) {
        write_condition(w, &s->condition, 1);
        text_printf(&w->ptx, "@%s%%p1 ", s->negated ? "!" : "");
    }
    text_printf(&w->ptx, "%s %%r%u, %%r%u, ", operation_names[s->operation], 10 + s->d, 10 + s->a);
    if (s->has_value)
        text_printf(&w->ptx, "%u;\n", s->value);
    else
        text_printf(&w->ptx, "%%r%u;\n", 10 + s->b);
}

/* long = long * 2654435761 + word; word ^= upper half */
static void write_long(writer *w, const statement *s) {
    const unsigned l = 10 + s->value % LONGS;
    text_printf(&w->ptx, "cvt.u64.u32 %%rd9, %%r%u;\n", 10 + s->a);
    text_printf(&w->ptx, "mad.lo.u64 %%rd%u, %%rd%u, 2654435761, %%rd9;\n", l, l);
    text_printf(&w->ptx, "shr.u64 %%rd9, %%rd%u, 32;\ncvt.u32.u64 %%r8, %%rd9;\n", l);
    text_printf(&w->ptx, "xor.b32 %%r%u, %%r%u, %%r8;\n", 10 + s->d, 10 + s->d);
}

static void write_if(writer *w, const statement *s, unsigned break_to, unsigned continue_to) {
    const unsigned label = w->labels;
    w->labels += 2;
    write_condition(w, &s->condition, 0);
    text_printf(&w->ptx, "@!%%p0 bra L%u;\n", label);
    write_block(w, s->first, break_to, continue_to);
    if (s->second) text_printf(&w->ptx, "bra.uni L%u;\n", label + 1);
    text_printf(&w->ptx, "L%u:\n", label);
    if (!s->second) return;
    write_block(w, s->second, break_to, continue_to);
    text_printf(&w->ptx, "L%u:\n", label + 1);
}

static void write_loop(writer *w, const statement *s) {
    const unsigned label = w->labels, counter = 20 + s->depth, limit = 24 + s->depth;
    w->labels += 3;
    text_printf(&w->ptx, "and.b32 %%r%u, %%r%u, 3;\nmov.u32 %%r%u, 0;\n", limit, 10 + s->a, counter);
    text_printf(&w->ptx, "L%u: setp.ge.u32 %%p0, %%r%u, %%r%u;\n@%%p0 bra L%u;\n", label, counter, limit, label + 2);
    write_block(w, s->first, label + 2, label + 1);
    text_printf(&w->ptx, "L%u: add.u32 %%r%u, %%r%u, 1;\nbra L%u;\n", label + 1, counter, counter, label);
    text_printf(&w->ptx, "L%u:\n", label + 2);
}

/* Cases 0 and 2 run the first block, case 1 the second. Case 2 may fall through into it; case 3 runs none. */
static void write_switch(writer *w, const statement *s, unsigned break_to, unsigned continue_to) {
    const unsigned label = w->labels;
    w->labels += 4;
    text_printf(&w->ptx, "and.b32 %%r8, %%r%u, 3;\n", 10 + s->a);
    text_printf(&w->ptx, "T%u: .branchtargets L%u, L%u, L%u, L%u;\nbrx.idx %%r8, T%u;\n", label, label, label + 1,
                label + 2, label + 3, label);
    text_printf(&w->ptx, "L%u:\n", label);
    write_block(w, s->first, break_to, continue_to);
    text_printf(&w->ptx, "bra L%u;\nL%u:\n", label + 3, label + 2);
    write_block(w, s->first, break_to, continue_to);
    if (!s->falls) text_printf(&w->ptx, "bra L%u;\n", label + 3);
    text_printf(&w->ptx, "L%u:\n", label + 1);
    write_block(w, s->second, break_to, continue_to);
    text_printf(&w->ptx, "L%u:\n", label + 3);
}

/* The interpretation says which lanes are active, by warp and by shuffle of the lane; %rd8 is this lane's list. */
static void write_shuffle(writer *w, const statement *s) {
    static const char *const modes[] = {"bfly", "idx"};
    text_printf(&w->ptx, "mad.wide.u32 %%rd9, %%r9, 4, %%rd8;\nld.global.u32 %%r8, [%%rd9];\nadd.u32 %%r9, %%r9, 1;\n");
    text_printf(&w->ptx, "shfl.sync.%s.b32 %%r7|%%p2, %%r%u, %u, 31, %%r8;\n", modes[s->value & 1], 10 + s->a,
                s->value >> 1 & 31);
    /* Values from inactive lanes are undefined. */
    if (s->value & 1)
        text_printf(&w->ptx, "mov.u32 %%r6, %u;\n", s->value >> 1 & 31);
    else
        text_printf(&w->ptx, "xor.b32 %%r6, %%laneid_, %u;\n", s->value >> 1 & 31);
    text_printf(&w->ptx, "shr.u32 %%r6, %%r8, %%r6;\nand.b32 %%r6, %%r6, 1;\nsetp.ne.u32 %%p2, %%r6, 0;\n");
    text_printf(&w->ptx, "selp.u32 %%r7, %%r7, 12345, %%p2;\nadd.u32 %%r%u, %%r%u, %%r7;\n", 10 + s->d, 10 + s->d);
}

static void write_result(writer *w) {
    text_printf(&w->ptx, "xor.b32 %%r8, %%r9, %%r10;\n");
    for (unsigned k = 1; k < WORDS; k++) text_printf(&w->ptx, "mad.lo.u32 %%r8, %%r8, 31, %%r%u;\n", 10 + k);
    for (unsigned k = 0; k < LONGS; k++)
        text_printf(&w->ptx, "cvt.u32.u64 %%r7, %%rd%u;\nmad.lo.u32 %%r8, %%r8, 31, %%r7;\n", 10 + k);
    text_printf(&w->ptx, "st.global.u32 [%%rd2], %%r8;\nret;\n");
}

static void write_statement(writer *w, const statement *s, unsigned break_to, unsigned continue_to) {
    switch (s->kind) {
    case BLOCK: write_block(w, s, break_to, continue_to); break;
    case ASSIGN: write_assignment(w, s); break;
    case LONG: write_long(w, s); break;
    case IF: write_if(w, s, break_to, continue_to); break;
    case LOOP: write_loop(w, s); break;
    case SWITCH: write_switch(w, s, break_to, continue_to); break;
    case BREAK: text_printf(&w->ptx, "bra L%u;\n", break_to); break;
    case CONTINUE: text_printf(&w->ptx, "bra L%u;\n", continue_to); break;
    case RETURN: write_result(w); break;
    case SHUFFLE: write_shuffle(w, s); break;
    case MEET: text_printf(&w->ptx, "activemask.b32 %%r8;\nadd.u32 %%r%u, %%r%u, %%r8;\n", 10 + s->d, 10 + s->d); break;
    }
}

/* Code after a jump is never reached and is left out. */
static void write_block(writer *w, const statement *block, unsigned break_to, unsigned continue_to) {
    for (const statement *s = block->first; s; s = s->next) {
        write_statement(w, s, break_to, continue_to);
        if (s->kind == BREAK || s->kind == CONTINUE || s->kind == RETURN) return;
    }
}

static void write_kernel(writer *w, const statement *program) {
    text_printf(&w->ptx, "%s%s.reg .b32 %%laneid_;\nmov.u32 %%laneid_, %%laneid;\nmov.u32 %%r9, 0;\n", HEAD, BEGIN);
    text_printf(&w->ptx, "mad.wide.u32 %%rd8, %%r0, %u, %%rd1;\n", MAX_SHUFFLES * 4);
    for (unsigned k = 0; k < WORDS; k++)
        text_printf(&w->ptx, "mad.lo.u32 %%r%u, %%r0, %u, %u;\n", 10 + k, 1 + k * 7, k * 3);
    for (unsigned k = 0; k < LONGS; k++) text_printf(&w->ptx, "cvt.u64.u32 %%rd%u, %%r%u;\n", 10 + k, 10 + k);
    write_block(w, program, 0, 0);
    write_result(w);
    text_printf(&w->ptx, "}\n");
}

/* ---- interpretation ---- */

typedef struct machine {
    unsigned warp;
    uint32_t word[WORDS][LANES];
    uint64_t longs[LONGS][LANES];
    uint32_t counter[4][LANES], limit[4][LANES];
    uint32_t shuffles[LANES];
    uint32_t broke, continued; /* lanes on their way to the loop's end or next round */
    uint32_t *masks, *out;     /* by thread */
} machine;

#define EACH(l, mask)                    \
    for (unsigned l = 0; l < LANES; l++) \
        if ((mask) >> l & 1)

static uint32_t run_block(machine *m, const statement *block, uint32_t mask);

static bool holds(const machine *m, const condition *c, unsigned lane) {
    const uint32_t a = m->word[c->a][lane] & c->bits, b = c->value;
    switch (c->relation) {
    case LT: return a < b;
    case LE: return a <= b;
    case EQ: return a == b;
    case NE: return a != b;
    case GT: return a > b;
    default: return a >= b;
    }
}

static uint32_t lanes_where(const machine *m, const condition *c, uint32_t mask) {
    uint32_t result = 0;
    EACH(l, mask) result |= (uint32_t)holds(m, c, l) << l;
    return result;
}

static uint32_t operate(operation o, uint32_t a, uint32_t b) {
    switch (o) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case XOR: return a ^ b;
    case AND: return a & b;
    case OR: return a | b;
    case MIN: return a < b ? a : b;
    default: return a > b ? a : b;
    }
}

static void run_assignment(machine *m, const statement *s, uint32_t mask) {
    if (s->guarded) {
        const uint32_t p = lanes_where(m, &s->condition, mask);
        mask &= s->negated ? ~p : p;
    }
    EACH(l, mask)
    m->word[s->d][l] = operate(s->operation, m->word[s->a][l], s->has_value ? s->value : m->word[s->b][l]);
}

static void run_long(machine *m, const statement *s, uint32_t mask) {
    uint64_t *v = m->longs[s->value % LONGS];
    EACH(l, mask) {
        v[l] = v[l] * 2654435761u + m->word[s->a][l];
        m->word[s->d][l] ^= (uint32_t)(v[l] >> 32);
    }
}

static uint32_t run_loop(machine *m, const statement *s, uint32_t mask) {
    const uint32_t broke_outside = m->broke, continued_outside = m->continued;
    uint32_t inside = mask, left = 0;
    EACH(l, mask) m->limit[s->depth][l] = m->word[s->a][l] & 3, m->counter[s->depth][l] = 0;
    while (inside) {
        uint32_t stay = 0;
        EACH(l, inside) stay |= (uint32_t)(m->counter[s->depth][l] < m->limit[s->depth][l]) << l;
        left |= inside & ~stay;
        m->broke = m->continued = 0;
        inside = run_block(m, s->first, stay) | m->continued;
        left |= m->broke;
        EACH(l, inside) m->counter[s->depth][l]++;
    }
    m->broke = broke_outside;
    m->continued = continued_outside;
    return left;
}

static uint32_t run_switch(machine *m, const statement *s, uint32_t mask) {
    uint32_t of[4] = {0, 0, 0, 0};
    EACH(l, mask) of[m->word[s->a][l] & 3] |= 1u << l;
    const uint32_t zero = run_block(m, s->first, of[0]), two = run_block(m, s->first, of[2]);
    if (!s->falls) return zero | two | run_block(m, s->second, of[1]) | of[3];
    return zero | run_block(m, s->second, of[1] | two) | of[3];
}

static void run_shuffle(machine *m, const statement *s, uint32_t mask) {
    uint32_t value[LANES];
    memcpy(value, m->word[s->a], sizeof value);
    EACH(l, mask) {
        const unsigned from = s->value & 1 ? s->value >> 1 & 31 : l ^ (s->value >> 1 & 31);
        assert_true(m->shuffles[l] < MAX_SHUFFLES);
        m->masks[(m->warp * LANES + l) * MAX_SHUFFLES + m->shuffles[l]++] = mask;
        m->word[s->d][l] += mask >> from & 1 ? value[from] : 12345;
    }
}

static void run_return(machine *m, uint32_t mask) {
    EACH(l, mask) {
        uint32_t result = m->shuffles[l] ^ m->word[0][l];
        for (unsigned k = 1; k < WORDS; k++) result = result * 31 + m->word[k][l];
        for (unsigned k = 0; k < LONGS; k++) result = result * 31 + (uint32_t)m->longs[k][l];
        m->out[m->warp * LANES + l] = result;
    }
}

/* Returns the lanes that continue after the statement. */
static uint32_t run_statement(machine *m, const statement *s, uint32_t mask) {
    if (!mask) return 0;
    switch (s->kind) {
    case BLOCK: return run_block(m, s, mask);
    case ASSIGN: run_assignment(m, s, mask); return mask;
    case LONG: run_long(m, s, mask); return mask;
    case IF: {
        const uint32_t yes = lanes_where(m, &s->condition, mask), no = mask & ~yes;
        const uint32_t after = run_block(m, s->first, yes);
        return after | (s->second ? run_block(m, s->second, no) : no);
    }
    case LOOP: return run_loop(m, s, mask);
    case SWITCH: return run_switch(m, s, mask);
    case BREAK: m->broke |= mask; return 0;
    case CONTINUE: m->continued |= mask; return 0;
    case RETURN: run_return(m, mask); return 0;
    case SHUFFLE: run_shuffle(m, s, mask); return mask;
    default: EACH(l, mask) m->word[s->d][l] += mask; return mask;
    }
}

static uint32_t run_block(machine *m, const statement *block, uint32_t mask) {
    for (const statement *s = block->first; s && mask; s = s->next) mask = run_statement(m, s, mask);
    return mask;
}

static void interpret(const statement *program, uint32_t *masks, uint32_t *out) {
    for (unsigned warp = 0; warp * LANES < THREADS; warp++) {
        machine m = {.warp = warp, .masks = masks, .out = out};
        const unsigned count = THREADS - warp * LANES < LANES ? THREADS - warp * LANES : LANES;
        for (unsigned l = 0; l < count; l++) {
            const uint32_t thread = warp * LANES + l;
            for (unsigned k = 0; k < WORDS; k++) m.word[k][l] = thread * (1 + k * 7) + k * 3;
            for (unsigned k = 0; k < LONGS; k++) m.longs[k][l] = m.word[k][l];
        }
        run_return(&m, run_block(&m, program, count == LANES ? 0xffffffff : (1u << count) - 1));
    }
}

/* ---- comparison ---- */

static uint32_t masks[THREADS * MAX_SHUFFLES];

enum { COMPILED_EVERY = 16 };

static haul_launch_record run_once(const text *ptx, const char *mode, bool uncounted, uint32_t *out) {
    haul_launch_record record = {0};
    memset(out, 0, THREADS * sizeof *out);
    setenv("HAUL_COMPILE", mode, 1);
    run_kernel(&(kernel_run){.ptx = text_string(ptx),
                             .threads = THREADS,
                             .uncounted = uncounted,
                             FROM(masks),
                             .out = out,
                             .out_bytes = THREADS * sizeof *out,
                             .record = &record});
    return record;
}

static void run_elsewhere(const char *name, const text *ptx, uint32_t *out) {
    const kernel_run run = {
        .ptx = text_string(ptx), .threads = THREADS, FROM(masks), .out = out, .out_bytes = THREADS * sizeof *out};
    if (try_elsewhere(name, &run) != HAUL_OK) fail_msg("%s", haul_message());
}

static void expect_same(uint32_t seed, const uint32_t *got, const uint32_t *want) {
    for (unsigned t = 0; t < THREADS; t++)
        if (got[t] != want[t]) fail_msg("seed %u: thread %u has 0x%x, not 0x%x", seed, t, got[t], want[t]);
}

/* Interpreted, and from time to time compiled too. */
static void run_here(uint32_t seed, const text *ptx, const uint32_t *want) {
    uint32_t got[THREADS];
    const haul_launch_record interpreted = run_once(ptx, "off", false, got);
    expect_same(seed, got, want);
    if (seed % COMPILED_EVERY) return;
    const haul_launch_record compiled = run_once(ptx, "1", false, got);
    expect_same(seed, got, want);
    (void)run_once(ptx, "1", true, got);
    expect_same(seed, got, want);
    assert_memory_equal(compiled.counters, interpreted.counters, sizeof compiled.counters);
}

static void compare(uint32_t seed, bool show) {
    static maker m;
    writer w = {0};
    uint32_t want[THREADS] = {0}, got[THREADS] = {0};
    const char *other = getenv("HAUL_TEST_DEVICE");
    m = (maker){.state = seed * 0x9e3779b97f4a7c15u + 1, .leaves = seed % 2};
    const statement *program = make_block(&m, 0);
    write_kernel(&w, program);
    if (show) fputs(text_string(&w.ptx), stderr);
    interpret(program, masks, want);
    if (other) {
        run_elsewhere(other, &w.ptx, got);
        expect_same(seed, got, want);
    } else {
        run_here(seed, &w.ptx, want);
    }
    text_free(&w.ptx);
}

static void lanes_compute_what_each_alone_would(void **state) {
    (void)state;
    const uint32_t from = number_from("HAUL_STRESS_FROM", 1), count = number_from("HAUL_STRESS", 1000);
    for (uint32_t seed = from; seed < from + count; seed++) compare(seed, count == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_compute_what_each_alone_would)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
