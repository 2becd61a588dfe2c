/* The device heap: its blocks, and kernels that allocate (tests/data/ptx/calls.cu by nvcc and by clang). */
#include "kernel.h"

#include "base/memory.h"
#include "driver/driver.h"
#include "vgpu/driver.h"
#include "machine/heap.h"
#include "machine/host.h"

/* ---- blocks ---- */

enum { LIMIT = 1 << 16, UNIT = 16 };

typedef struct fixture {
    sim_memory *memory;
    sim_heap *heap;
} fixture;

static fixture heap_of(uint64_t bytes, bool apart) {
    fixture f;
    assert_int_equal(sim_memory_create(1 << 30, &f.memory), HAUL_OK);
    if (apart) sim_memory_keep_apart(f.memory);
    assert_int_equal(sim_heap_create(f.memory, bytes, apart, &f.heap), HAUL_OK);
    return f;
}

static void end(fixture *f) {
    uint64_t left, all;
    sim_heap_end(f->heap);
    sim_memory_usage(f->memory, &left, &all);
    assert_int_equal(left, all);
    sim_memory_free(f->memory);
}

static void blocks_are_aligned_and_do_not_touch(void **state) {
    (void)state;
    for (unsigned apart = 0; apart < 2; apart++) {
        fixture f = heap_of(LIMIT, apart);
        uint64_t last = 0;
        for (uint64_t bytes = 0; bytes < 100; bytes++) {
            const uint64_t at = sim_heap_allocate(f.heap, bytes, 1, NULL);
            assert_int_equal(at % UNIT, 0);
            assert_true(at > last);
            last = at + bytes;
        }
        for (uint64_t alignment = 1; alignment <= 1024; alignment *= 2) {
            const uint64_t at = sim_heap_allocate(f.heap, 8, alignment, NULL);
            assert_true(at && at % alignment == 0);
        }
        end(&f);
    }
}

static void what_was_freed_is_used_again(void **state) {
    (void)state;
    fixture f = heap_of(LIMIT, false);
    static uint64_t at[LIMIT / UNIT];
    size_t count = 0;
    while ((at[count] = sim_heap_allocate(f.heap, 40, 1, NULL))) count++;
    assert_int_equal(count, LIMIT / 64);
    /* Frees every other block, so that no two free ones are adjacent. */
    for (size_t i = 0; i < count; i += 2) assert_int_equal(sim_heap_release(f.heap, at[i]), SIM_HEAP_FREED);
    assert_int_equal(sim_heap_allocate(f.heap, 100, 1, NULL), 0);
    assert_true(sim_heap_allocate(f.heap, 33, 1, NULL));
    for (size_t i = 1; i < count; i += 2) assert_int_equal(sim_heap_release(f.heap, at[i]), SIM_HEAP_FREED);
    /* Only the pieces around one block are left. */
    assert_true(sim_heap_allocate(f.heap, LIMIT / 2 - UNIT, 1, NULL));
    end(&f);
}

static void a_heap_that_is_empty_is_whole(void **state) {
    (void)state;
    fixture f = heap_of(LIMIT, false);
    for (unsigned round = 0; round < 100; round++) {
        const uint64_t all = sim_heap_allocate(f.heap, LIMIT - UNIT, 1, NULL);
        assert_true(all);
        assert_int_equal(sim_heap_allocate(f.heap, 1, 1, NULL), 0);
        assert_int_equal(sim_heap_release(f.heap, all), SIM_HEAP_FREED);
        const uint64_t one = sim_heap_allocate(f.heap, 1 + round, 256, NULL);
        assert_int_equal(sim_heap_release(f.heap, one), SIM_HEAP_FREED);
    }
    assert_int_equal(sim_heap_allocate(f.heap, LIMIT, 1, NULL), 0);
    assert_int_equal(sim_heap_allocate(f.heap, UINT64_MAX, 1, NULL), 0);
    assert_int_equal(sim_heap_allocate(f.heap, 1, 1ull << 63, NULL), 0);
    end(&f);
}

static uint32_t *word_at(const fixture *f, uint64_t address) {
    uint32_t *word = sim_memory_at(f->memory, address, sizeof *word);
    assert_non_null(word);
    return word;
}

