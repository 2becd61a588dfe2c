/* Every row of isa.def is used by a test of tests/sim/exec/isa. */
#include "../isa/cases.h"

#include <haul/status.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static bool covered[PTX_OP_COUNT];

/* Marks the instructions of the test's own lines and functions, but not those that load and store registers. */
static void mark(const isa_case *c, void *context) {
    (void)context;
    text ptx = {0};
    unsigned first, end;
    put_kernel(&ptx, c, &first, &end);
    ptx_module *module;
    if (ptx_module_parse(c->file, text_string(&ptx), ptx.length, &module) != HAUL_OK) {
        fail_msg("%s:%u: %s", c->file, c->line, haul_message());
    }
    for (size_t f = 0; f < module->function_count; f++) {
        const ptx_function *function = module->functions[f];
        for (size_t n = 0; n < function->instruction_count; n++) {
            const uint32_t line = function->instructions[n].position.line;
            if (line >= first && line < end) covered[function->instructions[n].op] = true;
        }
    }
    ptx_module_free(module);
    text_free(&ptx);
}

static void each_row_of_the_instruction_table_is_tested(void **state) {
    (void)state;
    char *paths[MAX_FILES];
    const unsigned count = list_files(paths);
    for (unsigned n = 0; n < count; n++) {
        read_cases(paths[n], mark, NULL);
        free(paths[n]);
    }
    unsigned missing = 0;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        if (covered[op]) continue;
        print_error("%s: %s %s has no test in tests/sim/exec/isa\n", ptx_ops[op].id, ptx_ops[op].mnemonic,
                    ptx_ops[op].suffixes);
        missing++;
    }
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_of_the_instruction_table_is_tested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
