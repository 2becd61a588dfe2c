/* Virtual memory and multicast objects, through the CUDA driver API, and kernels that use them. */
#include "context.h"
#include "machine/virtual.h"

#include <haul/run.h>

#define PAGE SIM_VIRTUAL_PAGE
#define MIB (1ull << 20)

static CUdevice devices[2]; /* h100, h200 */
static CUcontext contexts[2];

static int set_up(void **state) {
    (void)state;
    cu = sim_driver();
    devices[0] = device_named("h100");
    devices[1] = device_named("h200");
    for (unsigned d = 0; d < 2; d++)
        if (cu->context_retain(&contexts[d], devices[d]) != CUDA_SUCCESS) return 1;
    return cu->context_set(contexts[0]) != CUDA_SUCCESS;
}

static int tear_down(void **state) {
    (void)state;
    for (unsigned d = 0; d < 2; d++) {
        cu->context_set(contexts[d]);
        cu->context_release(devices[d]);
    }
    return 0;
}

#define WRONG(call, result, text)                                                       \
    do {                                                                                \
        assert_int_equal((call), (result));                                             \
        if (!strstr(haul_message(), text)) fail_msg("%s: '%s'", #call, haul_message()); \
    } while (0)

static CUmemAllocationProp memory_of(CUdevice device) {
    return (CUmemAllocationProp){.type = DRIVER_MEMORY_PINNED, .location = {DRIVER_LOCATION_DEVICE, device}};
}

static CUmemGenericAllocationHandle create(CUdevice device, size_t bytes) {
    const CUmemAllocationProp memory = memory_of(device);
    CUmemGenericAllocationHandle handle = 0;
    OK(cu->virtual_create(&handle, bytes, &memory, 0));
    return handle;
}

static void allow(CUdeviceptr address, size_t bytes, CUdevice device, int access) {
    const CUmemAccessDesc description = {{DRIVER_LOCATION_DEVICE, device}, access};
    OK(cu->virtual_set_access(address, bytes, &description, 1));
}

/* Memory of the device, mapped with access. */
static CUdeviceptr mapped(CUdevice device, size_t bytes, CUmemGenericAllocationHandle *handle) {
    CUdeviceptr at;
    *handle = create(device, bytes);
    OK(cu->virtual_reserve(&at, bytes, 0, 0, 0));
    OK(cu->virtual_map(at, bytes, 0, *handle, 0));
    allow(at, bytes, device, DRIVER_ACCESS_READ_WRITE);
    return at;
}

static void give_back(CUdeviceptr at, size_t bytes, CUmemGenericAllocationHandle handle) {
    OK(cu->virtual_unmap(at, bytes));
    OK(cu->virtual_unreserve(at, bytes));
    OK(cu->virtual_release(handle));
}

/* ---- kernels ---- */

#define HEAD                                                                                                          \
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1) {\n"            \
    ".reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<8>;\n.reg .f64 %d<4>;\n.reg .b16 %h<8>;\n.reg .pred %p<4>;\n" \
    "ld.param.u64 %rd0, [p0];\nld.param.u64 %rd1, [p1];\nmov.u32 %r0, %tid.x;\n"                                      \
    "mad.wide.u32 %rd2, %r0, 4, %rd0;\nmad.wide.u32 %rd3, %r0, 4, %rd1;\n"
#define END "\nret;\n}\n"

static CUresult run(const char *ptx, unsigned threads, CUdeviceptr a, CUdeviceptr b) {
    CUmodule module;
    CUfunction kernel;
    void *parameters[] = {&a, &b};
    CUresult result = cu->module_load(&module, ptx, 0, NULL, NULL);
    if (result != CUDA_SUCCESS) return result;
    OK(cu->module_function(&kernel, module, "k"));
    result = cu->launch(kernel, 1, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL);
    if (result == CUDA_SUCCESS) result = cu->synchronize();
    char message[512];
    snprintf(message, sizeof message, "%s", haul_message());
    cu->module_unload(module);
    if (result != CUDA_SUCCESS) (void)haul_fail(HAUL_ERROR_FAULT, "%s", message);
    return result;
}

static uint32_t word_at(CUdeviceptr at) {
    uint32_t word = 0;
    OK(cu->copy_to_host(&word, at, 4));
    return word;
}

#define ADD_ONE HEAD "ld.global.u32 %r1, [%rd2];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd2], %r1;" END

/* ---- mapping ---- */

static void mappings_side_by_side_are_one_array(void **state) {
    (void)state;
    CUdeviceptr at;
    CUmemGenericAllocationHandle handles[3];
    OK(cu->virtual_reserve(&at, 4 * PAGE, 0, 0, 0));
    for (unsigned i = 0; i < 3; i++) {
        handles[i] = create(devices[0], PAGE);
        OK(cu->virtual_map(at + i * PAGE, PAGE, 0, handles[i], 0));
    }
    allow(at, 3 * PAGE, devices[0], DRIVER_ACCESS_READ_WRITE);
    OK(cu->fill_words(at, 7, 3 * PAGE / 4));
    OK(run(ADD_ONE, 1024, at + PAGE - 2048, 0));
    assert_int_equal(word_at(at + PAGE - 2052), 7);
    assert_int_equal(word_at(at + PAGE - 2048), 8);
    assert_int_equal(word_at(at + PAGE + 2044), 8);
    assert_int_equal(word_at(at + PAGE + 2048), 7);
    OK(cu->virtual_unmap(at, 3 * PAGE));
    for (unsigned i = 0; i < 3; i++) OK(cu->virtual_release(handles[i]));
    OK(cu->virtual_unreserve(at, 4 * PAGE));
}

static void memory_keeps_its_contents_wherever_it_is_mapped(void **state) {
    (void)state;
    CUmemGenericAllocationHandle handle, again;
    CUdeviceptr one = mapped(devices[0], 2 * PAGE, &handle), other;
    OK(cu->virtual_reserve(&other, 2 * PAGE, 0, 0, 0));
    OK(cu->fill_words(one, 5, PAGE / 4));
    OK(cu->virtual_map(other, 2 * PAGE, 0, handle, 0));
    allow(other, 2 * PAGE, devices[0], DRIVER_ACCESS_READ_WRITE);
    OK(run(ADD_ONE, 32, other, 0));
    assert_int_equal(word_at(one), 6);
    OK(cu->virtual_unmap(one, 2 * PAGE));
    OK(cu->virtual_retain(&again, (void *)(uintptr_t)other));
    assert_true(again == handle);
    OK(cu->virtual_release(handle)); /* one reference is left, and the mapping */
    OK(cu->virtual_unmap(other, 2 * PAGE));
    OK(cu->virtual_map(one, 2 * PAGE, 0, again, 0));
    allow(one, 2 * PAGE, devices[0], DRIVER_ACCESS_READ_WRITE);
    assert_int_equal(word_at(one + 4), 6);
    OK(cu->virtual_unreserve(other, 2 * PAGE));
    give_back(one, 2 * PAGE, handle);
    WRONG(cu->virtual_release(handle), CUDA_INVALID_VALUE, "is not a handle of memory");
}

static void memory_is_told_and_freed(void **state) {
    (void)state;
    size_t before, during, after, total, page;
    CUmemAllocationProp memory = memory_of(devices[0]), got;
    CUmemGenericAllocationHandle handle;
    OK(cu->memory_info(&before, &total));
    OK(cu->virtual_granularity(&page, &memory, 0));
    assert_int_equal(page, PAGE);
    CUdeviceptr at = mapped(devices[0], 8 * PAGE, &handle);
    OK(cu->memory_info(&during, &total));
    assert_int_equal(before - during, 8 * PAGE);
    OK(cu->virtual_properties(&got, handle));
    assert_int_equal(got.location.id, devices[0]);
    OK(cu->virtual_release(handle)); /* lives as long as it is mapped */
    assert_int_equal(word_at(at), 0);
    OK(cu->virtual_unmap(at, 8 * PAGE));
    OK(cu->memory_info(&after, &total));
    assert_int_equal(before, after);
    OK(cu->virtual_unreserve(at, 8 * PAGE));
    WRONG(cu->virtual_create(&handle, total + PAGE, &memory, 0), CUDA_OUT_OF_MEMORY, "are left");
}

static void access_is_a_devices_own(void **state) {
    (void)state;
    CUmemGenericAllocationHandle handle;
    unsigned long long access;
    const CUmemLocation mine = {DRIVER_LOCATION_DEVICE, devices[0]}, others = {DRIVER_LOCATION_DEVICE, devices[1]};
    CUdeviceptr at = mapped(devices[0], PAGE, &handle);
    OK(cu->virtual_get_access(&access, &mine, at));
    assert_int_equal(access, DRIVER_ACCESS_READ_WRITE);
    OK(cu->virtual_get_access(&access, &others, at));
    assert_int_equal(access, DRIVER_ACCESS_NONE);
    OK(cu->fill_words(at, 1, 32));
    OK(cu->context_set(contexts[1]));
    WRONG(run(ADD_ONE, 32, at, 0), CUDA_ILLEGAL_ADDRESS,
          "access to mapped memory without access rights of the device: 4 bytes at 0x");
    allow(at, PAGE, devices[1], DRIVER_ACCESS_READ_WRITE);
    OK(run(ADD_ONE, 32, at, 0)); /* memory of the other device */
    OK(cu->context_set(contexts[0]));
    assert_int_equal(word_at(at + 124), 2);
    allow(at, PAGE, devices[0], DRIVER_ACCESS_NONE);
    WRONG(run(ADD_ONE, 32, at, 0), CUDA_ILLEGAL_ADDRESS, "without access rights");
    give_back(at, PAGE, handle);
}

static void what_may_only_be_read_is_not_written(void **state) {
    (void)state;
    CUmemGenericAllocationHandle handle;
    unsigned long long access;
    const CUmemLocation mine = {DRIVER_LOCATION_DEVICE, devices[0]};
    const uint32_t word = 9;
    CUdeviceptr at = mapped(devices[0], PAGE, &handle), out;
    OK(cu->allocate(&out, 4096));
    OK(cu->fill_words(at, 41, 64));
    allow(at, PAGE, devices[0], DRIVER_ACCESS_READ);
    OK(cu->virtual_get_access(&access, &mine, at));
    assert_int_equal(access, DRIVER_ACCESS_READ);
    OK(run(HEAD "ld.global.u32 %r1, [%rd2];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd3], %r1;" END, 32, at, out));
    assert_int_equal(word_at(out + 124), 42);
    WRONG(run(ADD_ONE, 32, at, 0), CUDA_ILLEGAL_ADDRESS,
          "write to mapped memory that the device may only read: 4 bytes");
    WRONG(run(HEAD "red.global.add.u32 [%rd2], 1;" END, 32, at, 0), CUDA_ILLEGAL_ADDRESS, "may only read");
    WRONG(cu->copy_to_device(at, &word, 4), CUDA_INVALID_VALUE, "may only read");
    assert_int_equal(word_at(at), 41);
    OK(cu->virtual_get_access(&access, &mine, out)); /* other memory */
    assert_int_equal(access, DRIVER_ACCESS_NONE);
    OK(cu->release(out));
    give_back(at, PAGE, handle);
}

/* Lanes of one access may lie in memory that is not contiguous on the host. */
static void lanes_lie_in_memory_of_all_kinds(void **state) {
    (void)state;
    CUmemGenericAllocationHandle handles[2];
    CUdeviceptr at[4], out;
    uint32_t *host;
    OK(cu->allocate(&at[0], 4096));
    OK(cu->host_allocate((void **)&host, 4096, DRIVER_HOST_MAPPED));
    OK(cu->host_address(&at[1], host, 0));
    for (unsigned i = 0; i < 2; i++) at[2 + i] = mapped(devices[0], PAGE, &handles[i]);
    for (unsigned i = 0; i < 32; i++) host[i] = 100;
    OK(cu->fill_words(at[0], 0, 32));
    OK(cu->fill_words(at[2], 200, 32));
    OK(cu->fill_words(at[3], 300, 32));
    OK(cu->allocate(&out, 4096));
    for (unsigned i = 0; i < 4; i++) {
        /* odd lanes in one, even lanes in the other */
        const CUdeviceptr pair[] = {at[i], at[(i + 1) % 4]};
        OK(cu->copy_to_device(out + 1024, pair, sizeof pair));
        OK(run(HEAD
               "and.b32 %r1, %r0, 1;\nmul.wide.u32 %rd4, %r1, 8;\nadd.u64 %rd4, %rd0, %rd4;\n"
               "ld.global.u64 %rd4, [%rd4+1024];\nmad.wide.u32 %rd4, %r0, 4, %rd4;\n"
               "ld.global.u32 %r2, [%rd4];\nst.global.u32 [%rd2], %r2;\nadd.u32 %r2, %r2, 1;\n"
               "st.global.u32 [%rd4], %r2;\nred.global.add.u32 [%rd4], 1;\natom.global.add.u32 %r3, [%rd4], 1;" END,
               32, out, 0));
        for (unsigned l = 0; l < 32; l++) {
            const unsigned kind = (i + l % 2) % 4;
            assert_int_equal(word_at(out + 4 * l) / 100, kind);
            assert_int_equal(word_at(pair[l % 2] + 4 * l), word_at(out + 4 * l) + 3);
        }
    }
    for (unsigned i = 0; i < 2; i++) give_back(at[2 + i], PAGE, handles[i]);
    OK(cu->host_release(host));
    OK(cu->release(at[0]));
    OK(cu->release(out));
}

static void what_is_not_mapped_is_a_fault(void **state) {
    (void)state;
    CUmemGenericAllocationHandle handle;
    uint32_t word;
    CUdeviceptr at = mapped(devices[0], PAGE, &handle), gap;
    OK(cu->virtual_reserve(&gap, PAGE, 0, 0, 0));
    WRONG(run(ADD_ONE, 32, gap, 0), CUDA_ILLEGAL_ADDRESS, "access to reserved addresses without a mapping");
    WRONG(run(ADD_ONE, 32, at + PAGE - 64, 0), CUDA_ILLEGAL_ADDRESS, "access to reserved addresses without");
    WRONG(run(ADD_ONE, 32, SIM_VIRTUAL_BASE + SIM_VIRTUAL_BYTES - 4096, 0), CUDA_ILLEGAL_ADDRESS,
          "access to addresses that are not reserved");
    WRONG(cu->copy_to_host(&word, gap, 4), CUDA_INVALID_VALUE, "without a mapping: 4 bytes");
    give_back(at, PAGE, handle);
    WRONG(run(ADD_ONE, 32, at, 0), CUDA_ILLEGAL_ADDRESS, "access to addresses that are not reserved");
    OK(cu->virtual_unreserve(gap, PAGE));
}

static void calls_that_make_no_sense_are_refused(void **state) {
    (void)state;
    CUmemGenericAllocationHandle handle = create(devices[0], 2 * PAGE), other = create(devices[0], PAGE);
    CUmemAllocationProp memory = memory_of(99);
    const CUmemAccessDesc nothing = {{DRIVER_LOCATION_DEVICE, devices[0]}, 7};
    const CUmemAccessDesc writing = {{DRIVER_LOCATION_DEVICE, devices[0]}, DRIVER_ACCESS_READ_WRITE};
    CUdeviceptr at, hinted;
    WRONG(cu->virtual_reserve(&at, PAGE + 4096, 0, 0, 0), CUDA_INVALID_VALUE, "must be multiples of 2 MiB");
    WRONG(cu->virtual_reserve(&at, PAGE, 3 * PAGE, 0, 0), CUDA_INVALID_VALUE, "must be a power of two");
    WRONG(cu->virtual_reserve(&at, 5ull << 40, 0, 0, 0), CUDA_OUT_OF_MEMORY, "of contiguous addresses are left");
    WRONG(cu->virtual_create(&handle, PAGE, &memory, 0), CUDA_INVALID_DEVICE, "there is no device 99");
    OK(cu->virtual_reserve(&at, 4 * PAGE, 64 * MIB, 0, 0));
    assert_int_equal(at % (64 * MIB), 0);
    OK(cu->virtual_reserve(&hinted, PAGE, 0, at + 16 * PAGE, 0));
    assert_int_equal(hinted, at + 16 * PAGE);
    OK(cu->virtual_unreserve(hinted, PAGE));
    handle = create(devices[0], 2 * PAGE);
    WRONG(cu->virtual_map(at, 4 * PAGE, 0, handle, 0), CUDA_NOT_SUPPORTED, "of memory that has 4194304");
    WRONG(cu->virtual_map(at, PAGE, PAGE, handle, 0), CUDA_NOT_SUPPORTED, "it can only be mapped whole");
    WRONG(cu->virtual_map(at + 3 * PAGE, 2 * PAGE, 0, handle, 0), CUDA_INVALID_VALUE, "are not reserved");
    WRONG(cu->virtual_map(at, PAGE, 0, 12345, 0), CUDA_INVALID_VALUE, "is not a handle");
    OK(cu->virtual_map(at, 2 * PAGE, 0, handle, 0));
    WRONG(cu->virtual_map(at + PAGE, PAGE, 0, other, 0), CUDA_INVALID_VALUE, "something is mapped there");
    WRONG(cu->virtual_unmap(at, PAGE), CUDA_INVALID_VALUE, "must be whole mappings");
    WRONG(cu->virtual_set_access(at, 2 * PAGE, &nothing, 1), CUDA_INVALID_VALUE, "access must be none, read, or");
    WRONG(cu->virtual_set_access(at, 3 * PAGE, &writing, 1), CUDA_INVALID_VALUE, "nothing is mapped there");
    WRONG(cu->virtual_unreserve(at, 4 * PAGE), CUDA_INVALID_VALUE, "still mapped");
    OK(cu->virtual_map(at + 3 * PAGE, PAGE, 0, other, 0));
    OK(cu->virtual_unmap(at, 4 * PAGE)); /* there may be gaps */
    OK(cu->virtual_unmap(at, 4 * PAGE)); /* or nothing at all */
    WRONG(cu->virtual_unreserve(at, 2 * PAGE), CUDA_INVALID_VALUE, "are not one reservation");
    OK(cu->virtual_unreserve(at, 4 * PAGE));
}

/* ---- checks ---- */

static size_t findings_of(const char *ptx, CUdeviceptr at, haul_finding_kind *kind) {
    CUmodule module;
    CUfunction kernel;
    haul_launch_record record = {0};
    haul_run recorded = {.launches = &record, .launch_count = 1};
    arena memory = {0};
    CUdeviceptr none = 0;
    void *parameters[] = {&at, &none};
    OK(cu->module_load(&module, ptx, 0, NULL, NULL));
    OK(cu->module_function(&kernel, module, "k"));
    sim_driver_record(&recorded, 0, &memory);
    (void)cu->launch(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL);
    (void)cu->synchronize();
    sim_driver_record(NULL, 0, NULL);
    const size_t count = record.finding_count;
    *kind = count ? record.findings[0].kind : HAUL_FINDING_COUNT;
    arena_free(&memory);
    cu->module_unload(module);
    return count;
}

#define READ HEAD "ld.global.u32 %r1, [%rd2];\nst.global.u32 [%rd2+128], %r1;" END

static void checks_know_what_is_mapped_and_written(void **state) {
    (void)state;
    CUmemGenericAllocationHandle handle;
    haul_finding_kind kind;
    sim_driver_set_checks(true, false, &(sim_schedule){0});
    CUdeviceptr at = mapped(devices[0], PAGE, &handle), other;
    assert_int_equal(findings_of(READ, at, &kind), 1);
    assert_int_equal(kind, HAUL_FINDING_UNINITIALISED_READ);
    assert_int_equal(findings_of(READ, at + 128, &kind), 0); /* the kernel has written that */
    OK(cu->fill_words(at + 4096, 1, 32));
    assert_int_equal(findings_of(READ, at + 4096, &kind), 0);
    assert_int_equal(findings_of(READ, at + PAGE, &kind), 1);
    assert_int_equal(kind, HAUL_FINDING_OUT_OF_BOUNDS);
    OK(cu->virtual_reserve(&other, PAGE, 0, 0, 0));
    OK(cu->virtual_map(other, PAGE, 0, handle, 0)); /* a write under one address is a write under the other */
    allow(other, PAGE, devices[0], DRIVER_ACCESS_READ_WRITE);
    assert_int_equal(findings_of(READ, other + 8192, &kind), 0);
    OK(cu->virtual_unmap(other, PAGE));
    OK(cu->virtual_unreserve(other, PAGE));
    give_back(at, PAGE, handle);
    sim_driver_set_checks(false, false, &(sim_schedule){0});
}

/* ---- multicast ---- */

typedef struct team {
    CUmemGenericAllocationHandle object, memory[2];
    CUdeviceptr own[2], all; /* each device's own copy, and the multicast address for both */
} team;

static team gather(size_t bytes) {
    team t;
    const CUmulticastObjectProp object = {.devices = 2, .bytes = bytes};
    OK(cu->multicast_create(&t.object, &object));
    for (unsigned d = 0; d < 2; d++) OK(cu->multicast_add_device(t.object, devices[d]));
    for (unsigned d = 0; d < 2; d++) {
        t.own[d] = mapped(devices[d], bytes, &t.memory[d]);
        if (d == 0)
            OK(cu->multicast_bind(t.object, 0, t.memory[d], 0, bytes, 0));
        else
            OK(cu->multicast_bind_address(t.object, 0, t.own[d], bytes, 0));
    }
    OK(cu->virtual_reserve(&t.all, bytes, 0, 0, 0));
    OK(cu->virtual_map(t.all, bytes, 0, t.object, 0));
    for (unsigned d = 0; d < 2; d++) allow(t.all, bytes, devices[d], DRIVER_ACCESS_READ_WRITE);
    return t;
}

static void part(const team *t, size_t bytes) {
    OK(cu->virtual_unmap(t->all, bytes));
    OK(cu->virtual_unreserve(t->all, bytes));
    OK(cu->virtual_release(t->object));
    for (unsigned d = 0; d < 2; d++) give_back(t->own[d], bytes, t->memory[d]);
}

static void write_own(const team *t, unsigned d, const void *host, size_t bytes) {
    OK(cu->context_set(contexts[d]));
    OK(cu->copy_to_device(t->own[d], host, bytes));
    OK(cu->context_set(contexts[0]));
}

static uint32_t own_word(const team *t, unsigned d, unsigned n) {
    OK(cu->context_set(contexts[d]));
    const uint32_t word = word_at(t->own[d] + 4 * n);
    OK(cu->context_set(contexts[0]));
    return word;
}

/* Stores go to all devices, reductions happen on each, and loads reduce over all. */
static void multimem_reaches_all_devices(void **state) {
    (void)state;
    const team t = gather(PAGE);
    uint32_t words[2][64];
    CUdeviceptr out;
    for (unsigned i = 0; i < 64; i++) words[0][i] = i, words[1][i] = 1000 * i;
    write_own(&t, 0, words[0], sizeof words[0]);
    write_own(&t, 1, words[1], sizeof words[1]);
    OK(cu->allocate(&out, 4096));
    OK(run(HEAD "multimem.ld_reduce.relaxed.sys.global.add.u32 %r1, [%rd2];\nst.global.u32 [%rd3], %r1;\n"
                "multimem.red.release.gpu.global.max.s32 [%rd2], 500;\n"
                "multimem.st.weak.global.b32 [%rd2+128], %r0;" END,
           32, t.all, out));
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(word_at(out + 4 * i), 1001 * i);
        assert_int_equal(own_word(&t, 0, i), 500);
        assert_int_equal(own_word(&t, 1, i), i ? 1000 * i : 500);
        assert_int_equal(own_word(&t, 0, 32 + i), i);
        assert_int_equal(own_word(&t, 1, 32 + i), i);
    }
    OK(cu->release(out));
    part(&t, PAGE);
}

