/* A launch of one kernel, a ring in shared memory, with findings that a test adds, and its verdict. */
#ifndef HAUL_TESTS_REPORT_CHECKED_H
#define HAUL_TESTS_REPORT_CHECKED_H

#include "report/check/check.h"
#include "synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const char source[] = "// haul: expect sectors/request <= 4\n"
                             "__global__ void ring(const float *in, float *out) {\n"
                             "    __shared__ float s[128];\n"
                             "    copy(s + threadIdx.x, in + threadIdx.x);\n"
                             "\tout[threadIdx.x] = s[127 - threadIdx.x];\n"
                             "    out[0] = 1; // haul: ignore race-same-value all write one\n"
                             "}\n";

typedef struct fixture {
    char folder[32];
    const char *folders[1];
    report_sources sources;
    report_checker checker;
    haul_source_place call;
    haul_instruction_record instructions[4];
    haul_finding findings[4];
    haul_launch_record record;
} fixture;

static const haul_finding race = {
    .kind = HAUL_FINDING_RACE_SHARED,
    .grade = HAUL_GRADE_ERROR,
    .count = 64,
    .blocks = 2,
    .access = {HAUL_ACTION_READ, 1, {0, 0, 0}, {32, 0, 0}, 0},
    .other = {HAUL_ACTION_ASYNC_WRITE, 0, {0, 0, 0}, {95, 0, 0}, 0},
    .space = HAUL_SPACE_SHARED,
    .address = 380,
    .bytes = 4,
    .object = "s + 380, in 512 bytes of shared memory",
    .what = "Thread (32,0,0) reads what thread (95,0,0) copies, with no barrier between",
};

static const haul_finding same_value = {
    .kind = HAUL_FINDING_RACE_SAME_VALUE,
    .grade = HAUL_GRADE_ADVICE,
    .count = 127,
    .blocks = 1,
    .access = {HAUL_ACTION_WRITE, 3, {0, 0, 0}, {1, 0, 0}, 0},
    .other = {HAUL_ACTION_WRITE, 3, {0, 0, 0}, {0, 0, 0}, 0},
    .space = HAUL_SPACE_GLOBAL,
    .address = 0x200000000000,
    .bytes = 4,
};

static inline void write_source(const fixture *f) {
    char path[64];
    snprintf(path, sizeof path, "%s/ring.cu", f->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(source, file);
    fclose(file);
}

static inline void fill_record(fixture *f) {
    f->call = (haul_source_place){.file = "ring.cu", .line = 4};
    f->instructions[0] =
        synthetic_instruction("cp.async.ca.shared.global", HAUL_CLASS_LDGSTS_ACCESS,
                              "toolchain/include/cuda_pipeline_primitives.h", 40, synthetic_global(4, 4));
    f->instructions[0].place.inlined_into = &f->call;
    f->instructions[1] =
        synthetic_instruction("ld.shared.f32", HAUL_CLASS_SHARED_LOAD, "ring.cu", 5, synthetic_shared(4, 1));
    f->instructions[1].place.column = 21;
    f->instructions[2] =
        synthetic_instruction("st.global.f32", HAUL_CLASS_GLOBAL_STORE, "ring.cu", 5, synthetic_global(4, 4));
    f->instructions[3] =
        synthetic_instruction("st.global.f32", HAUL_CLASS_GLOBAL_STORE, "ring.cu", 6, synthetic_global(4, 1));
    f->record = synthetic_launch(f->instructions, 4);
    f->record.kernel = "_Z4ringPKfPf";
    f->record.findings = f->findings;
    f->record.checked = true;
}

static inline int start(void **state) {
    fixture *f = test_calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/haul-check-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    write_source(f);
    f->folders[0] = f->folder;
    report_sources_init(&f->sources, f->folders, 1);
    report_checker_init(&f->checker, &f->sources, HAUL_GRADE_ADVICE, HAUL_GRADE_WARNING);
    fill_record(f);
    *state = f;
    return 0;
}

static inline int end(void **state) {
    fixture *f = *state;
    char path[64];
    report_checker_free(&f->checker);
    report_sources_free(&f->sources);
    snprintf(path, sizeof path, "%s/ring.cu", f->folder);
    remove(path);
    rmdir(f->folder);
    test_free(f);
    return 0;
}

static inline void add(fixture *f, haul_finding finding) {
    f->findings[f->record.finding_count++] = finding;
}

static inline report_verdict judge(fixture *f) {
    report_verdict v;
    const report_checked_launch launch = {.id = 7, .record = &f->record, .module = "ring.ptx"};
    assert_int_equal(report_check_launch(&f->checker, &launch, &v), HAUL_OK);
    return v;
}

static inline void add_rules(fixture *f, const char *rules, report_rule_kind usual) {
    assert_int_equal(report_read_rules_text(&f->checker.rules, "rules.txt", rules, strlen(rules), usual), HAUL_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

#endif
