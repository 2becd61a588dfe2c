/* The instruction mix of a launch, by mnemonic. */
#include "base/memory.h"
#include "report/profile/memory_tables.h"

#include <stdlib.h>
#include <string.h>

static int by_mnemonic(const void *a, const void *b) {
    const haul_instruction_record *const *x = a, *const *y = b;
    return strcmp((*x)->mnemonic, (*y)->mnemonic);
}

typedef struct mix_row {
    const char *mnemonic;
    double instructions, threads;
} mix_row;

static int by_frequency(const void *a, const void *b) {
    const mix_row *x = a, *y = b;
    if (x->instructions != y->instructions) return x->instructions < y->instructions ? 1 : -1;
    return strcmp(x->mnemonic, y->mnemonic);
}

/* Sorts the records by mnemonic and merges equal ones. */
static size_t gather(const haul_launch_record *r, const haul_instruction_record **sorted, mix_row *rows) {
    size_t count = 0;
    for (size_t i = 0; i < r->instruction_count; i++) sorted[i] = &r->instructions[i];
    qsort(sorted, r->instruction_count, sizeof *sorted, by_mnemonic);
    for (size_t i = 0; i < r->instruction_count; i++) {
        const haul_traffic *t = &sorted[i]->traffic;
        if (!t->instructions) continue;
        if (!count || strcmp(rows[count - 1].mnemonic, sorted[i]->mnemonic) != 0)
            rows[count++] = (mix_row){.mnemonic = sorted[i]->mnemonic};
        rows[count - 1].instructions += (double)t->instructions;
        rows[count - 1].threads += (double)t->threads;
    }
    qsort(rows, count, sizeof *rows, by_frequency);
    return count;
}

/* The number of active lanes is an average over the instructions executed. */
static void add_row(report_table *t, const char *name, double instructions, double threads, double total) {
    report_add_row(t);
    report_add_text(t, "%s", name);
    report_add_number(t, instructions);
    report_add_number(t, report_percent(instructions, total));
    report_add_number(t, report_ratio(threads, instructions));
}

static const report_column columns[] = {
    {"mnemonic", "PTX Instruction", REPORT_TEXT, NULL},
    {"executed", "Executed", REPORT_COUNT, "by warps"},
    {"share", "Share", REPORT_PERCENT, "of all executed instructions"},
    {"lanes", "Active Lanes", REPORT_RATIO, "of 32, on average"},
};

/* The most frequent mnemonics, the rest as one row, and the total. */
static void fill(report_table *t, const mix_row *rows, size_t count, size_t most) {
    mix_row total = {0}, rest = {0};
    for (size_t i = 0; i < count; i++) {
        mix_row *sum = i < most ? &total : &rest;
        sum->instructions += rows[i].instructions;
        sum->threads += rows[i].threads;
    }
    double all = total.instructions + rest.instructions;
    for (size_t i = 0; i < count && i < most; i++)
        add_row(t, rows[i].mnemonic, rows[i].instructions, rows[i].threads, all);
    if (rest.instructions > 0) add_row(t, "others", rest.instructions, rest.threads, all);
    add_row(t, "Total", all, total.threads + rest.threads, all);
    report_set_row_tone(t, REPORT_STRONG);
}

void report_add_instruction_mix(report_section *s, const haul_launch_record *record, size_t most) {
    const haul_instruction_record **sorted = memory_zeroed(record->instruction_count, sizeof *sorted);
    mix_row *rows = memory_zeroed(record->instruction_count, sizeof *rows);
    if (!sorted || !rows) {
        if (s) s->document->failed = true;
    } else {
        size_t count = gather(record, sorted, rows);
        if (count)
            fill(report_add_table(s, "instructions", NULL, columns, sizeof columns / sizeof *columns), rows, count,
                 most);
    }
    memory_free((void *)sorted);
    memory_free(rows);
}
