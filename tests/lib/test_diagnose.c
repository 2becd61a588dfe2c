/* The predictions of haul_diagnose() for a transfer equal the virtual GPU's counts when a kernel makes it: random
 * descriptors, HAUL_TEST_POINTS of them (default 1,500) on an H100 and an A100 each. Skipped where there is no kernel
 * compiler. */
#include "lib/compile.h"

#include <haul/diagnose.h>
#include <haul/haul.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    BUFFER_BYTES = 16 << 20,
    SHARED_BASE = 2048,
    SHARED_BYTES = 116 << 10,
    MOST_COUNT = 64,
    ORIGIN = 4 << 20,
    ROOMY = 512
};

typedef struct machine {
    const char *name, *device, *architecture;
    haul_device *handle;
    haul_module *module;
    haul_buffer *data, *index, *view;
} machine;

static machine machines[] = {{.name = "h100", .device = "sim:h100", .architecture = "sm_90"},
                             {.name = "a100", .device = "sim:a100", .architecture = "sm_80"}};

static void must(haul_status status) {
    if (status != HAUL_OK) fail_msg("%s", haul_message());
}

/* ---- set-up ---- */

static void open_machine(machine *m) {
    /* clang is a good deal faster with code that nothing folds */
    text line = {0};
    const char *compiler = compile_find("clang", &line) == HAUL_OK ? "clang" : NULL;
    const compile_options options = {.compiler = compiler, .architecture = m->architecture};
    const haul_device_options one_thread = {.threads = 1};
    text ptx = {0}, messages = {0};
    must(compile_source(TEST_DATA "/../lib/transfer_any.cu", &options, &ptx, &messages));
    must(haul_device_open(m->device, &one_thread, &m->handle));
    must(haul_module_load(m->handle, "transfer_any", text_string(&ptx), ptx.length, &m->module));
    must(haul_buffer_create(m->handle, BUFFER_BYTES, &m->data));
    must(haul_buffer_create(m->handle, MOST_COUNT * sizeof(int64_t), &m->index));
    must(haul_buffer_create(m->handle, sizeof(haul_tensor_view), &m->view));
    text_free(&ptx);
    text_free(&messages);
    text_free(&line);
}

static bool have_compiler(void) {
    text line = {0};
    haul_status status = compile_find(NULL, &line);
    text_free(&line);
    return status == HAUL_OK;
}

static int open_machines(void **state) {
    (void)state;
    if (!have_compiler()) return 0;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) open_machine(&machines[i]);
    return 0;
}

static int close_machines(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) haul_device_close(machines[i].handle);
    return 0;
}

/* ---- random transfers ---- */

typedef struct point {
    haul_transfer t;
    haul_circumstances c;
    int64_t index[MOST_COUNT];
} point;

static uint64_t random_state;

static uint32_t below(uint32_t n) {
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((random_state >> 33) % n);
}

static bool one_in(uint32_t n) {
    return below(n) == 0;
}

static unsigned draw_alignment(void) {
    return 1u << below(5);
}

static haul_how draw_how(const point *p) {
    static const haul_how engines[] = {HAUL_AUTO, HAUL_BY_LDG, HAUL_BY_LDGSTS, HAUL_BY_BULK, HAUL_BY_TENSOR};
    static const haul_how operations[] = {HAUL_LOAD_CA,
                                          HAUL_LOAD_CG,
                                          HAUL_LOAD_CS,
                                          HAUL_LOAD_LU,
                                          HAUL_LOAD_CV,
                                          HAUL_LOAD_NC,
                                          HAUL_LOAD_NC | HAUL_LOAD_CG,
                                          HAUL_LOAD_NC | HAUL_LOAD_CS,
                                          HAUL_LOAD_NC_NO_ALLOCATE};
    haul_how how = engines[below(5)];
    if (how == HAUL_BY_LDG && one_in(3)) how |= operations[below(9)];
    if (HAUL_ENGINE_OF(how) == HAUL_BY_LDG && one_in(4)) how |= HAUL_IN_FLIGHT(below(17) * 16);
    if (how == HAUL_BY_LDGSTS && one_in(4)) how |= HAUL_THROUGH_L1;
    if (one_in(8)) how |= HAUL_L2_EVICT_FIRST;
    if (p->c.direction == HAUL_DIRECTION_ADD) how |= HAUL_ADD_U32 << below(7);
    return how;
}

