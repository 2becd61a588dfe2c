/* Saves the report while the program runs, so that it is there if the program is killed (saved.h).
 *
 * The report is made as at the program's end, but what it prints goes to a file of its own (output.c). That happens
 * after launches that the report has not had yet, and in a pause of the program's calls (progress.c). It may cost
 * 1/SHARE of the time, and FREE seconds. */
#include "standin/saved.h"

#include "base/clock.h"
#include "base/status.h"
#include "standin/report.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_IMAGES = 1000, SHARE = 50 };
static const double FREE = 0.05;

static struct {
    standin_saved *counts; /* mapped; NULL: nothing is saved */
    text path, report, part;
    double opened_at;   /* in seconds */
    double spent, cost; /* by all reports, by the last one */
    atomic_bool is_old; /* launches have come since */
} state;

/* Creates PID.K for the first K that is free. -1 if that fails. */
static int create(const char *folder) {
    int file = -1;
    for (int k = 0; file < 0 && k < MOST_IMAGES; k++) {
        text_clear(&state.path);
        text_printf(&state.path, "%s/%d.%d", folder, (int)getpid(), k);
        if (state.path.failed) return -1;
        file = open(text_string(&state.path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    return file;
}

void standin_open_saved(void) {
    const char *folder = getenv(STANDIN_SAVED);
    if (standin_asked.task == STANDIN_RUN || !folder || !*folder) return;
    const int file = create(folder);
    if (file < 0) return;
    void *counts = MAP_FAILED;
    if (ftruncate(file, sizeof *state.counts) == 0)
        counts = mmap(NULL, sizeof *state.counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    text_printf(&state.report, "%s" STANDIN_SAVED_REPORT, text_string(&state.path));
    text_printf(&state.part, "%s.part", text_string(&state.report));
    if (counts != MAP_FAILED) state.counts = counts;
    state.opened_at = clock_seconds();
}

void standin_count_saved(uint64_t launches) {
    if (state.counts) state.counts->launches = launches;
}

bool standin_has_unsaved(void) {
    return atomic_load_explicit(&state.is_old, memory_order_relaxed);
}

/* The rename makes the new report appear at once. */
static void write_report(const text *report) {
    FILE *file = fopen(text_string(&state.part), "we");
    if (!file) return;
    fprintf(file, "%s\n", standin_report_path());
    const bool whole = fwrite(text_string(report), 1, report->length, file) == report->length;
    if (fclose(file) == 0 && whole) (void)rename(text_string(&state.part), text_string(&state.report));
}

void standin_save_report(bool is_new) {
    if (!state.counts) return;
    if (is_new) atomic_store_explicit(&state.is_old, true, memory_order_relaxed);
    const double from = clock_seconds();
    if (!standin_has_unsaved() || state.spent + state.cost > FREE + (from - state.opened_at) / SHARE) return;
    text report = {0};
    standin_collect(&report);
    const haul_status status = standin_put_report_so_far();
    standin_collect(NULL);
    if (status == HAUL_OK && !report.failed) {
        write_report(&report);
        state.counts->covered = state.counts->launches;
    }
    text_free(&report);
    atomic_store_explicit(&state.is_old, false, memory_order_relaxed);
    state.cost = clock_seconds() - from;
    state.spent += state.cost;
}

void standin_close_saved(void) {
    if (!state.counts) return;
    unlink(text_string(&state.report));
    unlink(text_string(&state.path));
}
