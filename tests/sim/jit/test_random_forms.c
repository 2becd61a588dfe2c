/* Every form of arithmetic: rows of isa.def with random modifiers, types and operands, each on hard values. Compiled
 * code is compared with the interpreter, bit for bit.
 *
 * HAUL_STRESS=N runs N kernels instead of the usual ones; HAUL_STRESS_FROM=S starts with seed S. With
 * HAUL_TEST_DEVICE=gpu:0 the virtual GPU is compared with a real one, which must accept the same forms and compute the
 * same. All differences are printed, with the operands of a few threads. HAUL_TEST_RECORD=FILE writes the GPU's
 * results, a form per line; tests/data/h100/forms.txt is such a record, and the virtual GPU is compared with it too. */
#include "kernel.h"

#include "base/text.h"
#include "ptx/needs.h"
#include "ptx/pattern.h"
#include "ptx/traits.h"
#include "random.h"

#include <stdbool.h>

enum { THREADS = 96, BLOCKS = 2, FORMS = 24, IN_COUNT = 8192, REACH = 4096, SLOT_BYTES = 16, MAX_SOURCES = 8 };
enum { SOURCES = 4, TAKEN = 9 }; /* registers that are read; the one that is written */

/* A source register, and the offset in `in` at which a thread finds its value. */
typedef struct source {
    char file; /* first letter of its name: p h r d f e */
    unsigned number, at;
} source;

typedef struct form {
    text line;
    source sources[MAX_SOURCES];
    unsigned source_count;
    char file; /* of the result; 0: none */
    bool pair; /* %p9 is a result too */
} form;

typedef struct maker {
    uint32_t seed;
    uint64_t state;
    form forms[FORMS];
    unsigned count;
    text ptx;
} maker;

static uint32_t draw(maker *m, uint32_t below) {
    return draw_below(&m->state, below);
}

/* ---- registers ---- */

static const struct {
    char file;
    const char *prefix, *load;
} files[] = {{'h', "%h", "u16"}, {'r', "%r", "u32"}, {'d', "%rd", "u64"}, {'f', "%f", "f32"}, {'e', "%fd", "f64"}};

static char file_of(unsigned type) {
    if (type == PTX_PRED) return 'p';
    if (type == PTX_F32) return 'f';
    if (type == PTX_F64) return 'e';
    switch (ptx_bits(type)) {
    case 8:
    case 16: return 'h';
    case 32: return 'r';
    case 64: return 'd';
    default: return 0;
    }
}

/* %r0 to %r9 and %rd0 to %rd9 have other uses: those of a form are %r10.. and %rd10... */
static void put_register(text *t, char file, unsigned number) {
    if (file == 'p') {
        text_printf(t, "%%p%u", number);
        return;
    }
    for (unsigned k = 0; k < sizeof files / sizeof *files; k++)
        if (files[k].file == file)
            text_printf(t, "%s%u", files[k].prefix, number + (file == 'r' || file == 'd' ? 10 : 0));
}

static void put_source_register(maker *m, form *f, char file) {
    const unsigned number = draw(m, SOURCES);
    put_register(&f->line, file, number);
    for (unsigned k = 0; k < f->source_count; k++)
        if (f->sources[k].file == file && f->sources[k].number == number) return;
    f->sources[f->source_count++] = (source){.file = file, .number = number, .at = draw(m, REACH)};
}

/* ---- operands ---- */

static void put_constant(maker *m, text *t, unsigned type) {
    const uint64_t bits = hard_bits(&m->state);
    if (type == PTX_F32)
        text_printf(t, "0f%08X", (unsigned)(uint32_t)bits);
    else if (type == PTX_F64)
        text_printf(t, "0d%016llX", (unsigned long long)bits);
    else if (ptx_bits(type) < 64)
        text_printf(t, "%u", (unsigned)(bits & ((1u << (ptx_bits(type) - 1)) - 1)));
    else
        text_printf(t, "0x%llx", (unsigned long long)bits);
}

static bool takes_constants(unsigned type) {
    return ptx_types[type].kind != 'P' && (ptx_types[type].kind != 'F' || type == PTX_F32 || type == PTX_F64);
}