/* Vectors of halves: either each step is rounded to a half, or only the sum. 2049 is not a half; 2050 and 4098 are, and
 * 4098 is not halfway between two. */
static void halves_are_summed_in_the_precision_asked_for(void **state) {
    (void)state;
    const team t = gather(PAGE);
    const uint16_t ones[] = {0x6800, 0x3c00, 0x7bff, 0x0001, 0x3c00, 0xbc00, 0x4000, 0xfc00}; /* 2048, 1, 65504, .. */
    const uint16_t others[] = {0x3c00, 0x3c00, 0x7bff, 0x0001, 0x4000, 0x3c00, 0x4200, 0x3c00};
    const uint16_t sums[] = {0x6800, 0x4000, 0x7c00, 0x0002, 0x4200, 0x0000, 0x4500, 0xfc00};
    const uint16_t least[] = {0x3c00, 0x3c00, 0x7bff, 0x0001, 0x3c00, 0xbc00, 0x4000, 0xfc00};
    uint16_t got[8];
    CUdeviceptr out;
    write_own(&t, 0, ones, sizeof ones);
    write_own(&t, 1, others, sizeof others);
    OK(cu->allocate(&out, 4096));
    OK(run(HEAD "multimem.ld_reduce.relaxed.gpu.global.add.v4.f16x2 {%r1, %r2, %r3, %r4}, [%rd0];\n"
                "st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};\n"
                "multimem.ld_reduce.relaxed.gpu.global.add.acc::f32.v4.f16x2 {%r1, %r2, %r3, %r4}, [%rd0];\n"
                "st.global.v4.b32 [%rd1+16], {%r1, %r2, %r3, %r4};\n"
                "multimem.ld_reduce.relaxed.gpu.global.min.v8.f16 {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}, [%rd0];\n"
                "st.global.v4.b16 [%rd1+32], {%h0, %h1, %h2, %h3};\n"
                "st.global.v4.b16 [%rd1+40], {%h4, %h5, %h6, %h7};" END,
           1, t.all, out));
    OK(cu->copy_to_host(got, out, sizeof got));
    assert_memory_equal(got, sums, sizeof got);
    OK(cu->copy_to_host(got, out + 16, sizeof got));
    assert_memory_equal(got, sums, sizeof got);
    OK(cu->copy_to_host(got, out + 32, sizeof got));
    assert_memory_equal(got, least, sizeof got);
    OK(cu->release(out));
    part(&t, PAGE);
}

