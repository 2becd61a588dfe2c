/* Makes a launch record of a finding about calls (call_finding.h): each call stands for an instruction. */
#include "standin/runtime/call_finding.h"

#include "lib/run.h"
#include "standin/report.h"

#include <string.h>

static const char *copy(arena *memory, const char *from) {
    return arena_copy(memory, from, strlen(from));
}

static void fill_call(const standin_finding_end *e, arena *memory, haul_instruction_record *r) {
    text file = {0};
    r->text = r->mnemonic = copy(memory, e->caller.function ? e->caller.function : "a call");
    if (e->action && standin_find_line(e->caller.address, &file, &r->place.line))
        r->place.file = copy(memory, text_string(&file));
    text_free(&file);
}

/* A record's accesses are those of kernels, never so large: a larger number is left out. */
static uint32_t shown_bytes(uint64_t bytes) {
    return bytes > UINT32_MAX ? 0 : (uint32_t)bytes;
}

static void fill_record(const standin_call_finding *f, arena *memory, haul_launch_record *r) {
    haul_instruction_record *calls = ARENA_ARRAY(memory, 2, haul_instruction_record);
    haul_finding *found = ARENA_ARRAY(memory, 1, haul_finding);
    *r = (haul_launch_record){.kernel = "the program",
                              .instructions = calls,
                              .instruction_count = 2,
                              .findings = found,
                              .finding_count = 1,
                              .checked = true};
    fill_call(&f->call, memory, &calls[0]);
    fill_call(&f->earlier, memory, &calls[1]);
    *found = (haul_finding){.kind = f->kind,
                            .grade = f->is_advice ? HAUL_GRADE_ADVICE : haul_finding_kinds[f->kind].grade,
                            .access = {.action = f->call.action, .instruction = 0},
                            .other = {.action = f->earlier.action, .instruction = 1},
                            .space = HAUL_SPACE_GLOBAL,
                            .address = f->address,
                            .bytes = shown_bytes(f->bytes),
                            .object = f->object ? copy(memory, f->object) : NULL,
                            .what = copy(memory, f->what)};
}

void standin_report_call_finding(const standin_call_finding *f) {
    haul_run *run;
    haul_launch_record *record;
    if (haul_run_create(standin_device(), &run) != HAUL_OK) return;
    if (run_add_launch(run, &record) == HAUL_OK) {
        jmp_buf out_of_memory;
        run_memory(run)->out_of_memory = &out_of_memory;
        if (!setjmp(out_of_memory)) {
            fill_record(f, run_memory(run), record);
            standin_check_program(record);
        }
        run_memory(run)->out_of_memory = NULL;
    }
    haul_run_free(run);
}
