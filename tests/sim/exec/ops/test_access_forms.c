/* Loads and stores of global memory with each allowed cache operator, priority, policy and prefetch size, in each
 * width: all move the same data. The lists hold what ptxas 13 accepts for sm_80. */
#include "kernel.h"

#include "base/text.h"

enum { STEP = 16, MOST_FORMS = 64 };

static const char *const loads[] = {
    "ld.global",
    "ld.global.ca",
    "ld.global.cg",
    "ld.global.cs",
    "ld.global.lu",
    "ld.global.cv",
    "ld.global.nc",
    "ld.global.nc.ca",
    "ld.global.nc.cg",
    "ld.global.nc.cs",
    "ld.global.L1::evict_normal",
    "ld.global.L1::evict_unchanged",
    "ld.global.L1::evict_first",
    "ld.global.L1::evict_last",
    "ld.global.L1::no_allocate",
    "ld.global.nc.L1::no_allocate",
    "ld.global.nc.L1::evict_last",
    "ld.global.L2::64B",
    "ld.global.L2::128B",
    "ld.global.L2::256B",
    "ld.global.cs.L2::64B",
    "ld.global.ca.L2::256B",
    "ld.global.cg.L2::128B",
    "ld.global.nc.ca.L2::128B",
    "ld.global.nc.L1::no_allocate.L2::256B",
    "ld.global.L2::cache_hint",
    "ld.global.cg.L2::cache_hint",
    "ld.global.nc.cg.L2::cache_hint.L2::128B",
    "ld.global.nc.L1::no_allocate.L2::cache_hint",
    "ld.global.L1::evict_last.L2::cache_hint.L2::128B",
    "ld.global.L1::no_allocate.L2::cache_hint.L2::256B",
    "ld.volatile.global",
    "ld.weak.global",
    "ld.relaxed.cta.global",
    "ld.relaxed.gpu.global",
    "ld.relaxed.sys.global",
    "ld.acquire.cta.global",
    "ld.acquire.gpu.global",
    "ld.acquire.sys.global.L2::128B",
    "ld.relaxed.gpu.global.L1::no_allocate",
    "ld",
    "ld.relaxed.gpu",
    NULL,
};

static const char *const stores[] = {
    "st.global",
    "st.global.wb",
    "st.global.cg",
    "st.global.cs",
    "st.global.wt",
    "st.global.L1::evict_normal",
    "st.global.L1::evict_unchanged",
    "st.global.L1::evict_first",
    "st.global.L1::evict_last",
    "st.global.L1::no_allocate",
    "st.global.L2::cache_hint",
    "st.global.wb.L2::cache_hint",
    "st.global.cg.L2::cache_hint",
    "st.global.cs.L2::cache_hint",
    "st.global.wt.L2::cache_hint",
    "st.global.L1::evict_first.L2::cache_hint",
    "st.global.L1::no_allocate.L2::cache_hint",
    "st.volatile.global",
    "st.weak.global",
    "st.relaxed.gpu.global",
    "st.relaxed.sys.global",
    "st.release.cta.global",
    "st.release.gpu.global",
    "st.relaxed.gpu.global.L1::no_allocate",
    "st",
    "st.release.sys",
    NULL,
};

typedef struct width {
    const char *type, *registers; /* registers: their prefix */
    unsigned bytes, count;
} width;

static const width widths[] = {
    {".b8", "%h", 1, 1},      {".u8", "%h", 1, 1},     {".s8", "%r", 1, 1},     {".b16", "%h", 2, 1},
    {".b32", "%r", 4, 1},     {".f32", "%f", 4, 1},    {".b64", "%rd", 8, 1},   {".f64", "%fd", 8, 1},
    {".v2.u8", "%h", 1, 2},   {".v4.b8", "%h", 1, 4},  {".v2.u16", "%h", 2, 2}, {".v4.b16", "%h", 2, 4},
    {".v2.b32", "%r", 4, 2},  {".v4.b32", "%r", 4, 4}, {".v4.f32", "%f", 4, 4}, {".v2.b64", "%rd", 8, 2},
    {".v2.f64", "%fd", 8, 2},
};