static size_t count_blocks(const sim_heap *heap) {
    sim_heap_block block = {0};
    size_t count = 0;
    while (sim_heap_next(heap, &block)) count++;
    return count;
}

static void a_heap_goes_back_to_its_copy(void **state) {
    (void)state;
    for (unsigned apart = 0; apart < 2; apart++) {
        fixture f = heap_of(LIMIT, apart);
        sim_heap_copy *copy;
        const uint64_t kept = sim_heap_allocate(f.heap, 40, 1, NULL), freed = sim_heap_allocate(f.heap, 40, 1, NULL);
        *word_at(&f, kept) = 5;
        assert_int_equal(sim_heap_copy_make(f.heap, &copy), HAUL_OK);
        *word_at(&f, kept) = 6;
        assert_int_equal(sim_heap_release(f.heap, freed), SIM_HEAP_FREED);
        for (size_t i = 0; i < 100; i++) assert_true(sim_heap_allocate(f.heap, 8, 1, NULL));
        sim_heap_copy_restore(f.heap, copy);
        assert_int_equal(count_blocks(f.heap), 2);
        assert_int_equal(*word_at(&f, kept), 5);
        assert_int_equal(sim_heap_release(f.heap, freed), SIM_HEAP_FREED);
        sim_heap_copy_restore(f.heap, NULL);
        assert_int_equal(count_blocks(f.heap), 0);
        sim_heap_copy_free(copy);
        end(&f);
    }
}

static void wrong_frees_are_told_apart(void **state) {
    (void)state;
    for (unsigned apart = 0; apart < 2; apart++) {
        fixture f = heap_of(LIMIT, apart);
        const uint64_t kept = sim_heap_allocate(f.heap, 8, 1, NULL), at = sim_heap_allocate(f.heap, 200, 1, NULL);
        assert_int_equal(sim_heap_release(f.heap, at + UNIT), SIM_HEAP_NO_BLOCK);
        assert_int_equal(sim_heap_release(f.heap, at + 1), SIM_HEAP_NO_BLOCK);
        assert_int_equal(sim_heap_release(f.heap, at + 4096), SIM_HEAP_NO_BLOCK);
        assert_int_equal(sim_heap_release(f.heap, 8), SIM_HEAP_NO_BLOCK);
        assert_int_equal(sim_heap_release(f.heap, at), SIM_HEAP_FREED);
        assert_int_equal(sim_heap_release(f.heap, at), SIM_HEAP_WAS_FREE);
        assert_int_equal(sim_heap_release(f.heap, kept), SIM_HEAP_FREED);
        end(&f);
    }
}

static void apart_blocks_have_bounds_and_a_past(void **state) {
    (void)state;
    fixture f = heap_of(LIMIT, true);
    sim_range range;
    const uint64_t first = sim_heap_allocate(f.heap, 20000, 1, NULL), at = sim_heap_allocate(f.heap, 40, 1, NULL);
    assert_true(sim_memory_find(f.memory, first + 19999, &range));
    assert_int_equal(range.from, first);
    assert_false(sim_memory_find(f.memory, first + 20000, &range));
    assert_true(sim_memory_before(f.memory, first + 20000, &range));
    assert_int_equal(range.to, first + 20000);
    assert_non_null(sim_memory_at(f.memory, at, 40));
    assert_null(sim_memory_at(f.memory, at, 41));
    assert_int_equal(sim_heap_release(f.heap, at), SIM_HEAP_FREED);
    assert_null(sim_memory_at(f.memory, at, 4));
    assert_true(sim_memory_was_freed(f.memory, at + 39, &range));
    assert_int_equal(range.to - range.from, 40);
    assert_false(sim_memory_was_freed(f.memory, first, &range));
    assert_int_not_equal(sim_heap_allocate(f.heap, 40, 1, NULL), at);
    end(&f);
}

