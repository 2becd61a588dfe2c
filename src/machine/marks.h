/* Which bytes of a range of addresses were ever written. Most pages are written as a whole or not at all, and a byte
 * says so. Only the others need bits: four, in a byte, for each word.
 *
 * Kernels' threads add and remove bytes at the same time. Everything else is for serial phases. */
#ifndef HAUL_MACHINE_MARKS_H
#define HAUL_MACHINE_MARKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The system commits pages and bits as they are written. `list`: of pages that are or were written in part; `news` of
 * them have come since these were last looked at. */
typedef struct sim_marks {
    uint64_t bytes;
    unsigned char *pages, *bits;
    pthread_mutex_t lock;
    uint64_t *list;
    size_t count, capacity, news;
} sim_marks;

/* Pages have 1 << SIM_MARK_PAGE bytes. */
enum { SIM_MARK_PAGE = 14, SIM_MARK_WORD = 4, SIM_MARK_WHOLE = 2 };

/* Returns NULL if the host has no memory. Nothing is written. */
sim_marks *sim_marks_create(uint64_t bytes);
void sim_marks_free(sim_marks *w);

/* Returns whether the page that contains the byte `at` was written as a whole. */
static inline bool sim_marks_has_page(const sim_marks *w, uint64_t at) {
    return __atomic_load_n(&w->pages[at >> SIM_MARK_PAGE], __ATOMIC_ACQUIRE) & SIM_MARK_WHOLE;
}
/* Returns whether the bytes at .. at+bytes-1 were all written. */
bool sim_marks_has(const sim_marks *w, uint64_t at, uint64_t bytes);
/* Returns the end of a run of bytes from `at` on, at most `end`, that were all written or all not, and which it is. The
 * next run may be of the same kind. */
uint64_t sim_marks_run(const sim_marks *w, uint64_t at, uint64_t end, bool *is_written);
/* Returns the bits of the word that contains the byte `at`. */
unsigned sim_marks_word(const sim_marks *w, uint64_t at);
/* Fetches what the two will look at. */
void sim_marks_fetch(const sim_marks *w, uint64_t at);
void sim_marks_add(sim_marks *w, uint64_t at, uint64_t bytes);
/* Removes the words from `at` on, parts of words as a whole. */
void sim_marks_remove(sim_marks *w, uint64_t at, uint64_t bytes);
/* Removes all bytes; none is outside of at .. end-1. Bits keep their memory, for the next time. */
void sim_marks_clear(sim_marks *w, uint64_t at, uint64_t end);
/* Gives the bits of pages back that have become whole, if there may be many. */
void sim_marks_settle(sim_marks *w);

/* Copies the bits of the words of at .. at+bytes-1, a byte each, and replaces them by such a copy. `at` is the start of
 * a word. */
void sim_marks_save(const sim_marks *w, uint64_t at, uint64_t bytes, unsigned char *bits);
void sim_marks_restore(sim_marks *w, uint64_t at, uint64_t bytes, const unsigned char *bits);

#endif
