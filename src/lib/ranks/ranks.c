/* Ranks (<haul/ranks.h>): the library of MPI is loaded if a launcher of MPI has started this program, and host memory
 * is exchanged through its table. device.c exchanges device memory. */
#include "lib/ranks/ranks.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

/* Variables in which launchers of MPI pass the number of ranks: Open MPI's mpirun, MPICH's and Intel's. */
static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

/* The number in a variable of the environment; 0 if there is none. */
static uint64_t number_in(const char *variable) {
    uint64_t number = 0;
    const char *value = getenv(variable);
    return value && number_u64(value, &number) ? number : 0;
}

/* The number of ranks that the launcher has started; 1 without a launcher, 0 if it does not tell: a PMIx server does
 * not, but Slurm does beside it. */
static uint64_t count_launched(void) {
    const char *given = getenv("HAUL_MPI");
    if (given && strcmp(given, "off") == 0) return 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (number_in(sizes[i])) return number_in(sizes[i]);
    return getenv("PMIX_RANK") ? number_in("SLURM_STEP_NUM_TASKS") : 1;
}

/* Open MPI's own parts need its symbols, hence RTLD_GLOBAL. The library is never unloaded: MPI cannot begin twice. */
static haul_status load(const char *path, const ranks_engine **engine) {
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return haul_fail(
            HAUL_ERROR_NOT_FOUND,
            "ranks: an MPI launcher has started this program, but %s; build haul with MPI (cmake "
            "-DHAUL_MPI=ON), name libhaul_mpi.so in HAUL_MPI, or set HAUL_MPI=off to run each process alone",
            dlerror());
    ranks_engine_function *get;
    *(void **)(void *)&get = dlsym(library, "haul_ranks_engine");
    *engine = get ? get() : NULL;
    if (*engine && (*engine)->version == RANKS_VERSION) return HAUL_OK;
    return haul_fail(HAUL_ERROR_NOT_FOUND, "ranks: %s is not of this version of haul: build both together", path);
}

haul_status ranks_check(const haul_ranks *r, int result, const char *what) {
    if (result == 0) return HAUL_OK;
    return haul_fail(HAUL_ERROR_DRIVER, "rank %u: %s: %s", r->rank, what, r->engine->error());
}

/* With a launcher of another MPI each process would believe itself alone, and write what the others write. */
static haul_status check_count(const haul_ranks *r, uint64_t launched) {
    if (!launched || launched == r->count) return HAUL_OK;
    return haul_fail(
        HAUL_ERROR_NOT_FOUND,
        "ranks: the launcher has started %llu ranks, but MPI knows %u: libhaul_mpi.so was built with another "
        "MPI; start with that one's mpirun, or name another library in HAUL_MPI",
        (unsigned long long)launched, r->count);
}

static haul_status open_engine(haul_ranks *r, const char *path, uint64_t launched) {
    const char *given = getenv("HAUL_MPI");
    const ranks_engine *engine = NULL;
    if (given && *given) path = given;
    HAUL_TRY(load(path ? path : "libhaul_mpi.so", &engine));
    r->engine = engine;
    HAUL_TRY(ranks_check(r, engine->open(&r->rank, &r->count, &r->local, &r->locals), "MPI cannot begin"));
    const haul_status status = check_count(r, launched);
    if (status != HAUL_OK) engine->close();
    return status;
}

haul_status haul_ranks_open(const char *library, haul_ranks **ranks) {
    *ranks = NULL;
    haul_ranks *r = memory_zeroed(1, sizeof *r);
    if (!r) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "ranks: no memory for them");
    r->count = r->locals = 1;
    const uint64_t launched = count_launched();
    const haul_status status = launched == 1 ? HAUL_OK : open_engine(r, library, launched);
    if (status != HAUL_OK) {
        memory_free(r);
        return status;
    }
    *ranks = r;
    return HAUL_OK;
}

void haul_ranks_close(haul_ranks *r) {
    if (!r) return;
    if (r->engine) r->engine->close();
    memory_free(r);
}

unsigned haul_ranks_rank(const haul_ranks *r) {
    return r ? r->rank : 0;
}

unsigned haul_ranks_count(const haul_ranks *r) {
    return r ? r->count : 1;
}

unsigned haul_ranks_local(const haul_ranks *r) {
    return r ? r->local : 0;
}

unsigned haul_ranks_locals(const haul_ranks *r) {
    return r ? r->locals : 1;
}

/* ---- host memory ---- */

/* Gets the message of the first rank that failed. A message that names its rank already, since it was agreed on before,
 * stays. */
static haul_status tell(haul_ranks *r, unsigned failed, haul_status status) {
    char message[1024];
    snprintf(message, sizeof message, "%s", haul_message());
    HAUL_TRY(haul_ranks_broadcast(r, failed, message, sizeof message));
    message[sizeof message - 1] = '\0';
    if (strncmp(message, "rank ", 5) == 0) return haul_fail(status, "%s", message);
    return haul_fail(status, "rank %u: %s", failed, message);
}

haul_status haul_ranks_agree(haul_ranks *r, haul_status status) {
    if (haul_ranks_count(r) == 1) return status;
    int32_t own = (int32_t)status, *all = memory_alloc(r->count * sizeof *all);
    if (!all) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "ranks: no memory to agree");
    haul_status gathered = haul_ranks_gather(r, &own, sizeof own, all);
    for (unsigned i = 0; i < r->count && gathered == HAUL_OK; i++)
        if (all[i] != HAUL_OK) gathered = tell(r, i, (haul_status)all[i]);
    memory_free(all);
    return gathered;
}

haul_status haul_ranks_broadcast(haul_ranks *r, unsigned from, void *bytes, uint64_t count) {
    if (haul_ranks_count(r) == 1) return HAUL_OK;
    return ranks_check(r, r->engine->broadcast(from, bytes, count), "a broadcast failed");
}

haul_status haul_ranks_gather(haul_ranks *r, const void *own, uint64_t count, void *all) {
    if (haul_ranks_count(r) > 1) return ranks_check(r, r->engine->gather(own, count, all), "gathering failed");
    memcpy(all, own, count);
    return HAUL_OK;
}

static haul_status check_partner(const haul_ranks *r, unsigned rank) {
    if (rank < haul_ranks_count(r) && rank != haul_ranks_rank(r)) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "ranks: %u is not another of the %u ranks", rank, haul_ranks_count(r));
}

haul_status haul_ranks_send(haul_ranks *r, unsigned to, const void *bytes, uint64_t count) {
    HAUL_TRY(check_partner(r, to));
    return ranks_check(r, r->engine->send(to, bytes, count), "sending failed");
}

haul_status haul_ranks_receive(haul_ranks *r, unsigned from, void *bytes, uint64_t count) {
    HAUL_TRY(check_partner(r, from));
    return ranks_check(r, r->engine->receive(from, bytes, count), "receiving failed");
}