/* The addresses that a heap with blocks apart takes are many times its size, and more than the host could fill. */
static void apart_heap_needs_host_memory_for_its_size_only(void **state) {
    (void)state;
    const uint64_t bytes = (sim_host_available() >> 3 >> 20) << 20;
    fixture f;
    assert_int_equal(sim_memory_create(64 * bytes, &f.memory), HAUL_OK);
    sim_memory_keep_apart(f.memory);
    assert_int_equal(sim_heap_create(f.memory, bytes, true, &f.heap), HAUL_OK);
    assert_int_not_equal(sim_heap_allocate(f.heap, 40, 1, NULL), 0);
    end(&f);
}

static void apart_blocks_come_back_with_later_launches(void **state) {
    (void)state;
    fixture f = heap_of(LIMIT, true);
    for (unsigned launch = 0; launch < 1000; launch++) {
        sim_heap_begin_launch(f.heap);
        for (unsigned k = 0; k < 50; k++) {
            const uint64_t at = sim_heap_allocate(f.heap, 1000, 1, NULL);
            assert_true(at);
            if (launch || k % 7) assert_int_equal(sim_heap_release(f.heap, at), SIM_HEAP_FREED);
        }
    }
    sim_heap_block block = {0};
    unsigned count = 0;
    while (sim_heap_next(f.heap, &block)) count += block.bytes == 1000;
    assert_int_equal(count, 8);
    end(&f);
}

static void without_memory_there_is_no_heap(void **state) {
    (void)state;
    sim_memory *m;
    sim_heap *h;
    assert_int_equal(sim_memory_create(1 << 20, &m), HAUL_OK);
    assert_int_equal(sim_heap_create(m, 1 << 21, false, &h), HAUL_ERROR_OUT_OF_MEMORY);
    memory_fail_after(1);
    assert_int_equal(sim_heap_create(m, LIMIT, false, &h), HAUL_ERROR_OUT_OF_MEMORY);
    memory_fail_after(0);
    sim_memory_free(m);
}

/* ---- kernels ---- */

enum { BLOCKS = 3, THREADS = 72, COUNT = BLOCKS * THREADS };

static const char *const files[] = {TEST_DATA "/ptx/calls-nvcc.ptx", TEST_DATA "/ptx/calls-clang.ptx"};

typedef struct session {
    haul_device *device;
    haul_module *module;
    haul_run *run;
} session;

/* Variant k: compiler, with or without checks, host threads. */
enum { VARIANTS = 6 };