/* Sequential, strided and indirect: from single bytes to some KiB. */
static void draw_rows(point *p) {
    haul_transfer *t = &p->t;
    const unsigned unit = t->how & HAUL_CONGRUENT ? 16 : t->alignment;
    const unsigned longest = one_in(4) ? 4096 : 300;
    t->shape = one_in(3) ? HAUL_SHAPE_INDIRECT : HAUL_SHAPE_ROWS;
    t->count = one_in(3) ? 1 : 1 + below(MOST_COUNT);
    t->bytes = 1 + below(t->count > 16 ? longest / 4 : longest);
    if (one_in(2)) t->bytes = (t->bytes + 15) / 16 * 16;
    t->shared_pitch = (t->bytes + unit - 1) / unit * unit + unit * below(3);
    t->global_pitch = (t->bytes + unit - 1) / unit * unit + unit * below(8);
    if (one_in(2) && t->shape == HAUL_SHAPE_INDIRECT) t->how |= HAUL_INDEX_64;
    for (unsigned i = 0; i < t->count; i++) p->index[i] = below(500);
}

static void draw_box(point *p) {
    haul_transfer *t = &p->t;
    haul_place *place = &p->c.place;
    t->shape = HAUL_SHAPE_BOX;
    t->element = 1u << below(5);
    if (t->alignment < t->element) t->alignment = t->element;
    t->rank = one_in(2) ? 2 : 1 + below(5);
    t->radius = t->rank == 2 && one_in(2) ? 1 + below(4) : 0;
    const unsigned whole = one_in(2) ? 16 / t->element : 1; /* elements that rows are multiples of */
    for (unsigned d = 0; d < 5; d++)
        t->box[d] = d >= t->rank ? 1 : d == 0 ? whole * (1 + below(12)) : 1 + below(t->rank > 3 ? 3 : 9);
    const unsigned row = (t->box[0] + 2 * t->radius) * t->element;
    t->shared_pitch = (row + t->alignment - 1) / t->alignment * t->alignment + (one_in(2) ? 0 : t->alignment);
    if (t->radius && one_in(3)) t->how |= HAUL_RING_ONLY;
    if (t->radius && one_in(3)) t->how |= HAUL_NO_CORNERS;
    long long pitch = t->element;
    for (unsigned d = 0; d < 5; d++) {
        const bool inside = !one_in(3); /* or across an edge */
        place->extent[d] = d >= t->rank ? 1 : t->box[d] + 2 * t->radius + below(9);
        place->at[d] = d >= t->rank ? 0 : inside ? (int)t->radius : (int)below(2 * t->box[d] + 1) - (int)t->box[d];
        if (d == 0) place->at[d] = place->at[d] * (int)t->element / 16 * 16 / (int)t->element;
        if (d) place->pitch[d - 1] = pitch = (pitch * place->extent[d - 1] + 15) / 16 * 16;
    }
}

/* Addresses as aligned as the descriptor says, or a bit more. */
static void draw_addresses(point *p, uint64_t base) {
    const unsigned congruent = p->t.how & HAUL_CONGRUENT ? p->t.alignment * below(16 / p->t.alignment) : 0;
    const unsigned unit = p->t.how & HAUL_CONGRUENT ? 16 : p->t.alignment;
    p->c.global = base + ORIGIN + unit * below(16) + congruent;
    p->c.shared = SHARED_BASE + (p->t.shape == HAUL_SHAPE_BOX ? 8192u : 0u) + unit * below(16) + congruent;
    if (p->t.shape != HAUL_SHAPE_BOX || (p->t.how & HAUL_ENGINE_BITS) != HAUL_BY_TENSOR) return;
    p->c.global = p->c.global / 16 * 16;
    p->c.shared = (p->c.shared + 127) / 128 * 128;
}

static void draw_team(point *p) {
    static const uint32_t sizes[] = {32, 64, 96, 128, 160, 256, 512, 1024};
    p->c.team = (haul_team_kind)below(4);
    p->c.block_threads = sizes[below(8)];
    if (p->c.team == HAUL_TEAM_WARPS) p->t.threads = 32 * (1 + below(p->c.block_threads / 32));
}

