/* A cache of files between runs of haul, in a folder of the user's own.
 *
 * The cache only makes haul faster. Any failure (no folder, a full disk, a file that is incomplete or that others could
 * have written) acts as an empty cache. Any number of processes may use the folder at once: a file appears under its
 * name when it is complete, and never changes afterwards. */
#ifndef HAUL_BASE_CACHE_H
#define HAUL_BASE_CACHE_H

#include "base/text.h"

#include <stdint.h>

/* How long cached things live, by HAUL_CACHE in the environment. */
typedef enum cache_extent {
    CACHE_OFF,    /* "off": until their first use */
    CACHE_MEMORY, /* "memory": until the process ends */
    CACHE_DISK,   /* anything else, or unset */
} cache_extent;

cache_extent cache_kept(void);

/* Gets $HAUL_CACHE_DIR, else $XDG_CACHE_HOME/haul, else $HOME/.cache/haul, whether the folder exists or not. Returns
 * false if none is set, or if nothing is cached on disk. */
bool cache_folder(char *path, size_t size);

/* Returns whether the cache has the file; `name` contains no folder. */
bool cache_has(const char *name);
/* Appends the file's contents. Returns false, and appends nothing, if there is no such file or it cannot be trusted: it
 * or the folder belongs to another user or is writable by others, or its checksum is wrong. */
bool cache_read(const char *name, text *contents);
/* Writes a file, and makes the folder if needed. Keeps the folder below CACHE_LIMIT bytes by removing the least
 * recently used files. */
bool cache_write(const char *name, const void *contents, size_t size);

#define CACHE_LIMIT (256ull << 20)

typedef struct cache_usage {
    uint64_t bytes, files;
    bool refused; /* the folder exists, but is writable by others or belongs to another user */
} cache_usage;

cache_usage cache_measure(void);

/* Removes the least recently used files until at most `most` bytes are left. */
void cache_trim(uint64_t most);

#endif
