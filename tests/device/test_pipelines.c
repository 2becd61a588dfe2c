/* Random pipelines: unified ones of a thread, a warp or a block, and pairs of split ones, of 1 to 16 stages; rounds
 * that bring nothing, a shorter last round, stages that are written to. The content of each round's stage is compared
 * byte for byte with the host's. Environment as in test_sweep.c. */
#include "machines.h"
#include "pipe.h"

enum { MOST_STAGES_BYTES = 72 << 10 };

/* ---- drawing ---- */

static haul_how draw_pipeline_how(void) {
    static const haul_how engines[] = {HAUL_AUTO, HAUL_AUTO, HAUL_BY_LDGSTS, HAUL_BY_LDG};
    return engines[below(4)] | (one_in(3) ? HAUL_STAGES_WRITTEN : 0);
}

static void draw_rounds(const batch *b, const point *p, pipe_case *c) {
    const unsigned unit = direction_of(b->verb) == HAUL_DIRECTION_LOAD ? 1 : 0;
    c->how = draw_pipeline_how();
    c->late = c->stages == 1 || one_in(3);
    c->ahead = between(1, c->stages - !c->late);
    c->empty = one_in(3) ? below(0xffffffff) & below(0xffffffff) : 0;
    c->last_bytes = one_in(2) ? p->t.bytes : between(unit, p->t.bytes ? p->t.bytes : 1);
    c->last_count = one_in(2) ? p->t.count : between(1, p->t.count ? p->t.count : 1);
}

/* Transfers that take too much room are drawn again. */
static void draw_case(batch *b, unsigned i, pipe_case *c) {
    point *p = &b->points[i];
    const size_t images = b->images_bytes;
    b->part[i] = b->arena_bytes;
    c->stages = one_in(4) ? below(16) + 1 : between(1, 4);
    do {
        memset(p, 0, sizeof *p);
        memset(&b->tensors[i], 0, sizeof b->tensors[i]);
        b->images_bytes = images;
        draw_point(b, p);
        p->shared_bytes = rounded_up(p->shared_bytes, 128); /* stages are as well aligned as the first */
    } while (p->shared_bytes * c->stages > MOST_STAGES_BYTES);
    p->flags = 0;
    if (is_tile(b->verb)) p->t.how &= ~HAUL_UNBOUNDED; /* rounds move on along the array, and beyond it */
    if (p->team_kind == HAUL_TEAM_WARPS) p->team_kind = HAUL_TEAM_BLOCK, p->t.threads = 0;
    b->images_bytes = images + (size_t)p->rounds * p->shared_bytes;
    draw_rounds(b, p, c);
}

/* Roles of two split pipelines: producers and consumers in any order, warps between them that do nothing. */
static void draw_roles(const batch *b, pipe_case *one, pipe_case *two) {
    const unsigned warps = b->block_threads / 32;
    unsigned next = 0, left = warps,
             *starts[] = {&one->first_producer, &one->first_consumer, &two->first_producer, &two->first_consumer};
    unsigned *threads[] = {&one->producers, &one->consumers, &two->producers, &two->consumers};
    for (unsigned k = 3; k > 0; k--) { /* in any order */
        const unsigned other = below(k + 1);
        unsigned *start = starts[k], *size = threads[k];
        starts[k] = starts[other], threads[k] = threads[other];
        starts[other] = start, threads[other] = size;
    }
    for (unsigned k = 0; k < 4; k++) {
        const unsigned most = left - (3 - k), take = between(1, most > 8 ? 8 : most);
        *starts[k] = next;
        *threads[k] = 32 * take;
        const unsigned idle = left - take > 3 - k ? below(2) : 0;
        next += take + idle;
        left -= take + idle;
    }
}

/* ---- the host's stages ---- */

static void carry_round(const batch *b, const point *p, const pipe_case *c, unsigned round, uint8_t *stage) {
    point now = *p;
    const host_side h = {HAUL_DIRECTION_LOAD, b->arena + (is_tile(b->verb) ? 0 : (size_t)round * p->round_step), stage};
    if (c->empty >> round % 32 & 1) return;
    if (round + 1 == p->rounds && p->t.shape != HAUL_SHAPE_BOX) {
        now.t.bytes = c->last_bytes;
        now.t.count = c->last_count;
    }
    if (is_tile(b->verb) && p->t.rank > 1) {
        now.place.at[1] += (int)round;
        now.global += round * now.place.pitch[0];
    }
    visit(b, &now, carry, (void *)&h);
}

