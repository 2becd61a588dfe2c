/* Implements cli/shared.h. A round has ROUND launches for each rank: few enough to hold their records in memory, and
 * enough to even out launches that take long. */
#include "cli/shared.h"

#include "base/memory.h"
#include "base/status.h"
#include "exec/system_call.h"
#include "lib/device.h"
#include "lib/launch/pack.h"

#include <string.h>
#include <unistd.h>

enum { ROUND = 32 };

haul_status cli_shared_device(const haul_ranks *ranks, const char *asked, char device[256]) {
    const bool several = haul_ranks_count(ranks) > 1;
    if (several && (!asked || strcmp(asked, "auto") == 0)) asked = "sim:h100";
    if (several && strncmp(asked, "gpu", 3) == 0)
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "--device %s: several ranks share launches on virtual GPUs: give a "
                         "sim:MACHINE, or start one process for a GPU",
                         asked);
    return haul_ranks_choose_device(ranks, asked ? asked : "auto", device);
}

haul_device_options cli_shared_options(const haul_ranks *ranks, const cli_values *v) {
    haul_device_options options = cli_device_options(v);
    const unsigned locals = haul_ranks_locals(ranks);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!options.threads && locals > 1 && cores > 0)
        options.threads = (uint32_t)cores > locals ? (uint32_t)cores / locals : 1;
    return options;
}

static haul_status make_room(cli_shared *s) {
    s->received = memory_zeroed(haul_ranks_count(s->ranks), sizeof *s->received);
    s->outcomes = memory_zeroed((size_t)ROUND * haul_ranks_count(s->ranks), sizeof *s->outcomes);
    return s->received && s->outcomes ? HAUL_OK : haul_no_memory("the launches of all ranks");
}

haul_status cli_shared_open(cli_shared *s, haul_ranks *ranks, cli_session *session, cli_shared_work *work,
                            void *context, haul_status status) {
    *s = (cli_shared){.ranks = ranks, .session = session, .work = work, .context = context};
    if (!cli_shared_is_needed(s)) return status;
    if (status == HAUL_OK) status = make_room(s);
    status = haul_ranks_agree(ranks, status);
    s->over = status != HAUL_OK;
    return status;
}

bool cli_shared_is_needed(const cli_shared *s) {
    return haul_ranks_count(s->ranks) > 1;
}

/* ---- who runs a launch ---- */

/* Functions that the system provides keep a state between launches, apart from printing. */
static bool uses_heap(const ptx_module *m) {
    for (size_t i = 0; i < m->function_count; i++) {
        const ptx_function *f = m->functions[i];
        if (!f->has_body && sim_is_system_call(f->name) && strcmp(f->name, "vprintf") != 0) return true;
    }
    return false;
}

static bool has_variables(const ptx_module *m) {
    for (size_t i = 0; i < m->variable_count; i++)
        if (m->variables[i]->space == PTX_SPACE_GLOBAL) return true;
    return false;
}

/* A launch without a kernel fails wherever it runs. */
bool cli_shared_is_bound(cli_session *session, launch_description *launch) {
    if (cli_session_find(session, launch) != HAUL_OK) return true;
    const ptx_module *ptx = session->used->module->ptx;
    return !ptx || uses_heap(ptx) || has_variables(ptx);
}

static unsigned rank_of(const cli_shared *s, size_t launch) {
    const bool bound = cli_shared_is_bound(s->session, &s->session->launches.items[launch]);
    return bound ? 0 : (unsigned)(launch % haul_ranks_count(s->ranks));
}

/* ---- rounds ---- */

static haul_status run_own(cli_shared *s) {
    text packed = {0};
    haul_status status = HAUL_OK;
    for (size_t i = s->begin; i < s->end && status == HAUL_OK; i++) {
        if (rank_of(s, i) != haul_ranks_rank(s->ranks)) continue;
        text_clear(&packed);
        status = s->work(s->context, &s->session->launches.items[i], &packed);
        pack_number(&s->own, i);
        pack_number(&s->own, packed.length);
        pack_bytes(&s->own, packed.bytes, packed.length);
        if (status == HAUL_OK && (packed.failed || s->own.failed)) status = haul_no_memory("a launch's outcome");
    }
    text_free(&packed);
    return status;
}

/* Finds the outcomes in the bytes of a rank. */
static haul_status note_outcomes(cli_shared *s, const char *bytes, uint64_t count) {
    pack_reader r = {.at = bytes, .end = bytes + count};
    while (r.at < r.end && !r.failed) {
        const uint64_t launch = unpack_number(&r), length = unpack_number(&r);
        r.failed |= launch < s->begin || launch >= s->end || length > (uint64_t)(r.end - r.at);
        if (r.failed) break;
        s->outcomes[launch - s->begin] = (pack_reader){.at = r.at, .end = r.at + length};
        r.at += length;
    }
    if (!r.failed) return HAUL_OK;
    return haul_fail(
        HAUL_ERROR_INTERNAL,
        "ranks: the outcome of another rank cannot be read: start all ranks with the same version of haul");
}