static session open_variant(unsigned k) {
    const haul_device_options options = {.check = k % 3 == 1, .threads = k % 3 == 2 ? 4 : 1};
    session s;
    assert_int_equal(haul_device_open("sim:h100", &options, &s.device), HAUL_OK);
    if (haul_module_load_file(s.device, files[k / 3], &s.module) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(haul_run_create(s.device, &s.run), HAUL_OK);
    return s;
}

static void close_session(session *s) {
    haul_run_free(s->run);
    haul_device_close(s->device);
}

static haul_buffer *zeros(session *s, uint64_t bytes) {
    haul_buffer *b;
    void *none = calloc(1, bytes);
    assert_int_equal(haul_buffer_create(s->device, bytes, &b), HAUL_OK);
    assert_int_equal(haul_buffer_write(b, 0, none, bytes), HAUL_OK);
    free(none);
    return b;
}

static haul_status launch(session *s, const char *kernel, const haul_argument *arguments, size_t count) {
    const haul_launch l = {.kernel = kernel,
                           .grid = {BLOCKS, 1, 1},
                           .block = {THREADS, 1, 1},
                           .arguments = arguments,
                           .argument_count = (uint32_t)count};
    return haul_launch_run(s->module, &l, s->run);
}

static haul_argument buffer(haul_buffer *b) {
    return (haul_argument){.kind = HAUL_ARGUMENT_BUFFER, .buffer = b};
}

static haul_argument number(int32_t n) {
    return (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = n};
}

static const char *first_finding(const session *s) {
    const haul_launch_record *last = &s->run->launches[s->run->launch_count - 1];
    return last->finding_count ? haul_finding_kinds[last->findings[0].kind].key : "nothing";
}

static void threads_build_lists_and_take_them_down(void **state) {
    (void)state;
    for (unsigned k = 0; k < VARIANTS; k++) {
        session s = open_variant(k);
        int32_t out[COUNT];
        haul_buffer *b = zeros(&s, sizeof out);
        if (launch(&s, "lists", (haul_argument[]){buffer(b)}, 1) != HAUL_OK) fail_msg("%s", haul_message());
        if (k % 3 == 1) assert_string_equal(first_finding(&s), "nothing");
        assert_int_equal(haul_buffer_read(b, 0, out, sizeof out), HAUL_OK);
        for (int32_t i = 0; i < COUNT; i++) assert_int_equal(out[i], i * ((i % 5) * (i % 5 - 1) / 2));
        close_session(&s);
    }
}

static void blocks_live_over_launches(void **state) {
    (void)state;
    enum { EACH = 33 };
    for (unsigned k = 0; k < VARIANTS; k++) {
        session s = open_variant(k);
        int32_t out[COUNT];
        haul_buffer *kept = zeros(&s, COUNT * 8), *b = zeros(&s, sizeof out);
        for (unsigned round = 0; round < 3; round++) {
            assert_int_equal(launch(&s, "keep", (haul_argument[]){buffer(kept), number(EACH)}, 2), HAUL_OK);
            assert_int_equal(launch(&s, "give_back", (haul_argument[]){buffer(kept), buffer(b), number(EACH)}, 3),
                             HAUL_OK);
            if (k % 3 == 1) assert_string_equal(first_finding(&s), "nothing");
            assert_int_equal(haul_buffer_read(b, 0, out, sizeof out), HAUL_OK);
            for (int32_t i = 0; i < COUNT; i++) assert_int_equal(out[i], EACH * i + EACH * (EACH - 1) / 2);
        }
        close_session(&s);
    }
}

/* 64 KiB hold 63 blocks of 1024 bytes and their records. */
static void malloc_gives_null_when_the_heap_is_used_up(void **state) {
    (void)state;
    for (unsigned k = 0; k < VARIANTS; k++) {
        session s = open_variant(k);
        uint64_t kept[COUNT];
        haul_buffer *b = zeros(&s, sizeof kept);
        unsigned given = 0;
        assert_int_equal(sim_driver()->limit_set(DRIVER_LIMIT_HEAP, LIMIT), CUDA_SUCCESS);
        assert_int_equal(launch(&s, "keep", (haul_argument[]){buffer(b), number(256)}, 2), HAUL_OK);
        assert_int_equal(haul_buffer_read(b, 0, kept, sizeof kept), HAUL_OK);
        for (unsigned i = 0; i < COUNT; i++) given += kept[i] != 0;
        assert_int_equal(given, LIMIT / (1024 + UNIT));
        close_session(&s);
    }
}

static void the_limit_is_for_before_the_first_use(void **state) {
    (void)state;
    session s = open_variant(0);
    const driver_table *cu = sim_driver();
    size_t bytes;
    haul_buffer *b = zeros(&s, COUNT * 8);
    assert_int_equal(cu->limit_get(&bytes, DRIVER_LIMIT_HEAP), CUDA_SUCCESS);
    assert_int_equal(bytes, SIM_HEAP_BYTES);
    assert_int_equal(cu->limit_set(DRIVER_LIMIT_HEAP, 1 << 24), CUDA_SUCCESS);
    assert_int_equal(cu->limit_set(DRIVER_LIMIT_HEAP, (size_t)1 << 50), CUDA_INVALID_VALUE);
    assert_int_equal(launch(&s, "keep", (haul_argument[]){buffer(b), number(4)}, 2), HAUL_OK);
    assert_int_equal(cu->limit_set(DRIVER_LIMIT_HEAP, 1 << 25), CUDA_INVALID_VALUE);
    assert_int_equal(cu->limit_get(&bytes, DRIVER_LIMIT_HEAP), CUDA_SUCCESS);
    assert_int_equal(bytes, 1 << 24);
    close_session(&s);
}

static void the_host_cannot_use_a_kernels_blocks(void **state) {
    (void)state;
    session s = open_variant(0);
    const driver_table *cu = sim_driver();
    uint64_t kept[COUNT];
    uint32_t word;
    haul_buffer *b = zeros(&s, sizeof kept);
    assert_int_equal(launch(&s, "keep", (haul_argument[]){buffer(b), number(4)}, 2), HAUL_OK);
    assert_int_equal(haul_buffer_read(b, 0, kept, sizeof kept), HAUL_OK);
    assert_int_equal(cu->copy_to_host(&word, kept[0], sizeof word), CUDA_INVALID_VALUE);
    assert_int_equal(cu->release(kept[0]), CUDA_INVALID_VALUE);
    close_session(&s);
}

/* Only nvcc's code: clang removes pairs of malloc() and free(). */
static void expect_finding(const char *kernel, const char *finding, const char *message) {
    session s = open_variant(1);
    haul_buffer *b = zeros(&s, COUNT * 4);
    assert_int_not_equal(launch(&s, kernel, (haul_argument[]){buffer(b)}, 1), HAUL_OK);
    assert_non_null(strstr(haul_message(), message));
    assert_string_equal(first_finding(&s), finding);
    close_session(&s);
}

static void misuse_is_found(void **state) {
    (void)state;
    expect_finding("use_after_free", "use-after-free", "access outside any allocation");
    expect_finding("beyond_the_end", "out-of-bounds", "access outside any allocation");
    expect_finding("free_twice", "bad-free", "has already been freed");
    expect_finding("free_what_is_not_ours", "bad-free", "was not allocated by malloc() in a kernel");
}

static void what_nobody_frees_is_a_leak(void **state) {
    (void)state;
    session s = open_variant(1);
    haul_buffer *b = zeros(&s, COUNT * 8), *out = zeros(&s, COUNT * 4);
    assert_int_equal(launch(&s, "lists", (haul_argument[]){buffer(out)}, 1), HAUL_OK);
    assert_int_equal(launch(&s, "keep", (haul_argument[]){buffer(b), number(4)}, 2), HAUL_OK);
    assert_int_equal(haul_device_leaks(s.device, s.run), HAUL_OK);
    const haul_launch_record *r = &s.run->launches[s.run->launch_count - 1];
    assert_int_equal(s.run->launch_count, 3);
    assert_string_equal(r->kernel, "keep");
    assert_int_equal(r->finding_count, 1);
    assert_int_equal(r->findings[0].kind, HAUL_FINDING_LEAK);
    assert_int_equal(r->findings[0].count, COUNT);
    assert_int_equal(r->findings[0].bytes, 16);
    assert_int_equal(r->instructions[r->findings[0].access.instruction].place.line, 164);
    assert_int_equal(launch(&s, "give_back", (haul_argument[]){buffer(b), buffer(out), number(4)}, 3), HAUL_OK);
    assert_int_equal(haul_device_leaks(s.device, s.run), HAUL_OK);
    assert_int_equal(s.run->launch_count, 4);
    close_session(&s);
}

static void without_checks_a_wrong_free_still_ends_the_kernel(void **state) {
    (void)state;
    session s = open_variant(0);
    haul_buffer *b = zeros(&s, COUNT * 4);
    assert_int_equal(launch(&s, "free_twice", (haul_argument[]){buffer(b)}, 1), HAUL_ERROR_FAULT);
    close_session(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_do_not_touch),
        cmocka_unit_test(what_was_freed_is_used_again),
        cmocka_unit_test(a_heap_that_is_empty_is_whole),
        cmocka_unit_test(a_heap_goes_back_to_its_copy),
        cmocka_unit_test(wrong_frees_are_told_apart),
        cmocka_unit_test(apart_blocks_have_bounds_and_a_past),
        cmocka_unit_test(apart_heap_needs_host_memory_for_its_size_only),
        cmocka_unit_test(apart_blocks_come_back_with_later_launches),
        cmocka_unit_test(without_memory_there_is_no_heap),
        cmocka_unit_test(threads_build_lists_and_take_them_down),
        cmocka_unit_test(blocks_live_over_launches),
        cmocka_unit_test(malloc_gives_null_when_the_heap_is_used_up),
        cmocka_unit_test(the_limit_is_for_before_the_first_use),
        cmocka_unit_test(the_host_cannot_use_a_kernels_blocks),
        cmocka_unit_test(misuse_is_found),
        cmocka_unit_test(what_nobody_frees_is_a_leak),
        cmocka_unit_test(without_checks_a_wrong_free_still_ends_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
