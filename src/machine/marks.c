#include "machine/marks.h"

#include "base/memory.h"

#include <string.h>
#include <sys/mman.h>

/* A page's bits fill a page of the host. */
enum { PAGE = 1 << SIM_MARK_PAGE, WORD = SIM_MARK_WORD, WHOLE_WORD = 15, PAGE_BITS = PAGE / WORD };

/* What was written of a page. Only bits of a page that is written in part mean anything. IS_LISTED: it is in `list`. */
enum { NOTHING = 0, IN_PART = 1, WHOLE = SIM_MARK_WHOLE, IS_LISTED = 4 };

static void *reserve(uint64_t bytes) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static uint64_t pages_of(const sim_marks *w) {
    return (w->bytes + PAGE - 1) / PAGE;
}

sim_marks *sim_marks_create(uint64_t bytes) {
    sim_marks *w = memory_zeroed(1, sizeof *w);
    if (!w) return NULL;
    w->bytes = bytes;
    pthread_mutex_init(&w->lock, NULL);
    w->pages = reserve(pages_of(w));
    w->bits = reserve(pages_of(w) * PAGE_BITS);
    if (w->pages && w->bits) return w;
    sim_marks_free(w);
    return NULL;
}

void sim_marks_free(sim_marks *w) {
    if (!w) return;
    if (w->pages) munmap(w->pages, pages_of(w));
    if (w->bits) munmap(w->bits, pages_of(w) * PAGE_BITS);
    memory_free(w->list);
    pthread_mutex_destroy(&w->lock);
    memory_free(w);
}

/* ---- pages ---- */

static unsigned char state_of(const sim_marks *w, uint64_t page) {
    return __atomic_load_n(&w->pages[page], __ATOMIC_ACQUIRE) & (IN_PART | WHOLE);
}

static unsigned char *bits_of(const sim_marks *w, uint64_t at) {
    return w->bits + at / WORD;
}

/* Returns the end of the part of at .. end-1 that is in the first page. */
static uint64_t end_in_page(uint64_t at, uint64_t end) {
    const uint64_t next = (at / PAGE + 1) * PAGE;
    return next < end ? next : end;
}

/* A page that can't be listed keeps its bits. */
static void list_page(sim_marks *w, uint64_t page) {
    uint64_t *list = memory_grow(w->list, w->count, &w->capacity, sizeof *list);
    if (!list) return;
    w->list = list;
    w->list[w->count++] = page;
    w->news++;
    __atomic_fetch_or(&w->pages[page], IS_LISTED, __ATOMIC_RELAXED);
}

/* Returns whether the page had one state and has another now. */
static bool changes(sim_marks *w, uint64_t page, unsigned char from, unsigned char to) {
    const unsigned char listed = __atomic_load_n(&w->pages[page], __ATOMIC_RELAXED) & IS_LISTED;
    unsigned char before = from | listed;
    return __atomic_compare_exchange_n(&w->pages[page], &before, to | listed, false, __ATOMIC_RELEASE,
                                       __ATOMIC_RELAXED);
}

/* Begins to use the bits of a page that has that state. */
static void divide(sim_marks *w, uint64_t page, unsigned char from) {
    pthread_mutex_lock(&w->lock);
    if (state_of(w, page) == from) {
        memset(w->bits + page * PAGE_BITS, from == WHOLE ? WHOLE_WORD : 0, PAGE_BITS);
        if (changes(w, page, from, IN_PART) && !(w->pages[page] & IS_LISTED)) list_page(w, page);
    }
    pthread_mutex_unlock(&w->lock);
}

/* ---- bytes ---- */

static bool are_set(const unsigned char *bits, size_t words) {
    uint64_t missing = 0, eight;
    for (; words >= 8; words -= 8, bits += 8) {
        memcpy(&eight, bits, 8);
        missing |= ~eight & UINT64_C(0x0f0f0f0f0f0f0f0f);
    }
    for (; words; words--, bits++) missing |= ~*bits & (unsigned)WHOLE_WORD;
    return !missing;
}

/* Returns the bits of those bytes from `at` on, at most `bytes`, that are in one word. */
static unsigned char part_of_word(uint64_t at, uint64_t bytes) {
    const unsigned first = (unsigned)(at % WORD), most = WORD - first;
    const unsigned count = bytes < most ? (unsigned)bytes : most;
    return (unsigned char)(((1u << count) - 1) << first);
}

static bool has_bits(const sim_marks *w, uint64_t at, uint64_t end) {
    if (at % WORD) {
        const unsigned char part = part_of_word(at, end - at);
        if ((*bits_of(w, at) & part) != part) return false;
        at = at / WORD * WORD + WORD;
    }
    if (at >= end) return true;
    const unsigned char last = end % WORD ? part_of_word(0, end % WORD) : 0;
    return are_set(bits_of(w, at), (end - at) / WORD) && (*bits_of(w, end) & last) == last;
}

bool sim_marks_has(const sim_marks *w, uint64_t at, uint64_t bytes) {
    const uint64_t end = at + bytes;
    for (uint64_t next; at < end; at = next) {
        const unsigned char state = state_of(w, at / PAGE);
        next = end_in_page(at, end);
        if (state == NOTHING || (state == IN_PART && !has_bits(w, at, next))) return false;
    }
    return true;
}

static bool has_byte(const sim_marks *w, uint64_t at) {
    return *bits_of(w, at) >> at % WORD & 1;
}

