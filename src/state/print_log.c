#include "state/print_log.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(sim_print_log *log) {
    sim_print_piece *pieces = memory_grow(log->pieces, log->count, &log->capacity, sizeof *pieces);
    if (pieces) log->pieces = pieces;
    return pieces != NULL;
}

haul_status sim_print_log_close(sim_print_log *log, uint64_t block) {
    const size_t length = log->bytes.length - log->closed;
    sim_print_piece *last = log->count ? &log->pieces[log->count - 1] : NULL;
    if (log->bytes.failed) return haul_no_memory("the output of printf() in kernels");
    if (last && last->block == block) {
        last->length += length;
    } else {
        if (!make_room(log)) return haul_no_memory("the output of printf() in kernels");
        log->pieces[log->count++] = (sim_print_piece){.block = block, .from = log->closed, .length = length};
    }
    log->closed = log->bytes.length;
    return HAUL_OK;
}

void sim_print_log_free(sim_print_log *log) {
    text_free(&log->bytes);
    memory_free(log->pieces);
    *log = (sim_print_log){0};
}

/* All pieces of a block are in one log. */
static int in_grid_order(const void *a, const void *b) {
    const sim_print_piece *x = a, *y = b;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void write_stdout(void *context, const char *bytes, size_t length) {
    (void)context;
    fwrite(bytes, 1, length, stdout);
}

static size_t gather(const sim_print_log *const *logs, size_t count, sim_print_piece *pieces) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < logs[i]->count; k++) {
            const sim_print_piece *piece = &logs[i]->pieces[k];
            if (pieces) {
                pieces[n] = *piece;
                pieces[n].bytes = logs[i]->bytes.bytes + piece->from;
            }
            n++;
        }
    return n;
}

haul_status sim_print_logs_write(const sim_print_log *const *logs, size_t count, const sim_print_sink *sink) {
    const size_t n = gather(logs, count, NULL);
    if (n == 0) return HAUL_OK;
    sim_print_piece *pieces = memory_zeroed(n, sizeof *pieces);
    if (!pieces) return haul_no_memory("the output of printf() in kernels");
    gather(logs, count, pieces);
    qsort(pieces, n, sizeof *pieces, in_grid_order);
    for (size_t i = 0; i < n; i++)
        (sink->write ? sink->write : write_stdout)(sink->context, pieces[i].bytes, pieces[i].length);
    memory_free(pieces);
    if (!sink->write) fflush(stdout);
    return HAUL_OK;
}