static void floats_and_doubles_are_summed(void **state) {
    (void)state;
    const team t = gather(PAGE);
    const float ones[] = {1.5f, -2, 1e30f, 0}, others[] = {0.25f, 2, 1e30f, -1};
    float got[4];
    CUdeviceptr out;
    write_own(&t, 0, ones, sizeof ones);
    write_own(&t, 1, others, sizeof others);
    OK(cu->allocate(&out, 4096));
    OK(run(HEAD "multimem.ld_reduce.acquire.gpu.add.v4.f32 {%f0, %f1, %f2, %f3}, [%rd0];\n"
                "st.global.v4.f32 [%rd1], {%f0, %f1, %f2, %f3};\nmov.f32 %f4, 0f41200000;\n"
                "multimem.red.relaxed.gpu.global.add.f32 [%rd0], %f4;\n"
                "multimem.ld_reduce.weak.global.add.f64 %d0, [%rd0+64];\nst.global.f64 [%rd1+16], %d0;" END,
           1, t.all, out));
    OK(cu->copy_to_host(got, out, sizeof got));
    for (unsigned i = 0; i < 4; i++) assert_true(got[i] == ones[i] + others[i]);
    OK(cu->context_set(contexts[1]));
    OK(cu->copy_to_host(got, t.own[1], 4));
    assert_true(got[0] == 10.25f);
    OK(cu->context_set(contexts[0]));
    OK(cu->release(out));
    part(&t, PAGE);
}