/* {%r8, %r9, ...} */
static void put_data(text *t, const width *w) {
    text_put(t, w->count > 1 ? "{" : "");
    for (unsigned k = 0; k < w->count; k++) text_printf(t, "%s%s%u", k ? ", " : "", w->registers, 8 + k);
    text_put(t, w->count > 1 ? "}" : "");
}

static const char *policy_of(const char *form) {
    return strstr(form, "cache_hint") ? ", %rd4" : "";
}

static void put_copy(text *t, const width *w, const char *load, const char *store, unsigned at) {
    text_printf(t, "%s%s ", load, w->type);
    put_data(t, w);
    text_printf(t, ", [%%rd1+%u]%s;\n%s%s [%%rd0+%u], ", at, policy_of(load), store, w->type, at);
    put_data(t, w);
    text_printf(t, "%s;\n", policy_of(store));
}

static unsigned put_copies(text *t, const width *w) {
    unsigned n = 0;
    text_put(t, "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd4, 0.25;\n");
    for (unsigned k = 0; loads[k]; k++) put_copy(t, w, loads[k], "st.global", STEP * n++);
    for (unsigned k = 0; stores[k]; k++) put_copy(t, w, "ld.global", stores[k], STEP * n++);
    return n;
}

static void copy_in_all_forms(const char *device, const char *head, const width *w) {
    unsigned char in[STEP * 2 * MOST_FORMS], out[sizeof in] = {0};
    text t = {0};
    text_put(&t, head);
    const unsigned forms = put_copies(&t, w);
    text_put(&t, END);
    assert_true(forms <= 2 * MOST_FORMS);
    for (unsigned k = 0; k < sizeof in; k++) in[k] = (unsigned char)(k * 7 + 1);
    run_kernel(&(kernel_run){.ptx = text_string(&t), .device = device, .threads = 1, FROM(in), INTO(out)});
    for (unsigned n = 0; n < forms; n++)
        if (memcmp(in + STEP * n, out + STEP * n, (size_t)w->bytes * w->count) != 0)
            fail_msg("%s: form %u moves something else", w->type, n);
    text_free(&t);
}

static void every_form_moves_the_same_on_sm_80(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        copy_in_all_forms("sim:a100", ".version 8.0\n.target sm_80\n.address_size 64\n" BEGIN, &widths[k]);
}

static void every_form_moves_the_same_on_sm_90(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) copy_in_all_forms("sim:h100", HEAD BEGIN, &widths[k]);
}

/* ---- lanes that lie apart ---- */

/* Lanes take turns among three allocations; %rd5 becomes the lane's own word. */
#define SPREAD                                                                         \
    "rem.u32 %r3, %r0, 3;\nsetp.eq.u32 %p0, %r3, 0;\nsetp.eq.u32 %p1, %r3, 1;\n"       \
    "mov.u64 %rd4, own;\nselp.b64 %rd4, %rd1, %rd4, %p0;\nselp.b64 %rd4, %rd0, %rd4, " \
    "%p1;\nmad.wide.u32 %rd5, %r0, 4, %rd4;\n"
#define OWN ".global .align 4 .u32 own[32];\n"

static void lanes_may_access_several_allocations(void **state) {
    uint32_t in[32] = {0}, out[64] = {0};
    (void)state;
    run_kernel(
        &(kernel_run){.ptx = KERNEL_WITH(OWN, SPREAD "add.u32 %r4, %r0, 100;\nst.global.u32 [%rd5], %r4;\n"
                                                     "ld.global.u32 %r5, [%rd5];\nst.global.u32 [%rd2+128], %r5;\n"),
                      FROM(in),
                      INTO(out)});
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(out[32 + l], 100 + l);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(out[l], l % 3 == 1 ? 100 + l : 0);
}