static void carry_out(batch *b, const pipe_case *cases) {
    for (unsigned i = 0; i < b->count; i++) {
        const point *p = &b->points[i];
        uint8_t *stages = malloc((size_t)cases[i].stages * p->shared_bytes);
        assert_non_null(stages);
        memset(stages, CANARY, (size_t)cases[i].stages * p->shared_bytes);
        for (unsigned round = 0; round < p->rounds; round++) {
            uint8_t *stage = stages + (size_t)(round % cases[i].stages) * p->shared_bytes;
            carry_round(b, p, &cases[i], round, stage);
            memcpy(b->images + p->image + (size_t)round * p->shared_bytes, stage, p->shared_bytes);
            if (cases[i].how & HAUL_STAGES_WRITTEN) memset(stage, CANARY, p->shared_bytes);
        }
        free(stages);
    }
}

/* ---- batches ---- */

static batch *draw_pipelines(uint64_t seed, unsigned arch, bool split, pipe_case *cases) {
    batch *b = batch_begin(seed, arch, BATCH);
    b->verb = (verb)below(STORE);
    if (split && b->block_threads < 128) { /* roles take four warps */
        memcpy(b->block, (unsigned[]){256, 1, 1}, sizeof b->block);
        b->block_threads = 256;
    }
    b->most_rounds = 40;
    b->most_shared = 4 << 10;
    for (unsigned i = 0; i < BATCH; i++) {
        draw_case(b, i, &cases[i]);
        if (split && i % 2) {
            cases[i].base = cases[i - 1].stages * b->points[i - 1].shared_bytes;
            draw_roles(b, &cases[i - 1], &cases[i]);
        }
    }
    batch_fill(b);
    return b;
}

static uint32_t shared_bytes_of(const batch *b, const pipe_case *cases) {
    uint32_t most = 0;
    for (unsigned i = 0; i < b->count; i++) {
        const uint32_t bytes = cases[i].base + cases[i].stages * b->points[i].shared_bytes;
        if (bytes > most) most = bytes;
    }
    return most;
}

static haul_status launch(const batch *b, const bench *m, haul_module *module, haul_buffer *cases, bool split,
                          uint32_t shared_bytes) {
    const haul_argument arguments[] = {
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = cases},     {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->points},
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->views},  {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->arena},
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->images}, {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->lists}};
    const haul_launch l = {.kernel = split ? "run_split" : "run_unified",
                           .grid = {split ? b->count / 2 : b->count, 1, 1},
                           .block = {b->block[0], b->block[1], b->block[2]},
                           .shared_bytes = shared_bytes,
                           .arguments = arguments,
                           .argument_count = COUNT(arguments)};
    return launch_cleanly(m->device, module, &l);
}

static void print_case(const batch *b, const pipe_case *c, const char *where, size_t at) {
    const point *p = &b->points[owner(b, true, at)];
    const size_t byte = at - p->image;
    const pipe_case *mine = &c[p - b->points];
    print_error("%s: byte %zu of round %zu; pipeline %d: how %#llx stages %u ahead %u late %u empty %#x last %u x %u; "
                "producers %u+%u consumers %u+%u\n",
                where, byte % p->shared_bytes, byte / p->shared_bytes, (int)(p - b->points),
                (unsigned long long)mine->how, mine->stages, mine->ahead, mine->late, mine->empty, mine->last_count,
                mine->last_bytes, mine->first_producer, mine->producers, mine->first_consumer, mine->consumers);
}

static bool pipelines_are_right(const machine *m, uint64_t seed, bool split) {
    pipe_case cases[BATCH] = {0};
    char where[96];
    batch *b = draw_pipelines(seed, m->arch, split, cases);
    bench on = bench_open(b, m->device);
    haul_buffer *buffer = upload(m->device, cases, sizeof cases);
    snprintf(where, sizeof where, "%s sm_%u %s HAUL_SWEEP_SEED=%llu", haul_device_name(m->device), m->arch,
             split ? "split" : "unified", (unsigned long long)seed);
    bool right = launch(b, &on, m->module, buffer, split, shared_bytes_of(b, cases)) == HAUL_OK;
    if (!right) print_error("%s: %s\n", where, haul_message());
    carry_out(b, cases);
    size_t at = 0;
    if (right && !bench_agrees(b, &on, where, &at)) {
        print_case(b, cases, where, at);
        right = false;
    }
    haul_buffer_free(buffer);
    bench_close(&on);
    batch_free(b);
    return right;
}

static void sweep(const char *device, unsigned arch, bool split) {
    const unsigned long points = from_environment("HAUL_SWEEP_POINTS", 384);
    uint64_t seed = from_environment("HAUL_SWEEP_SEED", 1);
    unsigned wrong = 0;
    machine m = machine_open(device, arch, "pipelines");
    for (unsigned long done = 0; done < points; done += BATCH) wrong += !pipelines_are_right(&m, seed++, split);
    haul_device_close(m.device);
    if (wrong) fail_msg("%u batches of %lu are wrong", wrong, (points + BATCH - 1) / BATCH);
}

