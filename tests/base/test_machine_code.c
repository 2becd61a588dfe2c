/* Registers, spills and machine instructions in the output of NVIDIA's tools. */
#include "base/file.h"
#include "base/machine_code.h"
#include "cubin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static const char report[] = "ptxas info    : 0 bytes gmem\n"
                             "ptxas info    : Compiling entry function 'spill' for 'sm_90'\n"
                             "ptxas info    : Function properties for spill\n"
                             "    80 bytes stack frame, 320 bytes spill stores, 468 bytes spill loads\n"
                             "ptxas info    : Used 32 registers, used 1 barriers, 80 bytes cumulative stack size\n"
                             "ptxas info    : Compiling entry function 'copy' for 'sm_90'\n"
                             "ptxas info    : Function properties for copy\n"
                             "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                             "ptxas info    : Used 16 registers, used 0 barriers\n";

static const char listing[] =
    "\tcode for sm_90\n"
    "\t\tFunction : copy\n"
    "\t.headerflags\t@\"EF_CUDA_SM90\"\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;      /* 0x00000a00ff017b82 */\n"
    "                                                               /* 0x000fe20000000800 */\n"
    "        /*0010*/                   LDG.E.128 R4, desc[UR4][R2.64] ;\n"
    "        /*0020*/              @!P0 LDG.E.128 R8, desc[UR4][R2.64+0x10] ;\n"
    "        /*0030*/             @!UPT STG.E [R4.64], R6 ;\n"
    "        /*0040*/                   EXIT ;\n"
    "        /*0050*/                   NOP;\n";

static void registers_and_spills_are_those_of_each_kernel(void **state) {
    (void)state;
    machine_code code;
    machine_code_begin(&code);
    assert_int_equal(machine_code_read_report(&code, report), HAUL_OK);
    assert_int_equal(code.count, 2);
    const machine_kernel *spill = machine_code_find(&code, "spill"), *copy = machine_code_find(&code, "copy");
    assert_int_equal(spill->registers, 32);
    assert_int_equal(spill->stack_bytes, 80);
    assert_int_equal(spill->spill_store_bytes, 320);
    assert_int_equal(spill->spill_load_bytes, 468);
    assert_int_equal(copy->registers, 16);
    assert_int_equal(copy->spill_store_bytes, 0);
    assert_null(machine_code_find(&code, "cop"));
    machine_code_free(&code);
}

static void instructions_are_counted_by_opcode(void **state) {
    (void)state;
    machine_code code;
    machine_code_begin(&code);
    assert_int_equal(machine_code_read_report(&code, report), HAUL_OK);
    assert_int_equal(machine_code_read_listing(&code, listing), HAUL_OK);
    const machine_kernel *copy = machine_code_find(&code, "copy");
    assert_int_equal(copy->instructions, 5);
    assert_int_equal(copy->opcode_count, 4);
    assert_string_equal(copy->opcodes[0].name, "LDG.E.128");
    assert_int_equal(copy->opcodes[0].count, 2);
    assert_int_equal(machine_code_find(&code, "spill")->instructions, 0);
    machine_code_free(&code);
}

static void nvdisasm_names_sections(void **state) {
    (void)state;
    machine_code code;
    machine_code_begin(&code);
    assert_int_equal(machine_code_read_report(&code, report), HAUL_OK);
    assert_int_equal(machine_code_read_listing(&code, ".text.copy:\n        /*0000*/                   EXIT ;\n"),
                     HAUL_OK);
    assert_int_equal(machine_code_find(&code, "copy")->instructions, 1);
    machine_code_free(&code);
}

