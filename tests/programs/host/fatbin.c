/* Fat binaries as nvcc embeds them: a wrapper, which leads to a container of entries, or to several where objects were
 * linked. PTX is in entries of its own, plain or packed by LZ4; what was packed by Zstandard (nvcc's default) is for
 * libzstd, where there is one. */
#include "host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPER_LINKED = 2, ENTRY_PTX = 1, PACKED_LZ4 = 0x2000, PACKED_ZSTD = 0x8000 };

typedef struct wrapper {
    int magic, version;
    const unsigned char *container;
    const unsigned char *const *linked; /* of version 2: a container for each object, then NULL */
} wrapper;

typedef struct container {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
} container;

typedef struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes;
    uint32_t packed_bytes, options;
    uint16_t minor, major;
    uint32_t architecture, name, name_bytes;
    uint64_t flags, reserved, text_bytes;
} entry;

/* A length of 15 goes on in further bytes, until one is not 255. */
static size_t read_length(const unsigned char **at, size_t length) {
    if (length < 15) return length;
    unsigned char more;
    do {
        more = *(*at)++;
        length += more;
    } while (more == 255);
    return length;
}

/* Blocks of LZ4: literals, then bytes to repeat from so far back; the last one has literals only. */
static void unpack_lz4(char *to, const unsigned char *at, size_t bytes) {
    for (const unsigned char *const end = at + bytes;;) {
        const unsigned char token = *at++;
        const size_t literals = read_length(&at, token >> 4);
        memcpy(to, at, literals);
        to += literals;
        at += literals;
        if (at >= end) return;
        const size_t back = at[0] | (size_t)at[1] << 8;
        at += 2;
        for (size_t left = read_length(&at, token & 15) + 4; left; left--, to++) *to = *(to - back);
    }
}

static void unpack_zstd(char *to, size_t room, const unsigned char *from, size_t bytes) {
    size_t (*unpack)(void *, size_t, const void *, size_t) = NULL;
    void *library = dlopen("libzstd.so.1", RTLD_NOW);
    void *found = library ? dlsym(library, "ZSTD_decompress") : NULL;
    memcpy(&unpack, &found, sizeof unpack);
    if (unpack && unpack(to, room, from, bytes) == room) return;
    fprintf(stderr, "the program's PTX is packed by Zstandard, and there is no libzstd.so.1 that unpacks it\n");
    exit(2);
}

static char *text_of(const entry *e) {
    const unsigned char *payload = (const unsigned char *)e + e->header_bytes;
    const size_t bytes = e->flags & (PACKED_LZ4 | PACKED_ZSTD) ? e->text_bytes : e->bytes;
    char *text = calloc(1, bytes + 1);
    if (!text) return NULL;
    if (e->flags & PACKED_LZ4)
        unpack_lz4(text, payload, e->packed_bytes);
    else if (e->flags & PACKED_ZSTD)
        unpack_zstd(text, bytes, payload, e->packed_bytes);
    else
        memcpy(text, payload, bytes);
    return text;
}

static char *newest(const unsigned char *fat) {
    container c;
    const entry *best = NULL;
    memcpy(&c, fat, sizeof c);
    for (uint64_t at = c.header_bytes; at < c.header_bytes + c.bytes;) {
        const entry *e = (const entry *)(const void *)(fat + at);
        if (e->kind == ENTRY_PTX && (!best || e->architecture > best->architecture)) best = e;
        at += e->header_bytes + e->bytes;
    }
    return best ? text_of(best) : NULL;
}

unsigned host_fatbin_texts(const void *fat, char **texts, unsigned most) {
    const wrapper *w = fat;
    unsigned count = 0;
    if (w->version != WRAPPER_LINKED) return (texts[0] = newest(w->container)) != NULL;
    for (const unsigned char *const *one = w->linked; one && *one && count < most; one++)
        if ((texts[count] = newest(*one))) count++;
    return count;
}