/* Rank 0 gets the outcomes of all. */
static haul_status collect_round(cli_shared *s, const uint64_t *sizes) {
    if (haul_ranks_rank(s->ranks) != 0)
        return s->own.length ? haul_ranks_send(s->ranks, 0, s->own.bytes, s->own.length) : HAUL_OK;
    memset(s->outcomes, 0, (s->end - s->begin) * sizeof *s->outcomes);
    HAUL_TRY(note_outcomes(s, s->own.bytes, s->own.length));
    for (unsigned i = 1; i < haul_ranks_count(s->ranks); i++) {
        memory_free(s->received[i]);
        s->received[i] = memory_alloc(sizes[i] + 1);
        if (!s->received[i]) return haul_no_memory("the launches of all ranks");
        if (sizes[i]) HAUL_TRY(haul_ranks_receive(s->ranks, i, s->received[i], sizes[i]));
        HAUL_TRY(note_outcomes(s, s->received[i], sizes[i]));
    }
    return HAUL_OK;
}

/* A failure that the ranks agree on is the end. */
static haul_status run_round(cli_shared *s) {
    uint64_t *sizes = memory_zeroed(haul_ranks_count(s->ranks), sizeof *sizes);
    text_clear(&s->own);
    haul_status status = sizes ? run_own(s) : haul_no_memory("the launches of all ranks");
    const uint64_t length = s->own.length;
    status = haul_ranks_agree(s->ranks, status);
    if (status == HAUL_OK) status = haul_ranks_gather(s->ranks, &length, sizeof length, sizes);
    if (status == HAUL_OK) status = collect_round(s, sizes);
    memory_free(sizes);
    s->over |= status != HAUL_OK;
    return status;
}

/* Rank 0 decides whether there is another round. */
static haul_status agree_on_round(cli_shared *s, uint64_t *begin) {
    const haul_status status = haul_ranks_broadcast(s->ranks, 0, begin, sizeof *begin);
    const size_t count = s->session->launches.count, most = (size_t)ROUND * haul_ranks_count(s->ranks);
    s->over |= status != HAUL_OK || *begin >= count;
    s->begin = (size_t)*begin;
    s->end = s->over || count - s->begin <= most ? count : s->begin + most;
    return status;
}

haul_status cli_shared_serve(cli_shared *s) {
    for (;;) {
        uint64_t begin = 0;
        HAUL_TRY(agree_on_round(s, &begin));
        if (s->over) return HAUL_OK;
        HAUL_TRY(run_round(s));
    }
}

haul_status cli_shared_take(cli_shared *s, size_t launch, pack_reader **outcome) {
    if (launch >= s->end) {
        uint64_t begin = launch;
        HAUL_TRY(agree_on_round(s, &begin));
        HAUL_TRY(run_round(s));
    }
    *outcome = &s->outcomes[launch - s->begin];
    return (*outcome)->at ? HAUL_OK : haul_fail(HAUL_ERROR_INTERNAL, "ranks: launch %zu has no outcome", launch);
}

void cli_shared_close(cli_shared *s) {
    uint64_t none = UINT64_MAX;
    if (s->outcomes && !s->over && haul_ranks_rank(s->ranks) == 0) (void)agree_on_round(s, &none);
    for (unsigned i = 0; s->received && i < haul_ranks_count(s->ranks); i++) memory_free(s->received[i]);
    memory_free(s->received);
    memory_free(s->outcomes);
    text_free(&s->own);
    arena_free(&s->memory);
    *s = (cli_shared){0};
}

/* ---- outcomes ---- */

void cli_pack_status(text *out, haul_status status) {
    pack_number(out, (uint64_t)status);
    pack_string(out, status == HAUL_OK ? NULL : haul_message());
}

haul_status cli_unpack_status(pack_reader *r, arena *memory) {
    const haul_status status = (haul_status)unpack_number(r);
    const char *message = unpack_string(r, memory);
    return status == HAUL_OK ? HAUL_OK : haul_fail(status, "%s", message ? message : "");
}

haul_status cli_shared_pack_run(void *session, launch_description *d, text *packed) {
    const haul_launch_record *record;
    const haul_status status = cli_session_run(session, d, &record);
    cli_pack_status(packed, status);
    for (size_t i = 0; i < launch_value_count(d); i++) pack_number(packed, d->arguments[i].hash);
    pack_number(packed, record != NULL);
    if (record) launch_pack_record(packed, record);
    return HAUL_OK;
}

static haul_status take_run(cli_shared *s, launch_description *d, const haul_launch_record **record) {
    pack_reader *r;
    arena_clear(&s->memory);
    HAUL_TRY(cli_shared_take(s, (size_t)(d - s->session->launches.items), &r));
    haul_launch_record *own = ARENA_NEW(&s->memory, haul_launch_record);
    const haul_status status = cli_unpack_status(r, &s->memory);
    for (size_t i = 0; i < launch_value_count(d); i++) d->arguments[i].hash = unpack_number(r);
    const bool has_record = unpack_number(r);
    if (has_record && own) launch_unpack_record(r, &s->memory, own);
    if (r->failed || !own) return haul_no_memory("the launches of all ranks");
    *record = has_record ? own : NULL;
    return status;
}

haul_status cli_shared_run(cli_shared *s, launch_description *d, const haul_launch_record **record) {
    *record = NULL;
    if (!cli_shared_is_needed(s)) return cli_session_run(s->session, d, record);
    const haul_status found = cli_session_find(s->session, d);
    return found == HAUL_OK ? take_run(s, d, record) : found;
}