static point draw(uint64_t base, const machine *m) {
    point p = {.c = {.machine = m->name, .index_at = haul_buffer_address(m->index)}};
    p.c.direction = (haul_direction)below(3);
    p.t.how = draw_how(&p);
    p.t.alignment = draw_alignment();
    if (one_in(4)) p.t.how |= HAUL_CONGRUENT;
    draw_team(&p);
    if (one_in(3))
        p.t.how &= ~HAUL_CONGRUENT, draw_box(&p);
    else
        draw_rows(&p);
    draw_addresses(&p, base);
    return p;
}

/* ---- the launch ---- */

static void describe(const point *p, const haul_diagnosis *d) {
    print_error("%s: shape %d, direction %d, engine %s, how 0x%llx, alignment %u, %u threads (%s)\n", p->c.machine,
                (int)p->t.shape, (int)p->c.direction, d->engine, p->t.how, p->t.alignment, d->team_threads, d->team);
    print_error("  count %u, bytes %u, pitches %u, %lld; element %u, radius %u, rank %u, box %u %u %u %u %u\n",
                p->t.count, p->t.bytes, p->t.shared_pitch, p->t.global_pitch, p->t.element, p->t.radius, p->t.rank,
                p->t.box[0], p->t.box[1], p->t.box[2], p->t.box[3], p->t.box[4]);
    print_error("  at %d %d %d %d %d, extent %u %u %u %u %u, global 0x%llx, shared 0x%llx\n", p->c.place.at[0],
                p->c.place.at[1], p->c.place.at[2], p->c.place.at[3], p->c.place.at[4], p->c.place.extent[0],
                p->c.place.extent[1], p->c.place.extent[2], p->c.place.extent[3], p->c.place.extent[4],
                (unsigned long long)p->c.global, (unsigned long long)p->c.shared);
}

/* Returns where the array of the point's box begins. */
static uint64_t array_of(const point *p) {
    const haul_place *place = &p->c.place;
    uint64_t array = p->c.global;
    for (unsigned d = 0; d < p->t.rank; d++)
        array -= (uint64_t)((long long)place->at[d] * (d ? place->pitch[d - 1] : (long long)p->t.element));
    return array;
}

static void write_view(const machine *m, const point *p) {
    static const haul_tensor_type types[] = {HAUL_TENSOR_U8, HAUL_TENSOR_U16, HAUL_TENSOR_U32, HAUL_TENSOR_U64};
    haul_tensor tensor = {.buffer = m->data, .rank = p->t.rank};
    haul_tensor_view view = {0};
    static const haul_tensor_type sums[] = {HAUL_TENSOR_U32, HAUL_TENSOR_S32, HAUL_TENSOR_U64, HAUL_TENSOR_F32,
                                            HAUL_TENSOR_F64, HAUL_TENSOR_F16, HAUL_TENSOR_BF16};
    tensor.type = types[__builtin_ctz(p->t.element)];
    if (p->c.direction == HAUL_DIRECTION_ADD)
        tensor.type = sums[__builtin_ctzll((p->t.how & HAUL_ADD_BITS) / HAUL_ADD_U32)];
    tensor.offset = array_of(p) - haul_buffer_address(m->data);
    for (unsigned d = 0; d < p->t.rank; d++) {
        tensor.extent[d] = p->c.place.extent[d];
        tensor.box[d] = p->t.box[d];
        if (d) tensor.pitch[d - 1] = (uint64_t)p->c.place.pitch[d - 1];
    }
    must(haul_tensor_map_encode(&tensor, &view.map));
    must(haul_buffer_write(m->view, 0, &view, sizeof view));
}

static void write_index(const machine *m, const point *p) {
    uint32_t narrow[MOST_COUNT];
    for (unsigned i = 0; i < MOST_COUNT; i++) narrow[i] = (uint32_t)p->index[i];
    if (p->t.how & HAUL_INDEX_64)
        must(haul_buffer_write(m->index, 0, p->index, sizeof p->index));
    else
        must(haul_buffer_write(m->index, 0, narrow, sizeof narrow));
}

enum { ROWS_ANY, HALO_ANY, TILE_ANY, TENSOR_ANY };

static unsigned kernel_of(const point *p, const haul_diagnosis *d) {
    if (p->t.shape != HAUL_SHAPE_BOX) return ROWS_ANY;
    if (p->t.radius) return HALO_ANY;
    return d->engine_id == HAUL_BY_TENSOR ? TENSOR_ANY : TILE_ANY;
}

