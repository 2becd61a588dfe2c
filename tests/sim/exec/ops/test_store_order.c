/* Lanes of one store that share an address. On an H200, lanes store in groups of 32 (up to 4 bytes each), 16 (8 bytes)
 * or 8 (16 bytes), and the first lane of the last group stays (tools/device/store_order.cu). */
#include "kernel.h"

#include "base/text.h"

enum { LANES = 32, SLOT_BYTES = 16, WORDS = LANES * SLOT_BYTES / 4 };

/* Lane l stores to slot (l >> shift) & mask. */
typedef struct sharing {
    unsigned shift, mask;
} sharing;

static const sharing sharings[] = {{0, 0}, {1, 31}, {0, 15}, {0, 7}, {2, 31}, {4, 31}, {0, 31}};

typedef struct kind {
    const char *store, *value;
    unsigned bytes;
} kind;

static const kind kinds[] = {
    {"u8", "%r7", 1},   {"u16", "%h0", 2},           {"u32", "%r7", 4},
    {"u64", "%rd7", 8}, {"v2.u32", "{%r7, %r7}", 8}, {"v4.u32", "{%r7, %r7, %r7, %r7}", 16},
};

static unsigned winner(unsigned slot, const sharing *s, unsigned bytes) {
    const unsigned group = bytes <= 4 ? LANES : 128 / bytes;
    unsigned stays = 0, its_group = 0;
    bool found = false;
    for (unsigned l = 0; l < LANES; l++) {
        if ((l >> s->shift & s->mask) != slot || (found && l / group == its_group)) continue;
        stays = l, its_group = l / group, found = true;
    }
    return found ? stays : 0;
}

/* Each of 16 rounds stores, so that the loop is compiled; shared memory is copied to `out` at the end. */
static void write_kernel(text *t, const kind *k, const sharing *s, bool shared) {
    text_clear(t);
    text_put(t, HEAD BEGIN ".shared .align 16 .b8 room[512];\nmov.u32 %r8, room;\n");
    text_printf(t, "shr.u32 %%r3, %%r0, %u;\nand.b32 %%r3, %%r3, %u;\n", s->shift, s->mask);
    text_printf(t, "mul.lo.u32 %%r3, %%r3, %u;\nadd.u32 %%r9, %%r8, %%r3;\n", k->bytes);
    text_put(t, "cvt.u64.u32 %rd3, %r3;\nadd.u64 %rd4, %rd0, %rd3;\nmul.lo.u32 %r7, %r0, 0x01010101;\n"
                "cvt.u16.u32 %h0, %r7;\nmov.b64 %rd7, {%r7, %r7};\nmov.u32 %r4, 0;\n"
                "mul.lo.u32 %r5, %r0, 16;\nadd.u32 %r6, %r8, %r5;\ncvt.u64.u32 %rd5, %r5;\nadd.u64 %rd6, %rd0, %rd5;\n"
                "st.shared.v4.u32 [%r6], {%r4, %r4, %r4, %r4};\nbar.sync 0;\n$loop:\n");
    text_printf(t, "st.%s.%s [%s], %s;\n", shared ? "shared" : "global", k->store, shared ? "%r9" : "%rd4", k->value);
    text_put(t, "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p0, %r4, 16;\n@%p0 bra $loop;\nbar.sync 0;\n");
    if (shared)
        text_put(t, "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r6];\n"
                    "st.global.v4.u32 [%rd6], {%r10, %r11, %r12, %r13};\n");
    text_put(t, END);
}

static void expect_winners(const char *mode, const kind *k, const sharing *s, bool shared) {
    static text t;
    unsigned char out[WORDS * 4] = {0};
    write_kernel(&t, k, s, shared);
    setenv("HAUL_COMPILE", mode, 1);
    run_kernel(&(kernel_run){.ptx = text_string(&t), INTO(out)});
    unsetenv("HAUL_COMPILE");
    for (unsigned slot = 0; slot < LANES; slot++)
        for (unsigned b = 0; b < k->bytes; b++)
            if (out[slot * k->bytes + b] != winner(slot, s, k->bytes))
                fail_msg("%s, st.%s.%s to (lane >> %u) & %u: slot %u has lane %u, not %u", mode,
                         shared ? "shared" : "global", k->store, s->shift, s->mask, slot, out[slot * k->bytes + b],
                         winner(slot, s, k->bytes));
}

static void expect_all(const char *mode) {
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned s = 0; s < sizeof sharings / sizeof *sharings; s++) {
            expect_winners(mode, &kinds[k], &sharings[s], false);
            expect_winners(mode, &kinds[k], &sharings[s], true);
        }
}

static void interpreted_stores_keep_the_first_lane_of_the_last_group(void **state) {
    (void)state;
    expect_all("off");
}

static void so_do_compiled_ones(void **state) {
    (void)state;
    expect_all("1");
    expect_all("4:more");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpreted_stores_keep_the_first_lane_of_the_last_group),
        cmocka_unit_test(so_do_compiled_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
