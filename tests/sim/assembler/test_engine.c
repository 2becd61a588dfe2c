/* All instructions of the copy engine are recognised: a missing one would escape the checks. */
#include "assembler/engine.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static sim_engine_use use_of(unsigned op) {
    return sim_engine_use_of(&(ptx_instruction){.op = (uint16_t)op});
}

static bool moves_in_bulk(const char *mnemonic) {
    return (begins_with(mnemonic, "cp.async.bulk") || begins_with(mnemonic, "cp.reduce.async.bulk")) &&
           !strstr(mnemonic, "prefetch") && !strstr(mnemonic, "_group");
}

static void every_bulk_and_tensor_copy_is_the_engines(void **state) {
    (void)state;
    unsigned found = 0;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        if (!moves_in_bulk(ptx_ops[op].mnemonic)) continue;
        found++;
        if (use_of(op) == SIM_ENGINE_NONE) fail_msg("%s is not among the copy engine's", ptx_ops[op].id);
    }
    assert_true(found >= 9);
}

static void the_direction_is_that_of_the_spaces(void **state) {
    (void)state;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        if (!moves_in_bulk(ptx_ops[op].mnemonic)) continue;
        const bool to_global = strstr(ptx_ops[op].suffixes, "space=global") != NULL;
        assert_int_equal(use_of(op) == SIM_ENGINE_STORES, to_global);
        assert_int_equal(use_of(op) == SIM_ENGINE_LOADS, strstr(ptx_ops[op].suffixes, "source=global") != NULL);
    }
}

static void prefetches_waits_and_plain_copies_are_not(void **state) {
    (void)state;
    static const ptx_op others[] = {PTX_OP_CP_BULK_PREFETCH, PTX_OP_CP_TENSOR_PREFETCH, PTX_OP_CP_BULK_COMMIT,
                                    PTX_OP_CP_BULK_WAIT,     PTX_OP_CP_ASYNC,           PTX_OP_LD};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) assert_int_equal(use_of(others[i]), SIM_ENGINE_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bulk_and_tensor_copy_is_the_engines),
                                       cmocka_unit_test(the_direction_is_that_of_the_spaces),
                                       cmocka_unit_test(prefetches_waits_and_plain_copies_are_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