static haul_run *launch(const machine *m, const point *p, const haul_diagnosis *d) {
    static const char *const kernels[] = {"rows_any", "halo_any", "tile_any", "tensor_any"};
    const unsigned kernel = kernel_of(p, d);
    const haul_argument place = {.kind = HAUL_ARGUMENT_BYTES, .bytes = &p->c.place, .size = sizeof p->c.place};
    const haul_argument index = {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->index};
    const haul_argument view = {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->view};
    const uint64_t global = kernel == TILE_ANY ? array_of(p) : p->c.global;
    haul_argument arguments[8];
    size_t n = 0;
    arguments[n++] = (haul_argument){.kind = HAUL_ARGUMENT_BYTES, .bytes = &p->t, .size = sizeof p->t};
    if (kernel != ROWS_ANY) arguments[n++] = place;
    arguments[n++] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = p->c.direction};
    arguments[n++] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = p->c.team};
    arguments[n++] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = d->team_threads};
    arguments[n++] =
        kernel == TENSOR_ANY ? view : (haul_argument){.kind = HAUL_ARGUMENT_I64, .integer = (int64_t)global};
    if (kernel == ROWS_ANY) arguments[n++] = index;
    arguments[n++] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = (int64_t)p->c.shared};
    const haul_launch l = {.kernel = kernels[kernel],
                           .grid = {1, 1, 1},
                           .block = {p->c.block_threads, 1, 1},
                           .shared_bytes = SHARED_BYTES,
                           .arguments = arguments,
                           .argument_count = n};
    haul_run *run;
    must(haul_run_create(m->handle, &run));
    must(haul_module_allow_shared(m->module, l.kernel, l.shared_bytes));
    if (haul_launch_run(m->module, &l, run) == HAUL_OK) return run;
    describe(p, d);
    fail_msg("%s", haul_message());
    return NULL;
}

/* ---- the comparison ---- */

#define FIELDS(F)   \
    F(instructions) \
    F(requests)     \
    F(sectors) F(ideal_sectors) F(wavefronts) F(bytes) F(shared_wavefronts) F(ideal_shared_wavefronts) F(bank_conflicts)

/* Whether volatile loads share an answer depends on timing. The order of warps decides which of several loads finds a
 * sector in L1, but not how many do, as long as L1 has room. */
static unsigned long long loads_from_l2(const haul_traffic *classes) {
    return classes[HAUL_CLASS_GLOBAL_LOAD].l2_sectors + classes[HAUL_CLASS_LDGSTS_ACCESS].l2_sectors;
}

static void hold(const point *p, const haul_diagnosis *d, const haul_launch_record *record) {
    static const haul_memory_class classes[] = {
        HAUL_CLASS_GLOBAL_LOAD, HAUL_CLASS_GLOBAL_STORE, HAUL_CLASS_GLOBAL_REDUCTION, HAUL_CLASS_GLOBAL_ATOMIC,
        HAUL_CLASS_SHARED_LOAD, HAUL_CLASS_SHARED_STORE, HAUL_CLASS_LDGSTS_ACCESS,    HAUL_CLASS_LDGSTS_BYPASS,
        HAUL_CLASS_BULK_LOAD,   HAUL_CLASS_BULK_STORE};
    unsigned differences = 0;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const haul_traffic *foretold = &d->classes[classes[i]], *counted = &record->classes[classes[i]];
#define COMPARE(field)                                                                               \
    if (foretold->field != counted->field) {                                                         \
        if (!differences++) describe(p, d);                                                          \
        print_error("  %s, " #field ": %llu foretold, %llu counted\n", haul_class_names[classes[i]], \
                    (unsigned long long)foretold->field, (unsigned long long)counted->field);        \
    }
        FIELDS(COMPARE)
    }
    const unsigned long long foretold = loads_from_l2(d->classes), counted = loads_from_l2(record->classes);
    const bool known = d->distinct_sectors <= ROOMY && !(p->t.how & HAUL_LOAD_CV);
    const unsigned long long difference = counted < foretold ? foretold - counted : counted - foretold;
    if (known && difference > foretold / 20 + 4) {
        if (!differences++) describe(p, d);
        print_error("  sectors that loads miss: %llu foretold, %llu counted\n", foretold, counted);
    }
    if (differences) fail_msg("%u counters differ", differences);
}

