/* Protects pages between calls (guard.h).
 *
 * Only whole pages whose bytes are all in use are protected, so that a program never meets them rightly, not even by
 * a system call. A handler notes the use and gives the page free; it is reported at the next call. The rest of a range
 * stays protected: of a pending kernel's managed memory only a part may be in use, and the program may touch another
 * part first. Pages are given free for each call, since the driver's threads use them. Another thread of the program
 * may fault just before that: an address that was protected lately is tried again a few times.
 *
 * Bytes in use on other pages are compared with what they were when the last call ended: if they have changed, the
 * program has written them. The place is not known.
 *
 * A program that handles SIGSEGV itself is left alone. */
#include "standin/runtime/guard.h"

#include "base/signals.h"
#include "standin/runtime/touch.h"
#include "standin/standin.h"
#include "vgpu/driver.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { MOST_GUARDS = 1024, MOST_TOUCHES = 64, MOST_RETRIES = 1000, PAGE = 4096, WRITE_FAULT = 2 };
enum { MOST_EDGES = 2 * MOST_GUARDS, EDGE_BYTES = 256 << 10 };

typedef struct guarded {
    unsigned char *from, *to; /* whole pages */
} guarded;

typedef struct touch {
    const unsigned char *at;
    const void *code;
    bool writes;
} touch;

/* Bytes in use on a page that is not protected, and their place in `kept`. */
typedef struct edge {
    const unsigned char *at;
    size_t bytes, kept;
} edge;

static edge edges[MOST_EDGES];
static size_t edge_count, kept_count;
static unsigned char kept[EDGE_BYTES];
static guarded guards[MOST_GUARDS];
static size_t guard_count; /* they are protected */
static size_t late_count;  /* they were, before the present call */
static touch touches[MOST_TOUCHES];
static volatile size_t touch_count;

static unsigned char *page_behind(unsigned char *p) {
    return p + (PAGE - (uintptr_t)p % PAGE) % PAGE;
}

static unsigned char *page_of(unsigned char *p) {
    return p - (uintptr_t)p % PAGE;
}

/* ---- bytes on pages that are not protected ---- */

static void keep(const unsigned char *from, const unsigned char *to) {
    if (from >= to || edge_count == MOST_EDGES || (size_t)(to - from) > EDGE_BYTES - kept_count) return;
    const size_t bytes = (size_t)(to - from);
    memcpy(kept + kept_count, from, bytes);
    edges[edge_count++] = (edge){from, bytes, kept_count};
    kept_count += bytes;
}

static void keep_edges(const sim_host_use *u) {
    unsigned char *const first = page_behind(u->from), *const last = page_of(u->end);
    if (first >= last) {
        keep(u->from, u->to);
        return;
    }
    keep(u->from, first);
    keep(last, u->to);
}

/* One byte of each is enough. */
static void compare_edges(void) {
    for (size_t i = 0; i < edge_count; i++) {
        const edge *e = &edges[i];
        size_t same = 0;
        if (memcmp(e->at, kept + e->kept, e->bytes) == 0) continue;
        while (e->at[same] == kept[e->kept + same]) same++;
        sim_driver_host_touched(e->at + same, true, NULL);
    }
    edge_count = kept_count = 0;
}

/* ---- pages ---- */

void standin_guard(bool runs) {
    static sim_host_use uses[MOST_GUARDS];
    const size_t count = sim_driver_host_uses(uses, MOST_GUARDS);
    if (!count || !signals_has(SIGSEGV, standin_segv_handler())) return;
    for (size_t i = 0; i < count && !runs; i++)
        if (uses[i].is_owned) keep_edges(&uses[i]);
    for (size_t i = 0; i < count; i++) {
        unsigned char *const from = page_behind(uses[i].from), *const to = page_of(uses[i].end);
        if (from >= to) continue;
        guards[guard_count++] = (guarded){from, to};
        (void)mprotect(from, (size_t)(to - from), uses[i].writes ? PROT_NONE : PROT_READ);
    }
}

void standin_unguard(void) {
    for (size_t i = 0; i < guard_count; i++)
        (void)mprotect(guards[i].from, (size_t)(guards[i].to - guards[i].from), PROT_READ | PROT_WRITE);
    if (guard_count) late_count = guard_count;
    guard_count = 0;
    for (size_t i = 0; i < touch_count; i++) sim_driver_host_touched(touches[i].at, touches[i].writes, touches[i].code);
    touch_count = 0;
    compare_edges();
}

/* Gives the page at the address free; if no more uses can be noted, the whole range. */
static void give_free(const guarded *g, const unsigned char *at) {
    const bool is_last = touch_count + 1 >= MOST_TOUCHES;
    unsigned char *const page = g->from + (at - g->from) / PAGE * PAGE;
    (void)mprotect(is_last ? g->from : page, is_last ? (size_t)(g->to - g->from) : PAGE, PROT_READ | PROT_WRITE);
}

/* Returns whether the address is in one of the ranges; gives its page free in all of them if desired. */
static bool is_among(const unsigned char *at, size_t count, bool frees) {
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (at < guards[i].from || at >= guards[i].to) continue;
        found = true;
        if (frees) give_free(&guards[i], at);
    }
    return found;
}

bool standin_take_guarded(const siginfo_t *signal, const void *context) {
    static const unsigned char *last;
    static unsigned tries;
    const unsigned char *at = signal->si_addr;
#if defined __x86_64__
    const bool writes = ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & WRITE_FAULT;
#else
    const bool writes = true;
#endif
    if (is_among(at, guard_count, true)) {
        if (touch_count < MOST_TOUCHES) touches[touch_count++] = (touch){at, standin_code_of(context), writes};
        return true;
    }
    if (!is_among(at, late_count, false)) return false;
    tries = at == last ? tries + 1 : 0;
    last = at;
    return tries < MOST_RETRIES;
}