static void multicast_addresses_are_for_multimem_only(void **state) {
    (void)state;
    const team t = gather(2 * PAGE);
    CUdeviceptr plain;
    const char *load = HEAD "multimem.ld_reduce.relaxed.gpu.global.add.u32 %r1, [%rd0];" END;
    OK(cu->allocate(&plain, 4096));
    WRONG(run(ADD_ONE, 32, t.all, 0), CUDA_ILLEGAL_ADDRESS,
          "access to a multicast address, which only multimem instructions may use: 4 bytes at 0x");
    WRONG(run(load, 1, plain, 0), CUDA_ILLEGAL_ADDRESS, "an address outside of multicast objects");
    WRONG(run(load, 1, t.all + 2, 0), CUDA_MISALIGNED_ADDRESS, "misaligned multimem access");
    allow(t.all, 2 * PAGE, devices[0], DRIVER_ACCESS_NONE);
    WRONG(run(load, 1, t.all, 0), CUDA_ILLEGAL_ADDRESS, "without access rights of the device");
    allow(t.all, 2 * PAGE, devices[0], DRIVER_ACCESS_READ_WRITE);
    OK(cu->multicast_unbind(t.object, devices[1], 0, 2 * PAGE));
    WRONG(run(load, 1, t.all, 0), CUDA_ILLEGAL_ADDRESS, "to which not all devices have bound memory");
    OK(cu->release(plain));
    part(&t, 2 * PAGE);
}

