/* A program of several ranks, for run_exchange.sh: each exchanges device memory with the others and checks what it
 * gets.
 *
 *     program [DEVICES] */
#include <haul/ranks.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSIDE = 1000, BEFORE = 3, AFTER = 5, MOST_RANKS = 64 };

static haul_ranks *ranks;
static unsigned rank, count;

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "rank %u: %s\n", rank, haul_message());
    exit(2);
}

/* All ranks end with the same answer. */
static void check(const char *what, bool right) {
    must(haul_ranks_agree(ranks, HAUL_OK));
    if (!right) fprintf(stderr, "rank %u: %s: wrong\n", rank, what);
    unsigned char own = right, all[MOST_RANKS];
    must(haul_ranks_gather(ranks, &own, 1, all));
    for (unsigned i = 0; i < count; i++)
        if (!all[i]) exit(1);
    if (rank == 0) printf("%s: right\n", what);
}

/* Element `i` of a rank's data. */
static int32_t value(unsigned of, int i) {
    return (int32_t)of * INSIDE + i;
}

static void exchange_halo(haul_device *device, haul_stream *stream) {
    enum { ALL = BEFORE + INSIDE + AFTER };
    int32_t host[ALL];
    bool right = true;
    haul_buffer *buffer;
    for (int i = 0; i < ALL; i++) host[i] = i < BEFORE || i >= BEFORE + INSIDE ? -1 : value(rank, i - BEFORE);
    must(haul_buffer_create(device, sizeof host, &buffer));
    must(haul_buffer_write(buffer, 0, host, sizeof host));
    must(haul_ranks_exchange_halo(ranks, stream, buffer, 4 * BEFORE, 4 * INSIDE, 4 * AFTER));
    must(haul_stream_wait(stream));
    must(haul_buffer_read(buffer, 0, host, sizeof host));
    for (int i = 0; i < BEFORE; i++) right &= host[i] == (rank ? value(rank - 1, INSIDE - BEFORE + i) : -1);
    for (int i = 0; i < INSIDE; i++) right &= host[BEFORE + i] == value(rank, i);
    for (int i = 0; i < AFTER; i++) right &= host[BEFORE + INSIDE + i] == (rank + 1 < count ? value(rank + 1, i) : -1);
    check("halo", right);
}

static void gather_all(haul_device *device, haul_stream *stream) {
    int32_t *host = malloc((size_t)count * INSIDE * sizeof *host);
    bool right = host != NULL;
    haul_buffer *own, *all;
    if (!host) exit(2);
    for (int i = 0; i < INSIDE; i++) host[i] = value(rank, i);
    must(haul_buffer_create(device, INSIDE * 4, &own));
    must(haul_buffer_create(device, (uint64_t)count * INSIDE * 4, &all));
    must(haul_buffer_write(own, 0, host, INSIDE * 4));
    must(haul_ranks_all_gather(ranks, stream, own, all, INSIDE * 4));
    must(haul_stream_wait(stream));
    must(haul_buffer_read(all, 0, host, (uint64_t)count * INSIDE * 4));
    for (int i = 0; i < (int)count * INSIDE; i++) right &= host[i] == i;
    free(host);
    check("gather", right);
}

static void reduce(haul_device *device, haul_stream *stream) {
    const double expected[] = {(double)count * (count - 1) / 2, 0, count - 1};
    const char *const names[] = {"sum", "least", "greatest"};
    haul_buffer *buffer;
    must(haul_buffer_create(device, INSIDE * 8, &buffer));
    for (int operation = 0; operation < 3; operation++) {
        double host[INSIDE];
        bool right = true;
        for (int i = 0; i < INSIDE; i++) host[i] = rank;
        must(haul_buffer_write(buffer, 0, host, sizeof host));
        must(haul_ranks_reduce(ranks, stream, buffer, INSIDE, HAUL_RANKS_F64, (haul_ranks_operation)operation));
        must(haul_stream_wait(stream));
        must(haul_buffer_read(buffer, 0, host, sizeof host));
        for (int i = 0; i < INSIDE; i++) right &= host[i] <= expected[operation] && host[i] >= expected[operation];
        check(names[operation], right);
    }
}

/* A failure of one rank is that of all, with its message. */
static void agree(void) {
    haul_device *none;
    const haul_status own = rank == 1 ? haul_device_open("nonsense", NULL, &none) : HAUL_OK;
    const haul_status status = haul_ranks_agree(ranks, own);
    check("failure", count == 1 || (status == HAUL_ERROR_ARGUMENT && strstr(haul_message(), "rank 1: ")));
}

int main(int words, char **word) {
    char name[256];
    haul_device *device;
    haul_stream *stream;
    must(haul_ranks_open(NULL, &ranks));
    rank = haul_ranks_rank(ranks);
    count = haul_ranks_count(ranks);
    must(haul_ranks_choose_device(ranks, words > 1 ? word[1] : "sim:h100", name));
    must(haul_device_open(name, NULL, &device));
    must(haul_stream_create(device, 0, &stream));
    if (rank == 0) printf("%u ranks, %s\n", count, haul_ranks_way(ranks, device));
    exchange_halo(device, stream);
    gather_all(device, stream);
    reduce(device, stream);
    agree();
    haul_ranks_close(ranks);
    haul_stream_free(stream);
    haul_device_close(device);
    return 0;
}