static void unified_pipelines_of_sm_80_are_right(void **state) {
    (void)state;
    sweep("sim:a100", 80, false);
}

static void unified_pipelines_of_sm_90_are_right(void **state) {
    (void)state;
    sweep("sim:h100", 90, false);
}

static void split_pipelines_of_sm_80_are_right(void **state) {
    (void)state;
    sweep("sim:a100", 80, true);
}

static void split_pipelines_of_sm_90_are_right(void **state) {
    (void)state;
    sweep("sim:h100", 90, true);
}

/* ---- a debug build ---- */

/* Four stages of 1 KiB and ten rounds, in a block of two warps: one produces, the other consumes, or both do all. */
static batch *draw_plain(haul_device *device, bench *on, pipe_case cases[2], pipe_mistake mistake) {
    batch *b = batch_begin(1, haul_device_architecture(device), 2);
    memcpy(b->block, (unsigned[]){128, 1, 1}, sizeof b->block);
    b->verb = LOAD;
    for (unsigned i = 0; i < 2; i++) {
        point *p = &b->points[i];
        p->t = haul_sequential(1024, 16, 0, HAUL_AUTO);
        p->team_kind = HAUL_TEAM_BLOCK;
        p->shared_bytes = 1024;
        p->rounds = 10;
        p->image = i * 10240;
        cases[i] = (pipe_case){.stages = 4,
                               .ahead = 2,
                               .base = i * 4096,
                               .last_bytes = 1024,
                               .last_count = 1,
                               .first_producer = i,
                               .producers = 32,
                               .first_consumer = 2 + i,
                               .consumers = 32};
    }
    cases[1].wrong = mistake;
    b->arena_bytes = 1024;
    b->images_bytes = 20480;
    batch_fill(b);
    *on = bench_open(b, device);
    return b;
}

/* The launch ends with a trap whose message has both texts. */
static void expect_trap(const machine *m, bool split, pipe_mistake mistake, const char *where, const char *what) {
    pipe_case cases[2];
    bench on;
    batch *b = draw_plain(m->device, &on, cases, mistake);
    haul_buffer *buffer = upload(m->device, cases, sizeof cases);
    const haul_status status = launch(b, &on, m->module, buffer, split, 8192);
    if (status != (mistake ? HAUL_ERROR_TRAP : HAUL_OK)) fail_msg("status %d: %s", (int)status, haul_message());
    if (mistake && (!strstr(haul_message(), where) || !strstr(haul_message(), what)))
        fail_msg("'%s' does not have '%s' and '%s'", haul_message(), where, what);
    haul_buffer_free(buffer);
    bench_close(&on);
    batch_free(b);
}

/* On hardware a trap ends the process's context, and the driver prints what the assertion says. */
static void debug_build(const char *device, unsigned arch) {
    const machine m = machine_open(device, arch, "pipelines_debug");
    if (!haul_device_is_virtual(m.device)) skip();
    expect_trap(&m, true, PIPE_RIGHT, "", "");
    expect_trap(&m, false, PIPE_RIGHT, "", "");
    expect_trap(&m, true, PIPE_TOO_FEW_ROUNDS, "second:1: producer", "waited too long");
    expect_trap(&m, true, PIPE_NOTHING_MADE, "second:0: consumer", "waited too long");
    expect_trap(&m, true, PIPE_PRODUCES, "second:0: producer", "no producer runs the producer's code");
    expect_trap(&m, true, PIPE_CONSUMES, "second:0: consumer", "no consumer runs the consumer's code");
    expect_trap(&m, false, PIPE_NEVER_COMMITTED, "block's:0: using", "never committed");
    expect_trap(&m, false, PIPE_MANY_TILES, "block's:0: filling", "all stages are taken");
    haul_device_close(m.device);
}

static void wrong_uses_trap_in_a_debug_build_for_sm_80(void **state) {
    (void)state;
    if (getenv("HAUL_TEST_DEVICE")) skip(); /* a GPU is lost to the process after the first trap */
    debug_build("sim:a100", 80);
}

static void wrong_uses_trap_in_a_debug_build_for_sm_90(void **state) {
    (void)state;
    if (getenv("HAUL_TEST_DEVICE")) skip();
    debug_build("sim:h100", 90);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unified_pipelines_of_sm_80_are_right),
        cmocka_unit_test(unified_pipelines_of_sm_90_are_right),
        cmocka_unit_test(split_pipelines_of_sm_80_are_right),
        cmocka_unit_test(split_pipelines_of_sm_90_are_right),
        cmocka_unit_test(wrong_uses_trap_in_a_debug_build_for_sm_80),
        cmocka_unit_test(wrong_uses_trap_in_a_debug_build_for_sm_90),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