/* Returns false if this test cannot make such an operand. */
static bool put_source(maker *m, form *f, const ptx_operand_slot *slot, const ptx_instruction *i, unsigned place) {
    const unsigned type = ptx_slot_type(slot, i);
    const bool across = i->op == PTX_OP_SHFL || ptx_is_required(slot, i->mods);
    const bool members = slot->tied && slot->tie == PTX_SLOT_SYNC;
    if (slot->fragment || slot->mask || slot->in_tensor_memory || slot->vector || !file_of(type)) return false;
    if (ptx_bits(type) == 8 && i->op != PTX_OP_CVT) return false;
    if (members || ((i->op == PTX_OP_MATCH || i->op == PTX_OP_REDUX || i->op == PTX_OP_ELECT) && across &&
                    place + 1u == ptx_pattern_of(i->op)->operand_count)) {
        text_put(&f->line, "0xffffffff");
    } else if (slot->immediate) {
        text_printf(&f->line, "%u", draw(m, 256));
    } else if (type == PTX_U32 && draw(m, 3) == 0) {
        text_printf(&f->line, "%u", draw(m, 70)); /* mostly a number of bits */
    } else if (takes_constants(type) && i->op != PTX_OP_CVT && draw(m, 6) == 0) {
        put_constant(m, &f->line, type);
    } else {
        if (type == PTX_PRED && draw(m, 3) == 0) text_put(&f->line, "!");
        put_source_register(m, f, file_of(type));
    }
    return f->source_count < MAX_SOURCES;
}

static bool put_destination(maker *m, form *f, const ptx_operand_slot *slot, const ptx_instruction *i) {
    const unsigned type = ptx_slot_type(slot, i);
    f->file = file_of(type);
    if (slot->fragment || slot->vector || !f->file || (ptx_bits(type) == 8 && i->op != PTX_OP_CVT)) return false;
    put_register(&f->line, f->file, TAKEN);
    f->pair = slot->pair_required || (slot->pair && draw(m, 2));
    if (f->pair) text_printf(&f->line, "|%%p%d", TAKEN + 1);
    return true;
}

static bool put_operands(maker *m, form *f, const ptx_instruction *i) {
    const ptx_pattern *pattern = ptx_pattern_of(i->op);
    for (unsigned o = 0; o < pattern->operand_count; o++) {
        const ptx_operand_slot *slot = &pattern->operands[o];
        if (!ptx_is_allowed(slot, i->mods) || (!ptx_is_required(slot, i->mods) && draw(m, 2))) continue;
        text_put(&f->line, o ? ", " : " ");
        if (slot->role == PTX_ROLE_DESTINATION ? !put_destination(m, f, slot, i) : !put_source(m, f, slot, i, o))
            return false;
    }
    text_put(&f->line, ";");
    return true;
}

/* ---- opcodes ---- */

static unsigned draw_bit(maker *m, uint64_t set) {
    unsigned bit;
    do bit = draw(m, 64);
    while (!(set >> bit & 1));
    return bit;
}

static unsigned first_of_slot(unsigned slot) {
    unsigned m = 1;
    while (ptx_modifier_slots[m] != slot) m++;
    return m;
}

static void put_suffixes(maker *m, text *t, const ptx_pattern *pattern) {
    for (unsigned s = 0; s < pattern->suffix_count; s++) {
        const ptx_suffix *suffix = &pattern->suffixes[s];
        if (suffix->optional && draw(m, 2)) continue;
        const unsigned bit = draw_bit(m, suffix->choice);
        text_printf(t, ".%s",
                    suffix->is_type ? ptx_types[bit].name : ptx_modifier_names[first_of_slot(suffix->slot) + bit]);
    }
}

/* True for what a kernel for sm_90 may have: arithmetic and operations across lanes. */
static bool is_tried(unsigned op) {
    const ptx_instruction bare = {.op = (uint16_t)op};
    const ptx_need need = ptx_need_of(&bare);
    if (!(need.targets & ptx_target_of_gpu(90)) || need.version > 83) return false;
    return ptx_is(op, PTX_KIND_ARITHMETIC | PTX_KIND_COLLECTIVE); /* redux of .f32 needs an sm_100 */
}

static bool is_taken(const form *f) {
    text ptx = {0};
    ptx_module *module;
    text_printf(&ptx, "%s%s%s\nret;\n}\n", HEAD, BEGIN, text_string(&f->line));
    const bool taken = ptx_module_parse("form", text_string(&ptx), ptx.length, &module) == HAUL_OK;
    if (taken) ptx_module_free(module);
    text_free(&ptx);
    return taken;
}