/* Whole words are skipped at once. */
uint64_t sim_marks_run(const sim_marks *w, uint64_t at, uint64_t end, bool *is_written) {
    const unsigned char state = state_of(w, at / PAGE);
    const uint64_t next = end_in_page(at, end);
    *is_written = state == IN_PART ? has_byte(w, at) : state == WHOLE;
    if (state != IN_PART) return next;
    const unsigned char word = *is_written ? WHOLE_WORD : 0;
    while (at < next && has_byte(w, at) == *is_written) at += at % WORD == 0 && *bits_of(w, at) == word ? WORD : 1;
    return at < next ? at : next;
}

unsigned sim_marks_word(const sim_marks *w, uint64_t at) {
    const unsigned char state = state_of(w, at / PAGE);
    return state == WHOLE ? WHOLE_WORD : state == NOTHING ? 0 : *bits_of(w, at) & (unsigned)WHOLE_WORD;
}

void sim_marks_fetch(const sim_marks *w, uint64_t at) {
    if (at < w->bytes && state_of(w, at / PAGE) == IN_PART) __builtin_prefetch(bits_of(w, at));
}

static void set_part(const sim_marks *w, uint64_t at, uint64_t bytes) {
    __atomic_fetch_or(bits_of(w, at), part_of_word(at, bytes), __ATOMIC_RELAXED);
}

static void set_bits(const sim_marks *w, uint64_t at, uint64_t end) {
    if (at % WORD) {
        set_part(w, at, end - at);
        at = at / WORD * WORD + WORD;
    }
    if (at >= end) return;
    memset(bits_of(w, at), WHOLE_WORD, (end - at) / WORD);
    if (end % WORD) set_part(w, end / WORD * WORD, end % WORD);
}

void sim_marks_add(sim_marks *w, uint64_t at, uint64_t bytes) {
    const uint64_t end = at + bytes;
    for (uint64_t next; at < end; at = next) {
        const uint64_t page = at / PAGE;
        next = end_in_page(at, end);
        if (state_of(w, page) == WHOLE || (next - at == PAGE && changes(w, page, NOTHING, WHOLE))) continue;
        if (state_of(w, page) == NOTHING) divide(w, page, NOTHING);
        set_bits(w, at, next);
    }
}

static void drop_pages(sim_marks *w, uint64_t first, uint64_t end) {
    for (uint64_t p = first; p < end; p++) w->pages[p] &= IS_LISTED;
}

void sim_marks_remove(sim_marks *w, uint64_t at, uint64_t bytes) {
    const uint64_t end = at / WORD * WORD + (bytes + WORD - 1) / WORD * WORD;
    for (uint64_t next; at < end; at = next) {
        const uint64_t page = at / PAGE;
        next = end_in_page(at, end);
        if (next - at == PAGE) {
            next = end / PAGE * PAGE;
            drop_pages(w, page, next / PAGE);
            (void)madvise(w->bits + page * PAGE_BITS, (next / PAGE - page) * PAGE_BITS, MADV_DONTNEED);
            continue;
        }
        if (state_of(w, page) == WHOLE) divide(w, page, WHOLE);
        if (state_of(w, page) == IN_PART) memset(bits_of(w, at), 0, (next - at + WORD - 1) / WORD);
    }
}

void sim_marks_clear(sim_marks *w, uint64_t at, uint64_t end) {
    if (at < end) memset(w->pages + at / PAGE, NOTHING, (end - 1) / PAGE - at / PAGE + 1);
    w->count = w->news = 0;
}

/* ---- pages that have become whole ---- */

/* Returns whether the page still needs its bits. */
static bool needs_bits(sim_marks *w, uint64_t page) {
    unsigned char *bits = w->bits + page * PAGE_BITS;
    if (state_of(w, page) != IN_PART) return false;
    if (!are_set(bits, PAGE_BITS / 8) || !are_set(bits, PAGE_BITS)) return true;
    w->pages[page] = WHOLE | IS_LISTED;
    (void)madvise(bits, PAGE_BITS, MADV_DONTNEED);
    return false;
}

/* The work pays if as much is new as is old. */
void sim_marks_settle(sim_marks *w) {
    enum { FEWEST = 64 };
    size_t kept = 0;
    if (!w || w->news < FEWEST || w->news < w->count / 4) return;
    for (size_t i = 0; i < w->count; i++) {
        const uint64_t page = w->list[i];
        if (needs_bits(w, page))
            w->list[kept++] = page;
        else
            w->pages[page] &= (unsigned char)~IS_LISTED;
    }
    w->count = kept;
    w->news = 0;
}

/* ---- copies ---- */

void sim_marks_save(const sim_marks *w, uint64_t at, uint64_t bytes, unsigned char *bits) {
    for (uint64_t k = 0; k < bytes; k += WORD) bits[k / WORD] = (unsigned char)sim_marks_word(w, at + k);
}

/* Adds the bytes of one word. */
static void add_word(sim_marks *w, uint64_t at, unsigned bits) {
    for (unsigned k = 0; k < WORD; k++)
        if (bits >> k & 1) sim_marks_add(w, at + k, 1);
}

void sim_marks_restore(sim_marks *w, uint64_t at, uint64_t bytes, const unsigned char *bits) {
    const uint64_t words = bytes / WORD;
    sim_marks_remove(w, at, bytes);
    for (uint64_t k = 0, end; k < words; k = end) {
        for (end = k; end < words && bits[end] == WHOLE_WORD; end++) {
        }
        if (end > k)
            sim_marks_add(w, at + k * WORD, (end - k) * WORD);
        else
            add_word(w, at + k * WORD, bits[end++]);
    }
}
