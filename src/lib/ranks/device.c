/* Exchange of device memory between ranks: through NCCL, in the stream, or through host memory and MPI.
 *
 * NCCL needs real GPUs, one for each rank. The way through the host is right for all devices: it waits for the stream,
 * copies, exchanges, and copies back. */
#include "base/memory.h"
#include "base/status.h"
#include "lib/ranks/ranks.h"
#include "lib/stream.h"

/* ---- which way ---- */

static bool may_use_nccl(const haul_ranks *r, const haul_device *d) {
    return haul_ranks_count(r) > 1 && !haul_device_is_virtual(d);
}

const char *haul_ranks_way(const haul_ranks *r, const haul_device *d) {
    if (haul_ranks_count(r) == 1) return "one rank";
    const bool nccl = r->has_asked ? r->has_nccl : r->engine->device_is_there();
    return may_use_nccl(r, d) && nccl ? "NCCL" : "MPI through the host";
}

/* NCCL is opened with the first exchange. *nccl: the exchange goes that way, on all ranks. */
static haul_status enter(haul_ranks *r, const haul_device *d, bool *nccl) {
    int usable = 0;
    HAUL_TRY(device_enter(d));
    *nccl = false;
    if (!may_use_nccl(r, d)) return HAUL_OK;
    if (!r->has_asked) {
        HAUL_TRY(ranks_check(r, r->engine->device_open(&usable), "NCCL cannot begin"));
        r->has_nccl = usable;
        r->has_asked = true;
    }
    *nccl = r->has_nccl;
    return HAUL_OK;
}

/* Allocates host memory for staging; 0 bytes are fine. */
static haul_status stage(uint64_t bytes, void **memory) {
    *memory = memory_alloc(bytes ? bytes : 1);
    return *memory ? HAUL_OK
                   : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "ranks: no memory to exchange %llu bytes",
                               (unsigned long long)bytes);
}

/* ---- halos ---- */

static haul_status check_halo(const haul_buffer *b, uint64_t before, uint64_t inside, uint64_t after) {
    HAUL_TRY(buffer_check_range(b, 0, before));
    HAUL_TRY(buffer_check_range(b, before, inside));
    HAUL_TRY(buffer_check_range(b, before + inside, after));
    if (before <= inside && after <= inside) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "ranks: a halo of %llu and %llu bytes is larger than the rank's own %llu",
                     (unsigned long long)before, (unsigned long long)after, (unsigned long long)inside);
}

/* One direction: `count` bytes at `from` of this rank's buffer go to rank `to`, and as many of rank `of` come to
 * `into`. */
static haul_status shift(haul_ranks *r, haul_stream *s, haul_buffer *b, uint64_t count, uint32_t to, uint64_t from,
                         uint32_t of, uint64_t into) {
    void *out = NULL, *in = NULL;
    haul_status status = stage(count, &out);
    if (status == HAUL_OK) status = stage(count, &in);
    if (status == HAUL_OK && to != RANKS_NONE) status = haul_stream_read(s, b, from, out, count);
    if (status == HAUL_OK) status = haul_stream_wait(s);
    if (status == HAUL_OK)
        status = ranks_check(r, r->engine->exchange(to, out, count, of, in, count), "exchanging a halo failed");
    if (status == HAUL_OK && of != RANKS_NONE) status = haul_stream_write(s, b, into, in, count);
    if (status == HAUL_OK) status = haul_stream_wait(s);
    memory_free(out);
    memory_free(in);
    return status;
}

haul_status haul_ranks_exchange_halo(haul_ranks *r, haul_stream *s, haul_buffer *b, uint64_t before, uint64_t inside,
                                     uint64_t after) {
    bool nccl;
    HAUL_TRY(check_halo(b, before, inside, after));
    if (haul_ranks_count(r) == 1) return HAUL_OK;
    HAUL_TRY(enter(r, s->device, &nccl));
    if (nccl)
        return ranks_check(r, r->engine->device_halo(b->address, before, inside, after, s->handle),
                           "exchanging a halo failed");
    const uint32_t next = r->rank + 1 < r->count ? r->rank + 1 : RANKS_NONE, last = r->rank ? r->rank - 1 : RANKS_NONE;
    HAUL_TRY(shift(r, s, b, before, next, inside, last, 0));
    return shift(r, s, b, after, last, before, next, before + inside);
}

