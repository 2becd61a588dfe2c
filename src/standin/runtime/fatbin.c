/* Fat binaries as nvcc embeds them: a wrapper, which points to a container of entries, or to several if objects were
 * linked. PTX entries are plain or packed by LZ4; those packed by Zstandard (nvcc's default) need libzstd.
 *
 * A fat binary has entries for several architectures, as PTX and as machine code. The PTX for the newest architecture
 * is taken; it runs as long as it uses only what the machine has (vgpu/module.c). Machine code only tells registers and
 * sizes. Sizes in the
 * data are checked against the container's own. Fields that are not used here are named only for their place. */
#include "standin/standin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPER_LINKED = 2, ENTRY_PTX = 1, ENTRY_CUBIN = 2, PACKED_LZ4 = 0x2000, PACKED_ZSTD = 0x8000 };
static const uint32_t WRAPPER = 0x466243b1, CONTAINER = 0xba55ed50;
static const size_t MOST_TEXT = (size_t)1 << 31;

/* The argument of __cudaRegisterFatBinary(). `haul cc` makes the same (names/linked.c). */
typedef struct wrapper {
    uint32_t magic;
    int version;
    const unsigned char *container;
    const unsigned char *const *linked; /* version 2: a container for each object, then NULL */
} wrapper;

typedef struct container {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
} container;

/* The header is followed by the content. All sizes are in bytes. */
typedef struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes;
    uint32_t packed_bytes, options;
    uint16_t minor, major;
    uint32_t architecture, name, name_bytes;
    uint64_t flags, reserved, text_bytes;
} entry;

/* A length of 15 continues in further bytes, until one is not 255. */
static size_t read_length(const unsigned char **at, const unsigned char *end, size_t length) {
    if (length < 15) return length;
    unsigned char more = 255;
    while (more == 255 && *at < end) length += more = *(*at)++;
    return length;
}

/* Unpacks LZ4 blocks: literals, then an offset and a length of bytes to repeat; the last one has only literals. False
 * if the data is not valid, or does not fit. */
static bool unpack_lz4(char *to, size_t room, const unsigned char *at, size_t bytes) {
    size_t done = 0;
    for (const unsigned char *const end = at + bytes; at < end;) {
        const unsigned char token = *at++;
        const size_t literals = read_length(&at, end, token >> 4);
        if (literals > (size_t)(end - at) || literals > room - done) return false;
        memcpy(to + done, at, literals);
        done += literals;
        at += literals;
        if (end - at < 2) break;
        const size_t back = at[0] | (size_t)at[1] << 8;
        at += 2;
        const size_t again = read_length(&at, end, token & 15) + 4;
        if (back == 0 || back > done || again > room - done) return false;
        for (size_t left = again; left; left--, done++) to[done] = to[done - back];
    }
    return done == room;
}

/* Uses libzstd if the machine has it; prints what to do if not. */
static bool unpack_zstd(char *to, size_t room, const unsigned char *from, size_t bytes) {
    size_t (*unpack)(void *, size_t, const void *, size_t) = NULL;
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "ZSTD_decompress") : NULL;
    memcpy(&unpack, &found, sizeof unpack);
    if (unpack) return unpack(to, room, from, bytes) == room;
    fprintf(stderr, "haul: the program's PTX is packed by Zstandard: install libzstd1, or compile it with "
                    "--compress-mode=speed\n");
    return false;
}

/* `room` is the size of the text. False if the data is not valid. */
static bool unpack(char *to, size_t room, const entry *e) {
    const unsigned char *payload = (const unsigned char *)e + e->header_bytes;
    if (e->flags & PACKED_LZ4) return unpack_lz4(to, room, payload, e->packed_bytes);
    if (e->flags & PACKED_ZSTD) return unpack_zstd(to, room, payload, e->packed_bytes);
    memcpy(to, payload, room);
    return true;
}

/* The entry's content, allocated, with a NUL; NULL if it cannot be unpacked. */
static char *content_of(const entry *e, size_t *bytes) {
    const bool is_packed = e->flags & (PACKED_LZ4 | PACKED_ZSTD);
    *bytes = is_packed ? e->text_bytes : e->bytes;
    if (*bytes > MOST_TEXT || (is_packed && e->packed_bytes > e->bytes)) return NULL;
    char *content = calloc(1, *bytes + 1);
    if (content && unpack(content, *bytes, e)) return content;
    free(content);
    return NULL;
}

/* The entry of that kind for the newest architecture up to `most` in a container; NULL if it has none. Stops at an
 * entry that does not fit into the container. */
static const entry *newest(const unsigned char *fat, uint16_t kind, uint32_t most) {
    container c;
    const entry *best = NULL;
    memcpy(&c, fat, sizeof c);
    if (c.magic != CONTAINER) return NULL;
    const uint64_t end = c.header_bytes + c.bytes;
    for (uint64_t at = c.header_bytes; at <= end && end - at >= sizeof(entry);) {
        const entry *e = (const entry *)(const void *)(fat + at);
        if (e->header_bytes < sizeof *e || e->header_bytes > end - at || e->bytes > end - at - e->header_bytes) break;
        const bool is_better = !best || e->architecture > best->architecture;
        if (e->kind == kind && e->architecture <= most && is_better) best = e;
        at += e->header_bytes + e->bytes;
    }
    return best;
}

static char *newest_text(const unsigned char *fat) {
    const entry *e = newest(fat, ENTRY_PTX, UINT32_MAX);
    size_t bytes;
    return e ? content_of(e, &bytes) : NULL;
}

bool standin_is_fatbin(const void *image) {
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    return magic == WRAPPER || magic == CONTAINER;
}

/* The only container; NULL if objects were linked, which have one each. */
static const unsigned char *only_container(const void *fat) {
    const wrapper *w = fat;
    if (w->magic == CONTAINER) return fat;
    return w->version == WRAPPER_LINKED ? NULL : w->container;
}

/* Objects without PTX are skipped, without a message. */
unsigned standin_fatbin_texts(const void *fat, char **texts, unsigned most) {
    const unsigned char *only = only_container(fat);
    unsigned count = 0;
    if (only) return (texts[0] = newest_text(only)) != NULL;
    for (const unsigned char *const *one = ((const wrapper *)fat)->linked; one && *one && count < most; one++)
        if ((texts[count] = newest_text(*one))) count++;
    return count;
}

char *standin_fatbin_cubin(const void *fat, uint32_t sm, size_t *bytes) {
    const unsigned char *only = only_container(fat);
    const entry *e = only ? newest(only, ENTRY_CUBIN, sm) : NULL;
    return e && e->architecture == sm ? content_of(e, bytes) : NULL;
}
