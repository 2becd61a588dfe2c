/* Arenas: memory that is allocated piece by piece and freed as a whole.
 *
 * An arena is a list of blocks that grow as it does; the last one has room. Memory is zeroed. An owner that sets
 * `out_of_memory` gets control back there when memory runs out, which spares its functions all checks. */
#include "base/arena.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct arena_block {
    arena_block *older;
    alignas(max_align_t) char bytes[];
};

enum { ARENA_FIRST = 16 * 1024, ARENA_LARGE = 4 * 1024 * 1024, ARENA_LARGEST = 16 * 1024 * 1024 };

void arena_init(arena *a, jmp_buf *out_of_memory) {
    *a = (arena){.out_of_memory = out_of_memory};
}

void arena_free(arena *a) {
    for (arena_block *b = a->blocks; b;) {
        arena_block *older = b->older;
        memory_free(b);
        b = older;
    }
    *a = (arena){.out_of_memory = a->out_of_memory};
}

/* Keeps the oldest block, so that an arena that is used again and again costs no allocations. */
void arena_clear(arena *a) {
    arena_block *kept = a->blocks;
    if (!kept) return;
    while (kept->older) {
        arena_block *older = kept->older;
        kept->older = older->older;
        memory_free(older);
    }
    a->next = kept->bytes;
    a->total = (size_t)(a->end - a->next);
}

/* While `work` runs, lack of memory in either arena frees the scratch arena first and then goes on to the outer
 * handler. */
void arena_with_scratch(arena *a, void (*work)(void *context, arena *scratch), void *context) {
    arena scratch;
    jmp_buf out_of_memory, *const outer = a->out_of_memory;
    arena_init(&scratch, &out_of_memory);
    if (setjmp(out_of_memory)) {
        arena_free(&scratch);
        a->out_of_memory = outer;
        longjmp(*outer, 1);
    }
    a->out_of_memory = &out_of_memory;
    work(context, &scratch);
    a->out_of_memory = outer;
    arena_free(&scratch);
}

/* Jumps if the owner wants that; otherwise the caller returns NULL. */
static void *fail(arena *a) {
    if (a->out_of_memory) longjmp(*a->out_of_memory, 1);
    return NULL;
}

/* Block sizes double, so that a large module costs few allocations and a small one little memory. */
static bool add_block(arena *a, size_t need) {
    size_t size = a->total < ARENA_FIRST ? ARENA_FIRST : a->total;
    if (size > ARENA_LARGEST) size = ARENA_LARGEST;
    if (size < need) size = need;
    arena_block *b = memory_alloc(sizeof *b + size);
    if (!b) return false;
    if (size >= ARENA_LARGE) memory_prefer_large_pages(b, sizeof *b + size);
    b->older = a->blocks;
    a->blocks = b;
    a->next = b->bytes;
    a->end = b->bytes + size;
    a->total += size;
    return true;
}

/* Sizes above half of the address space are refused before they can overflow. */
void *arena_alloc_aligned(arena *a, size_t size, size_t alignment) {
    if (size > SIZE_MAX / 2) return fail(a);
    size_t padding = a->next ? (size_t)(-(uintptr_t)a->next & (alignment - 1)) : 0;
    if (!a->next || (size_t)(a->end - a->next) < size + padding) {
        if (!add_block(a, size + alignment)) return fail(a);
        padding = (size_t)(-(uintptr_t)a->next & (alignment - 1));
    }
    char *p = a->next + padding;
    a->next = p + size;
    return memset(p, 0, size);
}

void *arena_alloc(arena *a, size_t size) {
    return arena_alloc_aligned(a, size, alignof(max_align_t));
}

void *arena_array(arena *a, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size) return fail(a);
    return arena_alloc(a, count * size);
}

char *arena_copy(arena *a, const char *text, size_t length) {
    char *copy = arena_alloc(a, length < SIZE_MAX ? length + 1 : length);
    return copy ? memcpy(copy, text, length) : NULL;
}

char *arena_printf(arena *a, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = arena_alloc(a, (size_t)(length > 0 ? length : 0) + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

/* The old list stays in the arena: at most as much as the new one takes. */
void *arena_grow(arena *a, const void *items, size_t count, size_t *capacity, size_t size) {
    size_t larger = *capacity ? *capacity * 2 : 8;
    void *copy = arena_array(a, larger, size);
    if (!copy) return NULL;
    if (count) memcpy(copy, items, count * size);
    *capacity = larger;
    return copy;
}