/* ---- all ranks ---- */

static haul_status gather_through_host(haul_ranks *r, haul_stream *s, haul_buffer *own, haul_buffer *all,
                                       uint64_t bytes) {
    void *out = NULL, *in = NULL;
    haul_status status = stage(bytes, &out);
    if (status == HAUL_OK) status = stage(bytes * r->count, &in);
    if (status == HAUL_OK) status = haul_stream_read(s, own, 0, out, bytes);
    if (status == HAUL_OK) status = haul_stream_wait(s);
    if (status == HAUL_OK) status = haul_ranks_gather(r, out, bytes, in);
    if (status == HAUL_OK) status = haul_stream_write(s, all, 0, in, bytes * r->count);
    if (status == HAUL_OK) status = haul_stream_wait(s);
    memory_free(out);
    memory_free(in);
    return status;
}

haul_status haul_ranks_all_gather(haul_ranks *r, haul_stream *s, haul_buffer *own, haul_buffer *all, uint64_t bytes) {
    bool nccl;
    HAUL_TRY(buffer_check_range(own, 0, bytes));
    if (bytes > all->bytes / haul_ranks_count(r))
        return haul_fail(HAUL_ERROR_ARGUMENT, "ranks: %u times %llu bytes do not fit into a buffer of %llu",
                         haul_ranks_count(r), (unsigned long long)bytes, (unsigned long long)all->bytes);
    if (haul_ranks_count(r) == 1) return haul_stream_copy(s, all, 0, own, 0, bytes);
    HAUL_TRY(enter(r, s->device, &nccl));
    if (!nccl) return gather_through_host(r, s, own, all, bytes);
    return ranks_check(r, r->engine->device_gather(own->address, bytes, all->address, s->handle), "gathering failed");
}

static uint64_t bytes_of(haul_ranks_type type) {
    return type == HAUL_RANKS_I64 || type == HAUL_RANKS_U64 || type == HAUL_RANKS_F64 ? 8 : 4;
}

static haul_status reduce_through_host(haul_ranks *r, haul_stream *s, haul_buffer *b, uint64_t count,
                                       haul_ranks_type type, haul_ranks_operation operation) {
    const uint64_t bytes = count * bytes_of(type);
    void *values = NULL;
    haul_status status = stage(bytes, &values);
    if (status == HAUL_OK) status = haul_stream_read(s, b, 0, values, bytes);
    if (status == HAUL_OK) status = haul_stream_wait(s);
    if (status == HAUL_OK)
        status = ranks_check(r, r->engine->reduce(values, count, (int)type, (int)operation), "reducing failed");
    if (status == HAUL_OK) status = haul_stream_write(s, b, 0, values, bytes);
    if (status == HAUL_OK) status = haul_stream_wait(s);
    memory_free(values);
    return status;
}

haul_status haul_ranks_reduce(haul_ranks *r, haul_stream *s, haul_buffer *b, uint64_t count, haul_ranks_type type,
                              haul_ranks_operation operation) {
    bool nccl;
    if (count > b->bytes / bytes_of(type))
        return haul_fail(HAUL_ERROR_ARGUMENT, "ranks: a buffer of %llu bytes has no %llu elements",
                         (unsigned long long)b->bytes, (unsigned long long)count);
    if (haul_ranks_count(r) == 1) return HAUL_OK;
    HAUL_TRY(enter(r, s->device, &nccl));
    if (!nccl) return reduce_through_host(r, s, b, count, type, operation);
    return ranks_check(r, r->engine->device_reduce(b->address, count, (int)type, (int)operation, s->handle),
                       "reducing failed");
}