static void instructions_have_their_source_lines(void **state) {
    (void)state;
    static const char lines[] = ".text.copy:\n"
                                "\t//## File \"/h/inner.cuh\", line 7 inlined at \"/h/copy.cu\", line 12\n"
                                "\t//## File \"/h/copy.cu\", line 12\n"
                                "        /*0000*/                   LDG.E R4, desc[UR4][R2.64] ;\n"
                                "        /*0010*/              @!P0 EXIT ;\n"
                                "\t//## File \"/h/copy.cu\", line 13\n"
                                "        /*0020*/                   STG.E desc[UR4][R2.64], R4 ;\n"
                                "        /*0030*/                   NOP;\n";
    machine_code code;
    machine_code_begin(&code);
    assert_int_equal(machine_code_read_report(&code, report), HAUL_OK);
    assert_int_equal(machine_code_read_listing(&code, lines), HAUL_OK);
    const machine_kernel *copy = machine_code_find(&code, "copy");
    assert_int_equal(copy->line_count, 3);
    const machine_line *load = &copy->lines[0], *leave = &copy->lines[1], *store = &copy->lines[2];
    assert_string_equal(load->text, "LDG.E R4, desc[UR4][R2.64]");
    assert_string_equal(load->place.file, "/h/inner.cuh");
    assert_int_equal(load->place.line, 7);
    assert_int_equal(load->place.inlined_into->line, 12);
    assert_string_equal(leave->text, "@!P0 EXIT");
    assert_int_equal(leave->place.line, 7);
    assert_int_equal(store->address, 0x20);
    assert_int_equal(store->place.line, 13);
    assert_null(store->place.inlined_into);
    machine_code_free(&code);
}

/* ---- what the tools of CUDA 13.0 print (tests/data/machine-code) ---- */

static machine_code read_recorded(const char *listing_name) {
    char path[512];
    text said = {0}, listed = {0};
    machine_code code;
    machine_code_begin(&code);
    assert_int_equal(file_read(TEST_DATA "/machine-code/ptxas.txt", &said), HAUL_OK);
    snprintf(path, sizeof path, TEST_DATA "/machine-code/%s", listing_name);
    assert_int_equal(file_read(path, &listed), HAUL_OK);
    assert_int_equal(machine_code_read_report(&code, text_string(&said)), HAUL_OK);
    assert_int_equal(machine_code_read_listing(&code, text_string(&listed)), HAUL_OK);
    text_free(&said);
    text_free(&listed);
    return code;
}

/* Returns how often the code has an opcode. */
static uint32_t opcodes(const machine_kernel *k, const char *name) {
    for (size_t i = 0; i < k->opcode_count; i++)
        if (strcmp(k->opcodes[i].name, name) == 0) return k->opcodes[i].count;
    return 0;
}

static void both_disassemblers_give_the_same_counts(void **state) {
    (void)state;
    static const char *const tools[] = {"nvdisasm.txt", "cuobjdump.txt"};
    for (size_t i = 0; i < 2; i++) {
        machine_code code = read_recorded(tools[i]);
        const machine_kernel *squares = machine_code_find(&code, "squares"),
                             *staged = machine_code_find(&code, "staged");
        assert_int_equal(squares->registers, 14);
        assert_int_equal(squares->instructions, 21);
        assert_int_equal(opcodes(squares, "LDG.E.128"), 1);
        assert_int_equal(opcodes(squares, "FMUL"), 4);
        assert_int_equal(staged->instructions, 30);
        assert_int_equal(opcodes(staged, "LDS"), 4); /* three of them are fillers in front of the copy */
        machine_code_free(&code);
    }
}

/* The four products are of the function on line 5, inlined on line 13. */
static void an_inlined_function_has_its_own_lines(void **state) {
    (void)state;
    machine_code code = read_recorded("nvdisasm.txt");
    const machine_kernel *squares = machine_code_find(&code, "squares");
    assert_int_equal(squares->line_count, 21);
    const machine_line *load = &squares->lines[12], *product = &squares->lines[14];
    assert_string_equal(load->text, "LDG.E.128 R8, desc[UR4][R2.64]");
    assert_int_equal(load->place.line, 12);
    assert_string_equal(product->text, "FMUL R11, R11, R11");
    assert_int_equal(product->place.line, 5);
    assert_int_equal(product->place.inlined_into->line, 13);
    assert_string_equal(product->place.inlined_into->file, "sass.cu");
    machine_code_free(&code);
}

static void a_cubin_tells_registers_and_instructions(void **state) {
    (void)state;
    cubin c = cubin_of("copy", 77);
    machine_code code;
    machine_code_begin(&code);
    assert_int_equal(machine_code_read_file(&code, &(text){.bytes = (char *)&c, .length = sizeof c}), HAUL_OK);
    const machine_kernel *copy = machine_code_find(&code, "copy");
    assert_non_null(copy);
    assert_int_equal(copy->registers, 77);
    assert_int_equal(copy->instructions, CUBIN_INSTRUCTIONS);
    assert_int_equal(code.count, 1);
    machine_code_free(&code);
}