static bool make_form(maker *m, form *f) {
    ptx_opcode opcode;
    unsigned op;
    do op = draw(m, PTX_OP_COUNT);
    while (!is_tried(op));
    text_put(&f->line, ptx_ops[op].mnemonic);
    put_suffixes(m, &f->line, ptx_pattern_of(op));
    if (!ptx_resolve_opcode(text_string(&f->line), f->line.length, &opcode) || !is_tried(opcode.op)) return false;
    ptx_instruction i = {0};
    ptx_set_opcode(&i, &opcode);
    return put_operands(m, f, &i) && is_taken(f);
}

static void make_forms(maker *m) {
    while (m->count < FORMS) {
        form *f = &m->forms[m->count];
        text_free(&f->line);
        *f = (form){0};
        m->count += make_form(m, f);
    }
}

static void free_forms(maker *m) {
    for (unsigned k = 0; k < FORMS; k++) text_free(&m->forms[k].line);
    text_free(&m->ptx);
}

/* ---- kernels: %rd9 is a thread's address in `in`, %rd8 in `out` ---- */

static void write_load(maker *m, char file, unsigned number, unsigned at) {
    for (unsigned k = 0; k < sizeof files / sizeof *files; k++) {
        if (files[k].file != file) continue;
        text_printf(&m->ptx, "ld.global.%s ", files[k].load);
        put_register(&m->ptx, file, number);
        text_printf(&m->ptx, ", [%%rd9+%u];\n", 8 * at);
    }
    if (file == 'p')
        text_printf(&m->ptx, "ld.global.s32 %%r3, [%%rd9+%u];\nsetp.lt.s32 %%p%u, %%r3, 0;\n", 8 * at, number);
}

static void write_result(maker *m, const form *f, unsigned at) {
    if (f->pair)
        text_printf(&m->ptx, "selp.u32 %%r3, 1, 0, %%p%d;\nst.global.u32 [%%rd8+%u], %%r3;\n", TAKEN + 1, at + 8);
    if (f->file == 'p')
        text_printf(&m->ptx, "selp.u32 %%r3, 1, 0, %%p%d;\nst.global.u32 [%%rd8+%u], %%r3;\n", TAKEN, at);
    for (unsigned k = 0; k < sizeof files / sizeof *files; k++) {
        if (files[k].file != f->file) continue;
        text_printf(&m->ptx, "st.global.%s [%%rd8+%u], ", files[k].load, at);
        put_register(&m->ptx, f->file, TAKEN);
        text_put(&m->ptx, ";\n");
    }
}

/* Forms that read the carry have it set before; of those that set it, it is written out after. */
static void write_form(maker *m, const form *f, unsigned at) {
    for (unsigned k = 0; k < f->source_count; k++)
        write_load(m, f->sources[k].file, f->sources[k].number, f->sources[k].at);
    text_put(&m->ptx, "add.cc.u32 %r3, %r0, 0xffffffe0;\n");
    text_append(&m->ptx, text_string(&f->line), f->line.length);
    text_put(&m->ptx, "\n");
    write_result(m, f, at);
    if (strstr(text_string(&f->line), ".cc"))
        text_printf(&m->ptx, "addc.u32 %%r3, 0, 0;\nst.global.u32 [%%rd8+%u], %%r3;\n", at + 12);
}

/* `only`: one of the forms; FORMS: all. */
static void write_kernel(maker *m, unsigned only) {
    text_free(&m->ptx);
    m->ptx = (text){0};
    text_printf(&m->ptx, "%s%smul.wide.u32 %%rd9, %%r1, 144;\nadd.u64 %%rd9, %%rd9, %%rd1;\n", HEAD, BEGIN);
    text_printf(&m->ptx, "mul.wide.u32 %%rd8, %%r1, %d;\nadd.u64 %%rd8, %%rd8, %%rd0;\n", FORMS * SLOT_BYTES);
    for (unsigned k = 0; k < FORMS; k++)
        if (only == FORMS || only == k) write_form(m, &m->forms[k], k * SLOT_BYTES);
    text_put(&m->ptx, "ret;\n}\n");
}

/* ---- comparison ---- */

static uint64_t in[IN_COUNT];

typedef struct slot {
    uint64_t result;
    uint32_t second, carry;
} slot;

typedef struct outcome {
    slot out[THREADS * BLOCKS][FORMS];
    haul_launch_record record;
} outcome;

static void run_here(const maker *m, const char *mode, outcome *o) {
    memset(o, 0, sizeof *o);
    setenv("HAUL_COMPILE", mode, 1);
    run_kernel(&(kernel_run){.ptx = text_string(&m->ptx),
                             .blocks = BLOCKS,
                             .threads = THREADS,
                             FROM(in),
                             INTO(o->out),
                             .record = &o->record});
    unsetenv("HAUL_COMPILE");
}