/* False when no such transfer is possible. */
static bool check_point(const machine *m) {
    haul_diagnosis d;
    point p = draw(haul_buffer_address(m->data), m);
    p.c.index = p.index;
    if (haul_diagnose(&p.t, &p.c, &d) != HAUL_OK) return false;
    if (d.engine_id == HAUL_BY_TENSOR) {
        if (p.c.global % 16 || p.t.element == 16) return false; /* there are no maps of such */
        write_view(m, &p);
    }
    write_index(m, &p);
    haul_run *run = launch(m, &p, &d);
    hold(&p, &d, &run->launches[0]);
    haul_run_free(run);
    return true;
}

static void check_points(const machine *m) {
    const char *given = getenv("HAUL_TEST_POINTS");
    const unsigned points = given ? (unsigned)strtoul(given, NULL, 10) : 1500;
    random_state = 1;
    if (!m->handle) skip();
    for (unsigned i = 0, tried = 0; i < points; tried++) {
        i += check_point(m);
        assert_true(tried < 100 * points + 1000);
    }
}

/* ---- descriptors that are constant ---- */

enum { LOAD, STORE, ADD, GATHER, HALO };

typedef struct constant {
    const char *kernel;
    haul_transfer t;
    int verb;
} constant;

static void check_constant(const machine *m, const constant *k) {
    static const haul_direction directions[] = {[STORE] = HAUL_DIRECTION_STORE, [ADD] = HAUL_DIRECTION_ADD, [HALO] = 0};
    point p = {.t = k->t};
    p.c = (haul_circumstances){.machine = m->name,
                               .direction = directions[k->verb],
                               .team = HAUL_TEAM_BLOCK,
                               .index_at = haul_buffer_address(m->index),
                               .index = p.index,
                               .shared = SHARED_BASE + 4096,
                               .global = haul_buffer_address(m->data) + ORIGIN};
    if (p.t.how & HAUL_CONGRUENT) p.c.shared += 4, p.c.global += 4;
    p.c.place = (haul_place){.at = {2, 2}, .extent = {33, 17}, .pitch = {512}};
    for (unsigned i = 0; i < MOST_COUNT; i++) p.index[i] = i * 7 % 64;
    haul_diagnosis d;
    must(haul_diagnose(&p.t, &p.c, &d));
    write_index(m, &p);
    const haul_argument arguments[] = {
        {.kind = HAUL_ARGUMENT_BYTES, .bytes = &p.c.place, .size = sizeof p.c.place},
        {.kind = HAUL_ARGUMENT_I64, .integer = (int64_t)p.c.global},
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->index},
        {.kind = HAUL_ARGUMENT_I32, .integer = (int64_t)p.c.shared},
    };
    const haul_launch l = {.kernel = k->kernel,
                           .grid = {1, 1, 1},
                           .block = {256, 1, 1},
                           .shared_bytes = SHARED_BYTES,
                           .arguments = arguments,
                           .argument_count = sizeof arguments / sizeof *arguments};
    haul_run *run;
    must(haul_run_create(m->handle, &run));
    must(haul_module_allow_shared(m->module, l.kernel, l.shared_bytes));
    must(haul_launch_run(m->module, &l, run));
    hold(&p, &d, &run->launches[0]);
    haul_run_free(run);
}

#define UNPACK(...) __VA_ARGS__
#define CONSTANT(id, declaration, verb)                \
    static void check_##id(const machine *m) {         \
        UNPACK declaration;                            \
        const constant k = {"constant_" #id, t, verb}; \
        check_constant(m, &k);                         \
    }
#include "transfer_constant.def"
#undef CONSTANT

static void descriptors_that_compilers_fold_count_the_same(void **state) {
    (void)state;
    static void (*const checks[])(const machine *m) = {
#define CONSTANT(id, declaration, verb) check_##id,
#include "transfer_constant.def"
#undef CONSTANT
    };
    if (!machines[0].handle) skip();
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) checks[i](&machines[k]);
}

static void an_h100_counts_what_was_foretold(void **state) {
    (void)state;
    check_points(&machines[0]);
}

static void an_a100_counts_what_was_foretold(void **state) {
    (void)state;
    check_points(&machines[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_that_compilers_fold_count_the_same),
        cmocka_unit_test(an_h100_counts_what_was_foretold),
        cmocka_unit_test(an_a100_counts_what_was_foretold),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
