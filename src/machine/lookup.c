/* Locks for lookups of addresses (lookup.h). A kernel's thread locks one of several, so that threads do not contend; a
 * change locks all. */
#include "machine/lookup.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { LOCKS = 8 };
#define UNLOCKED \
    { PTHREAD_RWLOCK_INITIALIZER }
static struct {
    _Alignas(64) pthread_rwlock_t lock;
} lists[LOCKS] = {UNLOCKED, UNLOCKED, UNLOCKED, UNLOCKED, UNLOCKED, UNLOCKED, UNLOCKED, UNLOCKED};
static atomic_bool are_shared;

void sim_lookup_share(void) {
    are_shared = true;
}

pthread_rwlock_t *sim_lookup_begin(void) {
    static atomic_uint threads;
    static _Thread_local pthread_rwlock_t *own;
    if (!atomic_load_explicit(&are_shared, memory_order_relaxed)) return NULL;
    if (!own) own = &lists[threads++ % LOCKS].lock;
    pthread_rwlock_rdlock(own);
    return own;
}

void sim_lookup_end(pthread_rwlock_t *own) {
    if (own) pthread_rwlock_unlock(own);
}

void sim_lookup_keep_out(void) {
    for (unsigned i = 0; i < LOCKS; i++) pthread_rwlock_wrlock(&lists[i].lock);
}

void sim_lookup_let_in(void) {
    for (unsigned i = LOCKS; i-- > 0;) pthread_rwlock_unlock(&lists[i].lock);
}