static void a_lane_beside_several_allocations_is_a_fault(void **state) {
    uint32_t in[32] = {0}, out[32] = {0};
    (void)state;
    expect_failure(
        &(kernel_run){.ptx = KERNEL_WITH(OWN, SPREAD "setp.eq.u32 %p2, %r0, 20;\nselp.b64 %rd5, 64, %rd5, %p2;\n"
                                                     "st.global.u32 [%rd5], %r0;\n"),
                      FROM(in),
                      INTO(out)},
        HAUL_ERROR_FAULT, "4 bytes at 0x40");
}

/* ---- cp.async ---- */

static const char *const copies[] = {
    "cp.async.ca.shared.global",
    "cp.async.ca.shared::cta.global",
    "cp.async.ca.shared.global.L2::64B",
    "cp.async.ca.shared.global.L2::128B",
    "cp.async.ca.shared.global.L2::256B",
    "cp.async.ca.shared.global.L2::cache_hint",
    "cp.async.ca.shared.global.L2::cache_hint.L2::128B",
    "cp.async.cg.shared.global",
    "cp.async.cg.shared::cta.global.L2::64B",
    "cp.async.cg.shared.global.L2::128B",
    "cp.async.cg.shared.global.L2::256B",
    "cp.async.cg.shared.global.L2::cache_hint",
    "cp.async.cg.shared.global.L2::cache_hint.L2::256B",
    NULL,
};

/* The whole copy, or with the size form only its first `read` bytes, followed by zeros. */
static unsigned put_async(text *t, unsigned bytes, const char *read) {
    unsigned n = 0;
    for (unsigned k = 0; copies[k]; k++) {
        if (strstr(copies[k], ".cg") && bytes != 16) continue;
        text_printf(t, "%s [%%r8+%u], [%%rd1+%u], %u%s%s;\n", copies[k], STEP * n, STEP * n, bytes, read,
                    policy_of(copies[k]));
        n++;
    }
    text_put(t, "cp.async.wait_all;\n");
    for (unsigned k = 0; k < n; k++)
        text_printf(t,
                    "ld.shared.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%r8+%u];\n"
                    "st.global.v4.u32 [%%rd0+%u], {%%r4, %%r5, %%r6, %%r7};\n",
                    STEP * k, STEP * k);
    return n;
}

static void copy_asynchronously(unsigned bytes, unsigned read) {
    unsigned char in[STEP * MOST_FORMS], out[sizeof in] = {0}, want[STEP];
    char size[16] = "";
    text t = {0};
    if (read < bytes) snprintf(size, sizeof size, ", %u", read);
    text_put(&t, ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 16 .b8 tile[1024];\n" BEGIN
                 "createpolicy.fractional.L2::evict_first.b64 %rd4;\nmov.u32 %r8, tile;\n");
    const unsigned forms = put_async(&t, bytes, size);
    text_put(&t, END);
    for (unsigned k = 0; k < sizeof in; k++) in[k] = (unsigned char)(k * 5 + 3);
    run_kernel(&(kernel_run){.ptx = text_string(&t), .device = "sim:a100", .threads = 1, FROM(in), INTO(out)});
    for (unsigned n = 0; n < forms; n++) {
        memset(want, 0, sizeof want);
        memcpy(want, in + STEP * n, read);
        if (memcmp(want, out + STEP * n, sizeof want) != 0) fail_msg("%u of %u bytes: form %u", read, bytes, n);
    }
    text_free(&t);
}

static void every_asynchronous_copy_moves_the_same(void **state) {
    (void)state;
    for (unsigned bytes = 4; bytes <= 16; bytes *= 2) {
        copy_asynchronously(bytes, bytes);
        copy_asynchronously(bytes, bytes - 3);
        copy_asynchronously(bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_moves_the_same_on_sm_80),
        cmocka_unit_test(every_form_moves_the_same_on_sm_90),
        cmocka_unit_test(lanes_may_access_several_allocations),
        cmocka_unit_test(a_lane_beside_several_allocations_is_a_fault),
        cmocka_unit_test(every_asynchronous_copy_moves_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