static void objects_that_make_no_sense_are_refused(void **state) {
    (void)state;
    CUmemGenericAllocationHandle object, memory = create(devices[0], PAGE);
    CUmulticastObjectProp two = {.devices = 2, .bytes = PAGE};
    size_t page;
    int has = 0;
    OK(cu->device_attribute(&has, DRIVER_DEVICE_MULTICAST, devices[0]));
    assert_int_equal(has, 1);
    OK(cu->multicast_granularity(&page, &two, 1));
    assert_int_equal(page, PAGE);
    OK(cu->multicast_create(&object, &two));
    OK(cu->multicast_add_device(object, devices[0]));
    WRONG(cu->multicast_add_device(object, devices[0]), CUDA_INVALID_VALUE, "has been added");
    WRONG(cu->multicast_add_device(object, device_named("a100")), CUDA_NOT_SUPPORTED, "needs sm_90 or later");
    WRONG(cu->multicast_bind(object, 0, memory, 0, PAGE, 0), CUDA_INVALID_VALUE, "has 1 of its 2 devices");
    OK(cu->multicast_add_device(object, devices[1]));
    WRONG(cu->multicast_bind(object, 0, memory, 0, 2 * PAGE, 0), CUDA_INVALID_VALUE, "exceed the memory");
    WRONG(cu->multicast_bind(memory, 0, memory, 0, PAGE, 0), CUDA_INVALID_VALUE, "is memory, not a multicast object");
    OK(cu->multicast_bind(object, 0, memory, 0, PAGE, 0));
    WRONG(cu->multicast_bind(object, 0, memory, 0, PAGE, 0), CUDA_INVALID_VALUE, "has memory bound there");
    WRONG(cu->multicast_unbind(object, devices[1], 0, PAGE), CUDA_INVALID_VALUE, "has not bound");
    two.handles = 1;
    WRONG(cu->multicast_create(&object, &two), CUDA_NOT_SUPPORTED, "other processes");
    OK(cu->virtual_release(object));
    OK(cu->virtual_release(memory));
}

/* Virtual GPUs run one after the other. A wait for the other GPU's kernel would last forever, and is reported. */
static void waiting_for_another_device_ends(void **state) {
    (void)state;
    const team t = gather(PAGE);
    WRONG(run(HEAD "SPIN: multimem.ld_reduce.acquire.sys.global.add.u32 %r1, [%rd0];\nsetp.ne.u32 %p0, %r1, 2;\n"
                   "@%p0 bra SPIN;" END,
              1, t.all, 0),
          CUDA_LAUNCH_TIMEOUT, "deadlock in kernel k");
    part(&t, PAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(mappings_side_by_side_are_one_array, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_keeps_its_contents_wherever_it_is_mapped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_is_told_and_freed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(access_is_a_devices_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_may_only_be_read_is_not_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lanes_lie_in_memory_of_all_kinds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_mapped_is_a_fault, set_up, tear_down),
        cmocka_unit_test_setup_teardown(calls_that_make_no_sense_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(checks_know_what_is_mapped_and_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(multimem_reaches_all_devices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(halves_are_summed_in_the_precision_asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(floats_and_doubles_are_summed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(multicast_addresses_are_for_multimem_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(objects_that_make_no_sense_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(waiting_for_another_device_ends, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