static unsigned differences;

static bool is_same(const slot *a, const slot *b) {
    return a->result == b->result && a->second == b->second && a->carry == b->carry;
}

/* Bits of a source's file. */
static unsigned long long source_bits(const source *s, unsigned thread) {
    const uint64_t bits = in[thread * 18 + s->at];
    return s->file == 'd' || s->file == 'e' ? bits : s->file == 'h' ? (uint16_t)bits : (uint32_t)bits;
}

static void tell_thread(const form *f, unsigned thread, const slot *got, const slot *want) {
    fprintf(stderr, "    thread %u: %llx", thread, (unsigned long long)got->result);
    if (f->pair || got->carry != want->carry) fprintf(stderr, " %x %x", got->second, got->carry);
    fprintf(stderr, ", not %llx", (unsigned long long)want->result);
    if (f->pair || got->carry != want->carry) fprintf(stderr, " %x %x", want->second, want->carry);
    for (unsigned k = 0; k < f->source_count; k++)
        fprintf(stderr, " %c%u=%llx", f->sources[k].file, f->sources[k].number, source_bits(&f->sources[k], thread));
    fputc('\n', stderr);
}

/* Prints how many threads of a form differ, and the first of them. */
static void hold_form(const maker *m, unsigned n, const outcome *got, const outcome *want) {
    enum { TOLD = 4 };
    unsigned count = 0;
    for (unsigned t = 0; t < THREADS * BLOCKS; t++) count += !is_same(&got->out[t][n], &want->out[t][n]);
    if (!count) return;
    fprintf(stderr, "differs in %u threads: %s\n", count, text_string(&m->forms[n].line));
    for (unsigned t = 0, told = 0; t < THREADS * BLOCKS && told < TOLD; t++) {
        if (is_same(&got->out[t][n], &want->out[t][n])) continue;
        tell_thread(&m->forms[n], t, &got->out[t][n], &want->out[t][n]);
        told++;
    }
    differences++;
}

/* ---- recorded results of a device: the seed of `in`, a hash, the offsets of sources, the form ---- */

static uint64_t hash_of(const outcome *o, unsigned n) {
    uint32_t words[THREADS * BLOCKS][sizeof(slot) / sizeof(uint32_t)];
    for (unsigned t = 0; t < THREADS * BLOCKS; t++) memcpy(words[t], &o->out[t][n], sizeof *words);
    return hash_words(*words, sizeof words / sizeof **words);
}

static void record_forms(const maker *m, FILE *f, const outcome *o, uint32_t refused) {
    for (unsigned n = 0; n < FORMS; n++) {
        const form *of = &m->forms[n];
        if (refused >> n & 1) continue;
        fprintf(f, "%u %016llx %c%s", (unsigned)m->seed, (unsigned long long)hash_of(o, n), of->file ? of->file : '-',
                of->pair ? "p" : "");
        for (unsigned k = 0; k < of->source_count; k++)
            fprintf(f, " %c%u@%u", of->sources[k].file, of->sources[k].number, of->sources[k].at);
        fprintf(f, " | %s\n", text_string(&of->line));
    }
}

/* Prints the forms that a device refuses, and runs the others. Returns the refused ones. */
static uint32_t run_one_by_one(maker *m, const char *device, outcome *o) {
    static outcome one;
    uint32_t refused = 0;
    for (unsigned k = 0; k < FORMS; k++) {
        write_kernel(m, k);
        memset(&one, 0, sizeof one);
        const kernel_run run = {
            .ptx = text_string(&m->ptx), .blocks = BLOCKS, .threads = THREADS, FROM(in), INTO(one.out)};
        if (try_elsewhere(device, &run) != HAUL_OK) {
            fprintf(stderr, "refused: %s %s\n", text_string(&m->forms[k].line), haul_message());
            refused |= 1u << k;
            differences++;
        }
        for (unsigned t = 0; t < THREADS * BLOCKS; t++) o->out[t][k] = one.out[t][k];
    }
    return refused;
}

static void hold_against(maker *m, const char *device, FILE *record) {
    static outcome want, got;
    uint32_t refused = 0;
    run_here(m, "off", &want);
    memset(&got, 0, sizeof got);
    const kernel_run run = {.ptx = text_string(&m->ptx), .blocks = BLOCKS, .threads = THREADS, FROM(in), INTO(got.out)};
    if (try_elsewhere(device, &run) != HAUL_OK) refused = run_one_by_one(m, device, &got);
    for (unsigned k = 0; k < FORMS; k++)
        if (!(refused >> k & 1)) hold_form(m, k, &got, &want);
    if (record) record_forms(m, record, &got, refused);
}

