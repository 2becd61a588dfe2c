/* Helpers of the front end's tests. */
#ifndef HAUL_TESTS_PTX_TEST_H
#define HAUL_TESTS_PTX_TEST_H

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "ptx/inline.h"
#include "ptx/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define HEADER ".version 8.6\n.target sm_90\n.address_size 64\n"
/* A kernel around statements, which start on line 4, with registers of each kind. */
#define KERNEL(statements)                                                                                        \
    ".version 8.6\n.target sm_90\n.visible .entry k(.param .u64 p, .param .u32 n) { .reg .pred %p<9>; .reg .b16 " \
    "%h<9>;"                                                                                                      \
    " .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %g<9>; .reg .u32 %u<9>; .reg .b128 %q<3>;"     \
    " .shared .b32 tile[64];\n" statements "\n}\n"

static inline ptx_module *parse(const char *source) {
    ptx_module *module;
    if (ptx_module_parse("t.ptx", source, strlen(source), &module) != HAUL_OK) fail_msg("%s", haul_message());
    return module;
}

/* Expects the source to be refused with exactly this message. */
#define assert_refused(source, status, message)                                                 \
    do {                                                                                        \
        ptx_module *refused_;                                                                   \
        assert_int_equal(ptx_module_parse("t.ptx", source, strlen(source), &refused_), status); \
        assert_null(refused_);                                                                  \
        assert_string_equal(haul_message(), message);                                           \
    } while (0)

/* Returns the source's only kernel. */
static inline ptx_function *kernel_of(const ptx_module *module) {
    for (size_t i = 0; i < module->function_count; i++)
        if (module->functions[i]->is_entry) return module->functions[i];
    fail_msg("no kernel");
    return NULL;
}

/* Expects the first instruction of a kernel around `statements` to print as `expected`. */
#define assert_prints(statements, expected)                                                          \
    do {                                                                                             \
        ptx_module *module_ = parse(KERNEL(statements));                                             \
        text out_ = {0};                                                                             \
        ptx_print_instruction(module_, kernel_of(module_), kernel_of(module_)->instructions, &out_); \
        assert_string_equal(text_string(&out_), expected);                                           \
        text_free(&out_);                                                                            \
        ptx_module_free(module_);                                                                    \
    } while (0)

/* Reads a whole file; free the text with text_free(). */
static inline text read_file(const char *path) {
    text out = {0};
    if (file_read(path, &out) != HAUL_OK) fail_msg("%s", haul_message());
    return out;
}

#endif