/* Every byte of the file's tables is set to its worst, one after the other; none may be read beyond the end. */
static void damaged_cubins_are_read_within_their_bounds(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(cubin); i++) {
        cubin c = cubin_of("copy", 77);
        machine_code code;
        ((unsigned char *)&c)[i] = 0xff;
        machine_code_begin(&code);
        char *bytes = malloc(sizeof c);
        memcpy(bytes, &c, sizeof c);
        assert_int_equal(machine_code_read_file(&code, &(text){.bytes = bytes, .length = sizeof c}), HAUL_OK);
        free(bytes);
        machine_code_free(&code);
    }
}

static void what_is_no_cubin_says_nothing(void **state) {
    (void)state;
    char zeros[64] = "\177ELF"; /* no sections, at offset 0 */
    machine_code code;
    machine_code_begin(&code);
    assert_int_equal(machine_code_read_report(&code, report), HAUL_OK);
    memset(zeros + 40, 0xff, 24); /* sections far beyond the end */
    machine_code_read_file(&code, &(text){.bytes = zeros, .length = sizeof zeros});
    machine_code_read_file(&code, &(text){.bytes = zeros, .length = 5});
    assert_int_equal(machine_code_find(&code, "copy")->instructions, 0);
    machine_code_free(&code);
}

/* ---- our own tools on the PATH ---- */

static char folder[64], kept_path[4096];

static void write_tool(const char *name, const char *script) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s", script);
    fclose(f);
    assert_int_equal(chmod(path, 0755), 0);
}

static int make_tools(void **state) {
    (void)state;
    char path[4096];
    snprintf(folder, sizeof folder, "/tmp/haul-test-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(kept_path, sizeof kept_path, "%s", getenv("PATH"));
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
    return setenv("PATH", path, 1);
}

static int remove_tools(void **state) {
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s/ptxas", folder);
    unlink(path);
    rmdir(folder);
    return setenv("PATH", kept_path, 1);
}

static void a_ptxas_on_the_path_is_asked_for_the_device(void **state) {
    (void)state;
    machine_code code;
    write_tool("ptxas", "for a; do case $a in *.cubin) : >\"$a\";; esac; done\n"
                        "echo \"ptxas info    : Compiling entry function 'k' for '$1'\" >&2\n"
                        "case $1 in -arch=sm_90a) r=20;; *) r=10;; esac\n"
                        "echo \"ptxas info    : Used $r registers, used 0 barriers\" >&2\n");
    assert_int_equal(machine_code_make(".version 8.0\n.target sm_90a\n", 90, 0, &code), HAUL_OK);
    assert_int_equal(machine_code_find(&code, "k")->registers, 20);
    machine_code_free(&code);
    assert_int_equal(machine_code_make(".version 8.0\n.target sm_80\n", 90, 0, &code), HAUL_OK);
    assert_int_equal(machine_code_find(&code, "k")->registers, 10);
    machine_code_free(&code);
}

static void what_ptxas_refuses_is_said(void **state) {
    (void)state;
    machine_code code;
    write_tool("ptxas", "echo 'ptxas error   : Entry function k uses too much shared data' >&2\nexit 255\n");
    assert_int_equal(machine_code_make(".version 8.0\n", 90, 0, &code), HAUL_ERROR_COMPILER);
    assert_non_null(strstr(haul_message(), "too much shared data"));
    machine_code_free(&code);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_and_spills_are_those_of_each_kernel),
        cmocka_unit_test(instructions_are_counted_by_opcode),
        cmocka_unit_test(nvdisasm_names_sections),
        cmocka_unit_test(instructions_have_their_source_lines),
        cmocka_unit_test(both_disassemblers_give_the_same_counts),
        cmocka_unit_test(an_inlined_function_has_its_own_lines),
        cmocka_unit_test(a_cubin_tells_registers_and_instructions),
        cmocka_unit_test(damaged_cubins_are_read_within_their_bounds),
        cmocka_unit_test(what_is_no_cubin_says_nothing),
        cmocka_unit_test_setup_teardown(a_ptxas_on_the_path_is_asked_for_the_device, make_tools, remove_tools),
        cmocka_unit_test_setup_teardown(what_ptxas_refuses_is_said, make_tools, remove_tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