static void hold_compiled(const maker *m) {
    static outcome want, got;
    run_here(m, "off", &want);
    run_here(m, "1", &got);
    for (unsigned k = 0; k < FORMS; k++) hold_form(m, k, &got, &want);
    assert_memory_equal(got.record.counters, want.record.counters, sizeof got.record.counters);
}

static void begin(maker *m, uint32_t seed) {
    *m = (maker){.seed = seed, .state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    for (size_t k = 0; k < IN_COUNT; k++) in[k] = hard_bits(&m->state);
}

static void each_form_computes_the_same(void **state) {
    (void)state;
    static maker m;
    const uint32_t from = number_from("HAUL_STRESS_FROM", 1), count = number_from("HAUL_STRESS", 12);
    const char *device = getenv("HAUL_TEST_DEVICE"), *path = getenv("HAUL_TEST_RECORD");
    FILE *record = path ? fopen(path, "w") : NULL;
    for (uint32_t seed = from; seed < from + count; seed++) {
        begin(&m, seed);
        make_forms(&m);
        write_kernel(&m, FORMS);
        if (device)
            hold_against(&m, device, record);
        else
            hold_compiled(&m);
        free_forms(&m);
    }
    if (record) fclose(record);
    assert_int_equal(differences, 0);
}

/* ---- results of an H100 ---- */

static bool read_source(FILE *f, form *of) {
    source *s = &of->sources[of->source_count];
    char file;
    if (fscanf(f, " %c", &file) != 1 || file == '|') return false;
    s->file = file;
    assert_int_equal(fscanf(f, "%u@%u", &s->number, &s->at), 2);
    of->source_count++;
    return true;
}

/* Returns false at the end of the file. */
static bool read_form(FILE *f, uint32_t *seed, uint64_t *hash, form *of) {
    char line[256], result[4];
    unsigned long long wide;
    *of = (form){0};
    if (fscanf(f, "%u %llx %3s", seed, &wide, result) != 3) return false;
    *hash = wide;
    of->file = result[0] == '-' ? 0 : result[0];
    of->pair = result[1] == 'p';
    while (read_source(f, of)) {
    }
    assert_int_equal(fscanf(f, " %255[^\n]", line), 1);
    text_put(&of->line, line);
    return true;
}

static void hold_recorded(maker *m, const uint64_t hashes[FORMS]) {
    static outcome o;
    while (m->count < FORMS) text_put(&m->forms[m->count++].line, "mov.u32 %r19, 0;");
    write_kernel(m, FORMS);
    run_here(m, "off", &o);
    for (unsigned k = 0; k < FORMS; k++) {
        if (!hashes[k] || hash_of(&o, k) == hashes[k]) continue;
        fprintf(stderr, "seed %u: other bits than an H100's: %s\n", (unsigned)m->seed, text_string(&m->forms[k].line));
        differences++;
    }
    free_forms(m);
}

/* HAUL_TEST_HELD: another file to compare the virtual GPU with. */
static void recorded_forms_give_an_h100s_bits(void **state) {
    (void)state;
    static maker m;
    const char *path = getenv("HAUL_TEST_HELD");
    FILE *f = fopen(path ? path : TEST_DATA "/h100/forms.txt", "r");
    uint64_t hashes[FORMS] = {0}, hash;
    uint32_t seed;
    form of;
    assert_non_null(f);
    while (read_form(f, &seed, &hash, &of)) {
        if (m.count == FORMS || (m.count && seed != m.seed)) {
            hold_recorded(&m, hashes);
            m.count = 0;
            memset(hashes, 0, sizeof hashes);
        }
        if (!m.count) begin(&m, seed);
        hashes[m.count] = hash;
        m.forms[m.count++] = of;
    }
    if (m.count) hold_recorded(&m, hashes);
    fclose(f);
    assert_int_equal(differences, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_form_computes_the_same),
                                       cmocka_unit_test(recorded_forms_give_an_h100s_bits)};
    const struct CMUnitTest elsewhere[] = {cmocka_unit_test(each_form_computes_the_same)};
    if (getenv("HAUL_TEST_DEVICE")) return cmocka_run_group_tests(elsewhere, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
